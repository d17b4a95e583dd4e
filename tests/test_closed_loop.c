/* test_closed_loop: a profile made from measured times, simulated, against the harness's server
 * that serves in those same times. By its own clock; tests/closed_loop.sh does it with a real one.
 */
#include "kernels/latency.h"
#include "kernels/load.h"
#include "scenarios/cli/profile_draft.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TIMES_MAX 1000

static double times_s[TIMES_MAX];
static size_t n_times;

static void read_times(void)
{
    char line[128];
    FILE *f = fopen(SLUICE_SOURCE_DIR "/tests/data/service_times.csv", "r");
    cr_assert(f);
    while (fgets(line, sizeof line, f))
        if (line[0] != '#' && n_times < TIMES_MAX)
            times_s[n_times++] = atof(line);
    fclose(f);
    cr_assert_gt(n_times, 300);
}

static double mean_s(void)
{
    double sum = 0;
    for (size_t i = 0; i < n_times; i++)
        sum += times_s[i];
    return sum / (double)n_times;
}

/* ---- the harness, on a clock that jumps ---- */

struct replay {
    double now_s;
    uint64_t served;
};

static int serve(void *self, struct err *e)
{
    struct replay *r = self;
    struct chance c = chance_stream(4, 0, CHANCE_TEST, 1);
    (void)e;
    r->now_s += times_s[chance_below(c, r->served++, n_times)];
    return 0;
}

static double now(void *self)
{
    return ((struct replay *)self)->now_s;
}

static void wait_until(void *self, double at_s)
{
    struct replay *r = self;
    r->now_s = r->now_s > at_s ? r->now_s : at_s;
}

static struct latency measure(struct arena *a, double qps)
{
    struct replay r = {0};
    struct load_target t = {.self = &r, .serve = serve, .now_s = now, .wait_until = wait_until};
    struct load_rule rule = load_usual;
    struct load_outcome o;
    struct latency l;
    struct err e = {0};
    rule.scenario = LOAD_SERVER;
    rule.qps = qps;
    rule.min_queries = 100000;
    rule.max_s = 1e9;
    cr_assert_eq(load_run(a, &t, &rule, &o, &e), 0, "%s", e.msg);
    latency_summarize(o.latency_s, o.queries, &l);
    return l;
}

/* ---- the simulator ---- */

static void write_text(const char *dir, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void write_profile(const char *dir)
{
    static double copy[TIMES_MAX];
    static struct profile_draft d = {.model = "bert_tiny",
                                     .gpu = "CPU",
                                     .framework = "recorded",
                                     .precision = "fp32",
                                     .date = "2026-11-30",
                                     .source = "tests/data/service_times.csv",
                                     .sequence = 64,
                                     .stable = true,
                                     .n = 2};
    struct err e = {0};
    struct text t = {0};
    memcpy(copy, times_s, sizeof copy);
    d.points[0] = (struct batch_point){.batch = 1, .time_s = mean_s()};
    d.points[1] = (struct batch_point){.batch = 2, .time_s = 1.8 * mean_s()};
    profile_draft_spread(&d, copy, n_times);
    cr_assert_eq(profile_draft_fit(&d, &e), 0, "%s", e.msg);
    profile_draft_json(&d, &t);
    write_text(dir, "profile.json", t.s);
    text_fini(&t);
}

static void write_scenario(const char *dir, double qps)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"sluice\": 1, \"name\": \"loop\", \"horizon\": \"%.0fs\", \"replications\": 4, "
             "\"services\": [{\"name\": \"one\", \"initialReplicas\": 1, \"autoscaler\": "
             "{\"fixed\": 1}, \"traffic\": {\"qps\": %.9g, \"arrivals\": \"poisson\"}, "
             "\"serving\": {\"balance\": \"central_fifo\", \"discipline\": \"fifo\", "
             "\"concurrency\": 1, \"serviceTime\": {\"calibration\": \"bert_tiny-64/CPU/fp32\", "
             "\"file\": \"profile.json\"}}, \"ingress\": {\"workers\": 1, \"timeout\": \"0\"}}]}",
             50000 / qps, qps);
    write_text(dir, "scenario.json", text);
}

static const struct json *simulate(struct arena *a, const char *dir)
{
    char line[600], out[128];
    size_t length;
    struct err e = {0};
    snprintf(out, sizeof out, "%s/result.json", dir);
    snprintf(line, sizeof line, "%s run %s/scenario.json --no-store --format json > %s",
             SLUICE_BINARY, dir, out);
    cr_assert_eq(WEXITSTATUS(system(line)), 0);
    char *text = file_read(a, out, JSON_MAX_BYTES, &length, &e);
    const struct json *root = text ? json_parse(a, out, text, length, &e) : NULL;
    cr_assert(root, "%s", e.msg);
    return root;
}

static void remove_all(const char *dir)
{
    static const char *const names[] = {"profile.json", "scenario.json", "result.json"};
    char path[128];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        remove(path);
    }
    remove(dir);
}

Test(closed_loop, a_profile_foretells_the_server_it_was_not_measured_on, .timeout = 60)
{
    static const double loads[] = {0.3, 0.5, 0.8};
    struct err e = {0};
    struct arena *a = arena_create(&e);
    char dir[] = "/tmp/sluice_closed_loop_XXXXXX";
    cr_assert(mkdtemp(dir));
    read_times();
    write_profile(dir);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        double qps = loads[i] / mean_s();
        struct latency measured = measure(a, qps);
        write_scenario(dir, qps);
        const struct json *latency = json_get(simulate(a, dir), "latency");
        double mean = json_get(latency, "mean")->number / measured.mean_s;
        double p99 = json_get(latency, "p99")->number / measured.p99.value_s;
        cr_log_info("load %.1f: simulated / measured: mean %.3f, p99 %.3f", loads[i], mean, p99);
        cr_expect(mean > 0.9 && mean < 1.1, "load %g: mean %g", loads[i], mean);
        cr_expect(p99 > 0.75 && p99 < 1.25, "load %g: p99 %g", loads[i], p99);
    }
    remove_all(dir);
    arena_destroy(a);
}
