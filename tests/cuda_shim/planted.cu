/* planted: the kernels, right and wrong. */
#include "kernels/device.cuh"

extern "C" {
#include "tests/cuda_shim/planted.h"
}

#define BLOCK 64

__global__ void planted_right(float *x)
{
    float *tile = DEVICE_SHARED(float), *at = x + blockIdx.x * BLOCK;
    tile[threadIdx.x] = at[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

__global__ void planted_no_barrier(float *x)
{
    float *tile = DEVICE_SHARED(float), *at = x + blockIdx.x * BLOCK;
    tile[threadIdx.x] = at[threadIdx.x];
    at[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

__global__ void planted_race(float *x)
{
    float *tile = DEVICE_SHARED(float), *at = x + blockIdx.x * BLOCK;
    tile[threadIdx.x / 2] = at[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = tile[(BLOCK - 1 - threadIdx.x) / 2];
}

__global__ void planted_uninitialized(float *x)
{
    float *tile = DEVICE_SHARED(float), *at = x + blockIdx.x * BLOCK;
    tile[threadIdx.x] += at[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

/* Right on the GPUs of old, whose warps ran in step. */
__global__ void planted_warp_synchronous(float *x)
{
    float *tile = DEVICE_SHARED(float), *at = x + blockIdx.x * BLOCK;
    unsigned first = threadIdx.x / 32 * 32;
    tile[threadIdx.x] = at[threadIdx.x];
    float turned = tile[first + 31 - threadIdx.x % 32];
    __syncthreads();
    tile[threadIdx.x] = turned;
    __syncthreads();
    at[threadIdx.x] = tile[(threadIdx.x + 32) % BLOCK];
}

__global__ void planted_late_block(float *x)
{
    float *tile = DEVICE_SHARED(float), *at = x + blockIdx.x * BLOCK;
    if (blockIdx.x > 0 && threadIdx.x == 0)
        at[0] += x[0] - x[0] + (x[1] == 63.0F ? 0.0F : 1.0F); /* has the block before us run? */
    __syncthreads();
    tile[threadIdx.x] = at[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

__global__ void planted_shared(float *x, int moved)
{
    float *tile = DEVICE_SHARED(float) + moved, *at = x + blockIdx.x * BLOCK;
    tile[threadIdx.x] = at[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

__global__ void planted_global(float *x, int stride)
{
    x[(blockIdx.x * BLOCK + threadIdx.x) * stride + 1] = 1.0F;
}

__global__ void planted_divergent(float *x)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    x[threadIdx.x] = 0.0F;
}

__global__ void planted_early_return(float *x)
{
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    x[threadIdx.x] = 0.0F;
}

__global__ void planted_split_warp(float *x)
{
    float value = x[threadIdx.x];
    if (threadIdx.x < 48)
        value = DEVICE_SHUFFLE_XOR(value, 1);
    __syncthreads();
    x[threadIdx.x] = value;
}

__global__ void planted_wrong_mask(float *x)
{
    float value = x[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        value = __shfl_xor_sync(0xffffU, value, 16);
    x[threadIdx.x] = value;
}

static __device__ float deep(float *x, int n)
{
    volatile float room[1024];
    room[n % 1024] = x[0];
    return n > 0 ? deep(x, n - 1) + room[n % 1024] : room[0];
}

__global__ void planted_recursion(float *x)
{
    x[threadIdx.x] = deep(x, 100);
}

int planted_run(enum planted what, float *values, struct device *d, struct err *e)
{
    struct device_grid g = {dim3(PLANTED_VALUES / BLOCK), dim3(BLOCK), BLOCK * sizeof(float)};
    switch (what) {
    case PLANTED_RIGHT:
        return DEVICE_RUN(planted_right, g, d, e, values);
    case PLANTED_NO_BARRIER:
        return DEVICE_RUN(planted_no_barrier, g, d, e, values);
    case PLANTED_RACE:
        return DEVICE_RUN(planted_race, g, d, e, values);
    case PLANTED_UNINITIALIZED:
        return DEVICE_RUN(planted_uninitialized, g, d, e, values);
    case PLANTED_WARP_SYNCHRONOUS:
        return DEVICE_RUN(planted_warp_synchronous, g, d, e, values);
    case PLANTED_LATE_BLOCK:
        return DEVICE_RUN(planted_late_block, g, d, e, values);
    case PLANTED_SHARED_OVERRUN:
        return DEVICE_RUN(planted_shared, g, d, e, values, 1);
    case PLANTED_SHARED_CANARY:
        g.shared_bytes -= 4;
        return DEVICE_RUN(planted_shared, g, d, e, values, 0);
    case PLANTED_SHARED_UNDERRUN:
        return DEVICE_RUN(planted_shared, g, d, e, values, -1);
    case PLANTED_GLOBAL_OVERRUN:
        return DEVICE_RUN(planted_global, g, d, e, values, 1);
    case PLANTED_WRONG_STRIDE:
        return DEVICE_RUN(planted_global, g, d, e, values, 64);
    case PLANTED_DIVERGENT:
        return DEVICE_RUN(planted_divergent, g, d, e, values);
    case PLANTED_EARLY_RETURN:
        return DEVICE_RUN(planted_early_return, g, d, e, values);
    case PLANTED_SPLIT_WARP:
        return DEVICE_RUN(planted_split_warp, g, d, e, values);
    case PLANTED_WRONG_MASK:
        return DEVICE_RUN(planted_wrong_mask, g, d, e, values);
    case PLANTED_RECURSION:
        return DEVICE_RUN(planted_recursion, g, d, e, values);
    case PLANTED_LARGE_BLOCK:
        g.threads = dim3(2048);
        return DEVICE_RUN(planted_right, g, d, e, values);
    case PLANTED_KINDS:
        break;
    }
    return -1;
}

__global__ void planted_lanes(float *x)
{
    const unsigned all = 0xffffffffU;
    unsigned lane = threadIdx.x;
    float value = (float)lane;
    x[lane] = __shfl_xor_sync(all, value, 5);
    x[32 + lane] = __shfl_up_sync(all, value, 3);
    x[64 + lane] = __shfl_down_sync(all, value, 4);
    x[96 + lane] = __shfl_sync(all, value, 7);
    x[128 + lane] = (float)(__ballot_sync(all, lane % 2) & 255U);
    x[160 + lane] = (float)__any_sync(all, lane > 30);
    __syncwarp(all);
    x[192 + lane] = (float)__all_sync(all, lane < 32);
}

int planted_warp(float *values, struct device *d, struct err *e)
{
    struct device_grid g = {dim3(1), dim3(32), 0};
    return DEVICE_RUN(planted_lanes, g, d, e, values);
}
