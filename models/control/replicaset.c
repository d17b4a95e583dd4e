/* replicaset: the order of victims at scale-in. */
#include "models/control/replicaset.h"

#include <assert.h>

struct sorter {
    const struct replicaset_pod *pods;
    const struct replicaset_rules *rules;
};

static void count_doubled(struct replicaset_pod *pods, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pods[i].doubled = 0;
        for (size_t j = 0; pods[i].assigned && j < n; j++)
            pods[i].doubled += pods[j].assigned && pods[j].node == pods[i].node;
    }
}

static int phase(const struct replicaset_pod *p)
{
    return p->running ? 2 : p->unknown ? 1 : 0;
}

/* floor(log2(age in ns)); -1 for none. */
static int magnitude(sim_ns age)
{
    int m = -1;
    for (; age > 0; age >>= 1)
        m++;
    return m;
}

static int sign(int64_t d)
{
    return (d > 0) - (d < 0);
}

/* Younger first; within a bucket of ages the uid decides. */
static int by_age(const struct sorter *s, sim_ns a, sim_ns b, const uint64_t uid[2])
{
    if (a == b)
        return 0;
    if (s->rules->exact_ages)
        return a > b ? -1 : 1;
    int d = magnitude(s->rules->now - a) - magnitude(s->rules->now - b);
    if (d)
        return sign(d);
    return uid[0] == uid[1] ? 0 : uid[0] < uid[1] ? -1 : 1;
}

static int by_place(const struct sorter *s, const struct replicaset_pod *a,
                    const struct replicaset_pod *b)
{
    if (a->assigned != b->assigned)
        return a->assigned ? 1 : -1;
    if (phase(a) != phase(b))
        return sign(phase(a) - phase(b));
    if (a->ready != b->ready)
        return a->ready ? 1 : -1;
    if (!s->rules->no_deletion_cost && a->deletion_cost != b->deletion_cost)
        return a->deletion_cost < b->deletion_cost ? -1 : 1;
    return sign(b->doubled - a->doubled);
}

/* Below 0: a goes first. */
static int compare(const struct sorter *s, uint32_t i, uint32_t j)
{
    const struct replicaset_pod *a = &s->pods[i], *b = &s->pods[j];
    const uint64_t uid[2] = {a->uid, b->uid};
    int d = by_place(s, a, b);
    if (d == 0 && a->ready && b->ready)
        d = by_age(s, a->ready_since, b->ready_since, uid);
    if (d == 0)
        d = sign((int64_t)b->restarts - a->restarts);
    if (d == 0)
        d = by_age(s, a->created, b->created, uid);
    return d ? d : i < j ? -1 : 1;
}

/* Insertion: a service has at most a few hundred pods, and shrinks a few times an hour. */
void replicaset_order(struct replicaset_pod *pods, size_t n, const struct replicaset_rules *rules,
                      uint32_t *order)
{
    assert(n < UINT32_MAX && rules);
    const struct sorter s = {pods, rules};
    count_doubled(pods, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && compare(&s, (uint32_t)i, order[at - 1]) < 0; at--)
            order[at] = order[at - 1];
        order[at] = (uint32_t)i;
    }
}

void replicaset_rank(struct replicaset_pod *pods, size_t n, sim_ns now, uint32_t *order)
{
    const struct replicaset_rules rules = {.now = now};
    replicaset_order(pods, n, &rules, order);
}
