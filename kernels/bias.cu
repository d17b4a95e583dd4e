/* bias: bias and simple activations on a GPU. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/bias.h"
}

__global__ void bias_rows(struct bias_shape s, const float *bias, float *x)
{
    int32_t j = (int32_t)(blockIdx.y * blockDim.x + threadIdx.x);
    if (j >= s.columns)
        return;
    float *at = x + (size_t)blockIdx.x * (size_t)s.columns + j;
    float z = *at + bias[j];
    if (s.activation == BIAS_RELU)
        z = z < 0.0F ? 0.0F : z; /* fmaxf would lose what is no number */
    else if (s.activation == BIAS_TANH)
        z = tanhf(z);
    *at = z;
}

int bias_cuda(const struct bias_shape *s, const struct bias_cuda_data *d, struct device *device,
              struct err *e)
{
    unsigned threads = device_threads((size_t)s->columns);
    struct device_grid g = {dim3((unsigned)s->rows, device_blocks((size_t)s->columns, threads)),
                            dim3(threads), 0};
    assert(s->precision == PRECISION_FP32 && s->rows >= 1 && s->columns >= 1 && d->bias && d->x);
    return DEVICE_RUN(bias_rows, g, device, e, *s, d->bias, d->x);
}
