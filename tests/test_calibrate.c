/* test_calibrate: profiles from measured times, by the real program and the reader of scenarios. */
#include "scenarios/cli/profile_draft.h"
#include "scenarios/run/calibration.h"
#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MINE "--gpu P4 --model mine --date 2026-05-31"
static const struct calibration_reference mine = {"mine/P4/fp32", "here", {.sequence = -1}};

/* The table and messages stay in `said`. */
static char said[4096];

static int calibrate(const char *csv, const char *more, const char *out)
{
    char line[1024], err[] = "/tmp/sluice_calibrate_said_XXXXXX";
    int fd = mkstemp(err);
    cr_assert(fd >= 0);
    snprintf(line, sizeof line, "%s calibrate --from %s %s > %s 2> %s", SLUICE_BINARY, csv, more,
             out, err);
    int rc = WEXITSTATUS(system(line));
    ssize_t n = read(fd, said, sizeof said - 1);
    said[n > 0 ? n : 0] = '\0';
    close(fd);
    remove(err);
    return rc;
}

Test(calibrate, writes_a_profile_that_scenarios_can_name)
{
    char dir[] = "/tmp/sluice_calibrate_XXXXXX", out[64];
    cr_assert(mkdtemp(dir));
    snprintf(out, sizeof out, "%s/own.json", dir);
    struct temp_file csv = temp_text("batch,seconds,cv\n1,0.005,0.1\n2,0.007,0.1\n4,0.011,0.1\n");
    cr_assert_eq(calibrate(csv.path, MINE, out), 0);
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct calibration c;
    cr_assert_eq(calibration_load(&c, a, dir, &e), 0, "%s", e.msg);
    const struct profile *p = calibration_find(&c, &mine, &e);
    cr_assert(p, "%s", e.msg);
    cr_assert(llabs(p->t0 - 3000000) <= 1 && llabs(p->per_item - 2000000) <= 1);
    cr_assert_float_eq(p->cv, 0.1, 1e-9);
    cr_assert_eq(profile_time_ns(p, 4), 11000000);
    cr_assert_eq(profile_max_batch(p), 4);
    cr_assert_eq(p->quality, QUALITY_MEASURED);
    cr_assert(p->mape < 1e-9 && p->worst_batch > 0);
    cr_assert(strstr(said, "mean error (MAPE) 0.0 %"), "%s", said);
    cr_assert_str_eq(p->date, "2026-05-31");
    arena_destroy(a);
    remove(out);
    remove(dir);
    temp_drop(&csv);
}

Test(calibrate, bad_times_and_a_missing_date_are_the_users_mistake)
{
    static const char *const bad[] = {"1,0.005\n1,0.006\n", "1,0.005\n2,-1\n",      "1\n2\n",
                                      "1.5,0.1\n2,0.2\n",   "1,1e-320\n2,1e-319\n", "1,0.005\n",
                                      "1,x\n2,0.1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct temp_file csv = temp_text(bad[i]);
        cr_assert_eq(calibrate(csv.path, MINE, "/dev/null"), 2, "%s", bad[i]);
        temp_drop(&csv);
    }
    static const char *const lacking[][2] = {{"", "--date is needed"},
                                             {"--date 2026-05-31 --model mine", "--gpu is needed"},
                                             {"--date 2026-05-31 --gpu P4", "give it by --model"}};
    struct temp_file csv = temp_text("1,0.1\n2,0.2\n");
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        cr_expect_eq(calibrate(csv.path, lacking[i][0], "/dev/null"), 2);
        cr_expect(strstr(said, lacking[i][1]), "%s", said);
    }
    temp_drop(&csv);
}

/* A row without a cv does not say 0, a file may name its model, and two points leave no interval.
 */
Test(calibrate, what_a_file_leaves_out_is_not_taken_as_zero)
{
    char dir[] = "/tmp/sluice_calibrate_XXXXXX", out[64];
    cr_assert(mkdtemp(dir));
    snprintf(out, sizeof out, "%s/own.json", dir);
    struct temp_file csv = temp_text("Model,Batch,Concurrency,Throughput (infer/sec)\n"
                                     "mine,1,1,100\nmine,2,1,125\n");
    cr_assert_eq(calibrate(csv.path, "--gpu P4 --date 2026-05-31", out), 0, "%s", said);
    cr_expect(strstr(said, "mine"), "%s", said);
    temp_drop(&csv);
    csv = temp_text("1,0.010,0.1\n2,0.016\n");
    cr_assert_eq(calibrate(csv.path, MINE, out), 0, "%s", said);
    cr_expect(strstr(said, "95 % intervals unknown: two batches leave none"), "%s", said);
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct calibration c;
    cr_assert_eq(calibration_load(&c, a, dir, &e), 0, "%s", e.msg);
    const struct profile *p = calibration_find(&c, &mine, &e);
    cr_assert(p, "%s", e.msg);
    cr_expect_float_eq(p->cv, 0.1, 1e-9);
    arena_destroy(a);
    remove(out);
    remove(dir);
    temp_drop(&csv);
}

