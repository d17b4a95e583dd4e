/* picture: which series go into which chart, in which colour. */
#include "reports/picture.h"

#include "reports/human.h"
#include "sim/arena.h"
#include "sim/result.h"
#include "sim/zone.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_SERIES 8
#define SLOWEST_PODS 12
#define MAX_PHASES 16
#define MAX_TRACKS 2048 /* spans that are looked through for the slowest pods */

static const struct {
    const char *name, *title;
} pictures[PICTURES] = {
    [PICTURE_TRAFFIC] = {"traffic", "Traffic and replicas"},
    [PICTURE_LATENCY] = {"latency", "Latency"},
    [PICTURE_NODES] = {"nodes", "Nodes by billing"},
    [PICTURE_COST] = {"cost", "Cost, and other ways to serve the same traffic"},
    [PICTURE_STARTUP] = {"startup", "Startup of a pod"},
};

/* What a chart may show: the first path that is there is taken. */
struct line {
    const char *path, *otherwise; /* otherwise may be NULL */
    const char *label;
    enum chart_shape shape;
    enum plot_ink ink;
    bool band;  /* least to largest, behind the mean */
    bool peaks; /* the largest of each bin, not the mean */
};

static const struct line demand_lines[] = {
    {"traffic.qps", NULL, "arriving", CHART_LINE, PLOT_BLUE, true, false},
    {"metric.qps", NULL, "metric as the autoscaler saw it", CHART_LINE, PLOT_RED, false, false},
};
static const struct line replica_lines[] = {
    {"replicas.ready", "replicas.have", "ready", CHART_FILL, PLOT_BLUE, false, false},
    {"replicas.want", NULL, "wanted", CHART_STEP, PLOT_RED, false, false},
};
static const struct line latency_lines[] = {
    {"latency.p99", NULL, "p99", CHART_LINE, PLOT_BLUE, false, true},
    {"latency.p95", NULL, "p95", CHART_LINE, PLOT_SKY, false, true},
    {"latency.p50", NULL, "p50", CHART_LINE, PLOT_GREY, false, true},
};
static const struct line node_lines[] = {
    {"nodes.subscription", NULL, "subscription", CHART_AREA, PLOT_GREY, false, false},
    {"nodes.onDemand", NULL, "on demand", CHART_AREA, PLOT_BLUE, false, false},
    {"nodes.spot", NULL, "spot", CHART_AREA, PLOT_ORANGE, false, false},
    {"nodes.eciOnDemand", NULL, "ECI on demand", CHART_AREA, PLOT_GREEN, false, false},
    {"nodes.eciSpot", NULL, "ECI spot", CHART_AREA, PLOT_PINK, false, false},
};

