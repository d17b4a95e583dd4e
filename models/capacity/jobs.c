/* jobs: pods that run to completion. */
#include "models/capacity/jobs.h"

#include "models/capacity/otherwise.h"
#include "sim/chance.h"
#include "sim/digest.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WAIT (10 * SIM_SECOND)
#define LONGEST_RESTART_WAIT (5 * SIM_MINUTE)
#define LONGEST_POD_WAIT (6 * SIM_MINUTE)
/* A container that ran this long has its next wait start over. */
#define RESETTING_RUN (10 * SIM_MINUTE)

static sim_ns doubled(uint32_t times, sim_ns longest)
{
    sim_ns wait = FIRST_WAIT;
    while (times-- > 0 && wait < longest)
        wait *= 2;
    return wait < longest ? wait : longest;
}

sim_ns jobs_back_off(uint32_t restarts)
{
    return doubled(restarts, LONGEST_RESTART_WAIT);
}

sim_ns jobs_pod_back_off(uint32_t pods)
{
    return doubled(pods, LONGEST_POD_WAIT);
}

/* ---- one item's jobs ---- */

/* One completion: a pod, or one after another, until a run ends well. */
struct job {
    sim_ns asked;         /* when its first pod was */
    uint32_t runs, waits; /* waits: since the last long run */
    struct pod_ref pod;   /* generation 0: none */
    bool placed, ended;
};

/* The completions of one Job: they share its failures, its deadline and its end. */
struct bundle {
    uint32_t failures;
    int64_t begun; /* of its completions, in their order */
    bool ended;    /* it has failed */
    struct sim_handle deadline;
};

/* What the pod in this slot does with its GPUs. */
enum seat_state { SEAT_WAITING, SEAT_STARTING, SEAT_RUNNING, SEAT_DEAD };

struct jobs_seat {
    uint32_t generation; /* 0: no pod of a job */
    int64_t job;
    enum seat_state state;
    sim_ns since; /* of the state */
    struct sim_handle end;
};

struct jobs {
    struct jobs_setup set;
    int64_t count, size; /* bundles, and the completions of each */
    struct job *jobs;    /* [bundle * size + completion] */
    struct bundle *bundles;
    struct jobs_count n;
    int64_t *busy_ns, *needed_ns; /* by owner, from the first; needed: of runs that ended well */
    uint64_t entity;
};

struct jobs_seat *jobs_seats_create(size_t max_pods, struct err *e)
{
    struct jobs_seat *seats = calloc(max_pods + 1, sizeof *seats);
    if (!seats)
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", max_pods);
    return seats;
}

void jobs_seats_destroy(struct jobs_seat *seats)
{
    free(seats);
}

int64_t jobs_completions(const struct job_config *c)
{
    if (c->list)
        return 1;
    return c->completions > 0 ? c->completions : c->parallelism > 1 ? c->parallelism : 1;
}

size_t jobs_owners(const struct job_config *c)
{
    return c->list ? c->list->n_shapes : 1;
}

static struct jobs_seat *seat_of(struct jobs *j, struct pod_ref pod)
{
    struct jobs_seat *s = &j->set.seats[pod.slot];
    assert(pod.slot < j->set.max_pods && s->generation == pod.generation);
    return s;
}

static uint32_t shape_of(const struct jobs *j, int64_t job)
{
    return j->set.config->list ? j->set.config->list->items[job].shape : 0;
}

static int64_t milli_of(const struct jobs *j, int64_t job)
{
    return pod_shape_gpu_milli(&j->set.shapes[j->set.owner + shape_of(j, job)]);
}

static void ask(struct jobs *j, int64_t job)
{
    const struct job_list *l = j->set.config->list;
    struct pod_ref pod = cluster_ask_named(j->set.cluster, j->set.owner + shape_of(j, job),
                                           l ? l->items[job].name : NULL);
    if (pod.generation == 0)
        return; /* limits.pods: the run ends */
    assert(pod.slot < j->set.max_pods);
    j->jobs[job].pod = pod;
    j->set.seats[pod.slot] = (struct jobs_seat){.generation = pod.generation, .job = job};
}

