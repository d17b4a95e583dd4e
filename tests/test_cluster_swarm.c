/* test_cluster_swarm: random clusters under random wants; only laws are checked. The laws of money
 * and GPUs are asserted in the models at the end of each run; here the bills are added up from the
 * result and the calls are checked to make sense. --verbose shows the seed of a run that dies. */
#include "sim/chance.h"
#include "sim/money.h"
#include "sim/text.h"
#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <string.h>

#define S SIM_SECOND
#define RUNS 300
#define HORIZON (8 * SIM_HOUR)

static struct fixture_cluster f;

/* Draws in a row. */
struct dice {
    struct chance c;
    uint64_t k;
};

static uint64_t roll(struct dice *d, uint64_t n)
{
    return chance_below(d->c, d->k++, n);
}

static const char *pick(struct dice *d, const char *const *of, size_t n)
{
    return of[roll(d, n)];
}
#define PICK(d, of) pick(d, of, sizeof(of) / sizeof(of)[0])

static void add_pool(struct text *t, struct dice *d, size_t i)
{
    static const char *const types[] = {
        "\"ecs.gn6v-c8g1.2xlarge\"", "\"ecs.gn6v-c8g1.8xlarge\"", "\"ecs.gn6i-c4g1.xlarge\"",
        "\"ecs.gn6v-c8g1.2xlarge\", \"ecs.gn6v-c8g1.8xlarge\"",
        "\"ecs.gn6i-c4g1.xlarge\", \"ecs.gn6i-c24g1.24xlarge\", \"ecs.gn5i-c8g1.2xlarge\""};
    static const char *const zones[] = {"\"a\"", "\"a\", \"b\"", "\"b\", \"a\", \"c\""};
    static const char *const policies[] = {"PRIORITY", "BALANCE", "COST_OPTIMIZED"};
    static const char *const roundings[] = {"ceil", "floor", "nearest", "runningTarget"};
    static const char *const markets[] = {"calm",        "medium", "scarce",     "harsh",
                                          "plenty",      "steps",  "bulkMedium", "bulkScarce",
                                          "stockScarce", "moving"};
    static const char *const notices[] = {"none", "drain"};
    static const char *const limits[] = {
        "", ", \"spotStrategy\": \"SpotWithPriceLimit\", \"spotPriceLimit\": \"8.5 CNY\""};
    static const char *const truths[] = {"true", "false"};
    static const char *const steps[] = {"1s", "1m", "1h"};
    uint64_t min = roll(d, 3);
    text_printf(t, "%s{\"name\": \"p%zu\", \"labels\": {\"pool\": \"p%zu\"}", i ? ", " : "", i, i);
    text_printf(t, ", \"instanceTypes\": [%s]", PICK(d, types));
    text_printf(t, ", \"zones\": [%s]", PICK(d, zones));
    text_printf(t, ", \"minSize\": %d", (int)min);
    text_printf(t, ", \"maxSize\": %d", (int)(min + 1 + roll(d, 8)));
    text_printf(t, ", \"initialSize\": %d", (int)(min + roll(d, 2)));
    text_printf(t, ", \"multiAZPolicy\": \"%s\"", PICK(d, policies));
    text_printf(t, ", \"onDemandBaseCapacity\": %d", (int)roll(d, 3));
    text_printf(t, ", \"onDemandPercentageAboveBaseCapacity\": %d", (int)roll(d, 101));
    text_printf(t, ", \"onDemandRounding\": \"%s\"", PICK(d, roundings));
    text_printf(t, ", \"compensateWithOnDemand\": %s", PICK(d, truths));
    text_printf(t, ", \"onSpotNotice\": \"%s\"", PICK(d, notices));
    text_printf(t, ", \"spotNotice\": \"%ds\"", 1 + (int)roll(d, 400));
    text_printf(t, ", \"spotDuration\": %d", (int)roll(d, 3));
    text_printf(t, ", \"spotInstancePools\": %d", (int)(1 + roll(d, 3)));
    text_printf(t, ", \"billingStep\": \"%s\"", PICK(d, steps));
    if (roll(d, 4))
        text_printf(t, ", \"spotMarket\": \"%s\"%s", PICK(d, markets), PICK(d, limits));
    if (roll(d, 2))
        text_printf(t, ", \"daemonSetCpu\": \"300m\", \"daemonSetMemory\": \"500Mi\"");
    if (roll(d, 2))
        text_printf(t, ", \"nodeObjectGone\": \"%ds\"", (int)roll(d, 500));
    text_add(t, "}");
}

