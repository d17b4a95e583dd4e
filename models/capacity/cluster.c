/* cluster: pods, nodes and where GPUs come from. */
#include "models/capacity/cluster.h"

#include "models/capacity/baseline.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/drill.h"
#include "models/capacity/fleet.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/scheduler.h"
#include "models/capacity/shapes.h"
#include "models/capacity/startup.h"
#include "models/capacity/supply.h"
#include "models/capacity/units.h"
#include "models/money/ledger.h"
#include "sim/money.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS_DEFAULT 4096
#define SUPPLIES_MAX 16

struct cluster {
    struct cluster_setup set; /* shapes: those below */
    struct shapes shapes;
    struct pods *pods;
    struct nodes *nodes;
    struct ledger *ledger;
    struct startup *startup;
    struct fleet *fleet;
    const char **owner_names, **pool_names;
    struct {
        const struct supply_kind *kind;
        void *self;
    } supplies[SUPPLIES_MAX];
    size_t n_supplies;
    rec_id pending, held_level;
    int64_t *pod_ns, *busy_ns; /* [owner]; busy -1: not told */
    int64_t *own_micro;        /* [owner]: what its pods cost */
    bool *off_nodes;           /* [shape]: no node may have its pods */
    struct sim_handle schedule;
    bool warm;          /* the settling at the start: what is placed is running already */
    int64_t held;       /* GPUs held by pods on nodes, counted beside the nodes' own figures */
    int64_t held_own;   /* by pods with a place of their own */
    struct units units; /* of placements */
    const char *failed_knob, *failed_what;
};

/* ---- pods on nodes ---- */

static const struct pod_shape *shape_of(const struct cluster *c, const struct pod *p)
{
    return &c->set.shapes[p->shape];
}

static void show_held(struct cluster *c)
{
    recorder_set(c->set.recorder, c->held_level, sim_now(c->set.sim), c->held + c->held_own);
}

static void take_room(struct cluster *c, const struct pod *p, struct node *n)
{
    const struct pod_shape *s = shape_of(c, p);
    n->n_pods++;
    n->gpus_used += s->gpus;
    n->cpu_used += s->cpu_milli;
    n->memory_used += s->memory_bytes;
    n->ever_used = true;
    c->held += s->gpus;
    show_held(c);
    assert(n->gpus_used <= n->gpus); /* no GPU is held twice */
}

static void leave_room(struct cluster *c, const struct pod *p, struct node *n)
{
    const struct pod_shape *s = shape_of(c, p);
    n->n_pods--;
    n->gpus_used -= s->gpus;
    n->cpu_used -= s->cpu_milli;
    n->memory_used -= s->memory_bytes;
    c->held -= s->gpus;
    show_held(c);
    assert(n->gpus_used >= 0 && c->held >= 0);
}

static void tell_emptied(struct cluster *c, sim_ns now, uint32_t node)
{
    const struct node *n = nodes_view(c->nodes, node);
    if (n->n_pods > 0 || n->state == NODE_VANISHED)
        return;
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].self == n->supply && c->supplies[i].kind->emptied) {
            c->supplies[i].kind->emptied(n->supply, now, node);
            return;
        }
}

static const struct supply_kind *kind_of(const struct cluster *c, const void *supply)
{
    for (size_t i = 0; supply && i < c->n_supplies; i++)
        if (c->supplies[i].self == supply)
            return c->supplies[i].kind;
    return NULL;
}

/* A pod came, went or changed its phase: who bills it looks again. */
static void account(struct cluster *c, sim_ns now, const struct pod *p, uint32_t slot)
{
    const struct supply_kind *own = kind_of(c, p->supply);
    if (p->node != PODS_NONE)
        fleet_account(c->fleet, now, p->node);
    else if (own && own->changed)
        own->changed(p->supply, now, slot);
}

