/* service: replicas, endpoints, scaler passes and windows of one deployment. */
#include "models/serving/service.h"

#include "models/control/replicaset.h"
#include "models/control/scaler.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "workloads/traffic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    bool dispatched; /* the dispatcher knows this slot */
    bool drained;    /* the dispatcher has it out of the endpoint list */
    sim_ns grace_end;
    struct sim_handle next; /* its next event of leaving */
};

/* A mark at the edge of a metric window. */
struct edge {
    uint64_t ended;
    struct hist *latency; /* NULL unless a metric reads latencies */
};

/* Low and high edges of the windows of the passes that are still to come. */
struct edges {
    struct edge *low, *high;
    size_t n; /* ring size: passes whose low edge may lie before now */
};

#define SERVICE_MAX_METRICS 16

struct service_ids {
    rec_id want, have, ready, qps, metric, p50, p95, p99, in_flight;
};

struct service {
    const struct service_config *config;
    const struct traffic *traffic;
    struct service_frame frame;
    uint32_t number;
    char label[96]; /* "bert", for logs */

    struct dispatch *dispatch;
    struct arrivals *arrivals;
    struct dist *times;

    struct replica *replicas;
    struct pod_view *pods; /* scratch of max_replicas */
    struct replicaset_pod *candidates;
    uint32_t *order;
    int32_t want, have, ready; /* have: not leaving; ready: serving */

    const struct scaler_policy *policy;
    void *memory;
    struct scaler_wants wants[SERVICE_MAX_METRICS];
    size_t n_wants;
    sim_ns period, first_pass;
    uint64_t passes;
    struct edges edges;
    int64_t busy_at_pass;
    sim_ns last_pass;

    const struct tally *now;         /* at the last mark; borrowed from the dispatcher */
    struct tally window_start, base; /* base: at the end of the warm-up */
    struct hist scratch;
    bool warm, full; /* full: limits.replicas was met */
    struct slo_window worst;
    uint64_t windows, windows_held, windows_missed;
    uint64_t starts, reversals, metric_gaps, changes, capped;
    int32_t direction;
    int32_t most_wanted;
    struct service_ids ids;
};

static void on_pass(void *self, sim_ns now, uint64_t number);
static void on_low_edge(void *self, sim_ns now, uint64_t number);
static void on_high_edge(void *self, sim_ns now, uint64_t number);
static void on_window(void *self, sim_ns now, uint64_t number);
static void on_warm(void *self, sim_ns now, uint64_t unused);
static void on_refuse(void *self, sim_ns now, uint64_t slot);
static void on_delist(void *self, sim_ns now, uint64_t slot);
static void on_end(void *self, sim_ns now, uint64_t slot);

/* ---- set-up ---- */

static sim_ns none_if_zero(sim_ns v)
{
    return v > 0 ? v : SIM_NEVER;
}

static int make_dispatch(struct service *s, struct err *e)
{
    const struct service_config *c = s->config;
    const struct service_time *times = c->serving.times.items;
    size_t n = c->serving.times.count;
    s->times = calloc(n, sizeof *s->times);
    if (!s->times)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", c->name);
    for (size_t i = 0; i < n; i++)
        s->times[i] = times[i].time;
    int64_t clients = traffic_clients(s->traffic);
    if (clients == 0) {
        s->arrivals = arrivals_open(s->traffic, s->frame.seed, s->frame.replication, s->number, e);
        if (!s->arrivals)
            return -1;
    }
    struct dispatch_setup setup = {
        .balance = (enum balance)c->serving.balance,
        .discipline = (enum discipline)c->serving.discipline,
        .concurrency = c->serving.concurrency ? c->serving.concurrency : INT64_MAX,
        .max_queue = c->serving.max_queue ? c->serving.max_queue : INT64_MAX,
        .timeout_ns = none_if_zero(c->ingress.timeout),
        .connect_timeout_ns = c->ingress.connect_timeout,
        .tries = (int32_t)c->ingress.tries,
        .workers = (uint32_t)c->ingress.workers,
        .service = s->times,
        .n_services = n,
        .max_replicas = s->frame.max_replicas,
        .max_in_flight = s->frame.max_in_flight,
        .arrivals = s->arrivals,
        .clients = clients,
        .seed = s->frame.seed,
        .replication = s->frame.replication,
        .entity = s->number,
        .use_events = s->frame.use_events,
    };
    if (clients > 0)
        setup.think_time = *traffic_think_time(s->traffic);
    s->dispatch = dispatch_create(&setup, e);
    return s->dispatch ? 0 : -1;
}

