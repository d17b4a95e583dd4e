/* summary: one block of lines a subject, a label on the left, text wrapped beside it. */
#include "reports/summary.h"

#include "reports/duty.h"
#include "reports/human.h"
#include "reports/scope.h"
#include "reports/turning.h"
#include "sim/result.h"
#include "sim/text.h"
#include "sim/zone.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 80
#define LABEL 12 /* columns of the left column */
#define BAR 26
#define SHAKY_LINES 12

struct out {
    struct text *to;
    bool colour;
};

/* ---- lines ---- */

static void paint(const struct out *o, const char *code)
{
    if (o->colour)
        text_printf(o->to, "\033[%sm", code);
}

static void spaces(struct text *to, size_t n)
{
    text_printf(to, "%*s", (int)n, "");
}

/* A terminal obeys control characters, so none from a file may reach it. */
static void put_clean(struct text *to, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        /* U+0080 to U+009F are C2 80 to C2 9F; C2 A0 is the no-break space. */
        unsigned char after = c == 0xC2 && i + 1 < n ? (unsigned char)s[i + 1] : 0xFF;
        bool control = c < 0x20 || c == 0x7F || after < 0xA0;
        text_add_bytes(to, control ? "?" : after == 0xA0 ? " " : &s[i], 1);
        i += after <= 0xA0;
    }
}

/* Length of the next word in bytes, at most `columns` wide. A per cent sign stays with its number.
 */
static size_t word_length(const char *s, size_t columns)
{
    size_t n = strcspn(s, " \n\t");
    if (s[n] == ' ' && s[n + 1] == '%')
        n += 1 + strcspn(s + n + 1, " \n\t");
    size_t fits = human_fit(s, columns);
    return n < fits ? n : fits;
}

/* Writes s in lines up to WIDTH, the first from column `at`, the others from `indent`. */
static void wrap(struct text *to, const char *s, size_t at, size_t indent)
{
    size_t column = at;
    bool first = true;
    for (s += strspn(s, " \n\t"); *s; s += strspn(s, " \n\t")) {
        size_t n = word_length(s, WIDTH - indent);
        char word[4 * WIDTH + 1];
        memcpy(word, s, n);
        word[n] = '\0';
        size_t wide = human_columns(word);
        if (column + wide + !first > WIDTH) {
            text_add(to, "\n");
            spaces(to, indent);
            column = indent;
            first = true;
        }
        if (!first)
            text_add(to, " ");
        put_clean(to, word, n);
        column += wide + !first;
        first = false;
        s += n;
    }
    text_add(to, "\n");
}

/* A label in the left column, "" under an earlier one; then wrapped text. */
static void row(const struct out *o, const char *label, const char *fmt, ...) ERR_PRINTF(3, 4);
static void row(const struct out *o, const char *label, const char *fmt, ...)
{
    char s[4096];
    va_list args;
    va_start(args, fmt);
    vsnprintf(s, sizeof s, fmt, args);
    va_end(args);
    paint(o, "1");
    text_printf(o->to, "%-*s", LABEL, label);
    paint(o, "0");
    wrap(o->to, s, LABEL, LABEL);
}

static void heading(const struct out *o, const char *s)
{
    text_add(o->to, "\n");
    paint(o, "1");
    text_add(o->to, s);
    paint(o, "0");
    text_add(o->to, "\n");
}

/* "  serving                     6,120 CNY   63.0 %  ################" */
struct share {
    const char *label, *value, *note;
    double share; /* of the longest bar */
};

/* s, cut or filled up to `columns`. */
static void cell(struct text *to, const char *s, size_t columns, bool right)
{
    size_t fits = human_columns(s) > columns ? human_fit(s, columns) : strlen(s);
    char kept[4 * WIDTH + 1];
    snprintf(kept, sizeof kept, "%.*s", (int)fits, s);
    size_t used = human_columns(kept), gap = used < columns ? columns - used : 0;
    spaces(to, right ? gap : 0);
    put_clean(to, kept, strlen(kept));
    spaces(to, right ? 0 : gap);
}

static void share_row(const struct out *o, const struct share *r)
{
    text_add(o->to, "  ");
    cell(o->to, r->label, 26, false);
    cell(o->to, r->value, 14, true);
    cell(o->to, r->note, 9, true);
    double clamped = isfinite(r->share) ? fmax(0, fmin(1, r->share)) : 0;
    int length = (int)(clamped * BAR + 0.5);
    if (length > 0) {
        text_add(o->to, "  ");
        paint(o, "36");
        for (int i = 0; i < length; i++)
            text_add(o->to, "#");
        paint(o, "0");
    }
    text_add(o->to, "\n");
}

