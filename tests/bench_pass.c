/* bench_pass: what one pass of an autoscaler costs inside a run.
 *
 * A month of a service, played with an autoscaler and with a fixed size, by turns; the difference
 * of the least times is divided by the passes. It holds all that a pass needs: the marks at both
 * edges of its window, the view, the decision with its reason, the log line and its digest. Build
 * the target bench_pass and run it; give a part of a row's name for these rows only. */
#include "scenarios/run/scenario.h"
#include "scenarios/run/world.h"
#include "sim/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 5

struct row {
    const char *name;
    const char *autoscaler; /* the key's value */
    const char *size;
};

#define EXTERNAL "{\"type\": \"External\", \"external\": {\"metricName\": \"sls_ingress_qps\", "
#define HPA(rest) "{\"hpa\": {\"maxReplicas\": 10, " rest "}}"

static const struct row rows[] = {
    {"hpa, QPS, no behavior", HPA("\"metrics\": [" EXTERNAL "\"targetAverageValue\": 10}}]"), "1"},
    {"hpa, QPS, behavior",
     HPA("\"behavior\": {}, \"metrics\": [" EXTERNAL "\"targetAverageValue\": 10}}]"), "1"},
    {"hpa, QPS, in its band", HPA("\"metrics\": [" EXTERNAL "\"targetAverageValue\": \"500m\"}}]"),
     "4"},
    {"hpa, utilization of 10 pods",
     HPA("\"minReplicas\": 10, \"metrics\": [{\"type\": \"Resource\", \"resource\": {\"name\": "
         "\"cpu\", \"targetAverageUtilization\": 80}}]"),
     "10"},
    {"keda",
     "{\"keda\": {\"minReplicaCount\": 1, \"triggers\": [{\"type\": \"prometheus\", \"metadata\": "
     "{\"query\": \"sls_ingress_qps\", \"threshold\": \"10\"}}]}}",
     "1"},
    {"kpa", "{\"kpa\": {\"min-scale\": 1}}", "1"},
    {"schedule", "{\"schedule\": {\"jobs\": [{\"schedule\": \"0 0 8 * * *\", \"targetSize\": 1}]}}",
     "1"},
    {"oracle", "{\"oracle\": {\"target\": 10}}", "1"},
};

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct scenario *load(const char *autoscaler, const char *size)
{
    char scaler[1024], replicas[64];
    struct err e = {0};
    snprintf(scaler, sizeof scaler, "services.bert.autoscaler=%s", autoscaler);
    snprintf(replicas, sizeof replicas, "services.bert.initialReplicas=%s", size);
    const char *sets[] = {"horizon=30d",
                          "services.bert.traffic={\"qps\": 2, \"arrivals\": \"evenly\"}", replicas,
                          scaler};
    struct scenario_source source = {.path = "tests/scenarios/users-hpa.json",
                                     .sets = sets,
                                     .n_sets = 4,
                                     .data_dir = "scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    if (!s) {
        fprintf(stderr, "bench_pass: %s: %s\n", e.where, e.msg);
        exit(2);
    }
    return s;
}

static double play(const struct scenario *s, double *passes)
{
    struct world_watch watch = {0};
    struct world_outcome out;
    struct err e = {0};
    double begin = cpu_s();
    if (world_run(s, 0, &watch, &out, &e)) {
        fprintf(stderr, "bench_pass: %s\n", e.msg);
        exit(2);
    }
    double spent = cpu_s() - begin;
    *passes = result_value(&out.result, "scaler.passes", 0);
    recorder_destroy(out.recorder);
    return spent;
}

static void report(const struct row *row)
{
    struct scenario *scaled = load(row->autoscaler, row->size);
    char fixed_size[64];
    snprintf(fixed_size, sizeof fixed_size, "{\"fixed\": %s}", row->size);
    struct scenario *fixed = load(fixed_size, row->size);
    double with = 1e99, without = 1e99, passes, none;
    for (int i = 0; i < RUNS; i++) {
        double a = play(scaled, &passes), b = play(fixed, &none);
        with = a < with ? a : with;
        without = b < without ? b : without;
    }
    printf("%-30s %8.0f passes  %6.0f ns a pass\n", row->name, passes,
           (with - without) * 1e9 / (passes - none));
    scenario_free(scaled);
    scenario_free(fixed);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc < 2 || strstr(rows[i].name, argv[1]))
            report(&rows[i]);
    return 0;
}