static const struct line share_lines[] = {
    {"nodes.onDemandShare", NULL, "share of nodes on demand", CHART_STEP, PLOT_BLUE, false, false},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *picture_name(enum picture what)
{
    assert((unsigned)what < PICTURES);
    return pictures[what].name;
}

const char *picture_title(enum picture what)
{
    assert((unsigned)what < PICTURES);
    return pictures[what].title;
}

static const struct result_series *find(const struct scope *s, const struct line *l)
{
    const struct result_series *v = scope_series(s, l->path);
    return v || !l->otherwise ? v : scope_series(s, l->otherwise);
}

static bool is_unknown(const struct result_series *v)
{
    for (size_t i = 0; i < v->n; i++) {
        if (isfinite(v->mean[i]))
            return false;
    }
    return true;
}

static bool is_level_zero(const struct result_series *v)
{
    for (size_t i = 0; i < v->n; i++) {
        if (isfinite(v->max[i]) && v->max[i] > 0)
            return false;
    }
    return true;
}

/* A step stays until the next: bins in which nothing was noted too. NULL when there is no memory:
 * the gaps stay then. */
static const double *held(const struct result *r, const struct result_series *v)
{
    struct err ignored = {0};
    double *y = arena_take(r->arena, v->n, sizeof *y, &ignored);
    for (size_t i = 0; y && i < v->n; i++)
        y[i] = isfinite(v->mean[i]) || i == 0 ? v->mean[i] : y[i - 1];
    return y;
}

static size_t collect(const struct scope *s, const struct line *lines, size_t n,
                      struct chart_series *out)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        const struct line *l = &lines[i];
        const struct result_series *v = find(s, l);
        const double *y = v && l->shape == CHART_STEP ? held(s->result, v) : NULL;
        /* What cannot be seen would only fill the key. */
        if (!v || is_unknown(v) || (l->shape == CHART_AREA && is_level_zero(v)))
            continue;
        assert(found < MAX_SERIES);
        out[found++] = (struct chart_series){.label = l->label,
                                             .shape = l->shape,
                                             .ink = l->ink,
                                             .peaks = l->peaks,
                                             .scale = 1,
                                             .step = v->step,
                                             .n = v->n,
                                             .y = y          ? y
                                                  : l->peaks ? v->max
                                                             : v->mean,
                                             .low = l->band ? v->min : NULL,
                                             .high = l->band ? v->max : NULL};
    }
    return found;
}

static double series_max(const struct chart_series *s)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (isfinite(s->y[i]))
            most = fmax(most, s->y[i] * s->scale);
    }
    return most;
}

/* ---- over time ---- */

static int draw_over_time(const struct scope *s, const struct chart_frame *frame,
                          const struct chart_panel *panels, size_t n, struct text *to,
                          struct err *e)
{
    const struct result *r = s->result;
    struct err ignored = {0};
    /* A run whose zone this machine does not know is shown in UTC, and the axis says so. */
    struct zone *zone = zone_load(r->time_zone ? r->time_zone : "UTC", &ignored);
    struct chart_time c = {.frame = *frame,
                           .horizon = r->horizon,
                           .epoch_s = r->epoch_s,
                           .zone = zone,
                           .zone_name = zone && r->time_zone ? r->time_zone : "UTC",
                           .panels = panels,
                           .n_panels = n};
    int status = chart_over_time(&c, to, e);
    zone_free(zone);
    return status;
}

static int draw_traffic(const struct scope *s, const struct chart_frame *frame, struct text *to,
                        struct err *e)
{
    struct chart_series demand[MAX_SERIES], replicas[MAX_SERIES];
    struct chart_panel panels[2];
    size_t n = 0, n_demand = collect(s, demand_lines, COUNT(demand_lines), demand);
    size_t n_replicas = collect(s, replica_lines, COUNT(replica_lines), replicas);
    if (n_demand)
        panels[n++] = (struct chart_panel){
            .title = "Requests a second", .series = demand, .n_series = n_demand, .height = 150};
    if (n_replicas)
        panels[n++] = (struct chart_panel){.title = "Replicas",
                                           .series = replicas,
                                           .n_series = n_replicas,
                                           .height = 110,
                                           .whole = true};
    return draw_over_time(s, frame, panels, n, to, e);
}

/* A single bad hour of time-outs would press all else flat on a linear axis. */
static bool needs_log(const struct chart_series *series, size_t n)
{
    double most = 0, least = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        double top = series_max(&series[i]);
        most = fmax(most, top);
        for (size_t k = 0; k < series[i].n; k++) {
            double v = series[i].y[k] * series[i].scale;
            if (isfinite(v) && v > 0)
                least = fmin(least, v);
        }
    }
    return isfinite(least) && most > 60 * least;
}

