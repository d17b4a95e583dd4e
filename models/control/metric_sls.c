/* metric_sls: windows, whole numbers, retries and faults of the SLS metric path. */
#include "models/control/metric_sls.h"

#include <assert.h>
#include <stddef.h>

#define ADAPTER "AliyunContainerService/alibaba-cloud-metrics-adapter pkg/metrics/sls, read 2026-08"

static const struct knob_name fault_names[] = {
    {"frozen", METRIC_FROZEN, "the value of the fault's start is repeated"},
    {"late", METRIC_LATE, "the window lies `lag` further back"},
    {"missing", METRIC_MISSING, "there is no value"},
    {"noisy", METRIC_NOISY, "the value is off by a random share"},
    {0},
};

#define OF(kind) (1 + (int)(kind))
static const struct knob_name metric_names[] = {
    {"all", 0, "every metric of the service"},
    {"qps", OF(METRIC_INGRESS_QPS), "sls_ingress_qps, requests_per_second"},
    {"latency", OF(METRIC_INGRESS_LATENCY), "sls_ingress_latency_*"},
    {"in_flight", OF(METRIC_IN_FLIGHT), "requests between arrival and end"},
    {"queue_length", OF(METRIC_QUEUE_LENGTH), "requests that wait"},
    {"utilization", OF(METRIC_UTILIZATION), "cpu, gpu_utilization, DCGM_FI_DEV_GPU_UTIL"},
    {"concurrency", OF(METRIC_CONCURRENCY), "requests in progress"},
    {0},
};

static const struct knob fault_rows[] = {
    {.key = "kind",
     .kind = KNOB_NAME,
     .offset = offsetof(struct metric_fault, kind),
     .doc = "What goes wrong.",
     .names = fault_names},
    {.key = "metric",
     .kind = KNOB_NAME,
     .offset = offsetof(struct metric_fault, metric),
     .doc = "Which metric it befalls.",
     .preset = "all",
     .names = metric_names},
    {.key = "at",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_fault, at),
     .doc = "When it begins, from the start of the run."},
    {.key = "for",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_fault, lasts),
     .doc = "How long it lasts."},
    {.key = "lag",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_fault, lag),
     .doc = "Further age of the value, for `late`.",
     .preset = "0"},
    {.key = "noise",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct metric_fault, noise),
     .doc = "Standard deviation of the value as a share of it, for `noisy`.",
     .preset = "0"},
    {0},
};

static int fault_check(const void *config, const char **key, struct err *e)
{
    const struct metric_fault *f = config;
    if (f->kind == METRIC_LATE && f->lag <= 0) {
        *key = "lag";
        return err_set(e, ERR_INPUT, NULL, "a late metric needs a lag above 0s");
    }
    if (f->kind == METRIC_NOISY && f->noise <= 0) {
        *key = "noise";
        return err_set(e, ERR_INPUT, NULL, "a noisy metric needs a noise above 0");
    }
    return 0;
}

static const struct knob_table fault_knobs = {
    .name = "metric.faults",
    .doc = "A time in which the metric path does not do its work.",
    .rows = fault_rows,
    .size = sizeof(struct metric_fault),
    .check = fault_check,
};

static const struct knob rows[] = {
    {.key = "interval",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_sls_config, interval),
     .doc = "Length of the window that is counted (sls.query.interval; below 15s counts as 15s).",
     .preset = "15s",
     .min = 1,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = ADAPTER},
    {.key = "delay",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_sls_config, delay),
     .doc = "How long before the pass the window ends (sls.query.delay).",
     .preset = "10s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = ADAPTER},
    {.key = "searchRange",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_sls_config, search_range),
     .doc = "Log lines older than this are not found, so delay + interval beyond it lose data.",
     .preset = "100s",
     .min = 1,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = ADAPTER},
    {.key = "maxRetry",
     .kind = KNOB_INT32,
     .offset = offsetof(struct metric_sls_config, max_retry),
     .unit = "retries",
     .doc = "Further tries after an incomplete answer, then there is no value.",
     .preset = "5",
     .min = 0,
     .max = 100,
     .quality = QUALITY_OFFICIAL,
     .source = ADAPTER},
    {.key = "incompleteShare",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct metric_sls_config, incomplete_share),
     .doc = "Share of answers of the log service that are incomplete.",
     .preset = "0"},
    {.key = "emptyIsMissing",
     .kind = KNOB_BOOL,
     .offset = offsetof(struct metric_sls_config, empty_is_missing),
     .doc = "A window without log lines gives no row, hence no value, instead of 0.",
     .preset = "false"},
    {.key = "exportInterval",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct metric_sls_config, export_every),
     .doc = "The source writes a value only that often, over the interval that ends then; between, "
            "the last one is read again. 0: a value for each pass.",
     .preset = "0",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = ADAPTER},
    {.key = "exportPhase",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct metric_sls_config, export_phase),
     .doc = "Time of the first value as a share of exportInterval; -1: drawn for each replication.",
     .preset = "-1",
     .min = -1,
     .max = 1},
    {.key = "faults",
     .kind = KNOB_LIST,
     .offset = offsetof(struct metric_sls_config, faults),
     .doc = "Times at which the path fails.",
     .preset = "",
     .table = &fault_knobs},
    {0},
};

const struct knob_table metric_sls_knobs = {
    .name = "metric",
    .doc = "From the ingress log to the value that an autoscaler sees.",
    .rows = rows,
    .size = sizeof(struct metric_sls_config),
};

static const struct metric_fault *fault(const struct metric_sls_config *c, size_t i)
{
    return (const struct metric_fault *)c->faults.items + i;
}

