/* compare: rows in the order of a's figures, then what only b has. */
#include "reports/compare.h"

#include "reports/human.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/stats.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double per_replication(const struct result *r, const struct figure *f)
{
    return f->merge == FIGURE_SUM && r->replications > 0 ? f->value / r->replications : f->value;
}

/* Room for all paths of both; a's first. */
static int take_rows(struct compare *c, const struct result *a, const struct result *b,
                     struct arena *arena, struct err *e)
{
    *c = (struct compare){.name_a = a->name, .name_b = b->name};
    c->rows = arena_take(arena, a->n_figures + b->n_figures, sizeof *c->rows, e);
    if (!c->rows)
        return -1;
    for (size_t i = 0; i < a->n_figures + b->n_figures; i++) {
        bool second = i >= a->n_figures;
        const struct figure *f = second ? &b->figures[i - a->n_figures] : &a->figures[i];
        if (second && result_figure(a, f->path))
            continue;
        c->rows[c->n++] = (struct compare_row){.path = f->path,
                                               .unit = f->unit,
                                               .a = (double)NAN,
                                               .b = (double)NAN,
                                               .low = (double)NAN,
                                               .high = (double)NAN};
    }
    return 0;
}

static void judge(struct compare_row *row)
{
    if (isfinite(row->low))
        row->moved = row->low > 0 || row->high < 0;
    else
        row->moved = row->a != row->b && !(isnan(row->a) && isnan(row->b));
}

/* Differences of the replications that have the figure on both sides, and the means of each. */
static void pair_row(struct compare_row *row, const struct result *const *a,
                     const struct result *const *b, size_t n, double *differences)
{
    double sum_a = 0, sum_b = 0;
    size_t n_a = 0, n_b = 0, pairs = 0;
    for (size_t i = 0; i < n; i++) {
        const struct figure *fa = result_figure(a[i], row->path),
                            *fb = result_figure(b[i], row->path);
        sum_a += fa ? per_replication(a[i], fa) : 0;
        sum_b += fb ? per_replication(b[i], fb) : 0;
        n_a += fa != NULL;
        n_b += fb != NULL;
        if (fa && fb)
            differences[pairs++] = per_replication(b[i], fb) - per_replication(a[i], fa);
    }
    row->a = n_a ? sum_a / (double)n_a : (double)NAN;
    row->b = n_b ? sum_b / (double)n_b : (double)NAN;
    if (pairs >= 2) {
        double half = stats_half_width(differences, pairs), mean = stats_mean(differences, pairs);
        row->low = mean - half;
        row->high = mean + half;
    }
    judge(row);
}

int compare_paired(struct compare *c, const struct result *const *a, const struct result *const *b,
                   size_t n, struct arena *arena, struct err *e)
{
    assert(c && a && b && n > 0 && arena && e);
    if (take_rows(c, a[0], b[0], arena, e) != 0)
        return -1;
    c->paired = true;
    double *differences = arena_take(arena, n, sizeof *differences, e);
    if (!differences)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        pair_row(&c->rows[i], a, b, n, differences);
    return 0;
}

int compare_merged(struct compare *c, const struct result *a, const struct result *b,
                   struct arena *arena, struct err *e)
{
    assert(c && a && b && arena && e);
    if (take_rows(c, a, b, arena, e) != 0)
        return -1;
    for (size_t i = 0; i < c->n; i++) {
        struct compare_row *row = &c->rows[i];
        const struct figure *fa = result_figure(a, row->path), *fb = result_figure(b, row->path);
        row->a = fa ? per_replication(a, fa) : (double)NAN;
        row->b = fb ? per_replication(b, fb) : (double)NAN;
        if (fa && fb && fa->has_interval && fb->has_interval) {
            double ha = (fa->high - fa->low) / 2, hb = (fb->high - fb->low) / 2;
            double half = sqrt(ha * ha + hb * hb);
            row->low = row->b - row->a - half;
            row->high = row->b - row->a + half;
        }
        judge(row);
    }
    return 0;
}

/* ---- text ---- */

/* "+12.3 %" of a; "" when a is 0 or one side is missing. */
static struct human change(const struct compare_row *r)
{
    struct human out = {""};
    double share = (r->b - r->a) / fabs(r->a);
    if (isfinite(share))
        snprintf(out.s, sizeof out.s, "%+.*f %%", fabs(share) < 0.1 ? 2 : 1, 100 * share);
    return out;
}

static void column(struct text *to, const char *s, size_t width, bool right)
{
    size_t fits = human_columns(s) > width ? human_fit(s, width) : strlen(s);
    char kept[256];
    snprintf(kept, sizeof kept, "%.*s", (int)fits, s);
    int gap = (int)(width - (human_columns(kept) < width ? human_columns(kept) : width));
    text_printf(to, "%*s", right ? gap : 0, "");
    for (const char *c = kept; *c; c++)
        text_add_bytes(to, (unsigned char)*c < 0x20 || *c == 0x7F ? "?" : c, 1);
    text_printf(to, "%*s", right ? 0 : gap, "");
}

static void text_row(const struct compare_row *r, struct text *to)
{
    struct human a = human_value(r->a, r->unit), b = human_value(r->b, r->unit), by = change(r);
    column(to, r->path, 36, false);
    column(to, isnan(r->a) ? "-" : a.s, 15, true);
    column(to, isnan(r->b) ? "-" : b.s, 15, true);
    column(to, by.s, 12, true);
    text_add(to, "\n");
}

void compare_text(const struct compare *c, bool colour, struct text *to)
{
    assert(c && to);
    size_t moved = 0;
    for (size_t i = 0; i < c->n; i++)
        moved += c->rows[i].moved;
    text_add(to, colour ? "\033[1m" : "");
    column(to, "moved", 36, false);
    column(to, c->name_a ? c->name_a : "A", 15, true);
    column(to, c->name_b ? c->name_b : "B", 15, true);
    column(to, "change", 12, true);
    text_add(to, colour ? "\033[0m\n" : "\n");
    for (size_t i = 0; i < c->n; i++) {
        if (c->rows[i].moved)
            text_row(&c->rows[i], to);
    }
    text_printf(to, "%zu of %zu %s moved by more than chance explains (95 %%, %s).\n", moved, c->n,
                text_plural(c->n, "figure", "figures"),
                c->paired ? "paired by replication" : "as if independent");
}

/* ---- JSON ---- */

static void number(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    json_out_number(o, v);
}

void compare_json(const struct compare *c, struct text *to)
{
    assert(c && to);
    struct json_out o;
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    json_out_key(&o, "schema");
    json_out_string(&o, "sluice.compare/1");
    json_out_key(&o, "a");
    json_out_string(&o, c->name_a);
    json_out_key(&o, "b");
    json_out_string(&o, c->name_b);
    json_out_key(&o, "paired");
    json_out_bool(&o, c->paired);
    json_out_key(&o, "figures");
    json_out_open(&o, "[");
    for (size_t i = 0; i < c->n; i++) {
        const struct compare_row *r = &c->rows[i];
        json_out_open(&o, "{");
        json_out_key(&o, "path");
        json_out_string(&o, r->path);
        json_out_key(&o, "unit");
        json_out_string(&o, r->unit);
        number(&o, "a", r->a);
        number(&o, "b", r->b);
        number(&o, "difference", r->b - r->a);
        number(&o, "low", r->low);
        number(&o, "high", r->high);
        json_out_key(&o, "moved");
        json_out_bool(&o, r->moved);
        json_out_close(&o, "}");
    }
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}
