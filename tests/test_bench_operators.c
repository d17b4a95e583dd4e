/* test_bench_operators: `sluice bench kernels` over a network's operators; no time is judged. */
#include "sim/arena.h"
#include "sim/err.h"
#include "sim/json.h"
#include "tests/program.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define TINY                                                                                       \
    "bench kernels --backend cpu --model bert_tiny --sequence 5 --batch 3 --no-store "             \
    "--max-duration 100s "

Test(bench_operators, every_operator_is_checked_timed_and_told)
{
    static const char *const kinds[] = {"linear", "embedding", "layer norm", "attention"};
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_eq(sluice(TINY "--format json"), 0, "%s", said);
    const struct json *root = json_parse(a, "said", said, strlen(said), &e);
    cr_assert(root, "%s", e.msg);
    size_t seen = 0;
    for (const struct json *c = json_get(root, "kernels")->first; c; c = c->next) {
        for (int k = 0; k < 4; k++)
            seen |= strcmp(json_get(c, "kind")->string, kinds[k]) == 0 ? (size_t)1 << k : 0;
        cr_expect_str_eq(json_get(c, "network")->string, "bert_tiny");
        cr_expect_eq(json_get(c, "batch")->number, 3);
        double error = json_get(c, "relativeError")->number;
        cr_expect(error >= 0 && error < 5e-6, "%g", error);
        cr_expect(json_get(c, "median")->number > 0 && json_get(c, "cold")->number > 0);
        double gflops = json_get(c, "gflops")->number;
        cr_expect_leq(gflops, json_at(root, "peak.gflops")->number);
    }
    cr_expect_eq(seen, 15);
    cr_expect_str_eq(json_get(root, "backend")->string, "cpu");
    arena_destroy(a);
}

Test(bench_operators, two_measurements_are_compared_by_operator)
{
    char line[300];
    cr_assert_eq(sluice(TINY "--format json"), 0, "%s", said);
    struct temp_file before = temp_text(said);
    cr_assert_eq(sluice(TINY), 0, "%s", said);
    cr_expect(strstr(said, "was compared with the double reference"), "%s", said);
    snprintf(line, sizeof line, "bench compare %s %s", before.path, before.path);
    cr_expect_eq(sluice(line), 0, "%s", said);
    cr_expect(strstr(said, "bert_tiny.batch3.pooler.dense.time.p50"), "%s", said);
    temp_drop(&before);
}

Test(bench_operators, wrong_arguments_and_a_missing_gpu_are_told)
{
    static const struct {
        const char *arguments, *told;
        int code;
    } rows[] = {
        {"bench kernels --model bert_tin --no-store", "did you mean 'bert_tiny'", 2},
        {"bench kernels --model inception_v3 --sequence 8 --no-store", "only a BERT has one", 2},
        {"bench kernels --model bert_tiny --batch 2000 --no-store", "allowed is 1 to 1024", 2},
        {"bench kernels --model bert_tiny --max-duration no --no-store", "--max-duration", 2},
        {"bench network --sequence 0", "--sequence: 0: allowed is 1 to", 2},
        {"bench network --tokens 0", "--tokens: 0: allowed is 1 to", 2},
        {"bench network --threads 0", "--threads: 0: allowed is 1 to", 2},
        {"bench network --threads 1000", "this OpenBLAS runs", 2},
        {"bench network --vocabulary 0", "--vocabulary: 0: allowed is 1 to", 2},
        {"bench network --queries=0", "--queries: 0: allowed is 1 to", 2},
        {"bench network --batches 1,,2", "--batches: '' is no size of 1 to 1024", 2},
        {"bench network --batches 1,", "--batches: '' is no size of 1 to 1024", 2},
        {"bench network --batches ''", "--batches: a list such as", 2},
        {"bench network --backend cpu --graph-batch 4", "--graph-batch: only a GPU has it", 2},
        {"bench network --backend cpu --algorithms f", "--algorithms: only a GPU has it", 2},
        {"bench network --image f --labels f --batch 4", "--batch: says nothing beside --image", 2},
        {"bench network --image f --labels f --scenario server", "--scenario: says nothing", 2},
        {"bench network --image f --labels f --graph-batch 0", "--graph-batch: says nothing", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(sluice(rows[i].arguments), rows[i].code, "%s: %s", rows[i].arguments, said);
        cr_expect(strstr(said, rows[i].told), "%s", said);
    }
    int rc = sluice("bench kernels --backend cuda --model bert_tiny --no-store --max-duration 1ms");
    cr_expect(rc == 0 || (rc == 3 && strstr(said, "`--backend cpu` measures the processor")), "%s",
              said);
}
