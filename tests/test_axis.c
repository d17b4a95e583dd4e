/* test_axis: ticks at round numbers and round local times. */
#include "reports/axis.h"
#include "sim/zone.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *labels(const struct axis *a)
{
    static char all[2048];
    all[0] = '\0';
    for (size_t i = 0; i < a->n; i++) {
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s%s%s", i ? " " : "", a->tick[i].label,
                 *a->tick[i].below ? "/" : "", a->tick[i].below);
    }
    return all;
}

Test(axis, takes_round_steps)
{
    static const struct {
        double high;
        size_t most;
        bool whole;
        const char *want;
    } rows[] = {
        {95, 5, false, "0 20 40 60 80 100"},
        {10, 5, true, "0 2 4 6 8 10"},
        {1, 5, true, "0 1"},
        {1, 5, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {0.013, 4, false, "0.000 0.005 0.010 0.015"},
        {44402, 5, false, "0 10k 20k 30k 40k 50k"},
        {9999, 5, false, "0 2k 4k 6k 8k 10k"},
        {100, 5, false, "0 20 40 60 80 100"},
        {2.5e7, 4, false, "0 10M 20M 30M"},
        {0, 5, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {(double)NAN, 2, false, "0.0 0.5 1.0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct axis a;
        axis_linear(&a, rows[i].high, rows[i].most, rows[i].whole);
        cr_assert_str_eq(labels(&a), rows[i].want, "row %zu: %s", i, labels(&a));
        cr_assert(a.n - 1 <= rows[i].most && !(a.high < rows[i].high));
    }
}

Test(axis, always_holds_what_it_must_show)
{
    for (double high = 1e-9; high < 1e12; high *= 1.37) {
        struct axis a;
        axis_linear(&a, high, 5, false);
        cr_assert(a.high >= high * (1 - 1e-9) && a.high <= high * 2.6 && a.n >= 2 && a.n <= 6);
        axis_log(&a, high / 700, high);
        cr_assert(a.low <= high / 700 * 1.0001 && a.high >= high * 0.9999, "%g", high);
        cr_assert(a.n >= 3);
        axis_seconds(&a, high, 6);
        cr_assert(a.high >= high * (1 - 1e-9) && a.n >= 2 && a.n <= 7);
    }
}

Test(axis, writes_latencies_and_durations)
{
    struct axis a;
    axis_log(&a, 0.012, 55);
    axis_label_latency(&a);
    cr_assert_str_eq(labels(&a), "10 ms 100 ms 1 s 10 s 100 s");
    axis_log(&a, 0.0061, 3.1);
    axis_label_latency(&a);
    cr_assert_str_eq(labels(&a), "5 ms 10 ms 100 ms 1 s 5 s");
    axis_linear(&a, 0.18, 5, false);
    axis_label_latency(&a);
    cr_assert_str_eq(labels(&a), "0 50 ms 100 ms 150 ms 200 ms");
    axis_seconds(&a, 256, 9);
    cr_assert_str_eq(labels(&a), "0 30 s 1 m 1.5 m 2 m 2.5 m 3 m 3.5 m 4 m 4.5 m");
    axis_seconds(&a, 20000, 4);
    cr_assert_str_eq(labels(&a), "0 2 h 4 h 6 h");
}

static const char *local(const char *zone_name, int64_t epoch_s, sim_ns horizon, size_t most)
{
    struct err e = {0};
    struct zone *z = zone_load(zone_name, &e);
    struct axis a;
    axis_local_time(&a, &(struct axis_time){horizon, epoch_s, z, most});
    zone_free(z);
    for (size_t i = 0; i < a.n; i++)
        cr_assert(a.tick[i].at >= 0 && a.tick[i].at <= (double)horizon &&
                  (i == 0 || a.tick[i].at > a.tick[i - 1].at));
    cr_assert(a.n <= most + 1, "%zu ticks", a.n);
    return labels(&a);
}

Test(axis, stands_at_local_round_times)
{
    /* 1625414400 is Monday 2021-07-05 00:00 in Shanghai. */
    cr_assert_str_eq(local("Asia/Shanghai", 1625414400, SIM_DAY, 6),
                     "00:00/Mon 5 Jul 06:00 12:00 18:00 00:00/Tue 6 Jul");
    cr_assert_str_eq(local("UTC", 1625414400, SIM_DAY, 6),
                     "18:00/Sun 4 Jul 00:00/Mon 5 Jul 06:00 12:00");
    cr_assert_str_eq(local("Asia/Shanghai", 1625414400, 7 * SIM_DAY, 8),
                     "5 Jul/Mon 6 Jul/Tue 7 Jul/Wed 8 Jul/Thu 9 Jul/Fri 10 Jul/Sat 11 Jul/Sun "
                     "12 Jul/Mon");
    cr_assert_str_eq(local("Asia/Shanghai", 1625414400, 28 * SIM_DAY, 5),
                     "5 Jul/2021 12 Jul 19 Jul 26 Jul 2 Aug");
    cr_assert_str_eq(local("Asia/Shanghai", 1625414400, 365 * SIM_DAY, 5),
                     "Oct/2021 Jan/2022 Apr Jul");
    cr_assert_str_eq(local("Asia/Shanghai", 1625414407, 10 * SIM_SECOND, 5),
                     "00:00:08/Mon 5 Jul 00:00:10 00:00:12 00:00:14 00:00:16");
    cr_assert_str_eq(local("Asia/Shanghai", 1625414400 + 86000, 20 * SIM_MINUTE, 5),
                     "23:55/Mon 5 Jul 00:00/Tue 6 Jul 00:05 00:10");
}

Test(axis, follows_a_clock_change)
{
    /* Berlin, 2021-03-28: 2:00 does not exist. */
    cr_assert_str_eq(local("Europe/Berlin", 1616886000, 6 * SIM_HOUR, 7),
                     "00:00/Sun 28 Mar 01:00 03:00 04:00 05:00 06:00 07:00");
}

Test(axis, copes_with_any_horizon)
{
    for (double ns = 1; ns < 4e18; ns *= 3.3)
        local("Europe/Berlin", 1625414400, (sim_ns)ns, 9);
}

Test(axis, places_values)
{
    struct axis a;
    axis_linear(&a, 100, 5, false);
    cr_assert_float_eq(axis_place(&a, 25), 0.25, 1e-12);
    cr_assert_eq(axis_place(&a, -5), 0);
    cr_assert_eq(axis_place(&a, 105), 1);
    axis_log(&a, 0.01, 100);
    cr_assert_float_eq(axis_place(&a, 1), 0.5, 1e-12);
    cr_assert_eq(axis_place(&a, 0), 0);
}
