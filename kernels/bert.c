/* bert: BERT, layer by layer. */
#include "kernels/bert.h"

#include <stdarg.h>
#include <stdio.h>

#define BERT_EPS 1e-12

const struct bert_config bert_base = {.model = "bert_base",
                                      .batch = 1,
                                      .sequence = 128,
                                      .layers = 12,
                                      .hidden = 768,
                                      .heads = 12,
                                      .inner = 3072,
                                      .vocabulary = 30522,
                                      .positions = 512,
                                      .segments = 2};

struct builder {
    struct network *n;
    const struct bert_config *c;
    int32_t rows;    /* tokens of the batch */
    char prefix[32]; /* "encoder.layer.0." */
};

static size_t vector(const struct builder *b, const char *name, enum weight_kind kind, int32_t size)
{
    struct weight w = {.kind = kind, .rank = 1, .extents = {size}};
    snprintf(w.name, sizeof w.name, "%s%s", b->prefix, name);
    return network_weight(b->n, &w);
}

static size_t matrix(const struct builder *b, const char *name, enum weight_kind kind,
                     const int32_t extents[2])
{
    struct weight w = {.kind = kind, .rank = 2, .extents = {extents[0], extents[1]}};
    snprintf(w.name, sizeof w.name, "%s%s", b->prefix, name);
    return network_weight(b->n, &w);
}

static struct network_step step(const struct builder *b, enum step_kind kind, const char *name)
{
    struct network_step s = {.kind = kind, .x = NETWORK_NONE, .residual = NETWORK_NONE};
    snprintf(s.name, sizeof s.name, "%s%s", b->prefix, name);
    return s;
}

static size_t rows_of(const struct builder *b, int32_t columns)
{
    return network_tensor(b->n, (size_t)b->rows * (size_t)columns);
}

static size_t norm(const struct builder *b, const char *name, size_t x, size_t residual)
{
    char field[64];
    struct network_step s = step(b, STEP_LAYER_NORM, name);
    s.as.layer_norm = (struct layer_norm_shape){b->rows, b->c->hidden, BERT_EPS, b->c->precision};
    s.x = x;
    s.residual = residual;
    s.y = rows_of(b, b->c->hidden);
    snprintf(field, sizeof field, "%s.weight", name);
    s.weight = vector(b, field, WEIGHT_GAIN, b->c->hidden);
    snprintf(field, sizeof field, "%s.bias", name);
    s.bias = vector(b, field, WEIGHT_SHIFT, b->c->hidden);
    network_add(b->n, &s, 0);
    return s.y;
}

/* A dense layer's weights are already there: at weight, bias. */
struct dense {
    const char *name;
    int32_t rows, inputs, outputs, x_row;
    enum linear_activation activation;
};

static size_t dense_at(const struct builder *b, const struct dense *d, size_t x,
                       const size_t weights[2])
{
    struct network_step s = step(b, STEP_LINEAR, d->name);
    s.as.linear = (struct linear_shape){d->rows,  d->inputs,     d->outputs,
                                        d->x_row, d->activation, b->c->precision};
    s.x = x;
    s.y = network_tensor(b->n, (size_t)d->rows * (size_t)d->outputs);
    s.weight = weights[0];
    s.bias = weights[1];
    network_add(b->n, &s, 0);
    return s.y;
}

static size_t dense(const struct builder *b, const struct dense *d, size_t x)
{
    char field[64];
    size_t at[2];
    snprintf(field, sizeof field, "%s.weight", d->name);
    at[0] = matrix(b, field, WEIGHT_PRODUCT, (const int32_t[2]){d->outputs, d->inputs});
    snprintf(field, sizeof field, "%s.bias", d->name);
    at[1] = vector(b, field, WEIGHT_SHIFT, d->outputs);
    return dense_at(b, d, x, at);
}

static size_t embed(struct builder *b)
{
    const struct bert_config *c = b->c;
    snprintf(b->prefix, sizeof b->prefix, "embeddings.");
    struct network_step s = step(b, STEP_EMBEDDING, "sum");
    s.as.embedding = (struct embedding_shape){c->batch,      c->sequence, c->hidden,
                                              c->vocabulary, c->segments, c->precision};
    s.y = rows_of(b, c->hidden);
    s.weight = matrix(b, "word_embeddings.weight", WEIGHT_TABLE,
                      (const int32_t[2]){c->vocabulary, c->hidden});
    s.bias = matrix(b, "position_embeddings.weight", WEIGHT_TABLE,
                    (const int32_t[2]){c->positions, c->hidden});
    s.kinds = matrix(b, "token_type_embeddings.weight", WEIGHT_TABLE,
                     (const int32_t[2]){c->segments, c->hidden});
    network_add(b->n, &s, 0);
    return norm(b, "LayerNorm", s.y, NETWORK_NONE);
}

