/* test_calibration: profiles of one name are told apart by their keys. */
#include "models/serving/profile.h"
#include "scenarios/run/calibration.h"
#include "sim/arena.h"
#include "sim/err.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROFILE(driver, sequence, t0)                                                              \
    "{\"name\": \"x/P4/fp32\", \"model\": \"x\", \"gpu\": \"P4\", \"framework\": \"f\", "          \
    "\"precision\": \"fp32\", \"device\": \"Tesla P4\", \"driver\": \"" driver                     \
    "\", \"sequence\": " sequence ", \"t0\": \"" t0 "\", \"perItem\": \"1ms\", "                   \
    "\"quality\": \"measured\", \"source\": \"s\", \"date\": \"2026-11-30\"}"

static char dir[] = "/tmp/sluice_calibration_XXXXXX";

static void put(const char *name, const char *profiles)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fprintf(f, "{\"calibration\": 1, \"profiles\": [%s]}", profiles) > 0);
    cr_assert_eq(fclose(f), 0);
}

static void clear(void)
{
    char path[64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, i ? "b.json" : "a.json");
        unlink(path);
    }
    rmdir(dir);
}

static const struct profile_key any = {.sequence = -1};

/* The profile, or NULL with e. */
static const struct profile *find(const struct profile_key *key, struct err *e)
{
    struct arena *a = arena_create(e); /* lives until the test's process ends */
    struct calibration c;
    *e = (struct err){0};
    if (calibration_load(&c, a, dir, e))
        return NULL;
    return calibration_find(&c, &(struct calibration_reference){"x/P4/fp32", "here", *key}, e);
}

Test(calibration, two_files_with_one_name_are_refused_with_both_keys_or_told_apart)
{
    struct err e;
    cr_assert(mkdtemp(dir));
    put("a.json", PROFILE("450.1", "0", "1ms"));
    put("b.json", PROFILE("525.6", "0", "2ms"));
    cr_expect_null(find(&any, &e));
    cr_expect_eq(e.code, ERR_INPUT);
    cr_expect(strstr(e.msg, "(a.json) device Tesla P4; driver 450.1; framework f") &&
                  strstr(e.msg, "(b.json) device Tesla P4; driver 525.6; framework f"),
              "%s", e.msg);
    struct profile_key key = any;
    key.driver = "525.6";
    const struct profile *p = find(&key, &e);
    cr_assert(p, "%s", e.msg);
    cr_expect_eq(p->t0, 2000000);
    key.driver = "450.1";
    p = find(&key, &e);
    cr_assert(p, "%s", e.msg);
    cr_expect_eq(p->t0, 1000000);
    key.driver = "470";
    cr_expect_null(find(&key, &e));
    cr_expect(strstr(e.msg, "not of the key that is asked for: (a.json)"), "%s", e.msg);
    clear();
}

Test(calibration, one_file_may_hold_a_name_twice_if_the_keys_differ)
{
    struct err e;
    cr_assert(mkdtemp(dir));
    put("a.json", PROFILE("450.1", "128", "1ms") "," PROFILE("450.1", "64", "2ms"));
    struct profile_key key = any;
    key.sequence = 64;
    const struct profile *p = find(&key, &e);
    cr_assert(p, "%s", e.msg);
    cr_expect_eq(p->t0, 2000000);
    put("a.json", PROFILE("450.1", "64", "1ms") "," PROFILE("450.1", "64", "2ms"));
    cr_expect_null(find(&key, &e));
    cr_expect(strstr(e.msg, "'x/P4/fp32' is the name of two profiles of one key: device Tesla P4; "
                            "driver 450.1; framework f; precision fp32; model x; sequence 64"),
              "%s", e.msg);
    clear();
}

/* Nothing can tell them apart: one of the files has to go. */
Test(calibration, one_key_in_two_files_is_refused_too)
{
    struct err e;
    cr_assert(mkdtemp(dir));
    put("a.json", PROFILE("450.1", "0", "1ms"));
    put("b.json", PROFILE("450.1", "0", "2ms"));
    struct profile_key key = any;
    key.driver = "450.1";
    cr_expect_null(find(&key, &e));
    cr_expect(strstr(e.msg, "(a.json)") && strstr(e.msg, "(b.json)"), "%s", e.msg);
    clear();
}

Test(calibration, each_part_of_the_key_counts)
{
    static const struct profile base = {.device = "d",
                                        .clocks = "c",
                                        .driver = "v",
                                        .framework = "f",
                                        .precision = "fp32",
                                        .model = "m",
                                        .sequence = 8};
    const char *const *parts[] = {&base.device,    &base.clocks,    &base.driver,
                                  &base.framework, &base.precision, &base.model};
    cr_expect(profile_same_key(&base, &base) && profile_fits(&base, &any));
    for (int i = 0; i < 7; i++) {
        struct profile other = base;
        if (i < 6)
            *(const char **)((char *)&other + ((const char *)parts[i] - (const char *)&base)) = "";
        else
            other.sequence = 9;
        cr_expect_not(profile_same_key(&base, &other), "%d", i);
        cr_expect_not(profile_same_key(&other, &base), "%d", i);
    }
}