static bool reads_latency(const struct service *s)
{
    for (size_t i = 0; i < s->n_wants; i++)
        if (s->wants[i].kind == METRIC_INGRESS_LATENCY)
            return true;
    return false;
}

static int make_edges(struct service *s, struct err *e)
{
    sim_ns reach = metric_sls_reach(&s->config->metric);
    size_t n = s->period == SIM_NEVER ? 1 : (size_t)(reach / s->period) + 3;
    s->edges = (struct edges){calloc(n, sizeof(struct edge)), calloc(n, sizeof(struct edge)), n};
    if (!s->edges.low || !s->edges.high)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->config->name);
    for (size_t i = 0; reads_latency(s) && i < n; i++) {
        s->edges.low[i].latency = calloc(1, sizeof(struct hist));
        s->edges.high[i].latency = calloc(1, sizeof(struct hist));
        if (!s->edges.low[i].latency || !s->edges.high[i].latency)
            return err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->config->name);
    }
    return 0;
}

static int make_scaler(struct service *s, struct err *e)
{
    const struct knob_choice *choice = &s->config->autoscaler;
    assert(choice->option);
    s->policy = choice->option->descriptor;
    size_t size = s->policy->memory_size(choice->config);
    s->memory = calloc(1, size ? size : 1);
    if (!s->memory)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->config->name);
    s->n_wants = s->policy->wants(choice->config, s->wants, SERVICE_MAX_METRICS);
    assert(s->n_wants <= SERVICE_MAX_METRICS);
    s->period = s->policy->period(choice->config);
    double phase = s->config->pass_phase;
    if (phase < 0)
        phase = chance_uniform(
            chance_stream(s->frame.seed, s->frame.replication, CHANCE_PHASE, s->number), 0);
    s->first_pass = s->period == SIM_NEVER ? 0 : (sim_ns)(phase * (double)s->period);
    return make_edges(s, e);
}

static rec_id level(struct service *s, const char *what, const char *unit)
{
    char path[160];
    if (s->frame.alone)
        return recorder_level(s->frame.recorder, what, unit, 0);
    snprintf(path, sizeof path, "services.%s.%s", s->config->name, what);
    return recorder_level(s->frame.recorder, path, unit, 0);
}

static rec_id samples(struct service *s, const char *what, const char *unit)
{
    char path[160];
    if (s->frame.alone)
        return recorder_samples(s->frame.recorder, what, unit);
    snprintf(path, sizeof path, "services.%s.%s", s->config->name, what);
    return recorder_samples(s->frame.recorder, path, unit);
}

static void make_series(struct service *s)
{
    s->ids = (struct service_ids){
        .want = level(s, "replicas.want", "replicas"),
        .have = level(s, "replicas.have", "replicas"),
        .ready = level(s, "replicas.ready", "replicas"),
        .qps = samples(s, "traffic.qps", "QPS"),
        .metric = samples(s, "metric.qps", "QPS"),
        .p50 = samples(s, "latency.p50", "s"),
        .p95 = samples(s, "latency.p95", "s"),
        .p99 = samples(s, "latency.p99", "s"),
        .in_flight = samples(s, "requests.inFlight", "requests"),
    };
}

static int make_tables(struct service *s, struct err *e)
{
    size_t n = s->frame.max_replicas;
    s->replicas = calloc(n, sizeof *s->replicas);
    s->pods = calloc(n, sizeof *s->pods);
    s->candidates = calloc(n, sizeof *s->candidates);
    s->order = calloc(n, sizeof *s->order);
    if (!s->replicas || !s->pods || !s->candidates || !s->order)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->config->name);
    return 0;
}

struct service *service_create(const struct service_config *c, const struct traffic *traffic,
                               uint32_t number, const struct service_frame *f, struct err *e)
{
    assert(c && traffic && f && f->max_replicas > 0);
    struct service *s = calloc(1, sizeof *s);
    if (!s) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", c->name);
        return NULL;
    }
    s->config = c;
    s->traffic = traffic;
    s->number = number;
    s->frame = *f;
    snprintf(s->label, sizeof s->label, "%s", c->name);
    if (make_tables(s, e) || make_scaler(s, e) || make_dispatch(s, e)) {
        service_destroy(s);
        return NULL;
    }
    make_series(s);
    return s;
}

void service_destroy(struct service *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->edges.n; i++) {
        if (s->edges.low)
            free(s->edges.low[i].latency);
        if (s->edges.high)
            free(s->edges.high[i].latency);
    }
    free(s->edges.low);
    free(s->edges.high);
    dispatch_destroy(s->dispatch);
    arrivals_close(s->arrivals);
    free(s->times);
    free(s->memory);
    free(s->replicas);
    free(s->pods);
    free(s->candidates);
    free(s->order);
    free(s);
}

