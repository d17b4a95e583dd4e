/* test_node_utilization: tables, and agreement with a second reading of the rule. */
#include "models/control/node_utilization.h"
#include "tests/dice.h"

#include <criterion/criterion.h>

enum { CASES = 200000, MOST_PODS = 6 };

Test(node_utilization, is_the_larger_of_cpu_and_memory_or_the_gpus_alone)
{
    static const struct {
        struct node_scaler_shape shape;
        bool gpu_node;
        enum node_gpu_rule rule;
        struct node_usage usage;
        int rc;
        double want;
        const char *resource, *why;
    } rows[] = {
        {{2000, 8000, 0, 0}, false, NODE_GPU_ONLY, {1200, 1000, 0, 0, 0, 0}, 0, 0.6, "cpu", "cpu"},
        {{2000, 8000, 0, 0},
         false,
         NODE_GPU_ONLY,
         {200, 6000, 0, 0, 0, 0},
         0,
         0.75,
         "memory",
         "memory"},
        {{2000, 8000, 0, 0},
         false,
         NODE_GPU_ONLY,
         {1000, 4000, 0, 0, 0, 0},
         0,
         0.5,
         "memory",
         "a tie"},
        {{2000, 8000, 1, 0},
         true,
         NODE_GPU_ONLY,
         {1200, 8000, 0, 0, 0, 0},
         0,
         0,
         "gpu",
         "idle GPU"},
        {{2000, 8000, 1, 0}, true, NODE_GPU_IGNORE, {1200, 0, 0, 0, 0, 0}, 0, 0.6, "cpu", "legacy"},
        {{2000, 8000, 1, 0}, true, NODE_GPU_MAX, {1200, 0, 0, 0, 0, 0}, 0, 0.6, "cpu", "max rule"},
        {{2000, 8000, 4, 0},
         true,
         NODE_GPU_MAX,
         {1200, 0, 3, 0, 0, 0},
         0,
         0.75,
         "gpu",
         "max rule, GPUs"},
        {{2000, 8000, 0, 0},
         true,
         NODE_GPU_ONLY,
         {1200, 0, 1, 0, 0, 0},
         0,
         0,
         "gpu",
         "GPUs not reported"},
        {{0, 8000, 1, 0},
         true,
         NODE_GPU_ONLY,
         {0, 0, 1, 0, 0, 0},
         0,
         1,
         "gpu",
         "CPU is not looked at"},
        {{0, 8000, 0, 0}, false, NODE_GPU_ONLY, {0, 0, 0, 0, 0, 0}, -1, 0, NULL, "no CPU figure"},
        {{2000, 0, 1, 0}, true, NODE_GPU_MAX, {0, 0, 0, 0, 0, 0}, -1, 0, NULL, "no memory figure"},
        {{2000, 8000, 0, 0},
         false,
         NODE_GPU_ONLY,
         {500, 0, 0, 1000, 0, 0},
         0,
         0.5,
         "cpu",
         "smaller by what is left out"},
        {{2000, 8000, 0, 0},
         false,
         NODE_GPU_ONLY,
         {0, 0, 0, 2000, 8000, 0},
         0,
         0,
         "memory",
         "filled by what is left out"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct node_utilization u;
        int rc =
            node_utilization_of(&rows[i].shape, rows[i].gpu_node, &rows[i].usage, rows[i].rule, &u);
        cr_expect_eq(rc, rows[i].rc, "%s", rows[i].why);
        if (rc == 0) {
            cr_expect_eq(u.value, rows[i].want, "%s: %g", rows[i].why, u.value);
            cr_expect_str_eq(u.resource, rows[i].resource, "%s", rows[i].why);
        }
    }
}

Test(node_utilization, a_pod_counts_until_thirty_seconds_after_its_grace)
{
    struct node_scaler_pod p = {.terminating_since = 0, .grace = 10 * SIM_SECOND};
    cr_expect_not(node_utilization_long_terminating(&p, 40 * SIM_SECOND));
    cr_expect(node_utilization_long_terminating(&p, 40 * SIM_SECOND + 1));
    p.terminating_since = SIM_NEVER;
    cr_expect_not(node_utilization_long_terminating(&p, SIM_DAY));
}

/* A pod as the second reading sees it. */
struct plain_pod {
    int64_t asks[3];
    enum node_pod_kind kind;
};

/* Shares resource by resource, pods in the inner loop: nothing in common with the code. */
static double plain_share(const struct plain_pod *pods, int n, int resource, int64_t has,
                          const struct node_usage_rule *rule)
{
    int64_t used = 0;
    for (int i = 0; i < n; i++) {
        bool out = (pods[i].kind == NODE_POD_DAEMON && rule->ignore_daemon_pods) ||
                   (pods[i].kind == NODE_POD_MIRROR && rule->ignore_mirror_pods);
        if (out)
            has -= pods[i].asks[resource];
        else
            used += pods[i].asks[resource];
    }
    return used == 0 ? 0 : (double)used / (double)has;
}

static double plain(const struct plain_pod *pods, int n, const struct node_scaler_shape *s,
                    bool gpu_node, const struct node_usage_rule *rule)
{
    double cpu = plain_share(pods, n, 0, s->cpu_milli, rule);
    double memory = plain_share(pods, n, 1, s->memory_bytes, rule);
    double gpu = s->gpus == 0 ? 0 : plain_share(pods, n, 2, s->gpus, rule);
    double most = cpu > memory ? cpu : memory;
    if (!gpu_node || rule->gpu_rule == NODE_GPU_IGNORE)
        return most;
    return rule->gpu_rule == NODE_GPU_ONLY || gpu > most ? gpu : most;
}

Test(node_utilization, agrees_with_a_second_reading)
{
    struct dice d = dice_of(1);
    for (int k = 0; k < CASES; k++) {
        struct node_scaler_shape s = {.cpu_milli = 1000 * dice_int(&d, 20, 64),
                                      .memory_bytes = 1000 * dice_int(&d, 20, 64),
                                      .gpus = (int32_t)dice_int(&d, 0, 8)};
        struct node_usage_rule rule = {dice_flag(&d), dice_flag(&d),
                                       (enum node_gpu_rule)dice_int(&d, 0, 2)};
        struct plain_pod pods[MOST_PODS];
        struct node_usage usage = {0};
        bool gpu_node = dice_flag(&d);
        int n = (int)dice_int(&d, 0, MOST_PODS);
        for (int i = 0; i < n; i++) {
            pods[i] = (struct plain_pod){
                {dice_int(&d, 0, 3000), dice_int(&d, 0, 3000), dice_int(&d, 0, 1)},
                (enum node_pod_kind)dice_int(&d, 0, 3)};
            struct node_scaler_owner o = {.cpu_milli = pods[i].asks[0],
                                          .memory_bytes = pods[i].asks[1],
                                          .gpus = (int32_t)pods[i].asks[2],
                                          .kind = pods[i].kind};
            node_utilization_add(&usage, &rule, &o, 1);
        }
        struct node_utilization u;
        cr_assert_eq(node_utilization_of(&s, gpu_node, &usage, rule.gpu_rule, &u), 0);
        double want = plain(pods, n, &s, gpu_node, &rule);
        cr_assert_eq(u.value, want, "case %d: %.17g, not %.17g", k, u.value, want);
    }
}
