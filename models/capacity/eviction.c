/* eviction: pods lose their place. */
#include "models/capacity/eviction.h"

#include "models/capacity/cluster_inside.h"
#include "models/capacity/nodes.h"
#include "models/capacity/seat.h"
#include "models/capacity/startup.h"

void eviction_unlist(struct cluster *c, sim_ns now, uint32_t slot, enum pod_end why)
{
    struct pod *p = pods_at(c->pods, slot);
    p->listed = false;
    if (c->set.up.pod_unlisted)
        c->set.up.pod_unlisted(c->set.up.self, now, pods_ref(c->pods, slot), p->owner, why);
}

/* Owners that are told may move pods, so the node's list is searched anew for each. */
static uint32_t next_alive(const struct cluster *c, uint32_t node)
{
    uint32_t i = nodes_view(c->nodes, node)->first_pod;
    while (i != PODS_NONE && pods_view(c->pods, i)->phase == POD_DEAD)
        i = pods_view(c->pods, i)->node_next;
    return i;
}

static void lose_pod(struct cluster *c, sim_ns now, uint32_t slot)
{
    struct pod *p = pods_at(c->pods, slot);
    bool had_requests = p->listed || p->phase == POD_TERMINATING;
    startup_end(c->startup, now, slot);
    p->phase = POD_DEAD;
    recorder_log(c->set.recorder, now, false, p->name, "dead", "its machine vanished");
    if (had_requests)
        c->set.up.pod_dead(c->set.up.self, now, pods_ref(c->pods, slot), p->owner);
}

void eviction_lost(void *self, sim_ns now, uint32_t node)
{
    struct cluster *c = self;
    for (uint32_t i; (i = next_alive(c, node)) != PODS_NONE;)
        lose_pod(c, now, i);
}

static uint32_t next_listed(const struct cluster *c, uint32_t node)
{
    uint32_t i = nodes_view(c->nodes, node)->first_pod;
    while (i != PODS_NONE && !pods_view(c->pods, i)->listed)
        i = pods_view(c->pods, i)->node_next;
    return i;
}

void eviction_not_ready(void *self, sim_ns now, uint32_t node)
{
    struct cluster *c = self;
    for (uint32_t i; (i = next_listed(c, node)) != PODS_NONE;)
        eviction_unlist(c, now, i, POD_END_NODE_LOST);
}

/* The pod object goes and its owner is told. */
static void take_away(struct cluster *c, sim_ns now, uint32_t slot, enum pod_end why)
{
    struct pod_ref ref = pods_ref(c->pods, slot);
    uint32_t owner = pods_view(c->pods, slot)->owner;
    seat_remove(c, now, slot);
    c->set.up.pod_gone(c->set.up.self, now, ref, owner, why);
}

void eviction_object_gone(void *self, sim_ns now, uint32_t node)
{
    struct cluster *c = self;
    for (uint32_t i; (i = nodes_view(c->nodes, node)->first_pod) != PODS_NONE;)
        take_away(c, now, i, POD_END_NODE_LOST);
}

void eviction_terminate(struct cluster *c, sim_ns now, struct pod *p, enum pod_end why)
{
    p->phase = POD_TERMINATING;
    p->terminating_since = now;
    p->end = why;
    p->listed = false;
    seat_account(c, now, p);
}

/* An eviction that would leave fewer ready pods than the owner's budget demands is refused, whoever
 * asks: the autoscaler or the handler of a spot notice. */
static bool may_evict(const struct cluster *c, const struct pod *p)
{
    const struct pod_shape *s = cluster_shape(c, p);
    if (s->min_available == 0 || p->phase != POD_READY)
        return true;
    return pods_ready(c->pods, p->owner) > (size_t)s->min_available;
}

