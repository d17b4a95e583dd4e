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

static const struct knob fault_rows[] = {
    {.key = "kind",
     .kind = KNOB_NAME,
     .offset = offsetof(struct metric_fault, kind),
     .doc = "What goes wrong.",
     .names = fault_names},
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

void metric_sls_edges(const struct metric_sls_config *c, sim_ns now, sim_ns *from, sim_ns *to)
{
    sim_ns at = now;
    for (size_t i = 0; i < c->faults.count; i++) {
        sim_ns s = seen(fault(c, i), now);
        at = s < at ? s : at;
    }
    sim_ns found = at - c->search_range;
    *to = at - c->delay;
    *from = *to - interval(c);
    *from = *from < found ? found : *from;
    *to = *to < *from ? *from : *to;
    assert(*from <= *to && *to <= now);
}

sim_ns metric_sls_reach(const struct metric_sls_config *c)
{
    sim_ns back = 0;
    for (size_t i = 0; i < c->faults.count; i++) {
        const struct metric_fault *f = fault(c, i);
        sim_ns most = f->kind == METRIC_FROZEN ? f->lasts : f->kind == METRIC_LATE ? f->lag : 0;
        most = most > f->lasts ? f->lasts : most;
        back = most > back ? most : back;
    }
    return back + interval(c) + c->delay;
}

bool metric_sls_present(const struct metric_sls_config *c, sim_ns now)
{
    for (size_t i = 0; i < c->faults.count; i++)
        if (fault(c, i)->kind == METRIC_MISSING && active(fault(c, i), now))
            return false;
    return true;
}

static const struct scaler_metric none = {false, 0};

struct scaler_metric metric_sls_qps(const struct metric_sls_config *c, sim_ns now, uint64_t ended)
{
    if (!metric_sls_present(c, now) || (ended == 0 && c->empty_is_missing))
        return none;
    assert(ended < UINT64_MAX / 1000);
    uint64_t whole = ended * 1000 / (uint64_t)(interval(c) / SIM_MS);
    return (struct scaler_metric){true, (int64_t)whole * 1000};
}

struct scaler_metric metric_sls_latency(const struct metric_sls_config *c, sim_ns now, double ms,
                                        uint64_t lines)
{
    assert(lines == 0 || (ms >= 0 && ms < 9e15));
    if (!metric_sls_present(c, now) || lines == 0)
        return none;
    return (struct scaler_metric){true, (int64_t)ms * 1000};
}

static double noise(const struct metric_sls_config *c, sim_ns now)
{
    double most = 0;
    for (size_t i = 0; i < c->faults.count; i++)
        if (fault(c, i)->kind == METRIC_NOISY && active(fault(c, i), now))
            most = fault(c, i)->noise > most ? fault(c, i)->noise : most;
    return most;
}

static bool stays_incomplete(const struct metric_sls_config *c, struct chance stream, uint64_t pass)
{
    if (c->incomplete_share <= 0)
        return false;
    struct chance own = chance_sub(stream, pass);
    for (int32_t try = 0; try <= c->max_retry; try++)
        if (chance_uniform(own, (uint64_t)try + 1) >= c->incomplete_share)
            return false;
    return true;
}

struct scaler_metric metric_sls_disturb(const struct metric_sls_config *c, sim_ns now,
                                        struct scaler_metric m, struct chance stream, uint64_t pass)
{
    if (!m.present || stays_incomplete(c, stream, pass))
        return none;
    double share = noise(c, now);
    if (share <= 0)
        return m;
    double draw = chance_normal(chance_sub(stream, pass), 0);
    double v = (double)(m.milli / 1000) * (1 + share * draw);
    m.milli = v <= 0 ? 0 : v >= 9e15 ? m.milli : (int64_t)v * 1000;
    return m;
}
