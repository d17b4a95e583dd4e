/* transpose: transposition on a GPU, in tiles that go through shared memory. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/transpose.h"
}

#define TRANSPOSE_TILE 32
#define TRANSPOSE_LINES 8 /* lines of a tile at a time */
/* One value more a line, or all threads of a warp would meet in one bank of shared memory. */
#define TRANSPOSE_LINE (TRANSPOSE_TILE + 1)

__global__ void transpose_tiles(struct transpose_shape s, const float *x, float *y)
{
    float *tile = DEVICE_SHARED(float);
    size_t matrix = (size_t)blockIdx.z * (size_t)s.rows * (size_t)s.columns;
    int32_t row = (int32_t)blockIdx.y * TRANSPOSE_TILE,
            column = (int32_t)blockIdx.x * TRANSPOSE_TILE;
    int32_t i = (int32_t)threadIdx.x;
    for (int32_t j = (int32_t)threadIdx.y; j < TRANSPOSE_TILE; j += TRANSPOSE_LINES)
        if (row + j < s.rows && column + i < s.columns)
            tile[j * TRANSPOSE_LINE + i] =
                x[matrix + (size_t)(row + j) * (size_t)s.columns + (size_t)(column + i)];
    __syncthreads();
    for (int32_t j = (int32_t)threadIdx.y; j < TRANSPOSE_TILE; j += TRANSPOSE_LINES)
        if (column + j < s.columns && row + i < s.rows)
            y[matrix + (size_t)(column + j) * (size_t)s.rows + (size_t)(row + i)] =
                tile[i * TRANSPOSE_LINE + j];
}

int transpose_cuda(const struct transpose_shape *s, const struct transpose_cuda_data *d,
                   struct device *device, struct err *e)
{
    struct device_grid g = {
        dim3(device_blocks((size_t)s->columns, TRANSPOSE_TILE),
             device_blocks((size_t)s->rows, TRANSPOSE_TILE), (unsigned)s->count),
        dim3(TRANSPOSE_TILE, TRANSPOSE_LINES), TRANSPOSE_TILE * TRANSPOSE_LINE * sizeof(float)};
    assert(s->precision == PRECISION_FP32 && d->x && d->y && d->x != d->y);
    assert(g.blocks.y <= 65535 && s->count <= 65535);
    return DEVICE_RUN(transpose_tiles, g, device, e, *s, d->x, d->y);
}
