/* test_paths: which way an HPA takes under noise: Poisson arrivals, a random phase of its passes.
 */
#include "scenarios/run/scenario.h"
#include "scenarios/run/world.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLICATIONS 200
#define PATHS 64

struct count {
    char path[64];
    int n;
};

static void note(struct count *counts, const char *path)
{
    size_t i = 0;
    while (i < PATHS - 1 && counts[i].n > 0 && strcmp(counts[i].path, path) != 0)
        i++;
    snprintf(counts[i].path, sizeof counts[i].path, "%s", path);
    counts[i].n++;
}

/* Up to the first time that 10 is reached, and the last size of the run. */
static int one(const struct scenario *s, uint64_t number, char *path, size_t size)
{
    struct err e = {0};
    struct world_watch watch = {0};
    struct world_outcome out;
    int last = 1;
    cr_assert_eq(world_run(s, number, &watch, &out, &e), 0, "%s", e.msg);
    snprintf(path, size, "1");
    for (size_t i = 0; i < out.result.n_entries; i++) {
        const char *arrow = strstr(out.result.entries[i].what, " -> ");
        if (strncmp(out.result.entries[i].subject, "hpa ", 4) != 0 || !arrow)
            continue;
        bool there = last == 10 || strstr(path, "10");
        last = atoi(arrow + 4);
        if (!there)
            snprintf(path + strlen(path), size - strlen(path), " %d", last);
    }
    recorder_destroy(out.recorder);
    return last;
}

static int by_count(const void *a, const void *b)
{
    return ((const struct count *)b)->n - ((const struct count *)a)->n;
}

/* What the founding case does in practice: several ways up, and 30 QPS settle at 4, since the
 * largest of the noisy ceilings of the last 300 s wins. */
Test(paths, most_runs_settle_at_four_not_three)
{
    struct err e = {0};
    struct count counts[PATHS] = {0};
    int settled[16] = {0};
    struct scenario_source source = {.path = SLUICE_SOURCE_DIR
                                     "/tests/scenarios/bert-step-poisson.json",
                                     .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        char path[64];
        int last = one(s, r, path, sizeof path);
        cr_assert(last >= 1 && last <= 10);
        settled[last]++;
        note(counts, path);
    }
    qsort(counts, PATHS, sizeof counts[0], by_count);
    for (size_t i = 0; i < PATHS && counts[i].n > 0; i++)
        cr_log_info("%3d of %d: %s", counts[i].n, REPLICATIONS, counts[i].path);
    for (int k = 1; k <= 10; k++)
        if (settled[k])
            cr_log_info("%3d of %d settle at %d", settled[k], REPLICATIONS, k);
    cr_assert_gt(settled[4], REPLICATIONS / 2);
    cr_assert_eq(settled[3] + settled[4] + settled[5], REPLICATIONS);
    bool first = strcmp(counts[0].path, "1 4 8 10") == 0 || strcmp(counts[1].path, "1 4 8 10") == 0;
    cr_assert(first, "the most frequent way up is %s", counts[0].path);
    scenario_free(s);
}
