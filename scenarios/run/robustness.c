/* robustness: which figures and presets would turn the verdict. */
#include "scenarios/run/robustness.h"

#include "scenarios/run/candidate.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/standing.h"
#include "scenarios/run/threads.h"
#include "scenarios/run/world.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run so small that its trials take little time may have more of them: requests, at 0.1 us each
 * by the dispatchers and ten times that by the event engine. */
#define ROBUSTNESS_LEAST_WORK 2e7
#define ROBUSTNESS_SLOW_ENGINE 10.0
/* A control event costs about as much as so many requests. */
#define ROBUSTNESS_EVENT 20.0
/* The shortest part of a horizon that says something of it. */
#define ROBUSTNESS_LEAST_PART (6 * SIM_HOUR)
/* Steps of halving: the range of a factor 3 is known to 15 % then. */
#define ROBUSTNESS_STEPS 3
#define ROBUSTNESS_SERVICES 64

/* One value of one candidate. */
struct trial {
    const struct candidate *what; /* NULL: the part of the horizon as it is */
    double factor;
    struct scenario_change change;
    const char *then;
    bool played, turns, holds;
    struct standing at;
    double share[ROBUSTNESS_SERVICES];
    struct err error;
};

struct crew {
    const struct robustness *how;
    struct result *r;
    struct standing base, part; /* of the whole run; of the part without a change */
    double base_share[ROBUSTNESS_SERVICES], part_share[ROBUSTNESS_SERVICES];
    char horizon[64]; /* "horizon=26h", or "" */
    struct trial *trials;
    size_t n, next, done;
    bool halve; /* each trial is a whole search */
    pthread_mutex_t mutex;
};

/* ---- one trial ---- */

static int play_change(const struct crew *w, const struct scenario_change *c, struct trial *t)
{
    const char *sets[4];
    size_t n = 0;
    struct scenario_change all = *c;
    if (w->horizon[0])
        sets[n++] = w->horizon;
    for (size_t i = 0; i < c->n_sets; i++)
        sets[n++] = c->sets[i];
    all.sets = sets;
    all.n_sets = n;
    struct scenario *v = scenario_vary(w->how->scenario, &all, &t->error);
    struct world_watch watch = {.stop = w->how->stop, .use_events = w->how->use_events};
    struct world_outcome out = {0};
    if (!v)
        return -1;
    int rc = world_run(v, w->r->shown_replication, &watch, &out, &t->error);
    if (rc == 0) {
        standing_read(&out.result, v, t->share, &t->at);
        recorder_destroy(out.recorder);
    }
    scenario_free(v);
    return rc;
}

