/* replicas: from a wanted size to pods, endpoints and their ends. */
#include "models/serving/replicas.h"

#include "models/capacity/placement.h"
#include "models/control/replicaset.h"
#include "models/control/rollout.h"
#include "models/control/scaler.h"
#include "models/serving/heading.h"
#include "models/serving/service.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* A replica is one pod as the dispatcher sees it: its number here is its slot there. */
enum replica_state {
    REPLICA_FREE,
    REPLICA_PENDING, /* asked for; no endpoint yet */
    REPLICA_LISTED,  /* an endpoint that refuses */
    REPLICA_SERVING,
    REPLICA_DEAD,    /* a black hole until the control plane notices */
    REPLICA_LEAVING, /* terminating: out of the ReplicaSet's count, on its way out */
};

struct replica {
    enum replica_state state;
    struct pod_ref pod;
    uint64_t serial;
    uint32_t revision; /* of the pod template */
    bool dispatched;   /* the dispatcher knows this slot */
    bool lost;         /* its machine vanished while it was leaving */
    bool drained;      /* the dispatcher has it out of the endpoint list */
    sim_ns changed;    /* of its readiness */
    sim_ns grace_end;
    struct sim_handle next; /* its next event of leaving */
};

/* Requests that came while no replica served. */
struct drought {
    bool on;
    sim_ns since, lasted;
    uint64_t arrived, requests;
};

struct replicas {
    struct replicas_setup set;
    struct sim *sim;
    struct cluster *cluster;
    struct recorder *recorder;
    size_t max;
    struct replica *table;
    size_t top;                        /* slots from here on were never used */
    struct pod_view *views;            /* scratch of max */
    struct replicaset_pod *candidates; /* scratch of max */
    uint32_t *order;                   /* scratch of max */
    struct replicas_sizes sizes;
    int32_t most_wanted;
    uint32_t revision;                    /* of the pod template now */
    const struct rollout_config *rollout; /* the one that goes on, or NULL */
    int64_t ready_ns;                     /* up to counted_at */
    sim_ns counted_at;
    uint64_t serials, starts;
    uint64_t evictions; /* by drains of the node autoscaler */
    struct drought drought;
    sim_ns at_zero, zero_since; /* time with a wanted size of zero */
    bool full;                  /* limits.replicas was met */
    rec_id want_id, have_id, ready_id;
};

static void on_refuse(void *self, sim_ns now, uint64_t slot);
static void on_delist(void *self, sim_ns now, uint64_t slot);
static void on_end(void *self, sim_ns now, uint64_t slot);

/* ---- set-up ---- */

static rec_id level(struct replicas *r, const char *what)
{
    char path[160];
    const char *prefix = r->set.frame->alone ? "" : r->set.config->name;
    snprintf(path, sizeof path, "%s%s%s%s", *prefix ? "services." : "", prefix, *prefix ? "." : "",
             what);
    return recorder_level(r->recorder, path, "replicas", 0);
}

struct replicas *replicas_create(const struct replicas_setup *s, struct err *e)
{
    assert(s->config && s->frame && s->dispatch && s->frame->max_replicas > 0);
    struct replicas *r = calloc(1, sizeof *r);
    size_t n = s->frame->max_replicas;
    if (r) {
        r->table = calloc(n, sizeof *r->table);
        r->views = calloc(n, sizeof *r->views);
        r->candidates = calloc(n, sizeof *r->candidates);
        r->order = calloc(n, sizeof *r->order);
    }
    if (!r || !r->table || !r->views || !r->candidates || !r->order) {
        replicas_destroy(r);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->config->name);
        return NULL;
    }
    r->set = *s;
    r->sim = s->frame->sim;
    r->cluster = s->frame->cluster;
    r->recorder = s->frame->recorder;
    r->max = n;
    r->drought.on = true;
    r->zero_since = 0;
    r->want_id = level(r, "replicas.want");
    r->have_id = level(r, "replicas.have");
    r->ready_id = level(r, "replicas.ready");
    return r;
}

void replicas_destroy(struct replicas *r)
{
    if (!r)
        return;
    free(r->table);
    free(r->views);
    free(r->candidates);
    free(r->order);
    free(r);
}

/* ---- counts ---- */

struct replicas_sizes replicas_sizes(const struct replicas *r)
{
    return r->sizes;
}

