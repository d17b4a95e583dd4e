/* attention: multi-head attention. */
#include "kernels/attention.h"

#include "kernels/batched_gemm.h"
#include "kernels/softmax.h"

#include <assert.h>
#include <math.h>

static void check(const struct attention_shape *s)
{
    assert(s->batch >= 1 && s->sequence >= 1 && s->heads >= 1 && s->size >= 1);
    assert(s->precision == PRECISION_FP32);
}

size_t attention_scratch(const struct attention_shape *s)
{
    return (size_t)s->heads * (size_t)s->sequence * (size_t)s->sequence;
}

double attention_flop(const struct attention_shape *s)
{
    return 4.0 * s->batch * s->heads * s->size * s->sequence * s->sequence;
}

static int32_t length_of(const struct attention_shape *s, const int32_t *lengths, size_t b)
{
    int32_t length = lengths ? lengths[b] : s->sequence;
    assert(length >= 1 && length <= s->sequence);
    return length;
}

/* One token of one head: scores against `length` keys, then the mean of their values. qkv points
 * at the sequence's first query of this head; row and third are distances of tokens and of Q, K. */
static void one_token(const struct attention_shape *s, const struct attention_reference_data *d,
                      const double *qkv, size_t token, int32_t length, double *y)
{
    size_t third = (size_t)s->heads * (size_t)s->size, row = 3 * third, size = (size_t)s->size;
    double sum = 0, largest = -INFINITY;
    for (size_t j = 0; j < (size_t)length; j++) {
        d->scores[j] = 0;
        for (size_t p = 0; p < size; p++)
            d->scores[j] += qkv[token * row + p] * qkv[j * row + third + p];
        d->scores[j] /= sqrt((double)size);
        largest = fmax(largest, d->scores[j]);
    }
    for (size_t j = 0; j < (size_t)length; j++)
        sum += exp(d->scores[j] - largest);
    for (size_t p = 0; p < size; p++)
        y[p] = 0;
    for (size_t j = 0; j < (size_t)length; j++)
        for (size_t p = 0; p < size; p++)
            y[p] += exp(d->scores[j] - largest) / sum * qkv[j * row + 2 * third + p];
}

void attention_reference(const struct attention_shape *s, const struct attention_reference_data *d)
{
    size_t size = (size_t)s->size, width = (size_t)s->heads * size, sequence = (size_t)s->sequence;
    check(s);
    for (size_t b = 0; b < (size_t)s->batch; b++)
        for (size_t h = 0; h < (size_t)s->heads; h++)
            for (size_t t = 0; t < sequence; t++)
                one_token(s, d, d->qkv + b * sequence * 3 * width + h * size, t,
                          length_of(s, d->lengths, b),
                          d->y + (b * sequence + t) * width + h * size);
}

void attention_blas(const struct attention_shape *s, const struct attention_data *d)
{
    int32_t t = s->sequence, width = s->heads * s->size;
    size_t square = (size_t)t * (size_t)t, size = (size_t)s->size;
    check(s);
    assert(d->qkv && d->y && d->scores);
    struct batched_gemm_shape scores = {s->heads,  t, t,    s->size, true,   3 * width,
                                        3 * width, t, size, size,    square, s->precision};
    struct batched_gemm_shape mix = {s->heads,  t,     s->size, t,    false, t,
                                     3 * width, width, square,  size, size,  s->precision};
    struct softmax_shape soft = {s->heads * t, t, t, 1.0 / sqrt((double)size), s->precision};
    for (size_t b = 0; b < (size_t)s->batch; b++) {
        const float *qkv = d->qkv + b * (size_t)t * 3 * (size_t)width;
        soft.length = length_of(s, d->lengths, b);
        batched_gemm_blas(&scores, &(struct batched_gemm_data){qkv, qkv + width, d->scores});
        softmax_float(&soft, d->scores);
        batched_gemm_blas(&mix, &(struct batched_gemm_data){d->scores, qkv + 2 * width,
                                                            d->y + b * (size_t)(t * width)});
    }
}
