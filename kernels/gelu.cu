/* gelu: the exact GELU with its bias on a GPU. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/gelu.h"
}

#define GELU_SQRT_HALF 0.70710678118654752440F

/* A block a row and 256 columns: no division, and the bias is read side by side. */
__global__ void gelu_rows(int32_t columns, const float *bias, float *x)
{
    int32_t j = (int32_t)(blockIdx.y * blockDim.x + threadIdx.x);
    if (j >= columns)
        return;
    float *at = x + (size_t)blockIdx.x * (size_t)columns + j;
    float z = *at + bias[j];
    *at = 0.5F * z * (1.0F + erff(z * GELU_SQRT_HALF));
}

int gelu_cuda(const struct gelu_shape *s, const struct gelu_cuda_data *d, struct device *device,
              struct err *e)
{
    unsigned threads = device_threads((size_t)s->columns);
    struct device_grid g = {dim3((unsigned)s->rows, device_blocks((size_t)s->columns, threads)),
                            dim3(threads), 0};
    assert(s->precision == PRECISION_FP32 && s->rows >= 1 && s->columns >= 1 && d->bias && d->x);
    return DEVICE_RUN(gelu_rows, g, device, e, s->columns, d->bias, d->x);
}
