/* test_elastic: ElasticWorkload, ResourcePolicy, eci-profile and a flattened pod, as whole runs
 * from their manifests. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

static size_t units(const struct fixture_scenario *p, const char *unit, sim_ns from, sim_ns to)
{
    size_t n = 0;
    for (size_t i = 0; i < p->r->n_entries; i++)
        n += strcmp(p->r->entries[i].what, "unit") == 0 && p->r->entries[i].at >= from &&
             p->r->entries[i].at < to && strcmp(p->r->entries[i].reason, unit) == 0;
    return n;
}

/* An HPA on the ElasticWorkload: 2, then 7 for 75 QPS, then 3 for 25. Source 1, on demand 3, the
 * rest spot; the three that stay are the source's and two of the on-demand unit, since the last
 * unit shrinks first. */
Test(elastic, an_elastic_workload_fills_its_units_in_order_and_empties_them_backwards)
{
    struct fixture_scenario p = PLAY("elastic", "seed=1");
    char path[200];
    cr_assert_str_eq(fixture_path(&p, "hpa elastic", path, sizeof path), "2 -> 3 -> 7 -> 6 -> 3");
    cr_assert_eq(units(&p, "source", 0, SIM_NEVER), 1);
    cr_assert_eq(units(&p, "ondemand", 0, SIM_NEVER), 3);
    cr_assert_eq(units(&p, "spot", 0, SIM_NEVER), 3);
    cr_assert_eq(fixture_value(&p, "nodes.max"), 1);
    /* At the end: the node, and two instances of the on-demand unit. */
    cr_assert_float_eq(fixture_level(&p, "eci.instances", 7000 * SIM_SECOND), 2, 1e-9);
    double spot = fixture_value(&p, "eci.elastic.spot.billedSeconds");
    /* Three instances from 630 s + 10 s (create) until they leave: one at 3615, two at 3630 s. */
    cr_assert_float_eq(spot, 3615 + 2 * 3630 - 3 * 640, 10);
    cr_assert_float_eq(fixture_value(&p, "eci.elastic.spot.cost"), 0.3 * 12.32 * spot / 3600, 1e-4);
    cr_assert_float_eq(fixture_value(&p, "cost.byBilling.eciSpot"),
                       fixture_value(&p, "eci.elastic.spot.cost"), 1e-6);
    fixture_stop(&p);
}

/* The same traffic: at most two pods on nodes with the label, all others on ECI, which shrink
 * first. */
Test(elastic, a_resource_policy_prefers_nodes_up_to_its_max)
{
    struct fixture_scenario p =
        PLAY("elastic", "manifests=[\"manifests/policy\"]", "nodePools.pool.initialSize=2");
    cr_assert_eq(units(&p, "ecs1", 0, SIM_NEVER), 2);
    cr_assert_eq(units(&p, "eci2", 0, SIM_NEVER), 5);
    cr_assert_eq(fixture_value(&p, "nodes.max"), 2);
    cr_assert_float_eq(fixture_level(&p, "eci.instances", 7000 * SIM_SECOND), 1, 1e-9,
                       "three replicas stay: two on nodes");
    cr_assert(fixture_finding(&p, "eci-spec"));
    fixture_stop(&p);
}

/* One node at the start, so the second pod goes to ECI; the third comes at 30 min, when a second
 * node has been there for two minutes. At 60 min one must go: the one on ECI, though it is the
 * older. */
Test(elastic, a_resource_policy_shrinks_its_later_units_first)
{
    struct fixture_scenario p =
        PLAY("elastic", "manifests=[\"manifests/policy\"]", "virtualNode.region=cn-hangzhou",
             "nodePools.pool.tasks=[{\"at\": \"28m\", \"size\": 2}]",
             "services.elastic.traffic.qps={\"profile\": [{\"at\": \"0s\", \"qps\": 15}, {\"at\": "
             "\"30m\", \"qps\": 25}, {\"at\": \"60m\", \"qps\": 15}], \"interpolation\": "
             "\"steps\"}");
    cr_assert_eq(units(&p, "eci2", 0, SIM_NEVER), 1);
    cr_assert_eq(units(&p, "ecs1", 30 * SIM_MINUTE, SIM_NEVER), 1);
    cr_assert_float_eq(fixture_level(&p, "eci.instances", 59 * SIM_MINUTE), 1, 1e-9);
    cr_assert_float_eq(fixture_level(&p, "eci.instances", 70 * SIM_MINUTE), 0, 1e-9);
    fixture_stop(&p);
}

#define JOBS                                                                                       \
    "services=[]", "nodePools=[]",                                                                 \
        "jobs=[{\"name\": \"cheap\", \"manifest\": \"cheap\", \"runTime\": \"60s\"}, "             \
        "{\"name\": \"dear\", \"manifest\": \"dear\", \"runTime\": \"60s\"}]"

/* The profile sends both to ECI; its effect makes the one with tier=cheap spot, and does not touch
 * the GPU type that the pod names itself. */
Test(elastic, an_eci_profile_sends_pods_and_annotates_them)
{
    struct fixture_scenario p =
        PLAY("elastic", "manifests=[\"manifests/profile\"]", JOBS, "virtualNode.cachedImage=7s");
    cr_assert_eq(fixture_value(&p, "jobs.completed"), 2);
    double cheap = fixture_value(&p, "eci.cheap.billedSeconds");
    double dear = fixture_value(&p, "eci.dear.billedSeconds");
    cr_assert_float_eq(fixture_value(&p, "eci.cheap.cost"), 0.3 * 10.47 * cheap / 3600, 1e-5);
    cr_assert_float_eq(fixture_value(&p, "eci.dear.cost"), 10.47 * dear / 3600, 1e-5);
    fixture_stop(&p);
}

/* The founding pod as it comes from a page that lost its blanks: one P4, and a warning. */
Test(elastic, a_flattened_pod_runs_and_the_reader_is_told)
{
    struct fixture_scenario p =
        PLAY("elastic", "manifests=[\"manifests/flat\"]", "services=[]", "nodePools=[]",
             "jobs=[{\"name\": \"panda\", \"manifest\": \"tensorflow\", \"runTime\": \"10s\"}]");
    cr_assert_eq(fixture_value(&p, "jobs.completed"), 1);
    cr_assert_float_eq(fixture_value(&p, "eci.panda.cost"),
                       10.47 * fixture_value(&p, "eci.panda.billedSeconds") / 3600, 1e-6);
    const char *told = fixture_finding(&p, "indentation");
    cr_assert(told && strstr(told, "annotations.k8s.aliyun.com/eci-gpu-type"), "%s",
              told ? told : "nothing");
    fixture_stop(&p);
}