/* " [121 to 135 ms]" */
static struct human bracketed(const struct figure *f)
{
    struct human in = human_interval(f), out = {""};
    if (*in.s)
        snprintf(out.s, sizeof out.s, " [%.70s]", in.s);
    return out;
}

/* ---- blocks ---- */

static void head(const struct out *o, const struct result *r)
{
    struct err ignored = {0};
    struct zone *z = zone_load(r->time_zone ? r->time_zone : "UTC", &ignored);
    const char *zone_name = z ? r->time_zone : "UTC";
    if (!z)
        z = zone_load("UTC", &ignored);
    char line[1024];
    snprintf(line, sizeof line, "%s: %s from %s %s, %u %s", r->name,
             human_seconds((double)r->horizon / 1e9).s, z ? human_time(z, r->epoch_s).s : "",
             zone_name ? zone_name : "UTC", (unsigned)r->replications,
             text_plural(r->replications, "replication", "replications"));
    zone_free(z);
    wrap(o->to, line, 0, 2);
    paint(o, r->holds ? "1;32" : r->judged ? "1;31" : "1;33");
    text_add(o->to, r->holds ? "HOLDS  " : r->judged ? "FAILS  " : "NOT JUDGED  ");
    paint(o, "0");
    wrap(o->to, r->verdict ? r->verdict : "", r->judged ? 7 : 12, 7);
}

/* "p99 under 130 ms, in 99.9 % of the windows of 5m" */
static bool slo_asked_line(const struct out *o, const struct scope *s)
{
    char line[512] = "", path[32];
    size_t n = 0;
    for (size_t q = 0; q < SCOPE_QUANTILES; q++) {
        snprintf(path, sizeof path, "slo.limits.%s", scope_quantiles[q]);
        const struct figure *limit = scope_figure(s, path);
        if (limit)
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s under %.40s", n ? ", " : "",
                                  scope_quantile_labels[q], human_seconds(limit->value).s);
    }
    double window = scope_number(s, "slo.window"), objective = scope_number(s, "slo.objective");
    if (n == 0)
        return false;
    if (isfinite(objective))
        n += (size_t)snprintf(line + n, sizeof line - n, ", in %.40s of the windows",
                              human_share(objective).s);
    if (isfinite(window))
        snprintf(line + n, sizeof line - n, " of %.40s", human_seconds(window).s);
    row(o, "SLO", "%s", line);
    return true;
}

static void slo_block(const struct out *o, const struct scope *s)
{
    const struct figure *held = scope_figure(s, "slo.held"),
                        *share = scope_figure(s, "slo.heldShare"),
                        *worst = scope_figure(s, "slo.worst");
    bool asked = slo_asked_line(o, s);
    double windows = scope_number(s, "slo.windows");
    if (!held || !(windows > 0))
        return;
    char worst_text[96] = "";
    /* A window in which the quantile itself failed counts as 1000 times its limit. */
    if (worst && worst->value > 1 && worst->value < 1000)
        snprintf(worst_text, sizeof worst_text, ", the worst %.40s times its limit",
                 human_number(worst->value).s);
    row(o, asked ? "" : "SLO", "held in %s%s: %s of %s windows, %s missed%s",
        human_share(share ? share->value : held->value / windows).s, bracketed(share).s,
        human_count(held->value).s, human_count(windows).s,
        human_count(scope_value(s, "slo.missed", windows - held->value)).s, worst_text);
}

static void requests_block(const struct out *o, const struct scope *s)
{
    const struct figure *arrived = scope_figure(s, "requests.arrived");
    if (!arrived)
        return;
    double served = scope_number(s, "requests.served");
    row(o, "Requests", "%s arrived, %s served (%s)%s", human_count(arrived->value).s,
        human_count(served).s, human_share(arrived->value > 0 ? served / arrived->value : 1).s,
        s->result->replications > 1 ? ", over all replications" : "");
    char line[512];
    int n = snprintf(line, sizeof line, "%s failed",
                     human_count(scope_value(s, "requests.failed.total", 0)).s);
    const char *sign = ": ";
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const struct figure *f = &s->result->figures[i];
        const char *cause = scope_below(s, f, "requests.failed.");
        if (!cause || strcmp(cause, "total") == 0 || f->value == 0 || n > 400)
            continue;
        n += snprintf(line + n, sizeof line - (size_t)n, "%s%.40s %s", sign, cause,
                      human_count(f->value).s);
        sign = ", ";
    }
    row(o, "", "%s; %s in flight at the end", line,
        human_count(scope_value(s, "requests.inFlight", 0)).s);
}

