/* load: plays the scenarios. */
#include "kernels/load.h"

#include "kernels/early_stop.h"
#include "kernels/latency.h"
#include "sim/arena.h"
#include "sim/chance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const load_names[LOAD_SCENARIOS + 1] = {"single_stream", "multi_stream", "server",
                                                    "offline", NULL};

const struct load_rule load_usual = {.batch = 1,
                                     .min_s = 10,
                                     .min_queries = 100,
                                     .max_s = 60,
                                     .spread = 0.1,
                                     .bound_s = 0.130,
                                     .percentile = 0.99,
                                     .seed = 1};

struct player {
    const struct load_target *t;
    const struct load_rule *rule;
    struct load_outcome *out;
    double start_s;
    struct err *e;
};

static double now(const struct player *p)
{
    return p->t->now_s(p->t->self);
}

/* ---- stability ---- */

#define WINDOW_MAX 64

static double median(const double *times_s, size_t n)
{
    double sorted[WINDOW_MAX];
    struct latency l;
    assert(n >= 1 && n <= WINDOW_MAX);
    memcpy(sorted, times_s, n * sizeof *sorted);
    latency_summarize(sorted, n, &l);
    return l.p50.value_s;
}

/* Medians of the last three windows of a tenth of all runs each, but at least three runs. */
static bool is_stable(const double *times_s, size_t n, double spread)
{
    size_t window = n / 10 < 3 ? 3 : n / 10 > WINDOW_MAX ? WINDOW_MAX : n / 10;
    double low = INFINITY, high = 0;
    if (n < 3 * window)
        return false;
    for (size_t i = 1; i <= 3; i++) {
        double middle = median(times_s + n - i * window, window);
        low = middle < low ? middle : low;
        high = middle > high ? middle : high;
    }
    return high <= low * (1 + spread);
}

/* ---- closed loops ---- */

/* n batches as one query that was due at due_s; its latency counts from there. */
static int query(struct player *p, double due_s, int32_t n)
{
    struct load_outcome *o = p->out;
    double began_s = now(p);
    for (int32_t i = 0; i < n; i++)
        if (p->t->serve(p->t->self, p->e))
            return -1;
    double ended_s = now(p);
    o->latency_s[o->queries] = ended_s - due_s;
    o->service_s[o->queries] = ended_s - began_s;
    o->scheduled_s[o->queries] = due_s - p->start_s;
    o->queries++;
    return p->t->between ? p->t->between(p->t->self, o->queries, p->e) : 0;
}

/* A slowed device is asked for now and then, as NVBench does: its samples are taken again after a
 * pause. Neither may cost more than a share of the time that there is: a device that stays slow is
 * measured as it is. */
#define ASK_EVERY_S 0.25
#define PAUSE_S 0.05
#define PAUSES_MAX 20
#define LOST_SHARE 0.25

struct watch {
    double asked_s;
    size_t first; /* of the queries since then */
    int pauses;
    double lost_s; /* on what was dropped, and on pauses */
};

static int look(struct player *p, struct watch *w)
{
    double at = now(p);
    if (!p->t->throttled || at - w->asked_s < ASK_EVERY_S || p->out->slowed)
        return 0;
    int slow = p->t->throttled(p->t->self, p->e);
    w->lost_s += slow > 0 ? at - w->asked_s + PAUSE_S : 0;
    if (slow > 0)
        p->out->slowed = w->pauses++ == PAUSES_MAX || w->lost_s > LOST_SHARE * p->rule->max_s;
    if (slow > 0 && !p->out->slowed) {
        p->out->dropped += p->out->queries - w->first;
        p->out->queries = w->first;
        p->t->wait_until(p->t->self, at + PAUSE_S);
    }
    w->asked_s = now(p);
    w->first = p->out->queries;
    return slow < 0 ? -1 : 0;
}

static bool minima_met(struct player *p, double elapsed_s)
{
    p->out->long_enough = elapsed_s >= p->rule->min_s;
    p->out->queries_enough = p->out->queries >= p->rule->min_queries;
    return p->out->long_enough && p->out->queries_enough;
}

