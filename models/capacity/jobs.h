/* jobs: pods that run to completion: a Job, or a bare pod with restartPolicy OnFailure.
 *
 * A job asks for one pod, goes through its startup phases (image, archive, framework), runs, and
 * ends. A container that fails is made again in its pod after 10 s, doubling to 5 minutes
 * (OnFailure), until backoffLimit is passed; with restartPolicy Never the pod fails and a new one
 * is asked for, within the same limit. A pod whose machine is lost is asked for again, uncounted.
 * Sources: Kubernetes documentation, Pod lifecycle and Jobs (2024). */
#ifndef SLUICE_MODELS_CAPACITY_JOBS_H
#define SLUICE_MODELS_CAPACITY_JOBS_H

#include "models/capacity/cluster.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/startup.h"
#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

struct recorder;
struct sim;

enum job_restart { JOB_ON_FAILURE, JOB_NEVER };

/* Open data, one item of the scenario's `jobs`. */
struct job_config {
    const char *name;
    const char *manifest; /* Pod or Job of the manifests, namespace/name; NULL: none */
    int64_t count;        /* jobs like this */
    sim_ns at, every;     /* the first, and the distance of two; 0: all at once */
    struct dist run_time; /* from the framework's start to the end of the process */
    double failure_share; /* of runs that fail */
    int restart;          /* enum job_restart */
    int32_t back_off_limit;
    struct startup_config startup; /* model: the archive that each container downloads */
    struct pod_shape pod;
};

extern const struct knob_table jobs_knobs; /* "job" */

/* The kubelet's wait before the n-th restart, from 0: 10 s doubling to 5 minutes. */
sim_ns jobs_back_off(uint32_t restarts);

struct jobs; /* opaque: all jobs of one item */

struct jobs_setup {
    const struct job_config *config;
    struct cluster *cluster;
    struct sim *sim;
    struct recorder *recorder;
    uint32_t owner; /* in the cluster */
    sim_ns horizon;
    size_t max_pods;
    uint64_t seed, replication;
};

struct jobs *jobs_create(const struct jobs_setup *s, struct err *e);
void jobs_destroy(struct jobs *j);
/* Schedules the arrivals. */
void jobs_start(struct jobs *j);

/* The cluster's calls for this owner. */
void jobs_pod_ready(struct jobs *j, sim_ns now, struct pod_ref pod);
void jobs_pod_evicted(struct jobs *j, sim_ns now, struct pod_ref pod);
void jobs_pod_dead(struct jobs *j, sim_ns now, struct pod_ref pod);
void jobs_pod_gone(struct jobs *j, sim_ns now, struct pod_ref pod);

/* Open data; sums over items add up field by field. Every job that was due is in one of the last
 * four. */
struct jobs_count {
    int64_t asked, completed, failed, running, waiting;
    int64_t restarts, lost_pods;
    double life_s, life_max_s; /* of completed jobs, from their arrival */
};
/* At the horizon. */
void jobs_count(const struct jobs *j, struct jobs_count *out);
/* GPU-holding time in which a process ran, ns: what cluster_busy wants. */
int64_t jobs_busy_ns(const struct jobs *j);
/* Figures <prefix>completed, failed, ...; prefix "jobs." or "jobs.panda.". micro: what they
 * cost. Asserts that no job was lost. */
void jobs_figures(struct recorder *r, const char *prefix, const struct jobs_count *n, int64_t micro,
                  const char *currency);

#endif
