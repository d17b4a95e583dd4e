/* test_hpa_replicas: the replica calculator against figures worked out by hand. */
#include "models/control/hpa_replicas.h"

#include <criterion/criterion.h>

static const struct hpa_tolerance band = {0.1, 0.1, false};
static const struct hpa_tolerance distance = {0.1, 0.1, true};

struct average_row {
    int64_t usage, target;
    int32_t status, want;
};

Test(hpa_replicas, average_holds_inside_the_band_and_else_rounds_up)
{
    static const struct average_row rows[] = {
        {54000, 10000, 5, 5},
        {56000, 10000, 5, 6},
        {45000, 10000, 5, 5},
        {44999, 10000, 5, 5},
        {44000, 10000, 5, 5},
        {40000, 10000, 5, 4},
        {95000, 10000, 1, 10},
        {99000, 10000, 9, 9},
        {99001, 10000, 9, 10},
        {81000, 10000, 9, 9},
        {0, 10000, 5, 0},
        {0, 10000, 0, 0},
        {1, 10000, 0, 1},
        {11000, 10000, 1, 1},
        {11001, 10000, 1, 2},
        {500, 333, 1, 2},
        {INT64_MAX, 1, 1, INT32_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hpa_proposal p =
            hpa_replicas_average(rows[i].usage, rows[i].target, rows[i].status, &band);
        cr_expect_eq(p.replicas, rows[i].want, "row %zu: %d", i, (int)p.replicas);
    }
}

/* kubernetes before and after 1.33 differ at exactly eleven QPS a pod, by the last bit. */
Test(hpa_replicas, the_two_forms_of_the_band_differ_at_exactly_eleven)
{
    int differ = 0;
    for (int32_t n = 1; n <= 100; n++) {
        int64_t edge = n * INT64_C(11000);
        int32_t old = hpa_replicas_average(edge, 10000, n, &distance).replicas;
        int32_t new = hpa_replicas_average(edge, 10000, n, &band).replicas;
        cr_expect_eq(new, n, "the newer form includes its end: %d", (int)n);
        cr_expect(old == n || old == (n * 11 + 9) / 10);
        differ += old != new;
        cr_expect_eq(hpa_replicas_average(n * INT64_C(9000), 10000, n, &distance).replicas, n);
        cr_expect_eq(hpa_replicas_average(n * INT64_C(9000), 10000, n, &band).replicas, n);
    }
    cr_expect(differ > 90, "%d", differ);
    cr_expect_eq(hpa_replicas_average(99000, 10000, 9, &distance).replicas, 10);
    cr_expect_eq(hpa_replicas_average(99000, 10000, 9, &band).replicas, 9);
}

Test(hpa_replicas, both_forms_include_an_end_that_doubles_hold_exactly)
{
    static const struct hpa_tolerance old = {0.25, 0.25, true}, new = {0.25, 0.25, false};
    cr_expect(hpa_replicas_inside(&old, 1.25) && hpa_replicas_inside(&old, 0.75));
    cr_expect(hpa_replicas_inside(&new, 1.25) && hpa_replicas_inside(&new, 0.75));
}

Test(hpa_replicas, tolerance_has_two_directions)
{
    struct hpa_tolerance t = {0.02, 0.1, false};
    cr_expect_eq(hpa_replicas_average(52000, 10000, 5, &t).replicas, 6);
    cr_expect_eq(hpa_replicas_average(46000, 10000, 5, &t).replicas, 5);
}

Test(hpa_replicas, status_shows_the_average_rounded_up)
{
    cr_expect_eq(hpa_replicas_average(20166, 5000, 4, &band).usage_milli, 5042);
    cr_expect_eq(hpa_replicas_average(20166, 5000, 0, &band).usage_milli, 0);
    cr_expect_eq(hpa_replicas_average(INT64_MAX, 5000, 3, &band).usage_milli, INT64_MAX);
}

Test(hpa_replicas, value_multiplies_with_ready_pods)
{
    struct hpa_value_pods pods = {.current = 3, .ready = 1};
    struct hpa_proposal p = hpa_replicas_value(8600, 4400, &pods, &band);
    cr_expect_eq(p.replicas, 2);
    cr_expect_eq(p.usage_milli, 8600);
    pods.ready = 0;
    cr_expect_eq(hpa_replicas_value(8600, 4400, &pods, &band).replicas, 0);
    pods.ready = 3;
    cr_expect_eq(hpa_replicas_value(4600, 4400, &pods, &band).replicas, 3);
    pods = (struct hpa_value_pods){.current = 0};
    cr_expect_eq(hpa_replicas_value(4600, 4400, &pods, &band).replicas, 2, "no band at zero");
    cr_expect_eq(hpa_replicas_value(0, 4400, &pods, &band).replicas, 0);
    pods = (struct hpa_value_pods){.current = 2, .none = true};
    cr_expect_eq(hpa_replicas_value(8800, 4400, &pods, &band).fault, HPA_FAULT_NO_PODS);
    cr_expect_eq(hpa_replicas_value(4400, 4400, &pods, &band).fault, HPA_FAULT_NONE);
}

Test(hpa_replicas, a_sum_of_series_stops_at_the_end_of_int64)
{
    cr_expect_eq(hpa_replicas_sum((int64_t[]){1, 2, 3}, 3), 6);
    cr_expect_eq(hpa_replicas_sum((int64_t[]){INT64_MAX, 1}, 2), INT64_MAX);
    cr_expect_eq(hpa_replicas_sum((int64_t[]){INT64_C(1) << 62, INT64_C(1) << 62}, 2), INT64_MAX);
    cr_expect_eq(hpa_replicas_sum(NULL, 0), 0);
}

#define S SIM_SECOND
static const struct hpa_readiness cpu = {true, 300 * S, 30 * S};
static const struct hpa_readiness memory = {false, 300 * S, 30 * S};

struct group_row {
    struct scaler_pod pod;
    bool sampled;
    struct scaler_sample sample;
    enum hpa_group cpu_group, memory_group;
};

Test(hpa_replicas, sorts_pods_in_the_controllers_order)
{
    static const struct group_row rows[] = {
        /* deleting comes first, pending next, even with a sample */
        {{SCALER_POD_RUNNING, SCALER_READY_TRUE, true, -900 * S, -900 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_IGNORED,
         HPA_GROUP_IGNORED},
        {{SCALER_POD_FAILED, SCALER_READY_FALSE, false, -900 * S, 0},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_IGNORED,
         HPA_GROUP_IGNORED},
        {{SCALER_POD_SUCCEEDED, SCALER_READY_FALSE, false, -900 * S, 0},
         false,
         {0},
         HPA_GROUP_IGNORED,
         HPA_GROUP_IGNORED},
        {{SCALER_POD_PENDING, SCALER_READY_NONE, false, SIM_NEVER, 0},
         false,
         {0},
         HPA_GROUP_NOT_READY,
         HPA_GROUP_NOT_READY},
        {{SCALER_POD_RUNNING, SCALER_READY_NONE, false, SIM_NEVER, 0},
         false,
         {0},
         HPA_GROUP_MISSING,
         HPA_GROUP_MISSING},
        {{SCALER_POD_RUNNING, SCALER_READY_NONE, false, -900 * S, 0},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_NOT_READY,
         HPA_GROUP_READY},
        {{SCALER_POD_RUNNING, SCALER_READY_TRUE, false, SIM_NEVER, 0},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_NOT_READY,
         HPA_GROUP_READY},
        /* young: not ready, or no whole window since it became ready */
        {{SCALER_POD_RUNNING, SCALER_READY_FALSE, false, -299 * S, -299 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_NOT_READY,
         HPA_GROUP_READY},
        {{SCALER_POD_RUNNING, SCALER_READY_TRUE, false, -299 * S, -60 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_READY,
         HPA_GROUP_READY},
        {{SCALER_POD_RUNNING, SCALER_READY_TRUE, false, -299 * S, -59 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_NOT_READY,
         HPA_GROUP_READY},
        /* exactly as old as the period is old */
        {{SCALER_POD_RUNNING, SCALER_READY_TRUE, false, -300 * S, -1 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_READY,
         HPA_GROUP_READY},
        /* old: only a pod that was never ready is dropped */
        {{SCALER_POD_RUNNING, SCALER_READY_FALSE, false, -900 * S, -871 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_NOT_READY,
         HPA_GROUP_READY},
        {{SCALER_POD_RUNNING, SCALER_READY_FALSE, false, -900 * S, -870 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_READY,
         HPA_GROUP_READY},
        {{SCALER_POD_RUNNING, SCALER_READY_FALSE, false, -900 * S, -100 * S},
         true,
         {0, 1, 0, 60 * S},
         HPA_GROUP_READY,
         HPA_GROUP_READY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct scaler_sample *s = rows[i].sampled ? &rows[i].sample : NULL;
        cr_expect_eq(hpa_replicas_group(&rows[i].pod, s, &cpu, 0), rows[i].cpu_group, "cpu %zu", i);
        cr_expect_eq(hpa_replicas_group(&rows[i].pod, s, &memory, 0), rows[i].memory_group,
                     "memory %zu", i);
    }
}

/* n pods that run and are ready for long; the last `late` of them Pending. */
static struct hpa_question question(struct scaler_pod *pods, size_t n, size_t late,
                                    const int64_t *requests)
{
    for (size_t i = 0; i < n; i++)
        pods[i] = (struct scaler_pod){i + late >= n ? SCALER_POD_PENDING : SCALER_POD_RUNNING,
                                      SCALER_READY_TRUE, false, -9000 * S, -9000 * S};
    return (struct hpa_question){.current = (int32_t)n,
                                 .pods = pods,
                                 .n_pods = n,
                                 .requests = requests,
                                 .readiness = cpu,
                                 .tolerance = band};
}

static const int64_t thousand[10] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};

Test(hpa_replicas, utilization_counts_in_whole_percent)
{
    struct scaler_pod pods[10];
    struct hpa_question q = question(pods, 3, 0, thousand);
    struct scaler_sample s[] = {{0, 300, 0, 60 * S}, {1, 500, 0, 60 * S}, {2, 700, 0, 60 * S}};
    q.samples = s, q.n_samples = 3;
    struct hpa_proposal p = hpa_replicas_utilization(&q, 30);
    cr_expect_eq(p.replicas, 5); /* 50 / 30 x 3 */
    cr_expect_eq(p.utilization_pct, 50);
    cr_expect_eq(p.usage_milli, 500);
    /* 1658 of 3000 is 55.27 %: 55 / 50 is on the edge and holds, 1.105 would not */
    s[0].milli = 500, s[1].milli = 558, s[2].milli = 600;
    p = hpa_replicas_utilization(&q, 50);
    cr_expect_eq(p.utilization_pct, 55);
    cr_expect(p.inside);
    s[0].milli = 522; /* 56 % */
    cr_expect_eq(hpa_replicas_utilization(&q, 50).replicas, 4);
}

Test(hpa_replicas, missing_pods_damp_in_both_directions)
{
    struct scaler_pod pods[10];
    struct hpa_question q = question(pods, 4, 0, thousand);
    struct scaler_sample low[] = {{0, 100, 0, 60 * S}, {1, 100, 0, 60 * S}, {2, 100, 0, 60 * S}};
    q.samples = low, q.n_samples = 3;
    /* the missing one counts with its whole request: (300 + 1000) / 4000 = 32 %, / 50 x 4 = 3 */
    cr_expect_eq(hpa_replicas_utilization(&q, 50).replicas, 3);
    /* target above 100 %: it counts with that: (300 + 3000) / 4000 = 82 %, / 300 x 4 = 2 */
    cr_expect_eq(hpa_replicas_utilization(&q, 300).replicas, 2);
    struct scaler_sample high[] = {{0, 1000, 0, 60 * S}, {1, 1000, 0, 60 * S}};
    q.samples = high, q.n_samples = 2;
    /* 100 % of two, 50 % of four: x 4 / 30 % = 7 */
    cr_expect_eq(hpa_replicas_utilization(&q, 30).replicas, 7);
    struct hpa_proposal p = hpa_replicas_utilization(&q, 60);
    cr_expect_eq(p.replicas, 4, "83 %% of the target is the other direction");
    cr_expect(p.guarded);
}

Test(hpa_replicas, a_move_against_the_filled_ratio_is_not_made)
{
    struct scaler_pod pods[10];
    struct hpa_question q = question(pods, 6, 2, thousand);
    struct scaler_sample s[] = {
        {0, 900, 0, 60 * S}, {1, 900, 0, 60 * S}, {2, 900, 0, 60 * S}, {3, 900, 0, 60 * S}};
    q.samples = s, q.n_samples = 4;
    q.current = 9; /* a rollout: 9 asked for, 6 there; 3600/6000 = 60 %, / 50 x 6 = 8 < 9 */
    struct hpa_proposal p = hpa_replicas_utilization(&q, 50);
    cr_expect_eq(p.replicas, 9);
    cr_expect(p.guarded);
    q.current = 6;
    cr_expect_eq(hpa_replicas_utilization(&q, 50).replicas, 8);
}

Test(hpa_replicas, utilization_names_what_is_missing)
{
    struct scaler_pod pods[10];
    struct hpa_question q = question(pods, 2, 0, thousand);
    struct scaler_sample s[] = {{0, 900, 0, 60 * S}, {SCALER_NO_POD, 900, 0, 60 * S}};
    cr_expect_eq(hpa_replicas_utilization(&q, 50).fault, HPA_FAULT_NO_SAMPLES);
    q.samples = s + 1, q.n_samples = 1;
    cr_expect_eq(hpa_replicas_utilization(&q, 50).fault, HPA_FAULT_NO_MATCHING);
    q.samples = s;
    pods[0].deleting = true;
    cr_expect_eq(hpa_replicas_utilization(&q, 50).fault, HPA_FAULT_NO_USABLE);
    pods[0].deleting = false;
    q.requests = (int64_t[]){1000, -1};
    cr_expect_eq(hpa_replicas_utilization(&q, 50).fault, HPA_FAULT_MISSING_REQUEST);
    q.requests = (int64_t[]){0, 0};
    cr_expect_eq(hpa_replicas_utilization(&q, 50).fault, HPA_FAULT_NO_MATCHING);
    q.n_pods = 0;
    cr_expect_eq(hpa_replicas_utilization(&q, 50).fault, HPA_FAULT_NO_PODS);
    cr_expect_str_eq(hpa_replicas_fault_name(HPA_FAULT_NO_USABLE), "no_usable_samples");
}

Test(hpa_replicas, a_pods_metric_rounds_the_mean_down)
{
    struct scaler_pod pods[10];
    struct hpa_question q = question(pods, 3, 0, NULL);
    struct scaler_sample s[] = {{0, 20000, 0, 0}, {1, 21000, 0, 0}, {2, 21000, 0, 0}};
    q.samples = s, q.n_samples = 3;
    struct hpa_proposal p = hpa_replicas_pods(&q, 20000);
    cr_expect_eq(p.usage_milli, 20666);
    cr_expect(p.inside);
    q.tolerance.up = 0.01;
    cr_expect_eq(hpa_replicas_pods(&q, 20000).replicas, 4);
}

Test(hpa_replicas, a_mean_without_samples_is_the_same_as_equal_samples)
{
    for (int32_t ready = 1; ready <= 8; ready++)
        for (int64_t mean = 0; mean <= 40000; mean += 700) {
            struct scaler_pod pods[10];
            struct scaler_sample s[10];
            struct hpa_question q = question(pods, 8, (size_t)(8 - ready), NULL);
            q.samples = s, q.n_samples = (size_t)ready;
            for (int32_t i = 0; i < ready; i++)
                s[i] = (struct scaler_sample){(uint32_t)i, mean, 0, 0};
            struct scaler_view v = {
                .spec_replicas = 8, .status_replicas = 8, .ready_replicas = ready};
            cr_expect_eq(hpa_replicas_mean(mean, 10000, &v, &band).replicas,
                         hpa_replicas_pods(&q, 10000).replicas);
        }
}

Test(hpa_replicas, huge_figures_saturate_and_do_not_wrap)
{
    struct scaler_pod pods[10];
    static const int64_t tiny[3] = {1, 1, 1};
    struct hpa_question q = question(pods, 3, 1, tiny);
    struct scaler_sample s[] = {{0, INT64_MAX, 0, 0}, {1, INT64_MAX, 0, 0}};
    q.samples = s, q.n_samples = 2, q.readiness = memory;
    cr_expect_eq(hpa_replicas_utilization(&q, 1).replicas, INT32_MAX);
    cr_expect_eq(hpa_replicas_pods(&q, 1).replicas, INT32_MAX);
}
