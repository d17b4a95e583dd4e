/* test_node_settings: profiles, versions, ACK's two ten minutes, and refusals. */
#include "models/control/node_settings.h"
#include "scenarios/run/bind.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Binds a clusterAutoscaler object and resolves it; -1 leaves the message in *e. */
static int settle(const char *json, struct node_scaler_config *out, struct err *e)
{
    struct arena *a = arena_create(e);
    struct bind b = {.arena = a};
    void *settings = arena_take(a, 1, node_settings_knobs.size, e);
    struct json *tree = json_parse(a, "s.json", json, strlen(json), e);
    cr_assert(tree, "%s: %s", json, e->msg);
    int rc = bind_object(&b, tree, "clusterAutoscaler", &node_settings_knobs, settings, e);
    if (rc == 0)
        rc = node_settings_resolve(settings, out, e);
    /* Patterns live in the arena; tests here look at plain values only. */
    out->priorities = NULL;
    arena_destroy(a);
    return rc;
}

static struct node_scaler_config settled(const char *json)
{
    struct node_scaler_config c = {0};
    struct err e = {0};
    int rc = settle(json, &c, &e);
    cr_assert_eq(rc, 0, "%s: %s", json, e.msg);
    return c;
}

static void expect_refused(const char *json, const char *where, const char *msg)
{
    struct node_scaler_config c = {0};
    struct err e = {0};
    cr_expect_eq(settle(json, &c, &e), -1, "%s", json);
    cr_expect_eq(e.code, ERR_INPUT, "%s", json);
    cr_expect_str_eq(e.where, where, "%s: %s", json, e.where);
    cr_expect_str_eq(e.msg, msg, "%s: %s", json, e.msg);
}

/* Every field that can differ between two resolved configs. */
static void expect_equal(const struct node_scaler_config *a, const struct node_scaler_config *b)
{
#define SAME(field) cr_expect(a->field == b->field, #field)
    SAME(scan_interval);
    SAME(frequent_loops);
    SAME(min_loop);
    SAME(pod_wait);
    SAME(gpu_pod_wait);
    SAME(new_pod_delay);
    SAME(priority_cutoff);
    SAME(max_nodes_total);
    SAME(max_nodes_per_scale_up);
    SAME(scale_up_from_zero);
    SAME(balance_similar);
    SAME(n_expanders);
    SAME(expanders[0]);
    SAME(n_priorities);
    SAME(max_node_provision);
    SAME(backoff_initial);
    SAME(creation_errors_reported);
    SAME(backoff_max);
    SAME(backoff_reset);
    SAME(ok_unready);
    SAME(max_unready_share);
    SAME(gpu_ready_patched);
    SAME(scale_down);
    SAME(scale_down_unready);
    SAME(utilization_threshold);
    SAME(gpu_utilization_threshold);
    SAME(threshold_included);
    SAME(gpu_rule);
    SAME(ignore_daemon_pods);
    SAME(ignore_mirror_pods);
    SAME(skip_system_pods);
    SAME(skip_local_storage);
    SAME(min_replica_count);
    SAME(unneeded_time);
    SAME(unready_time);
    SAME(delay_after_add);
    SAME(delay_after_delete);
    SAME(delay_after_failure);
    SAME(delay_local);
    SAME(unremovable_recheck);
    SAME(max_deletions);
    SAME(max_drains);
    SAME(delay_after_taint);
    SAME(max_graceful_termination);
    SAME(eviction_retry);
    SAME(evict_daemon_pods_empty);
    SAME(evict_daemon_pods_occupied);
#undef SAME
}

Test(node_settings, defaults_are_the_presets_of_the_table)
{
    struct node_scaler_config want, got = settled("{}");
    node_settings_ack(&want);
    expect_equal(&got, &want);
    got = settled("{\"profile\": \"upstream\"}");
    node_settings_upstream(&want);
    expect_equal(&got, &want);
}

