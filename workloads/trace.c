/* trace: what a file recorded over time. */
#include "workloads/trace.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"
#include "workloads/fields.h"
#include "workloads/trace_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

const char *const trace_time_names[] = {
    "time",   "timestamp", "timestamp_utc", "datetime", "date",     "offset_s", "offset", "seconds",
    "time_s", "epoch",     "epoch_s",       "ts",       "unixtime", "t",        NULL};
const char *const trace_type_names[] = {"instanceType", "instance_type", "type", NULL};
const char *const trace_zone_names[] = {"zone",   "availabilityZone", "availability_zone",
                                        "zoneId", "zone_id",          NULL};

const char *trace_kind_name(enum trace_kind k)
{
    static const char *const names[TRACE_KINDS] = {"price", "availability", "lifetime"};
    assert(k < TRACE_KINDS);
    return names[k];
}

/* Takes out what a precision has left of a character that it cut. */
static void drop_halves(char *s)
{
    char *to = s;
    const char *end = s + strlen(s);
    while (s < end) {
        size_t n = text_character(s, end);
        memmove(to, s, n);
        to += n;
        s += n ? n : 1;
    }
    *to = '\0';
}

int trace_fault(const char *path, uint32_t line, struct err *e, const char *fmt, ...)
{
    char where[512], msg[900];
    snprintf(where, sizeof where, "%s:%u", path, (unsigned)line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    drop_halves(msg);
    return err_set(e, ERR_INPUT, where, "%s", msg);
}

int trace_fault_at(const struct json *at, struct err *e, const char *what)
{
    char place[600];
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, at), "%s", what);
}

/* ---- fields ---- */

int trace_column(const struct trace_input *in, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < in->n_names; i++)
            if (strcasecmp(in->names[i], *names) == 0)
                return (int)i;
    return -1;
}

const char *trace_field(char *const *fields, int column)
{
    return column < 0 ? "" : fields[column];
}

int trace_fields(const struct trace_input *in, size_t i, char **fields, struct err *e)
{
    char *cursor = in->lines[i].text;
    size_t n = 0;
    for (; cursor; n++) {
        char *field;
        if (!fields_take(&cursor, in->delimiter, &field))
            return trace_fault(in->path, in->lines[i].line, e,
                               "a quoted field does not end before the next delimiter");
        if (n < in->n_names)
            fields[n] = field;
    }
    if (n != in->n_names)
        return trace_fault(in->path, in->lines[i].line, e,
                           "%zu field%s where there are %zu columns", n, text_plural(n, "", "s"),
                           in->n_names);
    return 0;
}

int trace_time(const char *path, uint32_t line, const char *field, struct stamp *out, struct err *e)
{
    if (stamp_parse(field, STAMP_UNIT_AUTO, out))
        return 0;
    return trace_fault(path, line, e,
                       "\"%.60s\" is no time such as 600, 1709258400 or 2024-03-01T02:00:00Z",
                       field);
}

bool trace_price(const char *digits, int64_t *micro)
{
    double v;
    if (!text_parse_double(digits, &v) || !(v >= 0) || v > 1e6)
        return false;
    *micro = (int64_t)(v * 1e6 + 0.5);
    return true;
}

