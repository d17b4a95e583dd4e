/* conv: convolution as the plain sum, and as products of patches. */
#include "kernels/conv.h"

#include "kernels/parallel.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

/* Chosen, not swept: a tile's patches (2 MiB) go through the second-level cache by parts, and a
 * tile of 128 x 96 results is enough work to share out. */
#define CONV_PANEL_VALUES ((size_t)1 << 19) /* patches of one tile */
#define CONV_TILE_PIXELS 128
#define CONV_TILE_CHANNELS 96
#define CONV_BATCH_ENOUGH 8

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

static size_t pixels_of(const struct conv_shape *s)
{
    return (size_t)conv_hout(s) * (size_t)conv_wout(s);
}

/* How one image's product is cut: by the shape alone, never by the number of threads, so that the
 * result does not depend on it. */
struct tiles {
    size_t pixels, channels; /* at least one of both is 1 */
};

/* By pixels, so that a tile's patches stay in the cache until the product has read them, and so
 * that packing the weights again for every tile is worth it. Images too small for that are cut by
 * channels, unless the batch is large enough to share out. */
static struct tiles tiles_of(const struct conv_shape *s)
{
    size_t pixels = pixels_of(s), all = patch(s) * pixels;
    size_t n = parallel_pieces(pixels, CONV_TILE_PIXELS);
    size_t fit = is_direct(s) ? 1 : (all + CONV_PANEL_VALUES - 1) / CONV_PANEL_VALUES;
    struct tiles t = {n, 1};
    if (n < fit)
        t.pixels = fit < pixels ? (fit + 7) / 8 * 8 : pixels;
    t.pixels = t.pixels > pixels ? pixels : t.pixels;
    if (t.pixels == 1 && s->batch < CONV_BATCH_ENOUGH)
        t.channels = parallel_pieces((size_t)s->cout, CONV_TILE_CHANNELS);
    return t;
}