/* What the pod cost as a share of its node. */
static int64_t share_of_node(const struct cluster *c, const struct pod *p, sim_ns until)
{
    const struct node *n = nodes_view(c->nodes, p->node);
    int64_t all = money_for(n->micro_per_hour, until - p->placed_at);
    int32_t gpus = shape_of(c, p)->gpus;
    return n->type->gpus > 0 && gpus > 0 ? money_part(all, gpus, n->type->gpus) : 0;
}

static void leave_place(struct cluster *c, sim_ns now, struct pod *p, uint32_t slot)
{
    const struct supply_kind *own = kind_of(c, p->supply);
    if (!own)
        return;
    if (own->left)
        own->left(p->supply, now, slot);
    c->held_own -= shape_of(c, p)->gpus;
    show_held(c);
}

static void run_scheduler(void *self, sim_ns now, uint64_t arg);

static void want_schedule(struct cluster *c, sim_ns now)
{
    if (pods_pending(c->pods) == 0 || sim_pending(c->set.sim, c->schedule))
        return;
    c->schedule = sim_at(c->set.sim, now, SIM_SCAN, run_scheduler, c, 0);
}

/* The pod object goes, with whatever it holds. */
static void remove_pod(struct cluster *c, sim_ns now, uint32_t slot)
{
    struct pod *p = pods_at(c->pods, slot);
    uint32_t node = p->node;
    startup_end(c->startup, now, slot);
    if (p->placed)
        c->pod_ns[p->owner] += now - p->placed_at;
    else
        recorder_change(c->set.recorder, c->pending, now, -1);
    recorder_log(c->set.recorder, now, false, p->name, "gone", "%s",
                 p->placed ? "its place is free" : "it never had a node");
    leave_place(c, now, p, slot);
    if (node != PODS_NONE) {
        struct node *n = nodes_at(c->nodes, node);
        c->own_micro[p->owner] += share_of_node(c, p, now);
        pods_unplace(c->pods, slot, &n->first_pod);
        leave_room(c, p, n);
    }
    pods_drop(c->pods, slot);
    if (node == PODS_NONE) {
        if (c->set.n_shapes > c->set.n_owners) /* its unit may have room now */
            want_schedule(c, now);
        return;
    }
    fleet_account(c->fleet, now, node);
    tell_emptied(c, now, node);
    want_schedule(c, now);
}

static uint32_t gpu_index(const struct cluster *c, const struct pod *p)
{
    const struct knob_texts *kinds = &shape_of(c, p)->gpu_types;
    const char *gpu = p->node == PODS_NONE ? p->gpu : nodes_view(c->nodes, p->node)->type->gpu;
    for (size_t i = 0; i < kinds->count && gpu; i++)
        if (strcmp(kinds->items[i], gpu) == 0)
            return (uint32_t)i;
    return 0;
}

static void set_ready(struct cluster *c, sim_ns now, uint32_t slot)
{
    struct pod *p = pods_at(c->pods, slot);
    p->phase = POD_READY;
    p->ready_since = now;
    p->listed = true;
    account(c, now, p, slot);
    recorder_log(c->set.recorder, now, false, p->name, "ready", "after %lld ns",
                 (long long)(now - p->created));
    c->set.up.pod_ready(c->set.up.self, now, pods_ref(c->pods, slot), p->owner, gpu_index(c, p));
}

static void place(void *self, sim_ns now, uint32_t slot, uint32_t node)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    struct node *n = node == NODES_NONE ? NULL : nodes_at(c->nodes, node);
    pods_place(c->pods, slot, node, n ? &n->first_pod : NULL);
    recorder_change(c->set.recorder, c->pending, now, -1);
    p->placed_at = now;
    p->phase = POD_STARTING;
    recorder_log(c->set.recorder, now, false, p->name, "placed", "%s", n ? n->name : "anywhere");
    if (n) {
        take_room(c, p, n);
        fleet_account(c->fleet, now, node);
    }
    if (c->warm) {
        if (n)
            startup_node_cache(c->startup, node, p->owner);
        set_ready(c, now, slot);
        return;
    }
    struct startup_pod start = {
        .slot = slot,
        .owner = p->owner,
        .number = p->number,
        .node = node,
        .created = p->created,
        .name = p->name,
        .node_bought = n ? n->bought : 0,
        .node_ready = n ? n->registered : 0,
        .node_complete = n && n->completed != SIM_NEVER ? n->completed : 0,
    };
    startup_begin(c->startup, now, &start);
}

