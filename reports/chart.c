/* chart: layout. Sizes are in pixels of the page. */
#include "reports/chart.h"

#include "reports/axis.h"
#include "reports/human.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 13.0
#define HEAD_ROW 22.0
#define PANEL_GAP 20.0
#define RIGHT_MARGIN 14.0
#define NARROW 560.0 /* below it labels stand above bars, and fewer ticks fit */

static const struct plot_pen grid_pen = {.ink = PLOT_GRID, .width = 1};
static const struct plot_pen axis_pen = {.ink = PLOT_AXIS, .width = 1};

/* Tenths of a pixel are finer than any screen, and make short numbers. */
static double px(double v)
{
    return floor(v * 10 + 0.5) / 10;
}

static struct plot_point at(double x, double y)
{
    return (struct plot_point){px(x), px(y)};
}

static void say(struct plot *p, double x, double y, const char *s, enum plot_anchor anchor)
{
    plot_label(p, at(x, y), s,
               &(struct plot_type){.ink = PLOT_TEXT, .size = TEXT_SIZE, .anchor = anchor});
}

/* ---- the head: a title, then a key that flows over as many rows as it needs ---- */

struct head {
    struct plot *p; /* NULL: only measure */
    double left, right, x, y;
};

static void head_title(struct head *h, const char *title, const char *unit)
{
    char s[160];
    snprintf(s, sizeof s, unit && *unit ? "%.90s, %.40s" : "%.90s", title, unit);
    if (h->p)
        plot_label(h->p, at(h->left, h->y + 14), s,
                   &(struct plot_type){.ink = PLOT_TITLE, .size = TEXT_SIZE, .bold = true});
    h->x = h->left + plot_label_width(s, TEXT_SIZE) * 1.08 + 18;
}

enum swatch { SWATCH_BOX, SWATCH_LINE, SWATCH_BAND, SWATCH_DASH };

struct key {
    const char *label;
    enum swatch swatch;
    enum plot_ink ink;
};

static void draw_swatch(const struct head *h, const struct key *k)
{
    if (k->swatch == SWATCH_BOX) {
        plot_box(h->p, at(h->x, h->y + 4), at(h->x + 12, h->y + 15), k->ink);
        return;
    }
    if (k->swatch == SWATCH_BAND)
        plot_box(h->p, at(h->x, h->y + 4), at(h->x + 16, h->y + 15), PLOT_PALE + k->ink);
    plot_line(h->p, at(h->x, h->y + 9.5), at(h->x + 16, h->y + 9.5),
              &(struct plot_pen){.ink = k->ink, .width = 2, .dashed = k->swatch == SWATCH_DASH});
}

static void head_key(struct head *h, const struct key *k)
{
    double swatch = k->swatch == SWATCH_BOX ? 12 : 16;
    double width = swatch + 6 + plot_label_width(k->label, TEXT_SIZE);
    if (h->x + width > h->right && h->x > h->left) {
        h->x = h->left;
        h->y += HEAD_ROW;
    }
    if (h->p) {
        draw_swatch(h, k);
        say(h->p, h->x + swatch + 6, h->y + 14, k->label, PLOT_START);
    }
    h->x += width + 16;
}

static double draw_head(struct head h, const struct chart_panel *panel)
{
    double top = h.y;
    head_title(&h, panel->title, panel->unit);
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct chart_series *s = &panel->series[i];
        struct key k = {s->label,
                        s->shape == CHART_AREA             ? SWATCH_BOX
                        : s->low || s->shape == CHART_FILL ? SWATCH_BAND
                        : s->dashed                        ? SWATCH_DASH
                                                           : SWATCH_LINE,
                        s->ink};
        head_key(&h, &k);
    }
    for (size_t i = 0; i < panel->n_rules; i++)
        head_key(&h, &(struct key){panel->rules[i].label, SWATCH_DASH, PLOT_RED});
    return h.y - top + HEAD_ROW + 4;
}

/* ---- series ---- */

