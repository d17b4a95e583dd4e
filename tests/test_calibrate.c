/* test_calibrate: profiles from measured times, by the real program and the reader of scenarios. */
#include "scenarios/run/calibration.h"
#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int calibrate(const char *csv, const char *more, const char *out)
{
    char line[512];
    snprintf(line, sizeof line, "%s calibrate --from %s %s > %s 2>&1", SLUICE_BINARY, csv, more,
             out);
    return WEXITSTATUS(system(line));
}

Test(calibrate, writes_a_profile_that_scenarios_can_name)
{
    char dir[] = "/tmp/sluice_calibrate_XXXXXX", out[64];
    cr_assert(mkdtemp(dir));
    snprintf(out, sizeof out, "%s/own.json", dir);
    struct temp_file csv = temp_text("batch,seconds,cv\n1,0.005,0.1\n2,0.007,0.1\n4,0.011,0.1\n");
    cr_assert_eq(calibrate(csv.path, "--gpu P4 --model mine --date 2026-05-31", out), 0);
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct calibration c;
    cr_assert_eq(calibration_load(&c, a, dir, &e), 0, "%s", e.msg);
    const struct profile *p = calibration_find(&c, "mine/P4/fp32", "here", &e);
    cr_assert(p, "%s", e.msg);
    cr_assert(llabs(p->t0 - 3000000) <= 1 && llabs(p->per_item - 2000000) <= 1);
    cr_assert_float_eq(p->cv, 0.1, 1e-9);
    cr_assert_eq(profile_time_ns(p, 4), 11000000);
    cr_assert_eq(profile_max_batch(p), 4);
    cr_assert_eq(p->quality, QUALITY_MEASURED);
    cr_assert_str_eq(p->date, "2026-05-31");
    arena_destroy(a);
    remove(out);
    remove(dir);
    temp_drop(&csv);
}

Test(calibrate, bad_times_and_a_missing_date_are_the_users_mistake)
{
    static const char *const bad[] = {"1,0.005\n1,0.006\n", "1,0.005\n2,-1\n", "1\n2\n",
                                      "1.5,0.1\n2,0.2\n",   "1,0.005\n",       "1,x\n2,0.1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct temp_file csv = temp_text(bad[i]);
        cr_assert_eq(calibrate(csv.path, "--date 2026-05-31", "/dev/null"), 2, "%s", bad[i]);
        temp_drop(&csv);
    }
    struct temp_file csv = temp_text("1,0.1\n2,0.2\n");
    cr_assert_eq(calibrate(csv.path, "", "/dev/null"), 2);
    temp_drop(&csv);
}