static void on_pulling(void *self, sim_ns now, uint32_t slot)
{
    struct cluster *c = self;
    const struct pod *p = pods_view(c->pods, slot);
    const struct supply_kind *own = kind_of(c, p->supply);
    if (own && own->pulling)
        own->pulling(p->supply, now, slot);
}

static void place_own(void *self, sim_ns now, uint32_t slot, const struct supply_place *place)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    pods_place(c->pods, slot, PODS_NONE, NULL);
    recorder_change(c->set.recorder, c->pending, now, -1);
    p->placed_at = now;
    p->phase = POD_STARTING;
    p->supply = place->supply;
    p->gpu = place->gpu;
    c->held_own += shape_of(c, p)->gpus;
    show_held(c);
    recorder_log(c->set.recorder, now, false, p->name, "placed", "%s", place->words);
    if (c->warm) {
        on_pulling(c, now, slot);
        set_ready(c, now, slot);
        return;
    }
    struct startup_pod start = {
        .slot = slot,
        .owner = p->owner,
        .number = p->number,
        .node = UINT32_MAX,
        .created = p->created,
        .name = p->name,
        .create = place->create,
        .image = place->image,
    };
    startup_begin(c->startup, now, &start);
}

/* ---- scheduling ---- */

static void on_unit_due(void *self, sim_ns now, uint64_t arg)
{
    (void)arg;
    want_schedule(self, now);
}

static bool taken_by_supply(struct cluster *c, sim_ns now, uint32_t pod)
{
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].kind->takes && c->supplies[i].kind->takes(c->supplies[i].self, now, pod))
            return true;
    return false;
}

/* Tries every pending pod once; one that fits nowhere does not hold up the next. */
static void run_scheduler(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    (void)arg;
    uint32_t next;
    for (uint32_t i = pods_first_pending(c->pods); i != PODS_NONE; i = next) {
        struct pod *p = pods_at(c->pods, i);
        uint32_t node = NODES_NONE;
        next = p->pending_next;
        uint32_t generation = next == PODS_NONE ? 0 : pods_view(c->pods, next)->generation;
        bool looks = units_find(&c->units, now, p, &node);
        if (looks && node == NODES_NONE && !p->off_nodes)
            node = scheduler_pick(&c->set.config->scheduler, shape_of(c, p), c->nodes);
        if (node != NODES_NONE)
            place(c, now, i, node);
        else if (looks)
            taken_by_supply(c, now, i);
        /* An owner that was told may have deleted the next one. */
        if (next != PODS_NONE && !pods_find(c->pods, (struct pod_ref){next, generation})) {
            want_schedule(c, now);
            return;
        }
    }
}

static void settle(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    c->warm = true;
    run_scheduler(c, now, arg);
    c->warm = false;
}

/* ---- calls of startup, fleet and supplies ---- */

static void on_loading(void *self, sim_ns now, uint32_t slot, bool listed)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    p->phase = POD_LOADING;
    p->listed = listed;
    if (listed && c->set.up.pod_listed)
        c->set.up.pod_listed(c->set.up.self, now, pods_ref(c->pods, slot), p->owner);
}

static void tell_unlisted(struct cluster *c, sim_ns now, uint32_t slot, enum pod_end why)
{
    struct pod *p = pods_at(c->pods, slot);
    p->listed = false;
    if (c->set.up.pod_unlisted)
        c->set.up.pod_unlisted(c->set.up.self, now, pods_ref(c->pods, slot), p->owner, why);
}

