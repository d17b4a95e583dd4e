/* test_swarm_money: random scenarios whose money must add up, to the micro-unit.
 *
 * Of each one: total = sum by resource = sum by class = sum by billing = the bills, and every bill
 * is its price times its time; from the event log the time of each machine is derived once more,
 * and the total from that. A slice runs in every test run, tests/swarm_money.sh runs all of it; the
 * variables SWARM_FIRST and SWARM_COUNT say which. A failure names the scenario's number and keeps
 * its text. */
#include "models/capacity/pool.h"
#include "models/capacity/virtual_node.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/world.h"
#include "sim/money.h"
#include "sim/text.h"
#include "tests/dice.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE 100

static const char *pick(struct dice *d, const char *const *of, size_t n)
{
    return of[dice_int(d, 0, (int64_t)n - 1)];
}
#define PICK(d, ...)                                                                               \
    pick(d, (const char *const[]){__VA_ARGS__},                                                    \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- a scenario ---- */

struct plan {
    struct dice dice;
    bool usd, nodes, eci, spot;
    int hours;
    struct text t;
};

static void add_service(struct plan *p, int i)
{
    struct dice *d = &p->dice;
    struct text *t = &p->t;
    text_printf(t, "%s{\"name\": \"svc%d\", \"initialReplicas\": %d, ", i ? ", " : "", i,
                (int)dice_int(d, 0, 3));
    text_printf(t, "\"traffic\": {\"qps\": %d, \"arrivals\": \"%s\"}, ", (int)dice_int(d, 0, 40),
                PICK(d, "poisson", "evenly"));
    text_printf(t,
                "\"serving\": {\"serviceTime\": {\"V100\": \"%dms\"}, \"discipline\": \"%s\", "
                "\"concurrency\": 40, \"maxQueue\": 100}, ",
                (int)dice_int(d, 5, 60), PICK(d, "shared", "fifo"));
    text_printf(t, "\"pod\": {\"gpus\": %d}, \"ingress\": {\"timeout\": \"10s\"}, ",
                dice_int(d, 0, 4) == 0 && !p->usd ? 2 : 1);
    text_printf(t,
                "\"startup\": {\"image\": {\"time\": \"%ds\"}, \"model\": {\"time\": \"%ds\"}}, ",
                (int)dice_int(d, 1, 90), (int)dice_int(d, 0, 60));
    if (dice_flag(d))
        text_printf(t, "\"autoscaler\": {\"fixed\": %d}}", (int)dice_int(d, 0, 4));
    else
        text_printf(t,
                    "\"autoscaler\": {\"hpa\": {\"minReplicas\": 1, \"maxReplicas\": %d, "
                    "\"metrics\": [{\"type\": \"External\", \"external\": {\"metric\": {\"name\": "
                    "\"sls_ingress_qps\"}, \"target\": {\"type\": \"AverageValue\", "
                    "\"averageValue\": \"%d\"}}}]}}}",
                    (int)dice_int(d, 1, 6), (int)dice_int(d, 2, 15));
}

static void add_job(struct plan *p, int i)
{
    struct dice *d = &p->dice;
    text_printf(&p->t,
                "%s{\"name\": \"job%d\", \"count\": %d, \"every\": \"%dm\", \"runTime\": "
                "{\"distribution\": \"lognormal\", \"mean\": \"%ds\", \"cv\": 0.8}, \"pod\": "
                "{\"gpus\": 1, \"gpuTypes\": [\"V100\"]}}",
                i ? ", " : "", i, (int)dice_int(d, 1, 6), (int)dice_int(d, 1, 20),
                (int)dice_int(d, 5, 3000));
}

static void add_pool(struct plan *p, int i)
{
    struct dice *d = &p->dice;
    struct text *t = &p->t;
    int min = (int)dice_int(d, 0, 2);
    bool spot = dice_flag(d);
    text_printf(t, "%s{\"name\": \"pool%d\", \"instanceTypes\": [%s], ", i ? ", " : "", i,
                p->usd ? PICK(d, "\"ecs.gn6v-c8g1.2xlarge\"", "\"p3.2xlarge\"")
                       : PICK(d, "\"ecs.gn6v-c8g1.2xlarge\"", "\"ecs.gn6v-c8g1.8xlarge\"",
                              "\"ecs.gn6v-c8g1.8xlarge\", \"ecs.gn6v-c8g1.2xlarge\""));
    text_printf(t, "\"zones\": [%s], \"minSize\": %d, \"maxSize\": %d, \"initialSize\": %d, ",
                PICK(d, "\"a\"", "\"a\", \"b\""), min, min + (int)dice_int(d, 1, 6),
                min + (int)dice_int(d, 0, 1));
    text_printf(t, "\"multiAZPolicy\": \"%s\", \"billingStep\": \"%s\", ",
                PICK(d, "PRIORITY", "BALANCE", "COST_OPTIMIZED"), PICK(d, "1s", "1m", "1h"));
    if (spot)
        text_printf(t,
                    "\"spotMarket\": \"%s\", \"onDemandBaseCapacity\": %d, "
                    "\"onDemandPercentageAboveBaseCapacity\": %d, \"onDemandRounding\": \"%s\", "
                    "\"compensateWithOnDemand\": %s, \"spotInstanceRemedy\": %s, "
                    "\"spotAutoReplaceOnDemand\": %s, \"onSpotNotice\": \"%s\", "
                    "\"spotDuration\": %d, ",
                    PICK(d, "calm", "medium", "scarce", "plentiful"), (int)dice_int(d, 0, 2),
                    (int)dice_int(d, 0, 100), PICK(d, "ceil", "floor", "nearest", "runningTarget"),
                    PICK(d, "true", "false"), PICK(d, "true", "false"), PICK(d, "true", "false"),
                    PICK(d, "none", "drain"), (int)dice_int(d, 0, 1));
    text_printf(t, "\"delivery\": \"%s\"}", PICK(d, "standard", "swift"));
    p->spot = p->spot || spot;
}

static void add_node(struct plan *p)
{
    struct dice *d = &p->dice;
    bool spot = dice_int(d, 0, 2) == 0;
    text_printf(&p->t, ", \"virtualNode\": {\"burstResource\": \"%s\", \"billingStep\": \"%s\"",
                p->nodes ? PICK(d, "eci", "eci_only", "none") : "eci_only", PICK(d, "1s", "1m"));
    if (spot)
        text_printf(&p->t,
                    ", \"spotStrategy\": \"SpotAsPriceGo\", \"spotMarket\": \"%s\", "
                    "\"onSpotNotice\": \"%s\"",
                    PICK(d, "calm", "medium", "scarce"), PICK(d, "none", "drain"));
    text_add(&p->t, "}");
}

static void add_drills(struct plan *p)
{
    struct dice *d = &p->dice;
    const char *sign = "";
    text_add(&p->t, ", \"drills\": [");
    if (p->spot && dice_flag(d)) {
        text_printf(&p->t, "\"spot-loss=%d/3@%dm\"", (int)dice_int(d, 1, 3),
                    (int)dice_int(d, 1, 60 * p->hours - 1));
        sign = ", ";
    }
    if (p->spot && dice_flag(d)) {
        text_printf(&p->t, "%s\"stock-out=%dm@%dm\"", sign, (int)dice_int(d, 1, 200),
                    (int)dice_int(d, 0, 60 * p->hours - 1));
        sign = ", ";
    }
    if (p->nodes && dice_int(d, 0, 2) == 0) {
        text_printf(&p->t, "%s\"zone-loss=a/%dm@%dm\"", sign, (int)dice_int(d, 1, 90),
                    (int)dice_int(d, 0, 60 * p->hours - 1));
        sign = ", ";
    }
    if (dice_int(d, 0, 3) == 0)
        text_printf(&p->t, "%s\"registry-slow=%dx@%dm\"", sign, (int)dice_int(d, 1, 20),
                    (int)dice_int(d, 0, 60 * p->hours - 1));
    text_add(&p->t, "]");
}

static void write_scenario(struct plan *p, uint64_t number)
{
    *p = (struct plan){.dice = dice_of(number)};
    struct dice *d = &p->dice;
    int services = (int)dice_int(d, 0, 2), jobs = (int)dice_int(d, services ? 0 : 1, 2);
    p->usd = dice_int(d, 0, 4) == 0;
    p->nodes = dice_int(d, 0, 3) > 0;
    p->eci = !p->nodes || dice_flag(d);
    p->hours = (int)dice_int(d, 1, 9);
    text_printf(&p->t,
                "{\"sluice\": 1, \"name\": \"swarm\", \"horizon\": \"%dh\", \"seed\": %llu, "
                "\"replications\": 1, \"currency\": \"%s\", \"limits\": {\"logEntries\": 200000}, "
                "\"services\": [",
                p->hours, (unsigned long long)number, p->usd ? "USD" : "CNY");
    for (int i = 0; i < services; i++)
        add_service(p, i);
    text_add(&p->t, "], \"jobs\": [");
    for (int i = 0; i < jobs; i++)
        add_job(p, i);
    text_add(&p->t, "], \"nodePools\": [");
    for (int i = 0, n = p->nodes ? (int)dice_int(d, 1, 2) : 0; i < n; i++)
        add_pool(p, i);
    text_add(&p->t, "]");
    if (p->nodes)
        text_printf(&p->t, ", \"clusterAutoscaler\": {\"profile\": \"%s\"}",
                    PICK(d, "ack", "upstream"));
    if (p->eci)
        add_node(p);
    add_drills(p);
    text_add(&p->t, "}\n");
}

/* ---- its money ---- */

static int64_t micro_of(double units)
{
    return (int64_t)llround(units * 1e6);
}

static int64_t sum_of(const struct result *r, const char *head)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->n_figures; i++)
        if (strncmp(r->figures[i].path, head, strlen(head)) == 0)
            sum += micro_of(r->figures[i].value);
    return sum;
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* When the log says that the platform began or ceased to hold a machine; SIM_NEVER: it does not. */
static sim_ns logged(const struct result *r, const char *who, bool end)
{
    for (size_t i = 0; i < r->n_entries; i++) {
        const struct result_entry *e = &r->entries[i];
        bool begins = same(e->what, "bought") || same(e->what, "there from the start");
        bool ends = same(e->what, "deleted") || same(e->what, "lost") ||
                    same(e->what, "delivery cancelled");
        if (same(e->subject, who) && (end ? ends : begins))
            return e->at;
    }
    return SIM_NEVER;
}

