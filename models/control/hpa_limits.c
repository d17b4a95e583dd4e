/* hpa_limits: stabilisation, clamps, rate limits and their histories, rules H30 to H38. */
#include "models/control/hpa_limits.h"

#include <assert.h>
#include <math.h>

const char *hpa_limits_name(enum hpa_limit limit)
{
    static const char *const names[] = {
        [HPA_LIMIT_NONE] = "DesiredWithinRange",  [HPA_LIMIT_TOO_FEW] = "TooFewReplicas",
        [HPA_LIMIT_TOO_MANY] = "TooManyReplicas", [HPA_LIMIT_UP] = "ScaleUpLimit",
        [HPA_LIMIT_DOWN] = "ScaleDownLimit",
    };
    return names[limit];
}

static const struct hpa_policy default_up[] = {
    {HPA_POLICY_PODS, 4, 15 * SIM_SECOND},
    {HPA_POLICY_PERCENT, 100, 15 * SIM_SECOND},
};
static const struct hpa_policy default_down[] = {
    {HPA_POLICY_PERCENT, 100, 15 * SIM_SECOND},
};

struct hpa_rules hpa_limits_default_up(void)
{
    return (struct hpa_rules){.policies = default_up, .n_policies = 2};
}

struct hpa_rules hpa_limits_default_down(sim_ns window)
{
    return (struct hpa_rules){.window = window, .policies = default_down, .n_policies = 1};
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static size_t oldest(const struct hpa_history *h)
{
    size_t at = 0;
    for (size_t i = 1; i < h->n; i++)
        if (h->items[i].at < h->items[at].at)
            at = i;
    return at;
}

void hpa_limits_remember(struct hpa_history *h, int32_t replicas, sim_ns now)
{
    assert(h->cap > 0);
    size_t at = h->n < h->cap ? h->n++ : oldest(h);
    h->items[at] = (struct hpa_recommendation){replicas, now};
}

/* slot: of an expired entry, n for none. */
static void record(struct hpa_history *h, size_t slot, int32_t replicas, sim_ns now)
{
    if (slot < h->n)
        h->items[slot] = (struct hpa_recommendation){replicas, now};
    else
        hpa_limits_remember(h, replicas, now);
}

int32_t hpa_limits_stabilize_legacy(struct hpa_history *h, sim_ns window, int32_t desired,
                                    sim_ns now)
{
    int32_t highest = desired;
    size_t slot = SIZE_MAX;
    for (size_t i = 0; i < h->n; i++) {
        if (now - h->items[i].at > window)
            slot = i;
        else
            highest = most(highest, h->items[i].replicas);
    }
    record(h, slot, desired, now);
    assert(highest >= desired);
    return highest;
}

int32_t hpa_limits_stabilize(struct hpa_history *h, struct hpa_windows w, int32_t current,
                             int32_t desired, sim_ns now)
{
    int32_t low = desired, high = desired;
    size_t slot = SIZE_MAX;
    for (size_t i = 0; i < h->n; i++) {
        sim_ns age = now - h->items[i].at;
        if (age < w.up)
            low = least(low, h->items[i].replicas);
        if (age < w.down)
            high = most(high, h->items[i].replicas);
        if (age > w.up && age > w.down)
            slot = i;
    }
    record(h, slot, desired, now);
    return least(most(current, low), high);
}

int32_t hpa_limits_clamp(const struct hpa_range *r, double factor, double floor,
                         enum hpa_limit *why)
{
    double pace = factor * (double)r->current;
    double limit = pace > floor ? pace : floor;
    int32_t cap = limit >= 2147483647.0 ? INT32_MAX : (int32_t)limit;
    bool paced = r->max > cap;
    cap = least(cap, r->max);
    *why = HPA_LIMIT_NONE;
    if (r->desired < r->min) {
        *why = HPA_LIMIT_TOO_FEW;
        return r->min;
    }
    if (r->desired > cap) {
        *why = paced ? HPA_LIMIT_UP : HPA_LIMIT_TOO_MANY;
        return cap;
    }
    return r->desired;
}

int64_t hpa_limits_changed(const struct hpa_events *e, sim_ns period, sim_ns now)
{
    int64_t sum = 0;
    for (size_t i = 0; i < e->n; i++)
        if (now - e->items[i].at < period)
            sum += e->items[i].change;
    return sum;
}

static int32_t saturate(double v)
{
    if (v >= 2147483647.0)
        return INT32_MAX;
    return v <= -2147483648.0 ? INT32_MIN : (int32_t)v;
}

/* Size at the start of the policy's period, as the events tell. */
static double base(int32_t current, const struct hpa_policy *p, const struct hpa_pace *pace)
{
    return (double)(current - hpa_limits_changed(pace->ups, p->period, pace->now) +
                    hpa_limits_changed(pace->downs, p->period, pace->now));
}

/* Rounded up: 1 % of three pods must still be able to add one. */
static int32_t proposal_up(const struct hpa_policy *p, double start)
{
    if (p->type == HPA_POLICY_PODS)
        return saturate(start + (double)p->value);
    return saturate(ceil(start * (1 + (double)p->value / 100)));
}

static int32_t proposal_down(const struct hpa_policy *p, double start)
{
    if (p->type == HPA_POLICY_PODS)
        return saturate(start - (double)p->value);
    return saturate(start * (1 - (double)p->value / 100));
}

static void tell(size_t *policy, size_t i)
{
    if (policy)
        *policy = i;
}

int32_t hpa_limits_up(int32_t current, const struct hpa_rules *rules, const struct hpa_pace *pace,
                      size_t *policy)
{
    tell(policy, rules->n_policies);
    if (rules->select == HPA_SELECT_DISABLED)
        return current;
    bool smallest = rules->select == HPA_SELECT_MIN;
    int32_t limit = smallest ? INT32_MAX : INT32_MIN;
    for (size_t i = 0; i < rules->n_policies; i++) {
        const struct hpa_policy *p = &rules->policies[i];
        int32_t n = proposal_up(p, base(current, p, pace));
        if (smallest ? n >= limit : n <= limit)
            continue;
        limit = n;
        tell(policy, i);
    }
    return limit;
}

int32_t hpa_limits_down(int32_t current, const struct hpa_rules *rules, const struct hpa_pace *pace,
                        size_t *policy)
{
    tell(policy, rules->n_policies);
    if (rules->select == HPA_SELECT_DISABLED)
        return current;
    bool smallest = rules->select == HPA_SELECT_MIN;
    int32_t limit = smallest ? INT32_MIN : INT32_MAX;
    for (size_t i = 0; i < rules->n_policies; i++) {
        const struct hpa_policy *p = &rules->policies[i];
        int32_t n = proposal_down(p, base(current, p, pace));
        if (smallest ? n <= limit : n >= limit)
            continue;
        limit = n;
        tell(policy, i);
    }
    return limit;
}

int32_t hpa_limits_rate(const struct hpa_range *r, const struct hpa_rules *up,
                        const struct hpa_rules *down, const struct hpa_pace *pace,
                        enum hpa_limit *why)
{
    *why = HPA_LIMIT_NONE;
    if (r->desired > r->current) {
        int32_t limit = most(r->current, hpa_limits_up(r->current, up, pace, NULL));
        int32_t cap = least(limit, r->max);
        if (r->desired > cap)
            *why = r->max > limit ? HPA_LIMIT_UP : HPA_LIMIT_TOO_MANY;
        return least(r->desired, cap);
    }
    if (r->desired < r->current) {
        int32_t limit = least(r->current, hpa_limits_down(r->current, down, pace, NULL));
        int32_t bottom = most(limit, r->min);
        if (r->desired < bottom)
            *why = r->min < limit ? HPA_LIMIT_DOWN : HPA_LIMIT_TOO_FEW;
        return most(r->desired, bottom);
    }
    return r->desired;
}

static sim_ns longest_period(const struct hpa_rules *rules)
{
    sim_ns longest = 0;
    for (size_t i = 0; i < rules->n_policies; i++)
        if (rules->policies[i].period > longest)
            longest = rules->policies[i].period;
    return longest;
}

void hpa_limits_store(struct hpa_events *e, const struct hpa_rules *rules, int32_t change,
                      sim_ns now)
{
    assert(e->cap > 0 && change > 0);
    sim_ns keep = longest_period(rules);
    size_t slot = SIZE_MAX, first = 0;
    for (size_t i = 0; i < e->n; i++) {
        if (now - e->items[i].at > keep)
            e->items[i].outdated = true;
        if (e->items[i].outdated)
            slot = i;
        if (e->items[i].at < e->items[first].at)
            first = i;
    }
    if (slot == SIZE_MAX)
        slot = e->n < e->cap ? e->n++ : first;
    e->items[slot] = (struct hpa_event){change, now, false};
}