/* ---- time ---- */

void service_advance(struct service *s, sim_ns until)
{
    struct advance a = dispatch_advance(s->dispatch, until);
    assert(a.why == STOP_HORIZON || a.reached < until);
}

bool service_waits_for_capacity(const struct service *s)
{
    (void)s;
    return false;
}

/* The dispatcher at the time of a control event, with what is final by then. */
static void mark(struct service *s, sim_ns now)
{
    service_advance(s, now);
    s->now = dispatch_tally(s->dispatch, now);
    /* A dispatcher that met a limit has dropped what it had no room for; the run ends soon. */
    struct err met = {0};
    assert(dispatch_failed(s->dispatch, &met) || tally_conserves(s->now));
}

/* ---- replicas ---- */

static void show_sizes(struct service *s, sim_ns now)
{
    recorder_set(s->frame.recorder, s->ids.want, now, s->want);
    recorder_set(s->frame.recorder, s->ids.have, now, s->have);
    recorder_set(s->frame.recorder, s->ids.ready, now, s->ready);
}

/* Linear: a service has tens of pods, and pods change state a few times an hour. */
static struct replica *replica_of(struct service *s, struct pod_ref pod)
{
    for (size_t i = 0; i < s->frame.max_replicas; i++)
        if (s->replicas[i].state != REPLICA_FREE && s->replicas[i].pod.slot == pod.slot &&
            s->replicas[i].pod.generation == pod.generation)
            return &s->replicas[i];
    return NULL;
}

static uint32_t slot_of(const struct service *s, const struct replica *r)
{
    return (uint32_t)(r - s->replicas);
}

static struct replica *free_replica(struct service *s)
{
    for (size_t i = 0; i < s->frame.max_replicas; i++)
        if (s->replicas[i].state == REPLICA_FREE)
            return &s->replicas[i];
    return NULL;
}

static void free_slot(struct service *s, sim_ns now, struct replica *r, enum fail_cause cause)
{
    if (r->dispatched) {
        service_advance(s, now);
        dispatch_kill(s->dispatch, now, slot_of(s, r), cause);
    }
    sim_cancel(s->frame.sim, r->next);
    *r = (struct replica){0};
}

static void ask(struct service *s, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        struct replica *r = free_replica(s);
        if (!r) {
            s->full = true;
            return;
        }
        struct pod_ref pod = cluster_ask(s->frame.cluster, s->number);
        if (pod.generation == 0)
            return; /* cluster_failed ends the run */
        *r = (struct replica){.state = REPLICA_PENDING, .pod = pod};
        s->have++;
        s->starts++;
    }
}

/* Stops counting a replica; it may still serve until it is drained. */
static void uncount(struct service *s, const struct replica *r)
{
    assert(r->state != REPLICA_FREE && r->state != REPLICA_LEAVING);
    s->have--;
    if (r->state == REPLICA_SERVING)
        s->ready--;
}

static sim_ns first_of(sim_ns a, sim_ns b)
{
    return a < b ? a : b;
}

/* The way out of a running pod: it refuses from the end of preStop (SIGTERM), the balancer forgets
 * it an endpoint lag after the deletion, and it ends when it is empty or its grace is over. */
static void leave(struct service *s, sim_ns now, struct replica *r)
{
    sim_ns pre_stop = s->config->pre_stop, lag = s->config->ingress.endpoint_lag;
    r->grace_end = now + s->config->pod.grace;
    if (!r->dispatched) {
        r->next = sim_at(s->frame.sim, now, SIM_PHASE, on_end, s, slot_of(s, r));
        return;
    }
    if (pre_stop < lag)
        r->next = sim_at(s->frame.sim, first_of(now + pre_stop, r->grace_end), SIM_PHASE, on_refuse,
                         s, slot_of(s, r));
    else
        r->next = sim_at(s->frame.sim, first_of(now + lag, r->grace_end), SIM_PHASE, on_delist, s,
                         slot_of(s, r));
}

static void on_refuse(void *self, sim_ns now, uint64_t slot)
{
    struct service *s = self;
    struct replica *r = &s->replicas[slot];
    service_advance(s, now);
    dispatch_endpoint(s->dispatch, now, (uint32_t)slot, ENDPOINT_LOADING);
    sim_ns rest = s->config->ingress.endpoint_lag - s->config->pre_stop;
    r->next =
        sim_at(s->frame.sim, first_of(now + rest, r->grace_end), SIM_PHASE, on_delist, s, slot);
}

