/* attention: multi-head attention. */
#include "kernels/attention.h"

#include "kernels/batched_gemm.h"
#include "kernels/parallel.h"
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
    return (size_t)s->sequence * (size_t)s->sequence;
}

double attention_flop(const struct attention_shape *s)
{
    return 4.0 * s->batch * s->heads * s->size * s->sequence * s->sequence;
}

/* Where a sequence lies. */
struct place {
    size_t row;     /* of its first token */
    int32_t rows;   /* that are there: the padding too, unless it was dropped */
    int32_t length; /* true tokens */
};

static struct place place_of(const struct attention_shape *s, const int32_t *lengths,
                             const int32_t *starts, size_t b)
{
    int32_t length = lengths ? lengths[b] : s->sequence;
    assert(length >= 1 && length <= s->sequence && (!starts || starts[b] >= 0));
    return (struct place){starts ? (size_t)starts[b] : b * (size_t)s->sequence,
                          starts ? length : s->sequence, length};
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
    size_t size = (size_t)s->size, width = (size_t)s->heads * size;
    check(s);
    for (size_t b = 0; b < (size_t)s->batch; b++) {
        struct place p = place_of(s, d->lengths, d->starts, b);
        for (size_t h = 0; h < (size_t)s->heads; h++)
            for (size_t t = 0; t < (size_t)p.rows; t++)
                one_token(s, d, d->qkv + p.row * 3 * width + h * size, t, p.length,
                          d->y + (p.row + t) * width + h * size);
    }
}

struct job {
    const struct attention_shape *s;
    const struct attention_data *d;
};

/* One head of one sequence. Keys of the padding take no part, so nothing need be masked. */
static void one_head(void *self, size_t piece, int32_t thread)
{
    const struct job *j = self;
    const struct attention_shape *s = j->s;
    size_t size = (size_t)s->size, width = (size_t)s->heads * size;
    struct place p = place_of(s, j->d->lengths, j->d->starts, piece / (size_t)s->heads);
    size_t head = piece % (size_t)s->heads * size;
    const float *qkv = j->d->qkv + p.row * 3 * width + head;
    float *scores = j->d->scores + (size_t)thread * attention_scratch(s);
    int32_t row = 3 * (int32_t)width, n = p.length;
    struct batched_gemm_shape score = {1,   p.rows, n, s->size, true, row,
                                       row, n,      0, 0,       0,    s->precision};
    struct batched_gemm_shape mix = {1,   p.rows,         s->size, n, false, n,
                                     row, (int32_t)width, 0,       0, 0,     s->precision};
    struct softmax_shape soft = {p.rows, n, n, 1.0 / sqrt((double)size), s->precision};
    batched_gemm_blas(&score, &(struct batched_gemm_data){qkv, qkv + width, scores});
    softmax_float(&soft, scores);
    batched_gemm_blas(
        &mix, &(struct batched_gemm_data){scores, qkv + 2 * width, j->d->y + p.row * width + head});
}

void attention_blas(const struct attention_shape *s, const struct attention_data *d,
                    struct parallel *threads)
{
    struct job j = {s, d};
    check(s);
    assert(d->qkv && d->y && d->scores);
    parallel_run(threads, (size_t)s->batch * (size_t)s->heads, one_head, &j);
}
