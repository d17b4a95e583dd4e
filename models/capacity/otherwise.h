/* otherwise: what the same demand would have cost with other ways to get GPUs.
 *
 * Demand is what was asked for, whether it could be had or not: the replicas that a service's
 * autoscaler wanted, moment by moment, and each job from its arrival through its start and its run.
 * A pod counts on the kind of GPU that its owner's pods held for the most time (if none held any,
 * the first that it could have got); what was held on other kinds is worth as much more or less as
 * their service times say.
 * - onDemandPeak, subscriptionPeak: machines for the most GPUs ever wanted at once, paid for over
 *   the whole run; of the cheapest type of that kind that a pool buys, without pools of the size of
 *   the container instances. Kinds of GPU are added up, each with the peak of its own.
 * - eciOnly: every wanted pod the container instance of that kind, as long as it is wanted. Where
 *   ECI has none of the kind, one of a kind whose service time is given, and as many more as it is
 *   slower.
 * - perfectSpot: every wanted pod a part of the pools' machines of that kind at the mean price of
 *   spot, never taken back: no run is repeated, no machine idles.
 * One that cannot be told is left out, and a finding says why. */
#ifndef SLUICE_MODELS_CAPACITY_OTHERWISE_H
#define SLUICE_MODELS_CAPACITY_OTHERWISE_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct cluster_config;
struct eci_offer;
struct pod_shape;
struct recorder;

/* One owner's. Open data. */
struct otherwise_demand {
    int64_t peak;    /* pods wanted at once, of a service; jobs are told as intervals */
    sim_ns pod_ns;   /* pods wanted x time */
    const char *gpu; /* kind it held for the most time; NULL: it held none, or, once resolved, its
                        pods are without */
    bool resolved;
    double worth; /* pods of this kind that do what one wanted pod did, on the mean; 1: as held */
};

/* A job's pod from its arrival to the end of its run. */
struct otherwise_interval {
    sim_ns from, to;
    uint32_t owner;
};

/* Open data, borrowed. */
struct otherwise {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const char *currency;
    const struct pod_shape *shapes;        /* [owner] */
    const struct otherwise_demand *demand; /* [owner] */
    size_t n_owners;
    const struct otherwise_interval *jobs;
    size_t n_jobs;
    int64_t peak_gpus;  /* most GPUs that all services wanted at once */
    int64_t peak_nodes; /* for pods without GPUs */
    sim_ns horizon;
    /* Time of a request alone on this kind of GPU, ns; 0: not given. NULL: never. */
    double (*alone_ns)(const void *self, uint32_t owner, const char *gpu);
    const void *self;
};

/* Each in micro-units; -1: it cannot be told, and *why says so (never NULL then). */
int64_t otherwise_on_demand_peak(const struct otherwise *o, const char **why);
int64_t otherwise_subscription_peak(const struct otherwise *o, const char **why);
int64_t otherwise_eci_only(const struct otherwise *o, const char **why);
int64_t otherwise_perfect_spot(const struct otherwise *o, const char **why);

/* The kind of GPU that an owner's pods count on; NULL: any. */
const char *otherwise_gpu(const struct otherwise *o, size_t owner);

/* Where container instances for a pod come from. */
struct otherwise_market {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const char *currency;
};
/* The instance of this kind of GPU (NULL: any) that such a pod would get. */
bool otherwise_offer(const struct otherwise_market *m, const struct pod_shape *pod, const char *gpu,
                     struct eci_offer *out);

/* Figures cost.baselines.* and the findings. */
void otherwise_write(const struct otherwise *o, struct recorder *r);

#endif