static void on_delist(void *self, sim_ns now, uint64_t slot)
{
    struct service *s = self;
    struct replica *r = &s->replicas[slot];
    service_advance(s, now);
    sim_ns empty = dispatch_drain(s->dispatch, now, (uint32_t)slot);
    r->drained = true;
    r->next = sim_at(s->frame.sim, first_of(empty, r->grace_end), SIM_PHASE, on_end, s, slot);
}

static void on_end(void *self, sim_ns now, uint64_t slot)
{
    struct service *s = self;
    struct replica *r = &s->replicas[slot];
    assert(r->state == REPLICA_LEAVING);
    struct pod_ref pod = r->pod;
    free_slot(s, now, r, FAIL_ABORTED);
    cluster_release(s->frame.cluster, pod);
}

static void remove_replica(struct service *s, sim_ns now, struct replica *r, enum pod_end why)
{
    uncount(s, r);
    r->state = REPLICA_LEAVING;
    if (cluster_delete(s->frame.cluster, r->pod, why))
        free_slot(s, now, r, FAIL_ABORTED);
    else
        leave(s, now, r);
}

/* What the ReplicaSet controller would rank, in order of creation. */
static size_t victims(struct service *s)
{
    size_t n = cluster_pods(s->frame.cluster, s->number, s->pods, s->frame.max_replicas);
    struct chance uids =
        chance_sub(chance_stream(s->frame.seed, s->frame.replication, CHANCE_PHASE, s->number), 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        struct replica *r = replica_of(s, s->pods[i].ref);
        if (!r || r->state == REPLICA_LEAVING)
            continue;
        s->candidates[m] = (struct replicaset_pod){
            .id = slot_of(s, r),
            .node = s->pods[i].node,
            .assigned = s->pods[i].node != UINT32_MAX,
            .running = s->pods[i].phase >= POD_LOADING,
            .unknown = s->pods[i].phase == POD_DEAD,
            .ready = r->state == REPLICA_SERVING,
            .deletion_cost = s->pods[i].deletion_cost,
            .ready_since = s->pods[i].ready_since,
            .created = s->pods[i].created,
            .uid = chance_bits(uids,
                               s->pods[i].ref.generation * UINT64_C(65536) + s->pods[i].ref.slot),
        };
        m++;
    }
    return m;
}

static void shrink(struct service *s, sim_ns now, int32_t count)
{
    size_t n = victims(s);
    replicaset_rank(s->candidates, n, now, s->order);
    for (int32_t i = 0; i < count && (size_t)i < n; i++)
        remove_replica(s, now, &s->replicas[s->candidates[s->order[i]].id], POD_END_SCALE_IN);
}

/* The ReplicaSet controller: as many pods as are wanted. */
static void reconcile(struct service *s, sim_ns now)
{
    if (s->have < s->want)
        ask(s, s->want - s->have);
    else if (s->have > s->want)
        shrink(s, now, s->have - s->want);
    show_sizes(s, now);
}

void service_pod_listed(struct service *s, sim_ns now, struct pod_ref pod)
{
    struct replica *r = replica_of(s, pod);
    if (!r || r->state != REPLICA_PENDING)
        return;
    service_advance(s, now);
    dispatch_add(s->dispatch, now, slot_of(s, r), ENDPOINT_LOADING, 0);
    r->dispatched = true;
    r->state = REPLICA_LISTED;
}

void service_pod_ready(struct service *s, sim_ns now, struct pod_ref pod, uint32_t gpu)
{
    struct replica *r = replica_of(s, pod);
    if (!r || (r->state != REPLICA_PENDING && r->state != REPLICA_LISTED))
        return;
    service_advance(s, now);
    /* It was listed as of the first kind of GPU; nothing ran there, so it can be listed anew. */
    if (r->dispatched && gpu != 0) {
        dispatch_kill(s->dispatch, now, slot_of(s, r), FAIL_LOST);
        r->dispatched = false;
    }
    if (r->dispatched)
        dispatch_endpoint(s->dispatch, now, slot_of(s, r), ENDPOINT_SERVING);
    else
        dispatch_add(s->dispatch, now, slot_of(s, r), ENDPOINT_SERVING, gpu);
    r->dispatched = true;
    r->state = REPLICA_SERVING;
    s->ready++;
    show_sizes(s, now);
}

void service_pod_evicted(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    struct replica *r = replica_of(s, pod);
    if (!r || r->state == REPLICA_LEAVING || r->state == REPLICA_DEAD)
        return;
    remove_replica(s, now, r, why);
    reconcile(s, now);
}

