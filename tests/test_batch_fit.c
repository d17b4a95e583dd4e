/* test_batch_fit: the law of batch times. */
#include "kernels/batch_fit.h"

#include <criterion/criterion.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

Test(batch_fit, finds_the_line_that_points_lie_on)
{
    struct batch_point p[5];
    struct batch_fit f;
    struct err e = {0};
    double off[5];
    for (int i = 0; i < 5; i++)
        p[i] = (struct batch_point){.batch = 1 << i, .time_s = 0.003 + 0.002 * (1 << i)};
    cr_assert_eq(batch_fit(p, 5, &f, off, &e), 0);
    cr_assert_float_eq(f.t0_s, 0.003, 1e-12);
    cr_assert_float_eq(f.per_item_s, 0.002, 1e-12);
    cr_assert(f.t0_half_s < 1e-9 && f.residual < 1e-9 && off[4] < 1e-9);
}

Test(batch_fit, gives_the_published_laws)
{
    /* FasterTransformer's BERT-base guide, V100 FP32: 2.90, 15.51 and 57.85 ms at batches 1, 8, 32;
     * relative least squares gives 1.12 + 1.784 b, within 1 % */
    static const struct batch_point v100[] = {{.batch = 1, .time_s = 2.90e-3},
                                              {.batch = 8, .time_s = 15.51e-3},
                                              {.batch = 32, .time_s = 57.85e-3}};
    struct batch_fit f;
    struct err e = {0};
    cr_assert_eq(batch_fit(v100, ROWS(v100), &f, NULL, &e), 0);
    cr_assert_float_eq(f.t0_s, 1.12e-3, 0.005e-3);
    cr_assert_float_eq(f.per_item_s, 1.784e-3, 0.0005e-3);
    cr_assert(f.residual < 0.015);
    cr_assert(f.per_item_half_s > 0 && f.per_item_half_s < f.per_item_s);
}

Test(batch_fit, no_part_is_negative)
{
    static const struct batch_point steep[] = {{.batch = 1, .time_s = 1},
                                               {.batch = 4, .time_s = 8}};
    static const struct batch_point falling[] = {{.batch = 1, .time_s = 2},
                                                 {.batch = 4, .time_s = 1}};
    struct batch_fit f;
    struct err e = {0};
    cr_assert_eq(batch_fit(steep, 2, &f, NULL, &e), 0);
    cr_assert(f.t0_s == 0 && f.per_item_s > 1 && f.per_item_s < 2);
    cr_assert_eq(batch_fit(falling, 2, &f, NULL, &e), 0);
    cr_assert(f.per_item_s == 0 && f.t0_s > 1 && f.t0_s < 2);
}

Test(batch_fit, what_cannot_be_fitted_is_refused)
{
    static const struct batch_point one[] = {{.batch = 1, .time_s = 1}};
    static const struct batch_point same[] = {{.batch = 2, .time_s = 1}, {.batch = 2, .time_s = 2}};
    static const struct batch_point zero[] = {{.batch = 1, .time_s = 1}, {.batch = 2, .time_s = 0}};
    struct batch_fit f;
    struct err e = {0};
    cr_assert_eq(batch_fit(one, 1, &f, NULL, &e), -1);
    cr_assert_str_eq(e.msg, "a fit needs 2 to 1024 batches; there are 1");
    e = (struct err){0};
    cr_assert_eq(batch_fit(same, 2, &f, NULL, &e), -1);
    cr_assert(strstr(e.msg, "two different batches"));
    e = (struct err){0};
    cr_assert_eq(batch_fit(zero, 2, &f, NULL, &e), -1);
    cr_assert_eq(e.code, ERR_INPUT);
}

Test(batch_fit, foretells_held_out_points_by_the_others)
{
    /* the line 3 + 2 b through batches 1, 2, 4; the held out 8 takes 20 instead of 19 */
    static const struct batch_point p[] = {{.batch = 1, .time_s = 5},
                                           {.batch = 2, .time_s = 7},
                                           {.batch = 4, .time_s = 11},
                                           {.batch = 8, .time_s = 20}};
    static const bool held[] = {false, false, false, true};
    struct batch_trust t;
    struct err e = {0};
    cr_assert_eq(batch_fit_trust(p, held, 4, &t, &e), 0);
    cr_expect_eq(t.points, 1);
    cr_expect_float_eq(t.mape, 0.05, 1e-9);
    cr_expect_float_eq(t.worst, 0.05, 1e-9);
    cr_expect_eq(t.worst_batch, 8);
}