static sim_ns arrival(const struct jobs *j, int64_t bundle)
{
    const struct job_config *c = j->set.config;
    return c->list ? c->at + c->list->items[bundle].at : c->at + bundle * c->every;
}

static struct bundle *bundle_of(struct jobs *j, int64_t job)
{
    return &j->bundles[job / j->size];
}

/* The next completion of the bundle, when there is one. */
static void begin_next(struct jobs *j, struct bundle *b, sim_ns now)
{
    int64_t job = (b - j->bundles) * j->size + b->begun;
    if (b->ended || b->begun == j->size)
        return;
    b->begun++;
    j->jobs[job].asked = now;
    ask(j, job);
}

static void on_deadline(void *self, sim_ns now, uint64_t bundle);

static void on_arrival(void *self, sim_ns now, uint64_t number)
{
    struct jobs *j = self;
    int64_t next = (int64_t)number + 1;
    const struct job_config *c = j->set.config;
    struct bundle *b = &j->bundles[number];
    j->n.asked += j->size;
    for (int32_t k = 0; k < c->parallelism || k == 0; k++)
        begin_next(j, b, now);
    if (c->deadline > 0 && now + c->deadline < j->set.horizon)
        b->deadline = sim_at(j->set.sim, now + c->deadline, SIM_ARRIVAL, on_deadline, j, number);
    if (next < j->count && arrival(j, next) < j->set.horizon)
        sim_at(j->set.sim, arrival(j, next), SIM_ARRIVAL, on_arrival, j, (uint64_t)next);
}

static struct chance stream_of(const struct jobs *j, int64_t job, uint32_t run)
{
    struct chance c = chance_stream(j->set.seed, j->set.replication, CHANCE_JOB, j->entity);
    return chance_sub(chance_sub(c, (uint64_t)job), run);
}

static sim_ns run_time(const struct jobs *j, int64_t job, uint32_t run)
{
    const struct job_config *c = j->set.config;
    return c->list ? c->list->items[job].run
                   : dist_draw_ns(&c->run_time, stream_of(j, job, run), 0);
}

static bool run_fails(const struct jobs *j, int64_t job, uint32_t run)
{
    const struct job_config *c = j->set.config;
    if (c->list)
        return c->list->items[job].failed;
    return chance_uniform(stream_of(j, job, run), 1) < c->failure_share;
}

/* ---- what pods do with their GPUs ---- */

/* The stretch in this state ends: its GPU time goes where it belongs. */
static void end_stretch(struct jobs *j, struct jobs_seat *s, sim_ns now, struct gpu_time *to)
{
    if (s->state != SEAT_WAITING)
        gpu_time_add(to, milli_of(j, s->job), now - s->since);
    s->since = now;
}

/* A run ends now, well or not: a span, and its time with a process on the GPU. */
static void stop_running(struct jobs *j, struct jobs_seat *s, sim_ns now, struct pod_ref pod)
{
    struct pod_view v;
    assert(s->state == SEAT_RUNNING);
    sim_cancel(j->set.sim, s->end);
    j->n.running--;
    j->busy_ns[shape_of(j, s->job)] += now - s->since;
    j->jobs[s->job].runs++;
    double ran = (double)(now - s->since) / (double)SIM_SECOND;
    j->n.runs++;
    j->n.run_s += ran;
    j->n.run_max_s = ran > j->n.run_max_s ? ran : j->n.run_max_s;
    if (cluster_pod(j->set.cluster, pod, &v))
        recorder_span(j->set.recorder, v.name, "run", s->since, now);
}

/* The pod loses its place in whatever state it is. */
static void cut(struct jobs *j, struct jobs_seat *s, sim_ns now, struct pod_ref pod)
{
    struct jobs_gpus *g = &j->n.gpus;
    if (s->state == SEAT_RUNNING)
        stop_running(j, s, now, pod);
    end_stretch(j, s, now,
                s->state == SEAT_RUNNING ? &g->cut
                : s->state == SEAT_DEAD  ? &g->dead
                                         : &g->starting);
    s->state = SEAT_WAITING;
}