int64_t replicas_ready_ns(const struct replicas *r, sim_ns now)
{
    return r->ready_ns + r->sizes.ready * (now - r->counted_at);
}

static void drought_ends(struct replicas *r, sim_ns now)
{
    dispatch_reach(r->set.dispatch, now);
    uint64_t arrived = dispatch_tally(r->set.dispatch, now)->arrived;
    r->drought.requests += arrived - r->drought.arrived;
    r->drought.lasted += now - r->drought.since;
    r->drought.on = false;
}

static void drought_begins(struct replicas *r, sim_ns now)
{
    dispatch_reach(r->set.dispatch, now);
    r->drought.arrived = dispatch_tally(r->set.dispatch, now)->arrived;
    r->drought.since = now;
    r->drought.on = true;
}

static void count_ready(struct replicas *r, sim_ns now, int32_t by)
{
    r->ready_ns = replicas_ready_ns(r, now);
    r->counted_at = now;
    r->sizes.ready += by;
    assert(r->sizes.ready >= 0);
    if (r->sizes.ready == 0)
        drought_begins(r, now);
    else if (r->drought.on)
        drought_ends(r, now);
}

static void show_sizes(struct replicas *r, sim_ns now)
{
    recorder_set(r->recorder, r->want_id, now, r->sizes.want);
    recorder_set(r->recorder, r->have_id, now, r->sizes.have);
    recorder_set(r->recorder, r->ready_id, now, r->sizes.ready);
}

/* ---- the table ---- */

/* Linear: a service has tens of pods, and pods change state a few times an hour. */
static struct replica *replica_of(struct replicas *r, struct pod_ref pod)
{
    for (size_t i = 0; i < r->top; i++)
        if (r->table[i].state != REPLICA_FREE && r->table[i].pod.slot == pod.slot &&
            r->table[i].pod.generation == pod.generation)
            return &r->table[i];
    return NULL;
}

static uint32_t slot_of(const struct replicas *r, const struct replica *one)
{
    return (uint32_t)(one - r->table);
}

static struct replica *free_replica(struct replicas *r)
{
    for (size_t i = 0; i < r->max; i++) {
        if (r->table[i].state != REPLICA_FREE)
            continue;
        r->top = i < r->top ? r->top : i + 1;
        return &r->table[i];
    }
    return NULL;
}

static void free_slot(struct replicas *r, sim_ns now, struct replica *one, enum fail_cause cause)
{
    if (one->dispatched) {
        dispatch_reach(r->set.dispatch, now);
        dispatch_kill(r->set.dispatch, now, slot_of(r, one), cause);
    }
    sim_cancel(r->sim, one->next);
    *one = (struct replica){0};
}

static void ask(struct replicas *r, sim_ns now, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        struct replica *one = free_replica(r);
        if (!one) {
            r->full = true;
            return;
        }
        struct pod_ref pod = cluster_ask(r->cluster, r->set.number);
        if (pod.generation == 0)
            return; /* cluster_failed ends the run */
        *one = (struct replica){
            .state = REPLICA_PENDING,
            .pod = pod,
            .serial = ++r->serials,
            .revision = r->revision,
            .changed = now,
        };
        r->sizes.have++;
        r->starts++;
    }
}

/* Stops counting a replica; it may still serve until it is drained. */
static void uncount(struct replicas *r, sim_ns now, const struct replica *one)
{
    assert(one->state != REPLICA_FREE && one->state != REPLICA_LEAVING);
    r->sizes.have--;
    if (one->state == REPLICA_SERVING)
        count_ready(r, now, -1);
}

/* ---- leaving ---- */

static sim_ns first_of(sim_ns a, sim_ns b)
{
    return a < b ? a : b;
}

/* The way out of a running pod: it refuses from the end of preStop (SIGTERM), the balancer forgets
 * it an endpoint lag after the deletion, and it ends when it is empty or its grace is over. */
static void leave(struct replicas *r, sim_ns now, struct replica *one)
{
    sim_ns pre_stop = r->set.config->pre_stop;
    sim_ns lag = r->set.ready_only ? 0 : r->set.config->ingress.endpoint_lag;
    uint32_t slot = slot_of(r, one);
    one->grace_end = now + r->set.config->pod.grace;
    if (!one->dispatched)
        one->next = sim_at(r->sim, now, SIM_PHASE, on_end, r, slot);
    else if (pre_stop < lag)
        one->next =
            sim_at(r->sim, first_of(now + pre_stop, one->grace_end), SIM_PHASE, on_refuse, r, slot);
    else
        one->next =
            sim_at(r->sim, first_of(now + lag, one->grace_end), SIM_PHASE, on_delist, r, slot);
}

