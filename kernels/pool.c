/* pool: pooling, cell by cell and row by row. */
#include "kernels/pool.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

static void check(const struct pool_shape *s)
{
    assert(s->batch >= 1 && s->channels >= 1 && s->kh >= 1 && s->kw >= 1 && s->stride >= 1);
    assert(s->pad_h >= 0 && s->pad_w >= 0 && s->pad_h < s->kh && s->pad_w < s->kw);
    assert(s->hin + 2 * s->pad_h >= s->kh && s->win + 2 * s->pad_w >= s->kw);
    assert(s->y_channels >= s->channels && s->precision == PRECISION_FP32);
}

int32_t pool_hout(const struct pool_shape *s)
{
    return (s->hin + 2 * s->pad_h - s->kh) / s->stride + 1;
}

int32_t pool_wout(const struct pool_shape *s)
{
    return (s->win + 2 * s->pad_w - s->kw) / s->stride + 1;
}

/* The window of output cell (i, j) over one channel. */
static double window(const struct pool_shape *s, const double *x, int32_t i, int32_t j)
{
    double sum = 0, largest = -INFINITY;
    int32_t cells = 0;
    for (int32_t u = 0; u < s->kh; u++)
        for (int32_t v = 0; v < s->kw; v++) {
            int32_t a = i * s->stride + u - s->pad_h, b = j * s->stride + v - s->pad_w;
            if (a < 0 || a >= s->hin || b < 0 || b >= s->win)
                continue;
            double cell = x[(size_t)a * s->win + b];
            sum += cell;
            largest = cell > largest ? cell : largest;
            cells++;
        }
    if (s->kind == POOL_MAX)
        return largest;
    return sum / (s->count_padding ? s->kh * s->kw : cells);
}

void pool_reference(const struct pool_shape *s, const double *x, double *y)
{
    int32_t hout = pool_hout(s), wout = pool_wout(s);
    check(s);
    for (int32_t n = 0; n < s->batch; n++)
        for (int32_t c = 0; c < s->channels; c++)
            for (int32_t i = 0; i < hout; i++)
                for (int32_t j = 0; j < wout; j++) {
                    size_t from = (size_t)n * s->channels + c, to = (size_t)n * s->y_channels + c;
                    y[(to * hout + i) * wout + j] = window(s, x + from * s->hin * s->win, i, j);
                }
}

/* The part [first, last) of an axis' window at `at` that lies inside the image. */
static void inside(int32_t at, int32_t window, int32_t size, int32_t *first, int32_t *last)
{
    *first = at < 0 ? -at : 0;
    *last = at + window > size ? size - at : window;
}

/* Adds, or takes the larger of, one window column's cells of one image row to an output row. */
static void add_column(const struct pool_shape *s, const float *x, int32_t v, float *y)
{
    int32_t wout = pool_wout(s), start = s->pad_w - v, end = s->win + s->pad_w - v;
    int32_t first = start <= 0 ? 0 : (start + s->stride - 1) / s->stride;
    int32_t last = end <= 0 ? 0 : (end + s->stride - 1) / s->stride;
    const float *from = x + (v - s->pad_w);
    last = last > wout ? wout : last;
    if (s->kind == POOL_MEAN && s->stride == 1)
        for (int32_t j = first; j < last; j++)
            y[j] += from[j];
    else if (s->kind == POOL_MEAN)
        for (int32_t j = first; j < last; j++)
            y[j] += from[j * s->stride];
    else
        for (int32_t j = first; j < last; j++) {
            float cell = from[j * s->stride];
            y[j] = cell > y[j] ? cell : y[j];
        }
}

static void one_row(const struct pool_shape *s, const float *x, int32_t i, float *y)
{
    int32_t wout = pool_wout(s), top = i * s->stride - s->pad_h, first, last;
    inside(top, s->kh, s->hin, &first, &last);
    for (int32_t j = 0; j < wout; j++)
        y[j] = s->kind == POOL_MAX ? -FLT_MAX : 0;
    for (int32_t u = first; u < last; u++)
        for (int32_t v = 0; v < s->kw; v++)
            add_column(s, x + (size_t)(top + u) * s->win, v, y);
    if (s->kind == POOL_MAX)
        return;
    for (int32_t j = 0; j < wout; j++) {
        int32_t left, right;
        inside(j * s->stride - s->pad_w, s->kw, s->win, &left, &right);
        y[j] /= (float)(s->count_padding ? s->kh * s->kw : (last - first) * (right - left));
    }
}

void pool_float(const struct pool_shape *s, const float *x, float *y)
{
    int32_t hout = pool_hout(s), wout = pool_wout(s);
    check(s);
    assert(x && y);
    for (int32_t n = 0; n < s->batch; n++)
        for (int32_t c = 0; c < s->channels; c++) {
            size_t from = (size_t)n * s->channels + c, to = (size_t)n * s->y_channels + c;
            for (int32_t i = 0; i < hout; i++)
                one_row(s, x + from * s->hin * s->win, i, y + (to * hout + i) * wout);
        }
}