Test(node_settings, profiles_have_their_documented_defaults)
{
    struct node_scaler_config up, ack;
    node_settings_upstream(&up);
    node_settings_ack(&ack);
    cr_expect_eq(up.scan_interval, 10 * SIM_SECOND);
    cr_expect_eq(ack.scan_interval, 30 * SIM_SECOND);
    cr_expect_eq(up.max_graceful_termination, 10 * SIM_MINUTE);
    cr_expect_eq(ack.max_graceful_termination, 4 * SIM_HOUR);
    cr_expect(up.skip_local_storage && !ack.skip_local_storage);
    cr_expect(up.creation_errors_reported && !ack.creation_errors_reported);
    cr_expect(up.evict_daemon_pods_occupied && !ack.evict_daemon_pods_occupied);
    cr_expect(up.threshold_included && !ack.threshold_included);
    cr_expect_eq(up.gpu_rule, NODE_GPU_ONLY);
    cr_expect_eq(ack.gpu_rule, NODE_GPU_MAX);
    for (int i = 0; i < 2; i++) {
        const struct node_scaler_config *c = i ? &ack : &up;
        cr_expect_eq(c->unneeded_time, 10 * SIM_MINUTE);
        cr_expect_eq(c->delay_after_add, 10 * SIM_MINUTE);
        cr_expect_eq(c->expanders[0], NODE_EXPANDER_LEAST_WASTE);
        cr_expect_eq(c->max_node_provision, 15 * SIM_MINUTE);
    }
}

