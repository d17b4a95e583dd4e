/* embedding: rows of three tables added. */
#include "kernels/embedding.h"

#include <assert.h>
#include <stddef.h>

static void check(const struct embedding_shape *s)
{
    assert(s->batch >= 1 && s->sequence >= 1 && s->hidden >= 1 && s->vocabulary >= 1);
    assert(s->segments >= 1 && s->precision == PRECISION_FP32);
}

/* First value of the token's rows in words, positions and kinds. */
static void rows_of(const struct embedding_shape *s, const struct embedding_tokens *t, size_t i,
                    size_t at[3])
{
    int32_t word = t->words[i], kind = t->kinds ? t->kinds[i] : 0;
    size_t place = t->places ? (size_t)t->places[i] : i % (size_t)s->sequence;
    assert(word >= 0 && word < s->vocabulary && kind >= 0 && kind < s->segments);
    at[0] = (size_t)word * (size_t)s->hidden;
    at[1] = place * (size_t)s->hidden;
    at[2] = (size_t)kind * (size_t)s->hidden;
}

void embedding_reference(const struct embedding_shape *s, const struct embedding_tokens *t,
                         const struct embedding_reference_tables *tables, double *y)
{
    size_t hidden = (size_t)s->hidden, at[3];
    check(s);
    for (size_t i = 0; i < (size_t)s->batch * (size_t)s->sequence; i++, y += hidden) {
        rows_of(s, t, i, at);
        for (size_t j = 0; j < hidden; j++)
            y[j] =
                tables->words[at[0] + j] + tables->positions[at[1] + j] + tables->kinds[at[2] + j];
    }
}

void embedding_float(const struct embedding_shape *s, const struct embedding_tokens *t,
                     const struct embedding_tables *tables, float *y)
{
    size_t hidden = (size_t)s->hidden, at[3];
    check(s);
    assert(t->words && tables->words && tables->positions && tables->kinds && y);
    for (size_t i = 0; i < (size_t)s->batch * (size_t)s->sequence; i++, y += hidden) {
        rows_of(s, t, i, at);
        const float *word = tables->words + at[0], *kind = tables->kinds + at[2];
        const float *position = tables->positions + at[1];
        for (size_t j = 0; j < hidden; j++)
            y[j] = word[j] + position[j] + kind[j];
    }
}
