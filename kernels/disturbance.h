/* disturbance: what kept the processor from its work while something was measured on it. */
#ifndef SLUICE_KERNELS_DISTURBANCE_H
#define SLUICE_KERNELS_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

struct disturbance {
    double clock_ghz;     /* the best seen at a probe */
    double clock_low_ghz; /* the worst */
    double steal_share;   /* of the machine's processor time, taken by the hypervisor; 0..1 */
    int64_t preempted;    /* involuntary context switches of this process */
    int64_t throttles;    /* that the processor counted for heat; -1: it does not count */
};

/* Counters at the start, and the probes so far. */
struct disturbance_watch {
    double steal, total;
    int64_t preempted, throttles;
    double clock_ghz, clock_low_ghz;
};

/* Below this share of the best clock a processor is throttled: NVBench's limit for GPUs. */
#define DISTURBANCE_THROTTLED 0.75

void disturbance_begin(struct disturbance_watch *w);
/* Measures the clock now, in about 0.2 ms. true: it is throttled. */
bool disturbance_probe(struct disturbance_watch *w);
void disturbance_end(const struct disturbance_watch *w, struct disturbance *out);

#endif
