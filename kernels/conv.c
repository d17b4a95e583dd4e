/* conv: convolution as the plain sum, and as products of patches. */
#include "kernels/conv.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

/* Two MiB of patches stay in the second-level cache until the product has read them. */
#define CONV_PANEL_VALUES ((size_t)1 << 19)

static void check(const struct conv_shape *s)
{
    assert(s->batch >= 1 && s->cin >= 1 && s->cout >= 1 && s->stride >= 1);
    assert(s->kh >= 1 && s->kw >= 1 && s->pad_h >= 0 && s->pad_w >= 0);
    assert(s->pad_h < s->kh && s->pad_w < s->kw);
    assert(s->hin + 2 * s->pad_h >= s->kh && s->win + 2 * s->pad_w >= s->kw);
    assert(s->y_channels >= s->cout && s->precision == PRECISION_FP32);
}

int32_t conv_hout(const struct conv_shape *s)
{
    return (s->hin + 2 * s->pad_h - s->kh) / s->stride + 1;
}

int32_t conv_wout(const struct conv_shape *s)
{
    return (s->win + 2 * s->pad_w - s->kw) / s->stride + 1;
}

static size_t patch(const struct conv_shape *s)
{
    return (size_t)s->cin * (size_t)s->kh * (size_t)s->kw;
}

static bool is_direct(const struct conv_shape *s)
{
    return s->kh == 1 && s->kw == 1 && s->stride == 1;
}

/* Output rows of one panel. */
static int32_t panel_rows(const struct conv_shape *s)
{
    size_t rows = CONV_PANEL_VALUES / (patch(s) * (size_t)conv_wout(s));
    return rows < 1 ? 1 : rows > (size_t)conv_hout(s) ? conv_hout(s) : (int32_t)rows;
}

size_t conv_scratch(const struct conv_shape *s)
{
    check(s);
    return is_direct(s) ? 0 : patch(s) * (size_t)panel_rows(s) * (size_t)conv_wout(s);
}

double conv_flop(const struct conv_shape *s)
{
    return 2.0 * s->batch * s->cout * conv_hout(s) * conv_wout(s) * (double)patch(s);
}

/* One output value before the epilogue; x is the image, w the channel's filter. */
static double value(const struct conv_shape *s, const double *x, const double *w,
                    const int32_t at[2])
{
    double sum = 0;
    for (int32_t c = 0; c < s->cin; c++)
        for (int32_t u = 0; u < s->kh; u++)
            for (int32_t v = 0; v < s->kw; v++) {
                int32_t i = at[0] * s->stride + u - s->pad_h, j = at[1] * s->stride + v - s->pad_w;
                if (i >= 0 && i < s->hin && j >= 0 && j < s->win)
                    sum +=
                        w[(c * s->kh + u) * s->kw + v] * x[((size_t)c * s->hin + i) * s->win + j];
            }
    return sum;
}

void conv_reference(const struct conv_shape *s, const struct conv_reference_data *d)
{
    int32_t hout = conv_hout(s), wout = conv_wout(s);
    check(s);
    for (int32_t n = 0; n < s->batch; n++)
        for (int32_t o = 0; o < s->cout; o++)
            for (int32_t i = 0; i < hout; i++)
                for (int32_t j = 0; j < wout; j++) {
                    double y = d->bias[o] + value(s, d->x + (size_t)n * s->cin * s->hin * s->win,
                                                  d->weight + (size_t)o * patch(s),
                                                  (const int32_t[2]){i, j});
                    size_t plane = (size_t)n * s->y_channels + o;
                    d->y[(plane * hout + i) * wout + j] = s->relu && y < 0 ? 0 : y;
                }
}

/* Where the output columns of kernel column v read inside the image: first <= j < last. */
static void inside(const struct conv_shape *s, int32_t v, int32_t *first, int32_t *last)
{
    int32_t wout = conv_wout(s), start = s->pad_w - v, end = s->win + s->pad_w - v;
    *first = start <= 0 ? 0 : (start + s->stride - 1) / s->stride;
    *last = end <= 0 ? 0 : (end + s->stride - 1) / s->stride;
    *first = *first > wout ? wout : *first;
    *last = *last > wout ? wout : *last < *first ? *first : *last;
}

