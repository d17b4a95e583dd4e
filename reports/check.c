/* check: parse, judge, report. */
#include "reports/check.h"

#include "reports/human.h"
#include "sim/result.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *sign;
    enum check_op op;
} ops[] = {{"<=", CHECK_AT_MOST}, {">=", CHECK_AT_LEAST}, {"==", CHECK_EQUAL},
           {"!=", CHECK_DIFFERS}, {"<", CHECK_LESS},      {">", CHECK_MORE}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *sign_of(enum check_op op)
{
    for (size_t i = 0; i < COUNT(ops); i++) {
        if (ops[i].op == op)
            return ops[i].sign;
    }
    assert(false && "an operator that is none");
    return "";
}

/* Copies [from, to) without blanks at its ends; false when it is empty or too long. */
static bool copy_trimmed(char *out, size_t size, const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    size_t n = (size_t)(to - from);
    if (n == 0 || n >= size)
        return false;
    memcpy(out, from, n);
    out[n] = '\0';
    return true;
}

int check_parse(struct check *c, const char *where, const char *text, struct err *e)
{
    assert(c && text && e);
    *c = (struct check){.op = CHECK_LESS};
    const char *at = text + strcspn(text, "<>=!");
    size_t i = 0;
    while (i < COUNT(ops) && strncmp(at, ops[i].sign, strlen(ops[i].sign)) != 0)
        i++;
    size_t length = strlen(text);
    if (i == COUNT(ops) || length >= sizeof c->text ||
        !copy_trimmed(c->path, sizeof c->path, text, at) ||
        !copy_trimmed(c->limit, sizeof c->limit, at + strlen(ops[i].sign), text + length))
        return err_set(e, ERR_INPUT, where,
                       "\"%.100s\" is no assertion: one reads \"latency.p99 < 130ms\", with a "
                       "figure's path, one of < <= > >= == != and a limit",
                       text);
    c->op = ops[i].op;
    memcpy(c->text, text, length + 1);
    return 0;
}

/* ---- limits ---- */

static bool is_currency(const char *unit)
{
    return strlen(unit) == 3 && strspn(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3;
}

/* Reads "60000 CNY", "30 %", "12": a number, then nothing or exactly `unit`. */
static bool read_number(const char *s, const char *unit, double *v)
{
    char number[64];
    size_t n = strlen(s), u = strlen(unit);
    if (u > 0 && n > u && strcmp(s + n - u, unit) == 0)
        n -= u;
    return copy_trimmed(number, sizeof number, s, s + n) && text_parse_double(number, v);
}

static bool read_limit(const char *s, const char *unit, double *v)
{
    int64_t ns;
    if (text_parse_double(s, v))
        return true;
    if (strcmp(unit, "s") == 0) {
        if (!text_parse_duration(s, &ns))
            return false;
        *v = (double)ns / 1e9;
        return true;
    }
    if (strcmp(unit, "1") == 0) {
        if (!read_number(s, "%", v))
            return false;
        *v /= 100;
        return true;
    }
    return read_number(s, unit, v);
}

static int unknown_path(const struct check *c, const struct result *r, struct err *e)
{
    const char *nearest = NULL;
    const char *names[256];
    for (size_t i = 0; i < r->n_figures && !nearest; i += COUNT(names)) {
        size_t n = r->n_figures - i < COUNT(names) ? r->n_figures - i : COUNT(names);
        for (size_t k = 0; k < n; k++)
            names[k] = r->figures[i + k].path;
        nearest = text_nearest(c->path, names, n);
    }
    return err_set(e, ERR_INPUT, c->text, "this result has no figure \"%s\"%s%s%s", c->path,
                   nearest ? "; the nearest is \"" : "", nearest ? nearest : "",
                   nearest ? "\"" : "");
}

static bool compare(double v, enum check_op op, double limit)
{
    switch (op) {
    case CHECK_LESS:
        return v < limit;
    case CHECK_AT_MOST:
        return v <= limit;
    case CHECK_MORE:
        return v > limit;
    case CHECK_AT_LEAST:
        return v >= limit;
    case CHECK_EQUAL:
        return v == limit;
    case CHECK_DIFFERS:
        return v != limit;
    }
    assert(false && "an operator that is none");
    return false;
}

int check_judge(const struct check *c, const struct result *r, struct check_outcome *out,
                struct err *e)
{
    assert(c && r && out && e);
    const struct figure *f = result_figure(r, c->path);
    if (!f)
        return unknown_path(c, r, e);
    const char *unit = f->unit ? f->unit : "";
    *out = (struct check_outcome){.check = c, .value = f->value};
    if (!read_limit(c->limit, unit, &out->limit))
        return err_set(e, ERR_INPUT, c->text, "\"%s\" is no limit for a figure in %s: %s", c->limit,
                       unit,
                       strcmp(unit, "s") == 0   ? "a duration such as \"130ms\""
                       : strcmp(unit, "1") == 0 ? "a share such as 0.3 or \"30%\""
                       : is_currency(unit)      ? "an amount in that currency"
                                                : "a number");
    out->holds = compare(f->value, c->op, out->limit);
    /* Of a sum the interval is that of one replication, and says nothing about the sum. */
    bool interval = f->has_interval && f->merge != FIGURE_SUM;
    out->certain = !interval || (compare(f->low, c->op, out->limit) == out->holds &&
                                 compare(f->high, c->op, out->limit) == out->holds);
    struct human value = human_value(f->value, unit), limit = human_value(out->limit, unit), range,
                 between = human_interval(f);
    snprintf(range.s, sizeof range.s, interval ? " (%.70s)" : "%.0s", between.s);
    snprintf(out->message, sizeof out->message, "%.120s is %s%s, asked for %s %s", c->path, value.s,
             range.s, sign_of(c->op), limit.s);
    return 0;
}

/* ---- JUnit ---- */

/* XML has no way to write most control characters. */
static void xml(struct text *to, const char *s)
{
    char one[2] = "";
    for (; *s; s++) {
        one[0] = (unsigned char)*s < 0x20 || *s == 0x7F ? '?' : *s;
        text_html(to, one);
    }
}

void check_junit(const struct check_outcome *outcomes, size_t n, const char *name, struct text *to)
{
    assert((outcomes || n == 0) && name && to);
    size_t failures = 0;
    for (size_t i = 0; i < n; i++)
        failures += !outcomes[i].holds;
    text_printf(to,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                "<testsuite tests=\"%zu\" failures=\"%zu\" errors=\"0\" name=\"",
                n, failures);
    xml(to, name);
    text_add(to, "\">\n");
    for (size_t i = 0; i < n; i++) {
        const struct check_outcome *o = &outcomes[i];
        text_add(to, "<testcase classname=\"");
        xml(to, name);
        text_add(to, "\" name=\"");
        xml(to, o->check->text);
        text_add(to, o->holds ? "\">\n<system-out>" : "\">\n<failure message=\"");
        xml(to, o->message);
        text_add(to, o->holds ? "</system-out>\n</testcase>\n" : "\"/>\n</testcase>\n");
    }
    text_add(to, "</testsuite>\n</testsuites>\n");
}
