/* jobs: pods that run to completion. */
#include "models/capacity/jobs.h"

#include "sim/chance.h"
#include "sim/digest.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- settings ---- */

static const struct knob_name restarts[] = {
    {"OnFailure", JOB_ON_FAILURE, "the container is made again in its pod"},
    {"Never", JOB_NEVER, "the pod fails and another one is asked for"},
    {0},
};

#define AT(field) .offset = offsetof(struct job_config, field)
#define K8S_JOBS "Kubernetes documentation, Jobs (2024)"

static const struct knob rows[] = {
    {.key = "name", .kind = KNOB_TEXT, AT(name), .doc = "Name of the job in results."},
    {.key = "manifest",
     .kind = KNOB_TEXT,
     AT(manifest),
     .doc = "Pod or Job in the manifests that describes it, as namespace/name.",
     .preset = ""},
    {.key = "count",
     .kind = KNOB_INT,
     AT(count),
     .unit = "jobs",
     .doc = "How many jobs like this there are.",
     .preset = "1",
     .min = 1,
     .max = 1e7},
    {.key = "at",
     .kind = KNOB_DURATION,
     AT(at),
     .doc = "When the first one is submitted.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "every",
     .kind = KNOB_DURATION,
     AT(every),
     .doc = "Distance of two submissions; 0: all at once.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "runTime",
     .kind = KNOB_DIST,
     AT(run_time),
     .doc = "Time that the process runs once its framework is there."},
    {.key = "failureShare",
     .kind = KNOB_SHARE,
     AT(failure_share),
     .doc = "Share of runs that end in a failure.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "restartPolicy",
     .kind = KNOB_NAME,
     AT(restart),
     .doc = "What follows a failure.",
     .preset = "OnFailure",
     .names = restarts},
    {.key = "backoffLimit",
     .kind = KNOB_INT32,
     AT(back_off_limit),
     .unit = "failures",
     .doc = "Failures after which the job has failed for good.",
     .preset = "6",
     .min = 0,
     .max = 1e6,
     .quality = QUALITY_OFFICIAL,
     .source = K8S_JOBS},
    {.key = "startup",
     .kind = KNOB_OBJECT,
     AT(startup),
     .doc = "What its pod goes through before it runs; model: an archive that is downloaded.",
     .preset = "{}",
     .table = &startup_knobs},
    {.key = "pod",
     .kind = KNOB_OBJECT,
     AT(pod),
     .doc = "What its pod asks of a node.",
     .preset = "{}",
     .table = &pod_shape_knobs},
    {0},
};

const struct knob_table jobs_knobs = {
    .name = "job",
    .doc = "Pods that run to completion.",
    .rows = rows,
    .size = sizeof(struct job_config),
};

sim_ns jobs_back_off(uint32_t n)
{
    sim_ns wait = 10 * SIM_SECOND, longest = 300 * SIM_SECOND;
    while (n-- > 0 && wait < longest)
        wait *= 2;
    return wait < longest ? wait : longest;
}

/* ---- one item's jobs ---- */

struct job {
    sim_ns asked;
    uint32_t failures, runs;
    bool ended;
};

/* The pod in this slot; generation 0: none of ours. */
struct seat {
    uint32_t generation;
    int64_t job;
    bool running;
    sim_ns since; /* of the run */
    struct sim_handle end;
};

struct jobs {
    struct jobs_setup set;
    struct job *jobs;
    struct seat *seats;
    struct jobs_count n;
    int64_t running;
    int64_t busy_ns;
    uint64_t entity;
};

static struct seat *seat_of(struct jobs *j, struct pod_ref pod)
{
    struct seat *s = &j->seats[pod.slot];
    assert(pod.slot < j->set.max_pods && s->generation == pod.generation);
    return s;
}

