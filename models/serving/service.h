/* service: one deployment in a run: its traffic, its dispatcher, its autoscaler and its pods.
 *
 * Puts together what each has a file of its own: the pods and their endpoints (replicas), the
 * autoscaler at work, what it is shown (meter), the SLO's windows. Where pods run and when they
 * start is the cluster's business. */
#ifndef SLUICE_MODELS_SERVING_SERVICE_H
#define SLUICE_MODELS_SERVING_SERVICE_H

#include "models/capacity/cluster.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/startup.h"
#include "models/control/metric_sls.h"
#include "models/serving/dispatch.h"
#include "models/serving/profile.h"
#include "models/serving/slo.h"
#include "sim/knob.h"
#include "workloads/traffic_config.h"

struct recorder;
struct scaler_policy;
struct sim;
struct traffic;
struct zone;

/* Time of one request on one kind of GPU, and where the figure is from. */
struct service_time {
    const char *gpu; /* "V100"; "" = any */
    struct dist time;
    const char *calibration;       /* name of a profile, or NULL */
    struct profile_key key;        /* what else is said of it, where two have the name */
    const char *file;              /* that it stands in; NULL: one of the shipped files */
    int64_t batch;                 /* items of one request */
    const struct profile *profile; /* once it is found */
    const char *origin;            /* place of the figure in the user's file */
};

struct serving_config {
    int balance;            /* enum balance */
    int discipline;         /* enum discipline */
    struct knob_list times; /* struct service_time, one a GPU kind */
    int64_t concurrency;    /* at once on one replica; 0: no limit (never from a file) */
    int64_t max_queue;      /* waiting at one replica; 0: no limit */
};

struct ingress_config {
    int64_t workers;
    sim_ns timeout, connect_timeout; /* timeout 0: none */
    sim_ns client_timeout;           /* from arrival until the client gives up; 0: never */
    int64_t tries;
    sim_ns endpoint_lag; /* from a change of the endpoints to the balancer knowing it */
    bool hold;           /* what finds no endpoint waits for one instead of being refused */
};

struct service_config {
    const char *name;
    const char *deployment;
    int64_t initial_replicas;
    sim_ns pre_stop; /* from the deletion of a pod to its SIGTERM */
    struct traffic_config traffic;
    struct serving_config serving;
    struct ingress_config ingress;
    struct startup_config startup;
    struct pod_shape pod;
    struct slo_config slo;
    struct metric_sls_config metric;
    struct knob_choice autoscaler; /* descriptor: struct scaler_policy */
    struct knob_list rollouts;     /* struct rollout_config */
    double pass_phase;             /* 0..1 of the scaler's period; negative: drawn by replication */
};

/* What a run shares with its services; open data, borrowed. */
struct service_frame {
    struct sim *sim;
    struct recorder *recorder;
    struct cluster *cluster;
    sim_ns horizon, warm_up;
    int64_t epoch_s;
    const struct zone *zone; /* of schedules */
    uint64_t seed, replication;
    size_t max_replicas;
    size_t max_in_flight; /* of each service; 0: by its traffic */
    bool use_events;
    bool alone; /* the only service: its series need no name in front */
};

struct service; /* opaque */

/* number: position in the scenario, the service's identity for chance and the cluster's owner. */
struct service *service_create(const struct service_config *c, const struct traffic *traffic,
                               uint32_t number, const struct service_frame *f, struct err *e);
void service_destroy(struct service *s);
/* Asks for the initial pods, schedules the first pass and the window marks. */
void service_start(struct service *s);

/* While true, a request may need a pod before the next event: advance the service to that event
 * before it fires. */
bool service_waits_for_capacity(const struct service *s);
/* Plays requests up to `until`, or to the first one that needs a pod; then a pass of the autoscaler
 * is scheduled for that time. */
void service_advance(struct service *s, sim_ns until);

/* The cluster's upward calls. */
void service_pod_listed(struct service *s, sim_ns now, struct pod_ref pod);
void service_pod_ready(struct service *s, sim_ns now, struct pod_ref pod, uint32_t gpu);
void service_pod_evicted(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why);
void service_pod_dead(struct service *s, sim_ns now, struct pod_ref pod);
void service_pod_unlisted(struct service *s, sim_ns now, struct pod_ref pod, enum pod_end why);
void service_pod_gone(struct service *s, sim_ns now, struct pod_ref pod);

/* Plays to the horizon, judges the last window, writes the service's figures and asserts the laws.
 * `total` gathers the tallies of all services after warm-up. */
void service_close(struct service *s, struct tally *total);
/* The request and latency figures of a tally, each path behind `prefix` ("" or "services.x."). */
void service_figures(struct recorder *r, const char *prefix, const struct tally *t);
const char *service_engine(const struct service *s);
uint64_t service_digest(const struct service *s);
bool service_holds(const struct service *s); /* the SLO's objective was met */
int service_failed(const struct service *s, struct err *e);

#endif