void service_pod_dead(struct service *s, sim_ns now, struct pod_ref pod)
{
    struct replica *r = replica_of(s, pod);
    if (!r)
        return;
    service_advance(s, now);
    if (r->dispatched && !r->drained)
        dispatch_endpoint(s->dispatch, now, slot_of(s, r), ENDPOINT_DEAD);
    if (r->state == REPLICA_SERVING)
        s->ready--;
    if (r->state == REPLICA_LEAVING)
        return; /* its own end is scheduled already */
    r->state = REPLICA_DEAD;
    show_sizes(s, now);
}

void service_pod_gone(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    struct replica *r = replica_of(s, pod);
    if (!r)
        return;
    (void)why;
    if (r->state != REPLICA_LEAVING)
        uncount(s, r);
    free_slot(s, now, r, FAIL_LOST);
    reconcile(s, now);
}

/* A container that is restarted in place loses what it ran; a silent machine only leaves the
 * endpoints: what was sent to it hangs until its time-out. */
void service_pod_unlisted(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    struct replica *r = replica_of(s, pod);
    if (!r || !r->dispatched || r->state == REPLICA_LEAVING)
        return;
    service_advance(s, now);
    if (why == POD_END_NODE_LOST) {
        if (!r->drained)
            dispatch_drain(s->dispatch, now, slot_of(s, r));
        r->drained = true;
        return;
    }
    if (r->state == REPLICA_SERVING)
        s->ready--;
    dispatch_kill(s->dispatch, now, slot_of(s, r), FAIL_LOST);
    r->dispatched = false;
    r->state = REPLICA_PENDING;
    show_sizes(s, now);
}

/* ---- the scaler ---- */

static void note_edge(struct service *s, sim_ns now, struct edge *edge)
{
    mark(s, now);
    edge->ended = tally_ended(s->now);
    if (edge->latency)
        *edge->latency = s->now->latency;
}

static sim_ns pass_time(const struct service *s, uint64_t number)
{
    return s->first_pass + (sim_ns)number * s->period;
}

/* An edge before the start of the run: nothing had ended by then. */
static void schedule_edge(struct service *s, uint64_t number, bool low)
{
    sim_ns edge[2];
    metric_sls_edges(&s->config->metric, pass_time(s, number), &edge[0], &edge[1]);
    sim_ns at = low ? edge[0] : edge[1];
    struct edge *e = low ? &s->edges.low[number % s->edges.n] : &s->edges.high[number % s->edges.n];
    if (at > s->frame.horizon)
        return;
    if (at <= 0) {
        e->ended = 0;
        if (e->latency)
            hist_clear(e->latency);
        schedule_edge(s, number + 1, low);
        return;
    }
    sim_at(s->frame.sim, at, SIM_MARK, low ? on_low_edge : on_high_edge, s, number);
}

static void on_low_edge(void *self, sim_ns now, uint64_t number)
{
    struct service *s = self;
    note_edge(s, now, &s->edges.low[number % s->edges.n]);
    schedule_edge(s, number + 1, true);
}

static void on_high_edge(void *self, sim_ns now, uint64_t number)
{
    struct service *s = self;
    note_edge(s, now, &s->edges.high[number % s->edges.n]);
    schedule_edge(s, number + 1, false);
}

static struct scaler_metric read_latency(struct service *s, const struct edge *low,
                                         const struct edge *high, const struct scaler_wants *wish)
{
    s->scratch = *high->latency;
    hist_subtract(&s->scratch, low->latency);
    double ms = wish->quantile > 0 ? (double)hist_quantile(&s->scratch, wish->quantile) / 1e6
                                   : hist_mean(&s->scratch) / 1e6;
    return metric_sls_latency(&s->config->metric, sim_now(s->frame.sim), ms, s->scratch.n);
}

static struct scaler_metric whole(uint64_t count)
{
    return (struct scaler_metric){.present = true, .milli = (int64_t)count * 1000};
}

static struct scaler_metric disturbed(struct service *s, sim_ns now, uint64_t number,
                                      struct scaler_metric m)
{
    struct chance stream =
        chance_stream(s->frame.seed, s->frame.replication, CHANCE_FAULT, s->number);
    if (!metric_sls_present(&s->config->metric, now))
        return (struct scaler_metric){.present = false};
    return metric_sls_disturb(&s->config->metric, now, m, stream, number);
}

