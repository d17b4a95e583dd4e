/* test_unfollowed: nothing that a manifest asks for is passed over in silence. */
#include "scenarios/run/scenario.h"
#include "scenarios/run/unfollowed.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct unfollowed told;

/* A scenario of these manifests, with a pool, a service and a job by them. */
static struct scenario *load(const char *manifest, const char *pool, struct err *e)
{
    char text[1200];
    struct temp_file m = temp_text(manifest);
    snprintf(text, sizeof text,
             "{\"sluice\": 1, \"name\": \"u\", \"horizon\": \"1h\", \"manifests\": [\"%s\"]%s%s, "
             "\"nodePools\": [%s], \"clusterAutoscaler\": {}}",
             m.path,
             strstr(manifest, "Deployment")
                 ? ", \"services\": [{\"name\": \"web\", \"deployment\": \"default/web\", "
                   "\"autoscaler\": {\"fixed\": 1}, \"traffic\": {\"qps\": 5}, \"serving\": "
                   "{\"serviceTime\": {\"V100\": \"10ms\"}}}]"
                 : "",
             strstr(manifest, "Deployment")
                 ? ""
                 : ", \"jobs\": [{\"name\": \"j\", \"manifest\": \"default/web\", \"runTime\": "
                   "\"5m\"}]",
             pool);
    struct temp_file f = temp_text(text);
    struct scenario_source source = {.path = f.path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, e);
    temp_drop(&f);
    temp_drop(&m);
    return s;
}

static void look_at(const char *manifest, const char *pool)
{
    struct err e = {0};
    struct scenario *s = load(manifest, pool, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    unfollowed_find(s, &told);
    scenario_free(s);
}

static const char *words(void)
{
    return told.n > 0 ? told.items[0].words : "";
}

#define PLAIN "{\"name\": \"p\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"]}"
#define SPOT "{\"name\": \"p\", \"spotMarket\": \"calm\"}"
#define BODY(scaling, config, more)                                                                \
    "kind: Pod\nmetadata: {name: web}\nspec: {restartPolicy: Never, containers: [{name: a}]}\n---" \
    "\nnodepool_info: {name: p}\nauto_scaling: {enable: true, max_instances: 4" more "}\n"         \
    "kubernetes_config: {runtime: containerd" config "}\n"                                         \
    "scaling_group: {instance_types: [ecs.gn6v-c8g1.2xlarge]" scaling "}\n"
#define WEB(spec, containers)                                                                      \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n"         \
    "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"     \
    "    spec:\n      volumes: []\n" spec "      containers:\n      - name: tf\n"                  \
    "        image: tensorflow/serving\n        args: [a]\n"                                       \
    "        readinessProbe: {tcpSocket: {port: 80}, timeoutSeconds: 1}\n"                         \
    "        resources: {limits: {nvidia.com/gpu: 1}}\n" containers
#define JOB(spec, pod, container)                                                                  \
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web}\nspec:\n  backoffLimit: 2\n"           \
    "  ttlSecondsAfterFinished: 60\n" spec                                                         \
    "  template:\n    spec:\n      restartPolicy: Never\n" pod                                     \
    "      containers:\n      - name: tf\n" container

