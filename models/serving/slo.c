/* slo: judging a window by its quantiles. */
#include "models/serving/slo.h"

#include <assert.h>

#define SLO_ROW(name_, text_)                                                                      \
    {                                                                                              \
        .key = #name_, .kind = KNOB_DURATION, .offset = offsetof(struct slo_config, name_),        \
        .doc = "Latency limit at this quantile; failed requests count as misses (" text_ ").",     \
        .preset = "", .min = 1e-6, .max = 3600                                                     \
    }

static const struct knob slo_rows[] = {
    SLO_ROW(p50, "half of the requests"),
    SLO_ROW(p90, "nine in ten"),
    SLO_ROW(p95, "95 in 100"),
    SLO_ROW(p99, "99 in 100"),
    SLO_ROW(p999, "999 in 1000"),
    {.key = "window",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct slo_config, window),
     .doc = "Each window of this length is judged by itself, so that a short outage cannot hide "
            "in a long average.",
     .preset = "5m",
     .min = 1,
     .max = 86400},
    {.key = "objective",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct slo_config, objective),
     .doc = "Share of the windows with requests that must hold.",
     .preset = "0.999",
     .min = 0,
     .max = 1},
    {0},
};

const struct knob_table slo_knobs = {
    .name = "slo",
    .doc = "What the service promises.",
    .rows = slo_rows,
    .size = sizeof(struct slo_config),
};

struct limit {
    double q;
    sim_ns at;
};

static size_t slo_limits(const struct slo_config *c, struct limit *out)
{
    const struct limit all[] = {
        {0.5, c->p50}, {0.9, c->p90}, {0.95, c->p95}, {0.99, c->p99}, {0.999, c->p999}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].at > 0)
            out[n++] = all[i];
    return n;
}

bool slo_asked(const struct slo_config *c)
{
    struct limit limits[5];
    return slo_limits(c, limits) > 0;
}

/* The latency below which the share q of all requests stays, failed ones being the slowest; the
 * nearest rank among the served ones, or -1 when that rank is a failed request. */
static sim_ns quantile_with_failures(const struct hist *served, uint64_t failed, double q)
{
    uint64_t all = served->n + failed;
    double rank = q * (double)all;
    if (rank > (double)served->n)
        return -1;
    return hist_quantile(served, rank / (double)served->n);
}

#define SLO_FAILED_RATIO 1000.0

void slo_judge(const struct slo_config *c, const struct tally *before, const struct tally *after,
               struct hist *scratch, struct slo_window *out)
{
    *scratch = after->latency;
    hist_subtract(scratch, &before->latency);
    uint64_t failed = tally_failed(after) - tally_failed(before);
    *out = (struct slo_window){.served = scratch->n, .failed = failed, .holds = true};
    if (scratch->n > 0) {
        out->p50 = hist_quantile(scratch, 0.5);
        out->p95 = hist_quantile(scratch, 0.95);
        out->p99 = hist_quantile(scratch, 0.99);
    }
    if (scratch->n + failed == 0)
        return;
    struct limit limits[5];
    size_t n = slo_limits(c, limits);
    for (size_t i = 0; i < n; i++) {
        sim_ns value = quantile_with_failures(scratch, failed, limits[i].q);
        double ratio = value < 0 ? SLO_FAILED_RATIO : (double)value / (double)limits[i].at;
        if (ratio > out->worst)
            out->worst = ratio;
        if (ratio > 1.0)
            out->holds = false;
    }
    assert(out->served + out->failed > 0);
}
