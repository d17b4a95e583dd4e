/* test_timings: files of other tools, as their documentation and public logs show them. */
#include "kernels/timings.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct err failure;

struct wish {
    const char *format, *config;
    double batch;
};

static int read_text(const char *text, struct wish w, struct timings *t)
{
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    struct timings_source s = {
        .path = "file", .text = copy, .length = strlen(text), .batch = w.batch, .config = w.config};
    failure = (struct err){0};
    struct arena *a = arena_create(&failure);
    int rc = timings_read(a, &s, w.format, t, &failure);
    arena_destroy(a);
    free(copy);
    return rc;
}

/* perf_analyzer's documentation, inception_graphdef, batch 1 */
static const char perf[] =
    "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,"
    "Server Compute Input,Server Compute Infer,Server Compute Output,Client Recv,"
    "p50 latency,p90 latency,p95 latency,p99 latency\n"
    "1,69.2,225,2148,64,206,11781,19,0,13891,18795,19753,21018\n"
    "3,84.2,237,1768,21673,209,11742,17,0,35398,43984,47085,51701\n"
    "4,84.2,279,1604,33669,233,11731,18,1,47045,56545,59225,64886\n"
    "2,87.2,235,1973,9151,190,11346,17,0,21874,28557,29768,34766\n";

Test(timings, perf_analyzer_gives_the_servers_compute_at_the_least_load)
{
    struct timings t;
    cr_assert_eq(read_text(perf, (struct wish){.batch = 1}, &t), 0, "%s", failure.msg);
    cr_assert_eq(t.n, 1);
    cr_expect_eq(t.points[0].batch, 1);
    cr_expect_float_eq(t.points[0].time_s, (206 + 11781 + 19) * 1e-6, 1e-12);
    /* ln(21018 / 13891) / 2.3263 = 0.178 */
    cr_expect_float_eq(t.points[0].cv, 0.179, 0.002);
    cr_expect_str_eq(t.remark, "");
    cr_assert_eq(read_text(perf, (struct wish){0}, &t), -1);
    cr_expect(strstr(failure.msg, "does not say the batch"), "%s", failure.msg);
}

Test(timings, perf_analyzer_without_the_server_gives_the_pace_of_one_client)
{
    struct timings t;
    cr_assert_eq(read_text("Concurrency,Inferences/Second,Client Send,Client Recv,p50 latency\n"
                           "1,200,5,5,5000\n2,300,5,5,6000\n",
                           (struct wish){.batch = 4}, &t),
                 0, "%s", failure.msg);
    cr_expect_float_eq(t.points[0].time_s, 4 / 200.0, 1e-12);
    cr_expect(strstr(t.remark, "network and queue included"));
    cr_assert_eq(read_text("Request Rate,Inferences/Second,Client Send,p50 latency\n50,50,5,9000\n",
                           (struct wish){.batch = 1}, &t),
                 -1);
    cr_expect(strstr(failure.msg, "holds waiting"), "%s", failure.msg);
}

Test(timings, perf_analyzer_with_a_column_of_batches_gives_a_point_for_each)
{
    struct timings t;
    cr_assert_eq(read_text("Batch Size,Concurrency,Inferences/Second,Server Compute\n"
                           "8,1,100,60000\n1,1,90,9000\n8,2,110,61000\n",
                           (struct wish){0}, &t),
                 0, "%s", failure.msg);
    cr_assert_eq(t.n, 2);
    cr_expect_float_eq(t.points[0].time_s, 0.009, 1e-12);
    cr_expect_float_eq(t.points[1].time_s, 0.060, 1e-12);
}

/* Three tables below each other, as Model Analyzer prints and people keep them. */
static const char analyzer[] =
    "Model,GPU ID,Batch,Concurrency,Model Config Path,GPU Utilization (%)\n"
    "resnet,0,1,2,resnet_i0,16.2\n"
    "\n"
    "Model,Batch,Concurrency,Model Config Path,Instance Group,Preferred Batch Sizes,"
    "Satisfies Constraints,Throughput (infer/sec),p99 Latency (ms)\n"
    "resnet,1,2,resnet_i0,1/GPU,\"[4, 8]\",Yes,195.0,11.0\n"
    "resnet,1,1,resnet_i0,1/GPU,\"[4, 8]\",Yes,160.0,8.1\n"
    "resnet,8,1,resnet_i0,1/GPU,\"[4, 8]\",Yes,400.0,22.0\n"
    "\n"
    "Model,GPU ID,GPU Memory Usage (MB)\n"
    "triton-server,0,277.0\n";

Test(timings, model_analyzer_gives_the_rows_of_concurrency_1)
{
    struct timings t;
    cr_assert_eq(read_text(analyzer, (struct wish){0}, &t), 0, "%s", failure.msg);
    cr_assert_eq(t.n, 2);
    cr_expect_float_eq(t.points[0].time_s, 1 / 160.0, 1e-12);
    cr_expect_float_eq(t.points[1].time_s, 8 / 400.0, 1e-12);
    /* 8.1 / 6.25 = 1.296 = exp(2.326 s - s^2 / 2): s = 0.1143 */
    cr_expect_float_eq(t.points[0].cv, 0.1147, 0.0005);
}

