/* test_node_expander: tables, a second reading of each rule, the chain and the draw. */
#include "models/control/node_expander.h"
#include "tests/dice.h"

#include <criterion/criterion.h>
#include <math.h>

enum { CASES = 120000, MOST = 6 };

Test(node_expander, prefers_larger_cores_in_larger_clusters)
{
    static const struct {
        int64_t nodes;
        double milli;
    } rows[] = {{0, 1000},  {2, 1000},  {3, 2000},   {6, 2000},    {7, 4000},    {20, 4000},
                {21, 8000}, {60, 8000}, {61, 16000}, {200, 16000}, {201, 32000}, {5000, 32000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(node_expander_preferred_cpu_milli(rows[i].nodes), rows[i].milli, "%lld nodes",
                     (long long)rows[i].nodes);
}

static struct node_option roll(struct dice *d, uint32_t group)
{
    struct node_option o = {.group = group,
                            .nodes = (int32_t)dice_int(d, 0, 5),
                            .pods = (int32_t)dice_int(d, 0, 5),
                            .node_cpu_milli = 1000 * dice_int(d, 1, 8),
                            .node_memory = 1000 * dice_int(d, 1, 8),
                            .pods_cpu_milli = 250 * dice_int(d, 0, 8),
                            .pods_memory = 250 * dice_int(d, 0, 8),
                            .node_price = (double)dice_int(d, 1, 9),
                            .pods_price = (double)dice_int(d, 0, 9),
                            .gpu = dice_int(d, 0, 4) == 0,
                            .group_exists = dice_int(d, 0, 4) > 0,
                            .has_priority = dice_flag(d),
                            .priority = (int32_t)dice_int(d, -2, 2)};
    return o;
}

/* Whether a is strictly better than b, read from the rules once more. */
static bool better(enum node_expander_kind kind, const struct node_option *a,
                   const struct node_option *b, const struct node_expander_prices *prices)
{
    switch (kind) {
    case NODE_EXPANDER_MOST_PODS:
        return a->pods > b->pods;
    case NODE_EXPANDER_LEAST_NODES:
        return a->nodes < b->nodes;
    case NODE_EXPANDER_PRIORITY:
        return a->priority > b->priority;
    case NODE_EXPANDER_LEAST_WASTE: {
        double wa = 2 - (double)a->pods_cpu_milli / (double)(a->node_cpu_milli * a->nodes) -
                    (double)a->pods_memory / (double)(a->node_memory * a->nodes);
        double wb = 2 - (double)b->pods_cpu_milli / (double)(b->node_cpu_milli * b->nodes) -
                    (double)b->pods_memory / (double)(b->node_memory * b->nodes);
        return wa < wb - 1e-12;
    }
    case NODE_EXPANDER_PRICE:
        return node_expander_price_score(a, prices) < node_expander_price_score(b, prices);
    case NODE_EXPANDER_RANDOM:
        break;
    }
    return false;
}

static bool falls_out(enum node_expander_kind kind, const struct node_option *o, bool any)
{
    return (kind == NODE_EXPANDER_LEAST_NODES && o->nodes == 0) ||
           (kind == NODE_EXPANDER_PRIORITY && any && !o->has_priority);
}

/* An option is kept when no other that stays is better. */
static void check_best(enum node_expander_kind kind, const struct node_option *o, size_t n, int k)
{
    static const struct node_expander_prices prices = {4000, 2};
    uint32_t in[MOST] = {0}, best[MOST];
    bool any = false;
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        in[i] = i;
        any = any || o[i].has_priority;
    }
    size_t kept = node_expander_best(kind, o, in, n, &prices, best);
    for (uint32_t i = 0; i < n; i++) {
        bool stays = !falls_out(kind, &o[i], any);
        for (uint32_t j = 0; j < n && (kind != NODE_EXPANDER_PRIORITY || any); j++)
            if (!falls_out(kind, &o[j], any) && better(kind, &o[j], &o[i], &prices))
                stays = false;
        if (stays && (at >= kept || best[at] != i) && kind == NODE_EXPANDER_LEAST_WASTE)
            continue; /* equal in the second reading, apart by a rounding in the first */
        cr_assert_eq(stays, at < kept && best[at] == i, "case %d, %s, option %u", k,
                     node_expander_name(kind), i);
        at += stays;
    }
    cr_assert_eq(at, kept, "case %d, %s", k, node_expander_name(kind));
    cr_assert(n == 0 || kept > 0 || kind == NODE_EXPANDER_LEAST_NODES);
}

Test(node_expander, keeps_exactly_the_options_that_none_beats)
{
    struct dice d = dice_of(4);
    for (int k = 0; k < CASES; k++) {
        struct node_option o[MOST];
        size_t n = (size_t)dice_int(&d, 0, MOST);
        for (uint32_t i = 0; i < n; i++)
            o[i] = roll(&d, i);
        check_best(NODE_EXPANDER_MOST_PODS, o, n, k);
        check_best(NODE_EXPANDER_LEAST_NODES, o, n, k);
        check_best(NODE_EXPANDER_PRIORITY, o, n, k);
        for (size_t i = 0; i < n; i++)
            o[i].nodes += o[i].nodes == 0; /* an estimate never has pods on no nodes */
        check_best(NODE_EXPANDER_LEAST_WASTE, o, n, k);
        check_best(NODE_EXPANDER_PRICE, o, n, k);
    }
}

Test(node_expander, its_price_score_is_the_formula)
{
    struct dice d = dice_of(5);
    for (int k = 0; k < CASES; k++) {
        struct node_option o = roll(&d, 0);
        o.nodes = (int32_t)dice_int(&d, 1, 200);
        struct node_expander_prices prices = {1000.0 * (double)dice_int(&d, 1, 32),
                                              0.5 * (double)dice_int(&d, 1, 8)};
        double ratio = (double)o.node_cpu_milli / prices.preferred_cpu_milli;
        double f = ratio > 1 ? ratio : 1 / ratio;
        double fitness = o.gpu ? 1000 : (f - 1) * (1 - tanh((o.nodes - 1) / 15.0)) + 1;
        double want = fitness * (o.node_price * o.nodes + prices.stabilization) /
                      (o.pods_price + prices.stabilization) * (o.group_exists ? 1 : 2);
        double got = node_expander_price_score(&o, &prices);
        cr_assert_float_eq(got, want, 1e-11 * want, "case %d: %.17g, not %.17g", k, got, want);
    }
}

Test(node_expander, one_node_of_a_kind_keeps_its_unfitness_exactly)
{
    struct node_option o = {
        .nodes = 1, .node_cpu_milli = 8000, .node_price = 1, .pods_price = 1, .group_exists = true};
    struct node_expander_prices prices = {4000, 1};
    cr_expect_eq(node_expander_price_score(&o, &prices), 2.0);
}

Test(node_expander, a_name_has_the_highest_priority_that_matches)
{
    static const struct node_priority_rule rules[] = {{10, "spot"}, {5, ".*"}, {10, "^pool-b-"},
                                                      {-3, "x"},    {30, "["}, {20, "gpu.*spot$"}};
    static const struct {
        const char *name;
        bool found;
        int32_t want;
    } rows[] = {{"pool-a-spot", true, 10},
                {"pool-a", true, 5},
                {"pool-b-od", true, 10},
                {"gpu-a-spot", true, 20},
                {"gpu-a-spot-b", true, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t got = 0;
        cr_expect_eq(node_expander_priority(rules, 6, rows[i].name, &got), rows[i].found);
        cr_expect_eq(got, rows[i].want, "%s: %d", rows[i].name, got);
    }
    int32_t none = 77;
    cr_expect_not(node_expander_priority(rules + 3, 1, "a", &none));
    cr_expect_not(node_expander_priority(rules, 0, "a", &none));
    char why[64];
    cr_expect_null(node_expander_pattern_error("a.*", why, sizeof why));
    cr_expect_not_null(node_expander_pattern_error("[", why, sizeof why));
}

Test(node_expander, a_chain_narrows_and_a_draw_breaks_the_tie)
{
    struct node_scaler_config c;
    node_settings_upstream(&c);
    c.expanders[0] = NODE_EXPANDER_MOST_PODS;
    c.expanders[1] = NODE_EXPANDER_LEAST_NODES;
    c.n_expanders = 2;
    struct node_option o[] = {{.pods = 3, .nodes = 2}, {.pods = 0, .nodes = 1},
                              {.pods = 4, .nodes = 3}, {.pods = 4, .nodes = 2},
                              {.pods = 4, .nodes = 2}, {.pods = 9, .nodes = 0}};
    uint32_t scratch[6];
    struct chance chance = chance_stream(7, 0, CHANCE_TEST, 0);
    int count[6] = {0};
    for (uint64_t draw = 0; draw < 2000; draw++) {
        int64_t at = node_expander_choose(&c, o, 6, NULL, chance, draw, scratch);
        cr_assert(at == 3 || at == 4, "%lld", (long long)at);
        cr_assert_eq(at, node_expander_choose(&c, o, 6, NULL, chance, draw, scratch));
        count[at]++;
    }
    cr_expect(count[3] > 850 && count[4] > 850, "%d and %d of 2000", count[3], count[4]);
    cr_expect_eq(node_expander_choose(&c, o + 5, 1, NULL, chance, 0, scratch), -1);
    cr_expect_eq(node_expander_choose(&c, o, 0, NULL, chance, 0, scratch), -1);
}
