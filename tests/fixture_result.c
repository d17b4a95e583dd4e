/* fixture_result: numbers are invented; only their relations (parts of a total) are real. */
#include "tests/fixture_result.h"

#include "sim/arena.h"
#include "sim/chance.h"
#include "sim/err.h"
#include "sim/money.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BINS 504
#define STEP (20 * SIM_MINUTE)
#define ROOM 300

static void *take(struct arena *a, size_t count, size_t size)
{
    struct err e = {0};
    void *p = arena_take(a, count, size, &e);
    assert(p);
    return p;
}

static const char *copy(struct arena *a, const char *s)
{
    struct err e = {0};
    char *p = arena_text(a, s, strlen(s), &e);
    assert(p);
    return p;
}

/* ---- series ---- */

struct series_set {
    struct arena *a;
    struct result *r;
};

static double *add_series(struct series_set *s, const char *path, const char *unit)
{
    double *mean = take(s->a, BINS, sizeof *mean), *min = take(s->a, BINS, sizeof *min),
           *max = take(s->a, BINS, sizeof *max);
    s->r->series[s->r->n_series++] =
        (struct result_series){copy(s->a, path), unit, STEP, BINS, mean, min, max};
    return mean;
}

/* Sets the band around the means: `spread` is a share of the mean. */
static void spread_out(struct result *r, const char *path, double spread)
{
    const struct result_series *s = result_find_series(r, path);
    struct chance c = chance_stream(7, 0, CHANCE_TEST, (uint64_t)(s - r->series));
    for (size_t i = 0; i < s->n; i++) {
        double down = chance_uniform(c, 2 * i), up = chance_uniform(c, 2 * i + 1);
        double *min = (double *)(uintptr_t)s->min, *max = (double *)(uintptr_t)s->max;
        min[i] = s->mean[i] * (1 - spread * down);
        max[i] = s->mean[i] * (1 + spread * up);
    }
}

/* QPS at an hour of a business day; linear between full hours. */
static double shape(double hour, bool weekend)
{
    static const double day[25] = {9,  7,  6,  5,  5,  8,  16, 31, 58, 82, 91, 88, 70,
                                   76, 92, 95, 90, 81, 66, 58, 47, 36, 24, 14, 9};
    int h = (int)hour;
    double v = day[h] + (day[h + 1] - day[h]) * (hour - h);
    return weekend ? v * 0.45 : v;
}

static bool is_incident(size_t i)
{
    return i >= 255 && i < 262; /* Friday, from 13:00 on, for two hours and a third */
}

static void fill_traffic(double *qps, double *metric)
{
    struct chance c = chance_stream(1, 0, CHANCE_TEST, 1);
    for (size_t i = 0; i < BINS; i++) {
        double hour = (double)(i % 72) / 3;
        size_t weekday = i / 72; /* the run begins on a Monday */
        qps[i] = shape(hour, weekday >= 5) * (0.94 + 0.12 * chance_uniform(c, i));
        metric[i] = floor(i > 0 ? 0.85 * qps[i] + 0.15 * qps[i - 1] : qps[i]);
        if (is_incident(i))
            metric[i] = floor(qps[i] * 0.62);
        if (i >= 190 && i < 193)
            metric[i] = (double)NAN; /* the log store was late */
    }
}

static void fill_supply(const double *metric, double *want, double *ready, double *od, double *spot)
{
    double held = 1;
    for (size_t i = 0; i < BINS; i++) {
        double need = isfinite(metric[i]) ? ceil(metric[i] / 10) : held;
        held = need < 1 ? 1 : need > 10 ? 10 : need;
        want[i] = held;
        ready[i] = i > 0 && want[i] > want[i - 1] ? want[i] - 0.4 : want[i];
        if (is_incident(i))
            ready[i] = want[i] > 5 ? want[i] - 3 : want[i];
        double nodes = ready[i] + (i % 9 == 0 ? 0.5 : 0);
        od[i] = ceil(0.3 * floor(nodes));
        spot[i] = nodes - od[i] > 0 ? nodes - od[i] : 0;
    }
}

