/* supply_pool: elastic node pools under the node autoscaler: buys what a scan asks for, gives back
 * what it names, and loses spot nodes to their market. */
#include "models/capacity/cluster_config.h"
#include "models/capacity/drill.h"
#include "models/capacity/fleet.h"
#include "models/capacity/group.h"
#include "models/capacity/group_choose.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pods.h"
#include "models/capacity/pool_share.h"
#include "models/capacity/pools.h"
#include "models/capacity/purchase.h"
#include "models/capacity/reclaim.h"
#include "models/capacity/relief.h"
#include "models/capacity/scaling_task.h"
#include "models/capacity/scan_view.h"
#include "models/capacity/shortage.h"
#include "models/capacity/spot_return.h"
#include "models/capacity/supply.h"
#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"
#include "sim/chance.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

struct supply_pool {
    struct pools pools;
    struct node_scaler_config scaler;
    struct node_scaler_memory *memory; /* NULL: no autoscaler */
    struct scan_view *view;
    const char **names;
    struct sim_handle scan;
    sim_ns last_scan;  /* SIM_NEVER: none yet */
    sim_ns newest_pod; /* that has been found unschedulable; -1: none */
};

static struct sim *clock_of(const struct supply_pool *s)
{
    return s->pools.set.cluster->sim;
}

static struct recorder *recorder_of(const struct supply_pool *s)
{
    return s->pools.set.cluster->recorder;
}

/* ---- return ---- */

/* An eviction that a disruption budget refused is tried again (cluster-autoscaler,
 * core/scaledown/actuation/drain.go). */
#define EVICTION_PAUSE (10 * SIM_SECOND)

/* The taint comes off, the node takes pods again, and N25 makes the next deletion wait. */
static void give_up_drain(struct supply_pool *s, sim_ns now, uint32_t slot)
{
    struct node *n = nodes_at(s->pools.set.nodes, slot);
    s->pools.failed_drains[n->pool]++;
    n->draining = false;
    n->deletion = NODE_DELETION_NONE;
    n->deleting_since = SIM_NEVER;
    recorder_log(recorder_of(s), now, true, n->name, "drain failed",
                 "a disruption budget refused an eviction for %lld s",
                 (long long)(s->scaler.eviction_retry / SIM_SECOND));
    if (!n->noticed)
        fleet_uncordon(s->pools.set.fleet, now, slot);
}

static void on_overdue(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->pools.set.nodes, key, &slot);
    if (n && n->state != NODE_VANISHED && n->draining)
        s->pools.set.kill(s->pools.set.self, now, slot, s->scaler.max_graceful_termination);
}

static void on_evict(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->pools.set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED || !n->draining)
        return;
    sim_ns until = n->deleting_since + s->scaler.delay_after_taint + s->scaler.eviction_retry;
    bool asked = s->pools.set.drain(s->pools.set.self, now, slot, POD_END_NODE_DRAIN);
    if (!nodes_find(s->pools.set.nodes, key, &slot))
        return;
    sim_at(clock_of(s), now + s->scaler.max_graceful_termination, SIM_PHASE, on_overdue, s, key);
    if (asked)
        return;
    if (now + EVICTION_PAUSE > until)
        give_up_drain(s, now, slot);
    else
        sim_at(clock_of(s), now + EVICTION_PAUSE, SIM_SCAN, on_evict, s, key);
}

