/* timings_mlperf_detail: mlperf_log_detail.txt of MLPerf's LoadGen: lines of ":::MLLOG {...}". */
#include "kernels/timings.h"

#include "kernels/timings_log.h"
#include "kernels/timings_table.h"
#include "sim/json.h"

#include <string.h>

#define MARK ":::MLLOG "

static bool fits(const char *text)
{
    return strncmp(text, MARK, sizeof MARK - 1) == 0 || strstr(text, "\n" MARK);
}

struct reading {
    struct arena *arena;
    const struct timings_source *s;
    struct timings_log log;
};

static const struct {
    const char *key;
    int figure; /* -1: the scenario, -2: validity */
} keys[] = {
    {"effective_scenario", -1},
    {"result_validity", -2},
    {"effective_samples_per_query", TIMINGS_LOG_SAMPLES},
    {"result_samples_per_second", TIMINGS_LOG_RATE},
    {"result_mean_latency_ns", TIMINGS_LOG_MEAN},
    {"result_50.00_percentile_latency_ns", TIMINGS_LOG_P50},
    {"result_99.00_percentile_latency_ns", TIMINGS_LOG_P99},
    {"result_mean_query_latency_ns", TIMINGS_LOG_QUERY_MEAN},
    {"result_50.00_percentile_per_query_latency_ns", TIMINGS_LOG_QUERY_P50},
    {"result_99.00_percentile_per_query_latency_ns", TIMINGS_LOG_QUERY_P99},
};
#define KEYS (sizeof keys / sizeof *keys)

/* A log has many thousand lines; only those that may matter are taken apart. */
static bool may_matter(const char *line)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strstr(line, keys[i].key))
            return true;
    return false;
}

static int read_entry(struct reading *r, const char *text, size_t line, struct err *e)
{
    struct json_part part = {r->s->path, text, strlen(text), (uint32_t)line, sizeof MARK};
    const struct json *entry = json_parse_part(r->arena, &part, e);
    if (!entry)
        return -1;
    const struct json *key = json_get(entry, "key"), *value = json_get(entry, "value");
    if (!key || key->type != JSON_STRING || !value || !value->string)
        return 0;
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(key->string, keys[i].key) != 0)
            continue;
        if (keys[i].figure == -1)
            timings_log_scenario(&r->log, value->string);
        else if (keys[i].figure == -2)
            r->log.invalid = strcmp(value->string, "VALID") != 0;
        else
            return timings_log_put(&r->log, (enum timings_log_figure)keys[i].figure, r->s, line,
                                   value->string, e);
    }
    return 0;
}

/* A batch is a query of several samples, as the summary has it: LoadGen's results.cc and the
 * submission checker take these keys for multi stream alone. */
static void take_queries(struct timings_log *l)
{
    if (strcmp(l->scenario, "MultiStream") == 0)
        memcpy(&l->v[TIMINGS_LOG_MEAN], &l->v[TIMINGS_LOG_QUERY_MEAN], 3 * sizeof l->v[0]);
}

static int read(struct arena *a, const struct timings_source *s, struct timings *out, struct err *e)
{
    struct reading r = {.arena = a, .s = s};
    struct timings_table t = {s->text, 0};
    for (char *line; (line = timings_table_line(&t));)
        if (strncmp(line, MARK, sizeof MARK - 1) == 0 && may_matter(line) &&
            read_entry(&r, line + sizeof MARK - 1, t.line, e))
            return -1;
    take_queries(&r.log);
    return timings_log_point(&r.log, s, out, e);
}

const struct timings_format timings_mlperf_detail = {
    "mlperf_detail", "mlperf_log_detail.txt, lines of :::MLLOG {...}", fits, read};
