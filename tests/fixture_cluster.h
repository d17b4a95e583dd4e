/* fixture_cluster: a cluster, its clock and owners that keep a number of replicas, for tests. */
#ifndef SLUICE_TESTS_FIXTURE_CLUSTER_H
#define SLUICE_TESTS_FIXTURE_CLUSTER_H

#include "models/capacity/cluster.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/startup.h"
#include "sim/recorder.h"
#include "sim/result.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIXTURE_OWNERS 4
#define FIXTURE_CALLS 4096

enum fixture_call {
    CALL_LISTED,
    CALL_READY,
    CALL_EVICTED,
    CALL_DEAD,
    CALL_GONE,
    CALL_UNLISTED,
    CALL_KINDS
};

struct fixture_seen {
    enum fixture_call call;
    sim_ns at;
    struct pod_ref pod;
    uint32_t owner, gpu;
    enum pod_end why;
};

/* Open data. */
struct fixture_cluster {
    struct arena *arena;
    struct cluster_config config;
    struct pod_shape shapes[FIXTURE_OWNERS];
    struct startup_config startups[FIXTURE_OWNERS];
    size_t n_owners;
    const struct catalog *catalog;
    struct sim *sim;
    struct recorder *recorder;
    struct cluster *cluster;
    sim_ns horizon;
    uint64_t seed;
    int32_t want[FIXTURE_OWNERS]; /* replicas that an owner keeps, replacing what goes */
    sim_ns drain_ns;              /* eviction or deletion until the process has ended */
    struct fixture_seen seen[FIXTURE_CALLS];
    size_t n_seen;
    size_t counts[CALL_KINDS];
    struct result result; /* after fixture_close */
};

/* text: {"nodePools": [...], "clusterAutoscaler": {...}, "services": [{"name": "bert", "pod":
 * {...}, "startup": {...}}]}, with the shipped catalogue. Fails the test on an error. */
void fixture_open(struct fixture_cluster *f, const char *text, sim_ns horizon, uint64_t seed);
/* The same, but gives the error of cluster_create back: true when it could be made. */
bool fixture_try(struct fixture_cluster *f, const char *text, sim_ns horizon, struct err *e);
/* From now on (before the first event: at the start) the owner keeps so many. */
void fixture_want(struct fixture_cluster *f, uint32_t owner, int32_t replicas);
void fixture_want_at(struct fixture_cluster *f, sim_ns at, uint32_t owner, int32_t replicas);
void fixture_start(struct fixture_cluster *f);
void fixture_run(struct fixture_cluster *f, sim_ns until);
/* Plays to the horizon, closes the cluster and shows the result. */
void fixture_close(struct fixture_cluster *f);
void fixture_fini(struct fixture_cluster *f);
/* The n-th call of this kind; fails the test when there were fewer. */
const struct fixture_seen *fixture_call(const struct fixture_cluster *f, enum fixture_call call,
                                        size_t n);
double fixture_figure(const struct fixture_cluster *f, const char *path);
/* The finding of this code, or NULL. */
const char *fixture_told(const struct fixture_cluster *f, const char *code);
/* How many kept log lines have these texts in subject and what; NULL: any. */
size_t fixture_logged(const struct fixture_cluster *f, const char *subject, const char *what);

#endif
