/* packing: rows of true tokens. */
#include "kernels/packing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int packing_init(struct packing *p, const struct network *plan, struct err *e)
{
    size_t tokens = (size_t)plan->tokens + 1, batch = (size_t)plan->batch + 1;
    *p = (struct packing){.starts = malloc(batch * sizeof *p->starts),
                          .words = malloc(tokens * sizeof *p->words),
                          .places = malloc(tokens * sizeof *p->places)};
    if (!p->starts || !p->words || !p->places)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for the tokens of %s", plan->model);
    return 0;
}

void packing_fini(struct packing *p)
{
    free(p->starts);
    free(p->words);
    free(p->places);
    *p = (struct packing){0};
}

void packing_set(struct packing *p, const struct network *plan, const int32_t *words,
                 const int32_t *lengths)
{
    p->rows = 0;
    for (int32_t b = 0; b < plan->batch; b++) {
        assert(lengths[b] >= 1 && lengths[b] <= plan->sequence);
        p->starts[b] = p->rows;
        for (int32_t t = 0; t < lengths[b]; t++, p->rows++) {
            p->words[p->rows] = words[b * plan->sequence + t];
            p->places[p->rows] = t;
        }
    }
}

bool packing_reads_first_tokens(const struct network_step *s)
{
    return s->kind == STEP_LINEAR && s->as.linear.x_row > s->as.linear.inputs;
}

struct network_step packing_step(const struct packing *p, const struct network *plan,
                                 const struct network_step *s)
{
    struct network_step packed = *s;
    if (s->kind == STEP_EMBEDDING) {
        packed.as.embedding.batch = 1;
        packed.as.embedding.sequence = p->rows;
    } else if (s->kind == STEP_LAYER_NORM && s->as.layer_norm.rows == plan->tokens) {
        packed.as.layer_norm.rows = p->rows;
    } else if (packing_reads_first_tokens(s)) {
        packed.as.linear.x_row = s->as.linear.inputs;
    } else if (s->kind == STEP_LINEAR && s->as.linear.rows == plan->tokens) {
        packed.as.linear.rows = p->rows;
    }
    return packed;
}

void packing_gather(const struct packing *p, const struct network *plan, const void *x,
                    size_t row_bytes, void *out)
{
    for (int32_t b = 0; b < plan->batch; b++)
        memcpy((char *)out + (size_t)b * row_bytes,
               (const char *)x + (size_t)p->starts[b] * row_bytes, row_bytes);
}

double packing_flop(const struct network *plan, const int32_t *lengths)
{
    double flop = 0;
    struct packing p = {0};
    for (int32_t b = 0; b < plan->batch; b++)
        p.rows += lengths[b];
    for (size_t i = 0; i < plan->n_steps; i++) {
        struct network_step s = packing_step(&p, plan, &plan->steps[i]);
        if (s.kind != STEP_ATTENTION) {
            flop += network_step_flop(&s);
            continue;
        }
        s.as.attention.batch = 1;
        for (int32_t b = 0; b < plan->batch; b++) {
            s.as.attention.sequence = lengths[b];
            flop += network_step_flop(&s);
        }
    }
    return flop;
}