/* Query, key and value as one product: their weights are read one behind the other. */
static size_t attend(const struct builder *b, size_t x)
{
    static const char *const thirds[3] = {"query", "key", "value"};
    int32_t hidden = b->c->hidden;
    size_t weight[3], bias[3];
    char field[64];
    for (int i = 0; i < 3; i++) {
        snprintf(field, sizeof field, "attention.self.%s.weight", thirds[i]);
        weight[i] = matrix(b, field, WEIGHT_PRODUCT, (const int32_t[2]){hidden, hidden});
    }
    for (int i = 0; i < 3; i++) {
        snprintf(field, sizeof field, "attention.self.%s.bias", thirds[i]);
        bias[i] = vector(b, field, WEIGHT_SHIFT, hidden);
    }
    struct dense qkv = {"attention.self.qkv", b->rows, hidden, 3 * hidden, hidden, LINEAR_PLAIN};
    struct network_step s = step(b, STEP_ATTENTION, "attention.self");
    s.as.attention = (struct attention_shape){b->c->batch, b->c->sequence, b->c->heads,
                                              hidden / b->c->heads, b->c->precision};
    s.x = dense_at(b, &qkv, x, (const size_t[2]){weight[0], bias[0]});
    s.y = rows_of(b, hidden);
    network_add(b->n, &s, 0);
    return s.y;
}

static size_t layer(struct builder *b, int32_t i, size_t x)
{
    int32_t hidden = b->c->hidden, inner = b->c->inner;
    snprintf(b->prefix, sizeof b->prefix, "encoder.layer.%d.", i);
    struct dense out = {"attention.output.dense", b->rows, hidden, hidden, hidden, LINEAR_PLAIN};
    struct dense up = {"intermediate.dense", b->rows, hidden, inner, hidden, LINEAR_GELU};
    struct dense down = {"output.dense", b->rows, inner, hidden, inner, LINEAR_PLAIN};
    x = norm(b, "attention.output.LayerNorm", dense(b, &out, attend(b, x)), x);
    return norm(b, "output.LayerNorm", dense(b, &down, dense(b, &up, x)), x);
}

static int in_range(const char *what, int32_t found, const int32_t range[2], struct err *e)
{
    if (found >= range[0] && found <= range[1])
        return 0;
    return err_set(e, ERR_INPUT, NULL, "%s %d: allowed is %d to %d", what, found, range[0],
                   range[1]);
}

static int check(const struct bert_config *c, struct err *e)
{
    if (in_range("batch", c->batch, (const int32_t[2]){1, 1024}, e) ||
        in_range("positions", c->positions, (const int32_t[2]){1, 65536}, e) ||
        in_range("sequence", c->sequence, (const int32_t[2]){1, c->positions}, e) ||
        in_range("layers", c->layers, (const int32_t[2]){1, 48}, e) ||
        in_range("hidden", c->hidden, (const int32_t[2]){1, 8192}, e) ||
        in_range("heads", c->heads, (const int32_t[2]){1, c->hidden}, e) ||
        in_range("inner", c->inner, (const int32_t[2]){1, 65536}, e) ||
        in_range("vocabulary", c->vocabulary, (const int32_t[2]){1, 1000000}, e) ||
        in_range("segments", c->segments, (const int32_t[2]){1, 1024}, e))
        return -1;
    if (c->hidden % c->heads != 0)
        return err_set(e, ERR_INPUT, NULL, "hidden %d is no multiple of %d heads", c->hidden,
                       c->heads);
    return 0;
}

struct network *bert_plan(struct arena *a, const struct bert_config *c, struct err *e)
{
    struct network *n = check(c, e) ? NULL : network_create(a, c->model ? c->model : "bert", e);
    if (!n)
        return NULL;
    struct builder b = {.n = n, .c = c, .rows = c->batch * c->sequence};
    size_t x = embed(&b);
    for (int32_t i = 0; i < c->layers; i++)
        x = layer(&b, i, x);
    b.prefix[0] = '\0';
    struct dense pooler = {"pooler.dense",          c->batch,   c->hidden, c->hidden,
                           c->sequence * c->hidden, LINEAR_TANH};
    n->batch = c->batch;
    n->tokens = b.rows;
    n->vocabulary = c->vocabulary;
    n->sequence = c->sequence;
    network_place(n, NETWORK_NONE, dense(&b, &pooler, x));
    return n;
}