char *trace_stamp(char *buf, enum stamp_kind kind, int64_t ns)
{
    struct tm tm;
    char date[24];
    time_t s = (time_t)(ns / SIM_SECOND);
    int64_t rest = ns % SIM_SECOND;
    if (kind == STAMP_OFFSET) {
        snprintf(buf, 40, "%.9g", (double)ns / (double)SIM_SECOND);
        return buf;
    }
    gmtime_r(&s, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    if (rest)
        snprintf(buf, 40, "%s.%09" PRId64 "%s", date, rest, kind == STAMP_UNIX ? "Z" : "");
    else
        snprintf(buf, 40, "%s%s", date, kind == STAMP_UNIX ? "Z" : "");
    return buf;
}

/* ---- rows ---- */

static bool same_key(const struct trace_key *a, const struct trace_key *b)
{
    return strcmp(a->type, b->type) == 0 && strcmp(a->zone, b->zone) == 0 &&
           strcmp(a->product, b->product) == 0 && strcmp(a->currency, b->currency) == 0;
}

static const char *keep(struct arena *a, const char *s, struct err *e)
{
    return arena_text(a, s, strlen(s), e);
}

static struct trace_series *new_series(struct trace *t, const struct trace_key *key, struct err *e)
{
    if (t->n_series == TRACE_MAX_SERIES) {
        err_set(e, ERR_INPUT, t->path, "more than %d series", TRACE_MAX_SERIES);
        return NULL;
    }
    if (t->n_series == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 16;
        struct trace_series *more = arena_take(t->arena, capacity, sizeof *more, e);
        if (!more)
            return NULL;
        if (t->n_series)
            memcpy(more, t->series, t->n_series * sizeof *more);
        t->series = more;
        t->capacity = capacity;
    }
    struct trace_series *s = &t->series[t->n_series];
    *s = (struct trace_series){.key = {keep(t->arena, key->type, e), keep(t->arena, key->zone, e),
                                       keep(t->arena, key->product, e),
                                       keep(t->arena, key->currency, e)}};
    if (!s->key.type || !s->key.zone || !s->key.product || !s->key.currency)
        return NULL;
    t->n_series++;
    return s;
}

static struct trace_series *find_series(struct trace *t, const struct trace_key *key, struct err *e)
{
    /* Files list one series after another, or events over all of them: the last is often it. */
    for (size_t i = t->n_series; i-- > 0;)
        if (same_key(&t->series[i].key, key))
            return &t->series[i];
    return new_series(t, key, e);
}

static int add_point(struct trace *t, struct trace_series *s, const struct trace_point *p,
                     struct err *e)
{
    if (s->n == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64;
        struct trace_point *more = arena_take(t->arena, capacity, sizeof *more, e);
        if (!more)
            return -1;
        if (s->n)
            memcpy(more, s->points, s->n * sizeof *more);
        s->points = more;
        s->capacity = capacity;
    }
    s->points[s->n++] = *p;
    return 0;
}

int trace_add(struct trace *t, const struct trace_row *row, struct err *e)
{
    if (t->rows == TRACE_MAX_ROWS)
        return trace_fault(t->path, row->line, e, "more than %d rows", TRACE_MAX_ROWS);
    if (t->rows++ == 0)
        t->stamps = row->stamps;
    if (row->stamps != t->stamps)
        return trace_fault(t->path, row->line, e, "the time is %s; rows before have %s",
                           stamp_kind_name(row->stamps), stamp_kind_name(t->stamps));
    struct trace_series *s = find_series(t, &row->key, e);
    if (!s)
        return -1;
    if (row->list_micro > 0)
        s->list_micro = row->list_micro;
    struct trace_point p = {row->ns, row->value, row->line, (uint32_t)t->rows};
    return add_point(t, s, &p, e);
}

/* Of two rows with one time the later one counts. */
static int earlier(const void *a, const void *b)
{
    const struct trace_point *p = a, *q = b;
    if (p->ns != q->ns)
        return p->ns < q->ns ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* Newest first is the order of EC2 and of ECS: turned round, not counted as disorder. */
static bool descends(const struct trace_series *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (s->points[i].ns > s->points[i - 1].ns)
            return false;
    return s->n > 1;
}

static void put_in_order(struct trace *t, struct trace_series *s)
{
    size_t kept = 0, steps_back = 0;
    for (size_t i = 1; i < s->n; i++)
        steps_back += s->points[i].ns < s->points[i - 1].ns;
    if (steps_back && !descends(s))
        t->out_of_order += steps_back;
    if (steps_back)
        qsort(s->points, s->n, sizeof *s->points, earlier);
    for (size_t i = 0; i < s->n; i++) {
        bool again = kept > 0 && s->points[kept - 1].ns == s->points[i].ns;
        t->duplicates += again;
        s->points[again ? kept - 1 : kept++] = s->points[i];
    }
    s->n = kept;
}

/* ---- files ---- */

/* All lines, unpacked, joined by LF: places count as in the file. */
static int read_text(struct text *whole, const char *path, struct err *e)
{
    char *line;
    size_t length;
    int status;
    struct trace_file *f = trace_file_open(path, e);
    if (!f)
        return -1;
    while ((status = trace_file_next(f, &line, &length, e)) == 1 &&
           whole->length < JSON_MAX_BYTES) {
        text_add_bytes(whole, line, length);
        text_add(whole, "\n");
    }
    trace_file_close(f);
    if (status == 1)
        return err_set(e, ERR_INPUT, path, "the file is longer than %u MiB", JSON_MAX_BYTES >> 20);
    return status < 0 ? -1 : text_end(whole, e);
}

static int split_lines(struct trace_input *in, char *text, struct err *e)
{
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == '\n';
    in->lines = arena_take(in->arena, n, sizeof *in->lines, e);
    if (!in->lines)
        return -1;
    uint32_t number = 0;
    for (char *next = text; next && *next;) {
        char *line = next, *end = strchr(next, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        number++;
        for (const char *c = line, *last = line + strlen(line); c < last;) {
            size_t width = text_character(c, last);
            if (width == 0)
                return trace_fault(in->path, number, e, "the line is no UTF-8");
            c += width;
        }
        if (line[strspn(line, " \t")] != '\0' && *line != '#')
            in->lines[in->n_lines++] = (struct trace_line){line, number};
    }
    return 0;
}

static int read_names(struct trace_input *in, struct err *e)
{
    in->names = arena_take(in->arena, TRACE_MAX_COLUMNS, sizeof *in->names, e);
    if (!in->names)
        return -1;
    if (in->n_lines == 0)
        return err_set(e, ERR_INPUT, in->path, "the file is empty");
    char *line = in->lines[0].text;
    in->delimiter = fields_delimiter(line);
    for (char *field; line; in->n_names++) {
        if (in->n_names == TRACE_MAX_COLUMNS)
            return trace_fault(in->path, in->lines[0].line, e, "more than %d columns",
                               TRACE_MAX_COLUMNS);
        if (!fields_take(&line, in->delimiter, &field))
            return trace_fault(in->path, in->lines[0].line, e,
                               "a quoted field does not end before the next delimiter");
        in->names[in->n_names] = field;
    }
    return 0;
}

static int open_input(struct trace_input *in, const char *text, size_t length, struct err *e)
{
    char *copy = arena_text(in->arena, text, length, e);
    if (!copy)
        return -1;
    const char *begin = copy + strspn(copy, " \t\n");
    if (*begin == '{' || *begin == '[') {
        in->root = json_parse(in->arena, in->path, copy, length, e);
        return in->root ? 0 : -1;
    }
    return split_lines(in, copy, e) || read_names(in, e) ? -1 : 0;
}

static int unknown(const struct trace_input *in, struct err *e)
{
    struct text known = {0};
    for (size_t i = 0; trace_formats[i]; i++)
        text_printf(&known, "%s%s (%s)", i ? "; " : "", trace_formats[i]->name,
                    trace_formats[i]->doc);
    if (in->root)
        err_set(e, ERR_INPUT, in->path, "no trace of a known format; known: %s", known.s);
    else
        trace_fault(in->path, in->lines[0].line, e,
                    "the columns \"%.100s\" ... are of no known format; known: %s", in->names[0],
                    known.s);
    text_fini(&known);
    return -1;
}

static int read_input(struct trace *t, const struct trace_input *in, struct err *e)
{
    for (size_t i = 0; trace_formats[i] && !t->format; i++)
        if (trace_formats[i]->knows(in))
            t->format = trace_formats[i];
    if (!t->format)
        return unknown(in, e);
    if (t->format->read(in, t, e))
        return -1;
    if (t->rows == 0)
        return err_set(e, ERR_INPUT, t->path, "the file has no rows (%s)", t->format->name);
    for (size_t i = 0; t->format->kind != TRACE_LIFETIME && i < t->n_series; i++)
        put_in_order(t, &t->series[i]);
    return 0;
}

int trace_parse(struct trace *t, struct arena *a, const char *path, const char *text, size_t length,
                struct err *e)
{
    struct trace_input in = {.arena = a};
    *t = (struct trace){.arena = a};
    t->path = in.path = keep(a, path, e);
    return !t->path || open_input(&in, text, length, e) || read_input(t, &in, e) ? -1 : 0;
}

int trace_load(struct trace *t, struct arena *a, const char *path, struct err *e)
{
    struct text whole = {0};
    *t = (struct trace){.arena = a};
    int rc = read_text(&whole, path, e) ||
             trace_parse(t, a, path, whole.s ? whole.s : "", whole.length, e);
    text_fini(&whole);
    return rc ? -1 : 0;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

sim_ns trace_tick(const struct trace *t)
{
    enum { LOOKED_AT = 4096 };
    int64_t steps[LOOKED_AT];
    const struct trace_series *s = &t->series[0];
    size_t n = s->n < LOOKED_AT + 1 ? s->n - 1 : LOOKED_AT, best = 0, most = 0;
    if (t->tick > 0)
        return t->tick;
    for (size_t i = 0; i < n; i++)
        steps[i] = s->points[i + 1].ns - s->points[i].ns;
    if (n == 0)
        return SIM_MINUTE;
    qsort(steps, n, sizeof *steps, by_size);
    for (size_t i = 0, run = 1; i < n; i++, run++) {
        if (i > 0 && steps[i] != steps[i - 1])
            run = 1;
        if (run > most) {
            most = run;
            best = i;
        }
    }
    return steps[best];
}

struct trace_span trace_span(const struct trace *t)
{
    struct trace_span span = {INT64_MAX, INT64_MIN};
    assert(t->n_series > 0 && t->format->kind != TRACE_LIFETIME);
    for (size_t i = 0; i < t->n_series; i++) {
        const struct trace_series *s = &t->series[i];
        span.first = s->points[0].ns < span.first ? s->points[0].ns : span.first;
        span.end = s->points[s->n - 1].ns > span.end ? s->points[s->n - 1].ns : span.end;
    }
    span.end += t->tick;
    return span;
}
