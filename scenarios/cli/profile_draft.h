/* profile_draft: a calibration profile in the making: measured points, the fit, what it is worth.
 */
#ifndef SLUICE_SCENARIOS_CLI_PROFILE_DRAFT_H
#define SLUICE_SCENARIOS_CLI_PROFILE_DRAFT_H

#include "kernels/timings.h"
#include "scenarios/cli/bench_setup.h"
#include "sim/dist.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stdint.h>

#define PROFILE_DRAFT_SPREAD 18

/* Open data; texts may be NULL. */
struct profile_draft {
    const char *model, *gpu, *framework, *precision, *device, *clocks, *driver, *date, *source;
    const char *remark; /* goes into the note */
    int64_t sequence;
    struct batch_point points[TIMINGS_MAX];
    bool held[TIMINGS_MAX]; /* left out of the fit */
    size_t n;
    struct dist_point spread[PROFILE_DRAFT_SPREAD];
    size_t n_spread; /* 0: only the cv is known */
    bool stable, throttled;
    int32_t left_out[BENCH_SETUP_BATCHES]; /* batches for which there was no time */
    size_t n_left_out;
    struct batch_fit fit;          /* made by profile_draft_fit */
    double residuals[TIMINGS_MAX]; /* relative, held out or not */
    struct batch_trust trust;
    size_t falls[TIMINGS_MAX]; /* points that take less than the one before, by more than noise */
    size_t n_falls;
};

/* "Tesla V100-SXM2-16GB" -> "V100": the kind as instance types name it. */
#define PROFILE_DRAFT_KIND 32
void profile_draft_kind(const char *device, char out[PROFILE_DRAFT_KIND]);
/* The spread from n measured times of one batch; sorts them. */
void profile_draft_spread(struct profile_draft *d, double *times_s, size_t n);
/* Marks the batches of "3,6" as held out; ERR_INPUT when one is not among the points. */
int profile_draft_hold(struct profile_draft *d, const char *list, struct err *e);
int profile_draft_fit(struct profile_draft *d, struct err *e);
/* A calibration file with this one profile. */
void profile_draft_json(const struct profile_draft *d, struct text *to);
/* A table for people: each batch with the fit beside it. */
void profile_draft_text(const struct profile_draft *d, struct text *to);

#endif
