/* checkpoint: a network's trained weights: what a file of them says of the network, and whether it
 * holds exactly what the network needs. */
#ifndef SLUICE_KERNELS_CHECKPOINT_H
#define SLUICE_KERNELS_CHECKPOINT_H

#include "kernels/bert.h"
#include "kernels/inception.h"

struct safetensors;

/* The figures that a file may choose: classes, and whether norms have a gain; vocabulary, positions
 * and segments. What the file lacks stays as it was. */
void checkpoint_inception(const struct safetensors *f, struct inception_config *c);
void checkpoint_bert(const struct safetensors *f, struct bert_config *c);

/* ERR_INPUT names the file and the first tensor that is missing, is there under two names, or that
 * the network has no place for, with the nearest name. Heads that are not part of the network
 * (AuxLogits, BERT's for training), counters of batches and numbered positions may be there. */
int checkpoint_check(const struct safetensors *f, const struct network *n, struct err *e);

#endif
