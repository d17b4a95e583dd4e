/* world: clock, recorder, cluster and services of one replication, wired together. */
#include "scenarios/run/world.h"

#include "models/capacity/cluster.h"
#include "models/capacity/headroom.h"
#include "models/capacity/jobs.h"
#include "models/capacity/otherwise.h"
#include "models/capacity/startup_source.h"
#include "models/capacity/unplaced.h"
#include "models/serving/profile.h"
#include "models/serving/service.h"
#include "scenarios/run/owners.h"
#include "scenarios/run/scenario.h"
#include "sim/digest.h"
#include "sim/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
    const struct scenario *scenario;
    const struct world_watch *watch;
    uint64_t number;
    struct sim *sim;
    struct recorder *recorder;
    struct cluster *cluster;
    struct service **services;
    size_t n_services;
    struct jobs **jobs;
    size_t n_jobs;
    struct jobs_seat *seats;
    struct headroom *headrooms; /* by pool */
};

/* ---- the cluster's calls, handed to the service or job they are for ---- */

static struct owners_role role(const struct world *w, uint32_t owner)
{
    assert(owner < w->scenario->n_owners);
    return w->scenario->roles[owner];
}

/* NULL when its pods are not a job's, or not a service's. */
static struct jobs *jobs_of(const struct world *w, uint32_t owner)
{
    struct owners_role r = role(w, owner);
    return r.kind == OWNERS_JOB ? w->jobs[r.index] : NULL;
}

static struct service *service_of(const struct world *w, uint32_t owner)
{
    struct owners_role r = role(w, owner);
    return r.kind == OWNERS_SERVICE ? w->services[r.index] : NULL;
}

static struct headroom *headroom_of(const struct world *w, uint32_t owner)
{
    struct owners_role r = role(w, owner);
    return r.kind == OWNERS_HEADROOM ? &w->headrooms[r.index] : NULL;
}

static void on_listed(void *self, sim_ns now, struct pod_ref pod, uint32_t owner)
{
    struct world *w = self;
    if (service_of(w, owner))
        service_pod_listed(service_of(w, owner), now, pod);
}

static void on_placed(void *self, sim_ns now, struct pod_ref pod, uint32_t owner)
{
    struct world *w = self;
    if (jobs_of(w, owner))
        jobs_pod_placed(jobs_of(w, owner), now, pod);
}

static void on_ready(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, uint32_t gpu)
{
    struct world *w = self;
    if (jobs_of(w, owner))
        jobs_pod_ready(jobs_of(w, owner), now, pod);
    else if (service_of(w, owner))
        service_pod_ready(service_of(w, owner), now, pod, gpu);
}

static void on_evicted(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, enum pod_end why)
{
    struct world *w = self;
    if (jobs_of(w, owner))
        jobs_pod_evicted(jobs_of(w, owner), now, pod, why);
    else if (service_of(w, owner))
        service_pod_evicted(service_of(w, owner), now, pod, why);
    else
        headroom_pod_evicted(headroom_of(w, owner), pod);
}

static void on_dead(void *self, sim_ns now, struct pod_ref pod, uint32_t owner)
{
    struct world *w = self;
    if (jobs_of(w, owner))
        jobs_pod_dead(jobs_of(w, owner), now, pod);
    else if (service_of(w, owner))
        service_pod_dead(service_of(w, owner), now, pod);
}

static void on_gone(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, enum pod_end why)
{
    struct world *w = self;
    if (jobs_of(w, owner))
        jobs_pod_gone(jobs_of(w, owner), now, pod, why);
    else if (service_of(w, owner))
        service_pod_gone(service_of(w, owner), now, pod);
    else
        headroom_pod_gone(headroom_of(w, owner));
}

static void on_unlisted(void *self, sim_ns now, struct pod_ref pod, uint32_t owner,
                        enum pod_end why)
{
    struct world *w = self;
    if (service_of(w, owner))
        service_pod_unlisted(service_of(w, owner), now, pod, why);
}

/* ---- set-up ---- */

/* Items of jobs with figures of their own: with one, and with many, the sum says it all. */
#define WORLD_JOBS_SHOWN 32
#define WORLD_JOB_FIGURES 24

static size_t shown_jobs(const struct scenario *s)
{
    return s->jobs.count > 1 && s->jobs.count <= WORLD_JOBS_SHOWN ? s->jobs.count : 0;
}

