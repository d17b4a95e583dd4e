/* test_hpa: the pass: gates, several metrics, zero, laws, and a second reading of the rules. */
#include "models/control/hpa.h"
#include "sim/chance.h"
#include "tests/naive_hpa.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#define S SIM_SECOND
/* Random cases a kind and block; blocks run side by side. Raise for a long soak. */
#ifndef HPA_CASES
#define HPA_CASES 125000
#endif
#define HPA_BLOCKS 8

/* ---- a rig with storage ---- */

#define ENTRIES 512
struct rig {
    struct hpa_spec spec;
    struct hpa_metric metrics[4];
    struct scaler_metric values[4];
    struct hpa_state state;
    struct hpa_recommendation recs[ENTRIES];
    struct hpa_event ups[ENTRIES], downs[ENTRIES];
};

static void rig_init(struct rig *r)
{
    memset(r, 0, sizeof *r);
    r->metrics[0] = (struct hpa_metric){HPA_EXTERNAL_AVERAGE, 10000, false, "sls_ingress_qps"};
    r->spec = (struct hpa_spec){.min = 1,
                                .max = 10,
                                .metrics = r->metrics,
                                .n_metrics = 1,
                                .down_window = 300 * S,
                                .tolerance = {0.1, 0.1, false},
                                .scale_up_factor = 2,
                                .scale_up_floor = 4};
    r->state.history = (struct hpa_history){r->recs, 0, ENTRIES};
    r->state.ups = (struct hpa_events){r->ups, 0, ENTRIES};
    r->state.downs = (struct hpa_events){r->downs, 0, ENTRIES};
}

static struct hpa_outcome rig_pass(struct rig *r, sim_ns now, int32_t size)
{
    struct hpa_outcome o;
    struct scaler_view v = {.now = now,
                            .spec_replicas = size,
                            .status_replicas = size,
                            .ready_replicas = size,
                            .metrics = r->values,
                            .n_metrics = r->spec.n_metrics};
    hpa_pass(&r->spec, &r->state, &v, &o);
    return o;
}

static struct hpa_outcome rig_value(struct rig *r, sim_ns now, int32_t size, int64_t milli)
{
    r->values[0] = (struct scaler_metric){milli >= 0, milli};
    return rig_pass(r, now, size);
}

/* ---- gates, metrics, zero ---- */

Test(hpa, gates_come_before_any_metric)
{
    struct rig r;
    rig_init(&r);
    r.spec.min = 2;
    struct hpa_outcome o = rig_value(&r, 0, 14, -1);
    cr_expect_eq(o.replicas, 10);
    cr_expect_eq(o.rule, HPA_RULE_ABOVE_MAX);
    cr_expect_not(o.error, "the missing metric was not even read");
    o = rig_value(&r, 15 * S, 1, 500000);
    cr_expect_eq(o.replicas, 2, "to min in one pass, not beyond");
    cr_expect_eq(o.rule, HPA_RULE_BELOW_MIN);
    cr_expect_eq(r.state.history.n, 1u, "no recommendation was made");
}

Test(hpa, the_first_pass_remembers_the_size_it_finds)
{
    struct rig r;
    rig_init(&r);
    cr_expect_eq(rig_value(&r, 0, 5, 10000).replicas, 5, "a restart does not shrink at once");
    rig_init(&r);
    r.state.started = true;
    cr_expect_eq(rig_value(&r, 0, 5, 10000).replicas, 1);
}

Test(hpa, the_largest_of_several_metrics_wins)
{
    struct rig r;
    rig_init(&r);
    r.spec.n_metrics = 3;
    for (int i = 1; i < 3; i++)
        r.metrics[i] = (struct hpa_metric){HPA_EXTERNAL_AVERAGE, 10000, false, NULL};
    r.values[0] = (struct scaler_metric){true, 30000};
    r.values[1] = (struct scaler_metric){true, 70000};
    r.values[2] = (struct scaler_metric){true, 50000};
    struct hpa_outcome o = rig_pass(&r, 0, 5);
    cr_expect_eq(o.replicas, 7);
    cr_expect_eq(o.metric, 1u);
}

