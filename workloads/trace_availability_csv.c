/* trace_availability_csv: a table of how many machines could be had: a time, a number, and as far
 * as there are such columns instance type and zone. A number holds until the next row. */
#include "sim/text.h"
#include "workloads/trace.h"

static const char *const value_names[] = {"available", "nodes", "machines", "availability", NULL};

static bool knows(const struct trace_input *in)
{
    return !in->root && trace_column(in, trace_time_names) >= 0 &&
           trace_column(in, value_names) >= 0;
}

static int read(const struct trace_input *in, struct trace *t, struct err *e)
{
    int time = trace_column(in, trace_time_names), value = trace_column(in, value_names);
    int type = trace_column(in, trace_type_names), zone = trace_column(in, trace_zone_names);
    for (size_t i = 1; i < in->n_lines; i++) {
        char *f[TRACE_MAX_COLUMNS];
        struct stamp stamp;
        uint32_t line = in->lines[i].line;
        if (trace_fields(in, i, f, e) || trace_time(in->path, line, f[time], &stamp, e))
            return -1;
        struct trace_row row = {.key = {trace_field(f, type), trace_field(f, zone), "", ""},
                                .ns = stamp.ns,
                                .stamps = stamp.kind,
                                .line = line};
        if (!text_parse_int64(f[value], &row.value) || row.value < 0 || row.value > 1000000)
            return trace_fault(in->path, line, e,
                               "\"%.60s\" is no whole number of machines in 0..1000000", f[value]);
        if (trace_add(t, &row, e))
            return -1;
    }
    return 0;
}

/* Changes alone, and the last row: it says how far the trace goes. */
static void write(const struct trace *t, struct text *to)
{
    char time[40];
    text_add(to, "time,instanceType,zone,available\n");
    for (size_t i = 0; i < t->n_series; i++) {
        const struct trace_series *s = &t->series[i];
        for (size_t k = 0; k < s->n; k++)
            if (k == 0 || k + 1 == s->n || s->points[k].value != s->points[k - 1].value)
                text_printf(to, "%s,%s,%s,%lld\n", trace_stamp(time, t->stamps, s->points[k].ns),
                            s->key.type, s->key.zone, (long long)s->points[k].value);
    }
}

const struct trace_format trace_availability_csv = {
    .name = "availabilityCsv",
    .doc = "CSV with the columns time and available",
    .kind = TRACE_AVAILABILITY,
    .knows = knows,
    .read = read,
    .write = write,
};
