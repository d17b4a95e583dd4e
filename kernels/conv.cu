/* conv: convolution on a GPU, as products of patches. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/batched_gemm.h"
#include "kernels/conv.h"
}

/* 256 MiB of patches at a time, but one image's at least: more images a product fill a large GPU,
 * and a P4 has 7 GiB for everything. */
#define CONV_PATCH_VALUES ((size_t)64 << 20)

static bool is_direct(const struct conv_shape *s)
{
    return s->kh == 1 && s->kw == 1 && s->stride == 1;
}

static int32_t plane(const struct conv_shape *s)
{
    return conv_hout(s) * conv_wout(s);
}

static int32_t patch(const struct conv_shape *s)
{
    return s->cin * s->kh * s->kw;
}

/* Images whose patches are made and multiplied together. */
static int32_t images_together(const struct conv_shape *s)
{
    size_t fit = CONV_PATCH_VALUES / ((size_t)patch(s) * (size_t)plane(s));
    return is_direct(s) || fit > (size_t)s->batch ? s->batch : fit < 1 ? 1 : (int32_t)fit;
}

size_t conv_cuda_scratch(const struct conv_shape *s)
{
    size_t one = (size_t)patch(s) * (size_t)plane(s);
    return is_direct(s) ? 0 : one * (size_t)images_together(s);
}

/* A thread a channel and output pixel: neighbouring threads read and write neighbouring values. */
__global__ void conv_patches(struct conv_shape s, int32_t wout, int32_t pixels, const float *x,
                             float *panel)
{
    int32_t pixel = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (pixel >= pixels)
        return;
    int32_t top = pixel / wout * s.stride - s.pad_h, left = pixel % wout * s.stride - s.pad_w;
    size_t channel = (size_t)blockIdx.z * (size_t)s.cin + blockIdx.y;
    const float *from = x + channel * (size_t)s.hin * (size_t)s.win;
    float *to = panel + channel * (size_t)(s.kh * s.kw) * (size_t)pixels + pixel;
    for (int32_t i = top; i < top + s.kh; i++)
        for (int32_t j = left; j < left + s.kw; j++, to += pixels) {
            bool inside = i >= 0 && i < s.hin && j >= 0 && j < s.win;
            *to = inside ? from[(size_t)i * (size_t)s.win + (size_t)j] : 0.0F;
        }
}

/* Bias and ReLU where the product has left its sums: in a slice of y's channels. */
__global__ void conv_epilogue(struct conv_shape s, int32_t pixels, const float *bias, float *y)
{
    int32_t pixel = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (pixel >= pixels)
        return;
    size_t channel = (size_t)blockIdx.z * (size_t)s.y_channels + blockIdx.y;
    float *at = y + channel * (size_t)pixels + pixel;
    float value = *at + bias[blockIdx.y];
    *at = s.relu && value < 0.0F ? 0.0F : value; /* fmaxf would lose what is no number */
}

static struct device_grid grid_of(int32_t pixels, int32_t channels, int32_t images)
{
    unsigned threads = device_threads((size_t)pixels);
    struct device_grid g = {
        dim3(device_blocks((size_t)pixels, threads), (unsigned)channels, (unsigned)images),
        dim3(threads), 0};
    assert(channels <= 65535 && images <= 65535);
    return g;
}

/* `images` images from x on. */
static int some_images(const struct conv_shape *s, const struct conv_data *d, struct device *device,
                       struct err *e)
{
    int32_t pixels = plane(s), k = patch(s);
    struct batched_gemm_shape g = {};
    struct batched_gemm_data product = {d->weight, is_direct(s) ? d->x : d->scratch, d->y};
    g.count = s->batch;
    g.m = s->cout;
    g.n = g.ldb = g.ldc = pixels;
    g.k = g.lda = k;
    g.b_step = (size_t)k * (size_t)pixels;
    g.c_step = (size_t)s->y_channels * (size_t)pixels;
    g.precision = s->precision;
    if (!is_direct(s) && DEVICE_RUN(conv_patches, grid_of(pixels, s->cin, s->batch), device, e, *s,
                                    conv_wout(s), pixels, d->x, d->scratch))
        return -1;
    if (batched_gemm_cuda(&g, &product, device, e))
        return -1;
    return DEVICE_RUN(conv_epilogue, grid_of(pixels, s->cout, s->batch), device, e, *s, pixels,
                      d->bias, d->y);
}

int conv_cuda(const struct conv_shape *s, const struct conv_data *d, struct device *device,
              struct err *e)
{
    struct conv_shape part = *s;
    struct conv_data at = *d;
    assert(s->precision == PRECISION_FP32 && s->y_channels >= s->cout);
    assert(d->x && d->weight && d->bias && d->y && (d->scratch || is_direct(s)));
    for (int32_t n = 0; n < s->batch; n += part.batch) {
        int32_t together = images_together(s);
        part.batch = s->batch - n < together ? s->batch - n : together;
        at.x = d->x + (size_t)n * (size_t)s->cin * (size_t)s->hin * (size_t)s->win;
        at.y = d->y + (size_t)n * (size_t)s->y_channels * (size_t)plane(s);
        if (some_images(&part, &at, device, e))
            return -1;
    }
    return 0;
}
