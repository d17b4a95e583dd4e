/* inception_input: resizing and normalising. */
#include "kernels/inception_input.h"

#include "kernels/image.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* How an axis is resized: `from` pixels to `to`, of which `size` from `offset` on are wanted. */
struct axis {
    int32_t from, to, offset, size;
    bool legacy;
};

/* The pixels that output i is made of: first <= p < last, with weights from the filter. */
struct window {
    double middle, reach; /* of the triangle */
    int32_t first, last;
};

static struct window window_of(const struct axis *a, int32_t i)
{
    double scale = (double)a->from / a->to;
    struct window w = {.reach = a->legacy || scale < 1 ? 1 : scale};
    w.middle = a->legacy ? (a->offset + i) * scale : (a->offset + i + 0.5) * scale - 0.5;
    w.first = (int32_t)floor(w.middle - w.reach) + 1;
    w.last = (int32_t)ceil(w.middle + w.reach);
    w.first = w.first < 0 ? 0 : w.first;
    w.last = w.last > a->from ? a->from : w.last;
    return w;
}

/* One output value from a line of pixels that lie `step` apart. */
static double sample(const double *line, size_t step, const struct window *w)
{
    double sum = 0, weights = 0;
    for (int32_t p = w->first; p < w->last; p++) {
        double weight = 1 - fabs(p - w->middle) / w->reach;
        sum += weight * line[(size_t)p * step];
        weights += weight;
    }
    return sum / weights;
}

/* Rows of one colour resized across: height x size values. */
static void across(const struct image *im, int colour, const struct axis *a, double *out)
{
    double line[IMAGE_MAX_SIDE];
    for (size_t y = 0; y < (size_t)im->height; y++) {
        for (size_t x = 0; x < (size_t)im->width; x++)
            line[x] = im->rgb[(y * (size_t)im->width + x) * 3 + (size_t)colour];
        for (int32_t i = 0; i < a->size; i++) {
            struct window w = window_of(a, i);
            out[y * (size_t)a->size + (size_t)i] = sample(line, 1, &w);
        }
    }
}

/* size x size values from those of `across`, normalised. */
static void down(const double *wide, const struct axis *a, bool legacy, double *out)
{
    size_t size = (size_t)a->size;
    for (size_t i = 0; i < size; i++) {
        struct window w = window_of(a, (int32_t)i);
        for (size_t j = 0; j < size; j++) {
            double v = sample(wide + j, size, &w);
            out[i * size + j] = legacy ? (v - 128) / 128 : v / 127.5 - 1;
        }
    }
}

static struct axis axis_of(const struct image *im, const struct inception_config *c, int32_t from)
{
    struct axis a = {from, c->image, 0, c->image, c->variant == INCEPTION_2015};
    if (c->variant == INCEPTION_TORCHVISION) {
        int64_t shorter = im->width < im->height ? im->width : im->height;
        int64_t resized = ((int64_t)c->image * 8 + 6) / 7; /* 342 for 299: 341.7 rounded up */
        a.to = (int32_t)(resized * from / shorter);
        a.offset = (int32_t)nearbyint((a.to - c->image) / 2.0);
    }
    return a;
}

int inception_input(const struct image *i, const struct inception_config *c, double *out,
                    struct err *e)
{
    assert(i->rgb && i->width >= 1 && i->height >= 1 && i->width <= IMAGE_MAX_SIDE);
    struct axis x = axis_of(i, c, i->width), y = axis_of(i, c, i->height);
    size_t plane = (size_t)c->image * (size_t)c->image;
    double *wide = malloc((size_t)i->height * (size_t)c->image * sizeof *wide);
    if (!wide)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for a picture");
    for (int colour = 0; colour < 3; colour++) {
        across(i, colour, &x, wide);
        down(wide, &y, c->variant == INCEPTION_2015, out + (size_t)colour * plane);
    }
    free(wide);
    return 0;
}
