/* page: verdict first, then what it means, then how it came about, then how to check it. */
#include "reports/page.h"

#include "reports/duty.h"
#include "reports/human.h"
#include "reports/page_style.h"
#include "reports/picture.h"
#include "reports/plot.h"
#include "reports/scope.h"
#include "reports/turning.h"
#include "sim/result.h"
#include "sim/text.h"
#include "sim/zone.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDE 960.0
#define NARROW 400.0
#define LOG_ROWS 500  /* lines of the decision log on the page; the store keeps all */
#define BILL_ROWS 200 /* kinds of bills */
#define FILTERS 8     /* families of subjects in the log that get a filter of their own */

struct page {
    const struct result *r;
    struct text *to;
    struct err *e;
    struct zone *zone;
    const char *zone_name;
    unsigned charts; /* numbers the ids of the charts */
};

/* ---- small writers ---- */

static void add(struct page *p, const char *html)
{
    text_add(p->to, html);
}

static void say(struct page *p, const char *s)
{
    text_html(p->to, s ? s : "");
}

/* A sentence in which no line ends between a number and its per cent sign. */
static void say_whole(struct page *p, const char *s)
{
    char part[512];
    for (const char *sign; s && (sign = strstr(s, " %")) && sign - s < (ptrdiff_t)sizeof part;
         s = sign + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(sign - s), s);
        say(p, part);
        add(p, "\u00a0");
    }
    say(p, s);
}

static void cell(struct page *p, const char *attributes, const char *s)
{
    text_printf(p->to, "<td%s>", attributes);
    say(p, s);
    add(p, "</td>");
}

static void section(struct page *p, const char *id, const char *title)
{
    text_printf(p->to, "<section aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n", id, id,
                title);
}

static struct human local(const struct page *p, sim_ns at)
{
    int64_t unix_s = p->r->epoch_s + at / SIM_SECOND;
    struct human out = human_time(p->zone, unix_s);
    size_t n = strlen(out.s);
    snprintf(out.s + n, sizeof out.s - n, ":%02d", zone_local(p->zone, unix_s).second);
    return out;
}

/* ---- the head ---- */

