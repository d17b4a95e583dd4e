/* robustness: which figures and presets would turn the verdict. */
#include "scenarios/run/robustness.h"

#include "scenarios/run/candidate.h"
#include "scenarios/run/replay.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/standing.h"
#include "scenarios/run/threads.h"
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
#define ROBUSTNESS_LEAST_WORK 6e7
#define ROBUSTNESS_SLOW_ENGINE 10.0
/* A control event costs about as much as so many requests. */
#define ROBUSTNESS_EVENT 20.0
/* The shortest stretch of a horizon that says something of it, and what of the work goes into
 * looking which values are worth a replay of the whole. */
#define ROBUSTNESS_LEAST_PART (2 * SIM_HOUR)
#define ROBUSTNESS_SCREEN_SHARE 0.2
/* So many replications of the whole horizon confirm that a value turns the verdict; all where there
 * are fewer. */
#define ROBUSTNESS_ENOUGH 3u
/* Steps of halving: the range of a factor 3 is known to 15 % then. */
#define ROBUSTNESS_STEPS 3

/* What is known of one value. */
struct view {
    struct standing at;
    double share[REPLAY_SERVICES];
    bool holds, turns;
};

/* One value of one candidate. */
struct trial {
    const struct candidate *what;
    double factor;
    struct scenario_change change;
    const char *then;
    struct replay_sums screened, whole; /* over the stretch; over whole horizons */
    struct view view;
    bool refused; /* the models take no such value */
};

struct task {
    struct trial *trial; /* NULL: nothing is changed */
    struct replay replay;
    struct replay_sums *to;
    struct err error;
};

struct crew {
    const struct robustness *how;
    struct result *r;
    struct replay_sums base, part; /* of the whole run; of the stretch without a change */
    struct replay_stretch stretch; /* length 0: the whole */
    struct trial *trials;
    size_t n;
    struct task *tasks;
    size_t n_tasks, next, done;
    double left; /* replications' worth of work */
    pthread_mutex_t mutex;
};

/* ---- the crew ---- */

static struct task *take(struct crew *w)
{
    pthread_mutex_lock(&w->mutex);
    struct task *t = w->next < w->n_tasks ? &w->tasks[w->next++] : NULL;
    pthread_mutex_unlock(&w->mutex);
    return t;
}

static void *work(void *self)
{
    struct crew *w = self;
    for (struct task *t = take(w); t; t = take(w)) {
        replay_play(&t->replay, t->to, &t->error);
        pthread_mutex_lock(&w->mutex);
        w->done++;
        if (w->how->progress)
            w->how->progress(w->how->self, (double)w->done / (double)w->n_tasks);
        pthread_mutex_unlock(&w->mutex);
    }
    return NULL;
}

/* Replications in the order in which they are played again: the one that is shown, then the others
 * by number. */
static uint64_t replication_at(const struct crew *w, uint32_t place)
{
    uint32_t shown = w->r->shown_replication;
    return place == 0 ? shown : place - 1 + (place - 1 >= shown);
}

static void add_task(struct crew *w, struct trial *t, bool screen)
{
    struct replay_sums *to = !t ? &w->part : screen ? &t->screened : &t->whole;
    w->tasks[w->n_tasks++] = (struct task){
        .trial = t,
        .replay = {.scenario = w->how->scenario,
                   .change = t ? &t->change : NULL,
                   .stretch = screen ? w->stretch : (struct replay_stretch){0, 0},
                   .replication = replication_at(w, screen ? 0 : to->n),
                   .use_events = w->how->use_events,
                   .stop = w->how->stop},
        .to = to,
    };
    w->left -= screen && w->stretch.length > 0
                   ? (double)w->stretch.length / (double)w->how->scenario->horizon
                   : 1;
}

/* Plays what was added. A value that the models refuse leaves the table; what else went wrong ends
 * all. */
static int play_tasks(struct crew *w, struct err *e)
{
    size_t n = w->n_tasks;
    w->next = w->done = 0;
    threads_work(work, w, w->how->threads < n ? w->how->threads : n);
    w->n_tasks = 0;
    for (size_t i = 0; i < n; i++) {
        const struct task *t = &w->tasks[i];
        if (t->error.code == ERR_NONE)
            continue;
        if (!t->trial || t->error.code != ERR_INPUT) {
            *e = t->error;
            return -1;
        }
        t->trial->refused = true;
    }
    return 0;
}

/* ---- what a trial says ---- */

