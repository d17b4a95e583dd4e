/* softmax: rows of scores to rows of shares on a GPU, a warp a row. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/softmax.h"
}

#include <float.h>

#define SOFTMAX_WARPS 4 /* rows of one block */

__global__ void softmax_rows(struct softmax_shape s, float scale, const int32_t *lengths,
                             int32_t share, float *scores)
{
    int32_t row = (int32_t)(blockIdx.x * SOFTMAX_WARPS + threadIdx.y), lane = (int32_t)threadIdx.x;
    if (row >= s.rows) /* the whole warp leaves */
        return;
    int32_t length = lengths ? lengths[row / share] : s.length;
    float *x = scores + (size_t)row * (size_t)s.columns;
    float largest = -FLT_MAX, sum = 0.0F;
    for (int32_t j = lane; j < length; j += DEVICE_WARP)
        largest = fmaxf(largest, scale * x[j]);
    largest = device_warp_max(largest);
    for (int32_t j = lane; j < length; j += DEVICE_WARP) {
        x[j] = expf(scale * x[j] - largest);
        sum += x[j];
    }
    float part = 1.0F / device_warp_sum(sum);
    for (int32_t j = lane; j < s.columns; j += DEVICE_WARP)
        x[j] = j < length ? x[j] * part : 0.0F;
}

int softmax_cuda(const struct softmax_shape *s, const struct softmax_cuda_data *d,
                 struct device *device, struct err *e)
{
    struct device_grid g = {dim3(device_blocks((size_t)s->rows, SOFTMAX_WARPS)),
                            dim3(DEVICE_WARP, SOFTMAX_WARPS), 0};
    assert(s->precision == PRECISION_FP32 && s->rows >= 1 && s->columns >= 1 && d->x);
    assert(d->lengths ? d->share >= 1 : s->length >= 1 && s->length <= s->columns);
    return DEVICE_RUN(softmax_rows, g, device, e, *s, (float)s->scale, d->lengths, d->share, d->x);
}
