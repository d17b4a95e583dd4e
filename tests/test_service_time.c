/* test_service_time: profiles that a scenario names, and what is said of them. */
#include "models/serving/profile.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

#define REFERENCE "services.one.serving.serviceTime.P4."

static const char *assumption(const struct fixture_scenario *p, const char *path)
{
    for (size_t i = 0; i < p->r->n_assumptions; i++)
        if (strcmp(p->r->assumptions[i].path, path) == 0)
            return p->r->assumptions[i].value;
    return NULL;
}

Test(service_time, comes_from_a_file_beside_the_scenario)
{
    struct fixture_scenario p = PLAY("own-profile", NULL);
    /* batch 4 at 400 items a second is 10 ms; the spread's own mean is 0.9 x 0.75 + 0.1 x 2.25 =
     * 0.9, so its median lies at 10 x 0.778 / 0.9 ms; a request waits in one of a hundred cases */
    cr_expect_float_eq(fixture_value(&p, "latency.mean"), 0.0101, 0.0004);
    cr_expect_float_eq(fixture_value(&p, "latency.p50"), 0.00864, 0.00015);
    cr_expect(fixture_value(&p, "latency.p99") > 0.025, "as far as the measured tail reaches");
    const char *said = assumption(&p, "services[0].serving.serviceTime.P4");
    cr_assert(said);
    cr_expect_str_eq(said,
                     "mine/P4/fp32: 10 ms at batch 4; its line foretold other batches 3 % "
                     "off, at worst 5 % (batch 3); of device P4; clocks locked at 1114 MHz; driver "
                     "450; framework test; precision fp32; model mine");
    cr_expect_not(fixture_finding(&p, "service-time-extrapolated"));
    fixture_stop(&p);
}

Test(service_time, beyond_the_measured_batches_is_called_an_extrapolation)
{
    static const char *const batches[] = {REFERENCE "batch=1", REFERENCE "batch=16"};
    for (int i = 0; i < 2; i++) {
        struct fixture_scenario p = PLAY("own-profile", batches[i]);
        const char *said = fixture_finding(&p, "service-time-extrapolated");
        cr_assert(said, "%s", batches[i]);
        cr_expect(strstr(said, "was measured for batches of 2 to 4"), "%s", said);
        cr_expect_float_eq(fixture_value(&p, "latency.mean"), i ? 0.0355 : 0.00502,
                           i ? 0.001 : 0.0002);
        fixture_stop(&p);
    }
}

/* Each part of the key that is right leaves the profile found. */
Test(service_time, a_reference_may_say_more_of_the_profile_that_it_means)
{
    static const char *const parts[] = {
        REFERENCE "device=P4",  REFERENCE "framework=test", REFERENCE "precision=fp32",
        REFERENCE "model=mine", REFERENCE "sequence=0",     REFERENCE "clocks=locked at 1114 MHz",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct fixture_scenario p = PLAY("own-profile", parts[i]);
        cr_expect(assumption(&p, "services[0].serving.serviceTime.P4"), "%s", parts[i]);
        fixture_stop(&p);
    }
}

Test(service_time, of_a_line_alone_says_so)
{
    struct fixture_scenario p = PLAY("own-profile", REFERENCE "calibration=line/P4/fp32");
    cr_expect(fixture_finding(&p, "service-time-from-a-fit"));
    fixture_stop(&p);
}

Test(service_time, of_a_profile_without_a_spread_is_lognormal_or_constant)
{
    struct profile p = {.t0 = 1000, .per_item = 500, .cv = 0.2};
    cr_expect_eq(profile_dist(&p, 2).kind, DIST_LOGNORMAL);
    cr_expect_eq(profile_dist(&p, 2).mean, 2000);
    p.cv = 0;
    cr_expect_eq(profile_dist(&p, 2).kind, DIST_CONSTANT);
}
