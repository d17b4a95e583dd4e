/* limbo: requests stranded at black holes, until their deadline. */
#include "models/serving/limbo.h"

int limbo_init(struct limbo *l, size_t room)
{
    l->rows = calloc(room, sizeof *l->rows);
    return l->rows ? 0 : -1;
}

void limbo_fini(struct limbo *l)
{
    free(l->rows);
}

void limbo_put(struct limbo *l, struct dispatch *d, struct stranded row)
{
    if (l->n < d->setup.max_in_flight)
        l->rows[l->n++] = row;
    else
        dispatch_overflow(d);
}

void limbo_advance(struct limbo *l, struct dispatch *d, sim_ns until)
{
    for (size_t i = 0; i < l->n;) {
        const struct stranded *row = &l->rows[i];
        if (row->deadline >= until) {
            i++;
            continue;
        }
        dispatch_let_go(d, row->arrived);
        dispatch_fail(d, FAIL_TIMEOUT, row->deadline - row->arrived);
        l->rows[i] = l->rows[--l->n];
    }
}

void limbo_drop(struct limbo *l, struct dispatch *d, uint32_t replica, enum fail_cause cause)
{
    for (size_t i = 0; i < l->n;) {
        const struct stranded *row = &l->rows[i];
        if (row->replica != replica) {
            i++;
            continue;
        }
        dispatch_let_go(d, row->arrived);
        dispatch_fail(d, cause, d->reached - row->arrived);
        l->rows[i] = l->rows[--l->n];
    }
}

sim_ns limbo_last(const struct limbo *l, uint32_t replica)
{
    sim_ns last = -1;
    for (size_t i = 0; i < l->n; i++)
        if (l->rows[i].replica == replica && l->rows[i].deadline > last)
            last = l->rows[i].deadline;
    return last;
}
