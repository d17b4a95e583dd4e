/* attention: multi-head attention on a GPU by strided-batched products. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/attention.h"
#include "kernels/batched_gemm.h"
#include "kernels/softmax.h"
}

#include <math.h>

size_t attention_cuda_scratch(const struct attention_shape *s)
{
    return (size_t)s->batch * (size_t)s->heads * (size_t)s->sequence * (size_t)s->sequence;
}

/* How the products of all heads and sequences are cut: `calls` calls of `count` products each. A
 * strided-batched product steps evenly, and heads lie at another distance than sequences. */
struct cut {
    int32_t calls, count;
    size_t qkv_call, qkv_step, y_call, y_step, scores_call, scores_step;
};

static struct cut cut_of(const struct attention_shape *s)
{
    size_t size = (size_t)s->size, width = (size_t)s->heads * size, t = (size_t)s->sequence;
    size_t square = t * t, heads = (size_t)s->heads;
    struct cut by_sequence = {s->batch,  s->heads, 3 * t * width,  size,
                              t * width, size,     heads * square, square};
    struct cut by_head = {s->heads, s->batch,  size,   3 * t * width,
                          size,     t * width, square, heads * square};
    return s->batch <= s->heads ? by_sequence : by_head;
}

static int scores(const struct attention_shape *s, const struct attention_data *d,
                  struct device *device, struct err *e)
{
    struct cut c = cut_of(s);
    int32_t t = s->sequence, width = s->heads * s->size;
    struct batched_gemm_shape g = {c.count,       t,           t, s->size,    true,
                                   3 * width,     3 * width,   t, c.qkv_step, c.qkv_step,
                                   c.scores_step, s->precision};
    for (size_t i = 0; i < (size_t)c.calls; i++) {
        const float *q = d->qkv + i * c.qkv_call;
        struct batched_gemm_data at = {q, q + width, d->scores + i * c.scores_call};
        if (batched_gemm_cuda(&g, &at, device, e))
            return -1;
    }
    return 0;
}

static int mix(const struct attention_shape *s, const struct attention_data *d,
               struct device *device, struct err *e)
{
    struct cut c = cut_of(s);
    int32_t t = s->sequence, width = s->heads * s->size;
    struct batched_gemm_shape g = {c.count,       t,          s->size,   t,
                                   false,         t,          3 * width, width,
                                   c.scores_step, c.qkv_step, c.y_step,  s->precision};
    for (size_t i = 0; i < (size_t)c.calls; i++) {
        struct batched_gemm_data at = {d->scores + i * c.scores_call,
                                       d->qkv + i * c.qkv_call + 2 * width, d->y + i * c.y_call};
        if (batched_gemm_cuda(&g, &at, device, e))
            return -1;
    }
    return 0;
}

static int padded(const struct attention_shape *s, const struct attention_data *d,
                  struct device *device, struct err *e)
{
    int32_t t = s->sequence;
    struct softmax_shape soft = {s->batch * s->heads * t, t, t, 1.0 / sqrt((double)s->size),
                                 s->precision};
    struct softmax_cuda_data rows = {d->scores, d->lengths, s->heads * t};
    return scores(s, d, device, e) || softmax_cuda(&soft, &rows, device, e) || mix(s, d, device, e)
               ? -1
               : 0;
}

/* Sequences from `first` on that have its length. */
static int32_t alike(const struct attention_shape *s, const int32_t *lengths, int32_t first)
{
    int32_t n = 1;
    while (first + n < s->batch && lengths[first + n] == lengths[first])
        n++;
    return n;
}

/* Of one length, they lie as a batch without padding does. */
static int packed(const struct attention_shape *s, const struct attention_data *d,
                  struct device *device, struct err *e)
{
    size_t width = (size_t)s->heads * (size_t)s->size;
    for (int32_t b = 0, n; b < s->batch; b += n) {
        size_t row = (size_t)d->starts[b];
        struct attention_shape group = *s;
        struct attention_data at = {d->qkv + row * 3 * width, NULL, d->y + row * width, d->scores,
                                    NULL};
        assert(d->lengths[b] >= 1 && d->lengths[b] <= s->sequence);
        n = alike(s, d->lengths, b);
        group.batch = n;
        group.sequence = d->lengths[b];
        if (padded(&group, &at, device, e))
            return -1;
    }
    return 0;
}

int attention_cuda(const struct attention_shape *s, const struct attention_data *d,
                   struct device *device, struct err *e)
{
    assert(s->precision == PRECISION_FP32 && d->qkv && d->y && d->scores);
    assert(!d->starts || d->lengths);
    return d->starts ? packed(s, d, device, e) : padded(s, d, device, e);
}