static void latency_block(const struct out *o, const struct scope *s)
{
    static const struct {
        const char *path, *name;
        bool interval;
    } rows[] = {{"latency.mean", "mean", false}, {"latency.p50", "p50", false},
                {"latency.p90", "p90", false},   {"latency.p95", "p95", true},
                {"latency.p99", "p99", true},    {"latency.p999", "p99.9", true},
                {"latency.max", "max", false}};
    char line[1024] = "";
    size_t n = 0;
    if (scope_value(s, "requests.served", 1) == 0) {
        row(o, "Latency", "of no request: none was served");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct figure *f = scope_figure(s, rows[i].path);
        if (f)
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s %s%s", n ? ", " : "",
                                  rows[i].name, human_seconds(f->value).s,
                                  rows[i].interval ? bracketed(f).s : "");
    }
    if (n)
        row(o, "Latency", "%s", line);
}

static void replicas_block(const struct out *o, const struct scope *s)
{
    const struct figure *mean = scope_figure(s, "replicas.mean");
    if (!mean)
        return;
    double starts = scope_value(s, "replicas.starts", 0);
    double reversals = scope_value(s, "replicas.reversals", 0);
    row(o, "Replicas", "mean %s, from %s to %s; %s %s, %s %s", human_number(mean->value).s,
        human_count(scope_number(s, "replicas.min")).s,
        human_count(scope_number(s, "replicas.max")).s, human_count(starts).s,
        text_plural((uint64_t)starts, "start", "starts"), human_count(reversals).s,
        text_plural((uint64_t)reversals, "reversal", "reversals"));
}

/* The figure beside "startup.<phase>.mean" that tells of the slow ones. */
static const struct figure *startup_tail(const struct scope *s, const char *phase)
{
    char path[128];
    size_t n = strcspn(phase, ".");
    snprintf(path, sizeof path, "startup.%.*s.p99", (int)(n < 60 ? n : 60), phase);
    const struct figure *f = scope_figure(s, path);
    if (f)
        return f;
    snprintf(path, sizeof path, "startup.%.*s.max", (int)(n < 60 ? n : 60), phase);
    return scope_figure(s, path);
}

static const char *startup_phase(const struct scope *s, const struct figure *f)
{
    const char *phase = scope_below(s, f, "startup."), *dot = phase ? strchr(phase, '.') : NULL;
    return dot && strcmp(dot, ".mean") == 0 && f->value > 0 ? phase : NULL;
}

static void startup_row(const struct out *o, const struct scope *s, const char *phase, double share)
{
    char name[64];
    size_t n = strcspn(phase, ".");
    snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), phase);
    const struct figure *tail = startup_tail(s, phase);
    char path[96];
    snprintf(path, sizeof path, "startup.%s.mean", name);
    struct human words = human_words(name), mean = human_seconds(scope_number(s, path)),
                 slow = human_seconds(tail ? tail->value : (double)NAN);
    share_row(o, &(struct share){words.s, mean.s, slow.s, share});
}

static void startup_block(const struct out *o, const struct scope *s)
{
    double longest = 0;
    const struct figure *tail = NULL;
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const char *phase = startup_phase(s, &s->result->figures[i]);
        if (!phase)
            continue;
        longest = fmax(longest, s->result->figures[i].value);
        tail = startup_tail(s, phase);
    }
    if (longest <= 0)
        return;
    heading(o, scope_figure(s, "startup.run.mean") ? "Phases of a pod, to its end"
                                                   : "Startup of a pod");
    size_t length = tail ? strlen(tail->path) : 0;
    share_row(o, &(struct share){"", "mean", length ? tail->path + length - 3 : "", 0});
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const char *phase = startup_phase(s, &s->result->figures[i]);
        if (phase)
            startup_row(o, s, phase, s->result->figures[i].value / longest);
    }
}

static void service_blocks(const struct out *o, const struct scope *s)
{
    text_add(o->to, "\n");
    if (s->name_length) {
        paint(o, "1");
        char line[512];
        snprintf(line, sizeof line, "Service %.*s",
                 (int)(s->name_length < 400 ? s->name_length : 400), s->name);
        wrap(o->to, line, 0, 2);
        paint(o, "0");
    }
    slo_block(o, s);
    requests_block(o, s);
    latency_block(o, s);
    replicas_block(o, s);
}

