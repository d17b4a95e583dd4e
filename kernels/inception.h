/* inception: the plan of Inception-v3.
 *
 * The architecture of Szegedy et al., "Rethinking the Inception Architecture for Computer Vision"
 * (arXiv:1512.00567), in the shapes and with the names that torchvision gives it, without the
 * auxiliary head: 94 convolutions, 23,834,568 parameters, 5.7132e9 multiply-adds at 299 x 299. */
#ifndef SLUICE_KERNELS_INCEPTION_H
#define SLUICE_KERNELS_INCEPTION_H

#include "kernels/network.h"

/* Weights of one are numerically wrong in another. */
enum inception_variant {
    INCEPTION_TORCHVISION, /* means count the padding; norms have a gain */
    INCEPTION_KERAS,       /* means of the cells inside; norms without a gain */
    INCEPTION_2015,        /* as Keras, with a largest value instead of a mean in the last block */
};

struct inception_config {
    int32_t batch;   /* 1..1024 */
    int32_t image;   /* height and width, 75..1024; 299 is the published one */
    int32_t classes; /* 1000; the graph of 2015 has 1008 */
    enum inception_variant variant;
    bool gain; /* norms have a gain whatever the variant: converted checkpoints bring one */
    enum precision precision;
};

extern const struct inception_config inception_usual;

/* In the arena. Input: batch x 3 x image x image; output: batch x classes logits. ERR_INPUT when a
 * figure is outside its range. */
struct network *inception_plan(struct arena *a, const struct inception_config *c, struct err *e);

#endif
