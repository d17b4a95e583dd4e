/* test_users_startup: what people ask about cold starts (USERS B15, B17 to B19), as whole runs
 * whose figures are worked out by hand. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define STEP                                                                                       \
    "services.bert.traffic.qps={\"profile\": [{\"at\": \"0s\", \"qps\": 5}, {\"at\": \"10m\", "    \
    "\"qps\": 15}], \"interpolation\": \"steps\"}"

static double stacked(const struct fixture_scenario *p, const char *pod)
{
    sim_ns sum = 0, at = -1;
    for (size_t i = 0; i < p->r->n_spans; i++) {
        const struct result_span *s = &p->r->spans[i];
        if (strcmp(s->track, pod) != 0)
            continue;
        cr_assert(at < 0 || s->from == at, "a gap before %s", s->phase);
        at = s->to;
        sum += s->to - s->from;
    }
    return (double)sum / 1e9;
}

/* The pod is asked for at 630 s. Node 90 s and GPUs 60 s; 1.2 GiB at 20 MB/s 64.42 s and 2 s before
 * the first byte; mount 2 s, container 1 s, 409 MB at 100 MB/s 4.09 s, framework 1.6 s; the probe
 * looks each 10 s from the container's start on. */
Test(users_startup, b15_the_phases_of_a_pod_add_up_to_its_start)
{
    struct fixture_scenario p = PLAY("users-pool", STEP);
    static const struct {
        const char *phase;
        double seconds;
    } rows[] = {{"nodeBoot", 90},       {"gpuReady", 60},      {"imagePull", 66.42450944},
                {"volumeMount", 2},     {"containerStart", 1}, {"modelLoad", 4.09},
                {"frameworkInit", 1.6}, {"readiness", 4.31}};
    double sum = fixture_value(&p, "startup.waitNode.max"), shares = 0;
    cr_assert(sum > 0 && sum <= 40, "the wait for the scan: %g s", sum);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "startup.%s.max", rows[i].phase);
        cr_assert_float_eq(fixture_value(&p, path), rows[i].seconds, 1e-6, "%s", path);
        sum += rows[i].seconds;
        snprintf(path, sizeof path, "startup.%s.share", rows[i].phase);
        shares += fixture_value(&p, path);
    }
    shares += fixture_value(&p, "startup.waitNode.share");
    cr_assert_float_eq(fixture_value(&p, "startup.total.max"), sum, 1e-6);
    cr_assert_float_eq(stacked(&p, "bert-1"), sum, 1e-6, "request to Ready");
    cr_assert_float_eq(shares, 1, 1e-9);
    cr_assert_eq(fixture_value(&p, "startup.nodeBoot.longest"), fixture_value(&p, "startup.pods"));
    const char *told = fixture_finding(&p, "startup-critical");
    cr_assert(told && strstr(told, "nodeBoot"), "%s", told ? told : "nothing");
    fixture_stop(&p);
}

/* An image of 15 GB: pulled at 40 MB/s 375 s and 2 s before; cached, but restored as it is touched,
 * whole at 25 MB/s 600 s; where the first use touches 6.4 % of it 38.4 s. */
Test(users_startup, b17_a_cached_image_may_be_slower_than_a_pull)
{
    static const struct {
        const char *image;
        double pull, first_use;
    } rows[] = {
        {"{\"size\": \"15G\", \"bandwidth\": \"40M\"}", 377, 0},
        {"{\"size\": \"15G\", \"cached\": true, \"lazy\": {\"share\": 1}}", 0, 600},
        {"{\"size\": \"15G\", \"cached\": true, \"lazy\": {}}", 0, 38.4},
        {"{\"size\": \"15G\", \"cached\": true}", 0, 0},
    };
    double total[4];
    for (size_t i = 0; i < 4; i++) {
        char set[160];
        snprintf(set, sizeof set, "services.bert.startup.image=%s", rows[i].image);
        struct fixture_scenario p = PLAY("users-pool", STEP, set);
        cr_assert_float_eq(fixture_value(&p, "startup.imagePull.max"), rows[i].pull, 1e-6);
        cr_assert_float_eq(result_value(p.r, "startup.firstUse.max", 0), rows[i].first_use, 1e-6);
        total[i] = fixture_value(&p, "startup.total.max");
        fixture_stop(&p);
    }
    cr_assert_gt(total[1], total[0] + 200, "cached is not always fast");
    cr_assert(total[2] < total[0] && total[3] < total[2]);
}

/* A fit through 44 MB in 60 s and 900 MB in 110 s: 0.0584 s/MB, or 17.12 MB/s, on top of 57.43 s.
 */
