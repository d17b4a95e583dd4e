/* safetensors: weights from a file in the safetensors format.
 *
 * Eight bytes with the length of a JSON header (little-endian), the header that gives each tensor's
 * type, shape and place, then the values. F32, F16 and BF16 are read. The whole header is checked
 * when the file is opened; a tensor's values, when it is asked for. */
#ifndef SLUICE_KERNELS_SAFETENSORS_H
#define SLUICE_KERNELS_SAFETENSORS_H

#include "kernels/weight.h"

#include <stdbool.h>

struct arena;
struct safetensors;

#define SAFETENSORS_MAX_HEADER (100u << 20)

/* Header in the arena. ERR_INPUT names the file, and the tensor where one is at fault: of unknown
 * type, with a place outside the file or inside another's, with bytes before it that belong to
 * none, or of a size that does not fit its shape. */
struct safetensors *safetensors_open(struct arena *a, const char *path, struct err *e);
void safetensors_close(struct safetensors *f); /* accepts NULL; before the arena goes */
size_t safetensors_count(const struct safetensors *f);
const char *safetensors_path(const struct safetensors *f);
/* Names in the order of the file, i < safetensors_count. */
const char *safetensors_name(const struct safetensors *f, size_t i);
/* The tensor of this name, understood as below: its extents, of which at most WEIGHT_MAX_RANK are
 * written, and their number, or -1 when there is none. */
int32_t safetensors_extents(const struct safetensors *f, const char *name,
                            int32_t out[WEIGHT_MAX_RANK]);
/* Is this, as it stands in the file, what is meant by the name? */
bool safetensors_means(const char *in_file, const char *name);

/* Tensors by name; "bert." in front, and LayerNorm.gamma and .beta of old checkpoints, are
 * understood. ERR_INPUT names the tensor that is missing or has another shape or type, and the
 * nearest that is there; or the first of its values that is not finite or a negative variance. */
struct weight_source safetensors_source(struct safetensors *f);

#endif