Test(hpa, a_failing_metric_stops_shrinking_only)
{
    struct rig r;
    rig_init(&r);
    r.state.started = true;
    r.spec.n_metrics = 2;
    r.metrics[1] = (struct hpa_metric){HPA_EXTERNAL_AVERAGE, 10000, false, "lost"};
    r.values[0] = (struct scaler_metric){true, 20000};
    struct hpa_outcome o = rig_pass(&r, 0, 5);
    cr_expect_eq(o.replicas, 5);
    cr_expect(o.error);
    cr_expect_eq(o.failed, 1u);
    cr_expect_eq(r.state.history.n, 0u, "nothing is remembered of it");
    r.values[0].milli = 50000;
    o = rig_pass(&r, 0, 5);
    cr_expect_not(o.error, "the same size is no shrinking");
    cr_expect(o.partial_error);
    r.values[0].milli = 80000;
    o = rig_pass(&r, 0, 5);
    cr_expect_eq(o.replicas, 8);
    r.values[0].present = false;
    o = rig_pass(&r, 0, 5);
    cr_expect(o.error);
    cr_expect_eq(o.replicas, 5);
}

Test(hpa, zero_by_the_classic_rule)
{
    struct rig r;
    rig_init(&r);
    cr_expect(rig_value(&r, 0, 0, 90000).disabled);
    r.spec.min = 0;
    cr_expect_eq(rig_value(&r, 0, 0, 90000).replicas, 4);
    rig_init(&r);
    r.spec.min = 0;
    r.state.started = true;
    cr_expect_eq(rig_value(&r, 0, 3, 0).replicas, 0);
}

