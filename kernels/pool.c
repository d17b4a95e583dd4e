/* pool: pooling, cell by cell and row by row. */
#include "kernels/pool.h"

#include "kernels/parallel.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

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
            largest = largest >= cell || isnan(largest) ? largest : cell;
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

/* What is no number is larger than any: it is passed on. Both are calculated, so that a loop over
 * it becomes vector instructions. */
static inline float larger(float a, float b)
{
    return ((a >= b) | (a != a)) ? a : b;
}

/* A row of the image with its padding, the window's rows already taken together. */
#define POOL_LINE (2 * POOL_MAX_WINDOW)

static void take_in(enum pool_kind kind, const float *restrict x, float *restrict line, int32_t n)
{
    if (kind == POOL_MEAN)
        for (int32_t j = 0; j < n; j++)
            line[j] += x[j];
    else
        for (int32_t j = 0; j < n; j++)
            line[j] = larger(line[j], x[j]);
}

/* Padded columns from `start` on, n of them, of image rows rows[0]..rows[1]-1 into the line. */
static void gather(const struct pool_shape *s, const float *x, const int32_t rows[2], int32_t start,
                   float *line, int32_t n)
{
    int32_t first = start < s->pad_w ? s->pad_w - start : 0;
    int32_t last = s->win + s->pad_w - start < n ? s->win + s->pad_w - start : n;
    float nothing = s->kind == POOL_MAX ? -FLT_MAX : 0;
    first = first > n ? n : first;
    last = last < first ? first : last;
    const float *from = x + (start + first - s->pad_w);
    for (int32_t j = 0; j < first; j++)
        line[j] = nothing;
    for (int32_t j = last; j < n; j++)
        line[j] = nothing;
    if (first < last)
        memcpy(line + first, from + (size_t)rows[0] * s->win, (size_t)(last - first) * sizeof *x);
    for (int32_t u = rows[0] + 1; u < rows[1]; u++)
        take_in(s->kind, from + (size_t)u * s->win, line + first, last - first);
}

/* n output values from the line's windows. */
static void slide(const struct pool_shape *s, const float *restrict line, float *restrict y,
                  int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        y[j] = line[j * s->stride];
    for (int32_t v = 1; v < s->kw; v++)
        if (s->stride == 1)
            take_in(s->kind, line + v, y, n);
        else if (s->kind == POOL_MEAN)
            for (int32_t j = 0; j < n; j++)
                y[j] += line[j * s->stride + v];
        else
            for (int32_t j = 0; j < n; j++)
                y[j] = larger(y[j], line[j * s->stride + v]);
}

/* Cells of output column j's window that lie inside the image. */
static int32_t cells_across(const struct pool_shape *s, int32_t j)
{
    int32_t left = j * s->stride - s->pad_w, right = left + s->kw;
    return (right > s->win ? s->win : right) - (left < 0 ? 0 : left);
}

/* Sums of whole rows become means. */
static void divide(const struct pool_shape *s, int32_t rows, float *y)
{
    int32_t wout = pool_wout(s);
    if (s->count_padding)
        for (int32_t j = 0; j < wout; j++)
            y[j] /= (float)(s->kh * s->kw);
    else
        for (int32_t j = 0; j < wout; j++)
            y[j] /= (float)(rows * cells_across(s, j));
}

static void one_row(const struct pool_shape *s, const float *x, int32_t i, float *y)
{
    float line[POOL_LINE];
    int32_t wout = pool_wout(s), top = i * s->stride - s->pad_h, bottom = top + s->kh;
    int32_t rows[2] = {top < 0 ? 0 : top, bottom > s->hin ? s->hin : bottom};
    int32_t fit = (POOL_LINE - s->kw) / s->stride + 1;
    for (int32_t j = 0; j < wout; j += fit) {
        int32_t n = wout - j < fit ? wout - j : fit;
        gather(s, x, rows, j * s->stride, line, (n - 1) * s->stride + s->kw);
        slide(s, line, y + j, n);
    }
    if (s->kind == POOL_MEAN)
        divide(s, rows[1] - rows[0], y);
}

struct job {
    const struct pool_shape *s;
    const float *x;
    float *y;
};

/* One channel of one image. */
static void one_plane(void *self, size_t piece, int32_t thread)
{
    const struct job *d = self;
    const struct pool_shape *s = d->s;
    size_t channels = (size_t)s->channels, to = piece / channels * (size_t)s->y_channels;
    int32_t hout = pool_hout(s), wout = pool_wout(s);
    const float *x = d->x + piece * (size_t)s->hin * (size_t)s->win;
    float *y = d->y + (to + piece % channels) * (size_t)hout * (size_t)wout;
    (void)thread;
    for (int32_t i = 0; i < hout; i++)
        one_row(s, x, i, y + (size_t)i * wout);
}

void pool_float(const struct pool_shape *s, const float *x, float *y, struct parallel *threads)
{
    struct job d = {s, x, y};
    check(s);
    assert(x && y && s->kw <= POOL_MAX_WINDOW && s->stride <= POOL_MAX_WINDOW);
    parallel_run(threads, (size_t)s->batch * (size_t)s->channels, one_plane, &d);
}