size_t conv_scratch(const struct conv_shape *s)
{
    check(s);
    size_t tiles = tiles_of(s).pixels;
    return is_direct(s) ? 0 : patch(s) * ((pixels_of(s) + tiles - 1) / tiles);
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

/* Output columns of kernel column v that read inside the image, first <= j < last, and what turns
 * an output column into the image's: column = j * stride + shift. */
struct columns {
    int32_t first, last, shift;
};

static struct columns inside(const struct conv_shape *s, int32_t v)
{
    int32_t wout = conv_wout(s), start = s->pad_w - v, end = s->win + s->pad_w - v;
    struct columns c = {start <= 0 ? 0 : (start + s->stride - 1) / s->stride,
                        end <= 0 ? 0 : (end + s->stride - 1) / s->stride, v - s->pad_w};
    c.first = c.first > wout ? wout : c.first;
    c.last = c.last > wout ? wout : c.last < c.first ? c.first : c.last;
    return c;
}

/* Columns span[0]..span[1]-1 of one output row for one kernel place; x is the image row read. */
static void patch_row(const struct conv_shape *s, const float *x, const int32_t span[2],
                      const struct columns *c, float *to)
{
    int32_t first = c->first < span[0] ? span[0] : c->first > span[1] ? span[1] : c->first;
    int32_t last = c->last > span[1] ? span[1] : c->last < first ? first : c->last;
    const float *from = first < last ? x + (first * s->stride + c->shift) : x;
    for (int32_t j = span[0]; j < first; j++)
        *to++ = 0;
    if (s->stride == 1)
        memcpy(to, from, (size_t)(last - first) * sizeof *to);
    else
        for (int32_t j = 0; j < last - first; j++)
            to[j] = from[j * s->stride];
    to += last - first;
    for (int32_t j = last; j < span[1]; j++)
        *to++ = 0;
}

/* One row of the patch x pixels matrix: output pixels pixels[0]..pixels[1]-1 of kernel place
 * (u, v) over channel x. */
static void panel_row(const struct conv_shape *s, const float *x, const int32_t place[2],
                      const size_t pixels[2], float *to)
{
    size_t wout = (size_t)conv_wout(s);
    struct columns columns = inside(s, place[1]);
    for (size_t p = pixels[0]; p < pixels[1];) {
        size_t r = p / wout, end = (r + 1) * wout < pixels[1] ? (r + 1) * wout : pixels[1];
        int32_t span[2] = {(int32_t)(p - r * wout), (int32_t)(end - r * wout)};
        int32_t i = (int32_t)r * s->stride + place[0] - s->pad_h;
        if (i < 0 || i >= s->hin)
            memset(to, 0, (end - p) * sizeof *to);
        else
            patch_row(s, x + (size_t)i * s->win, span, &columns, to);
        to += end - p;
        p = end;
    }
}

/* The same where output and image have the same width: one copy, moved by a whole number of values,
 * in which the columns that came around from a neighbouring row are cleared. */
static void moved_row(const struct conv_shape *s, const float *x, const int32_t place[2],
                      const size_t pixels[2], float *to)
{
    ptrdiff_t first = (ptrdiff_t)pixels[0], end = (ptrdiff_t)pixels[1], wide = s->win;
    ptrdiff_t shift = place[1] - s->pad_w, by = (place[0] - s->pad_h) * wide + shift;
    ptrdiff_t low = -by > first ? -by : first, high = s->hin * wide - by;
    low = low > end ? end : low;
    high = high > end ? end : high < low ? low : high;
    memset(to, 0, (size_t)(low - first) * sizeof *to);
    if (low < high)
        memcpy(to + (low - first), x + (low + by), (size_t)(high - low) * sizeof *to);
    memset(to + (high - first), 0, (size_t)(end - high) * sizeof *to);
    for (ptrdiff_t row = first / wide * wide; shift != 0 && row < end; row += wide) {
        ptrdiff_t from = shift < 0 ? row : row + wide - shift;
        ptrdiff_t until = shift < 0 ? row - shift : row + wide;
        for (ptrdiff_t p = from > first ? from : first; p < until && p < end; p++)
            to[p - first] = 0;
    }
}

/* Channels channels[0]..channels[1]-1 of the matrix, rows of pixels[1] - pixels[0] values. */
static void im2col(const struct conv_shape *s, const float *x, const int32_t channels[2],
                   const size_t pixels[2], float *panel)
{
    bool same = s->stride == 1 && conv_wout(s) == s->win;
    for (int32_t c = channels[0]; c < channels[1]; c++)
        for (int32_t u = 0; u < s->kh; u++)
            for (int32_t v = 0; v < s->kw; v++, panel += pixels[1] - pixels[0])
                (same ? moved_row : panel_row)(s, x + (size_t)c * s->hin * s->win,
                                               (const int32_t[2]){u, v}, pixels, panel);
}

/* Bias and ReLU over one channel's values, while they are in the cache. */
static void epilogue(bool relu, float bias, float *y, size_t n)
{
    if (relu)
        for (size_t i = 0; i < n; i++) {
            float z = y[i] + bias;
            y[i] = z < 0 ? 0 : z; /* what is no number stays none */
        }
    else
        for (size_t i = 0; i < n; i++)
            y[i] += bias;
}

/* A part of the product weights x patches: some channels of the output, some of its pixels. */
struct part {
    size_t channels[2], pixels[2];
    const float *patches;
    size_t row; /* distance of the patches' rows */
    float *y;   /* first channel, first pixel of the image */
};

static void multiply(const struct conv_shape *s, const struct conv_data *d, const struct part *p)
{
    size_t plane = pixels_of(s), k = patch(s), first = p->channels[0];
    size_t n = p->pixels[1] - p->pixels[0];
    float *y = p->y + first * plane + p->pixels[0];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(p->channels[1] - first), (int)n,
                (int)k, 1.0F, d->weight + first * k, (int)k, p->patches, (int)p->row, 0.0F, y,
                (int)plane);
    for (size_t o = first; o < p->channels[1]; o++, y += plane)
        epilogue(s->relu, d->bias[o], y, n);
}

