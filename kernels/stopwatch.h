/* stopwatch: repeats a piece of work until its time is known, and says how well it is known. */
#ifndef SLUICE_KERNELS_STOPWATCH_H
#define SLUICE_KERNELS_STOPWATCH_H

#include <stdbool.h>
#include <stddef.h>

#define STOPWATCH_MAX_SAMPLES 1000

struct stopwatch_rule {
    double min_s; /* measure at least this long, 0.5 is usual */
    double max_s; /* and stop at the latest after this */
    size_t min_samples;
    double spread; /* enough when half of the samples lie within this share of the median */
    double *kept;  /* STOPWATCH_MAX_SAMPLES seconds: the samples as they came; NULL: not wanted */
};

extern const struct stopwatch_rule stopwatch_usual;

struct stopwatch_reading {
    size_t samples;
    double median_s, low_s, high_s; /* of one repetition; low and high: quartiles */
    double best_s;
    bool stable; /* false: max_s ran out before the spread was small enough */
};

/* Seconds since some fixed moment; never runs backwards. The one clock of this room. */
double stopwatch_now_s(void);

typedef void stopwatch_work(void *self);

/* One unmeasured repetition first (first touch, lazy set-up), then the measured ones. */
void stopwatch_measure(const struct stopwatch_rule *rule, stopwatch_work *work, void *self,
                       struct stopwatch_reading *out);

#endif
