/* trace_show: what a recorded file holds and what was fitted to it. */
#include "scenarios/cli/trace_show.h"

#include "reports/chart.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SERIES_SHOWN 20

/* ---- info ---- */

/* Over time for prices and stock, over lives else. */
struct facts {
    double low, mean, high;
    size_t changes, gaps; /* gaps: steps of more than one and a half ticks */
    double hours, there;  /* there: share of the time with a value above 0, or of lives lost */
};

static double value_of(const struct trace *t, int64_t value)
{
    return t->format->kind == TRACE_PRICE ? (double)value / 1e6 : (double)value;
}

static struct facts facts_of_lives(const struct trace_series *s)
{
    struct facts f = {HUGE_VAL, 0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < s->n; i++) {
        double hours = (double)s->points[i].ns / (double)SIM_HOUR;
        f.low = fmin(f.low, hours);
        f.high = fmax(f.high, hours);
        f.hours += hours;
        f.there += (double)s->points[i].value / (double)s->n;
    }
    f.mean = f.hours / (double)s->n;
    return f;
}

static struct facts facts_of(const struct trace *t, const struct trace_series *s)
{
    struct facts f = {HUGE_VAL, 0, 0, 0, 0, 0, 0};
    double sum = 0, with = 0;
    if (t->format->kind == TRACE_LIFETIME)
        return facts_of_lives(s);
    for (size_t i = 0; i < s->n; i++) {
        int64_t next = i + 1 < s->n ? s->points[i + 1].ns : s->points[i].ns + t->tick;
        double hours = (double)(next - s->points[i].ns) / (double)SIM_HOUR;
        double v = value_of(t, s->points[i].value);
        f.low = fmin(f.low, v);
        f.high = fmax(f.high, v);
        f.hours += hours;
        sum += v * hours;
        with += v > 0 ? hours : 0;
        f.changes += i > 0 && s->points[i].value != s->points[i - 1].value;
        f.gaps +=
            t->tick > 0 && i > 0 && s->points[i].ns - s->points[i - 1].ns > t->tick + t->tick / 2;
    }
    f.mean = f.hours > 0 ? sum / f.hours : f.low;
    f.there = f.hours > 0 ? with / f.hours : f.low > 0;
    return f;
}

static void name_series(const struct trace_series *s, char *out, size_t size)
{
    snprintf(out, size, "%.60s%s%.60s%s%.40s", s->key.type,
             s->key.type[0] && s->key.zone[0] ? " in " : "", s->key.zone,
             s->key.product[0] ? ", " : "", s->key.product);
    if (!out[0])
        snprintf(out, size, "all");
}

static void info_line(const struct trace *t, const struct trace_series *s, struct text *to)
{
    struct facts f = facts_of(t, s);
    char name[200];
    name_series(s, name, sizeof name);
    text_printf(to, "  %-40s %8zu %s", name, s->n, text_plural(s->n, "row", "rows"));
    if (t->format->kind == TRACE_LIFETIME)
        text_printf(to, ", %.4g to %.4g h, mean %.4g h, %.1f %% lost\n", f.low, f.high, f.mean,
                    100 * f.there);
    else if (t->format->kind == TRACE_PRICE)
        text_printf(to, ", %zu %s, %.6g to %.6g%s%s an hour, mean over time %.6g%s\n", f.changes,
                    text_plural(f.changes, "change", "changes"), f.low, f.high,
                    s->key.currency[0] ? " " : "", s->key.currency, f.mean,
                    s->list_micro > 0 ? ", list price stated" : "");
    else
        text_printf(to, ", %zu %s, %g to %g machines, mean %.4g, some %.1f %% of the time\n",
                    f.changes, text_plural(f.changes, "change", "changes"), f.low, f.high, f.mean,
                    100 * f.there);
}

