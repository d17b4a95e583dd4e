/* gpu_time: GPU time added up exactly: thousandths of a GPU x nanoseconds, which overflow 64 bits
 * in one sum over a long trace, kept as whole milli-GPU-seconds and a rest. */
#ifndef SLUICE_MODELS_CAPACITY_GPU_TIME_H
#define SLUICE_MODELS_CAPACITY_GPU_TIME_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* Open data; {0} is none. */
struct gpu_time {
    int64_t milli_s, milli_ns; /* milli_ns: 0..999,999,999 */
};

/* milli: 0..1,000,000 thousandths of a GPU, held for ns >= 0. */
void gpu_time_add(struct gpu_time *t, int64_t milli, sim_ns ns);
void gpu_time_sum(struct gpu_time *t, struct gpu_time by);
bool gpu_time_equal(struct gpu_time a, struct gpu_time b);
/* GPU-seconds. */
double gpu_time_s(struct gpu_time t);

#endif
