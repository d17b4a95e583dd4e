/* inception: Inception-v3, block by block. */
#include "kernels/inception.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define INCEPTION_EPS 1e-3

const struct inception_config inception_usual = {
    .batch = 1, .image = 299, .classes = 1000, .variant = INCEPTION_TORCHVISION};

/* A tensor with its extents, or a slice of one: channels from `offset` on of `total`. */
struct area {
    size_t tensor;
    int32_t channels, height, width;
};

struct builder {
    struct network *n;
    const struct inception_config *c;
    const char *block; /* "Mixed_5b." in front of the names of its branches */
};

/* Where a branch ends: the block's own tensor, made by its first branch. */
struct join {
    struct area whole;
    int32_t filled;
};

/* A convolution's name and what distinguishes it; paddings keep the size unless `shrinks`. */
struct layer {
    const char *name;
    int32_t channels, kh, kw, stride;
    bool shrinks;
};

static size_t plane(const struct area *a)
{
    return (size_t)a->height * (size_t)a->width;
}

static struct area area_of(const struct builder *b, int32_t channels, int32_t height, int32_t width)
{
    struct area a = {0, channels, height, width};
    a.tensor = network_tensor(b->n, (size_t)b->c->batch * (size_t)channels * plane(&a));
    return a;
}

/* The step's output: the next slice of the join, or a tensor of its own. */
static struct area target(const struct builder *b, struct join *to, const int32_t extents[3],
                          size_t *offset)
{
    *offset = 0;
    if (!to)
        return area_of(b, extents[0], extents[1], extents[2]);
    assert(to->whole.height == extents[1] && to->whole.width == extents[2]);
    assert(to->filled + extents[0] <= to->whole.channels);
    *offset = (size_t)to->filled * plane(&to->whole);
    to->filled += extents[0];
    return to->whole;
}

static struct area conv(const struct builder *b, struct area x, const struct layer *l,
                        struct join *to)
{
    struct network_step s = {.kind = STEP_CONV, .x = x.tensor, .residual = NETWORK_NONE};
    struct conv_shape c = {.batch = b->c->batch,
                           .cin = x.channels,
                           .hin = x.height,
                           .win = x.width,
                           .cout = l->channels,
                           .kh = l->kh,
                           .kw = l->kw,
                           .stride = l->stride,
                           .pad_h = l->shrinks ? 0 : l->kh / 2,
                           .pad_w = l->shrinks ? 0 : l->kw / 2,
                           .relu = true,
                           .precision = b->c->precision};
    size_t offset;
    struct area y =
        target(b, to, (const int32_t[3]){l->channels, conv_hout(&c), conv_wout(&c)}, &offset);
    c.y_channels = y.channels;
    s.as.conv = c;
    s.y = y.tensor;
    snprintf(s.name, sizeof s.name, "%s%s", b->block, l->name);
    network_conv_weight(b->n, network_add(b->n, &s, offset),
                        b->c->gain || b->c->variant == INCEPTION_TORCHVISION, INCEPTION_EPS);
    return y;
}

static struct area pool(const struct builder *b, struct area x, const struct pool_shape *like,
                        struct join *to)
{
    struct network_step s = {.kind = STEP_POOL, .x = x.tensor, .residual = NETWORK_NONE};
    struct pool_shape p = *like;
    size_t offset;
    p.batch = b->c->batch;
    p.channels = x.channels;
    p.hin = x.height;
    p.win = x.width;
    p.count_padding = b->c->variant == INCEPTION_TORCHVISION;
    p.precision = b->c->precision;
    struct area y =
        target(b, to, (const int32_t[3]){x.channels, pool_hout(&p), pool_wout(&p)}, &offset);
    p.y_channels = y.channels;
    s.as.pool = p;
    s.y = y.tensor;
    snprintf(s.name, sizeof s.name, "%s%s", b->block, p.kind == POOL_MAX ? "maxpool" : "avgpool");
    network_add(b->n, &s, offset);
    return y;
}

static const struct pool_shape halving = {.kh = 3, .kw = 3, .stride = 2, .kind = POOL_MAX};
static const struct pool_shape mean = {
    .kh = 3, .kw = 3, .stride = 1, .pad_h = 1, .pad_w = 1, .kind = POOL_MEAN};
static const struct pool_shape largest = {
    .kh = 3, .kw = 3, .stride = 1, .pad_h = 1, .pad_w = 1, .kind = POOL_MAX};

/* Layers one behind the other, up to one without a name; the last writes into the join. */
static struct area chain(const struct builder *b, struct area x, const struct layer *layers,
                         struct join *to)
{
    for (; layers->name; layers++)
        x = conv(b, x, layers, layers[1].name ? NULL : to);
    return x;
}

