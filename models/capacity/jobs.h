/* jobs: pods that run to completion: a Job, a bare pod with restartPolicy OnFailure, or the pods of
 * a trace.
 *
 * A job asks for one pod, goes through its startup phases (image, archive, framework), runs, and
 * ends. A container that fails is made again in its pod after 10 s, doubling to 5 minutes
 * (OnFailure), until backoffLimit is passed; a run of 10 minutes sets the wait back to 10 s. With
 * restartPolicy Never the pod fails and a new one is asked for after 10 s, doubling to 6 minutes,
 * within the same limit. A pod whose machine is lost, or which is preempted, is asked for again,
 * uncounted; one that is Failed because its container instance could not be created is counted, as
 * with restartPolicy Never. A Job of several completions has as many pods at once as its
 * parallelism, asks for the next one when one has ended well, and fails as a whole: by its failures
 * together, or at its activeDeadline, with what is not done by then. Each completion counts as a
 * job in the figures. A job of a trace that failed there fails here at its end, for good.
 * Sources: Kubernetes documentation, Pod lifecycle and Jobs (2024). */
#ifndef SLUICE_MODELS_CAPACITY_JOBS_H
#define SLUICE_MODELS_CAPACITY_JOBS_H

#include "models/capacity/cluster.h"
#include "models/capacity/gpu_time.h"
#include "models/capacity/job_list.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/startup.h"
#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

struct otherwise_interval; /* models/capacity/otherwise.h */
struct recorder;
struct sim;

enum job_restart { JOB_ON_FAILURE, JOB_NEVER };

/* Open data, one item of the scenario's `jobs`. */
struct job_config {
    const char *name;
    const char *manifest; /* Pod or Job of the manifests, namespace/name; NULL: none */
    int64_t count;        /* Jobs like this */
    int64_t completions;  /* of each; 0: as many as parallelism */
    int32_t parallelism;  /* its pods at once */
    sim_ns deadline;      /* from its submission until it has failed; 0: none */
    sim_ns at, every;     /* the first, and the distance of two; 0: all at once */
    struct dist run_time; /* from the framework's start to the end of the process */
    double failure_share; /* of runs that fail */
    int restart;          /* enum job_restart */
    int32_t back_off_limit;
    const char *pod_list;          /* file; NULL: none */
    sim_ns pod_list_from;          /* of the list's time */
    int shares;                    /* enum job_list_shares */
    struct knob_map kinds;         /* of GPUs: the list's -> what is asked for */
    const struct job_list *list;   /* not in the table: what the file holds */
    struct startup_config startup; /* model: the archive that each container downloads */
    struct pod_shape pod;
};

extern const struct knob_table jobs_knobs; /* "job" */

/* The kubelet's wait before the n-th restart, from 0: 10 s doubling to 5 minutes. */
sim_ns jobs_back_off(uint32_t restarts);
/* The Job controller's wait before the n-th new pod, from 0: 10 s doubling to 6 minutes. */
sim_ns jobs_pod_back_off(uint32_t pods);

struct jobs;      /* opaque: all jobs of one item */
struct jobs_seat; /* opaque: what a job's pod does */

/* One table for all jobs of a world, by pod slot. NULL: out of memory. */
struct jobs_seat *jobs_seats_create(size_t max_pods, struct err *e);
void jobs_seats_destroy(struct jobs_seat *seats);

struct jobs_setup {
    const struct job_config *config;
    struct cluster *cluster;
    struct sim *sim;
    struct recorder *recorder;
    struct jobs_seat *seats;        /* shared */
    const struct pod_shape *shapes; /* [owner] */
    uint32_t owner; /* in the cluster; of a list the first of one for each of its shapes */
    sim_ns horizon;
    size_t max_pods;
    uint64_t seed, replication;
};

/* Completions of one Job of this item. */
int64_t jobs_completions(const struct job_config *c);
/* Owners in the cluster that an item takes. */
size_t jobs_owners(const struct job_config *c);

struct jobs *jobs_create(const struct jobs_setup *s, struct err *e);
void jobs_destroy(struct jobs *j);
/* Schedules the arrivals. */
void jobs_start(struct jobs *j);

/* The cluster's calls for this owner. */
void jobs_pod_placed(struct jobs *j, sim_ns now, struct pod_ref pod);
void jobs_pod_ready(struct jobs *j, sim_ns now, struct pod_ref pod);
void jobs_pod_evicted(struct jobs *j, sim_ns now, struct pod_ref pod, enum pod_end why);
void jobs_pod_dead(struct jobs *j, sim_ns now, struct pod_ref pod);
void jobs_pod_gone(struct jobs *j, sim_ns now, struct pod_ref pod, enum pod_end why);

/* GPU time that pods of jobs held, from their place to their end. in = out + lost (starting,
 * failed, cut, dead) + running, exactly. */
struct jobs_gpus {
    struct gpu_time in;
    struct gpu_time out;      /* of runs that ended well */
    struct gpu_time starting; /* before runs and between them: image, load, back-off */
    struct gpu_time failed;   /* of runs that failed */
    struct gpu_time cut;      /* of runs that ended with their machine, or for another pod */
    struct gpu_time dead;     /* of pods whose machine was gone already */
    struct gpu_time running;  /* of runs at the horizon */
};

/* Open data; sums over items add up field by field (jobs_add). Every job that was due is in one of
 * the last four of the first line. */
struct jobs_count {
    int64_t asked, completed, failed, running, waiting;
    int64_t restarts, lost_pods, preempted_pods;
    int64_t shared;            /* asked for a share of a GPU */
    int64_t failed_as_traced;  /* of failed: as they did in the trace */
    int64_t deadline_exceeded; /* of failed: not done when their time was over */
    double life_s, life_max_s; /* of completed jobs, from their arrival */
    double queue_s;            /* of all, until their first place */
    double run_s, run_max_s;   /* of runs, which ended or were cut */
    int64_t runs;
    struct jobs_gpus gpus;
};
/* At the horizon, after cluster_close. Asserts that no job and no GPU time is lost: the cluster's
 * books and the jobs' own agree to the nanosecond. */
void jobs_count(const struct jobs *j, struct jobs_count *out);
void jobs_add(struct jobs_count *sum, const struct jobs_count *n);
/* What the jobs that have come wanted, each from its arrival through a start of start_ns, its runs
 * and the waits between those that fail, to the horizon at most: with GPUs for all of them at once
 * and no machine ever lost. out[0..jobs_most-1]; returns how many. */
size_t jobs_most(const struct jobs *j);
size_t jobs_demand(const struct jobs *j, sim_ns start_ns, struct otherwise_interval *out);
/* GPU-holding time in which a process of this owner ran, ns: what cluster_busy wants. Of it, the
 * time of runs that ended well. */
int64_t jobs_busy_ns(const struct jobs *j, uint32_t owner);
int64_t jobs_needed_ns(const struct jobs *j, uint32_t owner);
/* Figures <prefix>completed, failed, ...; prefix "jobs." or "jobs.panda.". micro: what they
 * cost. */
void jobs_figures(struct recorder *r, const char *prefix, const struct jobs_count *n, int64_t micro,
                  const char *currency);

#endif
