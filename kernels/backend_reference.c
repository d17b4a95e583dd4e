/* backend_reference: every step in double, by the reference operators. */
#include "kernels/backend.h"

static void store(void *to, size_t at, const double *from, size_t n)
{
    double *values = (double *)to + at;
    for (size_t i = 0; i < n; i++)
        values[i] = (double)from[i];
}

static void load(const void *from, size_t at, double *to, size_t n)
{
    const double *values = (const double *)from + at;
    for (size_t i = 0; i < n; i++)
        to[i] = (double)values[i];
}

static void embed(const struct network_step *s, const struct backend_memory *m)
{
    const double *p = m->parameters;
    struct embedding_reference_tables tables = {p + s->weight, p + s->bias, p + s->kinds};
    struct embedding_tokens tokens = {m->words, m->kinds};
    embedding_reference(&s->as.embedding, &tokens, &tables, (double *)m->activations + s->y);
}

static void run(const struct network_step *s, const struct backend_memory *m)
{
    const double *weight = (double *)m->parameters + s->weight,
                 *bias = (double *)m->parameters + s->bias;
    double *base = m->activations, *scratch = m->scratch, *y = base + s->y;
    const double *x = s->kind == STEP_EMBEDDING ? NULL : base + s->x;
    const double *residual = s->residual == NETWORK_NONE ? NULL : base + s->residual;
    switch (s->kind) {
    case STEP_CONV:
        conv_reference(&s->as.conv, &(struct conv_reference_data){x, weight, bias, y});
        break;
    case STEP_POOL:
        pool_reference(&s->as.pool, x, y);
        break;
    case STEP_LINEAR:
        linear_reference(&s->as.linear, &(struct linear_reference_data){x, weight, bias, y});
        break;
    case STEP_EMBEDDING:
        embed(s, m);
        break;
    case STEP_LAYER_NORM:
        layer_norm_reference(&s->as.layer_norm,
                             &(struct layer_norm_reference_data){x, residual, weight, bias, y});
        break;
    case STEP_ATTENTION:
        attention_reference(&s->as.attention,
                            &(struct attention_reference_data){x, m->lengths, y, scratch});
        break;
    }
}

const struct backend backend_reference = {"reference", sizeof(double), store, load, run};
