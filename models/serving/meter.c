/* meter: wishes, marks at the edges of their windows, and the values between them. */
#include "models/serving/meter.h"

#include "models/control/metric_sls.h"
#include "models/serving/dispatch.h"
#include "models/serving/replicas.h"
#include "sim/sim.h"
#include "sim/wide.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* What was the case at one edge. Counts are cumulative. */
struct edge {
    sim_ns at;
    uint64_t ended, arrived, waiting;
    uint64_t inside_ns; /* modulo 2^64 */
    int64_t busy_ns, ready_ns;
    struct hist *latency;       /* only for latencies */
    struct replicas_busy *busy; /* only for samples of each pod */
    size_t n_busy;
};

/* Low and high edges of the windows of the passes that are still to come. */
struct ring {
    struct scaler_wants wish;
    struct edge *low, *high;
    size_t n; /* passes whose low edge may lie before now, and a little more */
};

struct meter {
    struct meter_setup set;
    struct metric_sls_config path; /* with the phase of its exports drawn */
    struct ring rings[METER_MAX_METRICS];
    size_t n;
    struct scaler_metric values[METER_MAX_METRICS];
    struct chance faults;
    struct hist scratch;
    /* samples of each pod */
    bool per_pod;
    struct scaler_pod *pods;
    struct replicas_pods shown;
    int64_t *requests;
    struct scaler_sample *samples; /* max_replicas for each metric */
    struct scaler_pod_metric pod_metrics[METER_MAX_METRICS];
};

static void on_edge(void *self, sim_ns now, uint64_t which);

/* ---- set-up ---- */

static bool is_latency(const struct ring *r)
{
    return r->wish.kind == METRIC_INGRESS_LATENCY;
}

static bool has_busy(const struct ring *r)
{
    return r->wish.per_pod && r->wish.kind == METRIC_UTILIZATION;
}

static int make_edges(const struct meter *m, const struct ring *r, struct edge *edges)
{
    for (size_t i = 0; i < r->n; i++) {
        if (is_latency(r) && !(edges[i].latency = calloc(1, sizeof(struct hist))))
            return -1;
        if (has_busy(r) &&
            !(edges[i].busy = calloc(m->set.max_replicas, sizeof(struct replicas_busy))))
            return -1;
    }
    return 0;
}

static int make_ring(struct meter *m, struct ring *r)
{
    sim_ns reach = metric_sls_reach(&m->path, &r->wish);
    r->n = (size_t)(reach / m->set.period) + 3;
    r->low = calloc(r->n, sizeof *r->low);
    r->high = calloc(r->n, sizeof *r->high);
    if (!r->low || !r->high)
        return -1;
    return make_edges(m, r, r->low) || make_edges(m, r, r->high) ? -1 : 0;
}

static int make_pods(struct meter *m)
{
    size_t n = m->set.max_replicas;
    m->pods = calloc(n, sizeof *m->pods);
    m->requests = calloc(n, sizeof *m->requests);
    m->samples = calloc(n * m->n, sizeof *m->samples);
    m->shown = (struct replicas_pods){m->pods, calloc(n, sizeof(uint32_t)),
                                      calloc(n, sizeof(uint64_t)), calloc(n, sizeof(bool)), n};
    if (!m->pods || !m->requests || !m->samples || !m->shown.slots || !m->shown.serials ||
        !m->shown.serving)
        return -1;
    /* A pod requests one whole: of that, its sample is a share. */
    for (size_t i = 0; i < n; i++)
        m->requests[i] = 1000;
    return 0;
}

static int no_memory(const struct meter_setup *s, struct err *e)
{
    return err_set(e, ERR_SYSTEM, NULL, "out of memory for the metrics of service %s", s->name);
}

static int make(struct meter *m, struct err *e)
{
    struct scaler_wants wishes[METER_MAX_METRICS];
    size_t n = m->set.policy->wants(m->set.policy_config, wishes, METER_MAX_METRICS);
    assert(n == 0 || m->set.period != SIM_NEVER);
    if (n > METER_MAX_METRICS)
        return err_set(e, ERR_INPUT, NULL,
                       "service %s: its autoscaler reads %zu metrics; at most %d are measured",
                       m->set.name, n, METER_MAX_METRICS);
    m->n = n;
    for (size_t i = 0; i < m->n; i++) {
        m->rings[i].wish = wishes[i];
        m->per_pod = m->per_pod || wishes[i].per_pod;
        if (make_ring(m, &m->rings[i]))
            return no_memory(&m->set, e);
    }
    return m->per_pod && make_pods(m) ? no_memory(&m->set, e) : 0;
}

/* Beside the phase of the passes (index 0), which it must not follow. */
static double export_phase(const struct meter_setup *s)
{
    return chance_uniform(chance_stream(s->seed, s->replication, CHANCE_PHASE, s->number), 1);
}

