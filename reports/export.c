/* export: the same bytes for equal results. */
#include "reports/export.h"

#include "reports/scope.h"
#include "sim/json.h"
#include "sim/result.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* 2^53: integers up to here are exact in a double */

/* ---- small writers ---- */

static void number(struct json_out *o, double v)
{
    if (v == floor(v) && fabs(v) <= EXACT)
        json_out_int(o, (int64_t)v);
    else
        json_out_number(o, v);
}

static void field_text(struct json_out *o, const char *key, const char *s)
{
    json_out_key(o, key);
    json_out_string(o, s);
}

static void field_number(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    number(o, v);
}

static void field_time(struct json_out *o, const char *key, sim_ns at)
{
    field_number(o, key, (double)at / 1e9);
}

static void field_hex(struct json_out *o, const char *key, uint64_t v)
{
    char hex[17];
    snprintf(hex, sizeof hex, "%016" PRIx64, v);
    field_text(o, key, hex);
}

/* Counts and seeds; as text where a double, which most readers use, would round. */
static void field_count(struct json_out *o, const char *key, uint64_t v)
{
    char digits[24];
    json_out_key(o, key);
    if ((double)v <= EXACT) {
        json_out_int(o, (int64_t)v);
        return;
    }
    snprintf(digits, sizeof digits, "%" PRIu64, v);
    json_out_string(o, digits);
}

/* ---- figures, unfolded ---- */

struct part {
    const char *path; /* from the part on */
    size_t length;    /* of the part */
};

/* Length of the part of a path behind its first n bytes. What names a thing of the user's (a
 * service; a pool below cost.byResource) is one part, dots and all. */
static size_t part_length(const char *path, size_t n)
{
    static const char *const lists[] = {"cost.byBilling.", "cost.byClass.", "cost.byResource.",
                                        "cost.baselines."};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t length = strlen(lists[i]);
        if (n >= length && memcmp(path + n - length, lists[i], length) == 0)
            return strlen(path + n);
    }
    size_t service = n == strlen("services.") ? scope_prefix(path) : 0;
    return service ? service - n - 1 : strcspn(path + n, ".");
}

/* The part of f's path behind a prefix of n bytes that `like` begins with; length 0 if it is not
 * below. */
static struct part part_of(const struct figure *f, const char *like, size_t n)
{
    if (strncmp(f->path, like, n) != 0)
        return (struct part){f->path, 0};
    return (struct part){f->path + n, part_length(f->path, n)};
}

static bool same_part(struct part a, struct part b)
{
    return a.length == b.length && strncmp(a.path, b.path, a.length) == 0;
}

static bool is_repeated(const struct result *r, size_t index, size_t n)
{
    const char *like = r->figures[index].path;
    struct part own = part_of(&r->figures[index], like, n);
    for (size_t i = 0; i < index; i++) {
        struct part p = part_of(&r->figures[i], like, n);
        if (p.length > 0 && same_part(p, own))
            return true;
    }
    return false;
}

static void unfold(struct json_out *o, const struct result *r, const char *like, size_t n);

/* Writes the child of the prefix that figure `index` shows first: a number, or an object. */
static void child(struct json_out *o, const struct result *r, size_t index, size_t n)
{
    const struct figure *f = &r->figures[index];
    struct part own = part_of(f, f->path, n);
    bool has_children = false;
    double value = f->path[n + own.length] ? (double)NAN : f->value;
    for (size_t i = index; i < r->n_figures; i++) {
        struct part p = part_of(&r->figures[i], f->path, n);
        if (p.length == 0 || !same_part(p, own))
            continue;
        if (p.path[p.length] == '.')
            has_children = true;
        else
            value = r->figures[i].value;
    }
    char key[256];
    snprintf(key, sizeof key, "%.*s", (int)(own.length < 255 ? own.length : 255), own.path);
    json_out_key(o, key);
    if (!has_children || o->depth >= JSON_MAX_DEPTH - 2) {
        number(o, value);
        return;
    }
    json_out_open(o, "{");
    if (n == 0 && strcmp(key, "cost") == 0)
        field_text(o, "currency", r->currency);
    if (isfinite(value))
        field_number(o, "value", value);
    /* Any path below will do as the prefix. */
    for (size_t i = index; i < r->n_figures; i++) {
        struct part p = part_of(&r->figures[i], f->path, n);
        if (p.length > 0 && same_part(p, own) && p.path[p.length] == '.') {
            unfold(o, r, r->figures[i].path, n + own.length + 1);
            break;
        }
    }
    json_out_close(o, "}");
}