/* ---- the end of a whole Job ---- */

static bool bundle_is_done(const struct jobs *j, const struct bundle *b)
{
    int64_t first = (b - j->bundles) * j->size;
    for (int64_t i = 0; i < j->size; i++)
        if (!j->jobs[first + i].ended)
            return false;
    return true;
}

/* A pod on a machine that is gone has its end before it: jobs_pod_gone. */
static void stop_pod(struct jobs *j, struct job *job, sim_ns now, const char *why)
{
    struct pod_view v;
    struct jobs_seat *s = job->pod.generation ? seat_of(j, job->pod) : NULL;
    if (!s || s->state == SEAT_DEAD)
        return;
    if (cluster_pod(j->set.cluster, job->pod, &v))
        recorder_log(j->set.recorder, now, true, v.name, "failed", "%s", why);
    cut(j, s, now, job->pod);
    s->generation = 0;
    cluster_release(j->set.cluster, job->pod);
    job->pod = (struct pod_ref){0};
}

/* What is not done by now has failed. */
static int64_t close_bundle(struct jobs *j, struct bundle *b, sim_ns now, const char *why)
{
    int64_t first = (b - j->bundles) * j->size, n = 0;
    for (int64_t i = first; i < first + j->size; i++) {
        if (j->jobs[i].ended)
            continue;
        j->jobs[i].ended = true;
        n++;
        stop_pod(j, &j->jobs[i], now, why);
    }
    b->ended = true;
    j->n.failed += n;
    return n;
}

static void on_bundle_failed(void *self, sim_ns now, uint64_t bundle)
{
    struct jobs *j = self;
    close_bundle(j, &j->bundles[bundle], now, "BackoffLimitExceeded: the other pods of its job");
}

/* Its other pods go in an event of their own: the cluster may be in the midst of a list of pods. */
static void fail_bundle(struct jobs *j, struct bundle *b, sim_ns now)
{
    b->ended = true;
    sim_cancel(j->set.sim, b->deadline);
    if (!bundle_is_done(j, b))
        sim_at(j->set.sim, now, SIM_ARRIVAL, on_bundle_failed, j, (uint64_t)(b - j->bundles));
}

static void on_deadline(void *self, sim_ns now, uint64_t bundle)
{
    struct jobs *j = self;
    const struct job_config *c = j->set.config;
    char length[40];
    j->bundles[bundle].deadline = (struct sim_handle){0};
    int64_t n = close_bundle(j, &j->bundles[bundle], now, "DeadlineExceeded");
    j->n.deadline_exceeded += n;
    if (n > 0)
        recorder_finding(j->set.recorder, "warning", "deadline-exceeded",
                         "%s: jobs were not done after their activeDeadline of %s; their pods were "
                         "ended, and they have failed (DeadlineExceeded).",
                         c->name, text_duration(length, sizeof length, c->deadline));
}

static void end_job(struct jobs *j, sim_ns now, struct pod_ref pod, bool good)
{
    struct jobs_seat *s = seat_of(j, pod);
    struct job *job = &j->jobs[s->job];
    double life = (double)(now - job->asked) / (double)SIM_SECOND;
    int64_t number = s->job;
    job->ended = true;
    job->pod = (struct pod_ref){0};
    s->generation = 0;
    cluster_complete(j->set.cluster, pod, good ? "succeeded" : "failed");
    if (!good) {
        j->n.failed++;
        fail_bundle(j, bundle_of(j, number), now);
        return;
    }
    j->n.completed++;
    j->n.life_s += life;
    j->n.life_max_s = life > j->n.life_max_s ? life : j->n.life_max_s;
    if (bundle_is_done(j, bundle_of(j, number)))
        sim_cancel(j->set.sim, bundle_of(j, number)->deadline);
    else
        begin_next(j, bundle_of(j, number), now);
}