static void head(struct page *p)
{
    const struct result *r = p->r;
    add(p, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    say(p, r->name);
    text_printf(p->to, " %s - Sluice</title>\n<style>\n",
                r->holds    ? "holds"
                : r->judged ? "fails"
                            : "not judged");
    page_style(p->to);
    add(p, "</style>\n</head>\n<body>\n<header>\n<p class=\"brand\">Sluice report</p>\n<h1>");
    say(p, r->name);
    text_printf(p->to, "</h1>\n<p class=\"about\">%s from %s ",
                human_seconds((double)r->horizon / 1e9).s, human_time(p->zone, r->epoch_s).s);
    say(p, p->zone_name);
    text_printf(p->to, ", %u %s</p>\n", (unsigned)r->replications,
                text_plural(r->replications, "replication", "replications"));
    text_printf(p->to, "<div class=\"verdict %s\" role=\"status\"><strong>%s</strong> ",
                r->holds    ? "holds"
                : r->judged ? "fails"
                            : "unjudged",
                r->holds    ? "Holds"
                : r->judged ? "Does not hold"
                            : "Not judged");
    say_whole(p, r->verdict);
    add(p, "</div>\n");
}

static void contents(struct page *p)
{
    static const struct {
        const char *id, *title;
    } links[] = {{"findings", "Findings"}, {"turns", "What would turn it"},
                 {"charts", "Charts"},     {"cost", "Cost"},
                 {"duty", "Break-even"},   {"log", "Decisions"},
                 {"rests", "Rests on"},    {"bills", "Bills"},
                 {"all", "All figures"},   {"again", "Reproduce"}};
    add(p, "<nav aria-label=\"Contents\">");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (p->r->n_breakevens > 0 || strcmp(links[i].id, "duty") != 0)
            text_printf(p->to, "<a href=\"#h-%s\">%s</a> ", links[i].id, links[i].title);
    add(p, "</nav>\n</header>\n<main>\n");
}

struct tile {
    const char *label, *value, *note;
};

static void tile(struct page *p, const struct tile *t)
{
    text_printf(p->to, "<div><dt>%s</dt><dd>", t->label);
    say(p, t->value);
    if (*t->note) {
        add(p, "<small>");
        say(p, t->note);
        add(p, "</small>");
    }
    add(p, "</dd></div>\n");
}

static void figure_tile(struct page *p, const struct scope *s, const char *path, const char *label)
{
    const struct figure *f = scope_figure(s, path);
    if (!f)
        return;
    struct human value = human_value(f->value, f->unit), interval = human_interval(f);
    if (f->unit && strcmp(f->unit, "replicas") == 0)
        value = human_number(f->value);
    if (f->merge == FIGURE_SUM) /* the interval of a sum is that of one replication */
        interval.s[0] = '\0';
    tile(p, &(struct tile){label, value.s, interval.s});
}

/* A count over all replications says nothing to who thinks of one run. */
static void preempted_tile(struct page *p, const struct scope *s)
{
    const struct figure *f = scope_figure(s, "nodes.preemptions");
    if (!f || p->r->replications == 0)
        return;
    struct human n = human_number(f->value / p->r->replications), interval = human_interval(f);
    tile(p, &(struct tile){"spot nodes taken back, a run", n.s, interval.s});
}

static void service_tiles(struct page *p, const struct scope *s)
{
    const struct figure *arrived = scope_figure(s, "requests.arrived");
    figure_tile(p, s, "latency.p99", "p99 latency");
    figure_tile(p, s, "slo.heldShare", "SLO windows held");
    if (arrived && arrived->value > 0) {
        double served = scope_number(s, "requests.served") / arrived->value;
        struct human share = human_share(served), n = human_count(arrived->value), of;
        snprintf(of.s, sizeof of.s, "of %.60s", n.s);
        tile(p, &(struct tile){"requests served", share.s, of.s});
    }
    const struct figure *mean = scope_figure(s, "replicas.mean");
    if (mean) {
        struct human low = human_count(scope_number(s, "replicas.min")),
                     high = human_count(scope_number(s, "replicas.max")),
                     value = human_number(mean->value), range;
        if (strcmp(low.s, high.s) == 0)
            snprintf(range.s, sizeof range.s, "all the time");
        else
            snprintf(range.s, sizeof range.s, "from %.30s to %.30s", low.s, high.s);
        tile(p, &(struct tile){"replicas, mean", value.s, range.s});
    }
}

static void service_heading(struct page *p, const struct scope *s)
{
    if (s->name_length == 0)
        return;
    struct text name = {0};
    text_add_bytes(&name, s->name, s->name_length);
    add(p, "<h3>Service ");
    say(p, name.s);
    add(p, "</h3>\n");
    text_fini(&name);
}

static void tiles(struct page *p)
{
    struct scope whole = scope_whole(p->r), s = {.result = p->r};
    bool several = false;
    while (scope_next(&s)) {
        several = s.name_length > 0;
        if (several) {
            service_heading(p, &s);
            add(p, "<dl class=\"tiles\">\n");
            service_tiles(p, &s);
            add(p, "</dl>\n");
        }
    }
    if (p->r->n_figures == 0)
        return;
    if (several)
        add(p, "<h3>The whole</h3>\n");
    add(p, "<dl class=\"tiles\">\n");
    if (scope_value(&whole, "cost.total", 0) > 0) {
        bool once = !scope_figure(&whole, "requests.arrived") && scope_figure(&whole, "jobs.asked");
        if (!once)
            figure_tile(p, &whole, "cost.perMonth", "cost a month");
        if (once)
            figure_tile(p, &whole, "cost.total", "cost in all");
        figure_tile(p, &whole, "jobs.costEach", "cost of a job");
        figure_tile(p, &whole, "cost.per1k", "cost of 1,000 requests");
    }
    if (!several)
        service_tiles(p, &whole);
    figure_tile(p, &whole, "nodes.onDemandShare", "node time on demand");
    preempted_tile(p, &whole);
    add(p, "</dl>\n");
    if (p->r->replications > 1)
        add(p, "<p class=\"about\">Below a figure: its 95 % interval over the replications.</p>\n");
}

static void findings(struct page *p)
{
    const struct result *r = p->r;
    section(p, "findings", "What to know");
    add(p, r->n_findings ? "<ul class=\"findings\">\n" : "<p>Nothing stood out.</p>\n");
    static const char *const levels[] = {"error", "warning", "note"};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < r->n_findings; i++) {
            if (strcmp(r->findings[i].level, levels[k]) != 0)
                continue;
            text_printf(p->to, "<li class=\"%s\"><b>%s</b>", levels[k], levels[k]);
            say(p, r->findings[i].text);
            add(p, "</li>\n");
        }
    }
    if (r->n_findings)
        add(p, "</ul>\n");
    if (r->findings_dropped)
        text_printf(p->to, "<p>And %s more.</p>\n", human_count((double)r->findings_dropped).s);
    add(p, "</section>\n");
}