/* The pause after the taint is over. */
static void on_tainted(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    struct node *n = nodes_find(s->pools.set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    if (n->n_pods == 0) {
        purchase_return(&s->pools, now, slot, "empty and no longer needed");
        return;
    }
    n->draining = true;
    on_evict(s, now, key);
}

/* The kind of deletion is known from the taint on: a second drain must not start meanwhile. */
static void delete_node(struct supply_pool *s, sim_ns now, uint32_t slot,
                        const struct node_scaler_delete *d)
{
    struct node *n = nodes_at(s->pools.set.nodes, slot);
    sim_ns unneeded_since = d->unneeded_since;
    n->deletion = d->how;
    n->deleting_since = now;
    recorder_log(recorder_of(s), now, true, n->name, "tainted for deletion",
                 "unneeded for %lld s; %u pods to move",
                 (long long)((now - unneeded_since) / SIM_SECOND), (unsigned)n->n_pods);
    fleet_cordon(s->pools.set.fleet, now, slot);
    sim_at(clock_of(s), now + s->scaler.delay_after_taint, SIM_SCAN, on_tainted, s,
           nodes_key(s->pools.set.nodes, slot));
}

static void pool_emptied(void *self, sim_ns now, uint32_t slot)
{
    struct supply_pool *s = self;
    const struct node *n = nodes_view(s->pools.set.nodes, slot);
    if (n->draining)
        purchase_return(&s->pools, now, slot, "drained: its pods have moved");
}

/* ---- scan ---- */

/* Booting machines of the group, the latest first, are cancelled. */
static void cancel(struct supply_pool *s, sim_ns now, uint32_t group, int32_t n)
{
    for (; n > 0; n--) {
        uint32_t latest = NODES_NONE;
        for (uint32_t i = nodes_next(s->pools.set.nodes, NODES_NONE); i != NODES_NONE;
             i = nodes_next(s->pools.set.nodes, i)) {
            const struct node *node = nodes_view(s->pools.set.nodes, i);
            if (node->pool == group && node->state == NODE_BOOTING)
                latest = i;
        }
        if (latest == NODES_NONE)
            return;
        purchase_return(&s->pools, now, latest, "the autoscaler gave up waiting for it");
    }
}

static void carry_out_cuts(struct supply_pool *s, sim_ns now, const struct node_scaler_plan *plan)
{
    for (size_t i = 0; i < plan->n_cuts; i++) {
        const struct node_scaler_cut *cut = &plan->cuts[i];
        int32_t refused = s->pools.failed[cut->group];
        int32_t dropped = cut->count < refused ? cut->count : refused;
        s->pools.failed[cut->group] -= dropped;
        int32_t later = s->pools.deferred[cut->group], rest = cut->count - dropped;
        int32_t unbought = later < rest ? later : rest;
        s->pools.deferred[cut->group] -= unbought;
        recorder_log(recorder_of(s), now, true, s->names[cut->group], "target lowered", "by %d: %s",
                     (int)cut->count, node_scaler_cut_name(cut->why));
        cancel(s, now, cut->group, rest - unbought);
    }
}

static void carry_out_scale_ups(struct supply_pool *s, sim_ns now,
                                const struct node_scaler_plan *plan)
{
    for (size_t i = 0; i < plan->n_scale_ups; i++) {
        const struct node_scaler_up *up = &plan->scale_ups[i];
        recorder_log(recorder_of(s), now, true, s->names[up->group], "scale up", "%s", plan->words);
        purchase_batch(&s->pools, now, &s->pools.groups[up->group], up->count);
    }
}

static void on_scan(void *self, sim_ns now, uint64_t arg)
{
    struct supply_pool *s = self;
    struct node_scaler_plan plan;
    (void)arg;
    const struct node_scaler_view *view = scan_view_fill(s->view, now);
    node_scaler_scan(&s->scaler, s->memory, view, &plan);
    memset(s->pools.new_failed, 0, s->pools.n_groups * sizeof *s->pools.new_failed);
    memset(s->pools.failed_drains, 0, s->pools.n_groups * sizeof *s->pools.failed_drains);
    recorder_log(recorder_of(s), now, false, "clusterAutoscaler", "scan", "%s", plan.words);
    carry_out_cuts(s, now, &plan);
    carry_out_scale_ups(s, now, &plan);
    for (size_t i = 0; i < plan.n_deletions; i++)
        delete_node(s, now, scan_view_slot(s->view, plan.deletions[i].node), &plan.deletions[i]);
    s->last_scan = now;
    s->scan = sim_at(clock_of(s), plan.next_scan, SIM_SCAN, on_scan, s, 0);
}

/* N1: with frequent loops a pod that is found unschedulable for the first time brings the next scan
 * forward. */
static bool pool_takes(void *self, sim_ns now, uint32_t pod)
{
    struct supply_pool *s = self;
    const struct pod *p = pods_view(s->pools.set.pods, pod);
    if (!s->memory || !s->scaler.frequent_loops || s->last_scan == SIM_NEVER ||
        p->created <= s->newest_pod)
        return false;
    s->newest_pod = p->created;
    sim_ns soonest = s->last_scan + s->scaler.min_loop;
    if (!sim_cancel(clock_of(s), s->scan))
        return false; /* the scan of this very moment is under way */
    s->scan = sim_at(clock_of(s), soonest > now ? soonest : now, SIM_SCAN, on_scan, s, 0);
    return false;
}

/* ---- what others may count on ---- */

static bool pool_coming(void *self, sim_ns now, uint32_t pod)
{
    const struct supply_pool *s = self;
    struct relief r = {
        .groups = s->pools.groups,
        .n_groups = s->pools.n_groups,
        .nodes = s->pools.set.nodes,
        .pods = s->pools.set.pods,
        .shapes = s->pools.set.cluster->shapes,
        .buys = s->memory != NULL,
    };
    return relief_comes(&r, now, pod);
}

/* ---- set-up ---- */

static bool pool_wanted(const struct cluster_config *c)
{
    return c->pools.count > 0;
}

/* Pools of a region share its quotas. */
static struct account *account_of(struct supply_pool *s, size_t i)
{
    const struct cluster_config *c = s->pools.set.cluster->config;
    const struct pool_config *pools = c->pools.items;
    size_t first = 0;
    while (strcmp(pools[first].region, pools[i].region) != 0)
        first++;
    s->pools.accounts[first].config = &c->account;
    s->pools.accounts[first].region = pools[first].region;
    return &s->pools.accounts[first];
}

static int make_groups(struct supply_pool *s, struct err *e)
{
    const struct cluster_setup *c = s->pools.set.cluster;
    const struct pool_config *pools = c->config->pools.items;
    for (size_t i = 0; i < c->config->pools.count; i++) {
        struct group_setup set = {
            .config = &pools[i],
            .account = account_of(s, i),
            .index = (uint32_t)i,
            .catalog = c->catalog,
            .currency = c->config->currency ? c->config->currency : "CNY",
            .traces = c->config->traces ? c->config->traces[i] : NULL,
            .horizon = c->horizon,
            .seed = c->seed,
            .replication = c->replication,
        };
        s->names[i] = pools[i].name;
        s->pools.n_groups++;
        if (group_init(&s->pools.groups[i], &set, e))
            return -1;
    }
    return 0;
}

static struct chance scan_chance(const struct supply_pool *s)
{
    const struct cluster_setup *c = s->pools.set.cluster;
    return chance_stream(c->seed, c->replication, CHANCE_PHASE, UINT64_MAX);
}

/* Sum of targets at most: refused purchases count in a target though no node exists for them, so
 * the node table's size does not bound it. */
static size_t most_wanted(const struct supply_pool *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->pools.n_groups; i++) {
        const struct pool_config *c = s->pools.groups[i].config;
        n += (size_t)c->max_size + (size_t)c->min_size + (size_t)c->initial_size;
    }
    return n;
}