static struct join open_join(const struct builder *b, int32_t channels, const struct area *like)
{
    return (struct join){.whole = area_of(b, channels, like->height, like->width)};
}

static struct area close_join(const struct join *j)
{
    assert(j->filled == j->whole.channels);
    return j->whole;
}

static struct area stem(struct builder *b, struct area x)
{
    static const struct layer first[] = {{"Conv2d_1a_3x3", 32, 3, 3, 2, true},
                                         {"Conv2d_2a_3x3", 32, 3, 3, 1, true},
                                         {"Conv2d_2b_3x3", 64, 3, 3, 1, false},
                                         {0}};
    static const struct layer second[] = {
        {"Conv2d_3b_1x1", 80, 1, 1, 1, true}, {"Conv2d_4a_3x3", 192, 3, 3, 1, true}, {0}};
    b->block = "";
    x = pool(b, chain(b, x, first, NULL), &halving, NULL);
    return pool(b, chain(b, x, second, NULL), &halving, NULL);
}

static struct area block_a(struct builder *b, struct area x, const char *name, int32_t pooled)
{
    const struct layer one[] = {{"branch1x1", 64, 1, 1, 1, false}, {0}};
    const struct layer five[] = {
        {"branch5x5_1", 48, 1, 1, 1, false}, {"branch5x5_2", 64, 5, 5, 1, false}, {0}};
    const struct layer twice[] = {{"branch3x3dbl_1", 64, 1, 1, 1, false},
                                  {"branch3x3dbl_2", 96, 3, 3, 1, false},
                                  {"branch3x3dbl_3", 96, 3, 3, 1, false},
                                  {0}};
    const struct layer last[] = {{"branch_pool", pooled, 1, 1, 1, false}, {0}};
    b->block = name;
    struct join j = open_join(b, 64 + 64 + 96 + pooled, &x);
    chain(b, x, one, &j);
    chain(b, x, five, &j);
    chain(b, x, twice, &j);
    chain(b, pool(b, x, &mean, NULL), last, &j);
    return close_join(&j);
}

/* Halves height and width. */
static struct area half(const struct area *x)
{
    return (struct area){0, x->channels, (x->height - 3) / 2 + 1, (x->width - 3) / 2 + 1};
}

static struct area block_b(struct builder *b, struct area x)
{
    const struct layer three[] = {{"branch3x3", 384, 3, 3, 2, true}, {0}};
    const struct layer twice[] = {{"branch3x3dbl_1", 64, 1, 1, 1, false},
                                  {"branch3x3dbl_2", 96, 3, 3, 1, false},
                                  {"branch3x3dbl_3", 96, 3, 3, 2, true},
                                  {0}};
    struct area small = half(&x);
    b->block = "Mixed_6a.";
    struct join j = open_join(b, 384 + 96 + x.channels, &small);
    chain(b, x, three, &j);
    chain(b, x, twice, &j);
    pool(b, x, &halving, &j);
    return close_join(&j);
}

static struct area block_c(struct builder *b, struct area x, const char *name, int32_t inner)
{
    const struct layer one[] = {{"branch1x1", 192, 1, 1, 1, false}, {0}};
    const struct layer seven[] = {{"branch7x7_1", inner, 1, 1, 1, false},
                                  {"branch7x7_2", inner, 1, 7, 1, false},
                                  {"branch7x7_3", 192, 7, 1, 1, false},
                                  {0}};
    const struct layer twice[] = {
        {"branch7x7dbl_1", inner, 1, 1, 1, false}, {"branch7x7dbl_2", inner, 7, 1, 1, false},
        {"branch7x7dbl_3", inner, 1, 7, 1, false}, {"branch7x7dbl_4", inner, 7, 1, 1, false},
        {"branch7x7dbl_5", 192, 1, 7, 1, false},   {0}};
    const struct layer last[] = {{"branch_pool", 192, 1, 1, 1, false}, {0}};
    b->block = name;
    struct join j = open_join(b, 4 * 192, &x);
    chain(b, x, one, &j);
    chain(b, x, seven, &j);
    chain(b, x, twice, &j);
    chain(b, pool(b, x, &mean, NULL), last, &j);
    return close_join(&j);
}

static struct area block_d(struct builder *b, struct area x)
{
    const struct layer three[] = {
        {"branch3x3_1", 192, 1, 1, 1, false}, {"branch3x3_2", 320, 3, 3, 2, true}, {0}};
    const struct layer seven[] = {{"branch7x7x3_1", 192, 1, 1, 1, false},
                                  {"branch7x7x3_2", 192, 1, 7, 1, false},
                                  {"branch7x7x3_3", 192, 7, 1, 1, false},
                                  {"branch7x7x3_4", 192, 3, 3, 2, true},
                                  {0}};
    struct area small = half(&x);
    b->block = "Mixed_7a.";
    struct join j = open_join(b, 320 + 192 + x.channels, &small);
    chain(b, x, three, &j);
    chain(b, x, seven, &j);
    pool(b, x, &halving, &j);
    return close_join(&j);
}

