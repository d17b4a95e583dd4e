/* test_theory: whole scenarios against queueing formulas. */
#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#define T_29 2.045 /* two-sided 95 % point of Student's t with 29 degrees of freedom */

/* The mean over 30 replications of a million requests lies within three standard errors of the
 * formula, and the standard error is below 1 %. */
static void check(const char *name, double theory_s)
{
    struct err e = {0};
    char path[512];
    snprintf(path, sizeof path, SLUICE_SOURCE_DIR "/scenarios/theory/%s.json", name);
    struct scenario_source source = {.path = path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    struct run_options options = {.command = "test"};
    struct run *run = run_scenario(s, &options, &e);
    cr_assert(run, "%s: %s", e.where, e.msg);
    const struct figure *mean = result_figure(run_result(run), "latency.mean");
    cr_assert(mean && mean->has_interval);
    double error = (mean->high - mean->low) / 2 / T_29;
    cr_assert_geq(result_value(run_result(run), "requests.arrived", 0), 30e6);
    cr_assert_lt(error / theory_s, 0.01);
    cr_assert_lt(fabs(mean->value - theory_s), 3 * error, "%s: %.6f s, theory %.6f, error %.6f",
                 name, mean->value, theory_s, error);
    run_destroy(run);
    scenario_free(s);
}

Test(theory, mm1_is_s_over_one_minus_rho)
{
    check("mm1", 0.1 / (1 - 0.9));
}

Test(theory, mm8_follows_erlang_c)
{
    double a = 6.4, term = 1, sum = 0;
    for (int k = 0; k < 8; k++) {
        sum += term;
        term *= a / (k + 1);
    }
    double waits = term / (1 - 0.8);
    double c = waits / (sum + waits);
    check("mm8", 0.1 * (1 + c / (8 * (1 - 0.8))));
}

Test(theory, md1_follows_pollaczek_khinchine)
{
    check("md1", 0.1 * (1 + 0.9 / (2 * (1 - 0.9))));
}

Test(theory, mm1_processor_sharing_has_the_mean_of_fifo)
{
    check("mm1-ps", 0.1 / (1 - 0.9));
}