static void on_new_pod(void *self, sim_ns now, uint64_t job)
{
    struct jobs *j = self;
    (void)now;
    if (!j->jobs[job].ended)
        ask(j, (int64_t)job);
}

static void run_failed(struct jobs *j, sim_ns now, struct pod_ref pod, sim_ns ran)
{
    struct jobs_seat *s = seat_of(j, pod);
    struct job *job = &j->jobs[s->job];
    const struct job_config *c = j->set.config;
    int64_t number = s->job;
    j->n.failed_as_traced += c->list != NULL;
    struct bundle *b = bundle_of(j, number);
    if (c->list || b->failures++ >= (uint32_t)c->back_off_limit) {
        end_job(j, now, pod, false);
        return;
    }
    j->n.restarts++;
    job->waits = ran >= RESETTING_RUN ? 0 : job->waits;
    if (c->restart == JOB_ON_FAILURE) {
        cluster_restart(j->set.cluster, pod, jobs_back_off(job->waits++));
        return;
    }
    s->generation = 0;
    job->pod = (struct pod_ref){0};
    cluster_complete(j->set.cluster, pod, "failed");
    sim_at(j->set.sim, now + jobs_pod_back_off(b->failures - 1), SIM_ARRIVAL, on_new_pod, j,
           (uint64_t)number);
}

static void on_run_end(void *self, sim_ns now, uint64_t key)
{
    struct jobs *j = self;
    struct pod_ref pod = {(uint32_t)key, (uint32_t)(key >> 32)};
    struct jobs_seat *s = seat_of(j, pod);
    bool fails = run_fails(j, s->job, j->jobs[s->job].runs);
    sim_ns ran = now - s->since;
    s->end = (struct sim_handle){0};
    stop_running(j, s, now, pod);
    end_stretch(j, s, now, fails ? &j->n.gpus.failed : &j->n.gpus.out);
    s->state = SEAT_STARTING;
    if (fails) {
        run_failed(j, now, pod, ran);
        return;
    }
    j->needed_ns[shape_of(j, s->job)] += ran;
    end_job(j, now, pod, true);
}

/* ---- calls ---- */

void jobs_pod_placed(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct jobs_seat *s = seat_of(j, pod);
    struct job *job = &j->jobs[s->job];
    s->state = SEAT_STARTING;
    s->since = now;
    if (!job->placed)
        j->n.queue_s += (double)(now - job->asked) / (double)SIM_SECOND;
    job->placed = true;
}

void jobs_pod_ready(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct jobs_seat *s = seat_of(j, pod);
    sim_ns lasts = run_time(j, s->job, j->jobs[s->job].runs);
    end_stretch(j, s, now, &j->n.gpus.starting);
    s->state = SEAT_RUNNING;
    j->n.running++;
    s->end = sim_at(j->set.sim, now + lasts, SIM_PHASE, on_run_end, j,
                    (uint64_t)pod.generation << 32 | pod.slot);
}

/* A job has this pod no longer; returns which one. */
static int64_t lose(struct jobs *j, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    struct jobs_seat *s = seat_of(j, pod);
    cut(j, s, now, pod);
    s->generation = 0;
    j->jobs[s->job].pod = (struct pod_ref){0};
    j->n.preempted_pods += why == POD_END_PREEMPTED;
    j->n.lost_pods += why != POD_END_PREEMPTED && why != POD_END_UNCREATED;
    return s->job;
}

void jobs_pod_evicted(struct jobs *j, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    int64_t job = lose(j, now, pod, why);
    cluster_release(j->set.cluster, pod);
    if (!j->jobs[job].ended)
        ask(j, job);
}

void jobs_pod_dead(struct jobs *j, sim_ns now, struct pod_ref pod)
{
    struct jobs_seat *s = seat_of(j, pod);
    cut(j, s, now, pod);
    s->state = SEAT_DEAD;
}