static struct scaler_metric read_metric(struct service *s, sim_ns now, uint64_t number,
                                        const struct scaler_wants *wish)
{
    const struct edge *low = &s->edges.low[number % s->edges.n];
    const struct edge *high = &s->edges.high[number % s->edges.n];
    int64_t capacity = s->ready > 0 ? s->ready : 1;
    switch (wish->kind) {
    case METRIC_INGRESS_QPS:
        return disturbed(s, now, number,
                         metric_sls_qps(&s->config->metric, now, high->ended - low->ended));
    case METRIC_INGRESS_LATENCY:
        return disturbed(s, now, number, read_latency(s, low, high, wish));
    case METRIC_IN_FLIGHT:
    case METRIC_CONCURRENCY:
        return whole(s->now->waiting + s->now->running);
    case METRIC_QUEUE_LENGTH:
        return whole(s->now->waiting);
    case METRIC_UTILIZATION:
        if (now == s->last_pass)
            return (struct scaler_metric){.present = false};
        return (struct scaler_metric){
            .present = true,
            .milli =
                (s->now->busy_ns - s->busy_at_pass) / ((now - s->last_pass) * capacity / 1000 + 1),
        };
    }
    assert(wish->kind <= METRIC_CONCURRENCY);
    return (struct scaler_metric){.present = false};
}

/* The highest true rate that a policy with foresight may know of. */
#define SERVICE_LOOK_STEPS 60
static double foreseen_qps(const struct service *s, sim_ns now)
{
    const void *config = s->config->autoscaler.config;
    sim_ns ahead = s->policy->lookahead ? s->policy->lookahead(config) : 0;
    double most = traffic_qps(s->traffic, now);
    for (int i = 1; ahead > 0 && i <= SERVICE_LOOK_STEPS; i++) {
        double qps = traffic_qps(s->traffic, now + ahead / SERVICE_LOOK_STEPS * i);
        if (!(qps <= most))
            most = qps;
    }
    return most;
}

static void look(struct service *s, sim_ns now, struct scaler_view *view)
{
    int64_t local = s->frame.epoch_s + now / SIM_SECOND + s->frame.utc_offset_s;
    int64_t day = local >= 0 ? local / 86400 : -((-local + 86399) / 86400);
    *view = (struct scaler_view){
        .now = now,
        .spec_replicas = s->want,
        .status_replicas = s->have,
        .ready_replicas = s->ready,
        .true_qps = foreseen_qps(s, now),
        .local_s = (double)(local - day * 86400) + (double)(now % SIM_SECOND) / 1e9,
        .local_weekday = (int32_t)(((day + 4) % 7 + 7) % 7),
    };
}

static void apply(struct service *s, sim_ns now, const struct scaler_decision *d)
{
    char subject[128], what[64];
    bool changes = d->replicas != s->want;
    snprintf(subject, sizeof subject, "%s %s", s->policy->option.name, s->label);
    snprintf(what, sizeof what, changes ? "%d -> %d" : "%d", (int)s->want, (int)d->replicas);
    recorder_log(s->frame.recorder, now, changes, subject, what, "%s: %s", d->rule, d->reason);
    s->metric_gaps += d->metric_missing;
    s->capped += strcmp(d->rule, "TooManyReplicas") == 0;
    if (!changes)
        return;
    int32_t direction = d->replicas > s->want ? 1 : -1;
    s->reversals += s->direction != 0 && direction != s->direction;
    s->direction = direction;
    s->changes++;
    s->want = d->replicas;
    if (s->want > s->most_wanted)
        s->most_wanted = s->want;
    reconcile(s, now);
}

static void on_pass(void *self, sim_ns now, uint64_t number)
{
    struct service *s = self;
    struct scaler_metric metrics[SERVICE_MAX_METRICS];
    struct scaler_view view;
    mark(s, now);
    look(s, now, &view);
    for (size_t i = 0; i < s->n_wants; i++)
        metrics[i] = read_metric(s, now, number, &s->wants[i]);
    view.metrics = metrics;
    view.n_metrics = s->n_wants;
    if (s->n_wants > 0 && s->wants[0].kind == METRIC_INGRESS_QPS && metrics[0].present)
        recorder_sample(s->frame.recorder, s->ids.metric, now, (double)metrics[0].milli / 1000.0);
    struct scaler_decision d = {.replicas = s->want, .rule = "none"};
    s->policy->decide(s->config->autoscaler.config, s->memory, &view, &d);
    s->busy_at_pass = s->now->busy_ns;
    s->last_pass = now;
    s->passes++;
    apply(s, now, &d);
    if (s->period != SIM_NEVER && now + s->period <= s->frame.horizon)
        sim_at(s->frame.sim, now + s->period, SIM_PASS, on_pass, s, number + 1);
}

/* ---- windows ---- */

