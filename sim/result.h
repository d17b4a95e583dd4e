/* result: what one run learnt, in a form that every report reads and no report needs to know the
 * models for.
 *
 * Numbers are `figures` with a dotted path ("latency.p99", "cost.byClass.idle"); the JSON result
 * is these paths unfolded. The paths that every run has are listed in the description of
 * schema "sluice.result/1" (`sluice explain result`). */
#ifndef SLUICE_SIM_RESULT_H
#define SLUICE_SIM_RESULT_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;

/* How a figure of several replications becomes one. */
enum figure_merge {
    FIGURE_MEAN, /* money, quantiles, shares */
    FIGURE_SUM,  /* counts */
    FIGURE_MAX,
    FIGURE_MIN,
};

struct figure {
    const char *path;
    const char *unit; /* "s", "CNY", "requests", "1" */
    enum figure_merge merge;
    double value;
    /* 95 % t interval of the mean over replications (of the mean per replication, for sums). Cut at
     * 0 when no replication was below it, for shares at 1 too: an end that was cut is what can be
     * at all, nothing that few replications have shown, and human_interval does not name a low of
     * 0. */
    bool has_interval;
    double low, high;
};

/* A series for charts: at most RESULT_POINTS bins of equal width. */
#define RESULT_POINTS 512
struct result_series {
    const char *path; /* "service.bert.replicas.want" */
    const char *unit;
    sim_ns step; /* bin i covers [i*step, (i+1)*step) */
    size_t n;
    const double *mean, *min, *max; /* NaN where nothing was known */
};

/* Raw values of a measurement, in the order in which they were measured. */
struct result_samples {
    const char *path; /* "batch1.latency" */
    const char *unit;
    size_t n;
    const double *values;
};

/* One line of the control log. */
struct result_entry {
    sim_ns at;
    const char *subject; /* "hpa bert", "pool elastic", "node elastic-3" */
    const char *what;    /* "4 -> 8" */
    const char *reason;  /* in words, with the binding rule */
};

/* Something that lasted: a phase of a pod or of a node. */
struct result_span {
    const char *track; /* "bert-7", "elastic-3" */
    const char *phase; /* "pull image" */
    sim_ns from, to;
};

/* One thing that was paid for; amount is re-derivable as price x billed time. */
struct result_bill {
    const char *resource; /* "elastic-3" */
    const char *group;    /* pool or service */
    const char *type;     /* "ecs.gn6v-c8g1.2xlarge" */
    const char *zone;
    const char *billing;    /* "onDemand", "spot", ... */
    sim_ns from, to;        /* billed from, to */
    int64_t micro_per_hour; /* price in that time */
    int64_t amount_micro;   /* money_for(micro_per_hour, to - from) */
    const char *currency;
};

/* A figure of the world that the answer rests on. */
struct result_assumption {
    const char *path; /* scenario path or catalogue key */
    const char *value;
    const char *quality; /* "assumed", "third-party", ... */
    const char *source;
};

/* One figure or preset put to another value, all else as it was: does the verdict stay? Only what
 * replays of the whole horizon confirm turns it; the rest is screened over a stretch. */
struct result_trial {
    const char *path;       /* what was moved: a scenario path, or "price of ecs...." */
    const char *now, *then; /* value in the run; where the verdict turns, or the farthest tried */
    const char *quality;    /* "preset", "assumed", "third-party" */
    const char *verdict;    /* there, in words */
    bool turns, holds;      /* confirmed: the verdict there is another; what it is */
    bool may_turn;          /* so far it is another, and there was no work left to confirm it */
    uint32_t replications;  /* played over the whole horizon; 0: screened alone */
};

/* One length of burst: paying by the second against a machine that stays. */
struct result_breakeven {
    const char *subject; /* service or job */
    const char *basis;   /* prices and times that the row rests on, in words */
    sim_ns burst;        /* work of one burst on one GPU */
    double eci, pool;    /* cost of one burst; an elastic pool buys and returns a machine for it */
    /* Shares of the time, 0..1, below which ECI is cheaper than a machine of the pool that always
     * stays, and than a subscription. NaN: no price. */
    double warm_share, subscription_share;
};

/* Something a reader should be told in words: why nothing scaled, what was left out. */
struct result_finding {
    const char *level; /* "error", "warning", "note" */
    const char *code;  /* stable short name */
    const char *text;
};

/* Open data; arrays live in `arena`. */
struct result {
    struct arena *arena;
    const char *name;    /* of the scenario */
    const char *run_key; /* 32 hex digits */
    const char *engine;  /* "dispatch" or "events" */
    const char *verdict; /* one sentence */
    const char *currency;
    const char *command; /* how to reproduce it */
    bool judged; /* an SLO or a budget was set, and there was something to hold it against */
    bool holds;  /* judged, and within them */
    uint64_t seed;
    uint32_t replications, shown_replication; /* series, log, spans, bills are of the latter */
    sim_ns horizon;
    int64_t epoch_s; /* Unix time of the run's start */
    const char *time_zone;
    uint64_t control_digest, request_digest;
    struct figure *figures;
    size_t n_figures;
    struct result_series *series;
    size_t n_series;
    struct result_samples *samples; /* of measurements; runs have none */
    size_t n_samples;
    struct result_entry *entries;
    size_t n_entries;
    uint64_t entries_dropped; /* entries beyond what is kept; the digest covers them */
    struct result_span *spans;
    size_t n_spans;
    uint64_t spans_dropped; /* beyond what is kept */
    struct result_bill *bills;
    size_t n_bills;
    uint64_t bills_dropped;      /* bills beyond what is kept: how many, */
    int64_t bills_dropped_micro; /* and their total, so that bills + dropped = cost */
    struct result_assumption *assumptions;
    size_t n_assumptions;
    struct result_trial *trials; /* those that turn the verdict, then those that may, then the
                                    others, each by what they change */
    size_t n_trials;
    uint64_t trials_left;            /* values that there was no time for */
    sim_ns trials_from, trials_part; /* stretch of shown_replication that they were screened over:
                                        its begin and length */
    struct result_breakeven *breakevens; /* by subject, then ascending bursts */
    size_t n_breakevens;
    struct result_finding *findings;
    size_t n_findings;
    uint64_t findings_dropped;
};

#define RESULT_SCHEMA "sluice.result/1"

const struct figure *result_figure(const struct result *r, const char *path);
/* The value, or `otherwise` when the figure is absent. */
double result_value(const struct result *r, const char *path, double otherwise);
const struct result_series *result_find_series(const struct result *r, const char *path);

#endif
