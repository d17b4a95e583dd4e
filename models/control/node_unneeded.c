/* node_unneeded: eligibility, the list with its clocks, and the last gates before a deletion. */
#include "models/control/node_unneeded.h"

#include <assert.h>

/* A node marked longer ago than this is still there since its deletion failed. */
#define DELETION_LOST (5 * SIM_MINUTE)

static bool above(const struct node_scaler_config *c, const struct node_candidate *n)
{
    double threshold = n->gpu_node && c->gpu_rule != NODE_GPU_IGNORE ? c->gpu_utilization_threshold
                                                                     : c->utilization_threshold;
    double u = n->utilization->value;
    return c->threshold_included ? u > threshold : u >= threshold;
}

enum node_down_reason node_unneeded_eligible(const struct node_scaler_config *c,
                                             const struct node_candidate *n, sim_ns now)
{
    if (n->deleting_since != SIM_NEVER && now - n->deleting_since < DELETION_LOST)
        return NODE_DOWN_BEING_DELETED;
    if (n->scale_down_disabled)
        return NODE_DOWN_DISABLED;
    if (!n->autoscaled)
        return NODE_DOWN_NOT_AUTOSCALED;
    if (!n->ready && !c->scale_down_unready)
        return NODE_DOWN_UNREADY_DISABLED;
    if (!n->utilization)
        return NODE_DOWN_ERROR;
    return above(c, n) ? NODE_DOWN_NOT_UNDERUTILIZED : NODE_DOWN_UNNEEDED;
}

const struct node_unneeded *node_unneeded_find(const struct node_unneeded *list, size_t n,
                                               uint64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

void node_unneeded_update(const struct node_unneeded *before, size_t n_before,
                          struct node_unneeded *next, size_t n_next, sim_ns now)
{
    for (size_t i = 0; i < n_next; i++) {
        const struct node_unneeded *old = node_unneeded_find(before, n_before, next[i].id);
        next[i].since = old ? old->since : now;
    }
}

sim_ns node_unneeded_wait(const struct node_scaler_config *c, bool ready)
{
    return ready ? c->unneeded_time : c->unready_time;
}

enum node_down_reason node_unneeded_removable(const struct node_scaler_config *c,
                                              const struct node_removal *r)
{
    if (r->scale_down_disabled)
        return NODE_DOWN_DISABLED;
    if (!r->autoscaled)
        return NODE_DOWN_NOT_AUTOSCALED;
    if (r->unneeded_for <= node_unneeded_wait(c, r->ready))
        return r->ready ? NODE_DOWN_NOT_UNNEEDED_LONG_ENOUGH : NODE_DOWN_NOT_UNREADY_LONG_ENOUGH;
    if (r->group_size - r->deletions_in_progress <= r->group_min)
        return NODE_DOWN_MIN_SIZE_REACHED;
    return NODE_DOWN_DELETE;
}

int64_t node_unneeded_limit(const struct node_scaler_config *c, int64_t length)
{
    assert(c->scan_interval > 0 && length >= 0);
    int64_t n = c->max_deletions;
    int64_t loops = c->unneeded_time / c->scan_interval;
    int64_t most = n * (loops > 0 ? loops : 1) + n;
    int64_t limit = length + 2 * n;
    return limit < most ? limit : most;
}
