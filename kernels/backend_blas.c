/* backend_blas: every step in float, products by OpenBLAS. */
#include "kernels/backend.h"
#include "kernels/backend_host.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"

#include <stdio.h>

/* As many threads as OpenBLAS has now. While a network runs they share out the tiles and each calls
 * OpenBLAS for itself: packing, bias and activation of a tile then run in parallel as well. */
static int open(const struct backend *b, const struct network *plan, struct backend_memory *m,
                struct err *e)
{
    (void)b;
    struct network threaded = *plan;
    threaded.scratch *= (size_t)gemm_blas_threads(0);
    if (backend_host_open(&threaded, m, sizeof(float), e))
        return -1;
    m->threads = parallel_create(gemm_blas_threads(0), e);
    return m->threads ? 0 : -1;
}

static void shut(struct backend_memory *m)
{
    parallel_destroy(m->threads);
    backend_host_close(m);
}

static int store(const struct backend_memory *m, const struct backend_span *to, const double *from,
                 struct err *e)
{
    float *values = (float *)to->base + to->at;
    (void)m;
    (void)e;
    for (size_t i = 0; i < to->n; i++)
        values[i] = (float)from[i];
    return 0;
}

static int load(const struct backend_memory *m, const struct backend_span *from, double *to,
                struct err *e)
{
    const float *values = (const float *)from->base + from->at;
    (void)m;
    (void)e;
    for (size_t i = 0; i < from->n; i++)
        to[i] = (double)values[i];
    return 0;
}

static void embed(const struct network_step *s, const struct backend_memory *m)
{
    const float *p = m->parameters;
    struct embedding_tables tables = {p + s->weight, p + s->bias, p + s->kinds};
    struct embedding_tokens tokens = backend_host_words(m);
    embedding_float(&s->as.embedding, &tokens, &tables, (float *)m->activations + s->y);
}

/* inputs: what x is a place in. */
static void run(const struct network_step *s, const struct backend_memory *m, const void *inputs)
{
    const float *weight = (float *)m->parameters + s->weight,
                *bias = (float *)m->parameters + s->bias;
    float *base = m->activations, *scratch = m->scratch, *y = base + s->y;
    const float *x = s->kind == STEP_EMBEDDING ? NULL : (const float *)inputs + s->x;
    const float *residual = s->residual == NETWORK_NONE ? NULL : base + s->residual;
    const int32_t *starts = m->packing.rows > 0 ? m->packing.starts : NULL;
    switch (s->kind) {
    case STEP_CONV:
        conv_blas(&s->as.conv, &(struct conv_data){x, weight, bias, y, scratch}, m->threads);
        break;
    case STEP_POOL:
        pool_float(&s->as.pool, x, y, m->threads);
        break;
    case STEP_LINEAR:
        linear_blas(&s->as.linear, &(struct linear_data){x, weight, bias, y}, m->threads);
        break;
    case STEP_EMBEDDING:
        embed(s, m);
        break;
    case STEP_LAYER_NORM:
        layer_norm_float(&s->as.layer_norm, &(struct layer_norm_data){x, residual, weight, bias, y},
                         m->threads);
        break;
    case STEP_ATTENTION:
        attention_blas(&s->as.attention,
                       &(struct attention_data){x, m->lengths, y, scratch, starts}, m->threads);
        break;
    }
}

static int forward(const struct network *plan, struct backend_memory *m, struct err *e)
{
    (void)e;
    int32_t before = gemm_blas_threads(0);
    gemm_blas_threads(1);
    backend_host_forward(plan, m, sizeof(float), run);
    gemm_blas_threads(before);
    return 0;
}

static void describe(const struct backend_memory *m, struct backend_device *out)
{
    (void)m;
    *out = (struct backend_device){0};
    snprintf(out->name, sizeof out->name, "%s", gemm_blas_core());
}

const struct backend backend_blas = {.name = "cpu",
                                     .open = open,
                                     .close = shut,
                                     .store = store,
                                     .load = load,
                                     .tokens = backend_host_tokens,
                                     .forward = forward,
                                     .describe = describe};