/* The pod was Failed before it ever ran. */
static void pod_failed(struct jobs *j, sim_ns now, int64_t number)
{
    struct bundle *b = bundle_of(j, number);
    if (b->failures++ >= (uint32_t)j->set.config->back_off_limit) {
        j->jobs[number].ended = true;
        j->n.failed++;
        fail_bundle(j, b, now);
        return;
    }
    j->n.restarts++;
    sim_at(j->set.sim, now + jobs_pod_back_off(b->failures - 1), SIM_ARRIVAL, on_new_pod, j,
           (uint64_t)number);
}

/* The job begins anew in another pod. */
void jobs_pod_gone(struct jobs *j, sim_ns now, struct pod_ref pod, enum pod_end why)
{
    int64_t number = lose(j, now, pod, why);
    if (j->jobs[number].ended)
        return;
    if (why == POD_END_UNCREATED)
        pod_failed(j, now, number);
    else
        ask(j, number);
}

/* ---- life ---- */

struct jobs *jobs_create(const struct jobs_setup *s, struct err *e)
{
    assert(s->config && s->cluster && s->sim && s->recorder && s->seats && s->shapes);
    struct jobs *j = calloc(1, sizeof *j);
    struct digest d = {0};
    int64_t count = s->config->list ? (int64_t)s->config->list->n : s->config->count;
    int64_t size = jobs_completions(s->config);
    if (j) {
        j->set = *s;
        j->count = count;
        j->size = size;
        j->jobs = calloc((size_t)(count * size) + 1, sizeof *j->jobs);
        j->bundles = calloc((size_t)count + 1, sizeof *j->bundles);
        j->busy_ns = calloc(jobs_owners(s->config) + 1, sizeof *j->busy_ns);
        j->needed_ns = calloc(jobs_owners(s->config) + 1, sizeof *j->needed_ns);
    }
    if (!j || !j->jobs || !j->bundles || !j->busy_ns || !j->needed_ns) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %lld jobs", (long long)(count * size));
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
    free(j->bundles);
    free(j->busy_ns);
    free(j->needed_ns);
    free(j);
}

void jobs_start(struct jobs *j)
{
    if (j->count > 0 && arrival(j, 0) < j->set.horizon)
        sim_at(j->set.sim, arrival(j, 0), SIM_ARRIVAL, on_arrival, j, 0);
}

/* ---- the end ---- */

static bool is_ours(const struct jobs *j, uint32_t slot)
{
    struct pod_view v;
    const struct jobs_seat *s = &j->set.seats[slot];
    return s->generation &&
           cluster_pod(j->set.cluster, (struct pod_ref){slot, s->generation}, &v) &&
           v.owner >= j->set.owner && v.owner < j->set.owner + jobs_owners(j->set.config);
}

size_t jobs_most(const struct jobs *j)
{
    return (size_t)(j->count * j->size);
}

/* How long a completion takes on a machine of its own that nobody takes. */
static sim_ns undisturbed(const struct jobs *j, int64_t job, sim_ns start_ns)
{
    const struct job_config *c = j->set.config;
    sim_ns lasts = start_ns;
    for (uint32_t run = 0; lasts < j->set.horizon; run++) {
        lasts += run_time(j, job, run);
        if (c->list || !run_fails(j, job, run) || run >= (uint32_t)c->back_off_limit)
            break;
        lasts += c->restart == JOB_ON_FAILURE ? jobs_back_off(run) : start_ns;
    }
    return lasts;
}

static size_t first_free(const sim_ns *lanes, size_t n)
{
    size_t first = 0;
    for (size_t i = 1; i < n; i++)
        first = lanes[i] < lanes[first] ? i : first;
    return first;
}