Test(batch_fit, leaves_each_point_out_in_turn_when_none_is_held_out)
{
    static const struct batch_point line[] = {
        {.batch = 1, .time_s = 5}, {.batch = 2, .time_s = 7}, {.batch = 4, .time_s = 11}};
    static const struct batch_point bent[] = {
        {.batch = 1, .time_s = 5}, {.batch = 2, .time_s = 7}, {.batch = 4, .time_s = 22}};
    static const bool none[3] = {false};
    struct batch_trust t;
    struct err e = {0};
    cr_assert_eq(batch_fit_trust(line, none, 3, &t, &e), 0);
    cr_expect(t.points == 3 && t.worst < 1e-9);
    cr_assert_eq(batch_fit_trust(bent, none, 3, &t, &e), 0);
    cr_expect_eq(t.worst_batch, 4, "3 + 2 b through 1 and 2 says 11, not 22");
    cr_expect_float_eq(t.worst, 0.5, 1e-9);
    cr_assert_eq(batch_fit_trust(line, none, 2, &t, &e), 0);
    cr_expect_eq(t.points, 0);
}

Test(batch_fit, holding_out_too_many_is_refused)
{
    static const struct batch_point p[] = {{.batch = 1, .time_s = 5}, {.batch = 2, .time_s = 7}};
    static const bool held[] = {false, true};
    struct batch_trust t;
    struct err e = {0};
    cr_expect_eq(batch_fit_trust(p, held, 2, &t, &e), -1);
    cr_expect_eq(e.code, ERR_INPUT);
}

/* t(2) below t(1): by more than the scatter of both, or not. */
Test(batch_fit, times_that_fall_by_more_than_their_noise_are_found)
{
    static const struct {
        struct batch_point p[3];
        size_t n;
        const char *why;
    } rows[] = {
        {{{1, 2.0, 0, 0}, {2, 1.0, 0, 0}, {4, 3.0, 0, 0}}, 1, "nothing is known of the noise"},
        {{{1, 1.0, 0, 0}, {2, 0.99, 0, 0}, {4, 3.0, 0, 0}}, 0, "a hundredth may be chance"},
        {{{1, 1.0, 0.1, 0}, {2, 0.8, 0.1, 0}, {4, 3.0, 0, 0}}, 0, "a cv of 0.1 allows 0.26"},
        {{{1, 1.0, 0.1, 100}, {2, 0.8, 0.1, 100}, {4, 3.0, 0, 0}}, 1, "a hundred samples do not"},
        {{{1, 3.0, 0, 0}, {2, 2.0, 0, 0}, {4, 1.0, 0, 0}}, 2, "both"},
        {{{1, 1.0, 0, 0}, {2, 2.0, 0, 0}, {4, 1.5, 0, 0}}, 1, "the last"},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        size_t falls[3];
        cr_expect_eq(batch_fit_falls(rows[i].p, 3, falls), rows[i].n, "%s", rows[i].why);
        if (rows[i].n > 0)
            cr_expect_eq(falls[0], i == 5 ? 2 : 1);
    }
}

Test(batch_fit, a_part_that_was_held_is_told_as_it_came_out)
{
    static const struct batch_point steep[] = {{.batch = 1, .time_s = 1},
                                               {.batch = 4, .time_s = 8}};
    static const struct batch_point falling[] = {{.batch = 1, .time_s = 2},
                                                 {.batch = 4, .time_s = 1}};
    struct batch_fit f;
    struct err e = {0};
    cr_assert_eq(batch_fit(steep, 2, &f, NULL, &e), 0);
    cr_expect_float_eq(f.free_t0_s, -4.0 / 3, 1e-9);
    cr_expect_float_eq(f.free_per_item_s, 7.0 / 3, 1e-9);
    cr_assert_eq(batch_fit(falling, 2, &f, NULL, &e), 0);
    cr_expect_float_eq(f.free_t0_s, 7.0 / 3, 1e-9);
    cr_expect_float_eq(f.free_per_item_s, -1.0 / 3, 1e-9);
}