static void on_unlisted(void *self, sim_ns now, uint32_t slot)
{
    struct cluster *c = self;
    pods_at(c->pods, slot)->phase = POD_STARTING;
    tell_unlisted(c, now, slot, POD_END_LIVENESS);
}

static void on_ready(void *self, sim_ns now, uint32_t slot)
{
    set_ready(self, now, slot);
}

static void on_usable(void *self, sim_ns now, uint32_t node)
{
    (void)node;
    want_schedule(self, now);
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

static void on_lost(void *self, sim_ns now, uint32_t node)
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

static void on_not_ready(void *self, sim_ns now, uint32_t node)
{
    struct cluster *c = self;
    for (uint32_t i; (i = next_listed(c, node)) != PODS_NONE;)
        tell_unlisted(c, now, i, POD_END_NODE_LOST);
}

/* The pod object goes and its owner is told. */
static void take_away(struct cluster *c, sim_ns now, uint32_t slot, enum pod_end why)
{
    struct pod_ref ref = pods_ref(c->pods, slot);
    uint32_t owner = pods_view(c->pods, slot)->owner;
    remove_pod(c, now, slot);
    c->set.up.pod_gone(c->set.up.self, now, ref, owner, why);
}

static void on_evicted(void *self, sim_ns now, uint32_t node)
{
    struct cluster *c = self;
    for (uint32_t i; (i = nodes_view(c->nodes, node)->first_pod) != PODS_NONE;)
        take_away(c, now, i, POD_END_NODE_LOST);
}

static void terminate(struct cluster *c, sim_ns now, struct pod *p, enum pod_end why)
{
    p->phase = POD_TERMINATING;
    p->terminating_since = now;
    p->end = why;
    p->listed = false;
    account(c, now, p, pods_slot(c->pods, p));
}

/* An eviction that would leave fewer ready pods than the owner's budget demands is refused, whoever
 * asks: the autoscaler or the handler of a spot notice. */
static bool may_evict(const struct cluster *c, const struct pod *p)
{
    const struct pod_shape *s = shape_of(c, p);
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
static bool drain(void *self, sim_ns now, uint32_t node, enum pod_end why)
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
            terminate(c, now, p, why);
            c->set.up.pod_evicted(c->set.up.self, now, pods_ref(c->pods, i), p->owner, why);
        } else {
            take_away(c, now, i, why);
        }
    }
    return true;
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

static void kill(void *self, sim_ns now, uint32_t node, sim_ns grace)
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

static bool evict(void *self, sim_ns now, uint32_t slot, enum pod_end why)
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
    terminate(c, now, p, why);
    c->set.up.pod_evicted(c->set.up.self, now, pods_ref(c->pods, slot), p->owner, why);
    return true;
}

static void lose(void *self, sim_ns now, uint32_t slot)
{
    lose_pod(self, now, slot);
}

static void gone(void *self, sim_ns now, uint32_t slot, enum pod_end why)
{
    take_away(self, now, slot, why);
}

static bool is_warm(void *self)
{
    const struct cluster *c = self;
    return c->warm;
}

static bool coming(void *self, sim_ns now, uint32_t pod)
{
    const struct cluster *c = self;
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].kind->coming &&
            c->supplies[i].kind->coming(c->supplies[i].self, now, pod))
            return true;
    return false;
}

static void paid(void *self, uint32_t owner, int64_t micro)
{
    struct cluster *c = self;
    c->own_micro[owner] += micro;
}

static void fail(void *self, const char *knob, const char *what)
{
    struct cluster *c = self;
    if (!c->failed_knob) {
        c->failed_knob = knob;
        c->failed_what = what;
    }
}

/* ---- drills ---- */

static void end_slow_registry(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    const struct drill *d = &c->set.config->drills[arg];
    recorder_log(c->set.recorder, now, true, "drill", "over", "%s", d->text);
    startup_slow_pulls(c->startup, now, 1);
}