Test(node_settings, a_version_decides_what_changed)
{
    static const struct {
        const char *version;
        enum node_expander_kind expander;
        bool included, frequent;
    } rows[] = {{"1.30", NODE_EXPANDER_RANDOM, false, false},
                {"v1.30.2", NODE_EXPANDER_RANDOM, false, false},
                {"1.33", NODE_EXPANDER_LEAST_WASTE, false, false},
                {"1.34.0", NODE_EXPANDER_LEAST_WASTE, false, false},
                {"1.35", NODE_EXPANDER_LEAST_WASTE, true, true},
                {"1.36.1", NODE_EXPANDER_LEAST_WASTE, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char json[96];
        snprintf(json, sizeof json, "{\"profile\": \"upstream\", \"version\": \"%s\"}",
                 rows[i].version);
        struct node_scaler_config c = settled(json);
        cr_expect_eq(c.expanders[0], rows[i].expander, "%s", rows[i].version);
        cr_expect_eq(c.threshold_included, rows[i].included, "%s", rows[i].version);
        cr_expect_eq(c.frequent_loops, rows[i].frequent, "%s", rows[i].version);
    }
    cr_expect(settled("{\"version\": \"1.35\"}").threshold_included);
    cr_expect(settled("{\"utilizationComparison\": \"atMost\"}").threshold_included);
    cr_expect_not(settled("{\"profile\": \"upstream\", \"utilizationComparison\": \"below\"}")
                      .threshold_included);
}

Test(node_settings, the_two_ten_minutes_need_a_meaning_once_they_differ)
{
    struct node_scaler_config c =
        settled("{\"coolDownDuration\": \"5m\", \"unneededDuration\": \"5m\"}");
    cr_expect_eq(c.unneeded_time, 5 * SIM_MINUTE);
    cr_expect_eq(c.delay_after_add, 5 * SIM_MINUTE);
    c = settled("{\"coolDownDuration\": \"5m\", \"tenMinuteMeaning\": \"coolDownIsTrigger\"}");
    cr_expect_eq(c.unneeded_time, 5 * SIM_MINUTE);
    cr_expect_eq(c.delay_after_add, 10 * SIM_MINUTE);
    c = settled("{\"coolDownDuration\": \"5m\", \"tenMinuteMeaning\": \"unneededIsTrigger\"}");
    cr_expect_eq(c.unneeded_time, 10 * SIM_MINUTE);
    cr_expect_eq(c.delay_after_add, 5 * SIM_MINUTE);
    expect_refused("{\"coolDownDuration\": \"5m\"}", "s.json:1:1",
                   "clusterAutoscaler.tenMinuteMeaning: coolDownDuration is 5m and "
                   "unneededDuration is 10m, and the documents disagree which is the wait before a "
                   "node is removed and which the silence after nodes were added: say "
                   "coolDownIsTrigger or unneededIsTrigger");
}

Test(node_settings, refuses_what_cannot_work)
{
    expect_refused("{\"profile\": \"upstream\", \"coolDownDuration\": \"5m\"}", "s.json:1:45",
                   "clusterAutoscaler.coolDownDuration: is a setting of the profile ack; upstream "
                   "has scaleDownUnneededTime and scaleDownDelayAfterAdd");
    expect_refused("{\"unneededDuration\": \"10m\", \"scaleDownUnneededTime\": \"5m\"}",
                   "s.json:1:54",
                   "clusterAutoscaler.scaleDownUnneededTime: says the same as coolDownDuration or "
                   "unneededDuration: give the two times under one set of names");
    expect_refused("{\"expander\": \"price\"}", "s.json:1:14",
                   "clusterAutoscaler.expander: price cannot work on ACK: its provider has no "
                   "pricing model; use least-waste, random or priority");
    expect_refused("{\"expander\": [\"least-wast\"]}", "s.json:1:14",
                   "clusterAutoscaler.expander: \"least-wast\" is none of random, least-waste, "
                   "most-pods, least-nodes, priority, price (did you mean least-waste?)");
    expect_refused("{\"expander\": \"priority\"}", "s.json:1:1",
                   "clusterAutoscaler.expanderPriorities: must be given for the priority expander");
    expect_refused("{\"profile\": \"upstream\", \"expander\": \"price\"}", "s.json:1:1",
                   "clusterAutoscaler.pricePerCpuHour: must be given for the price expander: what "
                   "a pod's resources are worth");
    expect_refused("{\"version\": 1.36}", "s.json:1:13",
                   "clusterAutoscaler.version: 1.36 is not a version such as \"1.36\" (in quotes)");
    expect_refused("{\"scanInterval\": \"500ms\"}", "s.json:1:18",
                   "clusterAutoscaler.scanInterval: 500ms is not at least \"1s\"");
    expect_refused("{\"scaleDownUnneededTime\": 600}", "s.json:1:27",
                   "clusterAutoscaler.scaleDownUnneededTime: 600 is not a duration such as "
                   "\"10m\"");
    expect_refused("{\"skipNodesWithLocalStorage\": \"no\"}", "s.json:1:31",
                   "clusterAutoscaler.skipNodesWithLocalStorage: no is not true or false");
}

Test(node_settings, a_priority_table_is_read_and_its_patterns_are_checked)
{
    struct node_scaler_config c =
        settled("{\"expander\": [\"priority\", \"least-waste\"], \"expanderPriorities\": "
                "[{\"priority\": 10, \"pattern\": \".*spot.*\"}]}");
    cr_expect_eq(c.n_expanders, 2);
    cr_expect_eq(c.expanders[0], NODE_EXPANDER_PRIORITY);
    cr_expect_eq(c.expanders[1], NODE_EXPANDER_LEAST_WASTE);
    cr_expect_eq(c.n_priorities, 1);
    struct err e = {0};
    cr_expect_eq(
        settle("{\"expanderPriorities\": [{\"priority\": 1, \"pattern\": \"[\"}]}", &c, &e), -1);
    cr_expect_not_null(strstr(e.msg, "pattern \"[\": "), "%s", e.msg);
}

Test(node_settings, every_default_figure_says_where_it_comes_from)
{
    for (const struct knob *k = node_settings_knobs.rows; k->key; k++) {
        cr_expect(k->doc && k->doc[0], "%s has no words", k->key);
        cr_expect_eq(k->quality != QUALITY_NONE, k->source != NULL, "%s", k->key);
    }
}