/* Neighbouring bins put together until there are no more than pixels for them. */
struct bins {
    size_t n, by;
    double step;
};

struct area {
    struct plot *p;
    double left, right, top, bottom;
    double horizon;
    struct axis y;
};

static struct bins bins_for(const struct area *a, const struct chart_series *s)
{
    double pixels = a->right - a->left;
    struct bins b = {.by = 1};
    while ((double)(s->n / b.by) > pixels)
        b.by++;
    b.n = (s->n + b.by - 1) / b.by;
    b.step = (double)s->step * (double)b.by;
    return b;
}

/* of: -1 the least, 0 the mean, +1 the largest of bin i. NaN when none of it is known. */
static double bin_value(const struct chart_series *s, const double *values, struct bins b, size_t i,
                        int of)
{
    double sum = 0, best = (double)NAN;
    size_t known = 0;
    for (size_t k = i * b.by; k < s->n && k < (i + 1) * b.by; k++) {
        double v = values[k];
        if (!isfinite(v))
            continue;
        known++;
        sum += v;
        if (known == 1 || (of < 0 && v < best) || (of > 0 && v > best))
            best = v;
    }
    if (known == 0)
        return (double)NAN;
    return s->scale * (of == 0 ? sum / (double)known : best);
}

static double x_of(const struct area *a, double ns)
{
    double share = ns / a->horizon;
    return px(a->left + (share > 1 ? 1 : share) * (a->right - a->left));
}

static double y_of(const struct area *a, double v)
{
    return px(a->bottom - axis_place(&a->y, v) * (a->bottom - a->top));
}

/* A line under construction; a point in the middle of a level stretch is left out. */
struct path {
    struct plot_point *points;
    size_t n;
};

static void path_add(struct path *l, double x, double y)
{
    if (l->n > 0 && l->points[l->n - 1].x == x && l->points[l->n - 1].y == y)
        return;
    if (l->n > 1 && l->points[l->n - 1].y == y && l->points[l->n - 2].y == y)
        l->n--;
    l->points[l->n++] = (struct plot_point){x, y};
}

static void path_stroke(struct path *l, const struct area *a, const struct chart_series *s)
{
    plot_lines(a->p, l->points, l->n,
               &(struct plot_pen){.ink = s->ink, .width = 1.8, .dashed = s->dashed});
    l->n = 0;
}

/* How many bins lie between two samples as a rule. Windows that are longer than a bin leave bins
 * without a value that are no gaps; a longer silence is one. */
static size_t sample_distance(const struct chart_series *s, struct bins b)
{
    size_t known = 0, first = 0, last = 0;
    for (size_t i = 0; i < b.n; i++) {
        if (!isfinite(bin_value(s, s->y, b, i, 0)))
            continue;
        first = known++ ? first : i;
        last = i;
    }
    if (known < 2)
        return 1;
    /* A few gaps in a dense series must not close themselves. */
    double distance = ceil((double)(last - first) / (double)(known - 1) - 0.05);
    return distance > 1 ? (size_t)distance : 1;
}

/* A value with no other near it: a line through its bin, or it would not be seen. */
static void dash(const struct area *a, struct path *l, double from, double step)
{
    double y = l->points[0].y;
    l->n = 0;
    path_add(l, x_of(a, from), y);
    path_add(l, x_of(a, from + step), y);
}

static void draw_line(const struct area *a, const struct chart_series *s, struct path *l)
{
    struct bins b = bins_for(a, s);
    size_t distance = sample_distance(s, b), last = 0;
    bool steps = s->shape != CHART_LINE;
    for (size_t i = 0; i < b.n; i++) {
        double v = bin_value(s, s->y, b, i, s->peaks ? 1 : 0), from = (double)i * b.step;
        if (!isfinite(v))
            continue;
        if (l->n > 0 && i - last > distance) {
            if (l->n == 1)
                dash(a, l, (double)last * b.step, b.step);
            path_stroke(l, a, s);
        }
        path_add(l, x_of(a, steps ? from : from + b.step / 2), y_of(a, v));
        if (steps)
            path_add(l, x_of(a, from + b.step), y_of(a, v));
        last = i;
    }
    if (l->n == 1)
        dash(a, l, (double)last * b.step, b.step);
    path_stroke(l, a, s);
}