Test(calibrate, held_out_batches_judge_the_fit_and_are_no_points)
{
    char dir[] = "/tmp/sluice_calibrate_XXXXXX", out[64];
    cr_assert(mkdtemp(dir));
    snprintf(out, sizeof out, "%s/own.json", dir);
    struct temp_file csv = temp_text("1,0.005\n2,0.007\n4,0.011\n8,0.020\n");
    cr_assert_eq(calibrate(csv.path, MINE " --held-out 8", out), 0, "%s", said);
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct calibration c;
    cr_assert_eq(calibration_load(&c, a, dir, &e), 0, "%s", e.msg);
    const struct profile *p = calibration_find(&c, &mine, &e);
    cr_assert_eq(profile_max_batch(p), 4);
    cr_assert_float_eq(p->mape, 0.05, 1e-6);
    cr_assert_eq(p->worst_batch, 8);
    cr_assert(strstr(said, "Held out batches, foretold by the others: mean error (MAPE) 5.0 %"),
              "%s", said);
    arena_destroy(a);
    remove(out);
    remove(dir);
    temp_drop(&csv);
    csv = temp_text("1,0.005\n2,0.007\n4,0.011\n");
    cr_assert_eq(calibrate(csv.path, MINE " --held-out 3", "/dev/null"), 2);
    cr_assert(strstr(said, "--held-out: batch 3 was not measured"), "%s", said);
    temp_drop(&csv);
}

Test(calibrate, a_board_is_called_by_its_kind)
{
    static const char *const boards[][2] = {{"Tesla P4", "P4"},
                                            {"Tesla V100-SXM2-16GB", "V100"},
                                            {"NVIDIA A100-SXM4-40GB", "A100"},
                                            {"NVIDIA H200", "H200"},
                                            {"NVIDIA GeForce RTX 4090", "4090"},
                                            {"", "unknown"}};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        char kind[PROFILE_DRAFT_KIND];
        profile_draft_kind(boards[i][0], kind);
        cr_expect_str_eq(kind, boards[i][1]);
    }
}

/* Never a part below 0 in silence: the rows are named, and what the fit then does. */
Test(calibrate, times_that_fall_and_parts_below_zero_are_told)
{
    static const struct {
        const char *csv, *told[3];
    } rows[] = {
        {"1,0.010\n2,0.005\n4,0.004\n",
         {"WARNING: Times fall with the batch: batch 2 takes 5 ms, batch 1 10 ms; batch 4 takes 4 "
          "ms, batch 2 5 ms.",
          "perItem came out at -", "is held at 0: every batch takes t0 ="}},
        {"1,0.001\n2,0.004\n4,0.012\n",
         {"WARNING: t0 came out at -", "is held at 0: a batch takes perItem =", "times its size"}},
        {"1,0.010\n2,0.006\n4,0.020\n8,0.040\n",
         {"Times fall with the batch: batch 2 takes 6 ms", "The line rises all the same",
          "off by up to"}},
    };
    char dir[] = "/tmp/sluice_calibrate_XXXXXX", out[64];
    cr_assert(mkdtemp(dir));
    snprintf(out, sizeof out, "%s/own.json", dir);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct temp_file csv = temp_text(rows[i].csv);
        struct err e = {0};
        struct arena *a = arena_create(&e);
        struct calibration c;
        cr_assert_eq(calibrate(csv.path, MINE, out), 0);
        cr_assert_eq(calibration_load(&c, a, dir, &e), 0, "%s", e.msg);
        const struct profile *p = c.files[0].profiles.items;
        cr_expect(p->t0 >= 0 && p->per_item >= 0 && p->t0 + p->per_item > 0);
        for (int k = 0; k < 3; k++) {
            cr_expect(strstr(said, rows[i].told[k]), "%zu: '%s' in: %s", i, rows[i].told[k], said);
            cr_expect(strstr(p->note, rows[i].told[k] + (k == 0 && i < 2 ? 9 : 0)), "%s", p->note);
        }
        arena_destroy(a);
        temp_drop(&csv);
    }
    struct temp_file csv = temp_text("1,0.005\n2,0.007\n4,0.011\n");
    cr_assert_eq(calibrate(csv.path, MINE, out), 0);
    cr_expect_not(strstr(said, "WARNING"), "%s", said);
    temp_drop(&csv);
    remove(out);
    remove(dir);
}
