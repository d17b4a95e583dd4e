/* test_bench_setting: whatever makes a measurement another experiment is among its settings. */
#include "scenarios/cli/bench_setting.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct backend_cuda_config graphs = {.graph_batch = 4};
static const struct backend gpu = {.name = "cuda", .config = &graphs};
static const struct network_bench first = {.sequence = 128};

static struct bench_setup server(void)
{
    struct bench_setup s = {.network = {.model = {.name = "bert_base", .batch = 1, .seed = 1},
                                        .backend = &backend_blas,
                                        .load = {.scenario = LOAD_SERVER, .qps = 5}}};
    return s;
}

/* Every setting as one text. */
static const char *told(const struct bench_setup *s)
{
    static char all[2][1200];
    static int turn;
    struct bench_setting out[BENCH_SETTINGS];
    struct err e = {0};
    size_t used = 0, n = bench_setting_list(s, &first, out, &e);
    cr_assert(n > 0, "%s", e.msg);
    char *to = all[turn ^= 1];
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (bench_setting_keys[k] && strcmp(bench_setting_keys[k], out[i].key) != 0)
            k++;
        cr_expect(bench_setting_keys[k], "%s is read back", out[i].key);
        used +=
            (size_t)snprintf(to + used, sizeof all[0] - used, "%s=%s;", out[i].key, out[i].value);
    }
    return to;
}

Test(bench_setting, each_choice_is_told)
{
    struct temp_file one = temp_text("weights"), other = temp_text("weights of another training");
    struct bench_setup s[9];
    for (int i = 0; i < 9; i++)
        s[i] = server();
    s[1].network.load.qps = 400;
    s[2].network.load.bound_s = 1;
    s[3].network.model.vocabulary = 100;
    s[4].network.model.weights = one.path;
    s[5].network.model.weights = other.path;
    s[6].network.load.seed = 2;
    s[7].network.backend = &gpu;
    s[8].network.isolated = true;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++) {
            const char *x = told(&s[i]), *y = told(&s[j]);
            cr_expect_str_neq(x, y, "setups %d and %d", i, j);
        }
    temp_drop(&one);
    temp_drop(&other);
}

Test(bench_setting, the_same_weights_under_another_name_are_the_same)
{
    struct temp_file one = temp_text("weights"), copy = temp_text("weights");
    struct bench_setup s = server(), t = server();
    s.network.model.weights = one.path;
    t.network.model.weights = copy.path;
    cr_expect_str_eq(told(&s), told(&t));
    s.network.find_peak = t.network.find_peak = true;
    s.network.load.qps = 400; /* a rate that was found is a result */
    cr_expect_str_eq(told(&s), told(&t));
    temp_drop(&copy);
    temp_drop(&one);
}
