/* windows: SLO windows of one service. */
#include "models/serving/windows.h"

#include "models/serving/autoscaler.h"
#include "models/serving/heading.h"
#include "models/serving/service.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "workloads/traffic.h"

#include <stdio.h>
#include <stdlib.h>

struct windows {
    struct windows_setup set;
    struct tally start; /* of the window in progress */
    struct hist scratch;
    double worst;
    uint64_t judged, held, missed, missed_capped;
    bool capped; /* the autoscaler was at its maximum in the window in progress */
    rec_id qps, p50, p95, p99, in_flight;
};

static void on_window(void *self, sim_ns now, uint64_t number);

static rec_id samples(const struct windows *w, const char *what, const char *unit)
{
    char path[160];
    if (w->set.frame->alone)
        return recorder_samples(w->set.frame->recorder, what, unit);
    snprintf(path, sizeof path, "services.%s.%s", w->set.name, what);
    return recorder_samples(w->set.frame->recorder, path, unit);
}

struct windows *windows_create(const struct windows_setup *s, struct err *e)
{
    struct windows *w = calloc(1, sizeof *w);
    if (!w) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->name);
        return NULL;
    }
    w->set = *s;
    w->qps = samples(w, "traffic.qps", "QPS");
    w->p50 = samples(w, "latency.p50", "s");
    w->p95 = samples(w, "latency.p95", "s");
    w->p99 = samples(w, "latency.p99", "s");
    w->in_flight = samples(w, "requests.inFlight", "requests");
    return w;
}

void windows_destroy(struct windows *w)
{
    free(w);
}

void windows_start(struct windows *w)
{
    sim_ns window = w->set.slo->window;
    if (window < w->set.frame->horizon)
        sim_at(w->set.frame->sim, window, SIM_MARK, on_window, w, 0);
}

static void sample(struct windows *w, sim_ns from, const struct slo_window *one,
                   const struct tally *now)
{
    struct recorder *r = w->set.frame->recorder;
    if (one->served > 0) {
        recorder_sample(r, w->p50, from, (double)one->p50 / 1e9);
        recorder_sample(r, w->p95, from, (double)one->p95 / 1e9);
        recorder_sample(r, w->p99, from, (double)one->p99 / 1e9);
    }
    double qps = traffic_qps(w->set.traffic, from);
    if (qps == qps)
        recorder_sample(r, w->qps, from, qps);
    recorder_sample(r, w->in_flight, from, (double)tally_inside(now));
}

static void judge(struct windows *w, sim_ns from, sim_ns to)
{
    struct slo_window one;
    dispatch_reach(w->set.dispatch, to);
    const struct tally *now = dispatch_tally(w->set.dispatch, to);
    slo_judge(w->set.slo, &w->start, now, &w->scratch, &one);
    sample(w, from, &one, now);
    w->start = *now;
    bool capped = w->capped || autoscaler_capped(w->set.autoscaler);
    w->capped = autoscaler_capped(w->set.autoscaler);
    if (one.served + one.failed == 0 || from < w->set.frame->warm_up)
        return;
    w->judged++;
    w->held += one.holds;
    w->missed += !one.holds;
    w->missed_capped += !one.holds && capped;
    if (one.worst > w->worst)
        w->worst = one.worst;
}

static void on_window(void *self, sim_ns now, uint64_t number)
{
    struct windows *w = self;
    sim_ns window = w->set.slo->window;
    judge(w, now - window, now);
    if (now + window < w->set.frame->horizon)
        sim_at(w->set.frame->sim, now + window, SIM_MARK, on_window, w, number + 1);
}

void windows_close(struct windows *w)
{
    sim_ns end = w->set.frame->horizon, window = w->set.slo->window;
    judge(w, (end - 1) / window * window, end);
}

bool windows_hold(const struct windows *w)
{
    return w->judged == 0 || (double)w->held >= w->set.slo->objective * (double)w->judged;
}

/* What was asked for: reports draw and say it beside what came out. */
static void limit_figures(const struct heading *to, const struct slo_config *c)
{
    const struct {
        const char *path;
        sim_ns limit;
    } rows[] = {{"slo.limits.p50", c->p50},
                {"slo.limits.p90", c->p90},
                {"slo.limits.p95", c->p95},
                {"slo.limits.p99", c->p99},
                {"slo.limits.p999", c->p999}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].limit > 0)
            heading_put(to, rows[i].path, "s", FIGURE_MAX,
                        (double)rows[i].limit / (double)SIM_SECOND);
    heading_put(to, "slo.window", "s", FIGURE_MAX, (double)c->window / (double)SIM_SECOND);
}

void windows_figures(const struct windows *w, const struct heading *to)
{
    if (!slo_asked(w->set.slo))
        return;
    limit_figures(to, w->set.slo);
    heading_put(to, "slo.windows", "windows", FIGURE_SUM, (double)w->judged);
    heading_put(to, "slo.held", "windows", FIGURE_SUM, (double)w->held);
    heading_put(to, "slo.missed", "windows", FIGURE_SUM, (double)w->missed);
    heading_put(to, "slo.missedCapped", "windows", FIGURE_SUM, (double)w->missed_capped);
    heading_put(to, "slo.heldShare", "1", FIGURE_MEAN,
                w->judged ? (double)w->held / (double)w->judged : 1.0);
    heading_put(to, "slo.objective", "1", FIGURE_MEAN, w->set.slo->objective);
    heading_put(to, "slo.worst", "1", FIGURE_MAX, w->worst);
    heading_put(to, "slo.holds", "1", FIGURE_MEAN, windows_hold(w) ? 1.0 : 0.0);
}