static int make_ground(struct world *w, struct err *e)
{
    const struct scenario *s = w->scenario;
    size_t services = s->services.count, jobs = s->jobs.count;
    struct recorder_config config = {
        .horizon = s->horizon,
        .max_series = 32 + 16 * services + 2 * s->cluster.pools.count,
        .max_entries = (size_t)s->limits.log_entries,
        .max_spans = (size_t)s->limits.log_entries,
        .max_bills = (size_t)s->limits.log_entries,
        .max_figures = 384 + 72 * services + WORLD_JOB_FIGURES * (shown_jobs(s) + 1),
    };
    w->sim = sim_create((size_t)s->limits.events, e);
    w->recorder = recorder_create(&config, e);
    w->services = calloc(services + 1, sizeof *w->services);
    w->jobs = calloc(jobs + 1, sizeof *w->jobs);
    if (!w->services || !w->jobs)
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu services", services);
    return w->sim && w->recorder && w->services && w->jobs ? 0 : -1;
}

/* Jobs run as long on any kind, as far as anybody has said. */
static double alone_ns(const void *self, uint32_t owner, const char *gpu)
{
    const struct world *w = self;
    struct owners_role r = role(w, owner);
    if (r.kind != OWNERS_SERVICE)
        return 0;
    const struct service_config *all = w->scenario->services.items;
    const struct knob_list *times = &all[r.index].serving.times;
    for (size_t k = 0; k < times->count; k++) {
        const struct service_time *t = (const struct service_time *)times->items + k;
        if (strcmp(t->gpu, gpu) == 0)
            return t->profile ? (double)profile_time_ns(t->profile, t->batch) : t->time.mean;
    }
    return 0;
}

static int make_cluster(struct world *w, struct err *e)
{
    const struct scenario *s = w->scenario;
    struct cluster_setup setup = {
        .config = &s->cluster,
        .catalog = s->catalog,
        .shapes = s->shapes,
        .startups = s->startups,
        .n_owners = s->n_owners,
        .up = {w, on_listed, on_ready, on_evicted, on_dead, on_gone, on_unlisted, on_placed},
        .sim = w->sim,
        .recorder = w->recorder,
        .horizon = s->horizon,
        .epoch_s = s->epoch_s,
        .seed = (uint64_t)s->seed,
        .replication = w->number,
        .alone_ns = alone_ns,
    };
    w->cluster = cluster_create(&setup, e);
    return w->cluster ? 0 : -1;
}

static int make_services(struct world *w, struct err *e)
{
    const struct scenario *s = w->scenario;
    const struct service_config *configs = s->services.items;
    struct service_frame frame = {
        .sim = w->sim,
        .recorder = w->recorder,
        .cluster = w->cluster,
        .horizon = s->horizon,
        .warm_up = s->warm_up,
        .epoch_s = s->epoch_s,
        .zone = s->zone,
        .seed = (uint64_t)s->seed,
        .replication = w->number,
        .max_replicas = (size_t)s->limits.replicas,
        .max_in_flight = (size_t)s->limits.in_flight,
        .use_events = w->watch->use_events,
        .alone = s->services.count == 1 && s->jobs.count == 0,
    };
    for (size_t i = 0; i < s->services.count; i++) {
        w->services[i] = service_create(&configs[i], s->traffic[i], (uint32_t)i, &frame, e);
        if (!w->services[i])
            return -1;
        w->n_services++;
    }
    return 0;
}

static int make_headrooms(struct world *w, struct err *e)
{
    const struct scenario *s = w->scenario;
    const struct pool_config *pools = s->cluster.pools.items;
    size_t n = s->cluster.pools.count;
    w->headrooms = calloc(n + 1, sizeof *w->headrooms);
    if (!w->headrooms)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pools", n);
    for (uint32_t i = 0; i < n; i++)
        w->headrooms[i] =
            (struct headroom){w->cluster, owners_first(s, OWNERS_HEADROOM, i), pools[i].headroom};
    return 0;
}