static double clamp_share(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* What the whole run would have been: its own figures and the paired difference. */
static void carry_over(const struct crew *w, struct trial *t)
{
    const struct scenario *s = w->how->scenario;
    for (size_t i = 0; i < s->services.count; i++)
        t->share[i] = clamp_share(w->base.share[i] + t->share[i] - w->part.share[i]);
    double of_part = w->part.total > 0 ? t->at.total / w->part.total : 1;
    t->at.month = fmax(0, w->base.month + t->at.month - w->part.month);
    t->at.total = w->base.total * of_part;
    t->at.share = t->share;
    t->holds = standing_holds(s, &t->at);
    t->turns = t->holds != w->r->holds;
}

static void play_trial(const struct crew *w, struct trial *t)
{
    if (play_change(w, &t->change, t))
        return;
    t->played = true;
    if (t->what)
        carry_over(w, t);
}

/* From a value that turns the verdict towards the one in the run, to the nearest that does. */
static void halve(const struct crew *w, struct trial *t)
{
    double near = 1, far = t->factor;
    for (int i = 0; i < ROBUSTNESS_STEPS; i++) {
        struct trial mid = {.what = t->what, .factor = sqrt(near * far)};
        struct err ignored = {0};
        struct arena *a = arena_create(&ignored);
        bool other =
            a && candidate_change(t->what, mid.factor, a, &mid.change, &mid.then, &ignored);
        if (other)
            play_trial(w, &mid);
        arena_destroy(a);
        if (!mid.played)
            return;
        if (mid.turns) {
            far = mid.factor;
            t->factor = mid.factor;
            t->at = mid.at;
            memcpy(t->share, mid.share, sizeof t->share);
            t->at.share = t->share;
        } else {
            near = mid.factor;
        }
    }
}

/* ---- the crew ---- */

static struct trial *take(struct crew *w)
{
    pthread_mutex_lock(&w->mutex);
    struct trial *t = w->next < w->n ? &w->trials[w->next++] : NULL;
    pthread_mutex_unlock(&w->mutex);
    return t;
}

static void *work(void *self)
{
    struct crew *w = self;
    for (struct trial *t = take(w); t; t = take(w)) {
        if (!w->halve)
            play_trial(w, t);
        else if (t->turns && t->what && !t->what->name)
            halve(w, t);
        pthread_mutex_lock(&w->mutex);
        w->done++;
        if (w->how->progress)
            w->how->progress(w->how->self, (double)w->done / (double)w->n);
        pthread_mutex_unlock(&w->mutex);
    }
    return NULL;
}

static void play_all(struct crew *w, size_t n)
{
    w->n = n;
    w->next = w->done = 0;
    threads_work(work, w, w->how->threads < n ? w->how->threads : n);
}

static int first_error(const struct trial *t, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if (t[i].error.code == ERR_SYSTEM || t[i].error.code == ERR_INTERRUPTED ||
            (!t[i].what && t[i].error.code != ERR_NONE)) {
            *e = t[i].error;
            return -1;
        }
    return 0;
}

/* ---- the plan ---- */

/* How many replications' worth of work may go into it. */
static double work_allowed(const struct result *r, const struct scenario *s)
{
    double requests = result_value(r, "requests.arrived", 0) / r->replications;
    if (strcmp(r->engine, "events") == 0)
        requests *= ROBUSTNESS_SLOW_ENGINE;
    double each = requests + ROBUSTNESS_EVENT * result_value(r, "run.events", 0) + 1e4;
    double all = fmax(r->replications * each, ROBUSTNESS_LEAST_WORK) * s->robustness;
    return all / each;
}

/* Values of all candidates, each end of a figure's range one. */
static size_t list_trials(struct crew *w, const struct candidate *c, size_t n, struct err *e)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (int end = 0; end < (c[i].name ? 1 : 2); end++) {
            struct trial *t = &w->trials[count];
            *t = (struct trial){.what = &c[i], .factor = end ? c[i].reach : 1 / c[i].reach};
            count +=
                candidate_change(&c[i], t->factor, w->r->arena, &t->change, &t->then, e) ? 1 : 0;
        }
    return count;
}

/* Drills, roll-outs and jobs come at their times, so they need the whole horizon. */
static bool may_be_cut(const struct scenario *s)
{
    const struct service_config *c = s->services.items;
    for (size_t i = 0; i < s->services.count; i++)
        if (c[i].rollouts.count > 0 || c[i].metric.faults.count > 0)
            return false;
    return s->cluster.n_drills == 0 && s->jobs.count == 0;
}

/* Part of the horizon that each trial is played over, so that n of them take `allowed`
 * replications; whole hours. */
static sim_ns part_of(const struct scenario *s, size_t n, double allowed)
{
    sim_ns least = s->warm_up + ROBUSTNESS_LEAST_PART;
    double share = allowed / (double)(n + 1);
    if (share >= 1 || least >= s->horizon || !may_be_cut(s))
        return s->horizon;
    sim_ns part = (sim_ns)(share * (double)s->horizon) / SIM_HOUR * SIM_HOUR;
    part = part > least ? part : least;
    return part < s->horizon ? part : s->horizon;
}

/* The part without a change goes first: all others are compared with it. */
static int play_part(struct crew *w, sim_ns part, struct err *e)
{
    const struct scenario *s = w->how->scenario;
    struct trial same = {.what = NULL};
    if (part >= s->horizon) {
        standing_read(w->how->shown, s, w->part_share, &w->part);
        return 0;
    }
    snprintf(w->horizon, sizeof w->horizon, "horizon=%llds", (long long)(part / SIM_SECOND));
    play_trial(w, &same);
    if (first_error(&same, 1, e))
        return -1;
    memcpy(w->part_share, same.share, sizeof w->part_share);
    w->part = same.at;
    w->part.share = w->part_share;
    return 0;
}