static void on_drill(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    const struct drill *d = &c->set.config->drills[arg];
    recorder_log(c->set.recorder, now, true, "drill", drill_name(d->kind), "%s", d->text);
    if (d->kind == DRILL_REGISTRY_SLOW) {
        startup_slow_pulls(c->startup, now, d->factor);
        if (drill_end(d) < c->set.horizon)
            sim_at(c->set.sim, drill_end(d), SIM_FAULT, end_slow_registry, c, arg);
    }
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].kind->drill)
            c->supplies[i].kind->drill(c->supplies[i].self, now, d);
}

static void schedule_drills(struct cluster *c)
{
    for (size_t i = 0; i < c->set.config->n_drills; i++)
        sim_at(c->set.sim, c->set.config->drills[i].at, SIM_FAULT, on_drill, c, i);
}

static int check_drills(const struct cluster *c, struct err *e)
{
    const struct cluster_config *config = c->set.config;
    for (size_t i = 0; i < config->n_drills; i++)
        if (drill_check(&config->drills[i], config, c->set.horizon, e)) {
            snprintf(e->where, sizeof e->where, "drills[%zu]", i);
            return -1;
        }
    return 0;
}

/* ---- set-up ---- */

static size_t node_limit(const struct cluster_config *config)
{
    const struct pool_config *pools = config->pools.items;
    size_t n = 16;
    if (config->max_nodes > 0)
        return (size_t)config->max_nodes;
    for (size_t i = 0; i < config->pools.count; i++)
        n += 2 * (size_t)pools[i].max_size;
    return config->pools.count ? n : 0;
}

static int make_names(struct cluster *c, struct err *e)
{
    const struct pool_config *pools = c->set.config->pools.items;
    size_t n_pools = c->set.config->pools.count;
    c->owner_names = calloc(c->set.n_owners + 1, sizeof *c->owner_names);
    c->pool_names = calloc(n_pools + 1, sizeof *c->pool_names);
    c->own_micro = calloc(c->set.n_owners + 1, sizeof *c->own_micro);
    c->off_nodes = calloc(c->set.n_shapes + 1, sizeof *c->off_nodes);
    c->pod_ns = calloc(c->set.n_owners + 1, sizeof *c->pod_ns);
    c->busy_ns = calloc(c->set.n_owners + 1, sizeof *c->busy_ns);
    if (!c->owner_names || !c->pool_names || !c->pod_ns || !c->busy_ns || !c->own_micro ||
        !c->off_nodes)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pools", n_pools);
    for (size_t i = 0; i < c->set.n_owners; i++)
        c->busy_ns[i] = -1;
    for (size_t i = 0; i < c->set.n_owners; i++)
        c->owner_names[i] = c->set.shapes[i].name ? c->set.shapes[i].name : "pod";
    for (size_t i = 0; i < n_pools; i++)
        c->pool_names[i] = pools[i].name;
    c->pool_names[n_pools] = "eci";
    return 0;
}

static int make_tables(struct cluster *c, struct err *e)
{
    const struct cluster_config *config = c->set.config;
    size_t max_pods = config->max_pods > 0 ? (size_t)config->max_pods : PODS_DEFAULT;
    c->pods = pods_create(max_pods, c->set.n_owners, e);
    c->nodes = nodes_create(node_limit(config), e);
    if (!c->pods || !c->nodes || make_names(c, e))
        return -1;
    struct ledger_setup ledger = {
        .n_accounts = nodes_capacity(c->nodes) + (config->virtual_node ? max_pods : 0),
        .n_owners = c->set.n_owners,
        .n_groups = config->pools.count + (config->virtual_node ? 1 : 0),
        .group_names = c->pool_names,
        .currency = config->currency ? config->currency : "CNY",
        .recorder = c->set.recorder,
    };
    c->ledger = ledger_create(&ledger, e);
    return c->ledger ? 0 : -1;
}

