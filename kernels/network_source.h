/* network_source: a network by its name, with its weights: seeded, or from a file. */
#ifndef SLUICE_KERNELS_NETWORK_SOURCE_H
#define SLUICE_KERNELS_NETWORK_SOURCE_H

#include "kernels/inception.h"
#include "kernels/weight.h"

struct safetensors;

/* What is wanted. 0 and NULL stand for what the model or the file says. */
struct network_choice {
    const char *name; /* one of network_source_names */
    int32_t batch, sequence;
    int32_t tokens;     /* of a BERT: true ones of each sequence, padding behind them; 0: all */
    uint64_t seed;      /* of the weights, unless they come from a file, and the input */
    int32_t vocabulary; /* of a BERT */
    enum inception_variant variant; /* of Inception-v3 */
    const char *weights;            /* a safetensors file; NULL: seeded */
};

extern const char *const network_source_names[]; /* ends with NULL */

/* Open data; stays where it is until closed, since the weights point into it. */
struct network_source {
    const struct network *plan;
    struct weight_source weights;
    struct inception_config image; /* of Inception-v3: as planned */
    uint64_t seed;
    struct safetensors *file;
};

/* The plan in the arena. ERR_INPUT for an unknown model, a figure that it does not allow, and a
 * file that is broken, lacks a tensor or has one too many; it names file and tensor. */
int network_source_open(struct arena *a, const struct network_choice *c, struct network_source *out,
                        struct err *e);
void network_source_close(struct network_source *s); /* accepts {0}; before the arena goes */

/* The plan alone. */
struct network *network_source_plan(struct arena *a, const struct network_choice *c, struct err *e);

#endif
