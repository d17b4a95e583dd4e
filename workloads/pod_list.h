/* pod_list: pods as a cluster trace lists them: what each asked for, when it came, how long it ran.
 *
 * The format of Alibaba's GPU trace of 2023 (openb): columns name, cpu_milli, memory_mib, num_gpu,
 * gpu_milli (of each GPU; 1000 is a whole one), gpu_spec (kinds joined by a bar; empty: any),
 * pod_phase, creation_time, deletion_time, scheduled_time (seconds from the trace's start;
 * scheduled_time is empty for pods that never ran there). */
#ifndef SLUICE_WORKLOADS_POD_LIST_H
#define SLUICE_WORKLOADS_POD_LIST_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Open data. */
struct pod_list_item {
    const char *name;
    int64_t cpu_milli, memory_bytes;
    int32_t gpus;
    int32_t share_milli;  /* 1..999 of its one GPU; 0: whole GPUs */
    const char *gpu_spec; /* "V100M16|V100M32"; "": any */
    bool failed;          /* it ended in phase Failed */
    bool scheduled;       /* it ran in the trace */
    sim_ns created;
    sim_ns run; /* from its start, or its creation when it never started there, to its deletion */
};

struct pod_list {
    const struct pod_list_item *items; /* in order of creation, ties as in the file */
    size_t n;
    size_t shared; /* of these, how many ask for a share of a GPU */
};

/* ERR_INPUT with file and line. */
int pod_list_load(struct pod_list *l, struct arena *a, const char *path, struct err *e);

#endif
