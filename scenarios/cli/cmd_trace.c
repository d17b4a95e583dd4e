/* cmd_trace: `sluice trace info|convert|fit`: what a recorded file holds, the same in another
 * format, and the parameters of a market from it. */
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/show.h"
#include "scenarios/cli/trace_show.h"
#include "scenarios/cli/trace_traffic.h"
#include "scenarios/run/market_fit.h"
#include "sim/arena.h"
#include "workloads/trace.h"

#include <stdio.h>
#include <string.h>

/* A tick each of a longer trace would be no file to read. */
#define MAX_TICKS 10000000

struct wish {
    const char *format, *to, *out, *chart, *name, *date, *on_demand, *type, *zone, *product;
    struct option_texts files;
    bool json;
};

static int finish(const char *path, struct text *t, struct err *e)
{
    int rc = text_end(t, e) || show_write(path, t, e);
    text_fini(t);
    return rc ? -1 : 0;
}

static int load_all(const struct wish *w, struct arena *a, struct trace *traces, struct err *e)
{
    for (size_t i = 0; i < w->files.count; i++)
        if (trace_load(&traces[i], a, w->files.items[i], e))
            return -1;
    return 0;
}

static int info(const struct wish *w, struct arena *a, struct err *e)
{
    struct text t = {0};
    for (size_t i = 0; i < w->files.count; i++) {
        struct trace trace;
        if (trace_traffic_is(w->files.items[i])) {
            if (trace_traffic_info(a, w->files.items[i], w->json, &t, e))
                goto failed;
            continue;
        }
        if (trace_load(&trace, a, w->files.items[i], e))
            goto failed;
        trace_show_info(&trace, w->json, &t);
    }
    return finish(w->out, &t, e);
failed:
    text_fini(&t);
    return -1;
}

/* ---- convert ---- */

static const struct trace_format *common_form(enum trace_kind kind)
{
    static const char *const names[TRACE_KINDS] = {"priceCsv", "availabilityCsv", "lifetimeCsv"};
    for (size_t i = 0; trace_formats[i]; i++)
        if (strcmp(trace_formats[i]->name, names[kind]) == 0)
            return trace_formats[i];
    return NULL;
}

static int find_format(const char *name, const struct trace *t, const struct trace_format **out,
                       struct err *e)
{
    struct text known = {0};
    *out = name ? NULL : common_form(t->format->kind);
    for (size_t i = 0; trace_formats[i] && name; i++) {
        if (strcmp(trace_formats[i]->name, name) == 0)
            *out = trace_formats[i];
        if (trace_formats[i]->kind == t->format->kind)
            text_printf(&known, "%s%s", known.length ? ", " : "", trace_formats[i]->name);
    }
    if (!*out || (*out)->kind != t->format->kind)
        err_set(e, ERR_INPUT, NULL, "--to: '%.60s' is no format of a trace of %s; known: %s", name,
                trace_kind_name(t->format->kind), known.s);
    text_fini(&known);
    return e->code ? -1 : 0;
}

/* What a format cannot hold is an error, not left out. */
static int check_holds(const struct trace_format *to, const struct trace *t, struct err *e)
{
    bool dated = t->stamps == STAMP_UNIX;
    struct trace_span span = {0, 0};
    if (t->format->kind != TRACE_LIFETIME)
        span = trace_span(t);
    if (strcmp(to->name, "ticks") == 0 && t->n_series > 1)
        return err_set(e, ERR_INPUT, t->path, "ticks hold one series, the file has %zu",
                       t->n_series);
    if (strcmp(to->name, "ticks") == 0 && (span.end - span.first) / trace_tick(t) > MAX_TICKS)
        return err_set(e, ERR_INPUT, t->path, "that would be more than %d ticks", MAX_TICKS);
    bool api = strcmp(to->name, "awsSpotPrice") == 0 || strcmp(to->name, "alibabaSpotPrice") == 0;
    if (api && !dated)
        return err_set(e, ERR_INPUT, t->path, "%s needs times with a date and a zone", to->name);
    for (size_t i = 0; api && i < t->n_series; i++) {
        const struct trace_key *k = &t->series[i].key;
        if (!k->type[0] || !k->zone[0])
            return err_set(e, ERR_INPUT, t->path, "%s needs instance types and zones", to->name);
        if (strcmp(to->name, "awsSpotPrice") == 0 && strcmp(k->currency, "USD") != 0)
            return err_set(e, ERR_INPUT, t->path, "awsSpotPrice is in USD, the file in %s",
                           k->currency[0] ? k->currency : "no currency");
        if (strcmp(k->currency, t->series[0].key.currency) != 0 || !k->currency[0])
            return err_set(e, ERR_INPUT, t->path, "%s needs one currency", to->name);
    }
    return 0;
}

