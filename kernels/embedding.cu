/* embedding: rows of tokens on a GPU, a block a token. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/embedding.h"
}

#include <math.h>

__global__ void embedding_rows(struct embedding_shape s, struct embedding_cuda_data d)
{
    size_t token = blockIdx.x, hidden = (size_t)s.hidden;
    int32_t word = d.tokens.words[token], kind = d.tokens.kinds ? d.tokens.kinds[token] : 0;
    bool known = word >= 0 && word < s.vocabulary && kind >= 0 && kind < s.segments;
    const float *words = d.tables.words + (known ? (size_t)word : 0) * hidden;
    const float *kinds = d.tables.kinds + (known ? (size_t)kind : 0) * hidden;
    size_t place = d.tokens.places ? (size_t)d.tokens.places[token] : token % (size_t)s.sequence;
    const float *positions = d.tables.positions + place * hidden;
    for (size_t j = threadIdx.x; j < hidden; j += blockDim.x)
        d.y[token * hidden + j] = known ? words[j] + positions[j] + kinds[j] : NAN;
}

int embedding_cuda(const struct embedding_shape *s, const struct embedding_cuda_data *d,
                   struct device *device, struct err *e)
{
    struct device_grid g = {dim3((unsigned)(s->batch * s->sequence)),
                            dim3(device_threads((size_t)s->hidden)), 0};
    assert(s->precision == PRECISION_FP32 && d->tokens.words && d->y);
    assert(d->tables.words && d->tables.positions && d->tables.kinds);
    return DEVICE_RUN(embedding_rows, g, device, e, *s, *d);
}