static void info_text(const struct trace *t, struct text *to)
{
    char from[40], end[40], length[48];
    text_printf(to, "%s: %s (%s), %zu %s in %zu series\n", t->path, t->format->name, t->format->doc,
                t->rows, text_plural(t->rows, "row", "rows"), t->n_series);
    if (t->format->kind != TRACE_LIFETIME) {
        struct trace_span span = trace_span(t);
        text_duration(length, sizeof length, span.end - span.first);
        text_printf(to, "from %s to %s, %s", trace_stamp(from, t->stamps, span.first),
                    trace_stamp(end, t->stamps, span.end), length);
        if (t->tick > 0)
            text_printf(to, ", a sample each %g s", (double)t->tick / 1e9);
        text_printf(to, "; times are %s\n",
                    t->stamps == STAMP_UNIX     ? "UTC"
                    : t->stamps == STAMP_OFFSET ? "seconds from the start"
                                                : "of a clock without zone");
    }
    if (t->out_of_order > 0)
        text_printf(to, "repaired: %zu %s out of order and sorted\n", t->out_of_order,
                    text_plural(t->out_of_order, "row was", "rows were"));
    if (t->duplicates > 0)
        text_printf(to, "repaired: %zu %s with a later one, which counts\n", t->duplicates,
                    text_plural(t->duplicates, "row shares its time", "rows share their time"));
    if (t->left_out > 0)
        text_printf(to, "left out: %zu %s, whose start is not known\n", t->left_out,
                    text_plural(t->left_out, "row", "rows"));
    for (size_t i = 0; i < t->n_series && i < SERIES_SHOWN; i++)
        info_line(t, &t->series[i], to);
    if (t->n_series > SERIES_SHOWN)
        text_printf(to, "  and %zu more (--format json lists all)\n", t->n_series - SERIES_SHOWN);
}

static void put_number(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    json_out_number(o, v);
}

static void put_count(struct json_out *o, const char *key, size_t v)
{
    json_out_key(o, key);
    json_out_int(o, (int64_t)v);
}

static void put_text(struct json_out *o, const char *key, const char *v)
{
    json_out_key(o, key);
    json_out_string(o, v);
}

static void info_series(const struct trace *t, const struct trace_series *s, struct json_out *o)
{
    struct facts f = facts_of(t, s);
    json_out_open(o, "{");
    put_text(o, "instanceType", s->key.type);
    put_text(o, "zone", s->key.zone);
    put_text(o, "product", s->key.product);
    put_text(o, "currency", s->key.currency);
    put_count(o, "rows", s->n);
    put_count(o, "changes", f.changes);
    put_number(o, "min", f.low);
    put_number(o, "mean", f.mean);
    put_number(o, "max", f.high);
    put_number(o, t->format->kind == TRACE_LIFETIME ? "lost" : "aboveZero", f.there);
    put_number(o, "onDemand", (double)s->list_micro / 1e6);
    json_out_close(o, "}");
}

