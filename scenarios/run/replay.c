/* replay: one replication played again with something else in it. */
#include "scenarios/run/replay.h"

#include "scenarios/run/scenario.h"
#include "scenarios/run/standing.h"
#include "scenarios/run/world.h"
#include "sim/recorder.h"
#include "sim/zone.h"
#include "workloads/traffic_config.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- sums ---- */

void replay_add(struct replay_sums *sums, const struct result *r, const struct scenario *s)
{
    const struct service_config *c = s->services.items;
    double share[REPLAY_SERVICES];
    struct standing at;
    char path[256];
    assert(s->services.count <= REPLAY_SERVICES);
    standing_read(r, s, share, &at);
    for (size_t i = 0; i < s->services.count; i++) {
        snprintf(path, sizeof path, "services.%s.slo.windows", c[i].name);
        sums->windows[i] += slo_asked(&c[i].slo) ? result_value(r, path, 0) : 0;
        snprintf(path, sizeof path, "services.%s.slo.held", c[i].name);
        sums->held[i] += slo_asked(&c[i].slo) ? result_value(r, path, 0) : 0;
    }
    sums->month += at.month;
    sums->total += at.total;
    sums->jobs_failed += at.jobs_failed;
    sums->jobs_never += at.jobs_never;
    sums->jobs_cut += at.jobs_cut;
    sums->n++;
}

void replay_standing(const struct replay_sums *sums, const struct scenario *s, double *share,
                     struct standing *out)
{
    assert(sums->n > 0);
    for (size_t i = 0; i < s->services.count; i++)
        share[i] = sums->windows[i] > 0 ? sums->held[i] / sums->windows[i] : (double)NAN;
    *out = (struct standing){.share = share,
                             .month = sums->month / sums->n,
                             .total = sums->total / sums->n,
                             .jobs_failed = sums->jobs_failed < 0 ? -1 : sums->jobs_failed,
                             .jobs_never = sums->jobs_never,
                             .jobs_cut = sums->jobs_cut};
}

/* ---- the stretch ---- */

/* Position in the traffic goes with elapsed time, not with the calendar. */
static bool runs_by_elapsed_time(const struct traffic_config *t)
{
    bool calendar = t->repeat == TRAFFIC_DAILY || t->repeat == TRAFFIC_WEEKLY;
    return t->qps.source != TRAFFIC_CONSTANT && t->align != TRAFFIC_ALIGN_CLOCK &&
           (!calendar || t->align == TRAFFIC_ALIGN_START);
}

static bool can_begin_later(const struct scenario *s)
{
    const struct service_config *c = s->services.items;
    for (size_t i = 0; i < s->services.count; i++) {
        const struct traffic_config *t = &c[i].traffic;
        if (t->clients > 0 || t->requests || t->growth_per_month != 0)
            return false;
    }
    return s->services.count > 0;
}

/* Bins of a series in [from, to) that are above a limit. */
static double above(const struct result_series *v, sim_ns limit, sim_ns from, sim_ns to)
{
    double n = 0;
    for (size_t k = 0; v && limit > 0 && k < v->n; k++)
        n += (sim_ns)k * v->step >= from && (sim_ns)k * v->step < to &&
             v->max[k] > (double)limit / 1e9;
    return n;
}

static double missed_in(const struct scenario *s, const struct result *r, sim_ns from, sim_ns to)
{
    const struct service_config *c = s->services.items;
    static const char *const names[] = {"p50", "p95", "p99"};
    double missed = 0;
    char path[256];
    for (size_t i = 0; i < s->services.count; i++) {
        const sim_ns limits[] = {c[i].slo.p50, c[i].slo.p95, c[i].slo.p99};
        for (size_t q = 0; q < 3; q++) {
            snprintf(path, sizeof path, "services.%s.latency.%s", c[i].name, names[q]);
            missed += above(
                result_find_series(r, s->services.count > 1 ? path : path + 10 + strlen(c[i].name)),
                limits[q], from, to);
        }
    }
    return missed;
}

static double traffic_in(const struct scenario *s, sim_ns from, sim_ns to)
{
    double most = 0;
    for (size_t i = 0; i < s->services.count; i++)
        for (sim_ns at = from; at < to; at += 10 * SIM_MINUTE) {
            double qps = traffic_qps(s->traffic[i], at);
            most += isfinite(qps) ? qps : 0;
        }
    return most;
}

struct replay_stretch replay_busiest(const struct scenario *s, const struct result *r,
                                     sim_ns length)
{
    struct replay_stretch best = {0, length};
    double best_missed = -1, best_traffic = -1;
    sim_ns last = can_begin_later(s) ? s->horizon - length : 0;
    for (sim_ns from = 0; from <= last; from += SIM_HOUR) {
        double missed = missed_in(s, r, from, from + length);
        double traffic = traffic_in(s, from, from + length);
        if (missed < best_missed || (missed == best_missed && traffic <= best_traffic))
            continue;
        best.from = from;
        best_missed = missed;
        best_traffic = traffic;
    }
    return best;
}

/* ---- one replay ---- */

#define SETS_MAX (REPLAY_SERVICES + 6)

/* What a stretch changes in the scenario, as --set. */
struct shift {
    char text[REPLAY_SERVICES + 2][96];
    const char *sets[SETS_MAX];
    size_t n;
};

static void shift_add(struct shift *h, const char *fmt, ...) ERR_PRINTF(2, 3);
static void shift_add(struct shift *h, const char *fmt, ...)
{
    va_list args;
    assert(h->n < REPLAY_SERVICES + 2);
    va_start(args, fmt);
    vsnprintf(h->text[h->n], sizeof h->text[0], fmt, args);
    va_end(args);
    h->sets[h->n] = h->text[h->n];
    h->n++;
}

static void shift_by(struct shift *h, const struct scenario *s, struct replay_stretch stretch)
{
    const struct service_config *c = s->services.items;
    shift_add(h, "horizon=%llds", (long long)(stretch.length / SIM_SECOND));
    if (stretch.from == 0)
        return;
    struct zone_time t = zone_local(s->zone, s->epoch_s + stretch.from / SIM_SECOND);
    shift_add(h, "start=%04d-%02d-%02dT%02d:%02d:%02d", t.year, t.month, t.day, t.hour, t.minute,
              t.second);
    for (size_t i = 0; i < s->services.count; i++)
        if (runs_by_elapsed_time(&c[i].traffic))
            shift_add(h, "services[%zu].traffic.start=%llds", i,
                      (long long)((c[i].traffic.start + stretch.from) / SIM_SECOND));
}

int replay_play(const struct replay *p, struct replay_sums *sums, struct err *e)
{
    static const struct scenario_change none = {.n_sets = 0};
    struct scenario_change all = p->change ? *p->change : none;
    struct shift h = {.n = 0};
    struct world_watch watch = {.stop = p->stop, .use_events = p->use_events};
    struct world_outcome out = {0};
    if (p->stretch.length > 0)
        shift_by(&h, p->scenario, p->stretch);
    for (size_t i = 0; i < all.n_sets && h.n < SETS_MAX; i++)
        h.sets[h.n++] = all.sets[i];
    all.sets = h.sets;
    all.n_sets = h.n;
    struct scenario *v = scenario_vary(p->scenario, &all, e);
    if (!v)
        return -1;
    int rc = world_run(v, p->replication, &watch, &out, e);
    if (rc == 0) {
        replay_add(sums, &out.result, v);
        recorder_destroy(out.recorder);
    }
    scenario_free(v);
    return rc;
}