/* What one bundle wants: so many completions side by side, until its deadline. */
static size_t bundle_demand(const struct jobs *j, int64_t bundle, sim_ns start_ns,
                            struct otherwise_interval *out)
{
    const struct job_config *c = j->set.config;
    sim_ns from = arrival(j, bundle), until = j->set.horizon;
    size_t wide = c->parallelism > 1 ? (size_t)c->parallelism : 1, n = 0;
    sim_ns *lanes = calloc(wide, sizeof *lanes); /* when each is free, from the arrival */
    assert(lanes);
    if (c->deadline > 0 && c->deadline < until - from)
        until = from + c->deadline;
    for (int64_t k = 0; k < j->size; k++) {
        int64_t job = bundle * j->size + k;
        size_t lane = first_free(lanes, wide);
        sim_ns begin = from + lanes[lane], lasts = undisturbed(j, job, start_ns);
        if (begin >= until)
            break;
        sim_ns end = lasts < until - begin ? begin + lasts : until;
        lanes[lane] = end - from;
        out[n++] = (struct otherwise_interval){begin, end, j->set.owner + shape_of(j, job)};
    }
    free(lanes);
    return n;
}

size_t jobs_demand(const struct jobs *j, sim_ns start_ns, struct otherwise_interval *out)
{
    size_t n = 0;
    for (int64_t i = 0; i < j->count && arrival(j, i) < j->set.horizon; i++)
        n += bundle_demand(j, i, start_ns, out + n);
    return n;
}

int64_t jobs_busy_ns(const struct jobs *j, uint32_t owner)
{
    assert(owner >= j->set.owner && owner - j->set.owner < jobs_owners(j->set.config));
    int64_t sum = j->busy_ns[owner - j->set.owner];
    for (uint32_t i = 0; i < j->set.max_pods; i++) {
        const struct jobs_seat *s = &j->set.seats[i];
        if (s->state == SEAT_RUNNING && is_ours(j, i) &&
            shape_of(j, s->job) == owner - j->set.owner)
            sum += j->set.horizon - s->since;
    }
    return sum;
}

int64_t jobs_needed_ns(const struct jobs *j, uint32_t owner)
{
    assert(owner >= j->set.owner && owner - j->set.owner < jobs_owners(j->set.config));
    return j->needed_ns[owner - j->set.owner];
}

/* What the pods that are there at the horizon have held since their last change. */
static void add_open(const struct jobs *j, struct jobs_gpus *g)
{
    for (uint32_t i = 0; i < j->set.max_pods; i++) {
        const struct jobs_seat *s = &j->set.seats[i];
        if (s->state == SEAT_WAITING || !is_ours(j, i))
            continue;
        struct gpu_time *to = s->state == SEAT_RUNNING    ? &g->running
                              : s->state == SEAT_STARTING ? &g->starting
                                                          : &g->dead;
        gpu_time_add(to, milli_of(j, s->job), j->set.horizon - s->since);
    }
}

/* in is what the cluster's books say; the parts are what the jobs have seen. */
static void assert_gpu_time(const struct jobs_gpus *g)
{
    struct gpu_time parts = g->out;
    gpu_time_sum(&parts, g->starting);
    gpu_time_sum(&parts, g->failed);
    gpu_time_sum(&parts, g->cut);
    gpu_time_sum(&parts, g->dead);
    gpu_time_sum(&parts, g->running);
    assert(gpu_time_equal(parts, g->in));
}

void jobs_count(const struct jobs *j, struct jobs_count *out)
{
    *out = j->n;
    out->waiting = j->n.asked - j->n.completed - j->n.failed - j->n.running;
    out->shared = j->set.config->list ? (int64_t)j->set.config->list->shared : 0;
    assert(out->waiting >= 0 && out->running >= 0);
    add_open(j, &out->gpus);
    for (uint32_t o = j->set.owner; o < j->set.owner + jobs_owners(j->set.config); o++)
        gpu_time_add(&out->gpus.in, pod_shape_gpu_milli(&j->set.shapes[o]),
                     cluster_held_ns(j->set.cluster, o));
    assert_gpu_time(&out->gpus);
}

static void add_gpus(struct jobs_gpus *sum, const struct jobs_gpus *n)
{
    gpu_time_sum(&sum->in, n->in);
    gpu_time_sum(&sum->out, n->out);
    gpu_time_sum(&sum->starting, n->starting);
    gpu_time_sum(&sum->failed, n->failed);
    gpu_time_sum(&sum->cut, n->cut);
    gpu_time_sum(&sum->dead, n->dead);
    gpu_time_sum(&sum->running, n->running);
}