static void fill_latency(const double *qps, double *p50, double *p95, double *p99)
{
    struct chance c = chance_stream(1, 0, CHANCE_TEST, 2);
    for (size_t i = 0; i < BINS; i++) {
        double noise = chance_uniform(c, i);
        p50[i] = 0.0121 + 0.004 * noise;
        p95[i] = 0.034 + 0.018 * noise;
        p99[i] = 0.061 + 0.034 * noise + qps[i] * 1e-4;
        if (is_incident(i)) {
            p50[i] = 0.9 + noise;
            p95[i] = 11 + 6 * noise;
            p99[i] = 38 + 22 * noise;
        }
        if (i % 72 == 12)
            p50[i] = p95[i] = p99[i] = (double)NAN;
    }
}

static void add_all_series(struct arena *a, struct result *r, const char *prefix)
{
    struct series_set s = {a, r};
    char path[128];
    double *v[10];
    static const struct {
        const char *path, *unit;
        double spread;
    } rows[] = {
        {"traffic.qps", "QPS", 0.3},      {"metric.qps", "QPS", 0.2},
        {"replicas.want", "replicas", 0}, {"replicas.ready", "replicas", 0.1},
        {"nodes.onDemand", "nodes", 0},   {"nodes.spot", "nodes", 0},
        {"latency.p50", "s", 0.05},       {"latency.p95", "s", 0.1},
        {"latency.p99", "s", 0.2},
    };
    for (size_t i = 0; i < 9; i++) {
        bool of_service = strncmp(rows[i].path, "nodes", 5) != 0;
        snprintf(path, sizeof path, "%s%s", of_service ? prefix : "", rows[i].path);
        v[i] = add_series(&s, path, rows[i].unit);
    }
    fill_traffic(v[0], v[1]);
    fill_supply(v[1], v[2], v[3], v[4], v[5]);
    fill_latency(v[0], v[6], v[7], v[8]);
    for (size_t i = 0; i < 9; i++)
        spread_out(r, r->series[r->n_series - 9 + i].path, rows[i].spread);
}

/* ---- figures ---- */

struct figure_row {
    const char *path, *unit;
    enum figure_merge merge;
    double value, half; /* half width of the interval; negative: none */
};