static int draw_latency(const struct scope *s, const struct chart_frame *frame, struct text *to,
                        struct err *e)
{
    struct chart_series lines[MAX_SERIES];
    size_t n = collect(s, latency_lines, COUNT(latency_lines), lines);
    struct chart_rule rules[SCOPE_QUANTILES];
    char labels[SCOPE_QUANTILES][96], path[32];
    size_t n_rules = 0;
    for (size_t q = 0; q < SCOPE_QUANTILES; q++) {
        snprintf(path, sizeof path, "slo.limits.%s", scope_quantiles[q]);
        const struct figure *limit = scope_figure(s, path);
        if (!limit)
            continue;
        snprintf(labels[n_rules], sizeof labels[0], "SLO: %s under %.60s", scope_quantile_labels[q],
                 human_seconds(limit->value).s);
        rules[n_rules] = (struct chart_rule){labels[n_rules], limit->value};
        n_rules++;
    }
    struct chart_panel panel = {.title = "Latency",
                                .series = lines,
                                .n_series = n,
                                .rules = rules,
                                .n_rules = n_rules,
                                .height = 190,
                                .log = needs_log(lines, n),
                                .seconds = true};
    if (panel.log)
        panel.unit = "logarithmic";
    return draw_over_time(s, frame, &panel, 1, to, e);
}

static int draw_nodes(const struct scope *s, const struct chart_frame *frame, struct text *to,
                      struct err *e)
{
    struct chart_series lines[MAX_SERIES], share[MAX_SERIES];
    struct chart_panel panels[2] = {{.title = "Nodes",
                                     .series = lines,
                                     .n_series = collect(s, node_lines, COUNT(node_lines), lines),
                                     .height = 130,
                                     .whole = true},
                                    {.title = "On demand, share of nodes",
                                     .series = share,
                                     .n_series = collect(s, share_lines, COUNT(share_lines), share),
                                     .height = 90}};
    return draw_over_time(s, frame, panels, panels[1].n_series > 0 ? 2 : 1, to, e);
}

/* ---- cost ---- */

static enum plot_ink class_ink(const char *class, size_t index)
{
    static const struct {
        const char *class;
        enum plot_ink ink;
    } known[] = {{"serving", PLOT_GREEN},        {"idle", PLOT_GREY},
                 {"starting", PLOT_ORANGE},      {"draining", PLOT_PINK},
                 {"fragmentation", PLOT_YELLOW}, {"onDemandPremium", PLOT_BLUE},
                 {"duplicateScaleUp", PLOT_RED}};
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(class, known[i].class) == 0)
            return known[i].ink;
    }
    return (enum plot_ink)(index % PLOT_SERIES);
}

#define MAX_PARTS 16

/* The bars' texts, which must outlive the drawing. */
struct cost {
    struct chart_key keys[MAX_PARTS];
    struct chart_segment classes[MAX_PARTS], whole[MAX_PARTS];
    struct chart_row rows[MAX_PARTS];
    struct human key_text[MAX_PARTS], row_text[MAX_PARTS], notes[MAX_PARTS];
    size_t n_classes, n_rows;
};

static void add_row(struct cost *c, const char *label, double value, const char *currency)
{
    if (c->n_rows == MAX_PARTS || !isfinite(value))
        return;
    size_t i = c->n_rows++;
    snprintf(c->row_text[i].s, sizeof c->row_text[i].s, "%s", label);
    c->notes[i] = human_money(value, currency);
    c->whole[i] = (struct chart_segment){0, fmax(value, 0), PLOT_SKY};
    c->rows[i] = (struct chart_row){c->row_text[i].s, c->notes[i].s, &c->whole[i], 1, false};
}