static sim_ns step_of(const struct scenario *s, const char *group)
{
    const struct pool_config *pools = s->cluster.pools.items;
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        if (same(pools[i].name, group))
            return pools[i].billing_step;
    return s->cluster.virtual_node->billing_step;
}

/* The end of the last of a machine's bills by its times in the log. */
static sim_ns paid_until(const struct scenario *s, const struct result_bill *b, sim_ns from,
                         sim_ns end)
{
    sim_ns step = step_of(s, b->group);
    return end == SIM_NEVER ? s->horizon : from + (end - from + step - 1) / step * step;
}

static bool is_instance(const struct result_bill *b)
{
    return strncmp(b->billing, "eci", 3) == 0;
}

/* The bills of one machine, from the first of them on: without gaps, from its purchase to its end
 * by the log. Returns their sum. */
static int64_t machine(const struct scenario *s, const struct result *r, size_t first)
{
    const struct result_bill *b = &r->bills[first];
    sim_ns at = b->from, began = logged(r, b->resource, false);
    int64_t sum = 0;
    for (size_t i = first; i < r->n_bills; i++)
        if (same(r->bills[i].resource, b->resource)) {
            cr_assert_eq(r->bills[i].from, at, "%s is paid for twice or not at all", b->resource);
            at = r->bills[i].to;
            sum += money_for(r->bills[i].micro_per_hour, r->bills[i].to - r->bills[i].from);
        }
    if (is_instance(b)) {
        cr_assert(at == s->horizon || (at - b->from) % step_of(s, b->group) == 0);
        return sum;
    }
    cr_assert_eq(b->from, began, "%s: bought at %lld, paid from %lld", b->resource,
                 (long long)began, (long long)b->from);
    sim_ns until = paid_until(s, b, began, logged(r, b->resource, true));
    cr_assert_eq(at, until, "%s: paid until %lld, by the log until %lld", b->resource,
                 (long long)at, (long long)until);
    return sum;
}

