/* fixture_checkpoint: files of weights for tests. */
#ifndef SLUICE_TESTS_FIXTURE_CHECKPOINT_H
#define SLUICE_TESTS_FIXTURE_CHECKPOINT_H

#include "kernels/network.h"
#include "tests/temp_file.h"

/* What to change about a name: writes the file's name of the tensor into out, or nothing to leave
 * the tensor out. */
typedef void fixture_checkpoint_naming(const char *name, char out[WEIGHT_NAME + 16]);

/* A safetensors file of all tensors of a plan, norms included, with the source's values, or, with
 * NULL, of zeros that take no room on the disk. naming may be NULL. extra: a further tensor of one
 * value, or NULL. */
struct temp_file fixture_checkpoint(const struct network *plan, const struct weight_source *source,
                                    fixture_checkpoint_naming *naming, const char *extra);

#endif
