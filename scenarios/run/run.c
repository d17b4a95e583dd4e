/* run: threads take replications by number; the merge goes in order of number. */
#include "scenarios/run/run.h"

#include "scenarios/run/burst.h"
#include "scenarios/run/rests.h"
#include "scenarios/run/robustness.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/threads.h"
#include "scenarios/run/verdict.h"
#include "scenarios/run/world.h"
#include "sim/arena.h"
#include "sim/digest.h"
#include "sim/merge.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
    struct arena *arena;
    struct world_outcome *outcomes;
    size_t n;
    struct result result;
};

/* What the threads share; the mutex guards next, failed, shares and the progress call. */
struct team {
    const struct scenario *scenario;
    const struct run_options *options;
    struct world_outcome *outcomes;
    struct err *errors;
    double *shares; /* how far each replication is */
    size_t n, next;
    bool failed;
    pthread_mutex_t mutex;
};

struct member {
    struct team *team;
    size_t number; /* of the replication it plays */
};

static void on_progress(void *self, double share)
{
    struct member *m = self;
    struct team *t = m->team;
    pthread_mutex_lock(&t->mutex);
    double sum = 0;
    t->shares[m->number] = share;
    for (size_t i = 0; i < t->n; i++)
        sum += t->shares[i];
    if (t->options->progress)
        t->options->progress(t->options->self, sum / (double)t->n);
    pthread_mutex_unlock(&t->mutex);
}

/* The next replication to play; false when none is left or one has failed. */
static bool take(struct team *t, size_t *number)
{
    pthread_mutex_lock(&t->mutex);
    bool some = !t->failed && t->next < t->n;
    if (some)
        *number = t->next++;
    pthread_mutex_unlock(&t->mutex);
    return some;
}

static void *work(void *self)
{
    struct team *t = self;
    struct member m = {.team = t};
    struct world_watch watch = {
        .stop = t->options->stop,
        .progress = t->options->progress ? on_progress : NULL,
        .self = &m,
        .use_events = t->options->use_events,
    };
    while (take(t, &m.number)) {
        size_t i = m.number;
        if (world_run(t->scenario, i, &watch, &t->outcomes[i], &t->errors[i])) {
            pthread_mutex_lock(&t->mutex);
            t->failed = true;
            pthread_mutex_unlock(&t->mutex);
        } else if (t->options->progress) {
            on_progress(&m, 1.0);
        }
    }
    return NULL;
}

static size_t thread_count(const struct run_options *o, size_t replications)
{
    size_t n = o->threads;
    if (n == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        n = online > 0 ? (size_t)online : 1;
    }
    return n < replications ? n : replications;
}

static void play_all(struct team *t, size_t threads)
{
    pthread_mutex_init(&t->mutex, NULL);
    threads_work(work, t, threads);
    pthread_mutex_destroy(&t->mutex);
}

static int first_error(const struct team *t, struct err *e)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->errors[i].code != ERR_NONE) {
            *e = t->errors[i];
            return -1;
        }
    return 0;
}

static int play_replications(struct run *r, const struct scenario *s, const struct run_options *o,
                             struct err *e)
{
    struct team team = {.scenario = s, .options = o, .outcomes = r->outcomes, .n = r->n};
    team.errors = calloc(r->n, sizeof *team.errors);
    team.shares = calloc(r->n, sizeof *team.shares);
    int rc = -1;
    if (team.errors && team.shares) {
        play_all(&team, thread_count(o, r->n));
        rc = first_error(&team, e);
    } else {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu replications", r->n);
    }
    free(team.errors);
    free(team.shares);
    return rc;
}

static int merge(struct run *r, const struct scenario *s, const struct run_options *o,
                 struct err *e)
{
    struct digest control = {0}, requests = {0};
    const struct result **each = arena_take(r->arena, r->n, sizeof *each, e);
    char *key = arena_take(r->arena, 33, 1, e);
    if (!each || !key)
        return -1;
    for (size_t i = 0; i < r->n; i++) {
        each[i] = &r->outcomes[i].result;
        digest_u64(&control, r->outcomes[i].control_digest);
        digest_u64(&requests, r->outcomes[i].request_digest);
    }
    r->result.arena = r->arena;
    if (merge_results(&r->result, each, r->n, "cost.total", e))
        return -1;
    r->result.name = s->name;
    r->result.run_key = scenario_run_key(s, key);
    r->result.engine = r->outcomes[0].engine;
    r->result.command = o->command;
    r->result.seed = (uint64_t)s->seed;
    r->result.replications = (uint32_t)r->n;
    r->result.horizon = s->horizon;
    r->result.epoch_s = s->epoch_s;
    r->result.time_zone = s->time_zone;
    r->result.currency = s->currency;
    r->result.control_digest = digest_value(&control);
    r->result.request_digest = digest_value(&requests);
    return rests_collect(&r->result, s, e) || verdict_give(&r->result, s, e) ||
                   burst_table(&r->result, s, e)
               ? -1
               : 0;
}

static int try_others(struct run *r, const struct scenario *s, const struct run_options *o,
                      struct err *e)
{
    const struct result **each = arena_take(r->arena, r->n, sizeof *each, e);
    if (!each)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        each[i] = &r->outcomes[i].result;
    struct robustness how = {
        .scenario = s,
        .each = each,
        .threads = thread_count(o, SIZE_MAX),
        .use_events = o->use_events,
        .stop = o->stop,
        .progress = o->progress,
        .self = o->self,
    };
    return o->robustness ? robustness_try(&r->result, &how, e) : 0;
}

struct run *run_scenario(const struct scenario *s, const struct run_options *o, struct err *e)
{
    assert(s && o && s->replications > 0);
    struct run *r = calloc(1, sizeof *r);
    if (!r) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for a run");
        return NULL;
    }
    r->n = (size_t)s->replications;
    r->arena = arena_create(e);
    r->outcomes = calloc(r->n, sizeof *r->outcomes);
    if (r->arena && !r->outcomes)
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu replications", r->n);
    struct world_watch watch = {.use_events = o->use_events};
    if (!r->arena || !r->outcomes || world_check(s, &watch, e) || play_replications(r, s, o, e) ||
        merge(r, s, o, e) || try_others(r, s, o, e)) {
        scenario_place(s, e);
        run_destroy(r);
        return NULL;
    }
    return r;
}

const struct result *run_result(const struct run *r)
{
    return &r->result;
}

void run_destroy(struct run *r)
{
    if (!r)
        return;
    for (size_t i = 0; r->outcomes && i < r->n; i++)
        recorder_destroy(r->outcomes[i].recorder);
    free(r->outcomes);
    arena_destroy(r->arena);
    free(r);
}