static void unfold(struct json_out *o, const struct result *r, const char *like, size_t n)
{
    for (size_t i = 0; i < r->n_figures; i++) {
        if (part_of(&r->figures[i], like, n).length == 0 ||
            strncmp(r->figures[i].path, like, n) != 0)
            continue;
        if (!is_repeated(r, i, n))
            child(o, r, i, n);
    }
}

static void intervals(struct json_out *o, const struct result *r)
{
    json_out_key(o, "intervals");
    json_out_open(o, "{");
    for (size_t i = 0; i < r->n_figures; i++) {
        const struct figure *f = &r->figures[i];
        if (!f->has_interval)
            continue;
        json_out_key(o, f->path);
        json_out_open(o, "[");
        number(o, f->low);
        number(o, f->high);
        json_out_close(o, "]");
    }
    json_out_close(o, "}");
    json_out_key(o, "units");
    json_out_open(o, "{");
    for (size_t i = 0; i < r->n_figures; i++)
        field_text(o, r->figures[i].path, r->figures[i].unit);
    json_out_close(o, "}");
}

/* ---- the rest ---- */

static void head(struct json_out *o, const struct result *r)
{
    field_text(o, "schema", RESULT_SCHEMA);
    field_text(o, "name", r->name);
    field_text(o, "runKey", r->run_key);
    field_text(o, "verdict", r->verdict);
    json_out_key(o, "holds");
    json_out_bool(o, r->holds);
    json_out_key(o, "judged");
    json_out_bool(o, r->judged);
    field_text(o, "engine", r->engine);
    field_text(o, "command", r->command);
    field_count(o, "seed", r->seed);
    field_count(o, "replications", r->replications);
    field_count(o, "shownReplication", r->shown_replication);
    field_time(o, "horizon", r->horizon);
    field_number(o, "epoch", (double)r->epoch_s);
    field_text(o, "timeZone", r->time_zone);
}