static int closed_loop(struct player *p, int32_t calls)
{
    struct load_outcome *o = p->out;
    struct watch w = {.asked_s = p->start_s};
    bool done;
    do {
        if (query(p, now(p), calls) || look(p, &w))
            return -1;
        o->stable = is_stable(o->service_s, o->queries, p->rule->spread);
        o->elapsed_s = now(p) - p->start_s;
        done = minima_met(p, o->elapsed_s) && o->stable;
    } while (!done && o->queries < LOAD_MAX_CALLS && o->elapsed_s < p->rule->max_s);
    return 0;
}

/* How many batches: enough for the least time at the pace of one, and a tenth more. */
static int offline(struct player *p)
{
    double before = now(p);
    if (p->t->serve(p->t->self, p->e))
        return -1;
    double one = now(p) - before;
    size_t least = (p->rule->min_queries + (size_t)p->rule->batch - 1) / (size_t)p->rule->batch;
    double most = one > 0 ? ceil(1.1 * p->rule->min_s / one) : 1;
    size_t calls = most > (double)least ? (size_t)fmin(most, LOAD_MAX_CALLS) : least;
    calls = calls < 1 ? 1 : calls > LOAD_MAX_CALLS ? LOAD_MAX_CALLS : calls;
    struct load_outcome *o = p->out;
    p->start_s = now(p);
    do {
        if (query(p, p->start_s, 1))
            return -1;
        o->elapsed_s = now(p) - p->start_s;
    } while (o->queries < calls && o->elapsed_s < p->rule->max_s);
    o->stable = is_stable(o->service_s, o->queries, p->rule->spread);
    o->long_enough = o->elapsed_s >= p->rule->min_s;
    o->queries_enough = o->queries >= least;
    return 0;
}

/* ---- server ---- */

/* A run much longer than the bound: in a shorter one a queue may grow from beginning to end, and
 * yet nobody waits for longer than the bound. */
#define BOUNDS_A_RUN 10

static double server_least_s(const struct load_rule *rule)
{
    return fmax(rule->min_s, BOUNDS_A_RUN * rule->bound_s);
}

/* More work arrives than is done: a queue grows, however few are late as yet. */
static bool is_growing(const struct player *p)
{
    const struct load_outcome *o = p->out;
    double busy = 0;
    for (size_t i = 0; i < o->queries; i++)
        busy += o->service_s[i];
    return busy * p->rule->qps >= (double)o->queries;
}

static void judge(struct player *p)
{
    struct load_outcome *o = p->out;
    o->over = o->unserved;
    for (size_t i = 0; i < o->queries; i++)
        o->over += o->latency_s[i] > p->rule->bound_s;
    size_t due = o->queries + o->unserved;
    o->growing = is_growing(p);
    o->holds = !o->growing && (double)o->over <= (1 - p->rule->percentile) * (double)due;
    o->certain = o->holds && early_stop_holds(due, o->over, p->rule->percentile);
}

static int server(struct player *p)
{
    struct load_outcome *o = p->out;
    struct chance arrivals = chance_stream(p->rule->seed, 0, CHANCE_SAMPLE, 1);
    double due = 0, least_s = server_least_s(p->rule);
    for (size_t i = 0; i < LOAD_MAX_CALLS; i++) {
        due += chance_exponential(arrivals, i) / p->rule->qps;
        if ((due > least_s && i >= p->rule->min_queries) || due > p->rule->max_s)
            break;
        if (now(p) - p->start_s > p->rule->max_s) {
            o->unserved++;
            continue;
        }
        p->t->wait_until(p->t->self, p->start_s + due);
        if (query(p, p->start_s + due, 1))
            return -1;
    }
    o->elapsed_s = now(p) - p->start_s;
    o->stable = is_stable(o->service_s, o->queries, p->rule->spread);
    minima_met(p, due);
    o->long_enough = due >= least_s;
    judge(p);
    return 0;
}

/* ---- any ---- */

/* Batches of a multi stream query: as many as its samples need, so that the last may hold more. */
static int32_t calls_of(const struct load_rule *rule)
{
    return rule->scenario == LOAD_MULTI_STREAM
               ? (LOAD_MULTI_SAMPLES + rule->batch - 1) / rule->batch
               : 1;
}

int32_t load_items(const struct load_rule *rule)
{
    return calls_of(rule) * rule->batch;
}