static void collect_cost(const struct scope *s, struct cost *c)
{
    const struct result *r = s->result;
    double sum = 0;
    add_row(c, "This configuration", scope_value(s, "cost.total", 0), r->currency);
    for (size_t i = 0; i < r->n_figures; i++) {
        const struct figure *f = &r->figures[i];
        const char *class = scope_below(s, f, "cost.byClass."),
                   *other = scope_below(s, f, "cost.baselines.");
        if (other) {
            struct human words = human_words(other);
            words.s[0] =
                (char)(words.s[0] >= 'a' && words.s[0] <= 'z' ? words.s[0] - 32 : words.s[0]);
            add_row(c, words.s, f->value, r->currency);
        }
        if (!class || f->value <= 0 || !isfinite(f->value) || c->n_classes == MAX_PARTS)
            continue;
        size_t k = c->n_classes++;
        enum plot_ink ink = class_ink(class, k);
        c->key_text[k] = human_words(class);
        c->keys[k] = (struct chart_key){c->key_text[k].s, ink};
        c->classes[k] = (struct chart_segment){sum, sum + f->value, ink};
        sum += f->value;
    }
    c->rows[0].strong = true;
    if (c->n_classes) {
        c->rows[0].segments = c->classes;
        c->rows[0].n_segments = c->n_classes;
    }
}

static int draw_cost(const struct scope *s, const struct chart_frame *frame, struct text *to,
                     struct err *e)
{
    struct cost c = {.n_rows = 0};
    collect_cost(s, &c);
    char heading[80];
    snprintf(heading, sizeof heading, "Cost of %.40s",
             human_seconds((double)s->result->horizon / 1e9).s);
    struct chart_bars bars = {.frame = *frame,
                              .heading = heading,
                              .unit = s->result->currency,
                              .keys = c.keys,
                              .n_keys = c.n_classes,
                              .rows = c.rows,
                              .n_rows = c.n_rows};
    return chart_of_bars(&bars, to, e);
}

/* ---- startup ---- */

struct track {
    const char *name;
    sim_ns from, to;
};

struct startup {
    const char *phase[MAX_PHASES]; /* names as in the spans */
    struct human words[MAX_PHASES];
    struct chart_key keys[MAX_PHASES];
    size_t n_phases;
    struct chart_segment mean[MAX_PHASES];
    size_t n_mean;
    struct track slowest[SLOWEST_PODS];
    size_t n_slowest;
    struct chart_segment parts[SLOWEST_PODS][MAX_PHASES];
    struct chart_row rows[SLOWEST_PODS + 1];
    struct human notes[SLOWEST_PODS + 1];
    size_t n_rows;
};

static enum plot_ink phase_ink(size_t phase)
{
    static const enum plot_ink order[] = {PLOT_GREY,
                                          PLOT_BLUE,
                                          PLOT_ORANGE,
                                          PLOT_GREEN,
                                          PLOT_PINK,
                                          PLOT_SKY,
                                          PLOT_YELLOW,
                                          PLOT_RED,
                                          PLOT_PALE + PLOT_BLUE,
                                          PLOT_PALE + PLOT_ORANGE,
                                          PLOT_PALE + PLOT_GREEN,
                                          PLOT_PALE + PLOT_PINK};
    return order[phase % COUNT(order)];
}

/* The phases of a pod are those that have a mean. */
static void collect_phases(const struct scope *s, struct startup *u)
{
    double sum = 0;
    for (size_t i = 0; i < s->result->n_figures && u->n_phases < MAX_PHASES; i++) {
        const struct figure *f = &s->result->figures[i];
        const char *phase = scope_below(s, f, "startup."), *dot = phase ? strchr(phase, '.') : NULL;
        if (!dot || strcmp(dot, ".mean") != 0 || strncmp(phase, "total.", 6) == 0 || f->value <= 0)
            continue;
        size_t k = u->n_phases++;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(dot - phase < 63 ? dot - phase : 63), phase);
        u->phase[k] = phase;
        u->words[k] = human_words(name);
        u->keys[k] = (struct chart_key){u->words[k].s, phase_ink(k)};
        u->mean[u->n_mean++] = (struct chart_segment){sum, sum + f->value, phase_ink(k)};
        sum += f->value;
    }
}

static size_t phase_index(const struct startup *u, const char *name)
{
    size_t n = strlen(name);
    for (size_t k = 0; k < u->n_phases; k++) {
        if (strncmp(u->phase[k], name, n) == 0 && u->phase[k][n] == '.')
            return k;
    }
    return MAX_PHASES;
}

