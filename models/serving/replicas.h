/* replicas: the pods of one service: how many, which one goes, and what the balancer sees of each.
 *
 * The ReplicaSet controller and the endpoint controller in one: a pod is asked for, listed, serves,
 * refuses, is drained and ends, and each step is a change of the dispatcher's topology. Where pods
 * run and when they start is the cluster's business. */
#ifndef SLUICE_MODELS_SERVING_REPLICAS_H
#define SLUICE_MODELS_SERVING_REPLICAS_H

#include "models/capacity/cluster.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dispatch;
struct recorder;
struct scaler_pod;
struct service_config; /* models/serving/service.h */
struct service_frame;

struct replicas; /* opaque: counts, table and dispatcher must agree */

/* Borrowed for the life of the replicas. */
struct replicas_setup {
    const struct service_config *config;
    const struct service_frame *frame;
    struct dispatch *dispatch;
    uint32_t number; /* the service's */
    bool ready_only; /* an activator in front: it knows at once who is ready, and sends nowhere
                        else */
};

struct replicas *replicas_create(const struct replicas_setup *s, struct err *e);
void replicas_destroy(struct replicas *r);

/* Asks for the initial pods and schedules the rollouts. */
void replicas_start(struct replicas *r);
/* From now on so many are wanted: asks for pods, or has the ReplicaSet's victims leave. */
void replicas_scale(struct replicas *r, sim_ns now, int32_t want);

/* The cluster's upward calls, see models/capacity/cluster.h. */
void replicas_pod_listed(struct replicas *r, sim_ns now, struct pod_ref pod);
void replicas_pod_ready(struct replicas *r, sim_ns now, struct pod_ref pod, uint32_t gpu);
void replicas_pod_evicted(struct replicas *r, sim_ns now, struct pod_ref pod, enum pod_end why);
void replicas_pod_dead(struct replicas *r, sim_ns now, struct pod_ref pod);
void replicas_pod_unlisted(struct replicas *r, sim_ns now, struct pod_ref pod, enum pod_end why);
void replicas_pod_gone(struct replicas *r, sim_ns now, struct pod_ref pod);

struct replicas_sizes {
    int32_t want;
    int32_t have;  /* pods that are not leaving */
    int32_t ready; /* that serve */
};
struct replicas_sizes replicas_sizes(const struct replicas *r);
/* Time up to `now` of replicas that serve, summed. */
int64_t replicas_ready_ns(const struct replicas *r, sim_ns now);

/* One that is in the dispatcher's table, for measuring it alone. */
struct replicas_busy {
    uint64_t serial; /* 0: nobody; else the pod, never used twice */
    int64_t busy_ns; /* with work on its GPU since it began to serve */
};
/* By slot. Returns how many slots were ever in use, at most `cap`. */
size_t replicas_busy(struct replicas *r, sim_ns now, struct replicas_busy *out, size_t cap);

/* The pods as the API shows them, in order of creation. slots[i]: the slot of pod i, UINT32_MAX
 * without one; serials[i]: as in replicas_busy. Returns how many there are. */
struct replicas_pods {
    struct scaler_pod *pods;
    uint32_t *slots;
    uint64_t *serials;
    bool *serving;
    size_t cap;
};
size_t replicas_show(struct replicas *r, const struct replicas_pods *out);

/* Figures behind `prefix`; after everything was played to the horizon. */
void replicas_figures(struct replicas *r, const char *prefix);
/* 0, or -1 with ERR_INPUT: limits.replicas was met. */
int replicas_failed(const struct replicas *r, struct err *e);

#endif
