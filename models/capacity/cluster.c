/* cluster: pods, nodes and where GPUs come from. */
#include "models/capacity/cluster.h"

#include "models/capacity/baseline.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/cluster_inside.h"
#include "models/capacity/drill.h"
#include "models/capacity/eviction.h"
#include "models/capacity/fleet.h"
#include "models/capacity/instance.h"
#include "models/capacity/node_list.h"
#include "models/capacity/nodes.h"
#include "models/capacity/otherwise.h"
#include "models/capacity/room.h"
#include "models/capacity/sale.h"
#include "models/capacity/scheduler.h"
#include "models/capacity/seat.h"
#include "models/capacity/shapes.h"
#include "models/capacity/startup.h"
#include "models/capacity/units.h"
#include "models/capacity/unplaced.h"
#include "models/money/ledger.h"
#include "sim/money.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS_DEFAULT 4096

/* ---- calls of startup, fleet and supplies ---- */

static void on_loading(void *self, sim_ns now, uint32_t slot, bool listed)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    p->phase = POD_LOADING;
    p->listed = listed;
    if (p->supply)
        seat_account(c, now, p);
    if (listed && c->set.up.pod_listed)
        c->set.up.pod_listed(c->set.up.self, now, pods_ref(c->pods, slot), p->owner);
}

static void on_unlisted(void *self, sim_ns now, uint32_t slot)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    p->phase = POD_STARTING;
    if (p->supply)
        seat_account(c, now, p);
    eviction_unlist(c, now, slot, POD_END_LIVENESS);
}