/* Values by bin; the layout never makes more bins than the widest chart has pixels. */
#define EDGE_BINS 2048

struct edges {
    double low[EDGE_BINS], high[EDGE_BINS];
};

/* Bins first..end-1 of a filled shape, along its upper edge and back along the lower one. */
static void fill_edges(const struct area *a, struct path *l, const struct edges *edge, size_t first,
                       size_t end, double step, enum plot_ink ink)
{
    l->n = 0;
    for (size_t i = first; i < end; i++) {
        path_add(l, x_of(a, (double)i * step), y_of(a, edge->high[i]));
        path_add(l, x_of(a, (double)(i + 1) * step), y_of(a, edge->high[i]));
    }
    for (size_t i = end; i-- > first;) {
        path_add(l, x_of(a, (double)(i + 1) * step), y_of(a, edge->low[i]));
        path_add(l, x_of(a, (double)i * step), y_of(a, edge->low[i]));
    }
    plot_polygon(a->p, l->points, l->n, ink);
    l->n = 0;
}

static void draw_band(const struct area *a, const struct chart_series *s, struct path *l,
                      struct edges *edge)
{
    struct bins b = bins_for(a, s);
    size_t first = 0;
    if (sample_distance(s, b) > 1)
        return; /* a sample a bin: there is no spread to show */
    for (size_t i = 0; i <= b.n; i++) {
        if (i < b.n) {
            edge->low[i] = bin_value(s, s->low, b, i, -1);
            edge->high[i] = bin_value(s, s->high, b, i, 1);
            if (isfinite(edge->low[i]) && isfinite(edge->high[i]))
                continue;
        }
        if (i > first)
            fill_edges(a, l, edge, first, i, b.step, PLOT_PALE + s->ink);
        first = i + 1;
    }
}

static void draw_fill(const struct area *a, const struct chart_series *s, struct path *l,
                      struct edges *edge)
{
    struct bins b = bins_for(a, s);
    memset(edge, 0, sizeof *edge);
    for (size_t i = 0; i < b.n; i++) {
        double v = bin_value(s, s->y, b, i, s->peaks ? 1 : 0);
        edge->high[i] = isfinite(v) ? v : 0;
    }
    fill_edges(a, l, edge, 0, b.n, b.step, PLOT_PALE + s->ink);
}

static void draw_areas(const struct area *a, const struct chart_panel *panel, struct path *l,
                       struct edges *edge)
{
    memset(edge, 0, sizeof *edge);
    for (size_t k = 0; k < panel->n_series; k++) {
        const struct chart_series *s = &panel->series[k];
        if (s->shape != CHART_AREA)
            continue;
        struct bins b = bins_for(a, s);
        for (size_t i = 0; i < b.n; i++) {
            double v = bin_value(s, s->y, b, i, s->peaks ? 1 : 0);
            edge->high[i] = edge->low[i] + (isfinite(v) ? v : 0);
        }
        fill_edges(a, l, edge, 0, b.n, b.step, s->ink);
        memcpy(edge->low, edge->high, sizeof edge->low);
    }
}

/* ---- panels ---- */

static double largest(const struct chart_panel *panel)
{
    double most = 0, stacked = 0;
    for (size_t k = 0; k < panel->n_series; k++) {
        const struct chart_series *s = &panel->series[k];
        const double *v = s->high ? s->high : s->y;
        double own = 0;
        for (size_t i = 0; i < s->n; i++) {
            if (isfinite(v[i]) && v[i] * s->scale > own)
                own = v[i] * s->scale;
        }
        if (s->shape == CHART_AREA)
            stacked += own; /* an upper bound: peaks may not coincide */
        else
            most = fmax(most, own);
    }
    for (size_t k = 0; k < panel->n_rules; k++)
        most = fmax(most, panel->rules[k].y);
    return fmax(most, stacked);
}