static double clamp_share(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static double positive(double v)
{
    return v > 0 ? v : 0;
}

/* The whole run's own figures and the paired difference between `with` and `without`; without NULL:
 * what `with` says by itself. */
static void carry_over(const struct crew *w, const struct replay_sums *with,
                       const struct replay_sums *without, struct view *v)
{
    const struct scenario *s = w->how->scenario;
    double share[REPLAY_SERVICES], own[REPLAY_SERVICES];
    struct standing base, plain;
    double each = (double)w->base.n / with->n;
    replay_standing(with, s, v->share, &v->at);
    if (!without)
        return;
    replay_standing(&w->base, s, own, &base);
    replay_standing(without, s, share, &plain);
    for (size_t i = 0; i < s->services.count; i++)
        v->share[i] = clamp_share(own[i] + v->share[i] - share[i]);
    double of_plain = plain.total > 0 ? v->at.total / plain.total : 1;
    v->at.month = positive(base.month + v->at.month - plain.month);
    v->at.total = base.total * of_plain;
    if (base.jobs_failed >= 0)
        v->at.jobs_failed =
            positive(base.jobs_failed + each * (v->at.jobs_failed - plain.jobs_failed));
    v->at.jobs_never = positive(base.jobs_never + each * (v->at.jobs_never - plain.jobs_never));
    v->at.jobs_cut = positive(base.jobs_cut + each * (v->at.jobs_cut - plain.jobs_cut));
}

/* Of the replications that were played again, as the run had them. */
static void sum_played(const struct crew *w, uint32_t n, struct replay_sums *out)
{
    *out = (struct replay_sums){.n = 0};
    for (uint32_t i = 0; i < n; i++)
        replay_add(out, w->how->each[replication_at(w, i)], w->how->scenario);
}

/* Turns it only what turns it both by itself and by its difference: a few replications that hold by
 * luck confirm nothing. */
static void look(const struct crew *w, struct trial *t)
{
    const struct scenario *s = w->how->scenario;
    const struct replay_sums *with = t->whole.n > 0 ? &t->whole : &t->screened;
    struct replay_sums played;
    struct view *v = &t->view;
    bool plain_turns = true;
    if (with->n == 0)
        return;
    if (t->whole.n == w->base.n) {
        carry_over(w, with, NULL, v);
    } else if (t->whole.n > 0) {
        struct view plain;
        replay_standing(with, s, plain.share, &plain.at);
        plain_turns = standing_holds(s, &plain.at) != w->r->holds;
        sum_played(w, t->whole.n, &played);
        carry_over(w, with, &played, v);
    } else {
        carry_over(w, with, &w->part, v);
    }
    v->at.share = v->share;
    v->holds = standing_holds(s, &v->at);
    v->turns = v->holds != w->r->holds && plain_turns;
    if (!v->turns)
        v->holds = w->r->holds;
}

static uint32_t enough(const struct crew *w)
{
    return w->base.n < ROBUSTNESS_ENOUGH ? w->base.n : ROBUSTNESS_ENOUGH;
}

static bool is_confirmed(const struct crew *w, const struct trial *t)
{
    return t->view.turns && t->whole.n >= enough(w);
}

static bool is_played(const struct trial *t)
{
    return !t->refused && t->whole.n + t->screened.n > 0;
}

/* ---- order ---- */

static double distance(const struct trial *t)
{
    return t->what->name ? 0 : fabs(log(t->factor));
}

/* How far shares, and then money, move from the run's. */
static double effect(const struct crew *w, const struct trial *t)
{
    const struct scenario *s = w->how->scenario;
    double share[REPLAY_SERVICES], most = 0;
    struct standing base;
    replay_standing(&w->base, s, share, &base);
    for (size_t i = 0; i < s->services.count; i++) {
        double d = fabs(t->view.share[i] - share[i]);
        most = d > most ? d : most;
    }
    return most + (base.month > 0 ? 1e-3 * fabs(t->view.at.month / base.month - 1) : 0) +
           (base.total > 0 ? 1e-3 * fabs(t->view.at.total / base.total - 1) : 0);
}

struct ranked {
    struct trial *trial;
    int group; /* 0: turns; 1: may; 2: stays; 3: nothing is known */
    double distance, effect;
};

static int sign(double v)
{
    return v < 0 ? -1 : v > 0;
}

/* By group; what turns the verdict nearest first, then by effect, then as they were listed. */
static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->group < 2 && fabs(x->distance - y->distance) > 1e-9)
        return sign(x->distance - y->distance);
    if (fabs(x->effect - y->effect) > 1e-12)
        return sign(y->effect - x->effect);
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