static const struct figure_row service_figures[] = {
    {"requests.arrived", "requests", FIGURE_SUM, 511833120, 9120},
    {"requests.served", "requests", FIGURE_SUM, 511392871, 9480},
    {"requests.inFlight", "requests", FIGURE_SUM, 18, 0.4},
    {"requests.failed.total", "requests", FIGURE_SUM, 440231, 3211},
    {"requests.failed.timeout", "requests", FIGURE_SUM, 401200, 3100},
    {"requests.failed.refused", "requests", FIGURE_SUM, 38020, 822},
    {"requests.failed.lost", "requests", FIGURE_SUM, 1011, 40},
    {"requests.failed.rejected", "requests", FIGURE_SUM, 0, 0},
    {"requests.failed.aborted", "requests", FIGURE_SUM, 0, 0},
    {"latency.mean", "s", FIGURE_MEAN, 0.0274, 0.0011},
    {"latency.p50", "s", FIGURE_MEAN, 0.0141, 0.0001},
    {"latency.p90", "s", FIGURE_MEAN, 0.0389, 0.0004},
    {"latency.p95", "s", FIGURE_MEAN, 0.0524, 0.0008},
    {"latency.p99", "s", FIGURE_MEAN, 0.0983, 0.0042},
    {"latency.p999", "s", FIGURE_MEAN, 12.4, 2.9},
    {"latency.max", "s", FIGURE_MAX, 60, -1},
    {"slo.limits.p99", "s", FIGURE_MAX, 0.13, -1},
    {"slo.objective", "1", FIGURE_MAX, 0.999, -1},
    {"slo.window", "s", FIGURE_MAX, 300, -1},
    {"slo.windows", "windows", FIGURE_SUM, 40320, 0},
    {"slo.held", "windows", FIGURE_SUM, 39772, 9},
    {"slo.missed", "windows", FIGURE_SUM, 548, 9},
    {"slo.heldShare", "1", FIGURE_MEAN, 0.98641, 0.0021},
    {"slo.worst", "1", FIGURE_MAX, 461.5, -1},
    {"replicas.min", "replicas", FIGURE_MIN, 1, -1},
    {"replicas.mean", "replicas", FIGURE_MEAN, 4.41, 0.02},
    {"replicas.max", "replicas", FIGURE_MAX, 10, -1},
    {"replicas.starts", "pods", FIGURE_SUM, 4922, 6.1},
    {"replicas.reversals", "reversals", FIGURE_SUM, 1811, 4.4},
    {"startup.waitNode.mean", "s", FIGURE_MEAN, 96.2, 3.1},
    {"startup.waitNode.p99", "s", FIGURE_MEAN, 241, 12},
    {"startup.imagePull.mean", "s", FIGURE_MEAN, 64.4, 1.9},
    {"startup.imagePull.p99", "s", FIGURE_MEAN, 88, 4},
    {"startup.volumeMount.mean", "s", FIGURE_MEAN, 3.8, 0.1},
    {"startup.volumeMount.p99", "s", FIGURE_MEAN, 6.2, 0.3},
    {"startup.modelLoad.mean", "s", FIGURE_MEAN, 21.3, 0.6},
    {"startup.modelLoad.p99", "s", FIGURE_MEAN, 39.5, 1.2},
    {"startup.total.mean", "s", FIGURE_MEAN, 185.7, 5.1},
    {"startup.total.p99", "s", FIGURE_MEAN, 366, 15},
};

static const struct figure_row run_figures[] = {
    {"nodes.hours.onDemand", "h", FIGURE_MEAN, 262.4, 1.8},
    {"nodes.hours.spot", "h", FIGURE_MEAN, 531.9, 3.3},
    {"nodes.preemptions", "nodes", FIGURE_SUM, 371, 2.1},
    {"nodes.onDemandShare", "1", FIGURE_MEAN, 0.3303, 0.0021},
    {"nodes.max", "nodes", FIGURE_MAX, 12, -1},
    {"cost.total", "CNY", FIGURE_MEAN, 9714.62, 41.2},
    {"cost.byBilling.onDemand", "CNY", FIGURE_MEAN, 6933.12, 39},
    {"cost.byBilling.spot", "CNY", FIGURE_MEAN, 2781.5, 22},
    {"cost.byClass.serving", "CNY", FIGURE_MEAN, 6120.4, 31},
    {"cost.byClass.idle", "CNY", FIGURE_MEAN, 1820.22, 28},
    {"cost.byClass.starting", "CNY", FIGURE_MEAN, 611, 9},
    {"cost.byClass.draining", "CNY", FIGURE_MEAN, 92, 3},
    {"cost.byClass.fragmentation", "CNY", FIGURE_MEAN, 0, 0},
    {"cost.byClass.onDemandPremium", "CNY", FIGURE_MEAN, 1041, 25},
    {"cost.byClass.duplicateScaleUp", "CNY", FIGURE_MEAN, 30, 2},
    {"cost.byResource.elastic", "CNY", FIGURE_MEAN, 9714.62, 41.2},
    {"cost.baselines.subscriptionPeak", "CNY", FIGURE_MEAN, 29640, 0},
    {"cost.baselines.onDemandPeak", "CNY", FIGURE_MEAN, 44402.4, 0},
    {"cost.baselines.eciOnly", "CNY", FIGURE_MEAN, 20911.3, 88},
    {"cost.baselines.lowerBound", "CNY", FIGURE_MEAN, 3310.5, 15},
    {"cost.perMonth", "CNY", FIGURE_MEAN, 42229.5, 179},
    {"cost.perHour", "CNY", FIGURE_MEAN, 57.825, 0.25},
    {"cost.per1k", "CNY", FIGURE_MEAN, 0.37991, 0.0016},
};

