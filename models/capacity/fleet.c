/* fleet: the life of machines. */
#include "models/capacity/fleet.h"

#include "models/capacity/half_life.h"
#include "models/capacity/instance.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/room.h"
#include "models/capacity/startup.h"
#include "models/money/ledger.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the future of a node holds, drawn when it is bought. */
struct fate {
    sim_ns gpu_ready, object_gone;
    bool for_pods;
};

struct fleet {
    struct fleet_setup set;
    struct fate *fates; /* by node slot */
    uint32_t *uses;     /* scratch of fleet_account */
    rec_id total, on_demand, spot, share;
    rec_id allocatable, free, gaps, stranded; /* GPUs in thousandths */
    int64_t free_milli, gaps_milli;
    bool waiting;
    rec_id *by_pool;
    uint64_t bought, losses, duplicates;
    struct half_life lives;
};

struct fleet *fleet_create(const struct fleet_setup *s, struct err *e)
{
    struct fleet *f = calloc(1, sizeof *f);
    if (f) {
        f->set = *s;
        f->fates = calloc(nodes_capacity(s->nodes) + 1, sizeof *f->fates);
        f->uses = calloc(LEDGER_USES + s->n_owners, sizeof *f->uses);
        f->by_pool = calloc(s->n_pools + 1, sizeof *f->by_pool);
    }
    if (!f || !f->fates || !f->uses || !f->by_pool) {
        fleet_destroy(f);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pools", s->n_pools);
        return NULL;
    }
    if (s->n_pools == 0)
        return f;
    f->total = recorder_level(s->recorder, "nodes.total", "nodes", 0);
    f->on_demand = recorder_level(s->recorder, "nodes.onDemand", "nodes", 0);
    f->spot = recorder_level(s->recorder, "nodes.spot", "nodes", 0);
    f->share = recorder_samples(s->recorder, "nodes.onDemandShare", "1");
    f->allocatable = recorder_level(s->recorder, "gpus.allocatable", "mGPU", 0);
    f->free = recorder_level(s->recorder, "gpus.free", "mGPU", 0);
    f->gaps = recorder_level(s->recorder, "gpus.fragmented", "mGPU", 0);
    f->stranded = recorder_level(s->recorder, "gpus.stranded", "mGPU", 0);
    for (size_t i = 0; i < s->n_pools; i++) {
        char path[128];
        snprintf(path, sizeof path, "nodes.%s", s->pools[i].name);
        f->by_pool[i] = recorder_level(s->recorder, path, "nodes", 0);
    }
    return f;
}

void fleet_destroy(struct fleet *f)
{
    if (!f)
        return;
    free(f->fates);
    free(f->uses);
    free(f->by_pool);
    free(f);
}

static void count(struct fleet *f, sim_ns now, const struct node *n, int64_t by)
{
    recorder_change(f->set.recorder, f->total, now, by);
    if (!n->given)
        recorder_change(f->set.recorder, n->billing == PRICE_SPOT ? f->spot : f->on_demand, now,
                        by);
    recorder_change(f->set.recorder, f->by_pool[n->pool], now, by);
    int64_t total = recorder_now(f->set.recorder, f->total);
    if (total > 0 && !n->given)
        recorder_sample(f->set.recorder, f->share, now,
                        (double)recorder_now(f->set.recorder, f->on_demand) / (double)total);
}

/* ---- free GPUs ---- */

static void show_free(struct fleet *f, sim_ns now)
{
    recorder_set(f->set.recorder, f->free, now, f->free_milli);
    recorder_set(f->set.recorder, f->gaps, now, f->gaps_milli);
    recorder_set(f->set.recorder, f->stranded, now, f->waiting ? f->free_milli : 0);
}

static void count_free(struct fleet *f, sim_ns now, struct node *n, bool there)
{
    int64_t open = there && nodes_ready(n) && !n->cordoned ? room_free_milli(n) : 0;
    int64_t gap = n->n_pods > 0 ? open : 0;
    f->free_milli += open - n->free_milli;
    f->gaps_milli += gap - n->gaps_milli;
    n->free_milli = open;
    n->gaps_milli = gap;
    show_free(f, now);
}

void fleet_waiting(struct fleet *f, sim_ns now, bool waiting)
{
    f->waiting = waiting;
    if (f->set.n_pools > 0)
        show_free(f, now);
}

/* ---- accounts ---- */

static uint32_t units_of(const struct instance_type *t)
{
    return t->gpus > 0 ? (uint32_t)t->gpus : 1;
}

static size_t use_of_pod(const struct pod *p)
{
    switch (p->phase) {
    case POD_READY:
        return LEDGER_USES + p->owner;
    case POD_TERMINATING:
        return LEDGER_DRAINING;
    default:
        return LEDGER_STARTING;
    }
}