static int convert(const struct wish *w, struct arena *a, struct err *e)
{
    struct text t = {0};
    struct trace trace;
    const struct trace_format *to;
    const char *file = w->files.items[0];
    if (trace_traffic_is(file)) {
        if (trace_traffic_convert(a, file, w->to, &t, e)) {
            text_fini(&t);
            return -1;
        }
        return finish(w->out, &t, e);
    }
    if (trace_load(&trace, a, file, e) || find_format(w->to, &trace, &to, e) ||
        check_holds(to, &trace, e))
        return -1;
    to->write(&trace, &t);
    return finish(w->out, &t, e);
}

/* ---- fit ---- */

static int read_money(const char *text, struct money *out, struct err *e)
{
    char amount[48], currency[8], rest[2];
    *out = (struct money){0};
    if (!text)
        return 0;
    if (sscanf(text, "%47s %7s %1s", amount, currency, rest) == 2 && strlen(currency) == 3 &&
        trace_price(amount, &out->micro) && out->micro > 0) {
        memcpy(out->currency, currency, 4);
        return 0;
    }
    return err_set(e, ERR_INPUT, NULL, "--on-demand: '%.60s' is no price such as \"3.06 USD\"",
                   text);
}

static int fit_market(const struct wish *w, struct arena *a, struct err *e)
{
    struct trace *traces = arena_take(a, w->files.count, sizeof *traces, e);
    struct text t = {0}, files = {0};
    struct market_fit f;
    struct market_fit_setup s = {.traces = traces,
                                 .n = w->files.count,
                                 .type = w->type,
                                 .zone = w->zone,
                                 .product = w->product,
                                 .name = w->name,
                                 .date = w->date};
    if (!traces || read_money(w->on_demand, &s.on_demand, e) || load_all(w, a, traces, e))
        return -1;
    for (size_t i = 0; i < w->files.count; i++) {
        const char *slash = strrchr(w->files.items[i], '/');
        text_printf(&files, "%s%s", i ? " " : "", slash ? slash + 1 : w->files.items[i]);
    }
    s.files = files.s;
    int rc = text_end(&files, e) || market_fit(&f, a, &s, e);
    if (rc == 0 && w->chart)
        rc = trace_show_chart(&f, w->chart, e);
    if (rc == 0 && w->out) {
        market_fit_catalog(&f, &s, &t);
        rc = text_end(&t, e) || show_write(w->out, &t, e);
        text_fini(&t);
    }
    if (rc == 0) {
        trace_show_fit(&f, &s, w->json, &t);
        rc = finish(NULL, &t, e);
    }
    text_fini(&files);
    return rc ? -1 : 0;
}

static int fit(const struct wish *w, struct arena *a, struct err *e)
{
    struct text t = {0};
    if (w->files.count != 1 || !trace_traffic_is(w->files.items[0]))
        return fit_market(w, a, e);
    if (trace_traffic_fit(a, w->files.items[0], w->json, &t, e)) {
        text_fini(&t);
        return -1;
    }
    return finish(w->out, &t, e);
}

/* ---- the command ---- */

static const struct action {
    const char *name;
    int (*run)(const struct wish *w, struct arena *a, struct err *e);
} actions[] = {{"info", info}, {"convert", convert}, {"fit", fit}};

