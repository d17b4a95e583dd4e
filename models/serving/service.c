/* service: one deployment put together, and what became of its requests. */
#include "models/serving/service.h"

#include "models/serving/autoscaler.h"
#include "models/serving/blind.h"
#include "models/serving/crowd.h"
#include "models/serving/heading.h"
#include "models/serving/profile.h"
#include "models/serving/pulse.h"
#include "models/serving/replicas.h"
#include "models/serving/windows.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "workloads/traffic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct service {
    const struct service_config *config;
    const struct traffic *traffic;
    struct service_frame frame;
    uint32_t number;
    bool activator; /* in front: it holds requests that find no pod */

    struct arrivals *arrivals;
    struct dist *times;
    struct dispatch *dispatch;
    struct replicas *replicas;
    struct autoscaler *autoscaler;
    struct windows *windows;
    struct blind *blind;

    struct tally base; /* at the end of the warm-up */
    bool warm;
};

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
        .client_patience_ns = c->ingress.client_timeout,
        .connect_timeout_ns = c->ingress.connect_timeout,
        .tries = (int32_t)c->ingress.tries,
        .workers = (uint32_t)c->ingress.workers,
        .service = s->times,
        .n_services = n,
        .max_replicas = s->frame.max_replicas,
        .max_in_flight =
            s->frame.max_in_flight > 0 ? s->frame.max_in_flight : crowd_room(c, s->traffic),
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

static int make_replicas(struct service *s, struct err *e)
{
    s->activator = autoscaler_activates(s->config);
    struct replicas_setup setup = {
        .config = s->config,
        .frame = &s->frame,
        .dispatch = s->dispatch,
        .number = s->number,
        .ready_only = s->activator,
    };
    dispatch_hold(s->dispatch, s->activator || s->config->ingress.hold);
    s->replicas = replicas_create(&setup, e);
    return s->replicas ? 0 : -1;
}

static int make_autoscaler(struct service *s, struct err *e)
{
    struct autoscaler_setup setup = {
        .config = s->config,
        .frame = &s->frame,
        .traffic = s->traffic,
        .dispatch = s->dispatch,
        .replicas = s->replicas,
        .number = s->number,
    };
    s->autoscaler = autoscaler_create(&setup, e);
    return s->autoscaler ? 0 : -1;
}

static sim_ns strictest(const struct slo_config *c)
{
    const sim_ns limits[] = {c->p999, c->p99, c->p95, c->p90, c->p50};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i] > 0)
            return limits[i];
    return 0;
}

static int make_windows(struct service *s, struct err *e)
{
    struct windows_setup windows = {
        .name = s->config->name,
        .slo = &s->config->slo,
        .frame = &s->frame,
        .traffic = s->traffic,
        .dispatch = s->dispatch,
        .autoscaler = s->autoscaler,
    };
    struct blind_setup blind = {
        .path = &s->config->metric,
        .sim = s->frame.sim,
        .dispatch = s->dispatch,
        .limit = strictest(&s->config->slo),
        .horizon = s->frame.horizon,
    };
    s->windows = windows_create(&windows, e);
    s->blind = blind_create(&blind, e);
    return s->windows && s->blind ? 0 : -1;
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
    if (make_dispatch(s, e) || make_replicas(s, e) || make_autoscaler(s, e) || make_windows(s, e)) {
        service_destroy(s);
        return NULL;
    }
    return s;
}

void service_destroy(struct service *s)
{
    if (!s)
        return;
    blind_destroy(s->blind);
    windows_destroy(s->windows);
    autoscaler_destroy(s->autoscaler);
    replicas_destroy(s->replicas);
    dispatch_destroy(s->dispatch);
    arrivals_close(s->arrivals);
    free(s->times);
    free(s);
}

/* ---- time ---- */

bool service_waits_for_capacity(const struct service *s)
{
    return s->activator && replicas_sizes(s->replicas).want == 0;
}

void service_advance(struct service *s, sim_ns until)
{
    if (!service_waits_for_capacity(s)) {
        dispatch_reach(s->dispatch, until);
        return;
    }
    struct advance a = dispatch_advance(s->dispatch, until);
    if (a.why == STOP_NEEDS_CAPACITY)
        autoscaler_wake(s->autoscaler, a.reached);
}

static void on_warm(void *self, sim_ns now, uint64_t unused)
{
    struct service *s = self;
    (void)unused;
    dispatch_reach(s->dispatch, now);
    dispatch_mark(s->dispatch, now, &s->base);
    s->warm = true;
}

void service_start(struct service *s)
{
    replicas_start(s->replicas);
    autoscaler_start(s->autoscaler);
    windows_start(s->windows);
    blind_start(s->blind);
    if (s->frame.warm_up > 0)
        sim_at(s->frame.sim, s->frame.warm_up, SIM_MARK, on_warm, s, 0);
}

/* ---- pods ---- */

void service_pod_listed(struct service *s, sim_ns now, struct pod_ref pod)
{
    replicas_pod_listed(s->replicas, now, pod);
}

void service_pod_ready(struct service *s, sim_ns now, struct pod_ref pod, uint32_t gpu)
{
    replicas_pod_ready(s->replicas, now, pod, gpu);
}

void service_pod_evicted(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    replicas_pod_evicted(s->replicas, now, pod, why);
}