static void ask(struct jobs *j, int64_t job)
{
    struct pod_ref pod = cluster_ask(j->set.cluster, j->set.owner);
    if (pod.generation == 0)
        return; /* limits.pods: the run ends */
    assert(pod.slot < j->set.max_pods);
    j->seats[pod.slot] = (struct seat){.generation = pod.generation, .job = job};
}

static void on_arrival(void *self, sim_ns now, uint64_t number)
{
    struct jobs *j = self;
    const struct job_config *c = j->set.config;
    j->jobs[number].asked = now;
    j->n.asked++;
    ask(j, (int64_t)number);
    if ((int64_t)number + 1 < c->count && now + c->every < j->set.horizon)
        sim_at(j->set.sim, now + c->every, SIM_ARRIVAL, on_arrival, j, number + 1);
}

static struct chance stream(const struct jobs *j, int64_t job)
{
    struct chance c = chance_stream(j->set.seed, j->set.replication, CHANCE_JOB, j->entity);
    return chance_sub(chance_sub(c, (uint64_t)job), j->jobs[job].runs);
}

/* A span of the run, and its time on the GPU. */
static void stop_running(struct jobs *j, struct seat *s, sim_ns now, struct pod_ref pod)
{
    struct pod_view v;
    if (!s->running)
        return;
    sim_cancel(j->set.sim, s->end);
    s->running = false;
    j->running--;
    j->busy_ns += now - s->since;
    j->jobs[s->job].runs++;
    if (cluster_pod(j->set.cluster, pod, &v))
        recorder_span(j->set.recorder, v.name, "run", s->since, now);
}

static void end_job(struct jobs *j, sim_ns now, struct pod_ref pod, bool good)
{
    struct seat *s = seat_of(j, pod);
    struct job *job = &j->jobs[s->job];
    double life = (double)(now - job->asked) / (double)SIM_SECOND;
    job->ended = true;
    s->generation = 0;
    cluster_complete(j->set.cluster, pod, good ? "succeeded" : "failed");
    if (!good) {
        j->n.failed++;
        return;
    }
    j->n.completed++;
    j->n.life_s += life;
    j->n.life_max_s = life > j->n.life_max_s ? life : j->n.life_max_s;
}

static void run_failed(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct seat *s = seat_of(j, pod);
    struct job *job = &j->jobs[s->job];
    int64_t number = s->job;
    if (job->failures++ >= (uint32_t)j->set.config->back_off_limit) {
        end_job(j, now, pod, false);
        return;
    }
    j->n.restarts++;
    if (j->set.config->restart == JOB_ON_FAILURE) {
        cluster_restart(j->set.cluster, pod, jobs_back_off(job->failures - 1));
        return;
    }
    s->generation = 0;
    cluster_complete(j->set.cluster, pod, "failed");
    ask(j, number);
}

static void on_run_end(void *self, sim_ns now, uint64_t key)
{
    struct jobs *j = self;
    struct pod_ref pod = {(uint32_t)key, (uint32_t)(key >> 32)};
    struct seat *s = seat_of(j, pod);
    bool fails = chance_uniform(stream(j, s->job), 1) < j->set.config->failure_share;
    s->end = (struct sim_handle){0};
    stop_running(j, s, now, pod);
    if (fails)
        run_failed(j, now, pod);
    else
        end_job(j, now, pod, true);
}

/* ---- calls ---- */

void jobs_pod_ready(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct seat *s = seat_of(j, pod);
    sim_ns lasts = dist_draw_ns(&j->set.config->run_time, stream(j, s->job), 0);
    s->running = true;
    s->since = now;
    j->running++;
    s->end = sim_at(j->set.sim, now + lasts, SIM_PHASE, on_run_end, j,
                    (uint64_t)pod.generation << 32 | pod.slot);
}

/* The pod is on its way out: the job begins anew in another one. */
static void begin_anew(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct seat *s = seat_of(j, pod);
    int64_t job = s->job;
    stop_running(j, s, now, pod);
    s->generation = 0;
    j->n.lost_pods++;
    ask(j, job);
}