/* ---- charts ---- */

/* Every chart stands on the page twice, and the style shows the one that fits. */
static struct chart_frame frame_of(const char *id, bool narrow)
{
    return (struct chart_frame){.format = PLOT_SVG,
                                .width = narrow ? NARROW : WIDE,
                                .scale = 1,
                                .id = id,
                                .css_class = narrow ? "narrow" : "wide"};
}

static int chart(struct page *p, const struct scope *s, enum picture what, const char *caption)
{
    if (!picture_is_there(s, what))
        return 0;
    add(p, "<figure class=\"plot\">\n");
    for (int narrow = 0; narrow < 2; narrow++) {
        char id[40];
        snprintf(id, sizeof id, "%s-%u%s", picture_name(what), p->charts, narrow ? "n" : "w");
        struct chart_frame frame = frame_of(id, narrow);
        if (picture_draw(s, what, &frame, p->to, p->e) != 0)
            return -1;
    }
    p->charts++;
    text_printf(p->to, "<figcaption>%s</figcaption>\n</figure>\n", caption);
    return 0;
}

static int charts(struct page *p)
{
    struct scope whole = scope_whole(p->r), s = {.result = p->r};
    section(p, "charts", "What happened");
    if (p->r->replications > 1)
        text_printf(p->to,
                    "<p class=\"about\">Charts and log are of replication %u, whose cost is "
                    "the median.</p>\n",
                    (unsigned)p->r->shown_replication);
    while (scope_next(&s)) {
        service_heading(p, &s);
        if (chart(p, &s, PICTURE_TRAFFIC,
                  "The pale band spans the least and the largest value in each step of the chart. "
                  "Where the metric has a gap the autoscaler saw no value.") != 0 ||
            chart(p, &s, PICTURE_LATENCY,
                  "The worst SLO window in each step of the chart, from the scheduled "
                  "arrival of a request to its end.") != 0)
            return -1;
    }
    if (chart(p, &whole, PICTURE_NODES, "Nodes that are paid for, one on top of the other.") != 0 ||
        chart(p, &whole, PICTURE_STARTUP,
              "The mean over all pods that came to serve, and the slowest ones of the replication "
              "shown.") != 0)
        return -1;
    if (p->charts == 0)
        add(p, "<p>Nothing was recorded over time.</p>\n");
    add(p, "</section>\n");
    return 0;
}

