/* chart: what a reader sees over time, or side by side; laid out and drawn with reports/plot. */
#ifndef SLUICE_REPORTS_CHART_H
#define SLUICE_REPORTS_CHART_H

#include "reports/plot.h"
#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zone;

/* How and for where a chart is drawn. Wide enough for a column of text is 960, a telephone 400;
 * letters keep their size, the layout changes. */
struct chart_frame {
    enum plot_format format;
    double width, scale; /* scale: see plot_page */
    const char *id, *title, *desc, *css_class;
};

/* A drawing of this height in it, to be closed with plot_close. */
struct plot *chart_open(const struct chart_frame *f, double height, struct err *e);

enum chart_shape {
    CHART_LINE, /* through the middles of the bins; breaks where nothing is known */
    CHART_STEP, /* holds through each bin */
    CHART_FILL, /* like step, with a pale tone down to 0 */
    CHART_AREA, /* like step, filled and stacked on the areas before it */
};

/* Bin i covers [i * step, (i + 1) * step). Values are multiplied by scale. NaN: not known. */
struct chart_series {
    const char *label;
    enum chart_shape shape;
    enum plot_ink ink; /* one of the series inks */
    bool dashed;
    bool peaks; /* where bins are put together, show the largest and not the mean */
    double scale;
    sim_ns step;
    size_t n;
    const double *y;
    const double *low, *high; /* band behind a line or step; both or none */
};

struct chart_rule {
    const char *label;
    double y;
};

struct chart_panel {
    const char *title, *unit; /* unit may be NULL */
    const struct chart_series *series;
    size_t n_series;
    const struct chart_rule *rules;
    size_t n_rules;
    double height; /* of the plotting area */
    bool whole;    /* counts things */
    bool log;
    bool seconds; /* ticks say "20 ms", "1 s" */
};

/* Panels below each other on one time axis. */
struct chart_time {
    struct chart_frame frame;
    sim_ns horizon;
    int64_t epoch_s;
    const struct zone *zone; /* NULL: UTC */
    const char *zone_name;
    const struct chart_panel *panels;
    size_t n_panels;
};

int chart_over_time(const struct chart_time *c, struct text *to, struct err *e);

struct chart_segment {
    double from, to; /* 0 <= from <= to */
    enum plot_ink ink;
};

struct chart_row {
    const char *label, *note; /* note stands behind the bar; may be NULL */
    const struct chart_segment *segments;
    size_t n_segments;
    bool strong;
};

struct chart_key {
    const char *label;
    enum plot_ink ink;
};

/* Horizontal bars of segments on one axis from 0: parts of a whole, or spans of time. */
struct chart_bars {
    struct chart_frame frame;
    const char *heading, *unit; /* unit "s": the axis shows durations */
    const struct chart_key *keys;
    size_t n_keys;
    const struct chart_row *rows;
    size_t n_rows;
};

int chart_of_bars(const struct chart_bars *c, struct text *to, struct err *e);

#endif
