/* bench_chart: the roofline of steps. */
#include "scenarios/cli/bench_chart.h"

#include "reports/roofline.h"
#include "scenarios/cli/show.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const enum plot_ink inks[] = {
    [STEP_CONV] = PLOT_BLUE,      [STEP_POOL] = PLOT_ORANGE,    [STEP_LINEAR] = PLOT_GREEN,
    [STEP_EMBEDDING] = PLOT_PINK, [STEP_LAYER_NORM] = PLOT_SKY, [STEP_ATTENTION] = PLOT_RED};
#define KINDS 6

static size_t keys_of(const struct bench_chart *c, struct chart_key keys[KINDS])
{
    bool there[KINDS] = {false};
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        there[c->rows[i].kind] = true;
    for (int k = 0; k < KINDS; k++)
        if (there[k])
            keys[n++] = (struct chart_key){step_bench_kind((enum step_kind)k), inks[k]};
    return n;
}

/* What was measured as the peak is no less than what a step then reached: on a busy machine the
 * peak may have had the worse moment. A step whose data a cache holds says nothing of the memory,
 * unless nothing else does. */
static void raise_roof(const struct step_bench_row *rows, size_t n, struct roofline *r)
{
    bool memory_known = r->gb_per_s > 0;
    for (size_t i = 0; i < n; i++) {
        double gflops = rows[i].flop / rows[i].time_s * 1e-9;
        double gb_per_s = rows[i].bytes / rows[i].time_s * 1e-9;
        r->peak_gflops = gflops > r->peak_gflops ? gflops : r->peak_gflops;
        r->gb_per_s = !memory_known && gb_per_s > r->gb_per_s ? gb_per_s : r->gb_per_s;
    }
}

/* Back to back a small step finds its data in a cache, of which the memory's roof says nothing:
 * such a one is drawn by its time with a cold cache. */
static bool is_fed_by_cache(const struct bench_chart *c, const struct step_bench_row *r)
{
    return c->peak->gb_per_s > 0 && r->cold_s > r->time_s &&
           r->bytes / r->time_s * 1e-9 > c->peak->gb_per_s;
}

void bench_chart_raise(const struct step_bench_row *rows, size_t n, struct peak *p)
{
    for (size_t i = 0; i < n && p->gflops > 0; i++)
        peak_raise(p, rows[i].flop / rows[i].time_s * 1e-9,
                   rows[i].cold_s > 0 ? rows[i].bytes / rows[i].cold_s * 1e-9 : 0);
}

static int draw(const struct bench_chart *c, enum plot_format format, struct text *to,
                struct err *e)
{
    struct roofline_point points[STEP_BENCH_MAX];
    struct chart_key keys[KINDS];
    char heading[200];
    bool cold = false;
    for (size_t i = 0; i < c->n; i++) {
        const struct step_bench_row *r = &c->rows[i];
        double time_s = is_fed_by_cache(c, r) ? r->cold_s : r->time_s;
        cold |= is_fed_by_cache(c, r);
        points[i] = (struct roofline_point){r->name, inks[r->kind], r->flop / r->bytes,
                                            r->flop / time_s * 1e-9, r->share};
    }
    snprintf(heading, sizeof heading, "%s, batch %d, on %.80s; area: share of the time%s", c->model,
             (int)c->batch, c->device, cold ? "; what a cache feeds: cold" : "");
    struct roofline r = {
        .frame = {.format = format,
                  .width = 960,
                  .scale = 1.5,
                  .id = "roofline",
                  .title = "Roofline",
                  .desc = "What each step reached, under what memory and arithmetic allow at most"},
        .heading = heading,
        .peak_gflops = c->peak->gflops,
        .gb_per_s = c->peak->gb_per_s,
        .keys = keys,
        .n_keys = keys_of(c, keys),
        .points = points,
        .n = c->n};
    raise_roof(c->rows, c->n, &r);
    return roofline_draw(&r, to, e);
}

int bench_chart_write(const struct bench_chart *c, const char *file, struct err *e)
{
    struct text t = {0};
    int rc = draw(c, show_is_png(file) ? PLOT_PNG : PLOT_SVG, &t, e) || text_end(&t, e) ||
             show_write(file, &t, e);
    text_fini(&t);
    return rc ? -1 : 0;
}

#define TEXT_ROWS 12

void bench_chart_text(const struct bench_chart *c, struct text *to)
{
    text_printf(to, "\n%-34s %-12s %5s %9s %9s %8s %7s %6s\n", "step", "kind", "times", "ms each",
                "cold", "GFLOP/s", "GB/s", "time");
    for (size_t i = 0; i < c->n && i < TEXT_ROWS; i++) {
        const struct step_bench_row *r = &c->rows[i];
        text_printf(to, "%-34.34s %-12s %5zu %9.4f %9.4f %8.1f %7.1f %4.0f %%\n", r->name,
                    step_bench_kind(r->kind), r->count, r->time_s * 1e3, r->cold_s * 1e3,
                    r->flop / r->time_s * 1e-9, r->bytes / r->time_s * 1e-9, 100 * r->share);
    }
    if (c->n > TEXT_ROWS)
        text_printf(to, "and %zu more\n", c->n - TEXT_ROWS);
    if (c->peak->gflops == 0)
        text_add(to, "The roof is the most that a step reached: no peak was measured.\n");
    if (c->left_out > 0)
        text_printf(to, "%zu kind(s) of steps left out: --max-duration was up\n", c->left_out);
}
