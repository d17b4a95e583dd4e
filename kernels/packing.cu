/* packing: first rows of packed sequences on a GPU, a block a sequence. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/packing.h"
}

__global__ void packing_first_rows(int32_t columns, struct packing_cuda_data d)
{
    const float *from = d.x + (size_t)d.starts[blockIdx.x] * (size_t)columns;
    float *to = d.y + (size_t)blockIdx.x * (size_t)columns;
    for (int32_t j = (int32_t)threadIdx.x; j < columns; j += (int32_t)blockDim.x)
        to[j] = from[j];
}

int packing_gather_cuda(int32_t batch, int32_t columns, const struct packing_cuda_data *d,
                        struct device *device, struct err *e)
{
    struct device_grid g = {dim3((unsigned)batch), dim3(device_threads((size_t)columns)), 0};
    assert(batch >= 1 && columns >= 1 && d->starts && d->x && d->y && d->x != d->y);
    return DEVICE_RUN(packing_first_rows, g, device, e, columns, *d);
}