static void add_service(struct text *t, struct dice *d, size_t i)
{
    static const char *const selectors[] = {"", ", \"nodeSelector\": {\"pool\": \"p0\"}"};
    text_printf(t, "%s{\"name\": \"s%zu\"", i ? ", " : "", i);
    text_printf(t, ", \"pod\": {\"gpus\": %d", (int)(roll(d, 5) ? 1 : roll(d, 5)));
    text_printf(t, ", \"cpu\": \"%dm\"", (int)roll(d, 4000));
    text_printf(t, ", \"priority\": %d%s}", (int)roll(d, 3), PICK(d, selectors));
    text_printf(t, ", \"startup\": {\"image\": {\"size\": \"%dM\"}", (int)roll(d, 3000));
    text_printf(t, ", \"model\": {\"size\": \"%dM\"}", (int)roll(d, 8000));
    text_printf(t,
                ", \"frameworkInit\": {\"distribution\": \"lognormal\", \"mean\": \"%ds\", "
                "\"cv\": 0.5}",
                (int)(1 + roll(d, 100)));
    if (roll(d, 2))
        text_printf(t,
                    ", \"livenessProbe\": {\"initialDelay\": \"30s\", \"period\": \"5s\", "
                    "\"failureThreshold\": %d}",
                    (int)(1 + roll(d, 30)));
    if (roll(d, 2))
        text_printf(t, ", \"readinessProbe\": {\"period\": \"%ds\"}", (int)(1 + roll(d, 20)));
    text_add(t, "}}");
}

static void write_cluster(struct text *t, struct dice *d)
{
    static const char *const profiles[] = {"ack", "upstream"};
    static const char *const scorings[] = {"LeastAllocated", "MostAllocated"};
    size_t pools = 1 + roll(d, 3), services = 1 + roll(d, 3);
    text_add(t, "{\"nodePools\": [");
    for (size_t i = 0; i < pools; i++)
        add_pool(t, d, i);
    text_add(t, "], \"services\": [");
    for (size_t i = 0; i < services; i++)
        add_service(t, d, i);
    text_printf(t, "], \"scheduler\": {\"scoringStrategy\": \"%s\"}", PICK(d, scorings));
    if (roll(d, 8))
        text_printf(t, ", \"clusterAutoscaler\": {\"profile\": \"%s\"}", PICK(d, profiles));
    text_add(t, "}");
}

static void play(const char *text, struct dice d, uint64_t seed)
{
    fixture_open(&f, text, HORIZON, seed);
    f.drain_ns = (sim_ns)roll(&d, 60 * (uint64_t)S);
    fixture_start(&f);
    for (uint32_t o = 0; o < f.n_owners; o++) {
        fixture_want(&f, o, (int32_t)roll(&d, 3));
        for (int i = 0; i < 12; i++) {
            sim_ns at = (sim_ns)roll(&d, (uint64_t)HORIZON);
            fixture_want_at(&f, at, o, (int32_t)roll(&d, 10));
        }
    }
    fixture_close(&f);
}

