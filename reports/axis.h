/* axis: where the ticks of an axis stand, and what they say. */
#ifndef SLUICE_REPORTS_AXIS_H
#define SLUICE_REPORTS_AXIS_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zone;

#define AXIS_TICKS 40

struct axis_tick {
    double at;
    char label[24];
    char below[24]; /* second line: the day, the year; often empty */
};

struct axis {
    double low, high;
    bool log;
    size_t n;
    struct axis_tick tick[AXIS_TICKS];
};

/* 0 to a round number at or above high, at most `most` steps of 1, 2 or 5 times a power of ten;
 * whole: no steps below 1. high that is not positive or not finite counts as 1. */
void axis_linear(struct axis *a, double high, size_t most, bool whole);
/* From 1, 2 or 5 times a power of ten to another that hold low..high, both > 0. */
void axis_log(struct axis *a, double low, double high);
/* Ticks in seconds say "20 ms", "1 s". */
void axis_label_latency(struct axis *a);
/* Durations in seconds from 0 on, in steps of 1, 2, 5, 10, 15, 30 of s, m or h. */
void axis_seconds(struct axis *a, double high, size_t most);

/* What a time axis needs to know. zone NULL: UTC. */
struct axis_time {
    sim_ns horizon; /* > 0 */
    int64_t epoch_s;
    const struct zone *zone;
    size_t most; /* ticks, >= 2 */
};

/* Local round times from 0 to the horizon; `at` is in nanoseconds of simulated time. */
void axis_local_time(struct axis *a, const struct axis_time *t);

/* Where v lies between low (0) and high (1); clamped. */
double axis_place(const struct axis *a, double v);

#endif
