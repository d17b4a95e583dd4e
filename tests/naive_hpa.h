/* naive_hpa: a second HPA, written for plainness alone: one list of pods, one pass, no totals, no
 * shared code. Tests hold the real one against it. */
#ifndef SLUICE_TESTS_NAIVE_HPA_H
#define SLUICE_TESTS_NAIVE_HPA_H

#include <stdbool.h>
#include <stdint.h>

#define NAIVE_MOST 64

/* Ages and periods in seconds. */
struct naive_pod {
    int phase; /* 0 Pending, 1 Unknown, 2 Running, 3 Succeeded, 4 Failed */
    int ready; /* -1 no condition, 0 false, 1 true */
    bool deleting;
    bool has_start;
    int64_t start_age, ready_age;
    int64_t request; /* -1: none */
    bool sampled;
    int64_t sample, sample_age, window;
};

struct naive_ask {
    int32_t current;
    struct naive_pod pods[NAIVE_MOST];
    int n;
    int64_t surplus[4]; /* samples of pods that are not in the list */
    int n_surplus;
    bool cpu;
    int64_t cpu_period, ready_delay;
    double up, down;
};

/* -1: an error. */
int32_t naive_utilization(const struct naive_ask *a, int64_t target_pct);
int32_t naive_pods(const struct naive_ask *a, int64_t target);
int32_t naive_average(int64_t usage, int64_t target, int32_t status, double up, double down);
int32_t naive_value(int64_t usage, int64_t target, const struct naive_ask *a);

struct naive_policy {
    bool percent;
    int32_t value;
    int64_t period;
};
struct naive_rules {
    int select; /* 0 Max, 1 Min, 2 Disabled */
    int64_t window;
    struct naive_policy policies[4];
    int n;
};
struct naive_entry {
    int32_t n;
    int64_t at;
    bool dead;
};

/* The whole state of an HPA with one average metric. */
struct naive_hpa {
    int32_t min, max;
    int64_t target;
    double up_tolerance, down_tolerance;
    int64_t down_window;
    bool behavior;
    struct naive_rules up, down;
    bool started;
    struct naive_entry recs[4096], ups[4096], downs[4096];
    int n_recs, n_ups, n_downs;
};

/* usage below 0: no value. */
int32_t naive_pass(struct naive_hpa *h, int64_t now, int32_t spec, int32_t status, int64_t usage);

#endif