static void keep_if_slow(struct startup *u, const struct track *t)
{
    size_t i = u->n_slowest;
    while (i > 0 && u->slowest[i - 1].to - u->slowest[i - 1].from < t->to - t->from)
        i--;
    if (i == SLOWEST_PODS)
        return;
    if (u->n_slowest < SLOWEST_PODS)
        u->n_slowest++;
    memmove(&u->slowest[i + 1], &u->slowest[i], (u->n_slowest - 1 - i) * sizeof *u->slowest);
    u->slowest[i] = *t;
}

/* Spans of a pod follow each other closely in the record, but pods start at the same time: each
 * first span of a track begins a search for the others. */
static void collect_tracks(const struct result *r, struct startup *u)
{
    size_t n = r->n_spans < MAX_TRACKS ? r->n_spans : MAX_TRACKS;
    for (size_t i = 0; i < n; i++) {
        const struct result_span *first = &r->spans[i];
        if (phase_index(u, first->phase) == MAX_PHASES)
            continue;
        struct track t = {first->track, first->from, first->to};
        bool seen = false;
        for (size_t k = 0; k < n && !seen; k++) {
            const struct result_span *s = &r->spans[k];
            if (phase_index(u, s->phase) == MAX_PHASES || strcmp(s->track, first->track) != 0)
                continue;
            seen = k < i;
            t.from = s->from < t.from ? s->from : t.from;
            t.to = s->to > t.to ? s->to : t.to;
        }
        if (!seen)
            keep_if_slow(u, &t);
    }
}

static size_t collect_parts(const struct result *r, const struct startup *u, const struct track *t,
                            struct chart_segment *parts)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_spans && n < MAX_PHASES; i++) {
        const struct result_span *s = &r->spans[i];
        size_t k = phase_index(u, s->phase);
        if (k == MAX_PHASES || strcmp(s->track, t->name) != 0)
            continue;
        parts[n++] = (struct chart_segment){(double)(s->from - t->from) / 1e9,
                                            (double)(s->to - t->from) / 1e9, phase_ink(k)};
    }
    return n;
}

static void add_startup_row(struct startup *u, const struct chart_row *row, double seconds)
{
    size_t i = u->n_rows++;
    u->notes[i] = human_seconds(seconds);
    u->rows[i] = *row;
    u->rows[i].note = u->notes[i].s;
}

static void collect_startup(const struct scope *s, struct startup *u)
{
    const struct result *r = s->result;
    collect_phases(s, u);
    collect_tracks(r, u);
    if (u->n_mean)
        add_startup_row(u, &(struct chart_row){"Mean of all", NULL, u->mean, u->n_mean, true},
                        u->mean[u->n_mean - 1].to);
    for (size_t i = 0; i < u->n_slowest; i++) {
        const struct track *t = &u->slowest[i];
        size_t n = collect_parts(r, u, t, u->parts[i]);
        add_startup_row(u, &(struct chart_row){t->name, NULL, u->parts[i], n, false},
                        (double)(t->to - t->from) / 1e9);
    }
}

static int draw_startup(const struct scope *s, const struct chart_frame *frame, struct text *to,
                        struct err *e)
{
    struct startup u = {.n_phases = 0};
    collect_startup(s, &u);
    struct chart_bars bars = {.frame = *frame,
                              .heading = scope_figure(s, "startup.run.mean")
                                             ? "From asked for to its end"
                                             : "From asked for to serving",
                              .unit = "s",
                              .keys = u.keys,
                              .n_keys = u.n_phases,
                              .rows = u.rows,
                              .n_rows = u.n_rows};
    return chart_of_bars(&bars, to, e);
}

/* ---- which, and what they say ---- */

static bool any(const struct scope *s, const struct line *lines, size_t n)
{
    struct chart_series found[MAX_SERIES];
    return collect(s, lines, n, found) > 0;
}