static void parts_table(struct page *p, const char *title, const char *path)
{
    struct scope s = scope_whole(p->r);
    double total = scope_value(&s, "cost.total", 0);
    bool begun = false;
    for (size_t i = 0; i < p->r->n_figures; i++) {
        const struct figure *f = &p->r->figures[i];
        const char *part = scope_below(&s, f, path);
        if (!part || total <= 0 || !isfinite(f->value))
            continue;
        if (!begun)
            text_printf(
                p->to,
                "<div class=\"scroll\"><table class=\"parts\">\n<caption>%s</caption>\n<thead><tr>"
                "<th scope=\"col\">part</th><th scope=\"col\" class=\"n\">cost</th>"
                "<th scope=\"col\" class=\"n\">share</th></tr></thead>\n<tbody>\n",
                title);
        begun = true;
        add(p, "<tr><th scope=\"row\">");
        say(p, strcmp(path, "cost.byResource.") == 0 ? part : human_words(part).s);
        text_printf(p->to, "</th><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
                    human_money(f->value, NULL).s, human_share(f->value / total).s);
    }
    if (begun)
        add(p, "</tbody></table></div>\n");
}

static int cost(struct page *p)
{
    struct scope s = scope_whole(p->r);
    const struct figure *total = scope_figure(&s, "cost.total");
    section(p, "cost", "Cost");
    if (!total || (total->value == 0 && p->r->n_bills == 0)) {
        add(p, "<p>Nothing has a price in this run.</p>\n</section>\n");
        return 0;
    }
    const char *currency = p->r->currency;
    struct human interval = human_interval(total);
    text_printf(p->to, "<p>%s", human_money(total->value, currency).s);
    if (*interval.s)
        text_printf(p->to, " (%s)", interval.s);
    text_printf(p->to, " for %s: %s an hour, %s a month",
                human_seconds((double)p->r->horizon / 1e9).s,
                human_money(scope_number(&s, "cost.perHour"), currency).s,
                human_money(scope_number(&s, "cost.perMonth"), currency).s);
    if (scope_figure(&s, "cost.per1k"))
        text_printf(p->to, ", %s for a thousand requests",
                    human_money(scope_number(&s, "cost.per1k"), currency).s);
    text_printf(p->to, ".</p>\n");
    if (chart(p, &s, PICTURE_COST, "Every bar serves the same traffic.") != 0)
        return -1;
    add(p, "<div class=\"pair\">\n<div>\n");
    parts_table(p, "By what it was spent on", "cost.byClass.");
    add(p, "</div>\n<div>\n");
    parts_table(p, "By billing", "cost.byBilling.");
    parts_table(p, "By resource", "cost.byResource.");
    add(p, "</div>\n</div>\n</section>\n");
    return 0;
}

static int breakeven(struct page *p)
{
    if (p->r->n_breakevens == 0)
        return 0;
    section(p, "duty", "Paying by the second, or for a machine that stays");
    add(p, "<p>A GPU works in bursts. An elastic container instance is paid for a burst and its "
           "start; a machine bought for it for boot, start, burst and the wait before it goes; a "
           "warm pool and a subscription all the time. ECI costs less "
           "while the GPU works for less than the share of the time shown.</p>\n<figure "
           "class=\"plot\">\n");
    for (int narrow = 0; narrow < 2; narrow++) {
        struct chart_frame frame = frame_of(narrow ? "duty-n" : "duty-w", narrow);
        if (duty_chart(p->r, &frame, p->to, p->e) != 0)
            return -1;
    }
    add(p, "<figcaption>The figure behind each bar is the share up to which ECI is the cheapest of "
           "the three.</figcaption>\n</figure>\n");
    duty_html(p->r, p->to);
    add(p, "</section>\n");
    return 0;
}

/* ---- the decision log ---- */

/* Bytes of a subject without the number at its end: "elastic-31" is of the family "elastic-". */
static size_t family_length(const char *subject)
{
    size_t n = strlen(subject);
    while (n > 0 && subject[n - 1] >= '0' && subject[n - 1] <= '9')
        n--;
    return n > 0 && subject[n - 1] == '-' ? n : strlen(subject);
}