static void on_refuse(void *self, sim_ns now, uint64_t slot)
{
    struct replicas *r = self;
    struct replica *one = &r->table[slot];
    dispatch_reach(r->set.dispatch, now);
    /* The machine may vanish at the moment of the deletion. */
    if (!one->lost)
        dispatch_endpoint(r->set.dispatch, now, (uint32_t)slot, ENDPOINT_CLOSING);
    sim_ns rest = r->set.config->ingress.endpoint_lag - r->set.config->pre_stop;
    one->next = sim_at(r->sim, first_of(now + rest, one->grace_end), SIM_PHASE, on_delist, r, slot);
}

static void on_delist(void *self, sim_ns now, uint64_t slot)
{
    struct replicas *r = self;
    struct replica *one = &r->table[slot];
    dispatch_reach(r->set.dispatch, now);
    sim_ns empty = dispatch_drain(r->set.dispatch, now, (uint32_t)slot);
    one->drained = true;
    one->next = sim_at(r->sim, first_of(empty, one->grace_end), SIM_PHASE, on_end, r, slot);
}

static void on_end(void *self, sim_ns now, uint64_t slot)
{
    struct replicas *r = self;
    struct replica *one = &r->table[slot];
    assert(one->state == REPLICA_LEAVING);
    struct pod_ref pod = one->pod;
    free_slot(r, now, one, FAIL_ABORTED);
    cluster_release(r->cluster, pod);
}

static void remove_replica(struct replicas *r, sim_ns now, struct replica *one, enum pod_end why)
{
    uncount(r, now, one);
    one->state = REPLICA_LEAVING;
    one->changed = now;
    if (cluster_delete(r->cluster, one->pod, why))
        free_slot(r, now, one, FAIL_ABORTED);
    else
        leave(r, now, one);
}

/* ---- the ReplicaSet controller ---- */

/* What it would rank, in order of creation. */
static size_t victims(struct replicas *r)
{
    const struct service_frame *f = r->set.frame;
    size_t n = cluster_pods(r->cluster, r->set.number, r->views, r->max), m = 0;
    struct chance uids =
        chance_sub(chance_stream(f->seed, f->replication, CHANCE_PHASE, r->set.number), 1);
    for (size_t i = 0; i < n; i++) {
        const struct pod_view *view = &r->views[i];
        struct replica *one = replica_of(r, view->ref);
        if (!one || one->state == REPLICA_LEAVING)
            continue;
        r->candidates[m++] = (struct replicaset_pod){
            .id = slot_of(r, one),
            .node = view->node,
            .unit = view->unit,
            .assigned = view->placed_at != SIM_NEVER, /* the virtual node is one too */
            .running = view->phase >= POD_LOADING,
            .unknown = view->phase == POD_DEAD,
            .ready = one->state == REPLICA_SERVING,
            .deletion_cost = view->deletion_cost,
            .ready_since = view->ready_since,
            .created = view->created,
            .uid = chance_bits(uids, view->ref.generation * UINT64_C(65536) + view->ref.slot),
        };
    }
    return m;
}

static bool is_old(const struct replicas *r, const struct replica *one)
{
    return one->revision != r->revision;
}

/* The unit of an ElasticWorkload that the next pod leaves; pods that no unit has taken go first. */
static uint32_t shrinking_unit(struct replicas *r, size_t n)
{
    int32_t counts[PLACEMENT_UNITS_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        if (r->candidates[i].unit == PLACEMENT_NONE)
            return PLACEMENT_NONE;
        counts[r->candidates[i].unit]++;
    }
    return placement_victim(r->set.config->pod.placement, counts);
}

/* Each clone of the Deployment shrinks by itself. */
static void shrink_units(struct replicas *r, sim_ns now, int32_t count)
{
    for (; count > 0; count--) {
        size_t n = victims(r), kept = 0;
        uint32_t unit = shrinking_unit(r, n);
        for (size_t i = 0; i < n; i++)
            if (r->candidates[i].unit == unit)
                r->candidates[kept++] = r->candidates[i];
        if (kept == 0)
            return;
        replicaset_rank(r->candidates, kept, now, r->order);
        remove_replica(r, now, &r->table[r->candidates[r->order[0]].id], POD_END_SCALE_IN);
    }
}