static int make_life(struct cluster *c, struct err *e)
{
    struct startup_setup startup = {
        .configs = c->set.startups,
        .owner_names = c->owner_names,
        .n_owners = c->set.n_owners,
        .catalog = c->set.catalog,
        .max_pods = pods_capacity(c->pods),
        .max_nodes = nodes_capacity(c->nodes),
        .sim = c->set.sim,
        .recorder = c->set.recorder,
        .seed = c->set.seed,
        .replication = c->set.replication,
        .self = c,
        .loading = on_loading,
        .unlisted = on_unlisted,
        .ready = on_ready,
        .pulling = on_pulling,
    };
    c->startup = startup_create(&startup, e);
    if (!c->startup)
        return -1;
    struct fleet_setup fleet = {
        .nodes = c->nodes,
        .pods = c->pods,
        .shapes = c->set.shapes,
        .n_owners = c->set.n_owners,
        .pools = c->set.config->pools.items,
        .n_pools = c->set.config->pools.count,
        .ledger = c->ledger,
        .startup = c->startup,
        .sim = c->set.sim,
        .recorder = c->set.recorder,
        .self = c,
        .usable = on_usable,
        .lost = on_lost,
        .not_ready = on_not_ready,
        .evicted = on_evicted,
    };
    c->fleet = fleet_create(&fleet, e);
    return c->fleet ? 0 : -1;
}

static int make_supplies(struct cluster *c, struct err *e)
{
    struct supply_setup set = {
        .cluster = &c->set,
        .owner_of = c->shapes.owner,
        .fleet = c->fleet,
        .nodes = c->nodes,
        .pods = c->pods,
        .self = c,
        .ledger = c->ledger,
        .first_account = (uint32_t)nodes_capacity(c->nodes),
        .group = (uint32_t)c->set.config->pools.count,
        .drain = drain,
        .kill = kill,
        .place = place,
        .place_own = place_own,
        .warm = is_warm,
        .coming = coming,
        .evict = evict,
        .lose = lose,
        .gone = gone,
        .paid = paid,
        .fail = fail,
    };
    for (const struct supply_kind *const *k = supply_kinds; *k; k++) {
        if (!(*k)->wanted(c->set.config))
            continue;
        assert(c->n_supplies < SUPPLIES_MAX);
        void *self = (*k)->create(&set, e);
        if (!self)
            return -1;
        c->supplies[c->n_supplies].kind = *k;
        c->supplies[c->n_supplies++].self = self;
        for (uint32_t o = 0; (*k)->claims && o < c->set.n_shapes; o++)
            c->off_nodes[o] = c->off_nodes[o] || (*k)->claims(self, o);
    }
    return 0;
}

struct cluster *cluster_create(const struct cluster_setup *s, struct err *e)
{
    assert(s->config && s->sim && s->recorder && s->horizon > 0);
    assert(s->n_owners == 0 || (s->shapes && s->startups));
    assert(s->up.pod_ready && s->up.pod_gone && s->up.pod_dead && s->up.pod_evicted);
    struct cluster *c = calloc(1, sizeof *c);
    if (!c) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory");
        return NULL;
    }
    c->set = *s;
    if (shapes_init(&c->shapes, s->shapes, s->n_owners, e)) {
        cluster_destroy(c);
        return NULL;
    }
    c->set.shapes = c->shapes.items;
    c->set.n_shapes = c->shapes.n;
    if (check_drills(c, e) || make_tables(c, e) || make_life(c, e) || make_supplies(c, e)) {
        cluster_destroy(c);
        return NULL;
    }
    c->units = (struct units){&c->set, &c->shapes, c->pods, c->nodes, c->off_nodes, c, on_unit_due};
    c->pending = recorder_level(s->recorder, "pods.pending", "pods", 0);
    c->held_level = recorder_level(s->recorder, "gpus.held", "GPUs", 0);
    return c;
}