static struct area block_e(struct builder *b, struct area x, const char *name,
                           const struct pool_shape *window)
{
    const struct layer one[] = {{"branch1x1", 320, 1, 1, 1, false}, {0}};
    const struct layer three[] = {{"branch3x3_1", 384, 1, 1, 1, false}, {0}};
    const struct layer three_a[] = {{"branch3x3_2a", 384, 1, 3, 1, false}, {0}};
    const struct layer three_b[] = {{"branch3x3_2b", 384, 3, 1, 1, false}, {0}};
    const struct layer twice[] = {
        {"branch3x3dbl_1", 448, 1, 1, 1, false}, {"branch3x3dbl_2", 384, 3, 3, 1, false}, {0}};
    const struct layer twice_a[] = {{"branch3x3dbl_3a", 384, 1, 3, 1, false}, {0}};
    const struct layer twice_b[] = {{"branch3x3dbl_3b", 384, 3, 1, 1, false}, {0}};
    const struct layer last[] = {{"branch_pool", 192, 1, 1, 1, false}, {0}};
    b->block = name;
    struct join j = open_join(b, 320 + 4 * 384 + 192, &x);
    chain(b, x, one, &j);
    struct area inner = chain(b, x, three, NULL);
    chain(b, inner, three_a, &j);
    chain(b, inner, three_b, &j);
    inner = chain(b, x, twice, NULL);
    chain(b, inner, twice_a, &j);
    chain(b, inner, twice_b, &j);
    chain(b, pool(b, x, window, NULL), last, &j);
    return close_join(&j);
}

/* Mean of every channel, then the dense layer; returns the logits' tensor. */
static size_t head(struct builder *b, struct area x)
{
    struct pool_shape all = {.kh = x.height, .kw = x.width, .stride = 1, .kind = POOL_MEAN};
    struct weight w = {"fc.weight", WEIGHT_PRODUCT, 2, {b->c->classes, x.channels}};
    struct weight bias = {"fc.bias", WEIGHT_SHIFT, 1, {b->c->classes}};
    b->block = "";
    struct area features = pool(b, x, &all, NULL);
    struct network_step s = {.name = "fc",
                             .kind = STEP_LINEAR,
                             .as.linear = {b->c->batch, x.channels, b->c->classes, x.channels,
                                           LINEAR_PLAIN, b->c->precision},
                             .x = features.tensor,
                             .residual = NETWORK_NONE};
    s.y = network_tensor(b->n, (size_t)b->c->batch * (size_t)b->c->classes);
    s.weight = network_weight(b->n, &w);
    s.bias = network_weight(b->n, &bias);
    network_add(b->n, &s, 0);
    return s.y;
}

static int check(const struct inception_config *c, struct err *e)
{
    if (c->batch < 1 || c->batch > 1024)
        return err_set(e, ERR_INPUT, NULL, "batch %d: allowed is 1 to 1024", c->batch);
    if (c->image < 75 || c->image > 1024)
        return err_set(e, ERR_INPUT, NULL, "images of %d pixels: allowed is 75 to 1024", c->image);
    if (c->classes < 1 || c->classes > 1000000)
        return err_set(e, ERR_INPUT, NULL, "%d classes: allowed is 1 to 1000000", c->classes);
    return 0;
}

struct network *inception_plan(struct arena *a, const struct inception_config *c, struct err *e)
{
    struct network *n = check(c, e) ? NULL : network_create(a, "inception_v3", e);
    if (!n)
        return NULL;
    struct builder b = {n, c, ""};
    struct area image = area_of(&b, 3, c->image, c->image), x = stem(&b, image);
    n->batch = c->batch;
    x = block_a(&b, x, "Mixed_5b.", 32);
    x = block_a(&b, x, "Mixed_5c.", 64);
    x = block_a(&b, x, "Mixed_5d.", 64);
    x = block_b(&b, x);
    x = block_c(&b, x, "Mixed_6b.", 128);
    x = block_c(&b, x, "Mixed_6c.", 160);
    x = block_c(&b, x, "Mixed_6d.", 160);
    x = block_c(&b, x, "Mixed_6e.", 192);
    x = block_d(&b, x);
    x = block_e(&b, x, "Mixed_7b.", &mean);
    x = block_e(&b, x, "Mixed_7c.", c->variant == INCEPTION_2015 ? &largest : &mean);
    network_place(n, image.tensor, head(&b, x));
    return n;
}
