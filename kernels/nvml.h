/* nvml: clocks, power, memory and throttling of one NVIDIA GPU, through its driver's library.
 *
 * The library is opened at run time, so that a build needs neither its header nor the library, and
 * a machine without a driver gets a message. Source of names, numbers and structs: NVIDIA's NVML
 * API reference, functions of driver 450 (2020) and later. */
#ifndef SLUICE_KERNELS_NVML_H
#define SLUICE_KERNELS_NVML_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct nvml;

struct nvml_choice {
    const char *library; /* path or name; NULL: the driver's libnvidia-ml.so.1 */
    const char *bus;     /* PCI place as CUDA names it, "0000:65:00.0"; NULL: by number */
    int32_t number;      /* from 0, in the driver's order */
};

struct nvml_card {
    char name[96], driver[80];
};

/* Why clocks are below their maximum. The first three are how the card is set or used, and what it
 * is measured with; the next three are faults: the card protects itself, and times are not its own.
 * Source: NVML API reference, nvmlClocksThrottleReasons. */
enum nvml_reason {
    NVML_REASON_IDLE = 1,      /* nothing runs */
    NVML_REASON_POWER_CAP = 2, /* the software power cap: the limit that is set, or the board's */
    NVML_REASON_SETTING = 4,   /* clocks set by hand, synchronized boost, display */
    NVML_REASON_THERMAL = 8,   /* too hot, in software or hardware */
    NVML_REASON_BRAKE = 16,    /* the power brake that the supply pulls from outside */
    NVML_REASON_SLOWDOWN =
        32,                 /* by hardware: heat, brake or power peaks; an old card does not tell */
    NVML_REASON_OTHER = 64, /* unknown to this program */
};
#define NVML_REASONS_OF_USE (NVML_REASON_IDLE | NVML_REASON_POWER_CAP | NVML_REASON_SETTING)
#define NVML_REASONS_OF_FAULT (NVML_REASON_THERMAL | NVML_REASON_BRAKE | NVML_REASON_SLOWDOWN)

/* What a card does not tell is NAN, and reasons_known is false: old and small cards lack some. */
struct nvml_sample {
    double sm_clock_mhz, sm_clock_max_mhz, memory_clock_mhz;
    double power_w, power_limit_w;
    double temperature_c;
    double memory_used_bytes, memory_total_bytes;
    double busy_share; /* 0..1 of the last sampling period with a kernel running */
    uint32_t reasons;  /* of enum nvml_reason */
    bool reasons_known;
};

/* NULL and ERR_SYSTEM when there is no library, no driver or no such card; the message names what
 * the library said. */
struct nvml *nvml_create(const struct nvml_choice *choice, struct err *e);
void nvml_destroy(struct nvml *n); /* accepts NULL */

const struct nvml_card *nvml_card(const struct nvml *n);
/* ERR_SYSTEM when the card is lost or the driver fails; what it does not support is no failure. */
int nvml_sample(struct nvml *n, struct nvml_sample *out, struct err *e);

/* Whether a fault holds the clocks, or the SM clock is below `share` of its maximum (nvbench drops
 * samples under 0.75) for no reason of use. What is not known does not count. */
bool nvml_throttled(const struct nvml_sample *s, double share);

#endif