static bool seen_before(const struct result *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same(r->bills[k].resource, r->bills[i].resource))
            return true;
    return false;
}

static void check_money(const struct scenario *s, const struct result *r)
{
    int64_t total = micro_of(result_value(r, "cost.total", -1)), bills = 0, derived = 0;
    cr_assert_geq(total, 0);
    for (size_t i = 0; i < r->n_bills; i++) {
        const struct result_bill *b = &r->bills[i];
        cr_assert_eq(b->amount_micro, money_for(b->micro_per_hour, b->to - b->from));
        cr_assert_str_eq(b->currency, s->currency);
        bills += b->amount_micro;
        /* A log that was cut derives nothing. */
        if (r->bills_dropped + r->entries_dropped == 0 && !seen_before(r, i))
            derived += machine(s, r, i);
    }
    cr_assert_eq(bills + r->bills_dropped_micro, total);
    cr_assert(r->bills_dropped + r->entries_dropped > 0 || derived == total,
              "by the log %lld, in all %lld", (long long)derived, (long long)total);
    cr_assert_eq(sum_of(r, "cost.byResource."), total);
    cr_assert_eq(sum_of(r, "cost.byClass."), total);
    cr_assert_eq(sum_of(r, "cost.byBilling."), total);
    double bound = result_value(r, "cost.baselines.clairvoyant", 0);
    cr_assert(micro_of(bound) <= total, "the bound %g is above the cost %g", bound,
              (double)total / 1e6);
    double savable = result_value(r, "cost.savable", 0);
    cr_assert(savable >= 0 && micro_of(savable) <= total, "no more than was spent can be saved");
}