static void check_bills(uint64_t seed)
{
    int64_t sum = f.result.bills_dropped_micro;
    for (size_t i = 0; i < f.result.n_bills; i++) {
        const struct result_bill *b = &f.result.bills[i];
        cr_assert_eq(b->amount_micro, money_for(b->micro_per_hour, b->to - b->from));
        sum += b->amount_micro;
    }
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), (double)sum / 1e6, 1e-7, "seed %d",
                       (int)seed);
    static const char *const parts[] = {"cost.byClass.", "cost.byBilling.", "cost.byResource."};
    for (size_t p = 0; p < 3; p++) {
        double total = 0;
        for (size_t i = 0; i < f.result.n_figures; i++)
            if (strncmp(f.result.figures[i].path, parts[p], strlen(parts[p])) == 0)
                total += f.result.figures[i].value;
        cr_assert_float_eq(total, (double)sum / 1e6, 1e-6, "seed %d: %s", (int)seed, parts[p]);
    }
    double bound = result_value(&f.result, "cost.baselines.clairvoyant", 0);
    cr_assert_leq(bound, (double)sum / 1e6 + 1e-6, "seed %d", (int)seed);
}

/* Ready once, dead or gone at most once, nothing after gone. */
static void check_calls(uint64_t seed)
{
    for (size_t i = 0; i < f.n_seen; i++) {
        const struct fixture_seen *a = &f.seen[i];
        for (size_t j = i + 1; j < f.n_seen; j++) {
            const struct fixture_seen *b = &f.seen[j];
            if (a->pod.slot != b->pod.slot || a->pod.generation != b->pod.generation)
                continue;
            cr_assert_leq(a->at, b->at);
            cr_assert_neq(a->call, CALL_GONE, "seed %d: a call after pod_gone", (int)seed);
            if (a->call == CALL_DEAD)
                cr_assert(b->call == CALL_UNLISTED || b->call == CALL_GONE, "seed %d", (int)seed);
            if (a->call == CALL_EVICTED)
                cr_assert(b->call == CALL_DEAD || b->call == CALL_GONE, "seed %d", (int)seed);
            if (a->call == CALL_READY)
                cr_assert_neq(b->call, CALL_READY, "seed %d", (int)seed);
        }
    }
}

Test(cluster_swarm, keeps_the_laws)
{
    size_t ready = 0, dead = 0, gone = 0, unlisted = 0, evicted = 0;
    double compensations = 0, refusals = 0, unused = 0, fragmentation = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct text t = {0};
        struct dice d = {chance_stream(seed, 0, CHANCE_TEST, 0), 0};
        cr_log_info("seed %d", (int)seed);
        write_cluster(&t, &d);
        play(t.s, d, seed);
        check_bills(seed);
        check_calls(seed);
        ready += f.counts[CALL_READY];
        dead += f.counts[CALL_DEAD];
        gone += f.counts[CALL_GONE];
        unlisted += f.counts[CALL_UNLISTED];
        evicted += f.counts[CALL_EVICTED];
        compensations += fixture_figure(&f, "nodes.compensations");
        refusals += fixture_figure(&f, "nodes.refusals");
        unused += fixture_figure(&f, "nodes.neverUsed");
        fragmentation += fixture_figure(&f, "cost.byClass.fragmentation");
        fixture_fini(&f);
        text_fini(&t);
    }
    /* The swarm must reach what it is there for. */
    cr_assert(ready > 1000 && dead > 100 && gone > 100 && unlisted > 100 && evicted > 100);
    cr_assert(compensations > 10 && refusals > 10 && unused > 10 && fragmentation > 10);
    cr_log_info("%zu ready, %zu dead, %zu gone, %zu unlisted, %zu evicted; %g instead of spot, %g "
                "refused, %g never used",
                ready, dead, gone, unlisted, evicted, compensations, refusals, unused);
}

Test(cluster_swarm, says_the_same_twice)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t digests[2];
        double costs[2];
        for (int i = 0; i < 2; i++) {
            struct text t = {0};
            struct dice d = {chance_stream(seed, 0, CHANCE_TEST, 0), 0};
            write_cluster(&t, &d);
            play(t.s, d, seed);
            digests[i] = recorder_digest(f.recorder);
            costs[i] = fixture_figure(&f, "cost.total");
            fixture_fini(&f);
            text_fini(&t);
        }
        cr_assert_eq(digests[0], digests[1], "seed %d", (int)seed);
        cr_assert_eq(costs[0], costs[1], "seed %d", (int)seed);
    }
}
