/* test_users_nodes: what people ask of node autoscaler and bill, case by case, as whole runs. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S SIM_SECOND
#define HPA "services.bert.autoscaler.hpa."
#define QPS "services.bert.traffic.qps="
#define START "services.bert.initialReplicas="
#define POOL "nodePools[0]."
#define CA "clusterAutoscaler."

static sim_ns time_of(const struct fixture_scenario *p, const char *subject, const char *what)
{
    const struct result_entry *line = fixture_line(p, subject, what, NULL, 0);
    cr_assert(line, "there is no line %s %s", subject, what);
    return line->at;
}

static void expect_finding(const struct fixture_scenario *p, const char *code, const char *part)
{
    const char *text = fixture_finding(p, code);
    cr_assert(text, "there is no finding %s", code);
    cr_expect(strstr(text, part), "%s: %s", code, text);
}

/* ---- C20: Ready before its GPUs are allocatable ---- */

/* One pod is pending, a node boots for 90 s and its device plugin takes 120 s more; a scan each 10
 * s. */
Test(users_nodes, c20_unpatched_buys_node_after_node_and_patched_one)
{
    static const char *const one[] = {POOL "initialSize=0", POOL "gpuReadyTime=120s",
                                      CA "gpuReadiness=patched", NULL};
    static const char *const many[] = {POOL "initialSize=0", POOL "gpuReadyTime=120s",
                                       CA "gpuReadiness=unpatched", NULL};
    struct fixture_scenario p = fixture_play("users-pool", one);
    double cost = fixture_value(&p, "cost.total");
    cr_expect_eq(fixture_value(&p, "nodes.bought"), 1);
    cr_expect_eq(fixture_value(&p, "cost.byClass.duplicateScaleUp"), 0);
    cr_expect_null(fixture_finding(&p, "surplus-nodes"));
    fixture_stop(&p);

    p = fixture_play("users-pool", many);
    double surplus = fixture_value(&p, "cost.byClass.duplicateScaleUp"), paid = 0;
    double bought = fixture_value(&p, "nodes.bought");
    cr_expect_gt(bought, 1.0);
    cr_expect_eq(fixture_value(&p, "nodes.neverUsed"), bought - 1);
    for (size_t i = 0; i < p.r->n_bills; i++)
        if (strcmp(p.r->bills[i].resource, "elastic-0") != 0)
            paid += (double)p.r->bills[i].amount_micro / 1e6;
    cr_expect_float_eq(surplus, paid, 1e-6, "the surplus is what the other nodes cost");
    cr_expect_float_eq(fixture_value(&p, "cost.total") - cost, surplus, 1e-6);
    char part[96];
    snprintf(part, sizeof part, "%.4g CNY", surplus);
    expect_finding(&p, "surplus-nodes", part);
    fixture_stop(&p);
}

/* ---- C21: an idle GPU node ---- */

/* Machines of 2 vCPU, 8 GiB and one GPU; daemons request 0.6 of what is allocatable (1.8 vCPU). Two
 * are there, one pod needs one of them. */
#define SMALL(rule)                                                                                \
    "catalog=[\"users-instances.json\"]", POOL "instanceTypes=[\"own.2c8g1gpu\"]",                 \
        POOL "initialSize=2", POOL "daemonSetCpu=1080m", CA "gpuUtilization=" rule, "horizon=2d"

Test(users_nodes, c21_three_rules_for_a_gpu_node_without_gpu_pods)
{
    struct fixture_scenario p = PLAY("users-pool", SMALL("ignored"));
    cr_expect_null(fixture_line(&p, NULL, "deleted", NULL, 0), "0.6 of its CPU is in use");
    cr_expect_eq(fixture_level(&p, "nodes.total", 48 * SIM_HOUR - S), 2);
    fixture_stop(&p);

    p = PLAY("users-pool", SMALL("gpuOnly"));
    sim_ns closed = time_of(&p, "elastic-1", "tainted for deletion");
    cr_expect_gt(closed, 600 * S);
    cr_expect_leq(closed, 630 * S, "at %lld s", (long long)(closed / S));
    cr_expect_eq(fixture_level(&p, "nodes.total", 48 * SIM_HOUR - S), 1);
    fixture_stop(&p);

    p = PLAY("users-pool", SMALL("max"));
    cr_expect_null(fixture_line(&p, NULL, "deleted", NULL, 0));
    cr_expect_eq(fixture_level(&p, "nodes.total", 48 * SIM_HOUR - S), 2);
    fixture_stop(&p);
}