/* ---- all of them ---- */

static void play(uint64_t number)
{
    struct plan p;
    struct err e = {0};
    struct world_watch watch = {.stop = NULL};
    struct world_outcome out;
    write_scenario(&p, number);
    cr_assert_not(p.t.failed);
    cr_log_info("scenario %llu: %s", (unsigned long long)number, p.t.s);
    struct temp_file f = temp_text(p.t.s);
    struct scenario_source source = {.path = f.path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert(s, "scenario %llu: %s: %s\n%s", (unsigned long long)number, e.where, e.msg, p.t.s);
    int rc = world_run(s, 0, &watch, &out, &e);
    cr_assert_eq(rc, 0, "scenario %llu: %s: %s\n%s", (unsigned long long)number, e.where, e.msg,
                 p.t.s);
    check_money(s, &out.result);
    recorder_destroy(out.recorder);
    scenario_free(s);
    temp_drop(&f);
    text_fini(&p.t);
}

static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    int64_t n;
    return text && text_parse_int64(text, &n) && n >= 0 ? (uint64_t)n : otherwise;
}

Test(swarm_money, adds_up_in_every_random_scenario)
{
    uint64_t first = asked("SWARM_FIRST", 0), n = asked("SWARM_COUNT", SLICE);
    for (uint64_t i = first; i < first + n; i++)
        play(i);
}

/* A pod is evicted at the very moment at which its machine vanishes. */
Test(swarm_money, survives_what_it_has_found)
{
    play(6312);
}
