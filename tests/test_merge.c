/* test_merge: several replications as one. */
#include "sim/arena.h"
#include "sim/err.h"
#include "sim/merge.h"

#include <criterion/criterion.h>
#include <math.h>

static struct arena *arena;

static void arrange(void)
{
    struct err e = {0};
    arena = arena_create(&e);
    cr_assert_not_null(arena);
}

static void tidy(void)
{
    arena_destroy(arena);
}

TestSuite(merge, .init = arrange, .fini = tidy);

static struct result merged(const struct result *reps, size_t n, const char *by_path)
{
    const struct result *list[16];
    cr_assert_leq(n, 16);
    for (size_t i = 0; i < n; i++)
        list[i] = &reps[i];
    struct result out = {.arena = arena};
    struct err e = {0};
    cr_assert_eq(merge_results(&out, list, n, by_path, &e), 0, "%s", e.msg);
    return out;
}

Test(merge, each_kind_of_figure_is_merged_its_own_way)
{
    struct figure f[3][4] = {
        {{"cost.total", "CNY", FIGURE_MEAN, 10, false, 0, 0},
         {"requests.arrived", "requests", FIGURE_SUM, 100, false, 0, 0},
         {"latency.max", "s", FIGURE_MAX, 3, false, 0, 0},
         {"replicas.min", "replicas", FIGURE_MIN, 2, false, 0, 0}},
        {{"cost.total", "CNY", FIGURE_MEAN, 14, false, 0, 0},
         {"requests.arrived", "requests", FIGURE_SUM, 110, false, 0, 0},
         {"latency.max", "s", FIGURE_MAX, 9, false, 0, 0},
         {"replicas.min", "replicas", FIGURE_MIN, 1, false, 0, 0}},
        {{"cost.total", "CNY", FIGURE_MEAN, 12, false, 0, 0},
         {"requests.arrived", "requests", FIGURE_SUM, 120, false, 0, 0},
         {"latency.max", "s", FIGURE_MAX, 5, false, 0, 0},
         {"replicas.min", "replicas", FIGURE_MIN, 4, false, 0, 0}},
    };
    struct result reps[3];
    for (size_t i = 0; i < 3; i++)
        reps[i] = (struct result){.figures = f[i], .n_figures = 4, .seed = 7, .name = "s"};
    struct result out = merged(reps, 3, "cost.total");
    cr_assert_eq(out.n_figures, 4);
    cr_expect_eq(out.replications, 3);
    cr_expect_eq(out.shown_replication, 2, "12 lies between 10 and 14");
    cr_expect_str_eq(out.name, "s");
    const struct figure *cost = &out.figures[0], *arrived = &out.figures[1];
    cr_expect_eq(cost->value, 12);
    cr_expect(cost->has_interval);
    /* t of 2 degrees 4.302653, deviation 2, three values */
    cr_expect_float_eq(cost->high - 12, 4.302653 * 2 / sqrt(3), 1e-5);
    cr_expect_float_eq(12 - cost->low, 4.302653 * 2 / sqrt(3), 1e-5);
    cr_expect_eq(arrived->value, 330);
    cr_expect_str_eq(arrived->path, "requests.arrived");
    cr_expect_str_eq(arrived->unit, "requests");
    cr_expect_float_eq(arrived->low, 110 - 4.302653 * 10 / sqrt(3), 1e-4, "of one replication");
    cr_expect_eq(out.figures[2].value, 9);
    cr_expect_not(out.figures[2].has_interval);
    cr_expect_eq(out.figures[3].value, 1);
}

Test(merge, figures_missing_somewhere_are_merged_over_those_that_have_them)
{
    struct figure a[] = {{.path = "x", .value = 1}, {.path = "y", .value = 10}};
    struct figure b[] = {{.path = "z", .value = 5}, {.path = "x", .value = 3}};
    struct figure c[] = {
        {.path = "y", .value = 20}, {.path = "new", .value = 8}, {.path = "z", .value = 7}};
    struct result reps[] = {{.figures = a, .n_figures = 2},
                            {.figures = b, .n_figures = 2},
                            {.figures = c, .n_figures = 3}};
    struct result out = merged(reps, 3, NULL);
    static const struct {
        const char *path;
        double value;
        bool interval;
    } want[] = {{"x", 2, true}, {"y", 15, true}, {"z", 6, true}, {"new", 8, false}};
    cr_assert_eq(out.n_figures, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(out.figures[i].path, want[i].path, "in the order first seen");
        cr_expect_eq(out.figures[i].value, want[i].value);
        cr_expect_eq(out.figures[i].has_interval, want[i].interval);
    }
    cr_expect_eq(out.shown_replication, 0);
}

static uint32_t shown(const double *cost, size_t n)
{
    struct figure f[8];
    struct result reps[8];
    for (size_t i = 0; i < n; i++) {
        f[i] = (struct figure){.path = "cost.total", .value = cost[i]};
        reps[i] = (struct result){.figures = &f[i], .n_figures = isnan(cost[i]) ? 0 : 1};
    }
    return merged(reps, n, "cost.total").shown_replication;
}