/* ---- C22: one pod strands a node of four GPUs ---- */

/* Two machines of 104 CNY an hour, one pod on each, for an hour. */
#define LARGE                                                                                      \
    POOL "instanceTypes=[\"ecs.gn6v-c8g1.8xlarge\"]", POOL "initialSize=2", START "2", QPS "15"

Test(users_nodes, c22_a_pod_that_may_move_frees_its_node)
{
    struct fixture_scenario p = PLAY("users-pool", LARGE);
    sim_ns gone = time_of(&p, "elastic-0", "deleted");
    cr_expect_eq(fixture_value(&p, "replicas.evictions"), 1);
    double hours = (double)gone / (double)SIM_HOUR;
    /* 3 of 4 on both up to then, 2 of 4 on the one that is left */
    double stranded = 104 * (2 * 0.75 * hours + 0.5 * (1 - hours));
    cr_expect_float_eq(fixture_value(&p, "cost.byClass.fragmentation"), stranded, 0.01 * stranded);
    fixture_stop(&p);
}

Test(users_nodes, c22_a_pod_that_may_not_keeps_three_idle_gpus)
{
    static const char *const reasons[] = {
        "services.bert.pod.minAvailable=2",
        "services.bert.pod.annotations={\"cluster-autoscaler.kubernetes.io/safe-to-evict\": "
        "\"false\"}",
    };
    for (size_t i = 0; i < 2; i++) {
        struct fixture_scenario p = PLAY("users-pool", LARGE, reasons[i]);
        cr_expect_null(fixture_line(&p, NULL, "deleted", NULL, 0), "%s", reasons[i]);
        cr_expect_float_eq(fixture_value(&p, "cost.byClass.fragmentation"), 2 * 78, 1e-6);
        expect_finding(&p, "stranded-gpus", "156 CNY (75 % of the cost)");
        fixture_stop(&p);
    }
}

/* ---- C23: churn ---- */

Test(users_nodes, c23_a_flat_load_moves_nothing)
{
    struct fixture_scenario p = PLAY("users-pool", QPS "35", START "4", POOL "initialSize=4",
                                     "services.bert.traffic.arrivals=poisson", "horizon=1d");
    cr_expect_eq(fixture_value(&p, "nodes.bought"), 4, "those that are there at the start");
    cr_expect_eq(fixture_value(&p, "replicas.evictionsPerDay"), 0);
    cr_expect_null(result_figure(p.r, "nodes.halfLife"), "all outlive the run");
    cr_expect_null(fixture_finding(&p, "churn"));
    fixture_stop(&p);
}

/* A square wave of 40 minutes over machines of two GPUs: the eager policy moves pods together and
 * buys anew, the patient one keeps what it has. */