/* What a piece of a convolution is to know. */
struct job {
    const struct conv_shape *s;
    const struct conv_data *d;
    struct tiles tiles;
    size_t image; /* with tiles of channels: the one image whose patches lie in the scratch */
};

static const float *image_of(const struct job *j, size_t n)
{
    return j->d->x + n * (size_t)j->s->cin * (size_t)j->s->hin * (size_t)j->s->win;
}

static float *output_of(const struct job *j, size_t n)
{
    return j->d->y + n * (size_t)j->s->y_channels * pixels_of(j->s);
}

/* Some pixels of all channels, with patches in the thread's own scratch. */
static void pixel_piece(void *self, size_t piece, int32_t thread)
{
    const struct job *j = self;
    const struct conv_shape *s = j->s;
    size_t tiles = j->tiles.pixels, n = piece / tiles, i = piece % tiles, plane = pixels_of(s);
    const float *x = image_of(j, n);
    struct part p = {
        .channels = {0, (size_t)s->cout},
        .pixels = {parallel_begin(plane, tiles, i), parallel_begin(plane, tiles, i + 1)},
        .y = output_of(j, n)};
    if (is_direct(s)) {
        p.patches = x + p.pixels[0];
        p.row = plane;
    } else {
        float *panel = j->d->scratch + (size_t)thread * conv_scratch(s);
        im2col(s, x, (const int32_t[2]){0, s->cin}, p.pixels, panel);
        p.patches = panel;
        p.row = p.pixels[1] - p.pixels[0];
    }
    multiply(s, j->d, &p);
}

/* Patches of some input channels of the image, for all threads. */
static void patch_piece(void *self, size_t piece, int32_t thread)
{
    const struct job *j = self;
    size_t cin = (size_t)j->s->cin, tiles = j->tiles.channels, plane = pixels_of(j->s);
    int32_t channels[2] = {(int32_t)parallel_begin(cin, tiles, piece),
                           (int32_t)parallel_begin(cin, tiles, piece + 1)};
    size_t cells = (size_t)j->s->kh * (size_t)j->s->kw;
    (void)thread;
    im2col(j->s, image_of(j, j->image), channels, (const size_t[2]){0, plane},
           j->d->scratch + (size_t)channels[0] * cells * plane);
}

/* Some output channels of the image. */
static void channel_piece(void *self, size_t piece, int32_t thread)
{
    const struct job *j = self;
    size_t cout = (size_t)j->s->cout, tiles = j->tiles.channels, plane = pixels_of(j->s);
    struct part p = {
        .channels = {parallel_begin(cout, tiles, piece), parallel_begin(cout, tiles, piece + 1)},
        .pixels = {0, plane},
        .patches = is_direct(j->s) ? image_of(j, j->image) : j->d->scratch,
        .row = plane,
        .y = output_of(j, j->image)};
    (void)thread;
    multiply(j->s, j->d, &p);
}

void conv_blas(const struct conv_shape *s, const struct conv_data *d, struct parallel *threads)
{
    struct job j = {s, d, tiles_of(s), 0};
    check(s);
    assert(d->x && d->weight && d->bias && d->y && (d->scratch || is_direct(s)));
    if (j.tiles.channels == 1) {
        parallel_run(threads, (size_t)s->batch * j.tiles.pixels, pixel_piece, &j);
        return;
    }
    for (; j.image < (size_t)s->batch; j.image++) {
        if (!is_direct(s))
            parallel_run(threads, j.tiles.channels, patch_piece, &j);
        parallel_run(threads, j.tiles.channels, channel_piece, &j);
    }
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
