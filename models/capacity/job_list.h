/* job_list: the pods of a trace as jobs: each runs as long as it did there and ends as it ended
 * there. */
#ifndef SLUICE_MODELS_CAPACITY_JOB_LIST_H
#define SLUICE_MODELS_CAPACITY_JOB_LIST_H

#include "models/capacity/pod_shape.h"
#include "sim/clock.h"
#include "sim/err.h"
#include "sim/knob.h"
#include "workloads/pod_list.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

enum job_list_shares {
    JOB_LIST_ROUND_UP, /* a share of a GPU becomes a whole one */
    JOB_LIST_SHARE,    /* pods with a share stand on one GPU together */
};

/* Open data. */
struct job_list_item {
    const char *name;
    sim_ns at, run; /* at: in simulated time; run: what is left of it then */
    uint32_t shape;
    bool failed;
};

struct job_list {
    const struct job_list_item *items; /* in order of `at` */
    size_t n;
    size_t left_out;          /* ended before the run begins */
    size_t shared;            /* that ask for a share of a GPU */
    struct pod_shape *shapes; /* each way that they look once; owners of pods of their own */
    size_t n_shapes;
};

/* Borrowed for the call. */
struct job_list_setup {
    const struct pod_list *pods;
    const struct pod_shape *base; /* what the list does not say: selectors, tolerations, ... */
    int shares;                   /* enum job_list_shares */
    const struct knob_map *kinds; /* GPU kind of the list -> kind to ask for; others stay */
    sim_ns from;                  /* time of the list at which the run begins */
};

int job_list_make(struct job_list *l, const struct job_list_setup *s, struct arena *a,
                  struct err *e);

#endif