/* The least positive value: the low end of a logarithmic axis. */
static double smallest(const struct chart_panel *panel, double high)
{
    double low = high;
    for (size_t k = 0; k < panel->n_series; k++) {
        const struct chart_series *s = &panel->series[k];
        for (size_t i = 0; i < s->n; i++) {
            if (isfinite(s->y[i]) && s->y[i] > 0)
                low = fmin(low, s->y[i] * s->scale);
        }
    }
    return low;
}

static double stacked_peak(const struct chart_panel *panel)
{
    size_t n = 0;
    for (size_t k = 0; k < panel->n_series; k++)
        n = panel->series[k].n > n ? panel->series[k].n : n;
    double most = 0;
    for (size_t k = 0; k < panel->n_rules; k++)
        most = fmax(most, panel->rules[k].y);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < panel->n_series; k++) {
            const struct chart_series *s = &panel->series[k];
            if (s->shape != CHART_AREA)
                return largest(panel);
            sum += i < s->n && isfinite(s->y[i]) ? s->y[i] * s->scale : 0;
        }
        most = fmax(most, sum);
    }
    return most;
}

static struct axis panel_axis(const struct chart_panel *panel)
{
    struct axis a;
    double high = stacked_peak(panel);
    if (panel->log && high > 0)
        axis_log(&a, smallest(panel, high), high);
    else
        axis_linear(&a, high, panel->height < 110 ? 4 : 5, panel->whole);
    if (panel->seconds)
        axis_label_latency(&a);
    return a;
}

static void draw_grid(const struct area *a, const struct axis *time)
{
    for (size_t i = 0; i < a->y.n; i++) {
        double y = y_of(a, a->y.tick[i].at);
        plot_line(a->p, at(a->left, y), at(a->right, y), &grid_pen);
        say(a->p, a->left - 8, y + 4.5, a->y.tick[i].label, PLOT_END);
    }
    for (size_t i = 0; i < time->n; i++) {
        double x = x_of(a, time->tick[i].at);
        if (x > a->left + 1)
            plot_line(a->p, at(x, a->top), at(x, a->bottom), &grid_pen);
    }
}

/* Named in the head: a name on the line would hide data. */
static void draw_rule(const struct area *a, const struct chart_rule *r)
{
    double y = y_of(a, r->y);
    plot_line(a->p, at(a->left, y), at(a->right, y),
              &(struct plot_pen){.ink = PLOT_RED, .width = 1.6, .dashed = true});
}

static void draw_panel(const struct area *a, const struct chart_panel *panel,
                       const struct axis *time, struct path *l, struct edges *edge)
{
    for (size_t k = 0; k < panel->n_series; k++) {
        const struct chart_series *s = &panel->series[k];
        if (s->shape == CHART_FILL)
            draw_fill(a, s, l, edge);
        else if (s->shape != CHART_AREA && s->low)
            draw_band(a, s, l, edge);
    }
    draw_grid(a, time);
    draw_areas(a, panel, l, edge);
    plot_line(a->p, at(a->left, a->bottom), at(a->right, a->bottom), &axis_pen);
    for (size_t k = 0; k < panel->n_series; k++) {
        if (panel->series[k].shape != CHART_AREA)
            draw_line(a, &panel->series[k], l);
    }
    for (size_t k = 0; k < panel->n_rules; k++)
        draw_rule(a, &panel->rules[k]);
}