struct meter *meter_create(const struct meter_setup *s, struct err *e)
{
    assert(s->policy && s->path && s->sim && s->dispatch && s->replicas);
    struct meter *m = calloc(1, sizeof *m);
    if (!m) {
        no_memory(s, e);
        return NULL;
    }
    m->set = *s;
    m->faults = chance_stream(s->seed, s->replication, CHANCE_FAULT, s->number);
    m->path = *s->path;
    if (m->path.export_phase < 0)
        m->path.export_phase = export_phase(s);
    if (make(m, e)) {
        meter_destroy(m);
        return NULL;
    }
    return m;
}

static void free_edges(struct edge *edges, size_t n)
{
    for (size_t i = 0; edges && i < n; i++) {
        free(edges[i].latency);
        free(edges[i].busy);
    }
    free(edges);
}

void meter_destroy(struct meter *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++) {
        free_edges(m->rings[i].low, m->rings[i].n);
        free_edges(m->rings[i].high, m->rings[i].n);
    }
    free(m->pods);
    free(m->shown.slots);
    free(m->shown.serials);
    free(m->shown.serving);
    free(m->requests);
    free(m->samples);
    free(m);
}

/* ---- marks ---- */

/* An event's argument: pass, metric and edge. */
static uint64_t name_edge(uint64_t pass, size_t metric, bool low)
{
    return (pass * METER_MAX_METRICS + metric) * 2 + low;
}

static struct edge *edge_of(const struct ring *r, uint64_t pass, bool low)
{
    return low ? &r->low[pass % r->n] : &r->high[pass % r->n];
}

static void note(struct meter *m, sim_ns now, struct edge *edge)
{
    dispatch_reach(m->set.dispatch, now);
    const struct tally *t = dispatch_tally(m->set.dispatch, now);
    edge->at = now;
    edge->ended = tally_ended(t);
    edge->arrived = t->arrived;
    edge->waiting = t->waiting;
    edge->inside_ns = tally_inside_ns(t, now);
    edge->busy_ns = t->busy_ns;
    edge->ready_ns = replicas_ready_ns(m->set.replicas, now);
    if (edge->latency)
        *edge->latency = t->latency;
    if (edge->busy)
        edge->n_busy = replicas_busy(m->set.replicas, now, edge->busy, m->set.max_replicas);
}

/* Before the start of the run nothing had happened. */
static void note_start(struct edge *edge)
{
    struct hist *latency = edge->latency;
    struct replicas_busy *busy = edge->busy;
    if (latency)
        hist_clear(latency);
    *edge = (struct edge){.latency = latency, .busy = busy};
}

/* Marks one edge of the pass, and those of the passes behind it that lie before the start. */
static void schedule(struct meter *m, size_t metric, uint64_t pass, bool low)
{
    const struct ring *r = &m->rings[metric];
    for (;; pass++) {
        sim_ns time = m->set.first_pass + (sim_ns)pass * m->set.period;
        struct metric_sls_window w = metric_sls_window(&m->path, &r->wish, time);
        sim_ns at = low ? w.from : w.to;
        if (at > m->set.horizon || time > m->set.horizon)
            return;
        if (at > 0) {
            sim_at(m->set.sim, at, SIM_MARK, on_edge, m, name_edge(pass, metric, low));
            return;
        }
        note_start(edge_of(r, pass, low));
    }
}

static void on_edge(void *self, sim_ns now, uint64_t which)
{
    struct meter *m = self;
    bool low = which & 1;
    size_t metric = which / 2 % METER_MAX_METRICS;
    uint64_t pass = which / 2 / METER_MAX_METRICS;
    note(m, now, edge_of(&m->rings[metric], pass, low));
    schedule(m, metric, pass + 1, low);
}

void meter_start(struct meter *m)
{
    for (size_t i = 0; i < m->n; i++) {
        schedule(m, i, 0, true);
        schedule(m, i, 0, false);
    }
}

/* ---- values ---- */

static const struct scaler_metric none = {false, 0};

static struct scaler_metric milli(uint64_t v)
{
    return (struct scaler_metric){true, v > INT64_MAX ? INT64_MAX : (int64_t)v};
}

/* part / whole in milli-units, rounded down. */
static struct scaler_metric ratio(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return none;
    uint64_t up = wide_muldiv_up(part, 1000, whole);
    return milli(up - (up > 0 && wide_muldiv_up(up, whole, 1000) > part));
}

static struct scaler_metric latency(struct meter *m, const struct ring *r, const struct edge *low,
                                    const struct edge *high)
{
    m->scratch = *high->latency;
    hist_subtract(&m->scratch, low->latency);
    double ms = r->wish.quantile > 0 ? (double)hist_quantile(&m->scratch, r->wish.quantile) / 1e6
                                     : hist_mean(&m->scratch) / 1e6;
    return metric_sls_latency(ms, m->scratch.n);
}

/* An own window counts what arrives, as a proxy beside the pods does; the adapter, lines of the
 * log. */
static struct scaler_metric rate(const struct meter *m, const struct ring *r,
                                 const struct edge *low, const struct edge *high)
{
    if (r->wish.window == 0)
        return metric_sls_qps(&m->path, high->ended - low->ended);
    return ratio((high->arrived - low->arrived) * UINT64_C(1000000000),
                 (uint64_t)(high->at - low->at));
}