static void add_figures(struct arena *a, struct result *r, const char *prefix,
                        const struct figure_row *rows, size_t n)
{
    char path[256];
    for (size_t i = 0; i < n; i++) {
        const struct figure_row *w = &rows[i];
        snprintf(path, sizeof path, "%s%s", prefix, w->path);
        bool has = w->half >= 0;
        double centre = w->merge == FIGURE_SUM ? w->value / 20 : w->value;
        assert(r->n_figures < ROOM);
        r->figures[r->n_figures++] = (struct figure){copy(a, path),
                                                     w->unit,
                                                     w->merge,
                                                     w->value,
                                                     has,
                                                     has ? centre - w->half : 0,
                                                     has ? centre + w->half : 0};
    }
}

/* ---- log, spans, bills ---- */

static void add_entry(struct arena *a, struct result *r, sim_ns at, const char *const text[3])
{
    assert(r->n_entries < ROOM);
    r->entries[r->n_entries++] =
        (struct result_entry){at, copy(a, text[0]), copy(a, text[1]), copy(a, text[2])};
}

static void add_log(struct arena *a, struct result *r)
{
    char what[64], reason[160];
    const struct result_series *want = result_find_series(r, "replicas.want");
    for (size_t i = 1; want && i < want->n && r->n_entries < 150; i++) {
        int from = (int)want->mean[i - 1], to = (int)want->mean[i];
        if (from == to)
            continue;
        snprintf(what, sizeof what, "%d -> %d", from, to);
        snprintf(reason, sizeof reason, "sls_ingress_qps %d, target average 10: wants %d%s",
                 to * 10 - 3, to, to < from ? ", held 300 s by the stabilisation window" : "");
        add_entry(a, r, (sim_ns)i * STEP + 7 * SIM_SECOND,
                  (const char *[]){"hpa bert", what, reason});
    }
    add_entry(a, r, 85 * SIM_HOUR + 123 * SIM_MS,
              (const char *[]){"pool elastic", "spot out of stock",
                               "cn-hangzhou-h and cn-hangzhou-i have no ecs.gn6v-c8g1.2xlarge; "
                               "compensation buys on demand"});
    add_entry(a, r, 85 * SIM_HOUR + 5 * SIM_MINUTE,
              (const char *[]){"node elastic-31", "preempted",
                               "notice 300 s earlier, nobody drained the pod"});
}

static void add_spans(struct arena *a, struct result *r)
{
    static const char *const phases[] = {"waitNode", "imagePull", "volumeMount", "modelLoad"};
    static const double mean_s[] = {96, 64, 4, 21};
    struct chance c = chance_stream(1, 0, CHANCE_TEST, 3);
    char track[32];
    for (uint64_t pod = 0; pod < 30; pod++) {
        snprintf(track, sizeof track, "bert-%d", (int)pod + 1);
        const char *name = copy(a, track);
        sim_ns now = (sim_ns)pod * 5 * SIM_HOUR;
        for (uint64_t k = 0; k < 4; k++) {
            double u = chance_uniform(c, pod * 4 + k);
            if (k == 0 && pod % 3 == 0)
                continue; /* a warm node */
            sim_ns end = now + (sim_ns)(mean_s[k] * (0.6 + 0.9 * u) * 1e9);
            r->spans[r->n_spans++] = (struct result_span){name, phases[k], now, end};
            now = end;
        }
    }
}