static void shrink(struct replicas *r, sim_ns now, int32_t count)
{
    const struct placement *how = r->set.config->pod.placement;
    if (how && how->kind == PLACEMENT_ELASTIC_WORKLOAD) {
        shrink_units(r, now, count);
        return;
    }
    size_t n = victims(r);
    replicaset_rank(r->candidates, n, now, r->order);
    for (int32_t i = 0; i < count && (size_t)i < n; i++)
        remove_replica(r, now, &r->table[r->candidates[r->order[i]].id], POD_END_SCALE_IN);
}

/* Only of the old template, and only those that are (not) ready. */
static void shrink_old(struct replicas *r, sim_ns now, int32_t count, bool ready)
{
    size_t n = count > 0 ? victims(r) : 0;
    replicaset_rank(r->candidates, n, now, r->order);
    for (size_t i = 0; i < n && count > 0; i++) {
        struct replica *one = &r->table[r->candidates[r->order[i]].id];
        if (!is_old(r, one) || (one->state == REPLICA_SERVING) != ready)
            continue;
        remove_replica(r, now, one, POD_END_SCALE_IN);
        count--;
    }
}

static struct rollout_pods by_template(const struct replicas *r)
{
    struct rollout_pods p = {0};
    for (size_t i = 0; i < r->top; i++) {
        const struct replica *one = &r->table[i];
        if (one->state == REPLICA_FREE || one->state == REPLICA_LEAVING)
            continue;
        bool ready = one->state == REPLICA_SERVING;
        *(is_old(r, one) ? &p.old : &p.fresh) += 1;
        *(is_old(r, one) ? &p.old_ready : &p.fresh_ready) += ready;
    }
    return p;
}

/* As many pods of the new template as are wanted, within the bounds of the rollout. */
static void roll(struct replicas *r, sim_ns now)
{
    const struct rollout_config *c = r->rollout;
    for (;;) {
        struct rollout_pods p = by_template(r);
        int32_t above = p.old + p.fresh - r->sizes.want - rollout_surge(c, r->sizes.want);
        if (above > 0) /* the size was cut meanwhile */
            shrink_old(r, now, above < p.old - p.old_ready ? above : p.old - p.old_ready, false);
        struct rollout_step step = rollout_next(c, r->sizes.want, &p);
        if (step.start + step.stop_unready + step.stop_ready == 0)
            break;
        int32_t before = r->sizes.have;
        ask(r, now, step.start);
        shrink_old(r, now, step.stop_unready, false);
        shrink_old(r, now, step.stop_ready, true);
        if (r->sizes.have == before)
            break; /* no pod could be had: cluster_failed ends the run */
    }
    if (by_template(r).old == 0)
        r->rollout = NULL;
}

/* As many pods as are wanted. */
static void reconcile(struct replicas *r, sim_ns now)
{
    const struct replicas_sizes *s = &r->sizes;
    if (r->rollout)
        roll(r, now);
    if (!r->rollout && s->have < s->want)
        ask(r, now, s->want - s->have);
    else if (!r->rollout && s->have > s->want)
        shrink(r, now, s->have - s->want);
    show_sizes(r, now);
}

static void on_rollout(void *self, sim_ns now, uint64_t number)
{
    struct replicas *r = self;
    const struct rollout_config *all = r->set.config->rollouts.items;
    r->rollout = &all[number];
    r->revision++;
    recorder_log(r->recorder, now, true, r->set.config->name, "rolling update",
                 "at most %d above and %d below the size of %d",
                 (int)rollout_surge(r->rollout, r->sizes.want),
                 (int)rollout_unavailable(r->rollout, r->sizes.want), (int)r->sizes.want);
    reconcile(r, now);
}

void replicas_start(struct replicas *r)
{
    const struct rollout_config *all = r->set.config->rollouts.items;
    replicas_scale(r, 0, (int32_t)r->set.config->initial_replicas);
    r->starts = 0; /* the pods that are there at the start were started by nobody */
    for (size_t i = 0; i < r->set.config->rollouts.count; i++)
        if (all[i].at < r->set.frame->horizon)
            sim_at(r->sim, all[i].at, SIM_PHASE, on_rollout, r, i);
}

