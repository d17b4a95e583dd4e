/* unplaced: pods that have no place when the run ends, and why. */
#ifndef SLUICE_MODELS_CAPACITY_UNPLACED_H
#define SLUICE_MODELS_CAPACITY_UNPLACED_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

struct catalog;
struct cluster_config;
struct nodes;
struct pod_shape;
struct pods;
struct recorder;

/* Why a pod waits at the end. */
enum unplaced_cause {
    UNPLACED_QUEUED,     /* others have what it could have */
    UNPLACED_NO_MACHINE, /* nothing there or for sale would take it, nothing sends it to ECI */
    UNPLACED_NO_STOCK,   /* since it was asked for none was sold */
    UNPLACED_NO_QUOTA,   /* of the account or the virtual node, too small for a single one */
    UNPLACED_CAUSES
};

/* Open data: pods by cause. */
struct unplaced_count {
    int64_t pods[UNPLACED_CAUSES];
};

/* Borrowed for the call. */
struct unplaced {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const struct pods *pods;
    const struct nodes *nodes;
    const struct pod_shape *shapes; /* [owner] */
    struct unplaced_count *counts;  /* [owner]: out */
    size_t n_owners;
    sim_ns horizon;
    struct recorder *recorder;
    /* Why no supply takes pods of this shape for itself; NULL: no word on it. */
    void *self;
    const char *(*refusal)(void *self, uint32_t shape);
    /* What they wait for at a supply of their own, which has told it; NULL: nothing. */
    const char *(*waits)(void *self, uint32_t shape);
};

/* A log line for each such pod with the scheduler's words; figures pods.unplaced and
 * pods.unplaced.<reason> (pods that at least one node refused for it, or one machine for sale where
 * none would do; noMachine: neither a node that is there nor a machine that a pool could buy would
 * take it, empty as it may be; noStock, noQuota: one would, and none can be had); a finding for
 * each refusal. Placeholders are left out. */
void unplaced_write(const struct unplaced *u);

#endif