/* Index of the subject's family among the first FILTERS different ones; FILTERS when it is a later
 * one. */
static size_t family_index(const char *subject, const char **families, size_t *n)
{
    size_t length = family_length(subject);
    for (size_t i = 0; i < *n; i++) {
        if (family_length(families[i]) == length && strncmp(families[i], subject, length) == 0)
            return i;
    }
    if (*n == FILTERS)
        return FILTERS;
    families[*n] = subject;
    return (*n)++;
}

static void filters(struct page *p, const char **subjects, size_t n)
{
    if (n < 2)
        return;
    add(p, "<style>");
    for (size_t i = 0; i < n; i++)
        text_printf(p->to, ".log:has(#s%zu:checked) tbody tr:not(.s%zu){display:none}", i, i);
    add(p, "</style>\n<fieldset class=\"filter\"><legend>Show the decisions of</legend>\n"
           "<label><input type=\"radio\" name=\"subject\" checked>all</label>\n");
    for (size_t i = 0; i < n; i++) {
        text_printf(p->to, "<label><input type=\"radio\" name=\"subject\" id=\"s%zu\">", i);
        struct text family = {0};
        size_t length = family_length(subjects[i]);
        text_add_bytes(&family, subjects[i], length);
        if (subjects[i][length])
            text_add(&family, "*");
        say(p, family.s);
        text_fini(&family);
        add(p, "</label>\n");
    }
    add(p, "</fieldset>\n");
}

static void log_rows(struct page *p, size_t shown, const char **subjects, size_t *n)
{
    add(p, "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Decision log\">"
           "<table class=\"stack\">\n<thead><tr><th scope=\"col\">time</th><th scope=\"col\">who"
           "</th><th scope=\"col\">what</th><th scope=\"col\">why</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++) {
        const struct result_entry *entry = &p->r->entries[i];
        text_printf(p->to, "<tr class=\"s%zu\"><td class=\"t\">%s</td>",
                    family_index(entry->subject, subjects, n), local(p, entry->at).s);
        /* Short ones stay on a line. */
        cell(p, strlen(entry->subject) < 24 ? " class=\"t\"" : "", entry->subject);
        cell(p, strlen(entry->what) < 24 ? " class=\"t\"" : "", entry->what);
        cell(p, "", entry->reason);
        add(p, "</tr>\n");
    }
    add(p, "</tbody></table></div>\n");
}

static void decisions(struct page *p)
{
    const struct result *r = p->r;
    const char *subjects[FILTERS];
    size_t n = 0, shown = r->n_entries < LOG_ROWS ? r->n_entries : LOG_ROWS;
    section(p, "log", "Decisions, with their reasons");
    if (shown == 0) {
        add(p, "<p>Nobody decided anything.</p>\n</section>\n");
        return;
    }
    for (size_t i = 0; i < shown; i++)
        family_index(r->entries[i].subject, subjects, &n);
    add(p, "<div class=\"log\">\n");
    filters(p, subjects, n);
    log_rows(p, shown, subjects, &n);
    add(p, "</div>\n");
    uint64_t more = r->n_entries - shown + r->entries_dropped;
    text_printf(p->to, "<p class=\"about\">%zu %s", shown, text_plural(shown, "line", "lines"));
    if (more)
        text_printf(p->to, "; %s more are not on this page", human_count((double)more).s);
    add(p, ". Printed pages show the first 60.</p>\n</section>\n");
}

/* ---- what it rests on, what was paid ---- */

static bool is_shaky(const struct result_assumption *a)
{
    return strcmp(a->quality, "official") != 0 && strcmp(a->quality, "measured") != 0;
}