Test(timings, model_analyzer_with_two_configurations_asks_which)
{
    static const char two[] = "Model,Batch,Concurrency,Model Config Path,Throughput (infer/sec)\n"
                              "m,1,1,m_0,100\nm,1,1,m_1,120\nm,2,1,m_1,200\n";
    struct timings t;
    cr_assert_eq(read_text(two, (struct wish){0}, &t), -1);
    cr_expect_str_eq(failure.where, "file:3");
    cr_expect(strstr(failure.msg, "--model-config"), "%s", failure.msg);
    cr_assert_eq(read_text(two, (struct wish){.config = "m_1"}, &t), 0, "%s", failure.msg);
    cr_assert_eq(t.n, 2);
    cr_expect_float_eq(t.points[1].time_s, 0.01, 1e-12);
}

/* A public log of LoadGen, shortened. */
static const char *log_of(const char *scenario, int samples)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "================================================\n"
             "MLPerf Results Summary\n"
             "================================================\n"
             "SUT name : PySUT\n"
             "Scenario : %s\n"
             "Mode     : PerformanceOnly\n"
             "90th percentile latency (ns) : 7132046\n"
             "Result is : VALID\n"
             "  Min duration satisfied : Yes\n"
             "\n"
             "Mean latency (ns)               : 7065755\n"
             "50.00 percentile latency (ns)   : 7023578\n"
             "99.00 percentile latency (ns)   : 7577115\n"
             "Samples per second: 5540.1\n"
             "\n"
             "samples_per_query : %d\n",
             scenario, samples);
    return text;
}

Test(timings, mlperf_summary_gives_one_point_by_its_scenario)
{
    struct timings t;
    cr_assert_eq(read_text(log_of("SingleStream", 1), (struct wish){0}, &t), 0, "%s", failure.msg);
    cr_expect_eq(t.n, 1);
    cr_expect(t.points[0].batch == 1 && fabs(t.points[0].time_s - 7065755e-9) < 1e-15);
    cr_expect_float_eq(t.points[0].cv, log(7577115.0 / 7023578) / 2.3263, 1e-3);
    cr_assert_eq(read_text(log_of("MultiStream", 8), (struct wish){0}, &t), 0);
    cr_expect_eq(t.points[0].batch, 8);
    cr_assert_eq(read_text(log_of("Offline", 1), (struct wish){.batch = 32}, &t), 0);
    cr_expect_float_eq(t.points[0].time_s, 32 / 5540.1, 1e-12);
}

Test(timings, mlperf_runs_that_say_nothing_of_a_batch_are_refused)
{
    struct timings t;
    cr_assert_eq(read_text(log_of("Server", 1), (struct wish){0}, &t), -1);
    cr_expect(strstr(failure.msg, "hold waiting"), "%s", failure.msg);
    cr_assert_eq(read_text(log_of("Offline", 1), (struct wish){0}, &t), -1);
    cr_expect(strstr(failure.msg, "--batches"), "%s", failure.msg);
    cr_assert_eq(read_text("MLPerf Results Summary\n", (struct wish){0}, &t), -1);
    cr_expect(strstr(failure.msg, "names no scenario"), "%s", failure.msg);
}

static const char detail[] =
    ":::MLLOG {\"key\": \"effective_scenario\", \"value\": \"SingleStream\", \"time_ms\": 0.1}\n"
    ":::MLLOG {\"key\": \"effective_samples_per_query\", \"value\": 1, \"time_ms\": 0.2}\n"
    ":::MLLOG {\"key\": \"result_mean_latency_ns\", \"value\": 31329862, \"time_ms\": 273.005400, "
    "\"namespace\": \"mlperf::logging\", \"metadata\": {\"is_error\": false}}\n"
    ":::MLLOG {\"key\": \"result_50.00_percentile_latency_ns\", \"value\": 31000000}\n"
    ":::MLLOG {\"key\": \"result_99.00_percentile_latency_ns\", \"value\": 41013900}\n"
    ":::MLLOG {\"key\": \"result_validity\", \"value\": \"INVALID\"}\n";

Test(timings, mlperf_detail_gives_the_same_and_says_when_it_is_invalid)
{
    struct timings t;
    cr_assert_eq(read_text(detail, (struct wish){0}, &t), 0, "%s", failure.msg);
    cr_expect_eq(t.n, 1);
    cr_expect_float_eq(t.points[0].time_s, 0.031329862, 1e-12);
    cr_expect(strstr(t.remark, "INVALID"));
    cr_assert_eq(
        read_text(":::MLLOG {\"key\": \"effective_scenario\", \"value\": \n", (struct wish){0}, &t),
        -1);
    cr_expect_eq(strncmp(failure.where, "file:1:", 7), 0, "%s", failure.where);
}

