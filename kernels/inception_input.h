/* inception_input: from a picture to what Inception-v3 reads.
 *
 * torchvision: the shorter side to 8/7 of the network's (342 for 299) by a triangle filter that
 * covers all pixels, then the middle square; values v / 127.5 - 1, which is what its normalisation
 * and transform_input come to together (Inception_V3_Weights.IMAGENET1K_V1).
 * Keras: the whole picture to the square by the same filter, v / 127.5 - 1 (its preprocess_input).
 * 2015: the whole picture to the square by TensorFlow 1's bilinear rule, in which the corners and
 * not the pixels' middles lie on each other and pixels between two points do not count;
 * (v - 128) / 128 (classify_image.py). */
#ifndef SLUICE_KERNELS_INCEPTION_INPUT_H
#define SLUICE_KERNELS_INCEPTION_INPUT_H

#include "kernels/inception.h"

struct image;

/* Writes 3 x size x size values. ERR_SYSTEM when memory runs out. */
int inception_input(const struct image *i, const struct inception_config *c, double *out,
                    struct err *e);

#endif