static void assumption_rows(struct page *p, bool shaky)
{
    add(p, "<div class=\"scroll\"><table class=\"stack rests\">\n<thead><tr><th scope=\"col\">"
           "figure</th><th scope=\"col\">value</th><th scope=\"col\">quality</th>"
           "<th scope=\"col\">source</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < p->r->n_assumptions; i++) {
        const struct result_assumption *a = &p->r->assumptions[i];
        if (is_shaky(a) != shaky)
            continue;
        add(p, "<tr><th scope=\"row\"><code>");
        say(p, a->path);
        add(p, "</code></th>");
        cell(p, "", a->value);
        cell(p, strlen(a->quality) < 16 ? " class=\"t\" data-h=\"quality\"" : "", a->quality);
        cell(p, " data-h=\"source\"", a->source);
        add(p, "</tr>\n");
    }
    add(p, "</tbody></table></div>\n");
}

static void assumptions(struct page *p)
{
    const struct result *r = p->r;
    size_t shaky = 0;
    for (size_t i = 0; i < r->n_assumptions; i++)
        shaky += is_shaky(&r->assumptions[i]);
    section(p, "rests", "What the answer rests on");
    text_printf(p->to, "<p>%zu %s of the world %s assumed or from third parties%s</p>\n", shaky,
                text_plural(shaky, "figure", "figures"), text_plural(shaky, "is", "are"),
                shaky ? ", to be replaced by your own:" : ".");
    if (shaky)
        assumption_rows(p, true);
    if (shaky < r->n_assumptions) {
        text_printf(p->to, "<details><summary>%zu %s official or measured</summary>\n",
                    r->n_assumptions - shaky,
                    text_plural(r->n_assumptions - shaky, "figure that is", "figures that are"));
        assumption_rows(p, false);
        add(p, "</details>\n");
    }
    add(p, "</section>\n");
}

struct bill_kind {
    const struct result_bill *like;
    size_t n;
    double hours;
    int64_t micro;
};

static bool same_kind(const struct result_bill *a, const struct result_bill *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->type, b->type) == 0 &&
           strcmp(a->billing, b->billing) == 0 && strcmp(a->zone, b->zone) == 0;
}

/* Groups the bills; the last kind takes what does not fit. */
static size_t bill_kinds(const struct result *r, struct bill_kind *kinds)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_bills; i++) {
        const struct result_bill *b = &r->bills[i];
        size_t k = 0;
        while (k < n && !same_kind(kinds[k].like, b))
            k++;
        if (k == BILL_ROWS)
            k--;
        if (k == n)
            kinds[n++] = (struct bill_kind){.like = b};
        kinds[k].n++;
        kinds[k].hours += (double)(b->to - b->from) / 3.6e12;
        kinds[k].micro += b->amount_micro;
    }
    return n;
}

static void bill_row(struct page *p, const struct bill_kind *k)
{
    add(p, "<tr><th scope=\"row\">");
    say(p, k->like->group);
    add(p, "</th>");
    cell(p, "", k->like->type);
    cell(p, " data-h=\"zone\"", k->like->zone);
    cell(p, " data-h=\"billing\"", human_words(k->like->billing).s);
    text_printf(p->to,
                "<td class=\"n\" data-h=\"bills\">%zu</td><td class=\"n\" data-h=\"hours\">%s"
                "</td>",
                k->n, human_count(k->hours).s);
    cell(p, " class=\"n\" data-h=\"amount\"",
         human_money((double)k->micro / 1e6, k->like->currency).s);
    add(p, "</tr>\n");
}