static void on_usable(void *self, sim_ns now, uint32_t node)
{
    (void)node;
    seat_want(self, now);
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

/* Of the slow registries of this moment the slowest counts. */
static double slowest(const struct cluster *c, sim_ns now)
{
    double factor = 1;
    for (size_t i = 0; i < c->set.config->n_drills; i++) {
        const struct drill *d = &c->set.config->drills[i];
        if (d->kind == DRILL_REGISTRY_SLOW && d->at <= now && now < drill_end(d) &&
            d->factor > factor)
            factor = d->factor;
    }
    return factor;
}

static void end_slow_registry(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    const struct drill *d = &c->set.config->drills[arg];
    recorder_log(c->set.recorder, now, true, "drill", "over", "%s", d->text);
    startup_slow_pulls(c->startup, now, slowest(c, now));
}

static void on_drill(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    const struct drill *d = &c->set.config->drills[arg];
    recorder_log(c->set.recorder, now, true, "drill", drill_name(d->kind), "%s", d->text);
    if (d->kind == DRILL_REGISTRY_SLOW) {
        startup_slow_pulls(c->startup, now, slowest(c, now));
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
    size_t listed = config->nodes ? config->nodes->n : 0, n = 16;
    if (config->max_nodes > 0)
        return (size_t)config->max_nodes + listed;
    for (size_t i = 0; i < config->pools.count; i++)
        n += 2 * (size_t)pools[i].max_size;
    return listed + (config->pools.count ? n : 0);
}

/* The pools of the scenario, and one more that holds the machines of the node list. */
static int make_pools(struct cluster *c, struct err *e)
{
    const struct knob_list *elastic = &c->set.config->pools;
    const struct node_list *list = c->set.config->nodes;
    c->n_pools = elastic->count + (list != NULL);
    c->pools = calloc(c->n_pools + 1, sizeof *c->pools);
    c->group_names = calloc(c->n_pools + 1, sizeof *c->group_names);
    if (!c->pools || !c->group_names)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pools", c->n_pools);
    if (elastic->count)
        memcpy(c->pools, elastic->items, elastic->count * sizeof *c->pools);
    if (list)
        c->pools[elastic->count] = list->pool;
    for (size_t i = 0; i < c->n_pools; i++) {
        c->group_names[i] = c->pools[i].name;
        c->headroom += c->pools[i].headroom;
    }
    c->group_names[c->n_pools] = "eci";
    return 0;
}

static int make_owners(struct cluster *c, struct err *e)
{
    size_t n = c->set.n_owners, shapes = c->set.n_shapes;
    c->owner_names = calloc(n + 1, sizeof *c->owner_names);
    c->own_micro = calloc(n + 1, sizeof *c->own_micro);
    c->pod_ns = calloc(n + 1, sizeof *c->pod_ns);
    c->unplaced = calloc(n + 1, sizeof *c->unplaced);
    c->completed_gpus = calloc(n + 1, sizeof *c->completed_gpus);
    c->busy_ns = calloc(n + 1, sizeof *c->busy_ns);
    c->present_ns = calloc(n + 1, sizeof *c->present_ns);
    c->needed_ns = calloc(n + 1, sizeof *c->needed_ns);
    c->off_nodes = calloc(shapes + 1, sizeof *c->off_nodes);
    c->stuck = calloc(shapes + 1, sizeof *c->stuck);
    c->told = calloc(shapes + 1, sizeof *c->told);
    if (!c->owner_names || !c->own_micro || !c->off_nodes || !c->pod_ns || !c->unplaced ||
        !c->busy_ns || !c->present_ns || !c->needed_ns || !c->stuck || !c->told ||
        !c->completed_gpus)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu owners of pods", n);
    for (size_t i = 0; i < n; i++) {
        c->busy_ns[i] = c->needed_ns[i] = -1;
        c->owner_names[i] = c->set.shapes[i].name ? c->set.shapes[i].name : "pod";
    }
    return 0;
}

static int make_tables(struct cluster *c, struct err *e)
{
    const struct cluster_config *config = c->set.config;
    size_t max_pods = config->max_pods > 0 ? (size_t)config->max_pods : PODS_DEFAULT;
    c->pods = pods_create(max_pods, c->set.n_owners, e);
    c->nodes = nodes_create(node_limit(config), e);
    if (!c->pods || !c->nodes || make_pools(c, e) || make_owners(c, e))
        return -1;
    struct preempt_setup preempt = {c->nodes, c->pods, c->set.shapes, c->set.n_shapes};
    c->preempt = preempt_create(&preempt, e);
    c->demand = demand_create(c->set.n_owners, e);
    if (!c->preempt || !c->demand)
        return -1;
    struct ledger_setup ledger = {
        .n_accounts = nodes_capacity(c->nodes) + (config->virtual_node ? max_pods : 0),
        .n_owners = c->set.n_owners,
        .n_groups = c->n_pools + (config->virtual_node ? 1 : 0),
        .group_names = c->group_names,
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
        .ready = seat_ready,
        .pulling = seat_pulling,
    };
    c->startup = startup_create(&startup, e);
    if (!c->startup)
        return -1;
    struct fleet_setup fleet = {
        .nodes = c->nodes,
        .pods = c->pods,
        .shapes = c->set.shapes,
        .n_owners = c->set.n_owners,
        .pools = c->pools,
        .n_pools = c->n_pools,
        .ledger = c->ledger,
        .startup = c->startup,
        .sim = c->set.sim,
        .recorder = c->set.recorder,
        .self = c,
        .usable = on_usable,
        .lost = eviction_lost,
        .not_ready = eviction_not_ready,
        .evicted = eviction_object_gone,
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
        .group = (uint32_t)c->n_pools,
        .drain = eviction_drain,
        .kill = eviction_kill,
        .place = seat_on_node,
        .place_own = seat_own,
        .warm = is_warm,
        .coming = coming,
        .evict = eviction_own,
        .lose = eviction_lose,
        .gone = eviction_gone,
        .paid = paid,
        .fail = fail,
    };
    for (const struct supply_kind *const *k = supply_kinds; *k; k++) {
        if (!(*k)->wanted(c->set.config))
            continue;
        assert(c->n_supplies < CLUSTER_SUPPLIES_MAX);
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
    c->units = (struct units){&c->set, &c->shapes, c->pods, c->nodes, c->off_nodes, c, seat_due};
    c->pending = recorder_level(s->recorder, "pods.pending", "pods", 0);
    c->held_level = recorder_level(s->recorder, "gpus.held", "GPUs", 0);
    if (c->headroom > 0)
        c->lacking = recorder_level(s->recorder, "headroom.lacking", "GPUs", 0);
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
    preempt_destroy(c->preempt);
    pods_destroy(c->pods);
    free(c->owner_names);
    free(c->group_names);
    free(c->pools);
    free(c->stuck);
    free(c->told);
    free(c->pod_ns);
    demand_destroy(c->demand);
    free(c->unplaced);
    free(c->completed_gpus);
    free(c->busy_ns);
    free(c->present_ns);
    free(c->needed_ns);
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
    sim_at(c->set.sim, now, SIM_FAULT, seat_settle, c, 0);
    schedule_drills(c);
}

/* ---- what owners ask for ---- */

static void name_pod(const struct cluster *c, struct pod *p, const char *name)
{
    if (name)
        snprintf(p->name, sizeof p->name, "%.*s", text_cut(name, (int)sizeof p->name - 1), name);
    else
        snprintf(p->name, sizeof p->name, "%.26s-%llu", c->owner_names[p->owner],
                 (unsigned long long)p->number);
}

struct pod_ref cluster_ask_named(struct cluster *c, uint32_t owner, const char *name)
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
    name_pod(c, p, name);
    cluster_waits(c, p, 1);
    recorder_log(c->set.recorder, now, false, p->name, "pending", "asked for");
    seat_want(c, now);
    return pods_ref(c->pods, slot);
}

struct pod_ref cluster_ask(struct cluster *c, uint32_t owner)
{
    return cluster_ask_named(c, owner, NULL);
}

bool cluster_delete(struct cluster *c, struct pod_ref ref, enum pod_end why)
{
    struct pod *p = pods_find(c->pods, ref);
    sim_ns now = sim_now(c->set.sim);
    if (!p)
        return true;
    if (p->phase == POD_READY) {
        recorder_log(c->set.recorder, now, false, p->name, "terminating", "deleted");
        eviction_terminate(c, now, p, why);
        return false;
    }
    if (p->phase == POD_TERMINATING)
        return false;
    seat_remove(c, now, ref.slot);
    return true;
}

void cluster_release(struct cluster *c, struct pod_ref ref)
{
    if (pods_find(c->pods, ref))
        seat_remove(c, sim_now(c->set.sim), ref.slot);
}

void cluster_complete(struct cluster *c, struct pod_ref ref, const char *what)
{
    struct pod *p = pods_find(c->pods, ref);
    sim_ns now = sim_now(c->set.sim);
    assert(p && p->phase == POD_READY);
    if (!p->warm)
        c->completed_gpus[p->owner] += pod_shape_gpu_milli(cluster_shape(c, p)) / 1000;
    recorder_log(c->set.recorder, now, true, p->name, what, "after %lld s",
                 (long long)((now - p->created) / SIM_SECOND));
    seat_remove(c, now, ref.slot);
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
    seat_account(c, now, p);
    startup_again(c->startup, now, ref.slot, wait);
}

static void fill_view(const struct cluster *c, uint32_t slot, struct pod_view *out)
{
    const struct pod *p = pods_view(c->pods, slot);
    *out = (struct pod_view){
        .ref = pods_ref(c->pods, slot),
        .owner = p->owner,
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
    c->needed_ns[owner] = c->needed_ns[owner] < 0 ? busy_ns : c->needed_ns[owner];
    ledger_busy(c->ledger, owner, busy_ns * (gpus > 1 ? gpus : 1));
}

/* Every GPU that a pod holds is one of its node's, and of no other pod, but for shares of one GPU,
 * which are of it together. */
static int64_t held_on(const struct cluster *c, const struct node *n)
{
    int64_t milli = 0;
    for (uint32_t p = n->first_pod; p != PODS_NONE; p = pods_view(c->pods, p)->node_next)
        milli += pod_shape_gpu_milli(cluster_shape(c, pods_view(c->pods, p)));
    assert(milli == room_gpu_milli(n) && n->gpus_used <= n->type->gpus);
    for (uint32_t i = 0; i < NODES_GPUS_MAX; i++)
        assert(n->shared[i] <= 1000);
    return n->gpus_used;
}

static void assert_gpus(const struct cluster *c)
{
    int64_t held = 0;
    for (uint32_t i = nodes_next(c->nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(c->nodes, i))
        held += held_on(c, nodes_view(c->nodes, i));
    assert(held == c->held);
}

void cluster_needed(struct cluster *c, uint32_t owner, int64_t needed_ns)
{
    assert(owner < c->set.n_owners && needed_ns >= 0);
    c->needed_ns[owner] = needed_ns;
}

static struct baseline baseline_of(const struct cluster *c)
{
    return (struct baseline){
        .config = c->set.config,
        .catalog = c->set.catalog,
        .currency = c->set.config->currency ? c->set.config->currency : "CNY",
        .shapes = c->set.shapes,
        .startups = c->set.startups,
        .completed_gpus = c->completed_gpus,
        .needed_ns = c->needed_ns,
        .demand = c->demand,
        .alone_ns = c->set.alone_ns,
        .self = c->set.up.self,
        .n_shapes = c->set.n_shapes,
        .present_ns = c->present_ns,
        .n_owners = c->set.n_owners,
        .horizon = c->set.horizon,
    };
}

sim_ns cluster_least_start(const struct cluster *c, uint32_t owner)
{
    struct baseline b = baseline_of(c);
    return c->set.catalog ? baseline_start(&b, owner) : 0;
}

void cluster_present(struct cluster *c, uint32_t owner, sim_ns present)
{
    assert(owner < c->set.n_owners && present >= 0 && present <= c->set.horizon);
    c->present_ns[owner] = present;
}

static void write_baselines(struct cluster *c)
{
    for (uint32_t o = 0; o < c->set.n_owners; o++)
        for (uint32_t i = pods_first(c->pods, o); i != PODS_NONE;) {
            const struct pod *p = pods_view(c->pods, i);
            if (p->placed)
                seat_held(c, c->set.horizon, p);
            if (p->node != PODS_NONE)
                c->own_micro[o] += seat_cost(c, p, c->set.horizon);
            i = p->owner_next;
        }
    struct baseline b = baseline_of(c);
    baseline_write(&b, c->set.recorder, ledger_total_micro(c->ledger));
}

void cluster_want(struct cluster *c, sim_ns now, uint32_t owner, int64_t pods)
{
    assert(owner < c->set.n_owners);
    demand_want(c->demand, now, owner, pods, c->set.shapes[owner].gpus);
}

void cluster_jobs(struct cluster *c, const struct otherwise_interval *jobs, size_t n)
{
    demand_jobs(c->demand, jobs, n);
}

/* Other ways to get GPUs for what was asked. */
static void write_otherwise(struct cluster *c)
{
    struct otherwise o = {
        .config = c->set.config,
        .catalog = c->set.catalog,
        .currency = c->set.config->currency ? c->set.config->currency : "CNY",
        .shapes = c->set.shapes,
        .n_owners = c->set.n_owners,
        .peak_nodes = fleet_max_nodes(c->fleet),
        .horizon = c->set.horizon,
        .alone_ns = c->set.alone_ns,
        .self = c->set.up.self,
    };
    if ((o.config->pools.count > 0 || o.config->virtual_node) && o.catalog)
        demand_write(c->demand, &o, c->set.recorder);
}

static const char *refusal(void *self, uint32_t shape)
{
    const struct cluster *c = self;
    const char *why = NULL;
    for (size_t i = 0; i < c->n_supplies && !why; i++)
        if (c->supplies[i].kind->refusal)
            why = c->supplies[i].kind->refusal(c->supplies[i].self, shape);
    return why;
}

static const char *waits(void *self, uint32_t shape)
{
    const struct cluster *c = self;
    const char *what = NULL;
    for (size_t i = 0; i < c->n_supplies && !what; i++)
        if (c->supplies[i].kind->waits)
            what = c->supplies[i].kind->waits(c->supplies[i].self, shape);
    return what;
}

/* The GPUs of headroom that the pools can keep; a finding for each that cannot keep its own. */
static int64_t say_lacking(const struct cluster *c)
{
    const struct sale sale = {c->set.config, c->set.catalog, c->set.horizon, 0};
    const struct pool_config *pools = c->set.config->pools.items;
    int64_t kept = c->headroom;
    for (uint32_t o = 0; o < c->set.n_owners; o++) {
        const struct pod_shape *s = &c->set.shapes[o];
        struct sale_headroom h;
        for (size_t i = 0; s->placeholder && i < c->set.config->pools.count; i++) {
            if (strcmp(s->node_selector.items[0].value, pools[i].name) != 0 ||
                !sale_lacks_headroom(&sale, &pools[i], s, &h))
                continue;
            recorder_finding(c->set.recorder, "warning", "headroom-lacking", "%s.", h.words);
            kept -= pools[i].headroom - h.kept;
        }
    }
    return kept;
}

/* The size beyond which more headroom would never have been used. */
static void close_headroom(struct cluster *c)
{
    struct recorder *r = c->set.recorder;
    if (c->headroom == 0)
        return;
    int64_t knee = recorder_max(r, c->lacking), kept = say_lacking(c);
    recorder_figure(r, "headroom.gpus", "GPUs", FIGURE_MEAN, (double)c->headroom);
    recorder_figure(r, "headroom.knee", "GPUs", FIGURE_MAX, (double)knee);
    if (kept == 0)
        return;
    recorder_finding(r, "note", "headroom",
                     "%lld GPU%s of headroom %s kept and given up %llu times; at the worst moment "
                     "%lld %s wanted beyond what was free, so more headroom than that would never "
                     "have been used.",
                     (long long)kept, text_plural(kept, "", "s"), text_plural(kept, "was", "were"),
                     (unsigned long long)c->preempted, (long long)knee,
                     text_plural(knee, "was", "were"));
}

static void close_pods(struct cluster *c, sim_ns end)
{
    struct recorder *r = c->set.recorder;
    recorder_figure(r, "pods.pendingSeconds", "s", FIGURE_MEAN,
                    recorder_mean(r, c->pending, end) * (double)end / (double)SIM_SECOND);
    recorder_figure(r, "pods.preempted", "pods", FIGURE_SUM, (double)c->preempted);
    close_headroom(c);
    struct unplaced u = {
        .config = c->set.config,
        .catalog = c->set.catalog,
        .pods = c->pods,
        .nodes = c->nodes,
        .shapes = c->set.shapes,
        .counts = c->unplaced,
        .n_owners = c->set.n_owners,
        .recorder = r,
        .horizon = end,
        .self = c,
        .refusal = refusal,
        .waits = waits,
    };
    unplaced_write(&u);
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
    close_pods(c, end);
    fleet_close(c->fleet, end);
    ledger_close(c->ledger, end);
    write_baselines(c);
    write_otherwise(c);
}

int64_t cluster_owner_micro(const struct cluster *c, uint32_t owner)
{
    assert(owner < c->set.n_owners);
    return c->own_micro[owner];
}

int64_t cluster_held_ns(const struct cluster *c, uint32_t owner)
{
    assert(owner < c->set.n_owners);
    return c->pod_ns[owner];
}

const struct unplaced_count *cluster_unplaced(const struct cluster *c, uint32_t owner)
{
    assert(owner < c->set.n_owners);
    return &c->unplaced[owner];
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