static enum ledger_use use_of_rest(const struct node *n)
{
    if (n->state == NODE_BOOTING || n->state == NODE_PLAIN)
        return LEDGER_STARTING;
    if (n->deleting_since != SIM_NEVER || n->noticed)
        return LEDGER_DRAINING;
    return n->n_pods > 0 ? LEDGER_FRAGMENTATION : LEDGER_IDLE;
}

/* A machine without GPUs is one unit, held by its most advanced pod. */
static void use_whole(struct fleet *f, const struct node *n)
{
    size_t use = use_of_rest(n);
    bool serving = false;
    for (uint32_t i = n->first_pod; i != PODS_NONE && !serving;) {
        const struct pod *p = pods_view(f->set.pods, i);
        use = use_of_pod(p);
        serving = p->phase == POD_READY;
        i = p->node_next;
    }
    f->uses[use] = 1;
}

/* A GPU that is shared is held by the pod on it that is ready and has the largest share, the first
 * of equals; by another one while none is ready. */
static void use_shared(struct fleet *f, const struct node *n)
{
    const struct pod *holder[NODES_GPUS_MAX] = {0};
    for (uint32_t i = n->first_pod; i != PODS_NONE;) {
        const struct pod *p = pods_view(f->set.pods, i);
        const struct pod *other = p->device == PODS_NONE ? NULL : holder[p->device];
        int32_t share = f->set.shapes[p->shape].share_milli;
        bool ready = p->phase == POD_READY, other_ready = other && other->phase == POD_READY;
        if (p->device != PODS_NONE &&
            (!other || ready > other_ready ||
             (ready == other_ready && share > f->set.shapes[other->shape].share_milli)))
            holder[p->device] = p;
        i = p->node_next;
    }
    for (uint32_t i = 0; i < NODES_GPUS_MAX; i++)
        if (holder[i])
            f->uses[use_of_pod(holder[i])]++;
}

static void use_by_gpu(struct fleet *f, const struct node *n)
{
    uint32_t whole = 0;
    for (uint32_t i = n->first_pod; i != PODS_NONE;) {
        const struct pod *p = pods_view(f->set.pods, i);
        uint32_t gpus = p->device == PODS_NONE ? (uint32_t)f->set.shapes[p->shape].gpus : 0;
        f->uses[use_of_pod(p)] += gpus;
        whole += gpus;
        i = p->node_next;
    }
    if (n->gpus_shared > 0)
        use_shared(f, n);
    uint32_t held = whole + (uint32_t)n->gpus_shared;
    assert(held <= units_of(n->type)); /* no GPU is held twice */
    f->uses[use_of_rest(n)] += units_of(n->type) - held;
}

void fleet_account(struct fleet *f, sim_ns now, uint32_t node)
{
    struct node *n = nodes_at(f->set.nodes, node);
    count_free(f, now, n, true);
    if (!ledger_is_open(f->set.ledger, node))
        return; /* vanished: nothing is paid any more */
    memset(f->uses, 0, (LEDGER_USES + f->set.n_owners) * sizeof *f->uses);
    if (n->type->gpus > 0)
        use_by_gpu(f, n);
    else
        use_whole(f, n);
    ledger_use(f->set.ledger, node, now, f->uses);
}

static void open_account(struct fleet *f, sim_ns now, uint32_t node, const struct fleet_order *o)
{
    const struct node *n = nodes_view(f->set.nodes, node);
    if (n->given)
        return;
    struct ledger_item item = {
        .resource = n->name,
        .type = n->type->name,
        .zone = n->config->zones.items[n->zone],
        .group = n->pool,
        .billing = n->billing,
        .units = units_of(n->type),
        .micro_per_hour = n->micro_per_hour,
        .premium_micro_per_hour = o->premium_micro_per_hour,
        .billing_step = n->config->billing_step,
    };
    ledger_open(f->set.ledger, node, now, &item);
}

static void end_account(struct fleet *f, sim_ns now, uint32_t node)
{
    struct node *n = nodes_at(f->set.nodes, node);
    count_free(f, now, n, false);
    recorder_change(f->set.recorder, f->allocatable, now, -(n->gpus * INT64_C(1000)));
    bool useless = f->fates[node].for_pods && !n->ever_used;
    f->duplicates += useless;
    half_life_ended(&f->lives, now - n->bought);
    ledger_end(f->set.ledger, node, now, useless);
    count(f, now, n, -1);
}

/* ---- boot ---- */

static void complete(struct fleet *f, sim_ns now, uint32_t node)
{
    struct node *n = nodes_at(f->set.nodes, node);
    n->state = NODE_COMPLETE;
    n->completed = now;
    n->gpus = n->type->gpus;
    recorder_change(f->set.recorder, f->allocatable, now, n->gpus * INT64_C(1000));
    fleet_account(f, now, node);
    f->set.usable(f->set.self, now, node);
}