static int take(struct arena *a, struct load_outcome *out, struct err *e)
{
    *out = (struct load_outcome){0};
    out->latency_s = arena_take(a, LOAD_MAX_CALLS, sizeof(double), e);
    out->service_s = arena_take(a, LOAD_MAX_CALLS, sizeof(double), e);
    out->scheduled_s = arena_take(a, LOAD_MAX_CALLS, sizeof(double), e);
    return out->latency_s && out->service_s && out->scheduled_s ? 0 : -1;
}

static int play_scenario(struct player *p)
{
    switch (p->rule->scenario) {
    case LOAD_SINGLE_STREAM:
    case LOAD_MULTI_STREAM:
        return closed_loop(p, calls_of(p->rule));
    case LOAD_SERVER:
        return server(p);
    case LOAD_OFFLINE:
        return offline(p);
    }
    assert(0 && "a scenario");
    return -1;
}

static int play(const struct load_target *t, const struct load_rule *rule, struct load_outcome *out,
                struct err *e)
{
    struct player p = {.t = t, .rule = rule, .out = out, .e = e};
    if (t->serve(t->self, e))
        return -1;
    p.start_s = now(&p);
    if (play_scenario(&p))
        return -1;
    double busy = 0;
    for (size_t i = 0; i < out->queries; i++)
        busy += out->service_s[i];
    bool closed = rule->scenario != LOAD_SERVER && rule->scenario != LOAD_OFFLINE;
    double span = closed ? busy : out->elapsed_s;
    out->items_per_s = span > 0 ? (double)out->queries * load_items(rule) / span : 0;
    return 0;
}

static void check(const struct load_rule *rule)
{
    assert(rule->batch >= 1 && rule->min_s >= 0 && rule->max_s > 0);
    assert(rule->scenario != LOAD_SERVER ||
           (rule->qps > 0 && rule->bound_s > 0 && rule->percentile > 0 && rule->percentile < 1));
}

int load_run(struct arena *a, const struct load_target *t, const struct load_rule *rule,
             struct load_outcome *out, struct err *e)
{
    check(rule);
    if (take(a, out, e) || play(t, rule, out, e))
        return -1;
    assert(out->queries > 0 || rule->scenario == LOAD_SERVER); /* the others send at once */
    if (out->queries == 0)
        return err_set(e, ERR_INPUT, NULL,
                       "no query arrived within %g s at %g a second: a longer run or a higher rate",
                       rule->max_s, rule->qps);
    return 0;
}

/* Halvings: the rate is known to a hundredth of the capacity. */
#define PEAK_STEPS 7

static double least(double a, double b)
{
    return a < b ? a : b;
}

int load_find_peak(struct arena *a, const struct load_target *t, struct load_rule *rule,
                   struct load_outcome *out, struct err *e)
{
    struct load_rule closed = *rule, step = *rule;
    struct load_outcome trial;
    double until_s = t->now_s(t->self) + rule->max_s;
    closed.scenario = LOAD_SINGLE_STREAM;
    closed.max_s = least(rule->min_s / 4, rule->max_s / (PEAK_STEPS + 1));
    closed.min_s = least(closed.min_s, closed.max_s);
    rule->qps = 1;
    check(rule);
    if (take(a, &trial, e) || take(a, out, e) || play(t, &closed, &trial, e))
        return -1;
    double low = 0, high = trial.items_per_s / rule->batch;
    for (int i = 0; i < PEAK_STEPS; i++) {
        struct load_outcome spare = trial;
        trial = (struct load_outcome){.latency_s = spare.latency_s,
                                      .service_s = spare.service_s,
                                      .scheduled_s = spare.scheduled_s};
        double left_s = until_s - t->now_s(t->self);
        if (left_s <= 0) {
            out->long_enough = false; /* the search was cut short */
            break;
        }
        step.max_s = left_s / (PEAK_STEPS - i);
        step.qps = low + (high - low) / 2;
        if (play(t, &step, &trial, e))
            return -1;
        if (trial.holds && trial.queries > 0) {
            low = step.qps;
            spare = *out;
            *out = trial;
            trial = spare;
        } else {
            high = step.qps;
        }
    }
    rule->qps = low;
    return 0;
}
