/* test_drill_effect: what the series say of a drill. */
#include "scenarios/run/drill_effect.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define BINS 30
#define STEP (SIM_HOUR / 6)

static double ready[BINS], want[BINS];

/* Four are wanted and ready all the time. */
static struct result made(void)
{
    static struct result_series series[2];
    series[0] = (struct result_series){.path = "replicas.ready",
                                       .step = STEP,
                                       .n = BINS,
                                       .mean = ready,
                                       .min = ready,
                                       .max = ready};
    series[1] = (struct result_series){
        .path = "replicas.want", .step = STEP, .n = BINS, .mean = want, .min = want, .max = want};
    for (int i = 0; i < BINS; i++)
        ready[i] = want[i] = 4;
    return (struct result){.series = series, .n_series = 2};
}

static struct drill at(int bin)
{
    return (struct drill){.kind = DRILL_SPOT_LOSS, .at = bin * STEP};
}

Test(drill_effect, the_worst_shortage_and_the_way_back_are_told)
{
    struct result r = made();
    struct drill d = at(6);
    ready[6] = 2.5;
    ready[7] = 1;
    ready[8] = 3;
    struct drill_effect x = drill_effect_of(&r, "", &d);
    cr_expect(x.known && x.short_of && x.back);
    cr_expect_eq(x.ready, 1);
    cr_expect_eq(x.wanted, 4);
    cr_expect_eq(x.after, 3 * STEP);
    cr_expect_eq(x.bin, STEP);
}

Test(drill_effect, fewer_that_are_wanted_are_no_shortage)
{
    struct result r = made();
    struct drill d = at(6);
    for (int i = 6; i < BINS; i++)
        ready[i] = want[i] = 2;
    cr_expect_not(drill_effect_of(&r, "", &d).short_of);
}

Test(drill_effect, a_shortage_that_begins_much_later_has_another_cause)
{
    struct result r = made();
    struct drill d = at(6);
    ready[14] = 1;
    cr_expect_not(drill_effect_of(&r, "", &d).short_of);
    d.kind = DRILL_STOCK_OUT;
    d.lasts = 2 * SIM_HOUR; /* but one within the drill is of it */
    cr_expect(drill_effect_of(&r, "", &d).short_of);
}

Test(drill_effect, one_that_never_ends_is_told_and_a_missing_series_is_not_known)
{
    struct result r = made();
    struct drill d = at(6);
    for (int i = 7; i < BINS; i++)
        ready[i] = 3;
    struct drill_effect x = drill_effect_of(&r, "", &d);
    cr_expect(x.short_of && !x.back && x.after == 0);
    cr_expect_not(drill_effect_of(&r, "services.other.", &d).known);
    ready[8] = NAN; /* nothing was known then */
    cr_expect(drill_effect_of(&r, "", &d).short_of);
}
