/* node_balance: the smallest group first. */
#include "models/control/node_balance.h"

#include <assert.h>

int32_t node_balance_spread(struct node_balance_group *groups, size_t n, int32_t new_nodes)
{
    int32_t added = 0;
    for (size_t i = 0; i < n; i++)
        groups[i].add = 0;
    while (added < new_nodes) {
        struct node_balance_group *least = NULL;
        for (size_t i = 0; i < n; i++) {
            struct node_balance_group *g = &groups[i];
            if (g->size + g->add >= g->max)
                continue;
            if (!least || g->size + g->add < least->size + least->add)
                least = g;
        }
        if (!least)
            break;
        least->add++;
        added++;
    }
    return added;
}

static bool within(int64_t a, int64_t b, double share)
{
    int64_t larger = a > b ? a : b, smaller = a > b ? b : a;
    return (double)(larger - smaller) <= (double)larger * share;
}

static int64_t or_else(int64_t v, int64_t fallback)
{
    return v > 0 ? v : fallback;
}

bool node_balance_similar(const struct node_scaler_group *a, const struct node_scaler_group *b)
{
    const struct node_scaler_shape *sa = &a->shape, *sb = &b->shape;
    return a->label_class == b->label_class && sa->gpus == sb->gpus &&
           or_else(a->capacity_cpu_milli, sa->cpu_milli) ==
               or_else(b->capacity_cpu_milli, sb->cpu_milli) &&
           within(or_else(a->capacity_memory_bytes, sa->memory_bytes),
                  or_else(b->capacity_memory_bytes, sb->memory_bytes), 0.015) &&
           within(sa->cpu_milli, sb->cpu_milli, 0.05) &&
           within(sa->memory_bytes, sb->memory_bytes, 0.05) &&
           within(sa->cpu_milli - a->daemon_cpu_milli, sb->cpu_milli - b->daemon_cpu_milli, 0.05) &&
           within(sa->memory_bytes - a->daemon_memory_bytes,
                  sb->memory_bytes - b->daemon_memory_bytes, 0.05);
}