static void add_bills(struct arena *a, struct result *r)
{
    char name[32];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "elastic-%d", i + 1);
        bool spot = i % 10 >= 3;
        sim_ns from = i * 4 * SIM_HOUR, to = from + (3 + i % 5) * SIM_HOUR + i * SIM_SECOND;
        int64_t per_hour = spot ? 5230000 : 26460000;
        r->bills[r->n_bills++] =
            (struct result_bill){.resource = copy(a, name),
                                 .group = "elastic",
                                 .type = "ecs.gn6v-c8g1.2xlarge",
                                 .zone = i % 2 ? "cn-hangzhou-h" : "cn-hangzhou-i",
                                 .billing = spot ? "spot" : "onDemand",
                                 .from = from,
                                 .to = to,
                                 .micro_per_hour = per_hour,
                                 .amount_micro = money_for(per_hour, to - from),
                                 .currency = "CNY"};
    }
}

static const struct result_assumption assumptions[] = {
    {"services[0].serving.serviceTime.V100", "11.9 ms + 0.4 ms a request", "third-party",
     "published BERT-base benchmark, 2020-03-18"},
    {"nodePools[0].spotMarket", "medium: a loss every 14.3 h a node", "assumed",
     "between the advisor's bands and the probe traces, 2024-03-31"},
    {"services[0].startup.image.bandwidth", "20 MB/s", "assumed",
     "no measurement; typical registry"},
    {"prices.ecs.gn6v-c8g1.2xlarge.onDemand", "26.46 CNY/h", "official",
     "ECS price list, 2021-07-19"},
    {"clusterAutoscaler.scanInterval", "30 s", "official", "provider documentation, 2026-08-21"},
};

static const struct result_finding findings[] = {
    {"error", "slo-missed",
     "2.6 h on Friday missed the SLO: the spot pool ran dry while the metric counted only finished "
     "requests, so the HPA saw 62 % of the demand and did not ask for more."},
    {"warning", "no-readiness-probe",
     "The Deployment has no readiness probe: pods get traffic while the model loads (38,020 "
     "requests refused)."},
    {"warning", "target-low", "The target of 10 QPS a pod is 12 % of what this GPU can serve."},
    {"note", "left-out", "Disks, load balancer, NAT and log service are not in the cost."},
};

static const struct result_trial trials[] = {
    {"nodePools.elastic.spotMarket", "medium", "calm", "preset",
     "bert held 99.98 %, 39,120 CNY a month", true, true, false, 3},
    {"services[0].startup.image.bandwidth", "20M", "47M", "assumed",
     "bert held 99.91 %, 42,100 CNY a month", true, true, false, 3},
    {"nodePools.elastic.spotMarket", "medium", "scarce", "preset",
     "bert held 96.2 %, 48,220 CNY a month", false, false, false, 0},
    {"price of ecs.gn6v-c8g1.2xlarge", "26.46 CNY an hour", "1.5 x", "third-party",
     "bert held 98.641 %, 63,345 CNY a month", false, false, false, 0},
};

static const struct result_breakeven breakevens[] = {
    {"bert", "ecs.gn6v-c8g1.2xlarge at 26.46 CNY an hour by the second", SIM_MINUTE, 0.97, 3.6,
     0.23, 0.21},
    {"bert", "ecs.gn6v-c8g1.2xlarge at 26.46 CNY an hour by the second", SIM_HOUR, 26.9,
     (double)NAN, 0.5, (double)NAN},
};