static void info_json(const struct trace *t, struct text *to)
{
    struct json_out o;
    char stamp[40];
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    put_text(&o, "schema", "sluice.trace.info/1");
    put_text(&o, "file", t->path);
    put_text(&o, "format", t->format->name);
    put_text(&o, "kind", trace_kind_name(t->format->kind));
    put_count(&o, "rows", t->rows);
    put_count(&o, "outOfOrder", t->out_of_order);
    put_count(&o, "duplicates", t->duplicates);
    put_count(&o, "leftOut", t->left_out);
    if (t->format->kind != TRACE_LIFETIME) {
        struct trace_span span = trace_span(t);
        put_text(&o, "from", trace_stamp(stamp, t->stamps, span.first));
        put_text(&o, "to", trace_stamp(stamp, t->stamps, span.end));
        put_number(&o, "seconds", (double)(span.end - span.first) / 1e9);
        put_number(&o, "tickSeconds", (double)t->tick / 1e9);
    }
    json_out_key(&o, "series");
    json_out_open(&o, "[");
    for (size_t i = 0; i < t->n_series; i++)
        info_series(t, &t->series[i], &o);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

void trace_show_info(const struct trace *t, bool json, struct text *to)
{
    if (json)
        info_json(t, to);
    else
        info_text(t, to);
}

/* ---- fit ---- */

static void verdict(struct text *to, double distance, double p)
{
    text_printf(to, "distance %.4f, p %.3g: %s at 1 %%\n", distance, p,
                p < 0.01 ? "does not fit" : "fits");
}

static void say_lives(const struct market_fit_lives *l, const char *what, struct text *to)
{
    if (l->n == 0)
        return;
    if (!l->fitted) {
        text_printf(to, "%s: %zu, not fitted: %s\n", what, l->n, l->why);
        return;
    }
    const struct life_fit *f = &l->fit;
    text_printf(to, "%s: %zu, %zu of them seen to their end\n", what, f->n, f->ended);
    text_printf(to,
                "  Weibull      shape %.3f [%.3f to %.3f], scale %.4g h [%.4g to %.4g], mean %.4g "
                "h; ",
                f->shape.value, f->shape.low, f->shape.high, f->scale_hours.value,
                f->scale_hours.low, f->scale_hours.high, f->mean_hours);
    verdict(to, f->distance, f->p_value);
    text_printf(to, "  memoryless   %.4g an hour [%.4g to %.4g]\n", f->per_hour.value,
                f->per_hour.low, f->per_hour.high);
    text_add(to, "  by age       ");
    verdict(to, l->rates_distance, l->rates_p);
    for (size_t i = 0; i < MARKET_FIT_AGES; i++) {
        const struct life_rate *r = &l->rates[i];
        if (r->exposed_hours > 0)
            text_printf(to, "    from %5.4g h  %.4g an hour [%.4g to %.4g], %zu ends in %.5g h\n",
                        r->from_hours, r->per_hour.value, r->per_hour.low, r->per_hour.high,
                        r->ended, r->exposed_hours);
    }
}

static void say_price(const struct market_fit *f, struct text *to)
{
    const struct reversion_fit *p = &f->price;
    if (p->n == 0)
        return;
    text_printf(to, "price of %s as a share of list, %zu %s of 5 min\n", f->label, p->n,
                text_plural(p->n, "step", "steps"));
    text_printf(to, "  mean         %.4f [%.4f to %.4f], between %.4f and %.4f\n", p->mean.value,
                p->mean.low, p->mean.high, p->low, p->high);
    text_printf(to, "  reversion    %.5f a step [%.5f to %.5f]%s\n", p->reversion.value,
                p->reversion.low, p->reversion.high,
                p->reversion.low <= 0 ? ": nothing is known to draw it back" : "");
    text_printf(to, "  deviation    %.5f a step [%.5f to %.5f]; the shocks as a normal: ",
                p->deviation.value, p->deviation.low, p->deviation.high);
    verdict(to, p->distance, p->p_value);
    if (p->unchanged > 0.5)
        text_printf(to,
                    "  It stands still in %.1f %% of the steps: rare jumps, which a recorded "
                    "price (spotPriceTraces) plays as they were.\n",
                    100 * p->unchanged);
}

static void say_zone(const struct market_fit *f, struct text *to)
{
    const struct market_fit_bulk *b = &f->bulk;
    if (b->most > 1 && b->events > 0) {
        text_printf(to,
                    "losses of up to %lld machines: %zu, %zu %s in all, %.3g each; %.1f %% "
                    "left none\n",
                    (long long)b->most, b->events, b->lost,
                    text_plural(b->lost, "machine", "machines"),
                    (double)b->lost / (double)b->events, 100 * (double)b->all / (double)b->events);
        text_printf(to,
                    "  per machine  %.4g an hour [%.4g to %.4g]; batchShare %.3f, batchAll "
                    "%.3f, batchFew %.3f\n",
                    b->per_hour.value, b->per_hour.low, b->per_hour.high, b->batch_share,
                    b->batch_all, b->batch_few);
    }
    if (f->tie.value >= 0)
        text_printf(to,
                    "zones: in %zu of %zu ends of stock another zone lost its own within 5 min; "
                    "beyond coincidence %.3f [%.3f to %.3f]\n",
                    f->falls_together, f->falls, f->tie.value, f->tie.low, f->tie.high);
}

static void put_figure(struct json_out *o, const char *key, const struct life_figure *f)
{
    json_out_key(o, key);
    json_out_open(o, "{");
    put_number(o, "value", f->value);
    put_number(o, "low", f->low);
    put_number(o, "high", f->high);
    json_out_close(o, "}");
}

static void put_lives(struct json_out *o, const char *key, const struct market_fit_lives *l)
{
    if (!l->fitted)
        return;
    json_out_key(o, key);
    json_out_open(o, "{");
    put_count(o, "count", l->fit.n);
    put_count(o, "ended", l->fit.ended);
    put_figure(o, "shape", &l->fit.shape);
    put_figure(o, "scaleHours", &l->fit.scale_hours);
    put_number(o, "distance", l->fit.distance);
    put_number(o, "p", l->fit.p_value);
    json_out_key(o, "rates");
    json_out_open(o, "[");
    for (size_t i = 0; i < MARKET_FIT_AGES; i++) {
        json_out_open(o, "{");
        put_number(o, "fromHours", l->rates[i].from_hours);
        put_number(o, "exposedHours", l->rates[i].exposed_hours);
        put_count(o, "ended", l->rates[i].ended);
        put_figure(o, "perHour", &l->rates[i].per_hour);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
    put_number(o, "ratesDistance", l->rates_distance);
    put_number(o, "ratesP", l->rates_p);
    json_out_close(o, "}");
}

static void put_price(struct json_out *o, const struct market_fit *f)
{
    if (f->price.n == 0)
        return;
    json_out_key(o, "price");
    json_out_open(o, "{");
    put_text(o, "series", f->label);
    put_count(o, "steps", f->price.n);
    put_figure(o, "mean", &f->price.mean);
    put_figure(o, "reversion", &f->price.reversion);
    put_figure(o, "deviation", &f->price.deviation);
    put_number(o, "min", f->price.low);
    put_number(o, "max", f->price.high);
    put_number(o, "unchanged", f->price.unchanged);
    put_number(o, "distance", f->price.distance);
    put_number(o, "p", f->price.p_value);
    json_out_close(o, "}");
}

static void put_bulk(struct json_out *o, const struct market_fit_bulk *b)
{
    if (b->most < 2 || b->events == 0)
        return;
    json_out_key(o, "losses");
    json_out_open(o, "{");
    put_count(o, "events", b->events);
    put_count(o, "machines", b->lost);
    put_count(o, "leftNone", b->all);
    put_figure(o, "perHour", &b->per_hour);
    put_number(o, "batchShare", b->batch_share);
    put_number(o, "batchAll", b->batch_all);
    json_out_close(o, "}");
}

static void fit_json(const struct market_fit *f, const struct json *catalog, struct text *to)
{
    struct json_out o;
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    put_text(&o, "schema", "sluice.trace.fit/1");
    put_price(&o, f);
    put_lives(&o, "lifetimes", &f->lives);
    put_lives(&o, "stockUp", &f->up);
    put_lives(&o, "stockDown", &f->down);
    put_bulk(&o, &f->bulk);
    if (f->tie.value >= 0)
        put_figure(&o, "zoneCorrelation", &f->tie);
    json_out_key(&o, "catalog");
    json_out_value(&o, catalog);
    json_out_close(&o, "}");
    json_out_end(&o);
}

void trace_show_fit(const struct market_fit *f, const struct market_fit_setup *s, bool json,
                    struct text *to)
{
    struct text catalog = {0};
    market_fit_catalog(f, s, &catalog);
    if (json) {
        struct err e = {0};
        struct arena *a = arena_create(&e);
        struct json *tree = a ? json_parse(a, "catalog", catalog.s, catalog.length, &e) : NULL;
        if (tree)
            fit_json(f, tree, to);
        to->failed |= !tree;
        arena_destroy(a);
    } else {
        say_price(f, to);
        say_lives(&f->lives, "lives of machines", to);
        say_lives(&f->up, "spells with stock", to);
        say_lives(&f->down, "spells without stock", to);
        say_zone(f, to);
        text_printf(to,
                    "\nA catalogue file with this market (-o writes it; name it under `catalog`, "
                    "and in a pool \"spotMarket\": \"%s\"):\n\n%s",
                    s->name, catalog.s ? catalog.s : "");
    }
    text_fini(&catalog);
}

/* ---- chart ---- */

static struct chart_frame frame_of(const char *file, const char *title)
{
    return (struct chart_frame){.format = show_is_png(file) ? PLOT_PNG : PLOT_SVG,
                                .width = 960,
                                .scale = 1.5,
                                .id = "fit",
                                .title = title,
                                .desc = title};
}

static int draw_price(const struct market_fit *f, const char *file, struct text *to, struct err *e)
{
    struct chart_series s = {.label = "recorded",
                             .shape = CHART_STEP,
                             .ink = PLOT_BLUE,
                             .scale = 1,
                             .step = MARKET_FIT_STEP,
                             .n = f->n_course,
                             .y = f->course};
    struct chart_rule rules[] = {{"fitted mean", f->price.mean.value}};
    struct chart_panel panel = {.title = "price as a share of list",
                                .series = &s,
                                .n_series = 1,
                                .rules = rules,
                                .n_rules = 1,
                                .height = 220};
    struct chart_time c = {.frame = frame_of(file, "Spot price and its fitted mean"),
                           .epoch_s = f->epoch_s,
                           .horizon = (sim_ns)f->n_course * MARKET_FIT_STEP,
                           .panels = &panel,
                           .n_panels = 1};
    return chart_over_time(&c, to, e);
}

/* Ends of a Weibull an hour within a stretch of ages, as a table of rates would have them. */
static double weibull_rate(const struct life_fit *f, double from, double to)
{
    double k = f->shape.value, a = pow(from / f->scale_hours.value, k);
    return (pow(to / f->scale_hours.value, k) - a) / (to - from);
}

static int draw_rates(const struct market_fit_lives *l, const char *file, struct text *to,
                      struct err *e)
{
    static const struct chart_key keys[] = {{"recorded", PLOT_BLUE}, {"Weibull", PLOT_ORANGE}};
    struct chart_row rows[2 * MARKET_FIT_AGES];
    struct chart_segment segments[2 * MARKET_FIT_AGES];
    char labels[2 * MARKET_FIT_AGES][48];
    size_t n = 0;
    for (size_t i = 0; i < MARKET_FIT_AGES && l->rates[i].exposed_hours > 0; i++)
        for (int fitted = 0; fitted < 2; fitted++, n++) {
            double from = l->rates[i].from_hours;
            double end = i + 1 < MARKET_FIT_AGES ? l->rates[i + 1].from_hours : 2 * from;
            double v = fitted ? weibull_rate(&l->fit, from, end) : l->rates[i].per_hour.value;
            snprintf(labels[n], sizeof labels[n], fitted ? "  Weibull" : "from %g h", from);
            segments[n] = (struct chart_segment){0, v, fitted ? PLOT_ORANGE : PLOT_BLUE};
            rows[n] =
                (struct chart_row){.label = labels[n], .segments = &segments[n], .n_segments = 1};
        }
    struct chart_bars c = {.frame = frame_of(file, "Ends an hour by age, recorded and fitted"),
                           .heading = "ends an hour by age",
                           .unit = "1/h",
                           .keys = keys,
                           .n_keys = 2,
                           .rows = rows,
                           .n_rows = n};
    return chart_of_bars(&c, to, e);
}

int trace_show_chart(const struct market_fit *f, const char *file, struct err *e)
{
    struct text t = {0};
    const struct market_fit_lives *l = f->lives.fitted ? &f->lives : &f->up;
    int rc = -1;
    if (f->price.n > 0)
        rc = draw_price(f, file, &t, e);
    else if (l->fitted)
        rc = draw_rates(l, file, &t, e);
    else
        err_set(e, ERR_INPUT, NULL, "--chart: neither prices nor lives were fitted");
    rc = rc || text_end(&t, e) || show_write(file, &t, e);
    text_fini(&t);
    return rc ? -1 : 0;
}