/* Eight samples of a query end one by one: the batch took as long as the query. */
Test(timings, mlperf_detail_of_multi_stream_takes_the_query)
{
    static const char log[] =
        ":::MLLOG {\"key\": \"effective_scenario\", \"value\": \"MultiStream\"}\n"
        ":::MLLOG {\"key\": \"effective_samples_per_query\", \"value\": 8}\n"
        ":::MLLOG {\"key\": \"result_mean_latency_ns\", \"value\": 270000}\n"
        ":::MLLOG {\"key\": \"result_99.00_percentile_latency_ns\", \"value\": 520000}\n"
        ":::MLLOG {\"key\": \"result_mean_query_latency_ns\", \"value\": 508400}\n"
        ":::MLLOG {\"key\": \"result_50.00_percentile_per_query_latency_ns\", \"value\": "
        "508000}\n"
        ":::MLLOG {\"key\": \"result_99.00_percentile_per_query_latency_ns\", \"value\": "
        "526000}\n";
    struct timings t;
    cr_assert_eq(read_text(log, (struct wish){0}, &t), 0, "%s", failure.msg);
    cr_expect_eq(t.points[0].batch, 8);
    cr_expect_float_eq(t.points[0].time_s, 508.4e-6, 1e-12);
    cr_expect_float_eq(t.points[0].cv, 0.015, 0.001); /* ln(526 / 508) / 2.3263 */
}

Test(timings, plain_rows_take_words_on_top_blanks_and_any_order)
{
    struct timings t;
    cr_assert_eq(read_text("\xef\xbb\xbf"
                           "batch,seconds,cv,samples\r\n4, 0.04 ,0.1,50\r\n\r\n"
                           "\"1\",0.01\r\n",
                           (struct wish){0}, &t),
                 0, "%s", failure.msg);
    cr_assert_eq(t.n, 2);
    cr_expect(t.points[0].batch == 1 && t.points[1].samples == 50 && t.points[1].cv == 0.1);
}

Test(timings, bad_files_name_their_line)
{
    static const struct {
        const char *text, *format, *where, *msg;
    } bad[] = {
        {"1,0.1\n1,0.2\n", NULL, "file:2", "batch 1 is there twice"},
        {"1,1e-320\n", NULL, "file:1", "a time 1 ns to a day"},
        {"1,0.1\n2\n", NULL, "file:2", "a row is batch,seconds[,cv[,samples]]; 1 fields"},
        {"1,0.1\n2,x\n", NULL, "file:2", "'x' is none"},
        {"1,0.1\n2,nan\n", NULL, "file:2", "'nan' is none"},
        {"1,0.1\n2,-1\n", NULL, "file:2", "a time 1 ns"},
        {"1.5,0.1\n", NULL, "file:1", "a batch is a whole number"},
        {"", NULL, "file", "no times were found, read as csv"},
        {"a\n", "perf_analyzer", "file", "the first line lacks Inferences/Second"},
        {"a\n", "xml", "", "is none of mlperf, mlperf_detail, perf_analyzer, model_analyzer, csv"},
        {"Concurrency,Inferences/Second,Server Compute\n1,2\n", NULL, "file:2",
         "Server Compute: '' is no number of 0 or more"},
        {"Model,Throughput (infer/sec)\nm,3\n", NULL, "file:1", "lacks its columns Batch and"},
        {"Model,Batch,Concurrency,Throughput (infer/sec)\nm,1,2,3\n", NULL, "file",
         "no row of concurrency 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct timings t;
        cr_expect_eq(read_text(bad[i].text, (struct wish){.format = bad[i].format, .batch = 1}, &t),
                     -1, "%s", bad[i].text);
        cr_expect_eq(failure.code, ERR_INPUT);
        cr_expect_str_eq(failure.where, bad[i].where, "%s", bad[i].text);
        cr_expect(strstr(failure.msg, bad[i].msg), "%s: %s", bad[i].text, failure.msg);
    }
}

/* Every reader survives whatever stands in a file: pieces of good files, cut, doubled and
 * overwritten. */
Test(timings, no_reader_falls_over_a_broken_file)
{
    const char *const good[] = {perf, analyzer, log_of("MultiStream", 8), detail,
                                "1,0.1,0.2,3\n2,0.2\n"};
    static const char *const formats[] = {"mlperf", "mlperf_detail", "perf_analyzer",
                                          "model_analyzer", "csv"};
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        char text[2048];
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const char *from = good[x % 5];
        size_t n = strlen(from), cut = (x >> 8) % (n + 1);
        snprintf(text, sizeof text, "%.*s%s", (int)cut, from, from + (x >> 20) % (n + 1));
        for (uint64_t k = 0; k < (x >> 40) % 4 && text[0]; k++)
            text[(x >> (10 + k * 7)) % strlen(text)] = ",\"\n:{}9-e\x80"[(x >> (44 + k)) % 10];
        struct timings t;
        int rc = read_text(text, (struct wish){.format = formats[(x >> 33) % 5], .batch = 2}, &t);
        cr_assert(rc == 0 ? t.n >= 1 && t.n <= TIMINGS_MAX : failure.code == ERR_INPUT);
        for (size_t i = 0; rc == 0 && i < t.n; i++)
            cr_assert(t.points[i].batch >= 1 && t.points[i].time_s > 0 && t.points[i].cv <= 10);
    }
}