static void draw_time_labels(const struct area *a, const struct axis *time, const char *zone_name)
{
    double free_from = 0;
    for (size_t i = 0; i < time->n; i++) {
        const struct axis_tick *t = &time->tick[i];
        double x = x_of(a, t->at);
        plot_line(a->p, at(x, a->bottom), at(x, a->bottom + 4), &axis_pen);
        double half = plot_label_width(t->label, TEXT_SIZE) / 2;
        if (x + half > a->right + RIGHT_MARGIN)
            continue;
        say(a->p, x, a->bottom + 17, t->label, PLOT_MIDDLE);
        double below = plot_label_width(t->below, TEXT_SIZE) / 2;
        if (!*t->below || x - below < free_from || x + below > a->right + RIGHT_MARGIN)
            continue;
        say(a->p, x, a->bottom + 33, t->below, PLOT_MIDDLE);
        free_from = x + below + 8;
    }
    if (zone_name)
        say(a->p, a->right, a->bottom + 50, zone_name, PLOT_END);
}

struct layout {
    double left, height;
    struct axis time;
};

static struct layout lay_out(const struct chart_time *c)
{
    struct layout l = {.left = 64, .height = 4}; /* alike, so that charts line up */
    for (size_t i = 0; i < c->n_panels; i++) {
        struct axis y = panel_axis(&c->panels[i]);
        for (size_t k = 0; k < y.n; k++)
            l.left = fmax(l.left, plot_label_width(y.tick[k].label, TEXT_SIZE) + 14);
        struct head h = {.left = 0, .right = c->frame.width - 4, .y = 0};
        l.height += draw_head(h, &c->panels[i]) + c->panels[i].height + PANEL_GAP;
    }
    l.height += 36;
    double width = c->frame.width - l.left - RIGHT_MARGIN;
    axis_local_time(&l.time,
                    &(struct axis_time){c->horizon, c->epoch_s, c->zone, (size_t)(width / 62)});
    return l;
}

struct plot *chart_open(const struct chart_frame *f, double height, struct err *e)
{
    return plot_open(&(struct plot_page){.format = f->format,
                                         .width = f->width,
                                         .height = height,
                                         .scale = f->scale,
                                         .id = f->id,
                                         .title = f->title,
                                         .desc = f->desc,
                                         .css_class = f->css_class},
                     e);
}

static void draw_panels(const struct chart_time *c, const struct layout *l, struct plot *p,
                        struct path *line, struct edges *edge)
{
    double y = 4;
    for (size_t i = 0; i < c->n_panels; i++) {
        const struct chart_panel *panel = &c->panels[i];
        struct head h = {.p = p, .left = 0, .right = c->frame.width - 4, .y = y};
        y += draw_head(h, panel);
        struct area a = {.p = p,
                         .left = l->left,
                         .right = c->frame.width - RIGHT_MARGIN,
                         .top = y,
                         .bottom = y + panel->height,
                         .horizon = (double)c->horizon,
                         .y = panel_axis(panel)};
        draw_panel(&a, panel, &l->time, line, edge);
        y += panel->height + PANEL_GAP;
        if (i + 1 == c->n_panels)
            draw_time_labels(&a, &l->time, c->zone_name);
    }
}

int chart_over_time(const struct chart_time *c, struct text *to, struct err *e)
{
    assert(c && c->n_panels > 0 && c->horizon > 0 && c->frame.width >= 200 &&
           c->frame.width < EDGE_BINS);
    struct layout l = lay_out(c);
    struct path line = {.points = malloc((4 * EDGE_BINS + 8) * sizeof *line.points)};
    struct edges *edge = malloc(sizeof *edge);
    struct plot *p = NULL;
    int status = -1;
    if (!line.points || !edge) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for chart \"%s\"", c->frame.title);
        goto out;
    }
    p = chart_open(&c->frame, l.height, e);
    if (!p)
        goto out;
    draw_panels(c, &l, p, &line, edge);
    status = plot_close(p, to, e);
out:
    free(edge);
    free(line.points);
    return status;
}

/* ---- bars ---- */

struct bars {
    const struct chart_bars *c;
    struct plot *p;
    double left, right, row; /* of the axis; height of a row */
    bool above;              /* labels stand above their bars */
    struct axis x;
};

