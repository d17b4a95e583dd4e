/* merge: one result from several replications. */
#include "sim/merge.h"

#include "sim/arena.h"
#include "sim/digest.h"
#include "sim/err.h"
#include "sim/stats.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replications nearly always hold the same paths in the same places, so that place is tried
 * before the search. */
static const struct figure *figure_near(const struct result *r, const char *path, size_t place)
{
    if (place < r->n_figures && strcmp(r->figures[place].path, path) == 0)
        return &r->figures[place];
    return result_figure(r, path);
}

/* A figure of the `rep`-th replication is new if no earlier one has it. */
static bool first_seen(const struct result *const *reps, size_t rep, size_t place)
{
    const char *path = reps[rep]->figures[place].path;
    for (size_t k = 0; k < rep; k++)
        if (figure_near(reps[k], path, place))
            return false;
    return true;
}

static double extreme(const double *x, size_t n, bool largest)
{
    double best = x[0];
    for (size_t i = 1; i < n; i++)
        if (largest ? x[i] > best : x[i] < best)
            best = x[i];
    return best;
}

static struct figure merge_values(const struct figure *first, const double *x, size_t n)
{
    struct figure f = {.path = first->path, .unit = first->unit, .merge = first->merge};
    double mean = stats_mean(x, n);
    switch (f.merge) {
    case FIGURE_MEAN:
        f.value = mean;
        break;
    case FIGURE_SUM:
        for (size_t i = 0; i < n; i++)
            f.value += x[i];
        break;
    case FIGURE_MAX:
    case FIGURE_MIN:
        f.value = extreme(x, n, f.merge == FIGURE_MAX);
        return f;
    }
    if (n >= 2) {
        double half = stats_half_width(x, n);
        f.has_interval = true;
        f.low = mean - half;
        f.high = mean + half;
        /* A symmetric interval of few replications reaches beyond what can be: no time below 0, no
         * share above 1. */
        if (f.low < 0 && extreme(x, n, false) >= 0)
            f.low = 0;
        if (f.high > 1 && f.unit && strcmp(f.unit, "1") == 0 && extreme(x, n, true) <= 1)
            f.high = 1;
    }
    return f;
}

static struct figure merge_figure(const struct result *const *reps, size_t n,
                                  const struct figure *first, size_t place, double *x)
{
    size_t have = 0;
    for (size_t k = 0; k < n; k++) {
        const struct figure *f = figure_near(reps[k], first->path, place);
        if (!f)
            continue;
        assert(f->merge == first->merge);
        x[have++] = f->value;
    }
    return merge_values(first, x, have);
}

static int merge_figures(struct result *out, const struct result *const *reps, size_t n, double *x,
                         struct err *e)
{
    size_t room = 0;
    for (size_t k = 0; k < n; k++)
        room += reps[k]->n_figures;
    out->n_figures = 0;
    /* Counted first, as nearly all of `room` is repetition. */
    size_t distinct = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < reps[k]->n_figures; i++)
            distinct += first_seen(reps, k, i);
    assert(distinct <= room);
    out->figures = arena_take(out->arena, distinct, sizeof *out->figures, e);
    if (!out->figures)
        return -1;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < reps[k]->n_figures; i++)
            if (first_seen(reps, k, i))
                out->figures[out->n_figures++] = merge_figure(reps, n, &reps[k]->figures[i], i, x);
    return 0;
}

/* Position of the replication with the median figure; 0 when none has it. Counting ranks takes
 * n^2 comparisons, which is nothing beside a run. */
static size_t median_replication(const struct result *const *reps, size_t n, const char *by_path)
{
    size_t have = 0;
    for (size_t k = 0; k < n; k++)
        have += by_path && result_figure(reps[k], by_path) != NULL;
    for (size_t k = 0; have > 0 && k < n; k++) {
        const struct figure *mine = result_figure(reps[k], by_path);
        if (!mine)
            continue;
        size_t below = 0;
        for (size_t i = 0; i < n; i++) {
            const struct figure *f = result_figure(reps[i], by_path);
            below += f && (f->value < mine->value || (f->value == mine->value && i < k));
        }
        if (below == (have - 1) / 2)
            return k;
    }
    return 0;
}

static bool has_code(const struct result *r, const char *code)
{
    for (size_t i = 0; i < r->n_findings; i++)
        if (strcmp(r->findings[i].code, code) == 0)
            return true;
    return false;
}

/* Is a code of replication `rep` told by the shown one, or by one before it? */
static bool code_told(const struct result *const *reps, size_t shown, size_t rep, const char *code)
{
    if (rep == shown)
        return false;
    if (has_code(reps[shown], code))
        return true;
    for (size_t k = 0; k < rep; k++)
        if (has_code(reps[k], code))
            return true;
    return false;
}

/* Words that all replications say alike are of the run, others of their replication. */
static int say_where(struct result *out, const struct result *const *reps, size_t n, size_t rep,
                     struct result_finding *f, struct err *e)
{
    size_t same = 0;
    char text[1400];
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < reps[k]->n_findings; i++)
            if (strcmp(reps[k]->findings[i].code, f->code) == 0 &&
                strcmp(reps[k]->findings[i].text, f->text) == 0) {
                same++;
                break;
            }
    if (same == n)
        return 0;
    snprintf(text, sizeof text, "In replication %zu: %.1300s", rep, f->text);
    f->text = arena_text(out->arena, text, strlen(text), e);
    return f->text ? 0 : -1;
}

/* All of the shown replication's findings; from the others what it does not speak of, each code
 * from the first replication that has it. */
static int merge_findings(struct result *out, const struct result *const *reps, size_t n,
                          size_t shown, struct err *e)
{
    size_t room = 0;
    for (size_t k = 0; k < n; k++)
        room += reps[k]->n_findings;
    out->findings = arena_take(out->arena, room, sizeof *out->findings, e);
    if (!out->findings)
        return -1;
    out->n_findings = reps[shown]->n_findings;
    if (out->n_findings > 0)
        memcpy(out->findings, reps[shown]->findings, out->n_findings * sizeof *out->findings);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; k != shown && i < reps[k]->n_findings; i++)
            if (!code_told(reps, shown, k, reps[k]->findings[i].code))
                out->findings[out->n_findings++] = reps[k]->findings[i];
    size_t at = 0;
    for (; at < reps[shown]->n_findings; at++)
        if (say_where(out, reps, n, shown, &out->findings[at], e))
            return -1;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; k != shown && i < reps[k]->n_findings; i++)
            if (!code_told(reps, shown, k, reps[k]->findings[i].code) &&
                say_where(out, reps, n, k, &out->findings[at++], e))
                return -1;
    return 0;
}

int merge_results(struct result *out, const struct result *const *replications, size_t n,
                  const char *by_path, struct err *e)
{
    assert(n > 0 && out->arena);
    struct arena *arena = out->arena;
    double *x = arena_take(arena, n, sizeof *x, e);
    if (!x)
        return -1;
    size_t shown = median_replication(replications, n, by_path);
    *out = *replications[shown];
    out->arena = arena;
    out->replications = (uint32_t)n;
    out->shown_replication = (uint32_t)shown;
    struct digest control = {0}, requests = {0};
    for (size_t k = 0; k < n; k++) {
        digest_u64(&control, replications[k]->control_digest);
        digest_u64(&requests, replications[k]->request_digest);
    }
    out->control_digest = digest_value(&control);
    out->request_digest = digest_value(&requests);
    if (merge_figures(out, replications, n, x, e))
        return -1;
    return merge_findings(out, replications, n, shown, e);
}
