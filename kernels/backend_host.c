/* backend_host: plain memory for a plan. */
#include "kernels/backend_host.h"

#include <stdlib.h>
#include <string.h>

#define BACKEND_HOST_ALIGN 64 /* a cache line, and the widest vector */

static void *take(size_t n, size_t size)
{
    size_t bytes = ((n + 1) * size + BACKEND_HOST_ALIGN - 1) / BACKEND_HOST_ALIGN;
    void *p = aligned_alloc(BACKEND_HOST_ALIGN, bytes * BACKEND_HOST_ALIGN);
    if (p)
        memset(p, 0, bytes * BACKEND_HOST_ALIGN);
    return p;
}

int backend_host_open(const struct network *plan, struct backend_memory *m, size_t value_size,
                      struct err *e)
{
    m->parameters = take(plan->parameters, value_size);
    m->activations = take(plan->activations, value_size);
    m->scratch = take(plan->scratch, value_size);
    m->words = take((size_t)plan->tokens, sizeof *m->words);
    m->own = take((size_t)plan->batch, sizeof *m->lengths);
    if (!m->parameters || !m->activations || !m->scratch || !m->words || !m->own)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %s at batch %d", plan->model,
                       plan->batch);
    return packing_init(&m->packing, plan, e);
}

void backend_host_close(struct backend_memory *m)
{
    free(m->parameters);
    free(m->activations);
    free(m->scratch);
    free(m->words);
    free(m->own);
    packing_fini(&m->packing);
    *m = (struct backend_memory){0};
}

int backend_host_tokens(const struct network *plan, struct backend_memory *m,
                        const struct backend_tokens *t, struct err *e)
{
    (void)e; /* copying within this process cannot fail */
    memcpy(m->words, t->words, (size_t)plan->tokens * sizeof *m->words);
    m->lengths = t->lengths ? m->own : NULL;
    if (t->lengths)
        memcpy(m->lengths, t->lengths, (size_t)plan->batch * sizeof *m->lengths);
    m->packing.rows = 0;
    if (t->lengths && t->drop_padding)
        packing_set(&m->packing, plan, t->words, t->lengths);
    return 0;
}

struct embedding_tokens backend_host_words(const struct backend_memory *m)
{
    bool packed = m->packing.rows > 0;
    return (struct embedding_tokens){.words = packed ? m->packing.words : m->words,
                                     .kinds = m->kinds,
                                     .places = packed ? m->packing.places : NULL};
}

/* The first token of each sequence, gathered into scratch, is what the pooler reads. */
static void gather_inputs(const struct network *plan, struct backend_memory *m, size_t value_size,
                          struct network_step *packed)
{
    const char *x = (const char *)m->activations + packed->x * value_size;
    packing_gather(&m->packing, plan, x, (size_t)packed->as.linear.inputs * value_size, m->scratch);
    packed->x = 0;
}

void backend_host_forward(const struct network *plan, struct backend_memory *m, size_t value_size,
                          backend_host_step *run)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct network_step *s = &plan->steps[i];
        if (m->packing.rows == 0) {
            run(s, m, m->activations);
            continue;
        }
        struct network_step packed = packing_step(&m->packing, plan, s);
        bool gathered = packing_reads_first_tokens(s);
        if (gathered)
            gather_inputs(plan, m, value_size, &packed);
        run(&packed, m, gathered ? m->scratch : m->activations);
    }
}