Test(merge, the_shown_replication_is_the_median_one)
{
    cr_expect_eq(shown((double[]){5}, 1), 0);
    cr_expect_eq(shown((double[]){9, 5}, 2), 1, "the lower of two");
    cr_expect_eq(shown((double[]){4, 1, 3, 2}, 4), 3);
    cr_expect_eq(shown((double[]){7, 7, 7, 7, 7}, 5), 2, "ties by number");
    cr_expect_eq(shown((double[]){1, 2, 2, 2, 0}, 5), 1);
    cr_expect_eq(shown((double[]){(double)NAN, 8, 3, 5}, 4), 3, "of those that have it");
    cr_expect_eq(shown((double[]){(double)NAN, (double)NAN}, 2), 0);
}

Test(merge, what_is_shown_comes_from_one_replication_and_digests_from_all)
{
    struct result_entry log[] = {{.at = 1, .subject = "hpa"}};
    struct result_bill bills[] = {{.resource = "elastic-1"}};
    struct figure cost[] = {
        {.path = "c", .value = 1}, {.path = "c", .value = 2}, {.path = "c", .value = 3}};
    struct result reps[3];
    for (size_t i = 0; i < 3; i++)
        reps[i] = (struct result){.figures = &cost[i],
                                  .n_figures = 1,
                                  .control_digest = 100 + i,
                                  .request_digest = 200 + i};
    reps[1].entries = log;
    reps[1].n_entries = 1;
    reps[1].entries_dropped = 6;
    reps[1].bills = bills;
    reps[1].n_bills = 1;
    reps[1].bills_dropped_micro = 44;
    struct result out = merged(reps, 3, "c");
    cr_expect_eq(out.entries, log);
    cr_expect_eq(out.entries_dropped, 6);
    cr_expect_eq(out.bills, bills);
    cr_expect_eq(out.bills_dropped_micro, 44);
    cr_expect_eq(out.arena, arena);
    reps[2].control_digest++;
    struct result other = merged(reps, 3, "c");
    cr_expect_neq(other.control_digest, out.control_digest);
    cr_expect_eq(other.request_digest, out.request_digest);
    reps[0].request_digest++;
    cr_expect_neq(merged(reps, 3, "c").request_digest, out.request_digest);
}

Test(merge, findings_of_the_shown_one_and_codes_that_only_others_tell_of)
{
    struct result_finding a[] = {
        {"note", "late", "in 0"}, {"note", "rare", "first"}, {"note", "rare", "second"}};
    struct result_finding b[] = {{"note", "late", "in 1"}, {"note", "late", "again in 1"}};
    struct result_finding c[] = {{"note", "rare", "third"}, {"error", "lost", "in 2"}};
    struct figure cost[] = {
        {.path = "c", .value = 1}, {.path = "c", .value = 2}, {.path = "c", .value = 3}};
    struct result reps[] = {
        {.figures = &cost[0], .n_figures = 1, .findings = a, .n_findings = 3},
        {.figures = &cost[1], .n_figures = 1, .findings = b, .n_findings = 2},
        {.figures = &cost[2], .n_figures = 1, .findings = c, .n_findings = 2},
    };
    struct result out = merged(reps, 3, "c");
    static const char *const want[] = {"In replication 1: in 1", "In replication 1: again in 1",
                                       "In replication 0: first", "In replication 0: second",
                                       "In replication 2: in 2"};
    cr_assert_eq(out.n_findings, 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect_str_eq(out.findings[i].text, want[i]);
}

Test(merge, one_replication_has_no_interval)
{
    struct figure f[] = {{.path = "x", .value = 4}};
    struct result one = {.figures = f, .n_figures = 1, .holds = true};
    struct result out = merged(&one, 1, "x");
    cr_expect_eq(out.figures[0].value, 4);
    cr_expect_not(out.figures[0].has_interval);
    cr_expect_eq(out.replications, 1);
    cr_expect(out.holds);
}

Test(merge, cuts_intervals_where_no_value_can_be)
{
    /* Two replications: the t interval is 6.35 times as wide as their distance on each side. */
    const double shares[] = {0.98, 1.0}, seconds[] = {0.001, 0.5};
    struct figure one[2], two[2];
    for (int i = 0; i < 2; i++) {
        struct figure *f = i ? two : one;
        f[0] = (struct figure){.path = "slo.heldShare", .unit = "1", .value = shares[i]};
        f[1] = (struct figure){.path = "latency.p999", .unit = "s", .value = seconds[i]};
    }
    struct result a = {.figures = one, .n_figures = 2}, b = {.figures = two, .n_figures = 2};
    const struct result *both[] = {&a, &b};
    struct err e = {0};
    struct result out = {.arena = arena_create(&e)};
    cr_assert_eq(merge_results(&out, both, 2, "latency.p999", &e), 0);
    const struct figure *share = result_figure(&out, "slo.heldShare");
    const struct figure *time = result_figure(&out, "latency.p999");
    cr_assert_float_eq(share->high, 1.0, 0);
    cr_assert_lt(share->low, 0.9);
    cr_assert_float_eq(time->low, 0.0, 0);
    cr_assert_gt(time->high, 3);
    arena_destroy(out.arena);
}
