/* test_bench_limits: what --max-duration leaves out is said; no time is judged. */
#include "scenarios/cli/bench_setup.h"
#include "sim/json.h"
#include "tests/program.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define TINY "--model bert_tiny --sequence 8 --backend cpu --min-duration 1us --max-duration 1us "

Test(bench_limits, batches_for_which_there_is_no_time_are_left_out_and_told)
{
    cr_assert_eq(sluice("bench network --no-store --batches 1,2,4 " TINY), 0, "%s", said);
    cr_expect(strstr(said, "batch 1 "), "%s", said);
    cr_expect(strstr(said, "batch 2     left out: --max-duration was up"), "%s", said);
    cr_expect(strstr(said, "batch 4     left out: --max-duration was up"), "%s", said);
    cr_expect(strstr(said, "peak: not measured; --max-duration leaves no time"), "%s", said);
    cr_expect_not(strstr(said, "of the peak"), "%s", said);
    cr_assert_eq(sluice("bench network --no-store --batches 1,2,4 --format json " TINY), 0);
    cr_expect(strstr(said, "\"leftOut\""), "%s", said);
}

Test(bench_limits, a_chart_says_which_steps_it_lacks)
{
    struct temp_file chart = temp_text("");
    char arguments[300];
    snprintf(arguments, sizeof arguments, "bench network --no-store --chart %s.svg " TINY,
             chart.path);
    cr_assert_eq(sluice(arguments), 0, "%s", said);
    cr_expect(strstr(said, "kind(s) of steps left out: --max-duration was up"), "%s", said);
    cr_expect(strstr(said, "The roof is the most that a step reached"), "%s", said);
    snprintf(arguments, sizeof arguments, "%s.svg", chart.path);
    remove(arguments);
    temp_drop(&chart);
}

Test(bench_limits, a_calibration_needs_time_for_two_batches)
{
    cr_assert_eq(sluice("calibrate --date 2026-05-31 --batches 1,2 " TINY), 2, "%s", said);
    cr_expect(strstr(said, "--max-duration: 1us is enough for batch 1 alone; a fit needs two"),
              "%s", said);
}

Test(bench_limits, batches_share_the_time_and_a_batch_that_cannot_end_is_not_begun)
{
    cr_expect_eq(bench_setup_share((double)INFINITY, 3), 0, "no limit");
    cr_expect_float_eq(bench_setup_share(12, 3), 4, 1e-12);
    cr_expect(bench_setup_share(-1, 3) > 0, "0 would be no limit");
    cr_expect(bench_setup_fits(10, 8, 4, 1.6), "three passes of 3.2 s");
    cr_expect_not(bench_setup_fits(9, 8, 4, 1.6));
    cr_expect(bench_setup_fits((double)INFINITY, 8, 4, 1.6));
}

/* Gaps between batches: the same network, the same fit, and the profile says how it was measured.
 */
Test(bench_limits, a_calibration_may_have_the_arrivals_of_a_server)
{
    static const char *const loads[] = {"0", "-1", "1", "half"};
    cr_assert_eq(sluice("calibrate --date 2026-05-31 --batches 1,2 --model bert_tiny --sequence 8 "
                        "--backend cpu --min-duration 10ms --load 0.25"),
                 0, "%s", said);
    cr_expect(strstr(said, "sluice calibrate --load 0.25: batches arrived as at a server"), "%s",
              said);
    for (int i = 0; i < 4; i++) {
        char line[200];
        snprintf(line, sizeof line, "calibrate --date 2026-05-31 --model bert_tiny --load %s",
                 loads[i]);
        cr_expect_eq(sluice(line), 2, "%s", said);
        cr_expect(strstr(said, "is no share above 0 and up to 0.95"), "%s", said);
    }
}