static int make_jobs(struct world *w, struct err *e)
{
    const struct scenario *s = w->scenario;
    const struct job_config *configs = s->jobs.items;
    w->seats = jobs_seats_create((size_t)s->limits.pods, e);
    if (!w->seats || make_headrooms(w, e))
        return -1;
    for (size_t i = 0; i < s->jobs.count; i++) {
        struct jobs_setup set = {
            .config = &configs[i],
            .cluster = w->cluster,
            .sim = w->sim,
            .recorder = w->recorder,
            .seats = w->seats,
            .shapes = s->shapes,
            .owner = owners_first(s, OWNERS_JOB, (uint32_t)i),
            .horizon = s->horizon,
            .max_pods = (size_t)s->limits.pods,
            .seed = (uint64_t)s->seed,
            .replication = w->number,
        };
        w->jobs[i] = jobs_create(&set, e);
        if (!w->jobs[i])
            return -1;
        w->n_jobs++;
    }
    return 0;
}

static void world_fini(struct world *w)
{
    for (size_t i = 0; i < w->n_services; i++)
        service_destroy(w->services[i]);
    free(w->services);
    for (size_t i = 0; i < w->n_jobs; i++)
        jobs_destroy(w->jobs[i]);
    free(w->jobs);
    jobs_seats_destroy(w->seats);
    free(w->headrooms);
    cluster_destroy(w->cluster);
    sim_destroy(w->sim);
}

/* ---- the run ---- */

static int limits_met(const struct world *w, struct err *e)
{
    if (sim_full(w->sim))
        return err_set(e, ERR_INPUT, w->scenario->path,
                       "limits.events: more than %lld control events are pending; raise it",
                       (long long)w->scenario->limits.events);
    if (cluster_failed(w->cluster, e))
        return -1;
    for (size_t i = 0; i < w->n_services; i++)
        if (service_failed(w->services[i], e))
            return -1;
    return 0;
}

/* Checks that cost something are made once in this many events, and once in this part of the
 * horizon: few events may take long when many requests lie between them. */
#define WORLD_CHECK_EVENTS 256
#define WORLD_CHECK_PARTS 500

/* Requests are played at least this often, so that a run told to stop does not first play a month
 * of them that lie between two events. */
#define WORLD_SLICE SIM_MINUTE

static int interrupted(const struct world *w, struct err *e)
{
    const struct world_watch *watch = w->watch;
    return watch->stop && *watch->stop ? err_set(e, ERR_INTERRUPTED, NULL, "interrupted") : 0;
}

static int check(const struct world *w, struct err *e)
{
    const struct world_watch *watch = w->watch;
    if (interrupted(w, e))
        return -1;
    if (watch->progress)
        watch->progress(watch->self, (double)sim_now(w->sim) / (double)w->scenario->horizon);
    return limits_met(w, e);
}

/* Requests are played when an event concerns them, but one that a service of size zero waits for
 * makes an event of its own, before the next one. */
static void advance_waiting(struct world *w)
{
    sim_ns horizon = w->scenario->horizon;
    for (size_t i = 0; i < w->n_services; i++)
        if (service_waits_for_capacity(w->services[i]))
            service_advance(w->services[i],
                            sim_next(w->sim) < horizon ? sim_next(w->sim) : horizon);
}

/* Nothing happens before the next event but requests. */
static int advance_slices(struct world *w, sim_ns *slice, struct err *e)
{
    sim_ns horizon = w->scenario->horizon;
    sim_ns until = sim_next(w->sim) < horizon ? sim_next(w->sim) : horizon;
    for (; *slice < until; *slice += WORLD_SLICE) {
        if (interrupted(w, e))
            return -1;
        for (size_t i = 0; i < w->n_services; i++)
            if (!service_waits_for_capacity(w->services[i]))
                service_advance(w->services[i], *slice);
    }
    return 0;
}

static int play(struct world *w, struct err *e)
{
    sim_ns horizon = w->scenario->horizon;
    sim_ns next = horizon / WORLD_CHECK_PARTS, slice = WORLD_SLICE;
    uint64_t events = 0;
    cluster_start(w->cluster);
    for (size_t i = 0; i < w->n_services; i++)
        service_start(w->services[i]);
    for (size_t i = 0; i < w->n_jobs; i++)
        jobs_start(w->jobs[i]);
    for (size_t i = 0; i < w->scenario->cluster.pools.count; i++)
        if (w->headrooms[i].pods > 0)
            headroom_start(&w->headrooms[i]);
    for (;;) {
        advance_waiting(w);
        if (advance_slices(w, &slice, e))
            return -1;
        if (sim_next(w->sim) >= horizon)
            break;
        sim_step(w->sim);
        bool due = sim_now(w->sim) >= next;
        if ((++events % WORLD_CHECK_EVENTS == 0 || due) && check(w, e))
            return -1;
        next = due ? sim_now(w->sim) + horizon / WORLD_CHECK_PARTS : next;
    }
    return limits_met(w, e);
}