static struct bars lay_out_bars(const struct chart_bars *c)
{
    double label = 0, note = 0, high = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct chart_row *r = &c->rows[i];
        label = fmax(label, plot_label_width(r->label, TEXT_SIZE) * (r->strong ? 1.1 : 1));
        note = fmax(note, r->note ? plot_label_width(r->note, TEXT_SIZE) : 0);
        for (size_t k = 0; k < r->n_segments; k++)
            high = fmax(high, r->segments[k].to);
    }
    struct bars b = {.c = c, .above = c->frame.width < NARROW || label > c->frame.width * 0.35};
    b.row = b.above ? 42 : 28;
    b.left = b.above ? 2 : label + 12;
    b.right = c->frame.width - (note > 0 ? note + 12 : RIGHT_MARGIN);
    size_t most = (size_t)fmax(2, (b.right - b.left) / 70);
    if (most >= AXIS_TICKS)
        most = AXIS_TICKS - 1;
    if (c->unit && strcmp(c->unit, "s") == 0)
        axis_seconds(&b.x, high, most);
    else
        axis_linear(&b.x, high, most, false);
    return b;
}

static double bar_x(const struct bars *b, double v)
{
    return px(b->left + axis_place(&b->x, v) * (b->right - b->left));
}

static void draw_row(const struct bars *b, const struct chart_row *r, double y)
{
    double top = y + (b->above ? 20 : 5), bottom = top + 17, end = b->left;
    plot_label(b->p, b->above ? at(b->left, y + 14) : at(b->left - 10, top + 13), r->label,
               &(struct plot_type){.ink = r->strong ? PLOT_TITLE : PLOT_TEXT,
                                   .size = TEXT_SIZE,
                                   .anchor = b->above ? PLOT_START : PLOT_END,
                                   .bold = r->strong});
    for (size_t k = 0; k < r->n_segments; k++) {
        const struct chart_segment *s = &r->segments[k];
        double from = bar_x(b, s->from), to = bar_x(b, s->to);
        /* A hair of paper between neighbours, unless that would hide the part. */
        if (to > from)
            plot_box(b->p, at(from, top), at(to - from > 3 ? to - 1 : to, bottom), s->ink);
        end = fmax(end, to);
    }
    if (r->note)
        say(b->p, end + 7, top + 13, r->note, PLOT_START);
}

static double draw_keys(const struct chart_bars *c, struct plot *p, double y)
{
    double top = y;
    struct head h = {.p = p, .left = 0, .right = c->frame.width - 4, .y = y};
    head_title(&h, c->heading, c->unit && strcmp(c->unit, "s") == 0 ? NULL : c->unit);
    for (size_t i = 0; i < c->n_keys; i++) {
        head_key(&h, &(struct key){c->keys[i].label, SWATCH_BOX, c->keys[i].ink});
    }
    return h.y - top + HEAD_ROW + 4;
}

static void draw_bars(const struct bars *b, double top, double bottom)
{
    for (size_t i = 0; i < b->x.n; i++) {
        double x = bar_x(b, b->x.tick[i].at);
        if (i > 0 || !b->above) /* labels begin at 0 when they stand above */
            plot_line(b->p, at(x, top), at(x, bottom), i == 0 ? &axis_pen : &grid_pen);
        bool first = i == 0 && b->above; /* would be cut at the left edge */
        say(b->p, first ? x - 2 : x, bottom + 17, b->x.tick[i].label,
            first ? PLOT_START : PLOT_MIDDLE);
    }
    for (size_t i = 0; i < b->c->n_rows; i++)
        draw_row(b, &b->c->rows[i], top + (double)i * b->row);
}

int chart_of_bars(const struct chart_bars *c, struct text *to, struct err *e)
{
    assert(c && c->n_rows > 0 && c->frame.width >= 200);
    struct bars b = lay_out_bars(c);
    double head = draw_keys(c, NULL, 4) + 4, rows = (double)c->n_rows * b.row + 4;
    b.p = chart_open(&c->frame, head + rows + 26, e);
    if (!b.p)
        return -1;
    draw_keys(c, b.p, 4);
    draw_bars(&b, head, head + rows);
    return plot_close(b.p, to, e);
}
