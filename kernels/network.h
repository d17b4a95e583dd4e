/* network: a whole network as a list of steps over memory that is planned once.
 *
 * A plan holds no values: it says which operator reads and writes which places, and which named
 * tensors fill the parameters. Every backend runs the same plan. Tensors whose lives do not
 * overlap share their place; nothing is allocated when the network runs. */
#ifndef SLUICE_KERNELS_NETWORK_H
#define SLUICE_KERNELS_NETWORK_H

#include "kernels/attention.h"
#include "kernels/conv.h"
#include "kernels/embedding.h"
#include "kernels/layer_norm.h"
#include "kernels/linear.h"
#include "kernels/pool.h"
#include "kernels/weight.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

enum step_kind {
    STEP_CONV,
    STEP_POOL,
    STEP_LINEAR,
    STEP_EMBEDDING,
    STEP_LAYER_NORM,
    STEP_ATTENTION,
};

#define NETWORK_NONE SIZE_MAX

/* Places are counted in values: x, y, residual in the activations (NETWORK_NONE: no residual; an
 * embedding has no x), the others in the parameters. An embedding's tables are weight (words),
 * bias (positions) and kinds. */
struct network_step {
    char name[WEIGHT_NAME];
    enum step_kind kind;
    union {
        struct conv_shape conv;
        struct pool_shape pool;
        struct linear_shape linear;
        struct embedding_shape embedding;
        struct layer_norm_shape layer_norm;
        struct attention_shape attention;
    } as;
    size_t x, y, residual;
    size_t weight, bias, kinds;
};

/* A tensor of the parameters. With a norm, its values are read together with the four vectors
 * NAME.bn.* of a batch norm and stored folded, and their bias lies at bias_at. */
struct network_weight {
    struct weight weight;
    size_t at;
    char norm[WEIGHT_NAME]; /* "NAME.bn", or empty */
    bool norm_gain;         /* the norm has a gain */
    double norm_eps;
    size_t bias_at;
};

struct network_tensor {
    size_t size;
    size_t first, last; /* steps that write it first and touch it last */
    size_t at;
};

#define NETWORK_MAX_STEPS 512
#define NETWORK_MAX_WEIGHTS 1024

/* Open data. Sizes in values. */
struct network {
    const char *model;
    int32_t batch;
    struct network_step *steps;
    size_t n_steps;
    struct network_weight *weights;
    size_t n_weights;
    struct network_tensor *tensors;
    size_t n_tensors;
    size_t parameters, activations, scratch;
    size_t input, input_size;   /* activations; size 0 when the input is tokens */
    size_t output, output_size; /* of the whole batch */
    int32_t tokens, vocabulary; /* of the whole batch; 0 when the input is values */
    int32_t sequence;
    int64_t parameter_count; /* as papers count: trained values, a folded norm's two included */
    double flop;             /* of one forward pass of the whole batch, products only */
};

/* Building: tensors are numbers until network_place turns them into places. */
struct network *network_create(struct arena *a, const char *model, struct err *e);
size_t network_tensor(struct network *n, size_t size);
/* Adds a step of which x, y, residual are tensors, and y begins y_offset values into its tensor. */
struct network_step *network_add(struct network *n, const struct network_step *s, size_t y_offset);
/* Room for one more tensor of parameters; returns its place. */
size_t network_weight(struct network *n, const struct weight *w);
/* The convolution's weights and the bias that its folded norm leaves. */
void network_conv_weight(struct network *n, struct network_step *s, bool with_gain, double eps);
/* Gives every tensor its place, largest first at the lowest that is free during its life, and
 * sums up scratch and work. The input tensor stays untouched until the end. */
void network_place(struct network *n, size_t input, size_t output);

double network_step_flop(const struct network_step *s);

#endif