Test(unfollowed, each_key_is_followed_or_told)
{
    static const struct {
        const char *manifest, *pool, *words; /* NULL: nothing to tell */
    } rows[] = {
        {BODY("", "", ""), PLAIN, NULL},
        {BODY(
             ", spot_strategy: SpotAsPriceGo, spot_instance_remedy: true, on_demand_base_capacity: "
             "1, security_group_id: sg",
             ", labels: [], cpu_policy: none", ", type: spot"),
         SPOT, NULL},
        {BODY(", scaling_policy: release", "", ""), PLAIN, NULL},
        {BODY(", scaling_policy: recycle", "", ""), PLAIN,
         "node pool p: scaling_group.scaling_policy is not followed: machines are always released"},
        {BODY(", scaling_polcy: recycle", "", ""), PLAIN,
         "node pool p: scaling_group.scaling_polcy is no key that is known here, and is not "
         "followed; did you mean 'scaling_policy'?"},
        {BODY("", "", ", max_instnces: 9"), PLAIN, "did you mean 'max_instances'?"},
        {BODY("", "", ", foo_bar: 1"), PLAIN, "auto_scaling.foo_bar is no key that is known"},
        {BODY("", ", cpu_policy: static", ""), PLAIN,
         "kubernetes_config.cpu_policy is not followed"},
        {BODY("", ", taint: []", ""), PLAIN, "did you mean 'taints'?"},
        {BODY(", spot_strategy: SpotWithPriceLimit, spot_price_limit: [{instance_type: "
              "ecs.gn6v-c8g1.2xlarge, price_limit: 3}]",
              "", ""),
         SPOT,
         "node pool p: no ecs.gn6v-c8g1.2xlarge is ever bought as spot: the limit is 3 CNY an "
         "hour, and the market calm asks 7.8 at the least"},
        {BODY(", spot_strategy: SpotWithPriceLimit, spot_price_limit: [{instance_type: "
              "ecs.gn6v-c8g1.2xlarge, price_limit: 7.8}]",
              "", ""),
         SPOT, NULL},
        {WEB("", ""), PLAIN, NULL},
        {WEB("      priority: 3\n      terminationGracePeriodSeconds: 5\n", ""), PLAIN, NULL},
        {WEB("      topologySpreadConstraints: [{maxSkew: 1}]\n", ""), PLAIN,
         "Deployment default/web: spec.template.spec.topologySpreadConstraints is not followed"},
        {WEB("      schedulerName: default-scheduler\n", ""), PLAIN, NULL},
        {WEB("      schedulerName: volcano\n", ""), PLAIN, "schedulerName is not followed"},
        {WEB("      affinity: {podAntiAffinity: {}}\n", ""), PLAIN, "affinity.podAntiAffinity"},
        {WEB("      terminationGracePeriodSecond: 5\n", ""), PLAIN,
         "did you mean 'terminationGracePeriodSeconds'?"},
        {WEB("", "        lifecycle: {preStop: {exec: {command: [sleep, 5]}}}\n"), PLAIN,
         "containers.lifecycle is not followed: the sleep of a preStop hook is the service's "
         "preStop"},
        {WEB("", "      - name: side\n        resources: {limits: {aliyun.com/gpu-mem: 3}}\n"),
         PLAIN,
         "containers.resources.limits.aliyun.com/gpu-mem is not followed: only nvidia.com/gpu"},
        {WEB("", "      - name: side\n        livenessProbe: {tcpSocket: {port: 1}}\n"), PLAIN,
         "the livenessProbe of container side is not followed: only that of the container with the "
         "GPU, tf, is"},
        {WEB("      initContainers: [{name: fetch}]\n", ""), PLAIN,
         "the time that init container fetch takes is not known"},
        {WEB("      initContainers: [{name: mesh, restartPolicy: Always}]\n", ""), PLAIN, NULL},
        {JOB("  parallelism: 1\n  completions: 2\n  activeDeadlineSeconds: 9\n", "", ""), PLAIN,
         NULL},
        {JOB("  suspend: false\n", "", ""), PLAIN, NULL},
        {JOB("  suspend: true\n", "", ""), PLAIN, "Job default/web: spec.suspend is not followed"},
        {JOB("  paralellism: 2\n", "", ""), PLAIN, "did you mean 'parallelism'?"},
        {JOB("  podFailurePolicy: {rules: []}\n", "", ""), PLAIN, "spec.podFailurePolicy"},
        {JOB("", "", "        livenessProbe: {tcpSocket: {port: 1}}\n"), PLAIN,
         "nobody asks a job for its health"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look_at(rows[i].manifest, rows[i].pool);
        cr_expect_eq(told.n, rows[i].words ? 1 : 0, "row %zu: %zu told: %s", i, told.n, words());
        if (rows[i].words)
            cr_expect(strstr(words(), rows[i].words), "row %zu: %s", i, words());
    }
}

Test(unfollowed, settings_of_a_bid_that_nobody_makes_are_told)
{
    static const struct {
        const char *key;
        bool told;
    } rows[] = {
        {"\"onDemandPercentageAboveBaseCapacity\": 30", true},
        {"\"onDemandPercentageAboveBaseCapacity\": 100", false},
        {"\"onDemandPercentageAboveBaseCapacity\": 0", true},
        {"\"spotInstanceRemedy\": true", true},
        {"\"spotInstanceRemedy\": false", false},
        {"\"spotInstancePools\": 2", true},
        {"\"onDemandPercentageAboveBaseCapacity\": 30, \"spotMarket\": \"calm\"", false},
        {"\"onDemandPercentageAboveBaseCapacity\": 30, \"spotMarket\": \"calm\", \"spotStrategy\": "
         "\"NoSpot\"",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char pool[300];
        snprintf(pool, sizeof pool,
                 "{\"name\": \"p\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], %s}",
                 rows[i].key);
        look_at(JOB("", "", ""), pool);
        cr_expect_eq(told.n, rows[i].told, "%s: %s", rows[i].key, words());
    }
}

/* What a Job says of its pods, and a bare pod of its time. */
Test(unfollowed, the_fields_of_a_job_are_followed)
{
    struct err e = {0};
    struct scenario *s =
        load(JOB("  parallelism: 2\n  completions: 4\n  activeDeadlineSeconds: 600\n", "",
                 "        resources: {limits: {nvidia.com/gpu: 1}}\n      - name: b\n"
                 "        resources: {limits: {nvidia.com/gpu: 2}}\n"),
             PLAIN, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    const struct job_config *c = s->jobs.items;
    cr_expect_eq(c->count, 1);
    cr_expect_eq(c->completions, 4);
    cr_expect_eq(c->parallelism, 2);
    cr_expect_eq(c->deadline, 600 * SIM_SECOND);
    cr_expect_eq(c->back_off_limit, 2);
    cr_expect_eq(c->pod.gpus, 3);
    scenario_free(s);
    s = load("kind: Pod\nmetadata: {name: web}\nspec: {restartPolicy: Never, "
             "activeDeadlineSeconds: 60, containers: [{name: a}]}\n",
             PLAIN, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    c = s->jobs.items;
    cr_expect_eq(jobs_completions(c), 1);
    cr_expect_eq(c->deadline, 60 * SIM_SECOND);
    scenario_free(s);
}

/* The bid of a node pool's body is the bid of the pool. */
Test(unfollowed, the_bid_of_a_body_is_followed)
{
    struct err e = {0};
    struct scenario *s =
        load(BODY(", spot_strategy: SpotWithPriceLimit, spot_instance_remedy: true, "
                  "spot_price_limit: [{instance_type: ecs.gn6v-c8g1.2xlarge, price_limit: '3.0'}]",
                  "", ", type: spot"),
             SPOT, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    const struct pool_config *c = s->cluster.pools.items;
    cr_expect_eq(c->spot_strategy, POOL_PRICE_LIMIT);
    cr_expect_eq(pool_price_limit(c, "ecs.gn6v-c8g1.2xlarge"), 3000000);
    cr_expect_eq(pool_price_limit(c, "ecs.gn6v-c8g1.8xlarge"), 0, "as the price goes");
    cr_expect(c->remedy);
    scenario_free(s);
    s = load(BODY("", "", ", type: spot"), SPOT, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    c = s->cluster.pools.items;
    cr_expect_eq(c->spot_strategy, POOL_AS_PRICE_GOES);
    scenario_free(s);
}

Test(unfollowed, a_bid_without_its_market_or_its_limit_is_refused)
{
    static const struct {
        const char *manifest, *pool, *words;
    } rows[] = {
        {BODY(", spot_strategy: SpotAsPriceGo", "", ""), "{\"name\": \"p\"}",
         "spotMarket: a pool that buys spot must name its market"},
        {BODY("", "", ", type: spot"), "{\"name\": \"p\"}", "must name its market"},
        {BODY(", spot_strategy: SpotWithPriceLimit", "", ""), SPOT, "SpotWithPriceLimit needs a"},
        {BODY("", "", ""),
         "{\"name\": \"p\", \"spotMarket\": \"calm\", \"spotPriceLimit\": \"5 CNY\"}",
         "spotPriceLimit: goes with spotStrategy SpotWithPriceLimit alone"},
        {BODY(", spot_price_limit: [{instance_type: ecs.gn6v-c8g1.2xlarge, price_limit: 3}]", "",
              ""),
         SPOT, "spotPriceLimits: goes with spotStrategy SpotWithPriceLimit alone"},
        {BODY(", spot_strategy: SpotWithPriceLimit, spot_price_limit: [{instance_type: "
              "ecs.gn6v-c8g1.2xlrge, price_limit: 3}]",
              "", ""),
         SPOT, "buys nothing of 'ecs.gn6v-c8g1.2xlrge'; did you mean"},
        {BODY(", spot_strategy: SpotWithPriceLimit, spot_price_limit: [{instance_type: "
              "ecs.gn6v-c8g1.2xlarge, price_limit: much}]",
              "", ""),
         SPOT, "'much' is no price of an hour"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        cr_expect_null(load(rows[i].manifest, rows[i].pool, &e), "row %zu", i);
        cr_expect(strstr(e.msg, rows[i].words), "row %zu: %s", i, e.msg);
    }
}