#define WAVE                                                                                       \
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 78}, {\"at\": \"20m\", \"qps\": 28}, "           \
        "{\"at\": \"40m\", \"qps\": 78}]}",                                                        \
        "services.bert.traffic.repeat=loop", START "8", POOL "initialSize=4", "horizon=1d",        \
        POOL "instanceTypes=[\"ecs.gn6v-c8g1.4xlarge\"]",                                          \
        "services.bert.serving.serviceTime={\"V100\": \"10ms\"}"
#define EAGER CA "scaleDownUnneededTime=1m", CA "scaleDownDelayAfterAdd=1m"
#define PATIENT CA "scaleDownUnneededTime=30m"

Test(users_nodes, c23_each_policy_has_its_evictions_and_half_life)
{
    struct fixture_scenario eager = PLAY("users-pool", WAVE, EAGER);
    struct fixture_scenario patient = PLAY("users-pool", WAVE, PATIENT);
    double evictions = fixture_value(&eager, "replicas.evictionsPerDay");
    double half = fixture_value(&eager, "nodes.halfLife");
    cr_log_info("eager: %g evictions a day, half-life %g s, %g nodes bought", evictions, half,
                fixture_value(&eager, "nodes.bought"));
    cr_expect_gt(evictions, 0.0);
    cr_expect_lt(half, 3600.0);
    char part[96];
    snprintf(part, sizeof part, "%.3g pods evicted a day; half of the nodes lived for", evictions);
    expect_finding(&eager, "churn", part);
    cr_expect_eq(fixture_value(&patient, "replicas.evictionsPerDay"), 0);
    cr_expect_null(result_figure(patient.r, "nodes.halfLife"));
    cr_expect_eq(fixture_value(&patient, "nodes.bought"), 4);
    fixture_stop(&eager);
    fixture_stop(&patient);
}

/* ---- C24: billing steps ---- */

/* Some nodes of a peak of 48 minutes live for about 61; when one goes, the rest of an hour that was
 * begun is paid too.
 */
#define PEAK                                                                                       \
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 5}, {\"at\": \"10m\", \"qps\": 45}, "            \
        "{\"at\": \"58m\", \"qps\": 5}]}",                                                         \
        "horizon=4h"

static int64_t amount(const struct result *r, const char *resource, sim_ns *from, sim_ns *to)
{
    int64_t sum = 0;
    *from = -1;
    for (size_t i = 0; i < r->n_bills; i++) {
        if (strcmp(r->bills[i].resource, resource) != 0)
            continue;
        *from = *from < 0 ? r->bills[i].from : *from;
        *to = r->bills[i].to;
        sum += r->bills[i].amount_micro;
    }
    return sum;
}

Test(users_nodes, c24_bills_differ_by_exactly_the_rounded_tails)
{
    struct fixture_scenario hourly = PLAY("users-pool", PEAK, POOL "billingStep=1h");
    struct fixture_scenario second = PLAY("users-pool", PEAK, POOL "billingStep=1s");
    cr_assert_eq(fixture_value(&hourly, "nodes.bought"), fixture_value(&second, "nodes.bought"));
    int64_t difference = 0;
    size_t just_over = 0;
    for (size_t i = 0; i < second.r->n_bills; i++) {
        sim_ns from, to, h_from, h_to;
        const char *resource = second.r->bills[i].resource;
        int64_t by_second = amount(second.r, resource, &from, &to);
        int64_t by_hour = amount(hourly.r, resource, &h_from, &h_to);
        if (second.r->bills[i].from != from)
            continue; /* a further bill of a node that was seen */
        cr_expect_eq(h_from, from);
        bool gone = to < 4 * SIM_HOUR; /* what is there at the end is paid up to the end */
        sim_ns tail = gone ? (SIM_HOUR - (to - from) % SIM_HOUR) % SIM_HOUR : 0;
        cr_expect_eq(h_to - to, tail, "%s", resource);
        /* 26 CNY an hour are 65/9 micro-units a ms; each of the two bills is rounded by itself */
        int64_t off = 9 * (by_hour - by_second) - 65 * (tail / SIM_MS);
        cr_expect(off > -18 && off < 18, "%s: off by %lld ninths", resource, (long long)off);
        difference += by_hour - by_second;
        just_over += tail > 50 * SIM_MINUTE && tail < SIM_HOUR;
        cr_log_info("%s: %lld s and %lld s more", resource, (long long)((to - from) / S),
                    (long long)(tail / S));
    }
    cr_expect_float_eq(fixture_value(&hourly, "cost.total") - fixture_value(&second, "cost.total"),
                       (double)difference / 1e6, 1e-9);
    cr_expect_gt(just_over, 0, "no node went shortly after a full hour");
    fixture_stop(&hourly);
    fixture_stop(&second);
}