void cluster_destroy(struct cluster *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_supplies; i++)
        c->supplies[i].kind->destroy(c->supplies[i].self);
    fleet_destroy(c->fleet);
    startup_destroy(c->startup);
    ledger_destroy(c->ledger);
    nodes_destroy(c->nodes);
    pods_destroy(c->pods);
    free(c->owner_names);
    free(c->pool_names);
    free(c->pod_ns);
    free(c->busy_ns);
    free(c->own_micro);
    free(c->off_nodes);
    shapes_fini(&c->shapes);
    free(c);
}

void cluster_start(struct cluster *c)
{
    sim_ns now = sim_now(c->set.sim);
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].kind->start)
            c->supplies[i].kind->start(c->supplies[i].self, now);
    sim_at(c->set.sim, now, SIM_FAULT, settle, c, 0);
    schedule_drills(c);
}

/* ---- what owners ask for ---- */

struct pod_ref cluster_ask(struct cluster *c, uint32_t owner)
{
    assert(owner < c->set.n_owners);
    sim_ns now = sim_now(c->set.sim);
    uint32_t slot = pods_add(c->pods, owner, c->set.shapes[owner].priority, now);
    if (slot == PODS_NONE) {
        fail(c, "limits.pods", "pods exist at once");
        return (struct pod_ref){0};
    }
    struct pod *p = pods_at(c->pods, slot);
    p->off_nodes = c->off_nodes[owner] || c->set.shapes[owner].placement;
    snprintf(p->name, sizeof p->name, "%.26s-%llu", c->owner_names[owner],
             (unsigned long long)p->number);
    recorder_change(c->set.recorder, c->pending, now, 1);
    recorder_log(c->set.recorder, now, false, p->name, "pending", "asked for");
    want_schedule(c, now);
    return pods_ref(c->pods, slot);
}

bool cluster_delete(struct cluster *c, struct pod_ref ref, enum pod_end why)
{
    struct pod *p = pods_find(c->pods, ref);
    sim_ns now = sim_now(c->set.sim);
    if (!p)
        return true;
    if (p->phase == POD_READY) {
        recorder_log(c->set.recorder, now, false, p->name, "terminating", "deleted");
        terminate(c, now, p, why);
        return false;
    }
    if (p->phase == POD_TERMINATING)
        return false;
    remove_pod(c, now, ref.slot);
    return true;
}

void cluster_release(struct cluster *c, struct pod_ref ref)
{
    if (pods_find(c->pods, ref))
        remove_pod(c, sim_now(c->set.sim), ref.slot);
}

void cluster_complete(struct cluster *c, struct pod_ref ref, const char *what)
{
    struct pod *p = pods_find(c->pods, ref);
    sim_ns now = sim_now(c->set.sim);
    assert(p && p->phase == POD_READY);
    recorder_log(c->set.recorder, now, true, p->name, what, "after %lld s",
                 (long long)((now - p->created) / SIM_SECOND));
    remove_pod(c, now, ref.slot);
}

void cluster_restart(struct cluster *c, struct pod_ref ref, sim_ns wait)
{
    struct pod *p = pods_find(c->pods, ref);
    sim_ns now = sim_now(c->set.sim);
    assert(p && p->phase == POD_READY);
    p->phase = POD_STARTING;
    p->listed = false;
    p->ready_since = SIM_NEVER;
    recorder_log(c->set.recorder, now, true, p->name, "back-off",
                 "its container has failed and is made again in %lld s",
                 (long long)(wait / SIM_SECOND));
    account(c, now, p, ref.slot);
    startup_again(c->startup, now, ref.slot, wait);
}

static void fill_view(const struct cluster *c, uint32_t slot, struct pod_view *out)
{
    const struct pod *p = pods_view(c->pods, slot);
    *out = (struct pod_view){
        .ref = pods_ref(c->pods, slot),
        .phase = p->phase,
        .node = p->node,
        .created = p->created,
        .placed_at = p->placed ? p->placed_at : SIM_NEVER,
        .ready_since = p->ready_since,
        .deletion_cost = p->deletion_cost,
        .unit = shapes_unit(&c->shapes, p->shape),
        .name = p->name,
    };
}

