/* trace_lifetime_csv: a table of lives of machines: `lifetime` (a duration such as 3h20m, or
 * seconds; lifetime_h: hours), or `start` and `end`; and `lost`: 1 when the platform took the
 * machine, 0 when it went for another reason or still lived (its life is censored). Without that
 * column every machine was lost; rows without a start are left out; without an end a machine still
 * lived at the latest time that the file names. */
#include "sim/text.h"
#include "workloads/trace.h"

#include <string.h>
#include <strings.h>

static const char *const life_names[] = {"lifetime",   "lifetime_s", "duration_s",
                                         "lifetime_h", "duration_h", NULL};
static const char *const start_names[] = {"start", "launched", "created", "creation_time", NULL};
static const char *const end_names[] = {"end", "terminated", "deleted", "deletion_time", NULL};
static const char *const lost_names[] = {"lost", "preempted", "interrupted", "event", NULL};

struct columns {
    int life, start, end, lost, type, zone;
    int64_t unit; /* of a plain number of `life` */
};

static struct columns find(const struct trace_input *in)
{
    struct columns c = {
        .life = trace_column(in, life_names),
        .start = trace_column(in, start_names),
        .end = trace_column(in, end_names),
        .lost = trace_column(in, lost_names),
        .type = trace_column(in, trace_type_names),
        .zone = trace_column(in, trace_zone_names),
        .unit = SIM_SECOND,
    };
    size_t n = c.life >= 0 ? strlen(in->names[c.life]) : 0;
    if (n > 2 && strcasecmp(in->names[c.life] + n - 2, "_h") == 0)
        c.unit = SIM_HOUR;
    return c;
}

static bool knows(const struct trace_input *in)
{
    struct columns c = find(in);
    return !in->root && (c.life >= 0 || (c.start >= 0 && c.end >= 0));
}

static int read_life(const struct trace_input *in, size_t i, const char *field, int64_t unit,
                     int64_t *ns, struct err *e)
{
    double v;
    if (text_parse_double(field, &v) && v >= 0 && v * (double)unit < (double)TRACE_MAX_NS) {
        *ns = (int64_t)(v * (double)unit + 0.5);
        return 0;
    }
    if (text_parse_duration(field, ns))
        return 0;
    return trace_fault(in->path, in->lines[i].line, e,
                       "\"%.60s\" is no duration such as 3h20m or 12000", field);
}

struct row {
    char *f[TRACE_MAX_COLUMNS];
    struct stamp start, end;
    bool known, ended; /* start and end are there */
};

static int read_span(const struct trace_input *in, const struct columns *c, size_t i, struct row *r,
                     struct err *e)
{
    uint32_t line = in->lines[i].line;
    if (trace_fields(in, i, r->f, e))
        return -1;
    r->known = r->f[c->start][0] != '\0';
    if (r->known && trace_time(in->path, line, r->f[c->start], &r->start, e))
        return -1;
    r->ended = r->f[c->end][0] != '\0';
    if (!r->ended)
        return 0;
    if (trace_time(in->path, line, r->f[c->end], &r->end, e))
        return -1;
    if (!r->known)
        return 0;
    if (r->end.kind != r->start.kind || r->end.ns < r->start.ns)
        return trace_fault(in->path, line, e, "the end \"%.60s\" is no time after the start",
                           r->f[c->end]);
    return 0;
}

static int read_lost(const struct trace_input *in, size_t i, const char *field, int64_t *lost,
                     struct err *e)
{
    static const char *const yes[] = {"1", "true", "yes"}, *const no[] = {"0", "false", "no"};
    for (size_t k = 0; k < 3; k++) {
        if (strcasecmp(field, yes[k]) == 0 || strcasecmp(field, no[k]) == 0) {
            *lost = strcasecmp(field, yes[k]) == 0;
            return 0;
        }
    }
    return trace_fault(in->path, in->lines[i].line, e, "\"%.60s\" is none of 1, 0, true, false",
                       field);
}

static int add(const struct trace_input *in, const struct columns *c, size_t i, char *const *f,
               struct trace_row *row, struct trace *t, struct err *e)
{
    row->key = (struct trace_key){trace_field(f, c->type), trace_field(f, c->zone), "", ""};
    row->line = in->lines[i].line;
    row->stamps = STAMP_OFFSET;
    if (c->lost >= 0 && row->value && read_lost(in, i, f[c->lost], &row->value, e))
        return -1;
    return trace_add(t, row, e);
}

static int read_lives(const struct trace_input *in, const struct columns *c, struct trace *t,
                      struct err *e)
{
    for (size_t i = 1; i < in->n_lines; i++) {
        char *f[TRACE_MAX_COLUMNS];
        struct trace_row row = {.value = 1};
        if (trace_fields(in, i, f, e) || read_life(in, i, f[c->life], c->unit, &row.ns, e) ||
            add(in, c, i, f, &row, t, e))
            return -1;
    }
    return 0;
}

static int read_spans(const struct trace_input *in, const struct columns *c, struct trace *t,
                      struct err *e)
{
    /* Machines without an end are put in once the latest time is known. */
    int64_t latest = 0;
    size_t first = t->n_series;
    for (size_t i = 1; i < in->n_lines; i++) {
        struct row r;
        if (read_span(in, c, i, &r, e))
            return -1;
        if (!r.known) {
            t->left_out++;
            latest = r.ended && r.end.ns > latest ? r.end.ns : latest;
            continue;
        }
        int64_t seen = r.ended ? r.end.ns : r.start.ns;
        latest = seen > latest ? seen : latest;
        struct trace_row row = {.ns = r.ended ? r.end.ns - r.start.ns : -1 - r.start.ns,
                                .value = r.ended};
        if (add(in, c, i, r.f, &row, t, e))
            return -1;
    }
    for (size_t k = first; k < t->n_series; k++)
        for (size_t i = 0; i < t->series[k].n; i++) {
            struct trace_point *p = &t->series[k].points[i];
            p->ns = p->ns >= 0 ? p->ns : latest + p->ns + 1;
        }
    return 0;
}

static int read(const struct trace_input *in, struct trace *t, struct err *e)
{
    struct columns c = find(in);
    return c.life >= 0 ? read_lives(in, &c, t, e) : read_spans(in, &c, t, e);
}

static void write(const struct trace *t, struct text *to)
{
    text_add(to, "lifetime_s,lost,instanceType,zone\n");
    for (size_t i = 0; i < t->n_series; i++)
        for (size_t k = 0; k < t->series[i].n; k++) {
            const struct trace_point *p = &t->series[i].points[k];
            text_number(to, (double)p->ns / 1e9);
            text_printf(to, ",%d,%s,%s\n", (int)p->value, t->series[i].key.type,
                        t->series[i].key.zone);
        }
}

const struct trace_format trace_lifetime_csv = {
    .name = "lifetimeCsv",
    .doc = "CSV with the columns lifetime (or start and end) and lost",
    .kind = TRACE_LIFETIME,
    .knows = knows,
    .read = read,
    .write = write,
};