void service_pod_dead(struct service *s, sim_ns now, struct pod_ref pod)
{
    replicas_pod_dead(s->replicas, now, pod);
}

void service_pod_unlisted(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    replicas_pod_unlisted(s->replicas, now, pod, why);
}

void service_pod_gone(struct service *s, sim_ns now, struct pod_ref pod)
{
    replicas_pod_gone(s->replicas, now, pod);
}

/* ---- the end ---- */

void service_figures(struct recorder *r, const char *prefix, const struct tally *t)
{
    char path[64];
    struct heading to = {r, prefix};
    heading_put(&to, "requests.arrived", "requests", FIGURE_SUM, (double)t->arrived);
    heading_put(&to, "requests.served", "requests", FIGURE_SUM, (double)t->served);
    heading_put(&to, "requests.failed.total", "requests", FIGURE_SUM, (double)tally_failed(t));
    for (int c = 0; c < FAIL_CAUSES; c++) {
        snprintf(path, sizeof path, "requests.failed.%s", dispatch_cause_name((enum fail_cause)c));
        heading_put(&to, path, "requests", FIGURE_SUM, (double)t->failed[c]);
    }
    heading_put(&to, "requests.inFlight", "requests", FIGURE_SUM, (double)tally_inside(t));
    heading_put(&to, "requests.tries", "requests", FIGURE_SUM, (double)t->tries);
    heading_put(&to, "latency.mean", "s", FIGURE_MEAN, hist_mean(&t->latency) / 1e9);
    static const struct {
        const char *path;
        double q;
    } quantiles[] = {{"latency.p50", 0.5},
                     {"latency.p90", 0.9},
                     {"latency.p95", 0.95},
                     {"latency.p99", 0.99},
                     {"latency.p999", 0.999}};
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        heading_put(&to, quantiles[i].path, "s", FIGURE_MEAN,
                    (double)hist_quantile(&t->latency, quantiles[i].q) / 1e9);
    heading_put(&to, "latency.max", "s", FIGURE_MAX, (double)t->latency.max / 1e9);
}

static void busy_figure(const struct service *s, const struct heading *to)
{
    sim_ns end = s->frame.horizon;
    double ready = (double)replicas_ready_ns(s->replicas, end);
    double busy = (double)dispatch_tally(s->dispatch, end)->busy_ns;
    heading_put(to, "replicas.busyShare", "1", FIGURE_MEAN, ready > 0 ? busy / ready : 0);
}

static void own_figures(const struct service *s, const char *prefix)
{
    struct heading to = {s->frame.recorder, prefix};
    windows_figures(s->windows, &to);
    replicas_figures(s->replicas, prefix);
    busy_figure(s, &to);
    autoscaler_figures(s->autoscaler, &to);
    blind_figures(s->blind, &to);
}

/* A request that was not served took this many times the mean on its replica, at most: of
 * exponential times one in 22,000 is longer. */
#define LONG 10

/* Replica-time that any policy which serves these requests spends: without what it did for others,
 * whose work it may have done in part or whole. Replicas that serve several at once, each at its
 * full speed, may have been less full than another policy's. */
static int64_t needed_ns(const struct service *s, const struct tally *t)
{
    const struct serving_config *c = &s->config->serving;
    const struct service_time *times = c->times.items;
    double longest = 0;
    for (size_t k = 0; k < c->times.count; k++) {
        double mean = times[k].profile ? (double)profile_time_ns(times[k].profile, times[k].batch)
                                       : times[k].time.mean;
        bool constant = !times[k].profile && times[k].time.kind == DIST_CONSTANT;
        mean *= constant ? 1 : LONG;
        longest = mean > longest ? mean : longest;
    }
    double needed = (double)t->busy_ns - longest * (double)(t->sent - t->served);
    if (c->discipline == DISCIPLINE_FIFO && c->concurrency > 1)
        needed /= (double)c->concurrency;
    return needed > 0 ? (int64_t)needed : 0;
}

/* Time for which any policy that serves these requests needs a machine. */
static sim_ns present_ns(const struct service *s, const struct tally *t)
{
    struct pulse_terms terms = {
        .stay = crowd_stay(&s->config->ingress, s->activator || s->config->ingress.hold),
        .slowest = t->latency.max,
        .start = cluster_least_start(s->frame.cluster, s->number),
    };
    return pulse_present(dispatch_pulse(s->dispatch), &terms);
}

void service_close(struct service *s, struct tally *total)
{
    sim_ns end = s->frame.horizon;
    char prefix[128];
    windows_close(s->windows);
    struct tally t = *dispatch_tally(s->dispatch, end);
    cluster_busy(s->frame.cluster, s->number, t.busy_ns);
    cluster_needed(s->frame.cluster, s->number, needed_ns(s, &t));
    cluster_present(s->frame.cluster, s->number, present_ns(s, &t));
    if (s->warm)
        tally_since(&t, &s->base);
    assert(tally_conserves(&t));
    snprintf(prefix, sizeof prefix, "services.%s.", s->config->name);
    service_figures(s->frame.recorder, prefix, &t);
    own_figures(s, prefix);
    if (s->frame.alone)
        own_figures(s, "");
    tally_add(total, &t);
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
    return windows_hold(s->windows);
}

int service_failed(const struct service *s, struct err *e)
{
    return replicas_failed(s->replicas, e) || dispatch_failed(s->dispatch, e) ? -1 : 0;
}