static int check(struct wish *w, const struct action *action, struct err *e)
{
    if (strcmp(w->format, "text") != 0 && strcmp(w->format, "json") != 0)
        return err_set(e, ERR_INPUT, NULL, "--format: '%.60s' is none of text, json", w->format);
    w->json = strcmp(w->format, "json") == 0;
    if (w->files.count == 0)
        return err_set(e, ERR_INPUT, NULL, "trace %s needs a file", action->name);
    if (action->run == convert && w->files.count > 1)
        return err_set(e, ERR_INPUT, NULL, "trace convert takes one file, not %zu", w->files.count);
    if (w->chart && w->out && strcmp(w->chart, w->out) == 0)
        return err_set(e, ERR_INPUT, NULL, "--chart and --output both name %s", w->out);
    return show_check_picture(w->chart, &w->files, e) ||
                   show_check_output(w->out, "--output", &w->files, e)
               ? -1
               : 0;
}

static const struct action *find_action(struct option_texts *operands, struct err *e)
{
    const char *names[] = {"info", "convert", "fit"};
    const char *name = operands->count ? operands->items[0] : "";
    for (size_t i = 0; i < 3; i++)
        if (strcmp(actions[i].name, name) == 0) {
            operands->count--;
            memmove(operands->items, operands->items + 1,
                    operands->count * sizeof operands->items[0]);
            return &actions[i];
        }
    const char *near = text_nearest(name, names, 3);
    err_set(e, ERR_INPUT, NULL, "trace: '%.60s' is none of info, convert and fit%s%s%s", name,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static int run(int argc, char **argv, struct err *e)
{
    struct wish w = {.format = "text", .name = "fitted"};
    const struct option rows[] = {
        {"--format", NULL, OPTION_TEXT, &w.format, "FORMAT", "text or json"},
        {"--output", "-o", OPTION_TEXT, &w.out, "FILE",
         "info, convert: instead of standard output; fit: the catalogue file"},
        {"--to", NULL, OPTION_TEXT, &w.to, "NAME",
         "convert: the format; by default CSV of the same kind"},
        {"--type", NULL, OPTION_TEXT, &w.type, "TYPE", "fit: only this instance type"},
        {"--zone", NULL, OPTION_TEXT, &w.zone, "ZONE", "fit: only this zone"},
        {"--product", NULL, OPTION_TEXT, &w.product, "NAME", "fit: only this ProductDescription"},
        {"--on-demand", NULL, OPTION_TEXT, &w.on_demand, "PRICE",
         "fit: list price, such as \"3.06 USD\""},
        {"--name", NULL, OPTION_TEXT, &w.name, "NAME", "fit: of the market; \"fitted\""},
        {"--date", NULL, OPTION_TEXT, &w.date, "DATE", "fit: of the record; by default its last"},
        {"--chart", NULL, OPTION_TEXT, &w.chart, "FILE", "fit: a picture, .svg or .png"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = OPTIONS_MAX_TEXTS,
        .usage = "sluice trace info|convert|fit [options] FILE...",
        .doc =
            "info tells what a recorded file holds and what was repaired in it; convert writes\n"
            "it in another format; fit finds the parameters of a spot market in recorded\n"
            "prices, stock and lives, with intervals and how well they fit, and writes them as\n"
            "a catalogue file. Formats: JSON of EC2 and ECS spot prices, ticks of SkyPilot's\n"
            "spot traces, CSV of prices (columns time, price, currency, type, zone), of machines\n"
            "that could be had (time, available), of lives (lifetime, or start and end; lost 1 or\n"
            "0; type, zone), of rates (time, qps) and of requests (time).",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &w.files, e))
        return e->code;
    const struct action *action = find_action(&w.files, e);
    struct arena *a = action && check(&w, action, e) == 0 ? arena_create(e) : NULL;
    if (a)
        action->run(&w, a, e);
    arena_destroy(a);
    return e->code;
}

const struct command cmd_trace = {"trace", "what a recorded file holds, and parameters from it",
                                  run};
