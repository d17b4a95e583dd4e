/* timings_mlperf: mlperf_log_summary.txt of MLPerf's LoadGen.
 *
 * One run is one point: single stream a batch of one sample, multi stream one of samples_per_query,
 * offline one whose batch the log does not say. A server's latencies hold waiting and are refused.
 */
#include "kernels/timings.h"

#include "kernels/timings_log.h"
#include "kernels/timings_table.h"
#include "sim/text.h"

#include <string.h>

static bool fits(const char *text)
{
    return strstr(text, "MLPerf Results Summary") != NULL;
}

static int read(struct arena *a, const struct timings_source *s, struct timings *out, struct err *e)
{
    static const struct {
        const char *key;
        enum timings_log_figure figure;
    } keys[] = {
        {"Samples per second", TIMINGS_LOG_RATE},
        {"samples_per_query", TIMINGS_LOG_SAMPLES},
        {"Mean latency (ns)", TIMINGS_LOG_MEAN},
        {"50.00 percentile latency (ns)", TIMINGS_LOG_P50},
        {"99.00 percentile latency (ns)", TIMINGS_LOG_P99},
    };
    struct timings_table t = {s->text, 0};
    struct timings_log log = {0};
    (void)a;
    for (char *line; (line = timings_table_line(&t));) {
        char *colon = strrchr(line, ':');
        if (!colon)
            continue;
        *colon = '\0';
        const char *key = timings_table_trim(line), *value = timings_table_trim(colon + 1);
        if (strcmp(key, "Scenario") == 0)
            timings_log_scenario(&log, value);
        if (strcmp(key, "Result is") == 0)
            log.invalid = strcmp(value, "VALID") != 0;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(key, keys[i].key) == 0 &&
                timings_log_put(&log, keys[i].figure, s, t.line, value, e))
                return -1;
    }
    return timings_log_point(&log, s, out, e);
}

const struct timings_format timings_mlperf = {
    "mlperf", "mlperf_log_summary.txt of single stream, multi stream or offline", fits, read};