static struct scaler_metric value(struct meter *m, const struct ring *r, const struct edge *low,
                                  const struct edge *high)
{
    switch (r->wish.kind) {
    case METRIC_INGRESS_QPS:
        return rate(m, r, low, high);
    case METRIC_INGRESS_LATENCY:
        return latency(m, r, low, high);
    case METRIC_IN_FLIGHT:
    case METRIC_CONCURRENCY:
        return ratio(high->inside_ns - low->inside_ns, (uint64_t)(high->at - low->at));
    case METRIC_QUEUE_LENGTH:
        return milli(high->waiting * 1000);
    case METRIC_UTILIZATION:
        return ratio((uint64_t)(high->busy_ns - low->busy_ns),
                     (uint64_t)(high->ready_ns - low->ready_ns));
    }
    assert(r->wish.kind <= METRIC_CONCURRENCY);
    return none;
}

static struct scaler_metric read_value(struct meter *m, size_t i, uint64_t pass)
{
    const struct ring *r = &m->rings[i];
    struct metric_sls_query q = {&r->wish, sim_now(m->set.sim), m->faults, pass};
    return metric_sls_disturb(&m->path, &q,
                              value(m, r, edge_of(r, pass, true), edge_of(r, pass, false)));
}

/* ---- pods ---- */

/* Busy time of pod i up to the edge; 0 when it was not there yet. */
static int64_t busy_at(const struct meter *m, const struct edge *edge, size_t i)
{
    uint32_t slot = m->shown.slots[i];
    bool there = slot < edge->n_busy && edge->busy[slot].serial == m->shown.serials[i];
    return there ? edge->busy[slot].busy_ns : 0;
}

/* In thousandths; -1: the pod reports nothing. A container that was restarted counts from zero. */
static int64_t sample_of(const struct meter *m, size_t metric, uint64_t pass, size_t i)
{
    const struct ring *r = &m->rings[metric];
    const struct edge *low = edge_of(r, pass, true), *high = edge_of(r, pass, false);
    if (r->wish.kind != METRIC_UTILIZATION) {
        int32_t ready = replicas_sizes(m->set.replicas).ready;
        return m->shown.serving[i] ? m->values[metric].milli / (ready > 0 ? ready : 1) : -1;
    }
    if (m->pods[i].phase != SCALER_POD_RUNNING || high->at <= low->at)
        return -1;
    int64_t before = busy_at(m, low, i), after = busy_at(m, high, i);
    int64_t busy = after >= before ? after - before : after;
    return busy * 1000 / (high->at - low->at);
}

/* What disturbs the metric disturbs each pod's share alike; the others are shares of a value that
 * is disturbed already. */
static int64_t disturbed(const struct meter *m, const struct ring *r, uint64_t pass, int64_t v)
{
    struct metric_sls_query q = {&r->wish, sim_now(m->set.sim), m->faults, pass};
    if (r->wish.kind != METRIC_UTILIZATION || v < 0)
        return v;
    struct scaler_metric seen = metric_sls_disturb(&m->path, &q, (struct scaler_metric){true, v});
    return seen.present ? seen.milli : -1;
}

static void read_samples(struct meter *m, size_t metric, uint64_t pass, size_t n_pods)
{
    const struct ring *r = &m->rings[metric];
    const struct edge *low = edge_of(r, pass, true), *high = edge_of(r, pass, false);
    struct scaler_sample *out = m->samples + metric * m->set.max_replicas;
    size_t n = 0;
    for (size_t i = 0; m->values[metric].present && i < n_pods; i++) {
        int64_t v = disturbed(m, r, pass, sample_of(m, metric, pass, i));
        if (v < 0)
            continue;
        out[n++] = (struct scaler_sample){
            .pod = (uint32_t)i,
            .milli = v * (r->wish.scale ? r->wish.scale : 1),
            .at = high->at,
            .window = high->at - low->at,
        };
    }
    m->pod_metrics[metric] = (struct scaler_pod_metric){out, n, m->requests};
}

void meter_read(struct meter *m, uint64_t number, struct scaler_view *view)
{
    for (size_t i = 0; i < m->n; i++)
        m->values[i] = read_value(m, i, number);
    view->metrics = m->values;
    view->n_metrics = m->n;
    if (!m->per_pod)
        return;
    view->pods = m->pods;
    view->n_pods = replicas_show(m->set.replicas, &m->shown);
    for (size_t i = 0; i < m->n; i++)
        if (m->rings[i].wish.per_pod)
            read_samples(m, i, number, view->n_pods);
    view->pod_metrics = m->pod_metrics;
}

void meter_read_first(struct meter *m, struct scaler_view *view)
{
    for (size_t i = 0; i < m->n; i++)
        m->values[i] = milli(1000);
    view->metrics = m->values;
    view->n_metrics = m->n;
}

double meter_qps(const struct meter *m, const struct scaler_view *view)
{
    if (m->n == 0 || m->rings[0].wish.kind != METRIC_INGRESS_QPS || !view->metrics[0].present)
        return (double)NAN;
    return (double)view->metrics[0].milli / 1000;
}
