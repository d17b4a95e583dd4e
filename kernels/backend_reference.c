/* backend_reference: every step in double, by the reference operators. */
#include "kernels/backend.h"
#include "kernels/backend_host.h"

#include <stdio.h>

static int open(const struct backend *b, const struct network *plan, struct backend_memory *m,
                struct err *e)
{
    (void)b;
    return backend_host_open(plan, m, sizeof(double), e);
}

static int store(const struct backend_memory *m, const struct backend_span *to, const double *from,
                 struct err *e)
{
    double *values = (double *)to->base + to->at;
    (void)m;
    (void)e;
    for (size_t i = 0; i < to->n; i++)
        values[i] = from[i];
    return 0;
}

static int load(const struct backend_memory *m, const struct backend_span *from, double *to,
                struct err *e)
{
    const double *values = (const double *)from->base + from->at;
    (void)m;
    (void)e;
    for (size_t i = 0; i < from->n; i++)
        to[i] = values[i];
    return 0;
}

static void embed(const struct network_step *s, const struct backend_memory *m)
{
    const double *p = m->parameters;
    struct embedding_reference_tables tables = {p + s->weight, p + s->bias, p + s->kinds};
    struct embedding_tokens tokens = backend_host_words(m);
    embedding_reference(&s->as.embedding, &tokens, &tables, (double *)m->activations + s->y);
}

/* inputs: what x is a place in. */
static void run(const struct network_step *s, const struct backend_memory *m, const void *inputs)
{
    const double *weight = (double *)m->parameters + s->weight,
                 *bias = (double *)m->parameters + s->bias;
    double *base = m->activations, *scratch = m->scratch, *y = base + s->y;
    const double *x = s->kind == STEP_EMBEDDING ? NULL : (const double *)inputs + s->x;
    const double *residual = s->residual == NETWORK_NONE ? NULL : base + s->residual;
    const int32_t *starts = m->packing.rows > 0 ? m->packing.starts : NULL;
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
                            &(struct attention_reference_data){x, m->lengths, y, scratch, starts});
        break;
    }
}

static int forward(const struct network *plan, struct backend_memory *m, struct err *e)
{
    (void)e;
    backend_host_forward(plan, m, sizeof(double), run);
    return 0;
}

static void describe(const struct backend_memory *m, struct backend_device *out)
{
    (void)m;
    *out = (struct backend_device){0};
    snprintf(out->name, sizeof out->name, "double");
}

const struct backend backend_reference = {.name = "reference",
                                          .open = open,
                                          .close = backend_host_close,
                                          .store = store,
                                          .load = load,
                                          .tokens = backend_host_tokens,
                                          .forward = forward,
                                          .describe = describe};