bool picture_is_there(const struct scope *s, enum picture what)
{
    struct startup u = {.n_phases = 0};
    switch (what) {
    case PICTURE_TRAFFIC:
        return any(s, demand_lines, COUNT(demand_lines)) ||
               any(s, replica_lines, COUNT(replica_lines));
    case PICTURE_LATENCY:
        return any(s, latency_lines, COUNT(latency_lines));
    case PICTURE_NODES:
        return any(s, node_lines, COUNT(node_lines));
    case PICTURE_COST:
        return scope_value(s, "cost.total", 0) > 0;
    case PICTURE_STARTUP:
        collect_phases(s, &u);
        return u.n_phases > 0;
    case PICTURES:
        break;
    }
    assert(false && "a picture that is none");
    return false;
}

static void describe_lines(const struct scope *s, const struct line *lines, size_t n,
                           struct text *to)
{
    struct chart_series found[MAX_SERIES];
    size_t count = collect(s, lines, n, found);
    for (size_t i = 0; i < count; i++) {
        double least = HUGE_VAL;
        for (size_t k = 0; k < found[i].n; k++) {
            if (isfinite(found[i].y[k]))
                least = fmin(least, found[i].y[k] * found[i].scale);
        }
        if (isfinite(least))
            text_printf(to, " %s from %s to %s;", found[i].label, human_number(least).s,
                        human_number(series_max(&found[i])).s);
    }
}

static void describe_bars(const struct chart_row *rows, size_t n, struct text *to)
{
    for (size_t i = 0; i < n; i++)
        text_printf(to, " %s: %s;", rows[i].label, rows[i].note);
}

void picture_describe(const struct scope *s, enum picture what, struct text *to)
{
    struct cost c = {.n_rows = 0};
    struct startup u = {.n_phases = 0};
    switch (what) {
    case PICTURE_TRAFFIC:
        text_add(to, "Over time, requests a second and replicas:");
        describe_lines(s, demand_lines, COUNT(demand_lines), to);
        describe_lines(s, replica_lines, COUNT(replica_lines), to);
        break;
    case PICTURE_LATENCY:
        text_add(to, "Over time, in seconds:");
        describe_lines(s, latency_lines, COUNT(latency_lines), to);
        break;
    case PICTURE_NODES:
        text_add(to, "Nodes over time:");
        describe_lines(s, node_lines, COUNT(node_lines), to);
        describe_lines(s, share_lines, COUNT(share_lines), to);
        break;
    case PICTURE_COST:
        collect_cost(s, &c);
        text_add(to, "Cost compared:");
        describe_bars(c.rows, c.n_rows, to);
        break;
    case PICTURE_STARTUP:
        collect_startup(s, &u);
        text_add(to, "From asked for to serving; the mean, and the slowest:");
        describe_bars(u.rows, u.n_rows, to);
        break;
    case PICTURES:
        break;
    }
}

int picture_draw(const struct scope *s, enum picture what, const struct chart_frame *frame,
                 struct text *to, struct err *e)
{
    static int (*const draw[PICTURES])(const struct scope *, const struct chart_frame *,
                                       struct text *, struct err *) = {
        [PICTURE_TRAFFIC] = draw_traffic, [PICTURE_LATENCY] = draw_latency,
        [PICTURE_NODES] = draw_nodes,     [PICTURE_COST] = draw_cost,
        [PICTURE_STARTUP] = draw_startup,
    };
    assert(s && frame && (unsigned)what < PICTURES);
    struct text desc = {0};
    picture_describe(s, what, &desc);
    struct chart_frame own = *frame;
    own.title = picture_title(what);
    own.desc = desc.s ? desc.s : "";
    int status = text_end(&desc, e);
    if (status == 0)
        status = draw[what](s, &own, to, e);
    text_fini(&desc);
    return status;
}