static int make_scaler(struct supply_pool *s, struct err *e)
{
    const struct cluster_setup *c = s->pools.set.cluster;
    if (!c->config->autoscaler)
        return 0;
    if (node_settings_resolve(c->config->autoscaler, &s->scaler, e))
        return -1;
    struct scan_view_setup view = {
        .nodes = s->pools.set.nodes,
        .pods = s->pools.set.pods,
        .shapes = c->shapes,
        .owner_of = s->pools.set.owner_of,
        .n_owners = c->n_shapes,
        .groups = s->pools.groups,
        .n_groups = s->pools.n_groups,
        .failed = s->pools.failed,
        .deferred = s->pools.deferred,
        .new_failed = s->pools.new_failed,
        .failed_deletions = s->pools.failed_drains,
    };
    s->view = scan_view_create(&view, e);
    if (!s->view)
        return -1;
    struct node_scaler_setup set = {
        .config = &s->scaler,
        .group_names = s->names,
        .n_groups = s->pools.n_groups,
        .max_nodes = nodes_capacity(s->pools.set.nodes) + most_wanted(s),
        .max_pods = pods_capacity(s->pools.set.pods) + nodes_capacity(s->pools.set.nodes),
        .max_pending = pods_capacity(s->pools.set.pods),
        .n_owners = scan_view_owners(s->view),
        .chance = chance_sub(scan_chance(s), 1),
        .start = 0,
    };
    void *storage = calloc(1, node_scaler_memory_size(&set));
    if (!storage)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for the node autoscaler");
    s->memory = node_scaler_init(&set, storage);
    return 0;
}