static void nodes_block(const struct out *o, const struct scope *s)
{
    char line[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const struct figure *f = &s->result->figures[i];
        const char *billing = scope_below(s, f, "nodes.hours.");
        if (billing && n < 300)
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s %s h", n ? ", " : "",
                                  human_words(billing).s, human_count(f->value).s);
    }
    if (n == 0)
        return;
    const struct figure *share = scope_figure(s, "nodes.onDemandShare");
    row(o, "Nodes", "%s; at most %s at once, %s preempted%s%s%s", line,
        human_count(scope_number(s, "nodes.max")).s,
        human_count(scope_value(s, "nodes.preemptions", 0)).s, share ? "; " : "",
        share ? human_share(share->value).s : "", share ? " on demand" : "");
}

static void cost_block(const struct out *o, const struct scope *s)
{
    const struct figure *total = scope_figure(s, "cost.total");
    const char *currency = s->result->currency;
    if (!total || (total->value == 0 && s->result->n_bills == 0))
        return;
    char each[96] = "";
    if (scope_figure(s, "cost.per1k"))
        snprintf(each, sizeof each, ", %.70s a thousand requests",
                 human_money(scope_number(s, "cost.per1k"), currency).s);
    row(o, "Cost", "%s%s for %s: %s a month, %s an hour%s", human_money(total->value, currency).s,
        bracketed(total).s, human_seconds((double)s->result->horizon / 1e9).s,
        human_money(scope_number(s, "cost.perMonth"), currency).s,
        human_money(scope_number(s, "cost.perHour"), currency).s, each);
}

/* The parts of the total under `head`, each with its share of it. */
static void parts_block(const struct out *o, const struct scope *s, const char *title,
                        const char *path)
{
    double total = scope_value(s, "cost.total", 0);
    bool begun = false;
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const struct figure *f = &s->result->figures[i];
        const char *part = scope_below(s, f, path);
        if (!part || f->value == 0 || total <= 0)
            continue;
        if (!begun)
            heading(o, title);
        begun = true;
        struct human words = human_words(part), money = human_money(f->value, s->result->currency),
                     share = human_share(f->value / total);
        share_row(o, &(struct share){words.s, money.s, share.s, f->value / total});
    }
}

static void baselines_block(const struct out *o, const struct scope *s)
{
    static const char path[] = "cost.baselines.";
    double total = scope_value(s, "cost.total", 0), most = total;
    size_t n = 0;
    for (size_t i = 0; i < s->result->n_figures; i++) {
        if (scope_below(s, &s->result->figures[i], path)) {
            n++;
            most = fmax(most, s->result->figures[i].value);
        }
    }
    if (n == 0 || total <= 0)
        return;
    heading(o, "Other ways to serve the same traffic");
    struct human own = human_money(total, s->result->currency);
    share_row(o, &(struct share){"this configuration", own.s, "1 x", total / most});
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const struct figure *f = &s->result->figures[i];
        const char *name = scope_below(s, f, path);
        if (!name)
            continue;
        struct human words = human_words(name), money = human_money(f->value, s->result->currency);
        char factor[32];
        snprintf(factor, sizeof factor, "%.3g x", f->value / total);
        share_row(o, &(struct share){words.s, money.s, factor, f->value / most});
    }
}

static void findings_block(const struct out *o, const struct result *r)
{
    static const struct {
        const char *level, *colour;
    } levels[] = {{"error", "31"}, {"warning", "33"}, {"note", "2"}};
    if (r->n_findings == 0)
        return;
    heading(o, "Findings");
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < r->n_findings; i++) {
            if (strcmp(r->findings[i].level, levels[k].level) != 0)
                continue;
            paint(o, levels[k].colour);
            text_printf(o->to, "  %-9s", levels[k].level);
            paint(o, "0");
            wrap(o->to, r->findings[i].text, 11, 11);
        }
    }
    if (r->findings_dropped)
        row(o, "", "and %s more", human_count((double)r->findings_dropped).s);
}

/* ---- robustness ---- */

static void trial_row(const struct out *o, const struct result *r, const struct result_trial *t)
{
    char line[2048];
    paint(o, t->turns || t->may_turn ? "33" : "2");
    text_add(o->to, t->turns ? "  turns  " : t->may_turn ? "  may    " : "  stays  ");
    paint(o, "0");
    snprintf(line, sizeof line, "%.600s = %.600s (%.40s, now %.600s)", t->path, t->then, t->quality,
             t->now);
    wrap(o->to, line, 9, 11);
    snprintf(line, sizeof line, "%s%.600s; %.60s",
             t->replications == 0 ? ""
             : t->holds           ? "holds: "
                                  : "fails: ",
             t->verdict, turning_played(r, t).s);
    spaces(o->to, 11);
    wrap(o->to, line, 11, 11);
}