Test(hpa, zero_by_the_newer_rule)
{
    struct {
        bool enabled, marked;
        int32_t min;
        enum hpa_kind kind;
        int32_t want;
        bool disabled;
    } rows[] = {
        {true, true, 0, HPA_EXTERNAL_AVERAGE, 2, false},
        {true, false, 0, HPA_EXTERNAL_AVERAGE, 0, true},
        {false, true, 0, HPA_EXTERNAL_AVERAGE, 0, true},
        {true, true, 3, HPA_EXTERNAL_AVERAGE, 3, false}, /* lifted to the raised min */
        {true, true, 3, HPA_PODS, 0, false}, /* metrics are read, but there are no pods: error */
        {true, true, 0, HPA_PODS, 0, true},
        {false, false, 1, HPA_EXTERNAL_AVERAGE, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig r;
        rig_init(&r);
        r.spec.zero = HPA_ZERO_MARKED;
        r.spec.zero_enabled = rows[i].enabled;
        r.spec.min = rows[i].min;
        r.metrics[0].kind = rows[i].kind;
        r.state.scaled_to_zero = rows[i].marked;
        struct hpa_outcome o = rig_value(&r, 0, 0, 15000);
        cr_expect_eq(o.replicas, rows[i].want, "row %zu: %d", i, (int)o.replicas);
        cr_expect_eq(o.disabled, rows[i].disabled, "row %zu", i);
        if (!rows[i].enabled)
            cr_expect_not(r.state.scaled_to_zero, "row %zu: the mark goes with the gate", i);
    }
}

/* The rate limit of a behavior block knows no min when nothing moves. */
Test(hpa, a_raised_min_lifts_from_zero_with_behavior_too)
{
    struct rig r;
    rig_init(&r);
    r.spec.zero = HPA_ZERO_MARKED;
    r.spec.zero_enabled = true;
    r.spec.min = 3;
    r.spec.has_behavior = true;
    r.spec.up = hpa_limits_default_up();
    r.spec.down = hpa_limits_default_down(300 * S);
    r.state.scaled_to_zero = true;
    struct hpa_outcome o = rig_value(&r, 0, 0, 0);
    cr_expect_eq(o.replicas, 3);
    cr_expect_eq(o.rule, HPA_RULE_TOO_FEW);
}

Test(hpa, going_to_zero_leaves_the_mark)
{
    struct rig r;
    rig_init(&r);
    r.spec.zero = HPA_ZERO_MARKED;
    r.spec.zero_enabled = true;
    r.spec.min = 0;
    r.state.started = true;
    cr_expect_eq(rig_value(&r, 0, 3, 0).replicas, 0);
    cr_expect(r.state.scaled_to_zero);
    cr_expect_eq(rig_value(&r, 15 * S, 0, 25000).replicas, 3);
    cr_expect_not(r.state.scaled_to_zero);
}

Test(hpa, averages_start_from_status_and_values_from_spec)
{
    struct rig r;
    struct hpa_outcome o;
    rig_init(&r);
    r.state.started = true;
    r.values[0] = (struct scaler_metric){true, 40000};
    struct scaler_view v = {.spec_replicas = 3,
                            .status_replicas = 4,
                            .ready_replicas = 4,
                            .metrics = r.values,
                            .n_metrics = 1};
    hpa_pass(&r.spec, &r.state, &v, &o);
    cr_expect_eq(o.replicas, 4);
    rig_init(&r);
    r.state.started = true;
    r.metrics[0].kind = HPA_EXTERNAL_VALUE;
    r.values[0] = (struct scaler_metric){true, 10000};
    hpa_pass(&r.spec, &r.state, &v, &o);
    cr_expect_eq(o.replicas, 3);
}

/* With zero ready pods a ratio of values proposes 0; an average does not care. */
Test(hpa, all_pods_unready_at_the_peak)
{
    struct rig r;
    struct hpa_outcome o;
    rig_init(&r);
    r.state.started = true;
    r.metrics[0].kind = HPA_EXTERNAL_VALUE;
    r.values[0] = (struct scaler_metric){true, 50000};
    struct scaler_view v = {.spec_replicas = 4,
                            .status_replicas = 4,
                            .ready_replicas = 0,
                            .metrics = r.values,
                            .n_metrics = 1};
    hpa_pass(&r.spec, &r.state, &v, &o);
    cr_expect_eq(o.recommended, 0);
    cr_expect_eq(o.replicas, 1);
    cr_expect_eq(o.rule, HPA_RULE_TOO_FEW);
    rig_init(&r);
    r.values[0] = (struct scaler_metric){true, 50000};
    hpa_pass(&r.spec, &r.state, &v, &o);
    cr_expect_eq(o.replicas, 5);
}

/* ---- chance ---- */

struct dice {
    struct chance c;
    uint64_t i;
};

static int64_t roll(struct dice *d, int64_t low, int64_t high)
{
    return low + (int64_t)chance_below(d->c, d->i++, (uint64_t)(high - low + 1));
}

static bool flip(struct dice *d, int64_t one_in)
{
    return roll(d, 1, one_in) == 1;
}

static double any_tolerance(struct dice *d)
{
    static const double t[] = {0, 0.01, 0.02, 0.05, 0.1, 0.1, 0.1, 0.3};
    return t[roll(d, 0, 7)];
}

/* Values that sit on edges more often than chance would. */
static int64_t any_usage(struct dice *d, int64_t target, int64_t pods)
{
    switch (roll(d, 0, 5)) {
    case 0:
        return target * pods * 11 / 10;
    case 1:
        return target * pods * 9 / 10;
    case 2:
        return target * roll(d, 0, 20);
    case 3:
        return target * pods + roll(d, -2, 2) > 0 ? target * pods + roll(d, 0, 2) : 0;
    default:
        return roll(d, 0, 3 * target * (pods + 1));
    }
}

/* ---- against the second reading ---- */

static struct naive_rules any_rules(struct dice *d, bool up)
{
    static const int64_t periods[] = {15, 30, 60, 120}, windows[] = {0, 0, 15, 60, 300};
    struct naive_rules r = {.select = (int)roll(d, 0, 9)};
    r.select = r.select > 7 ? 2 : r.select > 5 ? 1 : 0;
    r.window = windows[roll(d, 0, 4)];
    r.n = (int)roll(d, 1, 3);
    for (int i = 0; i < r.n; i++)
        r.policies[i] = (struct naive_policy){flip(d, 2), (int32_t)roll(d, 1, up ? 150 : 110),
                                              periods[roll(d, 0, 3)]};
    return r;
}

static struct hpa_rules to_real(const struct naive_rules *r, struct hpa_policy *room)
{
    for (int i = 0; i < r->n; i++)
        room[i] = (struct hpa_policy){r->policies[i].percent ? HPA_POLICY_PERCENT : HPA_POLICY_PODS,
                                      r->policies[i].value, r->policies[i].period * S};
    return (struct hpa_rules){(enum hpa_select)r->select, r->window * S, room, (size_t)r->n};
}

/* One HPA over 40 passes; returns how many passes agreed. */
static int compare_walk(struct dice *d, struct rig *r, struct naive_hpa *n)
{
    struct hpa_policy up[4], down[4];
    rig_init(r);
    n->n_recs = n->n_ups = n->n_downs = 0;
    n->started = false;
    n->min = (int32_t)roll(d, 0, 3);
    n->max = n->min + (int32_t)roll(d, 1, 30);
    n->target = roll(d, 1, 20000);
    n->up_tolerance = any_tolerance(d);
    n->down_tolerance = any_tolerance(d);
    n->down_window = roll(d, 0, 3) * 100;
    n->behavior = flip(d, 2);
    n->up = any_rules(d, true);
    n->down = any_rules(d, false);
    r->spec.min = n->min;
    r->spec.max = n->max;
    r->metrics[0].target = n->target;
    r->spec.tolerance = (struct hpa_tolerance){n->up_tolerance, n->down_tolerance, false};
    r->spec.down_window = n->down_window * S;
    r->spec.has_behavior = n->behavior;
    r->spec.up = to_real(&n->up, up);
    r->spec.down = to_real(&n->down, down);
    int32_t size = (int32_t)roll(d, 0, n->max + 3);
    int64_t now = roll(d, 0, 100);
    for (int k = 0; k < 40; k++) {
        int32_t status = flip(d, 5) ? size + (int32_t)roll(d, 0, 2) : size;
        int64_t usage = flip(d, 20) ? -1 : any_usage(d, n->target, status);
        struct hpa_outcome o;
        r->values[0] = (struct scaler_metric){usage >= 0, usage};
        struct scaler_view v = {.now = now * S,
                                .spec_replicas = size,
                                .status_replicas = status,
                                .ready_replicas = status,
                                .metrics = r->values,
                                .n_metrics = 1};
        hpa_pass(&r->spec, &r->state, &v, &o);
        int32_t want = naive_pass(n, now, size, status, usage);
        if (o.replicas != want || (size_t)n->n_recs != r->state.history.n)
            return k;
        size = want;
        now += flip(d, 3) ? roll(d, 1, 40) : 15;
    }
    return 40;
}

ParameterizedTestParameters(hpa, agrees_with_a_second_reading_over_time)
{
    static uint64_t blocks[HPA_BLOCKS];
    for (uint64_t i = 0; i < HPA_BLOCKS; i++)
        blocks[i] = i;
    return cr_make_param_array(uint64_t, blocks, HPA_BLOCKS);
}

/* HPA_CASES passes a block, 40 of them on one HPA. */
ParameterizedTest(uint64_t *block, hpa, agrees_with_a_second_reading_over_time)
{
    static struct rig r;
    static struct naive_hpa n;
    for (uint64_t i = 0; i < HPA_CASES / 40; i++) {
        struct dice d = {chance_stream(20260701, *block, CHANCE_TEST, i), 0};
        int passes = compare_walk(&d, &r, &n);
        cr_assert_eq(passes, 40, "block %llu walk %llu differs at pass %d",
                     (unsigned long long)*block, (unsigned long long)i, passes);
    }
}

static void any_pods(struct dice *d, struct naive_ask *a)
{
    static const int64_t ages[] = {0, 5, 29, 30, 31, 59, 60, 61, 119, 120, 121, 300, 600, 900};
    static const int64_t requests[] = {100, 250, 1000, 1000, 1000, 2000};
    *a = (struct naive_ask){
        .n = (int)roll(d, 0, 12), .cpu = flip(d, 2), .cpu_period = 120, .ready_delay = 30};
    a->current = flip(d, 3) ? (int32_t)roll(d, 0, 14) : a->n;
    a->up = any_tolerance(d);
    a->down = any_tolerance(d);
    for (int i = 0; i < a->n; i++) {
        struct naive_pod *p = &a->pods[i];
        p->phase = flip(d, 4) ? (int)roll(d, 0, 4) : 2;
        p->ready = flip(d, 4) ? (int)roll(d, -1, 1) : 1;
        p->deleting = flip(d, 12);
        p->has_start = !flip(d, 15);
        p->start_age = ages[roll(d, 0, 13)];
        p->ready_age = ages[roll(d, 0, 13)];
        p->request = flip(d, 200) ? -1 : requests[roll(d, 0, 5)];
        p->sampled = !flip(d, 5);
        p->sample_age = roll(d, 0, 70);
        p->window = flip(d, 2) ? 60 : 30;
        p->sample = flip(d, 4) ? 0 : roll(d, 0, 2500);
    }
    a->n_surplus = flip(d, 6) ? (int)roll(d, 1, 3) : 0;
    for (int i = 0; i < a->n_surplus; i++)
        a->surplus[i] = roll(d, 0, 3000);
}

struct herd {
    struct scaler_pod pods[NAIVE_MOST];
    struct scaler_sample samples[2 * NAIVE_MOST];
    int64_t requests[NAIVE_MOST];
    struct hpa_question q;
};

static void to_herd(const struct naive_ask *a, struct herd *h)
{
    size_t n = 0;
    for (int i = 0; i < a->n; i++) {
        const struct naive_pod *p = &a->pods[i];
        h->pods[i] = (struct scaler_pod){(enum scaler_pod_phase)p->phase,
                                         p->ready < 0 ? SCALER_READY_NONE
                                         : p->ready   ? SCALER_READY_TRUE
                                                      : SCALER_READY_FALSE,
                                         p->deleting, p->has_start ? -p->start_age * S : SIM_NEVER,
                                         -p->ready_age * S};
        h->requests[i] = p->request;
        if (p->sampled)
            h->samples[n++] =
                (struct scaler_sample){(uint32_t)i, p->sample, -p->sample_age * S, p->window * S};
    }
    for (int i = 0; i < a->n_surplus; i++)
        h->samples[n++] = (struct scaler_sample){SCALER_NO_POD, a->surplus[i], 0, 60 * S};
    h->q = (struct hpa_question){.current = a->current,
                                 .pods = h->pods,
                                 .n_pods = (size_t)a->n,
                                 .samples = h->samples,
                                 .n_samples = n,
                                 .requests = h->requests,
                                 .readiness = {a->cpu, a->cpu_period * S, a->ready_delay * S},
                                 .tolerance = {a->up, a->down, false}};
}

static int32_t size_of(struct hpa_proposal p)
{
    return p.fault ? -1 : p.replicas;
}

ParameterizedTestParameters(hpa, proposals_agree_with_a_second_reading)
{
    static uint64_t blocks[HPA_BLOCKS];
    for (uint64_t i = 0; i < HPA_BLOCKS; i++)
        blocks[i] = i;
    return cr_make_param_array(uint64_t, blocks, HPA_BLOCKS);
}

/* HPA_CASES of each of the four kinds a block: a million of each in a normal run. */
ParameterizedTest(uint64_t *block, hpa, proposals_agree_with_a_second_reading)
{
    static const int64_t pcts[] = {10, 30, 50, 60, 90, 100, 150, 300};
    struct naive_ask a;
    struct herd h;
    for (uint64_t i = 0; i < HPA_CASES; i++) {
        struct dice d = {chance_stream(20260702, *block, CHANCE_TEST, i), 0};
        any_pods(&d, &a);
        to_herd(&a, &h);
        int64_t pct = pcts[roll(&d, 0, 7)], target = roll(&d, 1, 3000);
        cr_assert_eq(size_of(hpa_replicas_utilization(&h.q, (int32_t)pct)),
                     naive_utilization(&a, pct), "utilization, case %llu of block %llu",
                     (unsigned long long)i, (unsigned long long)*block);
        cr_assert_eq(size_of(hpa_replicas_pods(&h.q, target)), naive_pods(&a, target),
                     "pods, case %llu of block %llu", (unsigned long long)i,
                     (unsigned long long)*block);
        struct hpa_value_pods v = {.current = a.current, .none = a.n == 0};
        for (int k = 0; k < a.n; k++)
            v.ready += a.pods[k].phase == 2 && a.pods[k].ready == 1;
        int64_t usage = any_usage(&d, target, a.current);
        cr_assert_eq(size_of(hpa_replicas_value(usage, target, &v, &h.q.tolerance)),
                     naive_value(usage, target, &a), "value, case %llu", (unsigned long long)i);
        cr_assert_eq(hpa_replicas_average(usage, target, a.current, &h.q.tolerance).replicas,
                     naive_average(usage, target, a.current, a.up, a.down), "average, case %llu",
                     (unsigned long long)i);
    }
}

/* ---- laws ---- */

Test(hpa, a_higher_metric_never_proposes_less)
{
    for (uint64_t i = 0; i < 20000; i++) {
        struct dice d = {chance_stream(20260703, 0, CHANCE_TEST, i), 0};
        struct hpa_tolerance t = {any_tolerance(&d), any_tolerance(&d), flip(&d, 2)};
        int64_t target = roll(&d, 1, 20000), usage = roll(&d, 0, 500000);
        int32_t status = (int32_t)roll(&d, 0, 40);
        struct hpa_value_pods v = {status, roll(&d, 0, status), false};
        int64_t more = usage + roll(&d, 0, 5000);
        cr_assert_leq(hpa_replicas_average(usage, target, status, &t).replicas,
                      hpa_replicas_average(more, target, status, &t).replicas);
        v.ready = status; /* with unready pods a value shrinks when it leaves the band */
        cr_assert_leq(hpa_replicas_value(usage, target, &v, &t).replicas,
                      hpa_replicas_value(more, target, &v, &t).replicas);
    }
}

Test(hpa, a_pass_stays_within_bounds_and_at_a_fixed_point)
{
    static struct rig r;
    for (uint64_t i = 0; i < 4000; i++) {
        struct dice d = {chance_stream(20260704, 0, CHANCE_TEST, i), 0};
        struct hpa_policy up[4], down[4];
        struct naive_rules u = any_rules(&d, true), w = any_rules(&d, false);
        rig_init(&r);
        r.spec.min = (int32_t)roll(&d, 1, 5);
        r.spec.max = r.spec.min + (int32_t)roll(&d, 0, 20);
        r.spec.has_behavior = flip(&d, 2);
        r.spec.up = to_real(&u, up);
        r.spec.down = to_real(&w, down);
        int64_t usage = roll(&d, 0, 400000);
        int32_t size = (int32_t)roll(&d, 1, 30), before = size;
        for (int k = 0; k < 400; k++) {
            struct hpa_outcome o = rig_value(&r, k * 15 * S, size, usage);
            cr_assert(o.replicas >= r.spec.min && o.replicas <= r.spec.max);
            /* a policy of one pod in two minutes takes its time; never against the ratio,
             * once inside the bounds */
            double ratio = (double)usage / (10000.0 * size);
            if (size >= r.spec.min && size <= r.spec.max)
                cr_assert(!(o.replicas > size && ratio < 1) && !(o.replicas < size && ratio > 1),
                          "case %llu pass %d: %d -> %d at %g", (unsigned long long)i, k, (int)size,
                          (int)o.replicas, ratio);
            before = size;
            size = o.replicas;
        }
        cr_assert_eq(before, size, "case %llu has not settled", (unsigned long long)i);
        for (int k = 400; k < 420; k++)
            cr_assert_eq(rig_value(&r, k * 15 * S, size, usage).replicas, size);
    }
}

Test(hpa, reasons_fit_and_always_say_something)
{
    static struct rig r;
    static struct naive_hpa n;
    for (uint64_t i = 0; i < 2000; i++) {
        struct dice d = {chance_stream(20260705, 0, CHANCE_TEST, i), 0};
        struct hpa_outcome o;
        char words[160], few[8];
        compare_walk(&d, &r, &n);
        r.values[0] = (struct scaler_metric){!flip(&d, 9), roll(&d, 0, INT64_MAX / 2)};
        struct scaler_view v = {.now = 10000 * S,
                                .spec_replicas = (int32_t)roll(&d, 0, 40),
                                .status_replicas = 3,
                                .metrics = r.values,
                                .n_metrics = 1};
        r.spec.has_behavior = false;
        hpa_pass(&r.spec, &r.state, &v, &o);
        hpa_reason(&r.spec, &v, &o, words, sizeof words);
        cr_assert_gt(strlen(words), 5u);
        hpa_reason(&r.spec, &v, &o, few, sizeof few);
        cr_assert_lt(strlen(few), sizeof few);
    }
}