static void pool_destroy(void *self)
{
    struct supply_pool *s = self;
    if (!s)
        return;
    for (size_t i = 0; i < s->pools.n_groups; i++)
        group_fini(&s->pools.groups[i]);
    scan_view_destroy(s->view);
    free(s->memory);
    free(s->pools.groups);
    free(s->pools.failed);
    free(s->pools.new_failed);
    free(s->pools.failed_drains);
    free(s->pools.refilling);
    free(s->pools.drift);
    free(s->pools.accounts);
    free(s->pools.deferred);
    free(s->names);
    free(s);
}

static void *pool_create(const struct supply_setup *set, struct err *e)
{
    struct supply_pool *s = calloc(1, sizeof *s);
    size_t n = set->cluster->config->pools.count;
    if (s) {
        s->pools.set = *set;
        s->pools.supply = s;
        s->last_scan = SIM_NEVER;
        s->newest_pod = -1;
        s->pools.groups = calloc(n, sizeof *s->pools.groups);
        s->pools.failed = calloc(n, sizeof *s->pools.failed);
        s->pools.new_failed = calloc(n, sizeof *s->pools.new_failed);
        s->pools.failed_drains = calloc(n, sizeof *s->pools.failed_drains);
        s->pools.refilling = calloc(n, sizeof *s->pools.refilling);
        s->pools.drift = calloc(n, sizeof *s->pools.drift);
        s->pools.accounts = calloc(n, sizeof *s->pools.accounts);
        s->pools.deferred = calloc(n, sizeof *s->pools.deferred);
        s->names = calloc(n, sizeof *s->names);
    }
    if (!s || !s->pools.groups || !s->pools.failed || !s->pools.new_failed ||
        !s->pools.failed_drains || !s->pools.refilling || !s->pools.drift || !s->pools.accounts ||
        !s->pools.deferred || !s->names) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pools", n);
    } else if (make_groups(s, e) == 0 && make_scaler(s, e) == 0) {
        return s;
    }
    pool_destroy(s);
    return NULL;
}

static void pool_start(void *self, sim_ns now)
{
    struct supply_pool *s = self;
    pool_share_start(&s->pools);
    for (size_t i = 0; i < s->pools.n_groups; i++) {
        char words[256];
        if (group_choose_dear(&s->pools.groups[i], words, sizeof words))
            recorder_finding(recorder_of(s), "warning", "plan-order", "%s", words);
        purchase_initial(&s->pools, now, &s->pools.groups[i]);
        pool_share_note(&s->pools, now, &s->pools.groups[i]);
        shortage_start(&s->pools, now, (uint32_t)i);
        scaling_task_start(&s->pools, now, &s->pools.groups[i]);
        if (s->pools.groups[i].config->auto_replace && s->pools.groups[i].market)
            spot_return_start(&s->pools, now, (uint32_t)i);
    }
    if (!s->memory)
        return;
    /* Scans of a running cluster stand at any phase of their interval. */
    sim_ns first = (sim_ns)chance_below(scan_chance(s), 0, (uint64_t)s->scaler.scan_interval);
    s->scan = sim_at(clock_of(s), now + first, SIM_SCAN, on_scan, s, 0);
}

static void pool_drill(void *self, sim_ns now, const struct drill *d)
{
    struct supply_pool *s = self;
    reclaim_drill(&s->pools, now, d);
}

static void pool_close(void *self, sim_ns now)
{
    struct supply_pool *s = self;
    pool_share_close(&s->pools, now);
    recorder_figure(recorder_of(s), "nodes.compensations", "nodes", FIGURE_SUM,
                    (double)s->pools.compensations);
    recorder_figure(recorder_of(s), "nodes.migrations", "nodes", FIGURE_SUM,
                    (double)s->pools.migrations);
    reclaim_close(&s->pools);
    recorder_figure(recorder_of(s), "nodes.failures", "nodes", FIGURE_SUM,
                    (double)s->pools.failures);
    recorder_figure(recorder_of(s), "nodes.refusals", "nodes", FIGURE_SUM,
                    (double)s->pools.refusals);
}

const struct supply_kind supply_pool = {
    .name = "pool",
    .wanted = pool_wanted,
    .create = pool_create,
    .destroy = pool_destroy,
    .start = pool_start,
    .takes = pool_takes,
    .coming = pool_coming,
    .emptied = pool_emptied,
    .drill = pool_drill,
    .close = pool_close,
};