static struct result *blank(struct arena *a)
{
    struct result *r = take(a, 1, sizeof *r);
    *r = (struct result){.arena = a,
                         .name = "bert-elastic",
                         .run_key = "0f3a9c11d27be4805c66a1907d3e2b44",
                         .engine = "dispatch",
                         .verdict = "",
                         .currency = "CNY",
                         .command = "sluice run scenarios/bert-elastic.json --seed 1",
                         .seed = 1,
                         .replications = 20,
                         .shown_replication = 7,
                         .horizon = 7 * SIM_DAY,
                         .epoch_s = 1625414400, /* Monday 2021-07-05 00:00 in Shanghai */
                         .time_zone = "Asia/Shanghai",
                         .control_digest = UINT64_C(0x9e3779b97f4a7c15),
                         .request_digest = UINT64_C(0xd1b54a32d192ed03)};
    r->figures = take(a, ROOM, sizeof *r->figures);
    r->series = take(a, ROOM, sizeof *r->series);
    r->entries = take(a, ROOM, sizeof *r->entries);
    r->spans = take(a, ROOM, sizeof *r->spans);
    r->bills = take(a, ROOM, sizeof *r->bills);
    r->assumptions = take(a, ROOM, sizeof *r->assumptions);
    r->findings = take(a, ROOM, sizeof *r->findings);
    r->trials = take(a, ROOM, sizeof *r->trials);
    r->breakevens = take(a, ROOM, sizeof *r->breakevens);
    r->judged = true;
    return r;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct result *fixture_bert(struct arena *a)
{
    struct result *r = blank(a);
    r->verdict = "Misses the SLO: p99 stays under 130 ms in 98.641 % of the 5-minute windows, and "
                 "99.9 % must hold; 42,230 CNY a month is within the budget of 60,000 CNY.";
    add_figures(a, r, "services.bert.", service_figures, COUNT(service_figures));
    add_figures(a, r, "", service_figures, COUNT(service_figures));
    add_figures(a, r, "", run_figures, COUNT(run_figures));
    add_all_series(a, r, "");
    add_log(a, r);
    r->entries_dropped = 1204;
    add_spans(a, r);
    add_bills(a, r);
    memcpy(r->assumptions, assumptions, sizeof assumptions);
    r->n_assumptions = COUNT(assumptions);
    memcpy(r->findings, findings, sizeof findings);
    r->n_findings = COUNT(findings);
    memcpy(r->trials, trials, sizeof trials);
    r->n_trials = COUNT(trials);
    r->trials_left = 3;
    r->trials_part = 26 * SIM_HOUR;
    memcpy(r->breakevens, breakevens, sizeof breakevens);
    r->n_breakevens = COUNT(breakevens);
    return r;
}

#define EVIL "</title><script>alert(\"x\")</script> & 'q'"

struct result *fixture_hostile(struct arena *a)
{
    struct result *r = fixture_bert(a);
    static const char long_name[] =
        EVIL " \xE4\xB8\xAD\xE6\x96\x87\xE6\x9C\x8D\xE5\x8A\xA1 "
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    r->name = r->verdict = r->command = long_name;
    r->time_zone = "No/Such<Zone>";
    r->holds = true;
    r->n_series = 0;
    add_all_series(a, r, "services.a<b>.");
    add_all_series(a, r, "services.bert.");
    r->n_series -= 3; /* the second service has no latency */
    r->figures[r->n_figures - 3].value = 1e300;
    add_figures(a, r, "services.a<b>.", service_figures, COUNT(service_figures) - 10);
    for (size_t i = 0; i < 3; i++) {
        r->entries[i] = (struct result_entry){(sim_ns)i, EVIL, EVIL, long_name};
        r->spans[i].track = r->spans[i].phase = EVIL;
        r->assumptions[i] = (struct result_assumption){EVIL, long_name, EVIL, long_name};
        r->findings[i] = (struct result_finding){"warning", EVIL, long_name};
        r->bills[i].resource = r->bills[i].group = r->bills[i].type = EVIL;
        r->bills[i].zone = r->bills[i].billing = long_name;
        r->trials[i].path = r->trials[i].now = EVIL;
        r->trials[i].then = r->trials[i].verdict = long_name;
        r->breakevens[i % 2].subject = EVIL;
        r->breakevens[i % 2].basis = long_name;
    }
    return r;
}

struct result *fixture_empty(struct arena *a)
{
    struct result *r = blank(a);
    r->verdict = "Nothing happened.";
    r->horizon = SIM_MINUTE;
    r->replications = 1;
    r->holds = true;
    return r;
}