static bool active(const struct metric_fault *f, sim_ns now)
{
    return now >= f->at && now - f->at < f->lasts;
}

bool metric_sls_concerns(const struct metric_fault *f, const struct scaler_wants *wish)
{
    return f->metric == 0 || f->metric == OF(wish->kind);
}

/* The time that the path believes it is: what was visible when a fault began stays so. */
static sim_ns seen(const struct metric_fault *f, sim_ns now)
{
    if (!active(f, now))
        return now;
    if (f->kind == METRIC_FROZEN)
        return f->at;
    if (f->kind != METRIC_LATE)
        return now;
    return now - f->lag > f->at ? now - f->lag : f->at;
}

static sim_ns interval(const struct metric_sls_config *c)
{
    return c->interval < 15 * SIM_SECOND ? 15 * SIM_SECOND : c->interval;
}

/* The last time up to `at` at which the source wrote a value; times before 0 count as well. */
static sim_ns last_export(const struct metric_sls_config *c, sim_ns at)
{
    assert(c->export_phase >= 0);
    sim_ns since = at - (sim_ns)(c->export_phase * (double)c->export_every);
    sim_ns into = since % c->export_every;
    return at - (into < 0 ? into + c->export_every : into);
}

struct metric_sls_window metric_sls_window(const struct metric_sls_config *c,
                                           const struct scaler_wants *wish, sim_ns now)
{
    sim_ns at = now;
    for (size_t i = 0; i < c->faults.count; i++) {
        if (!metric_sls_concerns(fault(c, i), wish))
            continue;
        sim_ns s = seen(fault(c, i), now);
        at = s < at ? s : at;
    }
    if (wish->window > 0)
        return (struct metric_sls_window){at - wish->window, at};
    if (c->export_every > 0) {
        sim_ns to = last_export(c, at - c->delay);
        return (struct metric_sls_window){to - interval(c), to};
    }
    sim_ns found = at - c->search_range;
    struct metric_sls_window w = {at - c->delay - interval(c), at - c->delay};
    w.from = w.from < found ? found : w.from;
    w.to = w.to < w.from ? w.from : w.to;
    assert(w.from <= w.to && w.to <= now);
    return w;
}

sim_ns metric_sls_reach(const struct metric_sls_config *c, const struct scaler_wants *wish)
{
    sim_ns back = 0;
    for (size_t i = 0; i < c->faults.count; i++) {
        const struct metric_fault *f = fault(c, i);
        sim_ns most = f->kind == METRIC_FROZEN ? f->lasts : f->kind == METRIC_LATE ? f->lag : 0;
        most = most > f->lasts ? f->lasts : most;
        back = metric_sls_concerns(f, wish) && most > back ? most : back;
    }
    return back + (wish->window > 0 ? wish->window : interval(c) + c->delay + c->export_every);
}

bool metric_sls_present(const struct metric_sls_config *c, const struct scaler_wants *wish,
                        sim_ns now)
{
    for (size_t i = 0; i < c->faults.count; i++) {
        const struct metric_fault *f = fault(c, i);
        if (f->kind == METRIC_MISSING && active(f, now) && metric_sls_concerns(f, wish))
            return false;
    }
    return true;
}

static const struct scaler_metric none = {false, 0};

struct scaler_metric metric_sls_qps(const struct metric_sls_config *c, uint64_t ended)
{
    if (ended == 0 && c->empty_is_missing)
        return none;
    assert(ended < UINT64_MAX / 1000);
    uint64_t whole = ended * 1000 / (uint64_t)(interval(c) / SIM_MS);
    return (struct scaler_metric){true, (int64_t)whole * 1000};
}

struct scaler_metric metric_sls_latency(double ms, uint64_t lines)
{
    assert(lines == 0 || (ms >= 0 && ms < 9e15));
    if (lines == 0)
        return none;
    return (struct scaler_metric){true, (int64_t)ms * 1000};
}

static double noise(const struct metric_sls_config *c, const struct metric_sls_query *q)
{
    double most = 0;
    for (size_t i = 0; i < c->faults.count; i++) {
        const struct metric_fault *f = fault(c, i);
        if (f->kind == METRIC_NOISY && active(f, q->now) && metric_sls_concerns(f, q->wish))
            most = f->noise > most ? f->noise : most;
    }
    return most;
}

static bool stays_incomplete(const struct metric_sls_config *c, const struct metric_sls_query *q)
{
    if (c->incomplete_share <= 0)
        return false;
    struct chance own = chance_sub(q->stream, q->pass);
    for (int32_t try = 0; try <= c->max_retry; try++)
        if (chance_uniform(own, (uint64_t)try + 1) >= c->incomplete_share)
            return false;
    return true;
}

/* The adapter cuts what it reads from log lines to whole numbers. */
static bool is_whole(const struct scaler_wants *wish)
{
    return wish->kind == METRIC_INGRESS_QPS || wish->kind == METRIC_INGRESS_LATENCY;
}

struct scaler_metric metric_sls_disturb(const struct metric_sls_config *c,
                                        const struct metric_sls_query *q, struct scaler_metric m)
{
    if (!m.present || !metric_sls_present(c, q->wish, q->now) || stays_incomplete(c, q))
        return none;
    double share = noise(c, q);
    if (share <= 0)
        return m;
    double draw = chance_normal(chance_sub(q->stream, q->pass), 0);
    int64_t unit = is_whole(q->wish) && q->wish->window == 0 ? 1000 : 1;
    double v = (double)(m.milli / unit) * (1 + share * draw);
    m.milli = v <= 0 ? 0 : v >= 9e15 ? m.milli : (int64_t)v * unit;
    return m;
}