void jobs_pod_evicted(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct seat *s = seat_of(j, pod);
    int64_t job = s->job;
    stop_running(j, s, now, pod);
    s->generation = 0;
    j->n.lost_pods++;
    cluster_release(j->set.cluster, pod);
    ask(j, job);
}

void jobs_pod_dead(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    stop_running(j, seat_of(j, pod), now, pod);
}

void jobs_pod_gone(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    begin_anew(j, now, pod);
}

/* ---- life ---- */

struct jobs *jobs_create(const struct jobs_setup *s, struct err *e)
{
    assert(s->config && s->cluster && s->sim && s->recorder && s->config->count > 0);
    struct jobs *j = calloc(1, sizeof *j);
    struct digest d = {0};
    if (j) {
        j->set = *s;
        j->jobs = calloc((size_t)s->config->count, sizeof *j->jobs);
        j->seats = calloc(s->max_pods + 1, sizeof *j->seats);
    }
    if (!j || !j->jobs || !j->seats) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %lld jobs", (long long)s->config->count);
        jobs_destroy(j);
        return NULL;
    }
    digest_text(&d, s->config->name);
    j->entity = digest_value(&d);
    return j;
}

void jobs_destroy(struct jobs *j)
{
    if (!j)
        return;
    free(j->jobs);
    free(j->seats);
    free(j);
}

void jobs_start(struct jobs *j)
{
    if (j->set.config->at < j->set.horizon)
        sim_at(j->set.sim, j->set.config->at, SIM_ARRIVAL, on_arrival, j, 0);
}

void jobs_count(const struct jobs *j, struct jobs_count *out)
{
    *out = j->n;
    out->running = j->running;
    out->waiting = j->n.asked - j->n.completed - j->n.failed - j->running;
}

int64_t jobs_busy_ns(const struct jobs *j)
{
    int64_t sum = j->busy_ns;
    for (size_t i = 0; i < j->set.max_pods; i++)
        if (j->seats[i].generation && j->seats[i].running)
            sum += j->set.horizon - j->seats[i].since;
    return sum;
}

static void figure(struct recorder *r, const char *prefix, const char *name, double value)
{
    char path[128];
    snprintf(path, sizeof path, "%.80s%s", prefix, name);
    recorder_figure(r, path, "jobs", FIGURE_SUM, value);
}

void jobs_figures(struct recorder *r, const char *prefix, const struct jobs_count *n, int64_t micro,
                  const char *currency)
{
    char path[128];
    assert(n->waiting >= 0 && n->running >= 0);
    assert(n->asked == n->completed + n->failed + n->running + n->waiting);
    figure(r, prefix, "asked", (double)n->asked);
    figure(r, prefix, "completed", (double)n->completed);
    figure(r, prefix, "failed", (double)n->failed);
    figure(r, prefix, "running", (double)n->running);
    figure(r, prefix, "waiting", (double)n->waiting);
    figure(r, prefix, "restarts", (double)n->restarts);
    figure(r, prefix, "lostPods", (double)n->lost_pods);
    double done = (double)n->completed;
    snprintf(path, sizeof path, "%.80slife.mean", prefix);
    recorder_figure(r, path, "s", FIGURE_MEAN, n->completed ? n->life_s / done : (double)NAN);
    snprintf(path, sizeof path, "%.80slife.max", prefix);
    recorder_figure(r, path, "s", FIGURE_MAX, n->completed ? n->life_max_s : (double)NAN);
    snprintf(path, sizeof path, "%.80scost", prefix);
    recorder_figure(r, path, currency, FIGURE_MEAN, (double)micro / 1e6);
    snprintf(path, sizeof path, "%.80scostEach", prefix);
    recorder_figure(r, path, currency, FIGURE_MEAN,
                    n->completed ? (double)micro / 1e6 / done : (double)NAN);
}