static uint32_t next_staying(const struct cluster *c, uint32_t node)
{
    uint32_t i = nodes_view(c->nodes, node)->first_pod;
    for (; i != PODS_NONE; i = pods_view(c->pods, i)->node_next) {
        const struct pod *p = pods_view(c->pods, i);
        if (p->phase < POD_TERMINATING && may_evict(c, p))
            return i;
    }
    return PODS_NONE;
}

static bool all_asked(const struct cluster *c, uint32_t node)
{
    uint32_t i = nodes_view(c->nodes, node)->first_pod;
    while (i != PODS_NONE && pods_view(c->pods, i)->phase >= POD_TERMINATING)
        i = pods_view(c->pods, i)->node_next;
    return i == PODS_NONE;
}

/* A node that loses its last pod here may go, so it is looked up by its key each time. */
bool eviction_drain(void *self, sim_ns now, uint32_t node, enum pod_end why)
{
    struct cluster *c = self;
    uint64_t key = nodes_key(c->nodes, node);
    while (nodes_find(c->nodes, key, &node)) {
        uint32_t i = next_staying(c, node);
        if (i == PODS_NONE)
            return all_asked(c, node);
        struct pod *p = pods_at(c->pods, i);
        recorder_log(c->set.recorder, now, false, p->name, "evicted", "its node is drained");
        if (p->phase == POD_READY) {
            eviction_terminate(c, now, p, why);
            c->set.up.pod_evicted(c->set.up.self, now, pods_ref(c->pods, i), p->owner, why);
        } else {
            take_away(c, now, i, why);
        }
    }
    return true;
}

void eviction_preempt(struct cluster *c, sim_ns now, uint32_t slot, const char *by)
{
    struct pod *p = pods_at(c->pods, slot);
    recorder_log(c->set.recorder, now, true, p->name, "preempted", "by %s", by);
    if (p->phase == POD_READY) {
        eviction_terminate(c, now, p, POD_END_PREEMPTED);
        c->set.up.pod_evicted(c->set.up.self, now, pods_ref(c->pods, slot), p->owner,
                              POD_END_PREEMPTED);
    } else {
        take_away(c, now, slot, POD_END_PREEMPTED);
    }
}

static uint32_t next_overdue(const struct cluster *c, uint32_t node, sim_ns since)
{
    uint32_t i = nodes_view(c->nodes, node)->first_pod;
    for (; i != PODS_NONE; i = pods_view(c->pods, i)->node_next) {
        const struct pod *p = pods_view(c->pods, i);
        if (p->phase == POD_TERMINATING && p->terminating_since <= since)
            return i;
    }
    return PODS_NONE;
}

void eviction_kill(void *self, sim_ns now, uint32_t node, sim_ns grace)
{
    struct cluster *c = self;
    uint64_t key = nodes_key(c->nodes, node);
    while (nodes_find(c->nodes, key, &node)) {
        uint32_t i = next_overdue(c, node, now - grace);
        if (i == PODS_NONE)
            return;
        struct pod *p = pods_at(c->pods, i);
        recorder_log(c->set.recorder, now, true, p->name, "killed",
                     "it did not end within %lld s of its eviction",
                     (long long)(grace / SIM_SECOND));
        take_away(c, now, i, p->end);
    }
}

/* ---- pods with a place of their own ---- */

bool eviction_own(void *self, sim_ns now, uint32_t slot, enum pod_end why)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    if (p->phase >= POD_TERMINATING)
        return true;
    if (!may_evict(c, p))
        return false;
    recorder_log(c->set.recorder, now, false, p->name, "evicted", "its instance is taken back");
    if (p->phase != POD_READY) {
        take_away(c, now, slot, why);
        return true;
    }
    eviction_terminate(c, now, p, why);
    c->set.up.pod_evicted(c->set.up.self, now, pods_ref(c->pods, slot), p->owner, why);
    return true;
}

void eviction_lose(void *self, sim_ns now, uint32_t slot)
{
    lose_pod(self, now, slot);
}

void eviction_gone(void *self, sim_ns now, uint32_t slot, enum pod_end why)
{
    take_away(self, now, slot, why);
}