static void sample_window(struct service *s, sim_ns from, const struct slo_window *w)
{
    struct recorder *r = s->frame.recorder;
    if (w->served > 0) {
        recorder_sample(r, s->ids.p50, from, (double)w->p50 / 1e9);
        recorder_sample(r, s->ids.p95, from, (double)w->p95 / 1e9);
        recorder_sample(r, s->ids.p99, from, (double)w->p99 / 1e9);
    }
    double qps = traffic_qps(s->traffic, from);
    if (qps == qps)
        recorder_sample(r, s->ids.qps, from, qps);
    uint64_t in_flight = s->now->waiting + s->now->running + s->now->retrying;
    recorder_sample(r, s->ids.in_flight, from, (double)in_flight);
}

static void judge(struct service *s, sim_ns from)
{
    struct slo_window w;
    slo_judge(&s->config->slo, &s->window_start, s->now, &s->scratch, &w);
    sample_window(s, from, &w);
    s->window_start = *s->now;
    if (w.served + w.failed == 0 || from < s->frame.warm_up)
        return;
    s->windows++;
    s->windows_held += w.holds;
    s->windows_missed += !w.holds;
    if (w.worst > s->worst.worst)
        s->worst = w;
}

static void on_window(void *self, sim_ns now, uint64_t number)
{
    struct service *s = self;
    sim_ns window = s->config->slo.window;
    mark(s, now);
    judge(s, now - window);
    if (now + window < s->frame.horizon)
        sim_at(s->frame.sim, now + window, SIM_MARK, on_window, s, number + 1);
}

static void on_warm(void *self, sim_ns now, uint64_t unused)
{
    struct service *s = self;
    (void)unused;
    mark(s, now);
    s->base = *s->now;
    s->warm = true;
}

void service_start(struct service *s)
{
    s->want = (int32_t)s->config->initial_replicas;
    s->most_wanted = s->want;
    reconcile(s, 0);
    s->starts = 0; /* the pods that are there at the start were started by nobody */
    if (s->period == SIM_NEVER || s->first_pass <= s->frame.horizon)
        sim_at(s->frame.sim, s->first_pass, SIM_PASS, on_pass, s, 0);
    if (s->period != SIM_NEVER && s->n_wants > 0) {
        schedule_edge(s, 0, true);
        schedule_edge(s, 0, false);
    }
    if (s->config->slo.window < s->frame.horizon)
        sim_at(s->frame.sim, s->config->slo.window, SIM_MARK, on_window, s, 0);
    if (s->frame.warm_up > 0)
        sim_at(s->frame.sim, s->frame.warm_up, SIM_MARK, on_warm, s, 0);
}

/* ---- the end ---- */

static void figure(struct recorder *r, const char *prefix, const char *path, const char *unit,
                   enum figure_merge merge, double value)
{
    char full[192];
    snprintf(full, sizeof full, "%s%s", prefix, path);
    recorder_figure(r, full, unit, merge, value);
}

void service_figures(struct recorder *r, const char *prefix, const struct tally *t)
{
    char path[64];
    figure(r, prefix, "requests.arrived", "requests", FIGURE_SUM, (double)t->arrived);
    figure(r, prefix, "requests.served", "requests", FIGURE_SUM, (double)t->served);
    figure(r, prefix, "requests.failed.total", "requests", FIGURE_SUM, (double)tally_failed(t));
    for (int c = 0; c < FAIL_CAUSES; c++) {
        snprintf(path, sizeof path, "requests.failed.%s", dispatch_cause_name((enum fail_cause)c));
        figure(r, prefix, path, "requests", FIGURE_SUM, (double)t->failed[c]);
    }
    figure(r, prefix, "requests.inFlight", "requests", FIGURE_SUM,
           (double)(t->waiting + t->running + t->retrying));
    figure(r, prefix, "requests.tries", "requests", FIGURE_SUM, (double)t->tries);
    figure(r, prefix, "latency.mean", "s", FIGURE_MEAN, hist_mean(&t->latency) / 1e9);
    static const struct {
        const char *path;
        double q;
    } quantiles[] = {{"latency.p50", 0.5},
                     {"latency.p90", 0.9},
                     {"latency.p95", 0.95},
                     {"latency.p99", 0.99},
                     {"latency.p999", 0.999}};
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        figure(r, prefix, quantiles[i].path, "s", FIGURE_MEAN,
               (double)hist_quantile(&t->latency, quantiles[i].q) / 1e9);
    figure(r, prefix, "latency.max", "s", FIGURE_MAX, (double)t->latency.max / 1e9);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* What was asked for: reports draw and say it beside what came out. */
static void limit_figures(struct recorder *r, const char *prefix, const struct slo_config *c)
{
    const struct {
        const char *path;
        sim_ns limit;
    } rows[] = {{"slo.limits.p50", c->p50},
                {"slo.limits.p90", c->p90},
                {"slo.limits.p95", c->p95},
                {"slo.limits.p99", c->p99},
                {"slo.limits.p999", c->p999}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].limit > 0)
            figure(r, prefix, rows[i].path, "s", FIGURE_MAX,
                   (double)rows[i].limit / (double)SIM_SECOND);
    }
    figure(r, prefix, "slo.window", "s", FIGURE_MAX, (double)c->window / (double)SIM_SECOND);
}