/* ---- the table ---- */

static double distance(const struct trial *t)
{
    return t->what->name ? 0 : fabs(log(t->factor));
}

/* Those that turn the verdict first, the nearest before; else as they were listed. */
static int by_rank(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    if (x->turns != y->turns)
        return x->turns ? -1 : 1;
    if (x->turns && distance(x) < distance(y) - 1e-9)
        return -1;
    if (x->turns && distance(x) > distance(y) + 1e-9)
        return 1;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return x->factor < y->factor ? -1 : x->factor > y->factor;
}

static int write_row(struct crew *w, const struct trial *t, struct result_trial *out, struct err *e)
{
    struct scenario_change ignored;
    struct arena *a = w->r->arena;
    struct text words = {0};
    const char *then = t->then;
    candidate_change(t->what, t->factor, a, &ignored, &then, e);
    standing_words(w->how->scenario, &t->at, &words);
    int rc = text_end(&words, e);
    *out = (struct result_trial){.path = t->what->path,
                                 .now = t->what->now,
                                 .then = then,
                                 .quality = t->what->quality,
                                 .turns = t->turns,
                                 .holds = t->holds,
                                 .verdict = rc ? NULL : arena_text(a, words.s, words.length, e)};
    text_fini(&words);
    return e->code == ERR_NONE ? 0 : -1;
}

static int write_rows(struct crew *w, size_t n, struct err *e)
{
    qsort(w->trials, n, sizeof *w->trials, by_rank);
    w->r->trials = arena_take(w->r->arena, n + 1, sizeof *w->r->trials, e);
    if (!w->r->trials)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct trial *t = &w->trials[i];
        t->at.share = t->share; /* sorting has moved them */
        if (t->played && write_row(w, t, &w->r->trials[w->r->n_trials++], e))
            return -1;
    }
    return 0;
}

/* The ends of all ranges first, with most of the work; what is left goes into halving. */
static int play_plan(struct crew *w, size_t listed, struct err *e)
{
    const struct scenario *s = w->how->scenario;
    double allowed = work_allowed(w->r, s);
    sim_ns part = part_of(s, listed, 0.7 * allowed);
    double each = (double)part / (double)s->horizon;
    double fit = floor(allowed / each) - (part < s->horizon);
    size_t n = fit < 0 ? 0 : fit < (double)listed ? (size_t)fit : listed;
    w->r->trials_left = listed - n;
    if (n == 0)
        return 0;
    w->r->trials_part = part;
    if (play_part(w, part, e))
        return -1;
    play_all(w, n);
    if (first_error(w->trials, n, e))
        return -1;
    qsort(w->trials, n, sizeof *w->trials, by_rank);
    for (size_t i = 0; i < n; i++)
        w->trials[i].at.share = w->trials[i].share;
    double left = (fit - (double)n) / ROBUSTNESS_STEPS;
    w->halve = true;
    play_all(w, left < (double)n ? (size_t)left : n);
    return write_rows(w, n, e);
}

int robustness_try(struct result *r, const struct robustness *how, struct err *e)
{
    const struct scenario *s = how->scenario;
    struct candidate *candidates;
    if (s->robustness <= 0 || !r->judged || s->services.count > ROBUSTNESS_SERVICES)
        return 0;
    int n = candidate_list(s, r, r->arena, &candidates, e);
    if (n < 0)
        return -1;
    struct crew w = {.how = how, .r = r};
    w.trials = calloc(2 * (size_t)n + 1, sizeof *w.trials);
    if (!w.trials)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %d trials", n);
    standing_read(r, s, w.base_share, &w.base);
    pthread_mutex_init(&w.mutex, NULL);
    size_t listed = list_trials(&w, candidates, (size_t)n, e);
    int rc = e->code == ERR_NONE ? play_plan(&w, listed, e) : -1;
    pthread_mutex_destroy(&w.mutex);
    free(w.trials);
    return rc;
}