static void bills(struct page *p)
{
    const struct result *r = p->r;
    struct bill_kind kinds[BILL_ROWS];
    section(p, "bills", "Bills");
    size_t n = bill_kinds(r, kinds);
    if (n == 0) {
        add(p, "<p>Nothing was paid for.</p>\n</section>\n");
        return;
    }
    add(p, "<div class=\"scroll\"><table class=\"stack\">\n<thead><tr><th scope=\"col\">pool or "
           "service</th><th scope=\"col\">type</th><th scope=\"col\">zone</th><th scope=\"col\">"
           "billing</th><th scope=\"col\" class=\"n\">bills</th><th scope=\"col\" class=\"n\">hours"
           "</th><th scope=\"col\" class=\"n\">amount</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < n; i++)
        bill_row(p, &kinds[i]);
    add(p, "</tbody></table></div>\n");
    if (r->bills_dropped)
        text_printf(p->to, "<p>And %s more bills of %s together.</p>\n",
                    human_count((double)r->bills_dropped).s,
                    human_money((double)r->bills_dropped_micro / 1e6, r->currency).s);
    add(p, "</section>\n");
}

/* ---- for checking ---- */

static void all_figures(struct page *p)
{
    section(p, "all", "All figures");
    text_printf(p->to,
                "<details><summary>%zu figures by path</summary>\n<div class=\"scroll\">"
                "<table>\n<thead><tr><th scope=\"col\">path</th><th scope=\"col\" class=\"n\""
                ">value</th><th scope=\"col\" class=\"n\">95 %% from</th><th scope=\"col\" "
                "class=\"n\">to</th><th scope=\"col\">unit</th></tr></thead>\n<tbody>\n",
                p->r->n_figures);
    for (size_t i = 0; i < p->r->n_figures; i++) {
        const struct figure *f = &p->r->figures[i];
        add(p, "<tr><th scope=\"row\"><code>");
        say(p, f->path);
        add(p, "</code></th>");
        cell(p, " class=\"n\"", human_number(f->value).s);
        cell(p, " class=\"n\"", f->has_interval ? human_number(f->low).s : "");
        cell(p, " class=\"n\"", f->has_interval ? human_number(f->high).s : "");
        cell(p, "", f->unit);
        add(p, "</tr>\n");
    }
    add(p, "</tbody></table></div></details>\n</section>\n");
}

static void reproduce(struct page *p)
{
    const struct result *r = p->r;
    section(p, "again", "How to reproduce this");
    if (r->command) {
        add(p, "<pre><code>");
        say(p, r->command);
        add(p, "</code></pre>\n");
    }
    add(p, "<dl class=\"keys\"><dt>run key</dt><dd><code>");
    say(p, r->run_key);
    text_printf(p->to, "</code></dd>\n<dt>seed</dt><dd>%" PRIu64 "</dd>\n<dt>engine</dt><dd>",
                r->seed);
    say(p, r->engine);
    text_printf(p->to,
                "</dd>\n<dt>digest of the control log</dt><dd><code>%016" PRIx64 "</code></dd>\n"
                "<dt>digest of the requests</dt><dd><code>%016" PRIx64 "</code></dd></dl>\n"
                "<p>The same scenario, seed and program give the same digests on every machine.</p>"
                "\n</section>\n",
                r->control_digest, r->request_digest);
    add(p, "</main>\n<footer>Simulated by Sluice; not a measurement. Schema " RESULT_SCHEMA
           ".</footer>\n</body>\n</html>\n");
}

static int open_zone(struct page *p)
{
    struct err unknown = {0};
    p->zone_name = p->r->time_zone ? p->r->time_zone : "UTC";
    p->zone = zone_load(p->zone_name, &unknown);
    if (p->zone)
        return 0;
    p->zone_name = "UTC";
    p->zone = zone_load("UTC", p->e);
    return p->zone ? 0 : -1;
}

int page_html(const struct result *r, struct text *to, struct err *e)
{
    assert(r && to && e);
    struct page p = {.r = r, .to = to, .e = e};
    if (open_zone(&p) != 0)
        return -1;
    head(&p);
    contents(&p);
    tiles(&p);
    findings(&p);
    section(&p, "turns", "What would turn the verdict");
    turning_html(r, to);
    add(&p, "</section>\n");
    int status = charts(&p);
    if (status == 0)
        status = cost(&p);
    if (status == 0)
        status = breakeven(&p);
    if (status == 0) {
        decisions(&p);
        assumptions(&p);
        bills(&p);
        all_figures(&p);
        reproduce(&p);
        status = text_end(to, e);
    }
    zone_free(p.zone);
    return status;
}