void jobs_add(struct jobs_count *sum, const struct jobs_count *n)
{
    sum->asked += n->asked;
    sum->completed += n->completed;
    sum->failed += n->failed;
    sum->running += n->running;
    sum->waiting += n->waiting;
    sum->restarts += n->restarts;
    sum->lost_pods += n->lost_pods;
    sum->preempted_pods += n->preempted_pods;
    sum->shared += n->shared;
    sum->failed_as_traced += n->failed_as_traced;
    sum->deadline_exceeded += n->deadline_exceeded;
    sum->life_s += n->life_s;
    sum->life_max_s = n->life_max_s > sum->life_max_s ? n->life_max_s : sum->life_max_s;
    sum->queue_s += n->queue_s;
    sum->runs += n->runs;
    sum->run_s += n->run_s;
    sum->run_max_s = n->run_max_s > sum->run_max_s ? n->run_max_s : sum->run_max_s;
    add_gpus(&sum->gpus, &n->gpus);
}

/* Where the figures of one prefix go. */
struct page {
    struct recorder *recorder;
    const char *prefix;
};

static void figure(const struct page *p, const char *name, const char *unit, double value)
{
    char path[128];
    enum figure_merge merge = strcmp(unit, "jobs") == 0 ? FIGURE_SUM : FIGURE_MEAN;
    snprintf(path, sizeof path, "%.80s%s", p->prefix, name);
    recorder_figure(p->recorder, path, unit, merge, value);
}

static void gpu_figures(const struct page *p, const struct jobs_gpus *g)
{
    figure(p, "gpuSeconds.in", "GPU s", gpu_time_s(g->in));
    figure(p, "gpuSeconds.out", "GPU s", gpu_time_s(g->out));
    figure(p, "gpuSeconds.lost.starting", "GPU s", gpu_time_s(g->starting));
    figure(p, "gpuSeconds.lost.failed", "GPU s", gpu_time_s(g->failed));
    figure(p, "gpuSeconds.lost.cut", "GPU s", gpu_time_s(g->cut));
    figure(p, "gpuSeconds.lost.dead", "GPU s", gpu_time_s(g->dead));
    figure(p, "gpuSeconds.running", "GPU s", gpu_time_s(g->running));
}

void jobs_figures(struct recorder *r, const char *prefix, const struct jobs_count *n, int64_t micro,
                  const char *currency)
{
    struct page p = {r, prefix};
    char path[128];
    double done = (double)n->completed, nan = (double)NAN;
    assert(n->asked == n->completed + n->failed + n->running + n->waiting);
    figure(&p, "asked", "jobs", (double)n->asked);
    figure(&p, "completed", "jobs", (double)n->completed);
    figure(&p, "failed", "jobs", (double)n->failed);
    if (n->failed_as_traced > 0)
        figure(&p, "failedAsTraced", "jobs", (double)n->failed_as_traced);
    if (n->deadline_exceeded > 0)
        figure(&p, "deadlineExceeded", "jobs", (double)n->deadline_exceeded);
    figure(&p, "running", "jobs", (double)n->running);
    figure(&p, "waiting", "jobs", (double)n->waiting);
    figure(&p, "restarts", "jobs", (double)n->restarts);
    figure(&p, "lostPods", "jobs", (double)n->lost_pods);
    figure(&p, "preemptedPods", "jobs", (double)n->preempted_pods);
    figure(&p, "queue.mean", "s", n->asked ? n->queue_s / (double)n->asked : nan);
    figure(&p, "life.mean", "s", n->completed ? n->life_s / done : nan);
    snprintf(path, sizeof path, "%.80slife.max", prefix);
    recorder_figure(r, path, "s", FIGURE_MAX, n->completed ? n->life_max_s : nan);
    figure(&p, "cost", currency, (double)micro / 1e6);
    figure(&p, "costEach", currency, n->completed ? (double)micro / 1e6 / done : nan);
    gpu_figures(&p, &n->gpus);
}