static void on_gpu_ready(void *self, sim_ns now, uint64_t key)
{
    struct fleet *f = self;
    uint32_t node;
    struct node *n = nodes_find(f->set.nodes, key, &node);
    if (!n || n->state != NODE_PLAIN)
        return;
    recorder_span(f->set.recorder, n->name, "gpuReady", n->registered, now);
    recorder_log(f->set.recorder, now, true, n->name, "GPUs allocatable",
                 "driver and device plugin are up");
    complete(f, now, node);
}

static void register_node(struct fleet *f, sim_ns now, uint32_t node)
{
    struct node *n = nodes_at(f->set.nodes, node);
    const struct pool_config *c = n->config;
    n->state = NODE_PLAIN;
    n->registered = now;
    n->cpu_milli = pool_cpu_milli(c, n->type);
    n->memory = pool_memory(c, n->type);
    n->cpu_used = c->daemon_cpu_milli;
    n->memory_used = c->daemon_memory;
}

static void on_boot(void *self, sim_ns now, uint64_t key)
{
    struct fleet *f = self;
    uint32_t node;
    struct node *n = nodes_find(f->set.nodes, key, &node);
    if (!n || n->state != NODE_BOOTING)
        return;
    recorder_span(f->set.recorder, n->name, "boot", n->bought, now);
    recorder_log(f->set.recorder, now, true, n->name, "Ready", "booted");
    register_node(f, now, node);
    sim_ns wait = f->fates[node].gpu_ready;
    if (n->type->gpus == 0 || wait == 0) {
        complete(f, now, node);
        return;
    }
    fleet_account(f, now, node);
    f->set.usable(f->set.self, now, node);
    sim_at(f->set.sim, now + wait, SIM_PHASE, on_gpu_ready, f, key);
}

uint32_t fleet_buy(struct fleet *f, sim_ns now, const struct fleet_order *o)
{
    assert(o->pool < f->set.n_pools && o->boot >= 0 && o->gpu_ready >= 0);
    uint32_t node = nodes_add(f->set.nodes);
    if (node == NODES_NONE)
        return NODES_NONE;
    struct node *n = nodes_at(f->set.nodes, node);
    n->supply = o->supply;
    n->pool = o->pool;
    n->number = o->number;
    n->config = &f->set.pools[o->pool];
    n->type = o->type;
    n->type_index = o->type_index;
    n->zone = o->zone;
    n->billing = o->billing;
    n->micro_per_hour = o->micro_per_hour;
    n->initial = o->initial;
    n->compensating = o->compensating;
    n->given = o->given;
    n->bought = now;
    snprintf(n->name, sizeof n->name, "%.36s-%u", n->config->name, (unsigned)o->number);
    f->fates[node] = (struct fate){o->gpu_ready, o->object_gone, o->for_pods};
    f->bought++;
    startup_node_new(f->set.startup, node);
    open_account(f, now, node, o);
    count(f, now, n, 1);
    if (o->initial) {
        register_node(f, now, node);
        complete(f, now, node);
    } else {
        sim_at(f->set.sim, now + o->boot, SIM_PHASE, on_boot, f, nodes_key(f->set.nodes, node));
    }
    return node;
}

/* ---- while it lives, and its end ---- */

void fleet_price(struct fleet *f, sim_ns now, uint32_t node, int64_t micro_per_hour)
{
    struct node *n = nodes_at(f->set.nodes, node);
    n->micro_per_hour = micro_per_hour;
    ledger_price(f->set.ledger, node, now, micro_per_hour);
}

void fleet_cordon(struct fleet *f, sim_ns now, uint32_t node)
{
    nodes_at(f->set.nodes, node)->cordoned = true;
    fleet_account(f, now, node);
}

void fleet_uncordon(struct fleet *f, sim_ns now, uint32_t node)
{
    nodes_at(f->set.nodes, node)->cordoned = false;
    fleet_account(f, now, node);
    f->set.usable(f->set.self, now, node);
}

void fleet_delete(struct fleet *f, sim_ns now, uint32_t node)
{
    const struct node *n = nodes_view(f->set.nodes, node);
    assert(n->n_pods == 0 && n->state != NODE_VANISHED);
    end_account(f, now, node);
    nodes_drop(f->set.nodes, node);
}

static void on_not_ready(void *self, sim_ns now, uint64_t key)
{
    struct fleet *f = self;
    uint32_t node;
    if (nodes_find(f->set.nodes, key, &node))
        f->set.not_ready(f->set.self, now, node);
}