bool cluster_pod(const struct cluster *c, struct pod_ref ref, struct pod_view *out)
{
    if (!pods_find(c->pods, ref))
        return false;
    fill_view(c, ref.slot, out);
    return true;
}

size_t cluster_pods(const struct cluster *c, uint32_t owner, struct pod_view *out, size_t cap)
{
    size_t n = 0;
    for (uint32_t i = pods_first(c->pods, owner); i != PODS_NONE; n++) {
        if (n < cap)
            fill_view(c, i, &out[n]);
        i = pods_view(c->pods, i)->owner_next;
    }
    return n;
}

/* ---- the end ---- */

void cluster_busy(struct cluster *c, uint32_t owner, int64_t busy_ns)
{
    assert(owner < c->set.n_owners && busy_ns >= 0);
    int32_t gpus = c->set.shapes[owner].gpus;
    c->busy_ns[owner] = busy_ns;
    ledger_busy(c->ledger, owner, busy_ns * (gpus > 1 ? gpus : 1));
}

/* Every GPU that a pod holds is one of its node's, and of no other pod. */
static void assert_gpus(const struct cluster *c)
{
    int64_t held = 0;
    for (uint32_t i = nodes_next(c->nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(c->nodes, i)) {
        const struct node *n = nodes_view(c->nodes, i);
        int32_t on_node = 0;
        for (uint32_t p = n->first_pod; p != PODS_NONE; p = pods_view(c->pods, p)->node_next)
            on_node += shape_of(c, pods_view(c->pods, p))->gpus;
        assert(on_node == n->gpus_used && on_node <= n->type->gpus);
        held += on_node;
    }
    assert(held == c->held);
}

static void write_baselines(struct cluster *c)
{
    for (uint32_t o = 0; o < c->set.n_owners; o++)
        for (uint32_t i = pods_first(c->pods, o); i != PODS_NONE;) {
            const struct pod *p = pods_view(c->pods, i);
            if (p->placed)
                c->pod_ns[o] += c->set.horizon - p->placed_at;
            if (p->node != PODS_NONE)
                c->own_micro[o] += share_of_node(c, p, c->set.horizon);
            i = p->owner_next;
        }
    struct baseline b = {
        .config = c->set.config,
        .catalog = c->set.catalog,
        .currency = c->set.config->currency ? c->set.config->currency : "CNY",
        .shapes = c->set.shapes,
        .startups = c->set.startups,
        .pod_ns = c->pod_ns,
        .busy_ns = c->busy_ns,
        .n_owners = c->set.n_owners,
        .peak_gpus = recorder_max(c->set.recorder, c->held_level),
        .peak_nodes = fleet_max_nodes(c->fleet),
        .horizon = c->set.horizon,
    };
    baseline_write(&b, c->set.recorder);
}

void cluster_close(struct cluster *c)
{
    sim_ns end = c->set.horizon;
    assert(sim_now(c->set.sim) <= end);
    assert_gpus(c);
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].kind->close)
            c->supplies[i].kind->close(c->supplies[i].self, end);
    startup_close(c->startup);
    fleet_close(c->fleet, end);
    write_baselines(c);
    ledger_close(c->ledger, end);
}

int64_t cluster_owner_micro(const struct cluster *c, uint32_t owner)
{
    assert(owner < c->set.n_owners);
    return c->own_micro[owner];
}

int64_t cluster_total_micro(const struct cluster *c)
{
    return ledger_total_micro(c->ledger);
}

int cluster_failed(const struct cluster *c, struct err *e)
{
    if (!c->failed_knob)
        return 0;
    return err_set(e, ERR_INPUT, c->failed_knob, "more %s than this limit allows; raise it",
                   c->failed_what);
}
