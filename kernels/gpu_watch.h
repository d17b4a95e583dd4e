/* gpu_watch: clocks, power, heat and memory of a GPU while something is measured on it. */
#ifndef SLUICE_KERNELS_GPU_WATCH_H
#define SLUICE_KERNELS_GPU_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct nvml;
struct nvml_choice;

/* What was seen; NAN where the card does not tell, samples 0 where there is no NVML. */
struct gpu_usage {
    size_t samples, idle; /* looks, and those at an idle card, which say nothing of a load: */
    size_t throttled;     /* clocks, power, busy are of the others; that found it slowed down */
    size_t capped;        /* that found the power cap at work: a setting */
    double clock_mhz, clock_low_mhz, clock_max_mhz; /* highest and lowest seen; the card's own */
    double power_w, power_most_w, power_limit_w;    /* mean, highest, limit */
    double temperature_c, memory_bytes;             /* highest */
    double busy_share;                              /* mean */
    uint32_t reasons;                               /* enum nvml_reason, of all looks together */
    uint32_t faults;                                /* of them, what slowed it down */
    char driver[80];                                /* "" without NVML */
};

struct gpu_watch {
    struct nvml *nvml; /* NULL: nothing is watched */
    struct gpu_usage usage;
    double power_sum, busy_sum;
};

/* Without the library or a driver nothing is watched, and no error is made of it. */
void gpu_watch_open(struct gpu_watch *w, const struct nvml_choice *choice);
void gpu_watch_close(struct gpu_watch *w); /* accepts zeroed memory */
/* One look; 1: slowed down, by heat, the power brake or the hardware, or below 0.75 of its highest
 * clock without being idle, capped or set so; 0: not; -1 with ERR_SYSTEM when the card is lost. */
int gpu_watch_look(struct gpu_watch *w, struct err *e);
void gpu_watch_read(const struct gpu_watch *w, struct gpu_usage *out);

/* "power cap", "clock setting", "heat", "power brake", "hardware", "other", several with commas, or
 * "": to be idle is not told. */
struct gpu_watch_words {
    char s[80];
};
void gpu_watch_reasons(uint32_t reasons, struct gpu_watch_words *out);

#endif