static void assumptions(struct json_out *o, const struct result *r)
{
    json_out_key(o, "assumptions");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_assumptions; i++) {
        const struct result_assumption *a = &r->assumptions[i];
        json_out_open(o, "{");
        field_text(o, "path", a->path);
        field_text(o, "value", a->value);
        field_text(o, "quality", a->quality);
        field_text(o, "source", a->source);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void trials(struct json_out *o, const struct result *r)
{
    json_out_key(o, "robustness");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_trials; i++) {
        const struct result_trial *t = &r->trials[i];
        json_out_open(o, "{");
        field_text(o, "path", t->path);
        field_text(o, "quality", t->quality);
        field_text(o, "now", t->now);
        field_text(o, "tried", t->then);
        json_out_key(o, "turns");
        json_out_bool(o, t->turns);
        json_out_key(o, "holds");
        json_out_bool(o, t->holds);
        json_out_key(o, "mayTurn");
        json_out_bool(o, t->may_turn);
        field_count(o, "replications", t->replications);
        field_text(o, "verdict", t->verdict);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
    field_count(o, "robustnessLeft", r->trials_left);
    field_time(o, "robustnessPart", r->trials_part);
    field_time(o, "robustnessFrom", r->trials_from);
}

static void breakevens(struct json_out *o, const struct result *r)
{
    json_out_key(o, "breakEven");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_breakevens; i++) {
        const struct result_breakeven *b = &r->breakevens[i];
        json_out_open(o, "{");
        field_text(o, "subject", b->subject);
        field_text(o, "basis", b->basis);
        field_time(o, "burst", b->burst);
        field_number(o, "eciCost", b->eci);
        field_number(o, "poolCost", b->pool);
        field_number(o, "warmPoolShare", b->warm_share);
        field_number(o, "subscriptionShare", b->subscription_share);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void findings(struct json_out *o, const struct result *r)
{
    json_out_key(o, "findings");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct result_finding *f = &r->findings[i];
        json_out_open(o, "{");
        field_text(o, "level", f->level);
        field_text(o, "code", f->code);
        field_text(o, "text", f->text);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void points(struct json_out *o, const char *key, const double *v, size_t n)
{
    json_out_key(o, key);
    json_out_open(o, "[");
    for (size_t i = 0; i < n; i++)
        number(o, v[i]); /* NaN becomes null */
    json_out_close(o, "]");
}

static void series(struct json_out *o, const struct result *r)
{
    json_out_key(o, "series");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_series; i++) {
        const struct result_series *s = &r->series[i];
        json_out_open(o, "{");
        field_text(o, "path", s->path);
        field_text(o, "unit", s->unit);
        field_time(o, "step", s->step);
        points(o, "mean", s->mean, s->n);
        points(o, "min", s->min, s->n);
        points(o, "max", s->max, s->n);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void samples(struct json_out *o, const struct result *r)
{
    json_out_key(o, "samples");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_samples; i++) {
        json_out_open(o, "{");
        field_text(o, "path", r->samples[i].path);
        field_text(o, "unit", r->samples[i].unit);
        points(o, "values", r->samples[i].values, r->samples[i].n);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void entries(struct json_out *o, const struct result *r)
{
    json_out_key(o, "log");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_entries; i++) {
        const struct result_entry *e = &r->entries[i];
        json_out_open(o, "{");
        field_time(o, "at", e->at);
        field_text(o, "subject", e->subject);
        field_text(o, "what", e->what);
        field_text(o, "reason", e->reason);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
    field_count(o, "logDropped", r->entries_dropped);
}

static void spans(struct json_out *o, const struct result *r)
{
    json_out_key(o, "spans");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_spans; i++) {
        const struct result_span *s = &r->spans[i];
        json_out_open(o, "{");
        field_text(o, "track", s->track);
        field_text(o, "phase", s->phase);
        field_time(o, "from", s->from);
        field_time(o, "to", s->to);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
    field_count(o, "spansDropped", r->spans_dropped);
}

static void bills(struct json_out *o, const struct result *r)
{
    json_out_key(o, "bills");
    json_out_open(o, "[");
    for (size_t i = 0; i < r->n_bills; i++) {
        const struct result_bill *b = &r->bills[i];
        json_out_open(o, "{");
        field_text(o, "resource", b->resource);
        field_text(o, "group", b->group);
        field_text(o, "type", b->type);
        field_text(o, "zone", b->zone);
        field_text(o, "billing", b->billing);
        field_time(o, "from", b->from);
        field_time(o, "to", b->to);
        json_out_key(o, "microPerHour");
        json_out_int(o, b->micro_per_hour);
        json_out_key(o, "amountMicro");
        json_out_int(o, b->amount_micro);
        field_text(o, "currency", b->currency);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
    field_count(o, "billsDropped", r->bills_dropped);
    json_out_key(o, "billsDroppedMicro");
    json_out_int(o, r->bills_dropped_micro);
}

void export_json(const struct result *r, bool timelines, struct text *to)
{
    assert(r && to);
    struct json_out o;
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    head(&o, r);
    unfold(&o, r, "", 0);
    intervals(&o, r);
    assumptions(&o, r);
    trials(&o, r);
    breakevens(&o, r);
    findings(&o, r);
    json_out_key(&o, "digest");
    json_out_open(&o, "{");
    field_hex(&o, "control", r->control_digest);
    field_hex(&o, "requests", r->request_digest);
    json_out_close(&o, "}");
    if (timelines) {
        series(&o, r);
        if (r->n_samples > 0)
            samples(&o, r);
        entries(&o, r);
        spans(&o, r);
        bills(&o, r);
    }
    json_out_close(&o, "}");
    json_out_end(&o);
}

/* ---- CSV ---- */

static void csv_text(struct text *to, const char *s)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        text_add(to, s);
        return;
    }
    text_add(to, "\"");
    for (; *s; s++) {
        if (*s == '"')
            text_add(to, "\"");
        text_add_bytes(to, s, 1);
    }
    text_add(to, "\"");
}

static void csv_number(struct text *to, double v)
{
    text_add(to, ",");
    if (isfinite(v))
        text_number(to, v);
}

void export_csv(const struct result *r, struct text *to)
{
    assert(r && to);
    text_add(to, "path,unit,value,low,high\r\n");
    for (size_t i = 0; i < r->n_figures; i++) {
        const struct figure *f = &r->figures[i];
        csv_text(to, f->path);
        text_add(to, ",");
        csv_text(to, f->unit ? f->unit : "");
        csv_number(to, f->value);
        csv_number(to, f->has_interval ? f->low : (double)NAN);
        csv_number(to, f->has_interval ? f->high : (double)NAN);
        text_add(to, "\r\n");
    }
}
