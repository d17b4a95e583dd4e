/* test_case_bert: the founding case: BERT behind an HPA on an ingress QPS metric. */
#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct played {
    struct scenario *scenario;
    struct run *run;
    const struct result *result;
};

static struct played play_with(const char *name, const char *set)
{
    struct played p = {0};
    struct err e = {0};
    char path[512];
    snprintf(path, sizeof path, SLUICE_SOURCE_DIR "/tests/scenarios/%s.json", name);
    struct scenario_source source = {.path = path,
                                     .data_dir = SLUICE_SOURCE_DIR "/scenarios",
                                     .sets = &set,
                                     .n_sets = set ? 1 : 0};
    p.scenario = scenario_load(&source, &e);
    cr_assert(p.scenario, "%s: %s", e.where, e.msg);
    struct run_options options = {.threads = 2, .command = "test"};
    p.run = run_scenario(p.scenario, &options, &e);
    cr_assert(p.run, "%s: %s", e.where, e.msg);
    p.result = run_result(p.run);
    return p;
}

static struct played play(const char *name)
{
    return play_with(name, NULL);
}

static void stop(struct played *p)
{
    run_destroy(p->run);
    scenario_free(p->scenario);
}

/* "1 -> 4 -> 8 -> 10" from the log's lines of the HPA. */
static void path_of(const struct result *r, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < r->n_entries; i++) {
        const struct result_entry *entry = &r->entries[i];
        const char *arrow = strstr(entry->what, " -> ");
        if (strncmp(entry->subject, "hpa ", 4) != 0 || !arrow)
            continue;
        if (out[0] == '\0')
            snprintf(out, size, "%s", entry->what);
        else
            snprintf(out + strlen(out), size - strlen(out), "%s", arrow);
    }
}

static sim_ns time_of(const struct result *r, const char *what)
{
    for (size_t i = 0; i < r->n_entries; i++)
        if (strncmp(r->entries[i].subject, "hpa ", 4) == 0 && strcmp(r->entries[i].what, what) == 0)
            return r->entries[i].at;
    return -1;
}

Test(case_bert, steps_1_4_8_10_without_a_behavior_block)
{
    struct played p = play("bert-step");
    char path[256];
    path_of(p.result, path, sizeof path);
    cr_assert_str_eq(path, "1 -> 4 -> 8 -> 10");
    cr_assert_eq(time_of(p.result, "1 -> 4"), 300 * SIM_SECOND);
    cr_assert_eq(time_of(p.result, "4 -> 8"), 315 * SIM_SECOND);
    cr_assert_eq(time_of(p.result, "8 -> 10"), 330 * SIM_SECOND);
    stop(&p);
}

Test(case_bert, steps_1_5_10_with_an_empty_behavior_block)
{
    struct played p = play("bert-step-behavior");
    char path[256];
    path_of(p.result, path, sizeof path);
    cr_assert_str_eq(path, "1 -> 5 -> 10");
    stop(&p);
}

/* The rate falls at 900 s. The last window that is all above lies in [875 s, 890 s) of the pass at
 * 900 s; its recommendation of 10 counts for 300 s, both ends included on the path without
 * behavior, and 3 follows at the first pass when none of the larger ones is left. */
Test(case_bert, holds_ten_for_the_window_then_takes_three)
{
    struct played p = play("bert-drop");
    char path[256];
    path_of(p.result, path, sizeof path);
    const char *end = strstr(path, "10 -> ");
    cr_assert(end, "%s", path);
    cr_assert_str_eq(path + strlen(path) - 4, "-> 3", "%s", path);
    sim_ns first_drop = -1;
    for (size_t i = 0; i < p.result->n_entries && first_drop < 0; i++)
        if (strncmp(p.result->entries[i].what, "10 -> ", 6) == 0)
            first_drop = p.result->entries[i].at;
    cr_assert_geq(first_drop, 1215 * SIM_SECOND);
    cr_assert_leq(first_drop, 1245 * SIM_SECOND);
    stop(&p);
}

Test(case_bert, ten_nodes_are_three_on_demand_and_seven_spot)
{
    struct played p = play("bert-pool");
    const struct result_series *on_demand = result_find_series(p.result, "nodes.onDemand");
    const struct result_series *spot = result_find_series(p.result, "nodes.spot");
    cr_assert(on_demand && spot);
    cr_assert_float_eq(on_demand->mean[on_demand->n - 1], 3, 1e-9);
    cr_assert_float_eq(spot->mean[spot->n - 1], 7, 1e-9);
    stop(&p);
}

/* A replica serves 5 requests a second, 8 arrive, the target is 10: the log shows 5 ended requests
 * a second at most until the first ones have waited out their 60 s. */
Test(case_bert, a_full_replica_hides_its_demand_until_time_outs)
{
    struct played p = play("bert-saturated");
    cr_assert_gt(result_value(p.result, "requests.failed.timeout", 0), 0);
    bool told = false;
    for (size_t i = 0; i < p.result->n_findings; i++)
        told = told || strcmp(p.result->findings[i].code, "target-above-capacity") == 0;
    cr_assert(told, "the finding target-above-capacity is missing");
    for (size_t i = 0; i < p.result->n_entries; i++)
        if (strncmp(p.result->entries[i].subject, "hpa ", 4) == 0 &&
            strstr(p.result->entries[i].what, "->"))
            cr_assert_geq(p.result->entries[i].at, 335 * SIM_SECOND);
    stop(&p);
}

/* The share in the sentence is the one that held, whatever the outcome. */
Test(case_bert, verdict_names_the_share_that_held)
{
    struct played bad =
        play_with("bert-saturated", "services.bert.slo={\"p99\": \"300ms\", \"window\": \"1m\"}");
    struct played good =
        play_with("bert-step", "services.bert.slo={\"p99\": \"300ms\", \"window\": \"1m\"}");
    double held = result_value(bad.result, "slo.held", -1);
    double windows = result_value(bad.result, "slo.windows", -1);
    char share[64];
    cr_assert(held > 0 && held < windows);
    snprintf(share, sizeof share, "its SLO held in %.4g %% of the windows", 100 * held / windows);
    cr_assert(strstr(bad.result->verdict, share), "%s", bad.result->verdict);
    cr_assert(strstr(bad.result->verdict, "misses its objective"), "%s", bad.result->verdict);
    cr_assert(strstr(good.result->verdict, "bert holds its SLO in 100 %"), "%s",
              good.result->verdict);
    cr_assert(good.result->holds && !bad.result->holds);
    stop(&bad);
    stop(&good);
}
