/* bert: the plan of a BERT encoder with its pooler.
 *
 * Devlin et al., "BERT" (arXiv:1810.04805), layer norm behind each residual, GELU with erf, and
 * the tensor names of Hugging Face's checkpoints without their leading "bert.". */
#ifndef SLUICE_KERNELS_BERT_H
#define SLUICE_KERNELS_BERT_H

#include "kernels/network.h"

struct bert_config {
    int32_t batch;    /* 1..1024 */
    int32_t sequence; /* tokens, 1..positions */
    int32_t layers;   /* 1..48 */
    int32_t hidden;   /* a multiple of heads, <= 8192 */
    int32_t heads, inner;
    int32_t vocabulary; /* 30522 in English, 21128 in Chinese */
    int32_t positions, segments;
    enum precision precision;
    const char *model; /* its name in messages; NULL: "bert" */
};

extern const struct bert_config bert_base; /* batch 1, 128 tokens, vocabulary 30522 */

/* In the arena. Input: batch x sequence tokens; output: batch x hidden, the pooled first tokens.
 * ERR_INPUT when a figure is outside its range. */
struct network *bert_plan(struct arena *a, const struct bert_config *c, struct err *e);

#endif
