/* layer_norm: layer norm with its residual on a GPU, a block a row. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/layer_norm.h"
}

#define LAYER_NORM_WARPS 8

/* Sum over the block; every thread gets it. parts: one value a warp, free again afterwards. */
static __device__ float block_sum(float value, float *parts)
{
    unsigned warp = threadIdx.x / DEVICE_WARP, lane = threadIdx.x % DEVICE_WARP;
    value = device_warp_sum(value);
    if (lane == 0)
        parts[warp] = value;
    __syncthreads();
    value = device_warp_sum(lane < blockDim.x / DEVICE_WARP ? parts[lane] : 0.0F);
    __syncthreads();
    return value;
}

__global__ void layer_norm_rows(struct layer_norm_data d, int32_t columns, float eps)
{
    float *parts = DEVICE_SHARED(float), *row = parts + LAYER_NORM_WARPS;
    size_t start = (size_t)blockIdx.x * (size_t)columns;
    float sum = 0.0F;
    for (int32_t j = (int32_t)threadIdx.x; j < columns; j += (int32_t)blockDim.x) {
        row[j] = d.residual ? d.x[start + j] + d.residual[start + j] : d.x[start + j];
        sum += row[j];
    }
    float mean = block_sum(sum, parts) / (float)columns;
    sum = 0.0F;
    for (int32_t j = (int32_t)threadIdx.x; j < columns; j += (int32_t)blockDim.x)
        sum += (row[j] - mean) * (row[j] - mean);
    float scale = 1.0F / sqrtf(block_sum(sum, parts) / (float)columns + eps);
    for (int32_t j = (int32_t)threadIdx.x; j < columns; j += (int32_t)blockDim.x)
        d.y[start + j] = (row[j] - mean) * scale * d.gain[j] + d.bias[j];
}

int layer_norm_cuda(const struct layer_norm_shape *s, const struct layer_norm_data *d,
                    struct device *device, struct err *e)
{
    struct device_grid g = {dim3((unsigned)s->rows), dim3(device_threads((size_t)s->columns)),
                            ((size_t)s->columns + LAYER_NORM_WARPS) * sizeof(float)};
    assert(s->precision == PRECISION_FP32 && s->rows >= 1 && s->columns >= 1 && s->eps > 0);
    assert(d->x && d->gain && d->bias && d->y && s->columns <= 12000);
    return DEVICE_RUN(layer_norm_rows, g, device, e, *d, s->columns, (float)s->eps);
}