static void slo_figures(struct service *s, const char *prefix)
{
    struct recorder *r = s->frame.recorder;
    if (!slo_asked(&s->config->slo))
        return;
    limit_figures(r, prefix, &s->config->slo);
    figure(r, prefix, "slo.windows", "windows", FIGURE_SUM, (double)s->windows);
    figure(r, prefix, "slo.held", "windows", FIGURE_SUM, (double)s->windows_held);
    figure(r, prefix, "slo.missed", "windows", FIGURE_SUM, (double)s->windows_missed);
    figure(r, prefix, "slo.heldShare", "1", FIGURE_MEAN,
           s->windows ? ratio((double)s->windows_held, (double)s->windows) : 1.0);
    figure(r, prefix, "slo.objective", "1", FIGURE_MEAN, s->config->slo.objective);
    figure(r, prefix, "slo.worst", "1", FIGURE_MAX, s->worst.worst);
    figure(r, prefix, "slo.holds", "1", FIGURE_MEAN, service_holds(s) ? 1.0 : 0.0);
}

static void replica_figures(struct service *s, const char *prefix)
{
    struct recorder *r = s->frame.recorder;
    sim_ns end = s->frame.horizon;
    double area = (double)recorder_area(r, s->ids.have, end);
    double ready = (double)recorder_area(r, s->ids.ready, end);
    figure(r, prefix, "replicas.mean", "replicas", FIGURE_MEAN, area / (double)end);
    figure(r, prefix, "replicas.min", "replicas", FIGURE_MIN, (double)recorder_min(r, s->ids.have));
    figure(r, prefix, "replicas.max", "replicas", FIGURE_MAX, (double)recorder_max(r, s->ids.have));
    figure(r, prefix, "replicas.wantMax", "replicas", FIGURE_MAX, (double)s->most_wanted);
    figure(r, prefix, "replicas.ready", "replicas", FIGURE_MEAN, ready / (double)end);
    figure(r, prefix, "replicas.starts", "pods", FIGURE_MEAN, (double)s->starts);
    figure(r, prefix, "replicas.reversals", "changes", FIGURE_MEAN, (double)s->reversals);
    figure(r, prefix, "replicas.busyShare", "1", FIGURE_MEAN,
           ratio((double)s->now->busy_ns, ready));
    figure(r, prefix, "scaler.passes", "passes", FIGURE_MEAN, (double)s->passes);
    figure(r, prefix, "scaler.changes", "changes", FIGURE_MEAN, (double)s->changes);
    figure(r, prefix, "scaler.cappedShare", "1", FIGURE_MEAN,
           ratio((double)s->capped, (double)s->passes));
    figure(r, prefix, "scaler.metricGaps", "passes", FIGURE_MEAN, (double)s->metric_gaps);
}

void service_close(struct service *s, struct tally *total)
{
    sim_ns end = s->frame.horizon, window = s->config->slo.window;
    mark(s, end);
    judge(s, (end - 1) / window * window);
    struct tally t = *s->now;
    if (s->warm)
        tally_since(&t, &s->base);
    assert(tally_conserves(&t));
    char prefix[128];
    snprintf(prefix, sizeof prefix, "services.%s.", s->config->name);
    service_figures(s->frame.recorder, prefix, &t);
    slo_figures(s, prefix);
    replica_figures(s, prefix);
    if (s->frame.alone) {
        slo_figures(s, "");
        replica_figures(s, "");
    }
    tally_add(total, &t);
    cluster_busy(s->frame.cluster, s->number, s->now->busy_ns);
}

const char *service_engine(const struct service *s)
{
    return dispatch_engine(s->dispatch);
}

uint64_t service_digest(const struct service *s)
{
    return dispatch_digest(s->dispatch, s->frame.horizon);
}

bool service_holds(const struct service *s)
{
    if (s->windows == 0)
        return true;
    return (double)s->windows_held >= s->config->slo.objective * (double)s->windows;
}

int service_failed(const struct service *s, struct err *e)
{
    if (s->full)
        return err_set(e, ERR_INPUT, NULL,
                       "limits.replicas: more than %zu replicas of one service exist, the ones on "
                       "their way out included; raise it",
                       s->frame.max_replicas);
    return dispatch_failed(s->dispatch, e);
}