void replicas_scale(struct replicas *r, sim_ns now, int32_t want)
{
    assert(want >= 0);
    if (r->sizes.want == 0)
        r->at_zero += now - r->zero_since;
    if (want == 0)
        r->zero_since = now;
    r->sizes.want = want;
    r->most_wanted = want > r->most_wanted ? want : r->most_wanted;
    cluster_want(r->cluster, now, r->set.number, want);
    reconcile(r, now);
}

/* ---- the cluster's calls ---- */

void replicas_pod_listed(struct replicas *r, sim_ns now, struct pod_ref pod)
{
    struct replica *one = replica_of(r, pod);
    if (!one || one->state != REPLICA_PENDING || r->set.ready_only)
        return;
    dispatch_reach(r->set.dispatch, now);
    dispatch_add(r->set.dispatch, now, slot_of(r, one), ENDPOINT_LOADING, 0);
    one->dispatched = true;
    one->state = REPLICA_LISTED;
}

void replicas_pod_ready(struct replicas *r, sim_ns now, struct pod_ref pod, uint32_t gpu)
{
    struct dispatch *d = r->set.dispatch;
    struct replica *one = replica_of(r, pod);
    if (!one || (one->state != REPLICA_PENDING && one->state != REPLICA_LISTED))
        return;
    dispatch_reach(d, now);
    /* It was listed as of the first kind of GPU; nothing ran there, so it can be listed anew. */
    if (one->dispatched && gpu != 0) {
        dispatch_kill(d, now, slot_of(r, one), FAIL_LOST);
        one->dispatched = false;
    }
    if (one->dispatched)
        dispatch_endpoint(d, now, slot_of(r, one), ENDPOINT_SERVING);
    else
        dispatch_add(d, now, slot_of(r, one), ENDPOINT_SERVING, gpu);
    one->dispatched = true;
    one->state = REPLICA_SERVING;
    one->changed = now;
    count_ready(r, now, 1);
    reconcile(r, now); /* a rollout goes on */
}

void replicas_pod_evicted(struct replicas *r, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    struct replica *one = replica_of(r, pod);
    if (!one || one->state == REPLICA_LEAVING || one->state == REPLICA_DEAD)
        return;
    r->evictions += why == POD_END_NODE_DRAIN;
    remove_replica(r, now, one, why);
    reconcile(r, now);
}

void replicas_pod_dead(struct replicas *r, sim_ns now, struct pod_ref pod)
{
    struct replica *one = replica_of(r, pod);
    if (!one)
        return;
    dispatch_reach(r->set.dispatch, now);
    if (one->dispatched && !one->drained)
        dispatch_endpoint(r->set.dispatch, now, slot_of(r, one), ENDPOINT_DEAD);
    if (one->state == REPLICA_SERVING)
        count_ready(r, now, -1);
    if (one->state == REPLICA_LEAVING) {
        one->lost = true;
        return; /* its own end is scheduled already */
    }
    one->state = REPLICA_DEAD;
    show_sizes(r, now);
}

void replicas_pod_gone(struct replicas *r, sim_ns now, struct pod_ref pod)
{
    struct replica *one = replica_of(r, pod);
    if (!one)
        return;
    if (one->state != REPLICA_LEAVING)
        uncount(r, now, one);
    free_slot(r, now, one, FAIL_LOST);
    reconcile(r, now);
}

/* A container that is restarted in place loses what it ran; a silent machine only leaves the
 * endpoints: what was sent to it hangs until its time-out. */
void replicas_pod_unlisted(struct replicas *r, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    struct replica *one = replica_of(r, pod);
    if (!one || !one->dispatched || one->state == REPLICA_LEAVING)
        return;
    dispatch_reach(r->set.dispatch, now);
    one->changed = now;
    if (why == POD_END_NODE_LOST) {
        if (!one->drained)
            dispatch_drain(r->set.dispatch, now, slot_of(r, one));
        one->drained = true;
        return;
    }
    bool served = one->state == REPLICA_SERVING;
    dispatch_kill(r->set.dispatch, now, slot_of(r, one), FAIL_LOST);
    one->dispatched = false;
    one->state = REPLICA_PENDING;
    if (served)
        count_ready(r, now, -1);
    show_sizes(r, now);
}

/* ---- what is shown ---- */

size_t replicas_busy(struct replicas *r, sim_ns now, struct replicas_busy *out, size_t cap)
{
    size_t n = r->top < cap ? r->top : cap;
    dispatch_reach(r->set.dispatch, now);
    for (size_t i = 0; i < n; i++) {
        const struct replica *one = &r->table[i];
        out[i].serial = one->serial;
        out[i].busy_ns = one->dispatched ? dispatch_busy(r->set.dispatch, now, (uint32_t)i) : 0;
    }
    return n;
}