/* One output row's values for one channel and kernel place. */
static void patch_row(const struct conv_shape *s, const float *x, int32_t v, float *to)
{
    int32_t first, last, wout = conv_wout(s);
    inside(s, v, &first, &last);
    for (int32_t j = 0; j < first; j++)
        to[j] = 0;
    const float *from = x + (first * s->stride + v - s->pad_w);
    if (s->stride == 1)
        memcpy(to + first, from, (size_t)(last - first) * sizeof *to);
    else
        for (int32_t j = first; j < last; j++, from += s->stride)
            to[j] = *from;
    for (int32_t j = last; j < wout; j++)
        to[j] = 0;
}

/* Output rows from first on, as columns of a patch x (rows * wout) matrix. */
static void im2col(const struct conv_shape *s, const float *x, const int32_t rows[2], float *panel)
{
    size_t wout = (size_t)conv_wout(s);
    for (int32_t c = 0; c < s->cin; c++)
        for (int32_t u = 0; u < s->kh; u++)
            for (int32_t v = 0; v < s->kw; v++)
                for (int32_t r = rows[0]; r < rows[1]; r++, panel += wout) {
                    int32_t i = r * s->stride + u - s->pad_h;
                    if (i < 0 || i >= s->hin)
                        memset(panel, 0, wout * sizeof *panel);
                    else
                        patch_row(s, x + ((size_t)c * s->hin + i) * s->win, v, panel);
                }
}

/* Bias and ReLU over `columns` values of each channel, while they are in the cache. */
static void epilogue(const struct conv_shape *s, const float *bias, float *y, size_t columns)
{
    size_t plane = (size_t)conv_hout(s) * (size_t)conv_wout(s);
    for (int32_t o = 0; o < s->cout; o++, y += plane) {
        float b = bias[o];
        if (s->relu)
            for (size_t i = 0; i < columns; i++)
                y[i] = y[i] + b > 0 ? y[i] + b : 0;
        else
            for (size_t i = 0; i < columns; i++)
                y[i] += b;
    }
}

/* Weights times a patch x columns matrix into the columns of y. */
static void multiply(const struct conv_shape *s, const struct conv_data *d, const float *panel,
                     float *y, size_t columns)
{
    int32_t plane = conv_hout(s) * conv_wout(s), k = (int32_t)patch(s), n = (int32_t)columns;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s->cout, n, k, 1.0F, d->weight, k, panel,
                n, 0.0F, y, plane);
    epilogue(s, d->bias, y, columns);
}

static void one_image(const struct conv_shape *s, const struct conv_data *d, const float *x,
                      float *y)
{
    int32_t hout = conv_hout(s), wout = conv_wout(s), step = panel_rows(s);
    if (is_direct(s)) {
        multiply(s, d, x, y, (size_t)hout * (size_t)wout);
        return;
    }
    for (int32_t r = 0; r < hout; r += step) {
        int32_t end = r + step > hout ? hout : r + step;
        im2col(s, x, (const int32_t[2]){r, end}, d->scratch);
        multiply(s, d, d->scratch, y + (size_t)r * wout, (size_t)(end - r) * (size_t)wout);
    }
}

void conv_blas(const struct conv_shape *s, const struct conv_data *d)
{
    size_t plane = (size_t)conv_hout(s) * (size_t)conv_wout(s);
    check(s);
    assert(d->x && d->weight && d->bias && d->y && (d->scratch || is_direct(s)));
    for (int32_t n = 0; n < s->batch; n++)
        one_image(s, d, d->x + (size_t)n * s->cin * s->hin * s->win,
                  d->y + (size_t)n * s->y_channels * plane);
}

void conv_fold(const struct conv_norm *n, int32_t cout, size_t row, double *weight, double *bias)
{
    for (int32_t o = 0; o < cout; o++) {
        double gamma = n->gamma ? (double)n->gamma[o] : 1.0;
        double scale = gamma / sqrt((double)n->variance[o] + n->eps);
        for (size_t i = 0; i < row; i++)
            weight[(size_t)o * row + i] *= scale;
        bias[o] = (double)n->beta[o] - (double)n->mean[o] * scale;
    }
}