Test(users_startup, b18_the_start_of_a_serverless_pod_grows_with_its_image)
{
    static const struct {
        const char *size, *cache;
        double seconds;
    } rows[] = {{"44M", "false", 60},
                {"900M", "false", 110},
                {"44M", "true", 57.43 + 5},
                {"900M", "true", 57.43 + 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char jobs[400], cache[64];
        snprintf(jobs, sizeof jobs,
                 "jobs=[{\"name\": \"aci\", \"runTime\": \"10s\", \"startup\": {\"image\": {"
                 "\"size\": \"%s\", \"bandwidth\": \"17.12M\", \"overhead\": \"0s\"}, "
                 "\"volumeMount\": \"0s\", \"containerStart\": \"0s\", \"frameworkInit\": "
                 "\"0s\"}}]",
                 rows[i].size);
        snprintf(cache, sizeof cache, "virtualNode.imageCache=%s", rows[i].cache);
        struct fixture_scenario p =
            PLAY("elastic", "manifests=[]", "services=[]", "nodePools=[]", jobs, cache,
                 "virtualNode.burstResource=eci_only", "virtualNode.create=57.43s");
        cr_assert_float_eq(fixture_value(&p, "startup.total.mean"), rows[i].seconds, 0.01);
        /* Paid for from the image download on, by whole seconds. */
        double billed = rows[i].seconds - 57.43 + 10;
        double seconds = fixture_value(&p, "eci.aci.billedSeconds");
        cr_assert(seconds >= billed - 0.01 && seconds < billed + 1, "%g for %g", seconds, billed);
        fixture_stop(&p);
    }
}

/* No node yet: the first pod is ready 266.9 s into the run. An activator holds what comes, one
 * request a second, and clients wait for 60 s: 206 give up before. Of the 60 that are held the
 * first 32, as many as the server has threads, share the GPU for 2.24 s then (70 ms each), in which
 * three more run out of time; the others have 30 s left. */
Test(users_startup, b19_a_client_that_waits_less_than_the_cold_start)
{
    struct fixture_scenario p =
        PLAY("users-pool", "nodePools.elastic.initialSize=0", "services.bert.traffic.qps=1",
             "services.bert.ingress.hold=true", "services.bert.ingress.clientTimeout=60s");
    double ready = fixture_value(&p, "startup.total.max");
    cr_assert(ready > 266 && ready < 268, "%g", ready);
    cr_assert_eq(fixture_value(&p, "requests.failed.timeout"), 209);
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 209, "each by one cause");
    cr_assert_eq(fixture_value(&p, "requests.arrived"), 209 + fixture_value(&p, "requests.served") +
                                                            fixture_value(&p, "requests.inFlight"));
    cr_assert_lt(fixture_value(&p, "latency.max"), 60);
    fixture_stop(&p);
    /* nginx alone holds nothing: all 266 of the cold start are refused at once. */
    p = PLAY("users-pool", "nodePools.elastic.initialSize=0", "services.bert.traffic.qps=1");
    cr_assert_eq(fixture_value(&p, "requests.failed.refused"), 266);
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 266);
    fixture_stop(&p);
    /* Whoever waits for ever is served, and has waited for the start. */
    p = PLAY("users-pool", "nodePools.elastic.initialSize=0", "services.bert.traffic.qps=1",
             "services.bert.ingress.hold=true", "services.bert.ingress.timeout=0s");
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 0);
    cr_assert_gt(fixture_value(&p, "latency.max"), 265);
    fixture_stop(&p);
}

/* Two pods start at once on two nodes: each pulls 1.2 GB at up to 60 MB/s, and loads 409 MB at up
 * to 100 MB/s. A registry of 60 MB/s for all makes the pull twice as long, a store of 100 MB/s for
 * all the load. */
Test(users_startup, pods_that_start_together_share_registry_and_store)
{
    static const struct {
        const char *set;
        double pull, load;
    } rows[] = {{"seed=1", 20, 4.09},
                {"services.bert.startup.image.sharedBandwidth=60M", 40, 4.09},
                {"services.bert.startup.model.sharedBandwidth=100M", 20, 8.18}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture_scenario p = PLAY(
            "users-pool", "services.bert.initialReplicas=2", "nodePools.elastic.initialSize=0",
            "services.bert.autoscaler={\"fixed\": 2}",
            "services.bert.startup.image={\"size\": \"1.2G\", \"registry\": \"vpc\", \"overhead\": "
            "\"0s\"}",
            rows[i].set);
        cr_assert_float_eq(fixture_value(&p, "startup.imagePull.mean"), rows[i].pull, 1e-6);
        cr_assert_float_eq(fixture_value(&p, "startup.modelLoad.mean"), rows[i].load, 1e-6);
        fixture_stop(&p);
    }
}
