/* load: the four load scenarios of MLPerf LoadGen, over anything that serves a batch.
 *
 * Meaning as in mlcommons/inference, loadgen/test_settings.h: single stream sends the next query
 * when the last has ended; multi stream the same with 8 samples a query; the server's queries
 * arrive as a Poisson process whether or not the last has ended; offline is one query of all
 * samples. Closed loops leave out what happens between two queries. The server's latency counts
 * from the scheduled arrival: a stall is charged to everybody who waited. */
#ifndef SLUICE_KERNELS_LOAD_H
#define SLUICE_KERNELS_LOAD_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum load_scenario { LOAD_SINGLE_STREAM, LOAD_MULTI_STREAM, LOAD_SERVER, LOAD_OFFLINE };
#define LOAD_SCENARIOS 4
extern const char *const load_names[LOAD_SCENARIOS + 1]; /* "single_stream", ..., NULL */

#define LOAD_MULTI_SAMPLES 8 /* of a multi stream query, at least: it is of whole batches */
#define LOAD_MAX_CALLS 200000

/* Who serves, and whose clock counts: a test brings its own time. */
struct load_target {
    void *self;
    int (*serve)(void *self, struct err *e); /* one batch, to its end */
    double (*now_s)(void *self);
    void (*wait_until)(void *self, double at_s);
    /* Between two queries, outside their time; the number of queries that have ended. Or NULL. */
    int (*between)(void *self, size_t queries, struct err *e);
    /* 1: the device was slowed down since it was last asked, and the queries since are measured
     * again after a pause; 0: it was not; -1 with e. Or NULL. */
    int (*throttled)(void *self, struct err *e);
};

struct load_rule {
    enum load_scenario scenario;
    int32_t batch; /* items of one call of serve; a query of the server and single stream is one */
    double min_s;  /* both minima must be met */
    size_t min_queries;
    double max_s;  /* ends here whatever is missing, a search for the peak included */
    double spread; /* a closed loop goes on until the medians of its last three windows lie within
                      this share of each other; perf_analyzer's rule is 0.1 */
    double qps;    /* server */
    double bound_s, percentile; /* server: what must hold */
    uint64_t seed;              /* of arrivals */
};

/* The minima of LoadGen's own defaults (10 s and 100 queries), and its p99 and 130 ms for BERT. */
extern const struct load_rule load_usual;

/* Calls are queries, but a multi stream query may be several and offline's one query is all of
 * them: latency_s and service_s have a value a query, or a value a batch offline. */
struct load_outcome {
    size_t queries;
    double *latency_s;   /* from the scheduled arrival, or the start, to the end */
    double *service_s;   /* from the start to the end: what a closed loop would have seen */
    double *scheduled_s; /* from the start of the run; closed loops: when it was sent */
    double elapsed_s, items_per_s;
    size_t dropped;  /* measured while the device was slowed down, and again after it */
    bool slowed;     /* it stayed slow for a quarter of max_s: the rest was measured so too */
    size_t unserved; /* server: due, but not begun within max_s */
    size_t over;     /* server: later than the bound, those unserved included */
    bool stable;
    bool long_enough, queries_enough; /* the minima were met; a server's run is of ten bounds too */
    bool growing; /* server: more work arrived than was done, so that a queue grows */
    bool holds;   /* server: the percentile meets the bound in this run, and no queue grows, */
    bool certain; /* and early stopping's 99 % confidence that it does so in any */
};

/* Items of one query: a batch, or the batches that hold a multi stream query's samples. */
int32_t load_items(const struct load_rule *rule);

/* The arrays live in the arena. One unmeasured call comes first. -1 with the target's error. */
int load_run(struct arena *a, const struct load_target *t, const struct load_rule *rule,
             struct load_outcome *out, struct err *e);
/* The highest rate that holds the bound, by bisection between 0 and what a closed loop serves; the
 * run at that rate in *out, the rate in rule->qps. A rate of 0 with out->holds false: none does. */
int load_find_peak(struct arena *a, const struct load_target *t, struct load_rule *rule,
                   struct load_outcome *out, struct err *e);

#endif