static int64_t cost_of(const struct world *w, uint32_t job)
{
    int64_t micro = 0;
    for (uint32_t o = 0; o < w->scenario->n_owners; o++)
        if (role(w, o).kind == OWNERS_JOB && role(w, o).index == job)
            micro += cluster_owner_micro(w->cluster, o);
    return micro;
}

/* Which way the shares of a trace went is part of what its figures mean. */
static void say_shares(const struct world *w, const struct job_config *c)
{
    if (!c->list || c->list->shared == 0)
        return;
    recorder_finding(
        w->recorder, "note", "gpu-shares", "%zu of the %zu pods of %s ask for a share of a GPU: %s",
        c->list->shared, c->list->n, c->name,
        c->shares == JOB_LIST_SHARE ? "those on one GPU share it, up to its thousandths"
                                    : "each got a whole one (gpuShares: roundUp)");
    if (c->list->left_out > 0)
        recorder_finding(w->recorder, "note", "pod-list",
                         "%zu pods of %s had ended before podListFrom and are left out",
                         c->list->left_out, c->name);
}

static double share(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

/* The balance that jobs_count has asserted, in words. */
static void say_gpu_time(const struct world *w, const struct jobs_gpus *g)
{
    double in = gpu_time_s(g->in), out = gpu_time_s(g->out), running = gpu_time_s(g->running);
    double lost =
        gpu_time_s(g->starting) + gpu_time_s(g->failed) + gpu_time_s(g->cut) + gpu_time_s(g->dead);
    if (in > 0)
        recorder_finding(w->recorder, "note", "gpu-time",
                         "Jobs held GPUs for %.0f GPU s: %.0f (%.3g %%) in runs that ended well, "
                         "%.0f (%.3g %%) lost to starts, failures and evictions, %.0f still "
                         "running; the books agree exactly.",
                         in, out, share(out, in), lost, share(lost, in), running);
}

/* Pods of jobs that no waiting would have placed, by what was lacking. */
static void close_lacking(const struct world *w)
{
    static const char *const names[UNPLACED_CAUSES] = {
        [UNPLACED_NO_MACHINE] = "noMachine",
        [UNPLACED_NO_STOCK] = "noStock",
        [UNPLACED_NO_QUOTA] = "noQuota",
    };
    int64_t all = 0;
    char path[64];
    for (int k = 0; k < UNPLACED_CAUSES; k++) {
        int64_t n = 0;
        for (uint32_t o = 0; names[k] && o < w->scenario->n_owners; o++)
            n += role(w, o).kind == OWNERS_JOB ? cluster_unplaced(w->cluster, o)->pods[k] : 0;
        snprintf(path, sizeof path, "jobs.neverPlacedBy.%s", names[k] ? names[k] : "");
        if (n > 0)
            recorder_figure(w->recorder, path, "pods", FIGURE_SUM, (double)n);
        all += n;
    }
    if (all > 0)
        recorder_figure(w->recorder, "jobs.neverPlaced", "pods", FIGURE_SUM, (double)all);
}

/* Figures of all jobs, and of each item when there are several, but not many. */
static void close_jobs(struct world *w)
{
    const struct scenario *s = w->scenario;
    const struct job_config *configs = s->jobs.items;
    struct jobs_count sum = {0}, n;
    int64_t micro = 0;
    char prefix[96];
    for (size_t i = 0; i < w->n_jobs; i++) {
        int64_t own = cost_of(w, (uint32_t)i);
        jobs_count(w->jobs[i], &n);
        jobs_add(&sum, &n);
        micro += own;
        snprintf(prefix, sizeof prefix, "jobs.%.60s.", configs[i].name);
        if (shown_jobs(s) > 0)
            jobs_figures(w->recorder, prefix, &n, own, s->currency);
        say_shares(w, &configs[i]);
    }
    if (w->n_jobs > 0)
        jobs_figures(w->recorder, "jobs.", &sum, micro, s->currency);
    if (w->n_services == 0 && sum.runs > 0) { /* the last bar of a pod's phases */
        recorder_figure(w->recorder, "startup.run.mean", "s", FIGURE_MEAN,
                        sum.run_s / (double)sum.runs);
        recorder_figure(w->recorder, "startup.run.max", "s", FIGURE_MAX, sum.run_max_s);
    }
    close_lacking(w);
    say_gpu_time(w, &sum.gpus);
}

/* Pods that hold GPUs for others have nothing to do. */
static void tell_busy(struct world *w)
{
    for (uint32_t o = 0; o < w->scenario->n_owners; o++) {
        const struct jobs *j = jobs_of(w, o);
        if (j)
            cluster_needed(w->cluster, o, jobs_needed_ns(j, o));
        if (j || headroom_of(w, o))
            cluster_busy(w->cluster, o, j ? jobs_busy_ns(j, o) : 0);
    }
}

/* What the jobs wanted; the caller frees it. */
static struct otherwise_interval *tell_jobs(struct world *w)
{
    const struct scenario *s = w->scenario;
    size_t most = 1, n = 0;
    for (size_t i = 0; i < w->n_jobs; i++)
        most += jobs_most(w->jobs[i]);
    struct otherwise_interval *all = calloc(most, sizeof *all);
    assert(all);
    for (size_t i = 0; i < w->n_jobs; i++) {
        const struct startup_config *start = &s->startups[owners_first(s, OWNERS_JOB, (uint32_t)i)];
        n += jobs_demand(w->jobs[i], s->catalog ? startup_source_mean(start, s->catalog) : 0,
                         all + n);
    }
    cluster_jobs(w->cluster, all, n);
    return all;
}

static void close_books(struct world *w, struct world_outcome *out)
{
    struct tally *total = calloc(1, sizeof *total);
    struct digest requests = {0};
    assert(total);
    out->holds = true;
    out->engine = w->n_services ? service_engine(w->services[0]) : "dispatch";
    for (size_t i = 0; i < w->n_services; i++) {
        service_close(w->services[i], total);
        digest_u64(&requests, service_digest(w->services[i]));
        out->holds = out->holds && service_holds(w->services[i]);
    }
    assert(tally_conserves(total));
    if (w->n_services > 0)
        service_figures(w->recorder, "", total);
    tell_busy(w);
    struct otherwise_interval *wanted = tell_jobs(w);
    cluster_close(w->cluster);
    free(wanted);
    close_jobs(w);
    if (total->served > 0)
        recorder_figure(w->recorder, "cost.per1k", w->scenario->currency, FIGURE_MEAN,
                        (double)cluster_total_micro(w->cluster) / 1e3 / (double)total->served);
    recorder_figure(w->recorder, "run.events", "events", FIGURE_MEAN, (double)sim_fired(w->sim));
    out->request_digest = digest_value(&requests);
    out->control_digest = recorder_digest(w->recorder);
    free(total);
}

int world_check(const struct scenario *s, const struct world_watch *watch, struct err *e)
{
    struct world w = {.scenario = s, .watch = watch};
    int rc = make_ground(&w, e) || make_cluster(&w, e) || make_services(&w, e) || make_jobs(&w, e);
    world_fini(&w);
    recorder_destroy(w.recorder);
    return rc ? -1 : 0;
}

int world_run(const struct scenario *s, uint64_t number, const struct world_watch *watch,
              struct world_outcome *out, struct err *e)
{
    assert(s && watch && out);
    struct world w = {.scenario = s, .watch = watch, .number = number};
    *out = (struct world_outcome){0};
    int rc = make_ground(&w, e) || make_cluster(&w, e) || make_services(&w, e) ||
             make_jobs(&w, e) || play(&w, e);
    for (size_t i = 0; rc == 0 && i < w.n_services; i++)
        service_advance(w.services[i], s->horizon);
    rc = rc || limits_met(&w, e);
    if (rc == 0) {
        close_books(&w, out);
        recorder_close(w.recorder, &out->result);
        out->recorder = w.recorder;
    } else {
        recorder_destroy(w.recorder);
    }
    world_fini(&w);
    return rc ? -1 : 0;
}
