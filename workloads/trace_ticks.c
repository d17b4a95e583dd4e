/* trace_ticks: how many machines could be had at each tick, as SkyPilot's spot traces hold it:
 * {"metadata": {"gap_seconds": 195}, "data": [0, 1, 1, ...]}; data[i] holds for one gap. */
#include "sim/json.h"
#include "sim/text.h"
#include "workloads/trace.h"

#include <math.h>

static bool knows(const struct trace_input *in)
{
    return json_at(in->root, "metadata.gap_seconds") && json_get(in->root, "data");
}

static int read(const struct trace_input *in, struct trace *t, struct err *e)
{
    const struct json *gap = json_at(in->root, "metadata.gap_seconds");
    const struct json *data = json_get(in->root, "data");
    if (gap->type != JSON_NUMBER || gap->number < 1e-3 || gap->number > 86400)
        return trace_fault_at(gap, e, "metadata.gap_seconds is no number in 0.001..86400");
    if (data->type != JSON_ARRAY)
        return trace_fault_at(data, e, "data is no list of numbers");
    t->tick = (sim_ns)(gap->number * 1e9 + 0.5);
    struct trace_row row = {.key = {"", "", "", ""}, .stamps = STAMP_OFFSET};
    for (const struct json *v = data->first; v; v = v->next, row.ns += t->tick) {
        if (v->type != JSON_NUMBER || v->number < 0 || v->number > 1e6 ||
            v->number != floor(v->number))
            return trace_fault_at(v, e, "a number of machines is whole and in 0..1e6");
        if (row.ns > TRACE_MAX_NS)
            return trace_fault_at(v, e, "the trace is longer than a hundred years");
        row.value = (int64_t)v->number;
        row.line = v->line;
        if (trace_add(t, &row, e))
            return -1;
    }
    return 0;
}

/* Every tick of the first series; between two points the value holds. */
static void write(const struct trace *t, struct text *to)
{
    struct json_out o;
    const struct trace_series *s = &t->series[0];
    sim_ns tick = trace_tick(t);
    json_out_init(&o, to, true);
    json_out_open(&o, "{");
    json_out_key(&o, "metadata");
    json_out_open(&o, "{");
    json_out_key(&o, "gap_seconds");
    json_out_number(&o, (double)tick / 1e9);
    json_out_close(&o, "}");
    json_out_key(&o, "data");
    json_out_open(&o, "[");
    size_t k = 0;
    for (int64_t ns = s->points[0].ns; ns <= s->points[s->n - 1].ns; ns += tick) {
        while (k + 1 < s->n && s->points[k + 1].ns <= ns)
            k++;
        json_out_int(&o, s->points[k].value);
    }
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

const struct trace_format trace_ticks = {
    .name = "ticks",
    .doc = "JSON of SkyPilot's spot traces: metadata.gap_seconds and data",
    .kind = TRACE_AVAILABILITY,
    .knows = knows,
    .read = read,
    .write = write,
};