static void on_object_gone(void *self, sim_ns now, uint64_t key)
{
    struct fleet *f = self;
    uint32_t node;
    struct node *n = nodes_find(f->set.nodes, key, &node);
    if (!n)
        return;
    recorder_log(f->set.recorder, now, true, n->name, "node object deleted",
                 "the control plane has noticed that the machine is gone");
    f->set.evicted(f->set.self, now, node);
    assert(n->n_pods == 0);
    nodes_drop(f->set.nodes, node);
}

void fleet_lose(struct fleet *f, sim_ns now, uint32_t node)
{
    f->losses++;
    fleet_release(f, now, node);
}

void fleet_release(struct fleet *f, sim_ns now, uint32_t node)
{
    struct node *n = nodes_at(f->set.nodes, node);
    uint64_t key = nodes_key(f->set.nodes, node);
    assert(n->state != NODE_VANISHED);
    bool registered = n->registered != SIM_NEVER;
    end_account(f, now, node);
    n->state = NODE_VANISHED;
    if (!registered) { /* it never had a node object */
        nodes_drop(f->set.nodes, node);
        return;
    }
    f->set.lost(f->set.self, now, node);
    /* Pods go with the node object, or by the toleration of a NotReady node if that is sooner. */
    const struct pool_config *c = n->config;
    sim_ns gone = f->fates[node].object_gone;
    sim_ns tolerated = c->not_ready_after + c->toleration;
    gone = gone < tolerated ? gone : tolerated;
    if (c->not_ready_after < gone)
        sim_at(f->set.sim, now + c->not_ready_after, SIM_PHASE, on_not_ready, f, key);
    sim_at(f->set.sim, now + gone, SIM_PHASE, on_object_gone, f, key);
}

/* ---- figures ---- */

static double hours(int64_t node_ns)
{
    return (double)node_ns / (double)SIM_HOUR;
}

/* Seconds; NaN while most nodes outlive the run. */
static double half_life_s(struct fleet *f, sim_ns horizon)
{
    const struct nodes *nodes = f->set.nodes;
    for (uint32_t i = nodes_next(nodes, NODES_NONE); i != NODES_NONE; i = nodes_next(nodes, i))
        if (nodes_view(nodes, i)->state != NODE_VANISHED)
            half_life_alive(&f->lives, horizon - nodes_view(nodes, i)->bought);
    sim_ns half = half_life_ns(&f->lives);
    return half == SIM_NEVER ? (double)NAN : (double)half / (double)SIM_SECOND;
}

static void gpu_share(struct fleet *f, const char *path, double mean, double of)
{
    if (of > 0)
        recorder_figure(f->set.recorder, path, "1", FIGURE_MEAN, mean / of);
}

/* Of the GPU time that pods could have: what nobody held, what lay beside pods on their nodes, and
 * what was of no use to the pods that waited. */
static void write_gpus(struct fleet *f, sim_ns horizon)
{
    const struct recorder *r = f->set.recorder;
    double all = recorder_mean(r, f->allocatable, horizon);
    gpu_share(f, "gpus.freeShare", recorder_mean(r, f->free, horizon), all);
    gpu_share(f, "gpus.fragmentedShare", recorder_mean(r, f->gaps, horizon), all);
    gpu_share(f, "gpus.strandedShare", recorder_mean(r, f->stranded, horizon), all);
}

void fleet_close(struct fleet *f, sim_ns horizon)
{
    struct recorder *r = f->set.recorder;
    if (f->set.n_pools == 0)
        return;
    int64_t on_demand = recorder_area(r, f->on_demand, horizon);
    int64_t spot = recorder_area(r, f->spot, horizon);
    recorder_figure(r, "nodes.hours.onDemand", "h", FIGURE_MEAN, hours(on_demand));
    recorder_figure(r, "nodes.hours.spot", "h", FIGURE_MEAN, hours(spot));
    recorder_figure(r, "nodes.preemptions", "nodes", FIGURE_SUM, (double)f->losses);
    recorder_figure(r, "nodes.bought", "nodes", FIGURE_SUM, (double)f->bought);
    recorder_figure(r, "nodes.neverUsed", "nodes", FIGURE_SUM, (double)f->duplicates);
    recorder_figure(r, "nodes.max", "nodes", FIGURE_MAX, (double)fleet_max_nodes(f));
    recorder_figure(r, "nodes.halfLife", "s", FIGURE_MEAN, half_life_s(f, horizon));
    write_gpus(f, horizon);
    if (on_demand + spot > 0)
        recorder_figure(r, "nodes.onDemandShare", "1", FIGURE_MEAN,
                        (double)on_demand / ((double)on_demand + (double)spot));
}

int64_t fleet_max_nodes(const struct fleet *f)
{
    return f->set.n_pools ? recorder_max(f->set.recorder, f->total) : 0;
}