static bool is_market(const struct result_trial *t)
{
    const char *dot = strrchr(t->path, '.');
    return dot && strcmp(dot, ".spotMarket") == 0;
}

/* What turns the verdict, and every spot market; of the rest how many there are. */
static void trials_block(const struct out *o, const struct result *r)
{
    size_t others = 0;
    if (r->n_trials == 0 && r->trials_left == 0)
        return;
    heading(o, "What would turn the verdict");
    for (size_t i = 0; i < r->n_trials; i++) {
        if (r->trials[i].turns || r->trials[i].may_turn || is_market(&r->trials[i]))
            trial_row(o, r, &r->trials[i]);
        else
            others++;
    }
    char line[300];
    if (others > 0) {
        snprintf(line, sizeof line,
                 "It stays with %zu %s%s of presets and assumed figures: the "
                 "page lists them",
                 others, others < r->n_trials ? "other " : "",
                 text_plural(others, "value", "values"));
        text_add(o->to, "  ");
        wrap(o->to, line, 2, 4);
    }
    struct text method = {0};
    turning_method(r, &method);
    if (method.length > 0 && !method.failed) {
        text_add(o->to, "  ");
        wrap(o->to, method.s, 2, 4);
    }
    text_fini(&method);
    if (r->trials_left > 0) {
        snprintf(line, sizeof line,
                 "%s more %s not tried, for want of time: robustness=10 tries more",
                 human_count((double)r->trials_left).s, text_plural(r->trials_left, "was", "were"));
        text_add(o->to, "  ");
        wrap(o->to, line, 2, 4);
    }
}

static bool is_shaky(const struct result_assumption *a)
{
    return strcmp(a->quality, "official") != 0 && strcmp(a->quality, "measured") != 0;
}

static void assumptions_block(const struct out *o, const struct result *r)
{
    size_t shaky = 0;
    for (size_t i = 0; i < r->n_assumptions; i++)
        shaky += is_shaky(&r->assumptions[i]);
    if (shaky == 0)
        return;
    char title[96];
    snprintf(title, sizeof title, "Rests on %zu %s that nobody measured here:", shaky,
             text_plural(shaky, "figure", "figures"));
    heading(o, title);
    size_t shown = 0;
    for (size_t i = 0; i < r->n_assumptions; i++) {
        const struct result_assumption *a = &r->assumptions[i];
        char line[2048];
        if (!is_shaky(a) || shown++ >= SHAKY_LINES)
            continue;
        snprintf(line, sizeof line, "%.600s = %.600s (%.100s: %.600s)", a->path, a->value,
                 a->quality, a->source);
        text_add(o->to, "  ");
        wrap(o->to, line, 2, 4);
    }
    if (shaky > SHAKY_LINES)
        text_printf(o->to, "  and %zu more: the page lists all\n", shaky - SHAKY_LINES);
}

static void reproduce_block(const struct out *o, const struct result *r)
{
    heading(o, "Reproduce");
    if (r->command) {
        text_add(o->to, "  ");
        wrap(o->to, r->command, 2, 6);
    }
    char line[512];
    snprintf(line, sizeof line,
             "run %.64s, engine %.32s, digests %016llx (control) and %016llx (requests)",
             r->run_key ? r->run_key : "-", r->engine ? r->engine : "-",
             (unsigned long long)r->control_digest, (unsigned long long)r->request_digest);
    text_add(o->to, "  ");
    wrap(o->to, line, 2, 2);
}

void summary_text(const struct result *r, bool colour, struct text *to)
{
    assert(r && to);
    struct out o = {to, colour};
    struct scope whole = scope_whole(r), s = {.result = r};
    head(&o, r);
    while (scope_next(&s))
        service_blocks(&o, &s);
    nodes_block(&o, &whole);
    cost_block(&o, &whole);
    parts_block(&o, &whole, "Cost by what it was spent on", "cost.byClass.");
    parts_block(&o, &whole, "Cost by billing", "cost.byBilling.");
    baselines_block(&o, &whole);
    for (s = (struct scope){.result = r}; scope_next(&s);)
        startup_block(&o, &s);
    if (r->n_breakevens > 0) {
        heading(&o, "Break-even: below which share of the time ECI is cheaper");
        duty_text(r, to);
    }
    trials_block(&o, r);
    findings_block(&o, r);
    assumptions_block(&o, r);
    reproduce_block(&o, r);
}
