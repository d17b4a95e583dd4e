/* pool: pooling on a GPU, a thread an output cell. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/pool.h"
}

#include <float.h>

__global__ void pool_windows(struct pool_shape s, int32_t wout, int32_t cells, const float *x,
                             float *y)
{
    int32_t cell = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (cell >= cells)
        return;
    int32_t top = cell / wout * s.stride - s.pad_h, left = cell % wout * s.stride - s.pad_w;
    int32_t bottom = top + s.kh, right = left + s.kw;
    size_t from = (size_t)blockIdx.z * (size_t)s.channels + blockIdx.y;
    size_t to = (size_t)blockIdx.z * (size_t)s.y_channels + blockIdx.y;
    const float *image = x + from * (size_t)s.hin * (size_t)s.win;
    top = top < 0 ? 0 : top;
    left = left < 0 ? 0 : left;
    bottom = bottom > s.hin ? s.hin : bottom;
    right = right > s.win ? s.win : right;
    float sum = 0.0F, largest = -FLT_MAX;
    for (int32_t i = top; i < bottom; i++)
        for (int32_t j = left; j < right; j++) {
            float value = image[(size_t)i * (size_t)s.win + (size_t)j];
            sum += value;
            /* fmaxf would lose what is no number */
            largest = largest >= value || isnan(largest) ? largest : value;
        }
    int32_t counted = s.count_padding ? s.kh * s.kw : (bottom - top) * (right - left);
    y[to * (size_t)cells + cell] = s.kind == POOL_MAX ? largest : sum / (float)counted;
}

int pool_cuda(const struct pool_shape *s, const struct pool_cuda_data *d, struct device *device,
              struct err *e)
{
    int32_t wout = pool_wout(s), cells = pool_hout(s) * wout;
    unsigned threads = device_threads((size_t)cells);
    struct device_grid g = {
        dim3(device_blocks((size_t)cells, threads), (unsigned)s->channels, (unsigned)s->batch),
        dim3(threads), 0};
    assert(s->precision == PRECISION_FP32 && s->y_channels >= s->channels && d->x && d->y);
    assert(s->channels <= 65535 && s->batch <= 65535);
    return DEVICE_RUN(pool_windows, g, device, e, *s, wout, cells, d->x, d->y);
}