static struct ranked *rank(const struct crew *w, struct err *e)
{
    struct ranked *all = calloc(w->n + 1, sizeof *all);
    if (!all) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu trials", w->n);
        return NULL;
    }
    for (size_t i = 0; i < w->n; i++) {
        struct trial *t = &w->trials[i];
        bool known = is_played(t);
        all[i] = (struct ranked){t, 3, distance(t), known ? effect(w, t) : 0};
        if (known)
            all[i].group = is_confirmed(w, t) ? 0 : t->view.turns ? 1 : 2;
    }
    qsort(all, w->n, sizeof *all, by_rank);
    return all;
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
static void list_trials(struct crew *w, const struct candidate *c, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        for (int end = 0; end < (c[i].name ? 1 : 2); end++) {
            struct trial *t = &w->trials[w->n];
            *t = (struct trial){.what = &c[i], .factor = end ? c[i].reach : 1 / c[i].reach};
            w->n +=
                candidate_change(&c[i], t->factor, w->r->arena, &t->change, &t->then, e) ? 1 : 0;
        }
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

/* Length of the stretch over which n values are screened for `allowed` replications' worth of work;
 * whole hours; 0: the whole horizon. */
static sim_ns part_of(const struct scenario *s, size_t n, double allowed)
{
    sim_ns least = s->warm_up + ROBUSTNESS_LEAST_PART;
    double share = allowed / (double)(n + 1);
    if (share >= 1 || least >= s->horizon || !may_be_cut(s))
        return 0;
    sim_ns part = (sim_ns)(share * (double)s->horizon) / SIM_HOUR * SIM_HOUR;
    part = part > least ? part : least;
    return part < s->horizon ? part : 0;
}

/* All values, as many as the work allows, over a stretch or one replication's whole horizon. */
static int screen(struct crew *w, struct err *e)
{
    const struct scenario *s = w->how->scenario;
    sim_ns part = part_of(s, w->n, ROBUSTNESS_SCREEN_SHARE * w->left);
    double each = part > 0 ? (double)part / (double)s->horizon : 1;
    double fit = floor(w->left / each + 1e-9) - (part > 0);
    size_t n = fit < 0 ? 0 : fit < (double)w->n ? (size_t)fit : w->n;
    w->r->trials_left = w->n - n;
    w->n = n;
    if (n == 0)
        return 0;
    if (part > 0) {
        w->stretch = replay_busiest(s, w->how->each[w->r->shown_replication], part);
        w->r->trials_from = w->stretch.from;
        w->r->trials_part = part;
        add_task(w, NULL, true);
    }
    for (size_t i = 0; i < n; i++)
        add_task(w, &w->trials[i], part > 0);
    if (play_tasks(w, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        look(w, &w->trials[i]);
    return 0;
}

/* One more whole replication of each value that turns the verdict so far, as many as can be played
 * to the end. Returns how many, -1 on failure. */
static int confirm_round(struct crew *w, struct err *e)
{
    struct ranked *all = rank(w, e);
    double reserved = 0;
    int n = 0;
    if (!all)
        return -1;
    for (size_t i = 0; i < w->n && all[i].group < 2; i++) {
        if (all[i].group == 0)
            continue;
        reserved += enough(w) - all[i].trial->whole.n;
        if (reserved > w->left + n + 1e-9)
            break;
        add_task(w, all[i].trial, false);
        n++;
    }
    int rc = play_tasks(w, e);
    for (size_t i = 0; rc == 0 && i < w->n; i++)
        if (all[i].group == 1)
            look(w, all[i].trial);
    free(all);
    return rc ? -1 : n;
}

static bool is_market(const struct trial *t)
{
    const char *dot = strrchr(t->what->path, '.');
    return dot && strcmp(dot, ".spotMarket") == 0;
}

/* A whole replication of spot markets that were screened alone, the strongest first. */
static int replay_markets(struct crew *w, struct err *e)
{
    struct ranked *all = rank(w, e);
    int n = 0;
    if (!all)
        return -1;
    for (size_t i = 0; i < w->n && w->left >= 1; i++) {
        struct trial *t = all[i].trial;
        if (all[i].group == 3 || t->whole.n > 0 || !is_market(t))
            continue;
        add_task(w, t, false);
        n++;
    }
    int rc = play_tasks(w, e);
    for (size_t i = 0; rc == 0 && i < w->n; i++)
        look(w, &w->trials[i]);
    free(all);
    return rc ? -1 : n;
}

/* What turns is confirmed; then every spot market gets a whole replication, and what turns there
 * is confirmed too. */
static int confirm(struct crew *w, struct err *e)
{
    int n;
    do {
        while ((n = confirm_round(w, e)) > 0)
            ;
        n = n < 0 ? -1 : replay_markets(w, e);
    } while (n > 0);
    return n;
}

/* ---- the nearest value that turns ---- */

/* Half the way, by ratio, from the run's value to one that turns. */
static bool halve(struct crew *w, struct trial *mid, struct trial *near, const struct trial *far)
{
    struct err ignored = {0};
    *mid = (struct trial){.what = far->what, .factor = sqrt(near->factor * far->factor)};
    if (w->left < enough(w))
        return false;
    return candidate_change(mid->what, mid->factor, w->r->arena, &mid->change, &mid->then,
                            &ignored);
}

static int find_nearest(struct crew *w, struct trial *far, struct err *e)
{
    struct trial near = {.what = far->what, .factor = 1}, mid;
    for (int i = 0; i < ROBUSTNESS_STEPS && halve(w, &mid, &near, far); i++) {
        while (mid.whole.n < enough(w)) {
            add_task(w, &mid, false);
            if (play_tasks(w, e))
                return -1;
            if (mid.refused)
                return 0;
        }
        look(w, &mid);
        if (mid.view.turns)
            *far = mid;
        else
            near = mid;
        far->view.at.share = far->view.share;
    }
    return 0;
}

static int find_all_nearest(struct crew *w, struct err *e)
{
    for (size_t i = 0; i < w->n; i++) {
        struct trial *t = &w->trials[i];
        if (is_played(t) && is_confirmed(w, t) && !t->what->name && find_nearest(w, t, e))
            return -1;
    }
    return 0;
}

/* ---- the table ---- */

/* A stretch says nothing of the whole run's figures, only how it differs from itself. */
static void screened_words(const struct crew *w, const struct trial *t, struct text *words)
{
    const struct scenario *s = w->how->scenario;
    double share[REPLAY_SERVICES];
    struct standing at;
    replay_standing(&t->screened, s, share, &at);
    text_add(words, "in the stretch ");
    standing_words(s, &at, words);
    replay_standing(&w->part, s, share, &at);
    text_add(words, "; as it was ");
    standing_words(s, &at, words);
}

static int write_row(struct crew *w, const struct ranked *at, struct result_trial *out,
                     struct err *e)
{
    const struct trial *t = at->trial;
    struct arena *a = w->r->arena;
    struct text words = {0};
    if (t->whole.n > 0)
        standing_words(w->how->scenario, &t->view.at, &words);
    else
        screened_words(w, t, &words);
    int rc = text_end(&words, e);
    *out = (struct result_trial){.path = t->what->path,
                                 .now = t->what->now,
                                 .then = t->then,
                                 .quality = t->what->quality,
                                 .turns = at->group == 0,
                                 .may_turn = at->group == 1,
                                 .holds = t->view.holds,
                                 .replications = t->whole.n,
                                 .verdict = rc ? NULL : arena_text(a, words.s, words.length, e)};
    text_fini(&words);
    return e->code == ERR_NONE ? 0 : -1;
}

static int write_rows(struct crew *w, struct err *e)
{
    struct ranked *all = rank(w, e);
    int rc = all ? 0 : -1;
    w->r->trials = arena_take(w->r->arena, w->n + 1, sizeof *w->r->trials, e);
    for (size_t i = 0; rc == 0 && w->r->trials && i < w->n && all[i].group < 3; i++)
        rc = write_row(w, &all[i], &w->r->trials[w->r->n_trials++], e);
    free(all);
    return rc || !w->r->trials ? -1 : 0;
}

static int play_plan(struct crew *w, struct err *e)
{
    w->left = work_allowed(w->r, w->how->scenario);
    if (screen(w, e) || confirm(w, e) || find_all_nearest(w, e))
        return -1;
    return write_rows(w, e);
}

int robustness_try(struct result *r, const struct robustness *how, struct err *e)
{
    const struct scenario *s = how->scenario;
    struct candidate *candidates;
    if (s->robustness <= 0 || !r->judged || s->services.count > REPLAY_SERVICES)
        return 0;
    int n = candidate_list(s, r, r->arena, &candidates, e);
    if (n < 0)
        return -1;
    struct crew w = {.how = how, .r = r};
    w.trials = calloc(2 * (size_t)n + 1, sizeof *w.trials);
    w.tasks = calloc(2 * (size_t)n + 2, sizeof *w.tasks);
    int rc = -1;
    pthread_mutex_init(&w.mutex, NULL);
    if (w.trials && w.tasks) {
        for (uint32_t i = 0; i < r->replications; i++)
            replay_add(&w.base, how->each[i], s);
        list_trials(&w, candidates, (size_t)n, e);
        rc = e->code == ERR_NONE ? play_plan(&w, e) : -1;
    } else {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %d trials", n);
    }
    pthread_mutex_destroy(&w.mutex);
    free(w.trials);
    free(w.tasks);
    return rc;
}