/* The node controller has not noticed a dead machine until the endpoint goes; up to then the API
 * shows the pod as ready. */
static bool looks_ready(const struct replica *one)
{
    return one->state == REPLICA_SERVING || (one->state == REPLICA_DEAD && !one->drained);
}

static struct scaler_pod api_pod(const struct pod_view *view, const struct replica *one)
{
    bool running = view->phase >= POD_LOADING;
    return (struct scaler_pod){
        .phase = running ? SCALER_POD_RUNNING : SCALER_POD_PENDING,
        .ready = view->placed_at == SIM_NEVER ? SCALER_READY_NONE
                 : looks_ready(one)           ? SCALER_READY_TRUE
                                              : SCALER_READY_FALSE,
        .deleting = one->state == REPLICA_LEAVING,
        .started_at = view->placed_at,
        .ready_changed_at = one->changed,
    };
}

size_t replicas_show(struct replicas *r, const struct replicas_pods *out)
{
    size_t n = cluster_pods(r->cluster, r->set.number, r->views, r->max), m = 0;
    for (size_t i = 0; i < n && m < out->cap; i++) {
        const struct replica *one = replica_of(r, r->views[i].ref);
        if (!one)
            continue;
        out->pods[m] = api_pod(&r->views[i], one);
        out->slots[m] = slot_of(r, one);
        out->serials[m] = one->serial;
        out->serving[m] = one->state == REPLICA_SERVING;
        m++;
    }
    return m;
}

/* ---- the end ---- */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void close_drought(struct replicas *r, sim_ns end, struct drought *out)
{
    *out = r->drought;
    if (!out->on)
        return;
    out->requests += dispatch_tally(r->set.dispatch, end)->arrived - out->arrived;
    out->lasted += end - out->since;
}

void replicas_figures(struct replicas *r, const char *prefix)
{
    struct heading to = {r->recorder, prefix};
    sim_ns end = r->set.frame->horizon;
    struct drought d;
    close_drought(r, end, &d);
    double arrived = (double)dispatch_tally(r->set.dispatch, end)->arrived;
    sim_ns zero = r->at_zero + (r->sizes.want == 0 ? end - r->zero_since : 0);
    heading_put(&to, "replicas.mean", "replicas", FIGURE_MEAN,
                recorder_mean(r->recorder, r->have_id, end));
    heading_put(&to, "replicas.min", "replicas", FIGURE_MIN,
                (double)recorder_min(r->recorder, r->have_id));
    heading_put(&to, "replicas.max", "replicas", FIGURE_MAX,
                (double)recorder_max(r->recorder, r->have_id));
    heading_put(&to, "replicas.wantMax", "replicas", FIGURE_MAX, (double)r->most_wanted);
    heading_put(&to, "replicas.ready", "replicas", FIGURE_MEAN,
                recorder_mean(r->recorder, r->ready_id, end));
    heading_put(&to, "replicas.starts", "pods", FIGURE_MEAN, (double)r->starts);
    heading_put(&to, "replicas.startsPerHour", "pods/h", FIGURE_MEAN,
                (double)r->starts / ((double)end / (double)SIM_HOUR));
    heading_put(&to, "replicas.evictions", "pods", FIGURE_MEAN, (double)r->evictions);
    heading_put(&to, "replicas.evictionsPerDay", "pods/d", FIGURE_MEAN,
                (double)r->evictions / ((double)end / (double)SIM_DAY));
    heading_put(&to, "replicas.zeroShare", "1", FIGURE_MEAN, (double)zero / (double)end);
    heading_put(&to, "replicas.noneReadyShare", "1", FIGURE_MEAN, (double)d.lasted / (double)end);
    heading_put(&to, "coldStart.requests", "requests", FIGURE_SUM, (double)d.requests);
    heading_put(&to, "coldStart.share", "1", FIGURE_MEAN, share((double)d.requests, arrived));
}

int replicas_failed(const struct replicas *r, struct err *e)
{
    if (!r->full)
        return 0;
    return err_set(e, ERR_INPUT, NULL,
                   "limits.replicas: more than %zu replicas of one service exist, the ones on "
                   "their way out included; raise it",
                   r->max);
}
