/* backend_blas: every step in float, products by OpenBLAS. */
#include "kernels/backend.h"

static void store(void *to, size_t at, const double *from, size_t n)
{
    float *values = (float *)to + at;
    for (size_t i = 0; i < n; i++)
        values[i] = (float)from[i];
}

static void load(const void *from, size_t at, double *to, size_t n)
{
    const float *values = (const float *)from + at;
    for (size_t i = 0; i < n; i++)
        to[i] = (double)values[i];
}

static void embed(const struct network_step *s, const struct backend_memory *m)
{
    const float *p = m->parameters;
    struct embedding_tables tables = {p + s->weight, p + s->bias, p + s->kinds};
    struct embedding_tokens tokens = {m->words, m->kinds};
    embedding_float(&s->as.embedding, &tokens, &tables, (float *)m->activations + s->y);
}

static void run(const struct network_step *s, const struct backend_memory *m)
{
    const float *weight = (float *)m->parameters + s->weight,
                *bias = (float *)m->parameters + s->bias;
    float *base = m->activations, *scratch = m->scratch, *y = base + s->y;
    const float *x = s->kind == STEP_EMBEDDING ? NULL : base + s->x;
    const float *residual = s->residual == NETWORK_NONE ? NULL : base + s->residual;
    switch (s->kind) {
    case STEP_CONV:
        conv_blas(&s->as.conv, &(struct conv_data){x, weight, bias, y, scratch});
        break;
    case STEP_POOL:
        pool_float(&s->as.pool, x, y);
        break;
    case STEP_LINEAR:
        linear_blas(&s->as.linear, &(struct linear_data){x, weight, bias, y});
        break;
    case STEP_EMBEDDING:
        embed(s, m);
        break;
    case STEP_LAYER_NORM:
        layer_norm_float(&s->as.layer_norm,
                         &(struct layer_norm_data){x, residual, weight, bias, y});
        break;
    case STEP_ATTENTION:
        attention_blas(&s->as.attention, &(struct attention_data){x, m->lengths, y, scratch});
        break;
    }
}

const struct backend backend_blas = {"cpu", sizeof(float), store, load, run};
