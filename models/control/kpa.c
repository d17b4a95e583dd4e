/* kpa: rules K1 to K9 of the Knative pod autoscaler. */
#include "models/control/kpa.h"

#include <assert.h>
#include <math.h>

#define SLOT (2 * SIM_SECOND)

static struct kpa_entry *at(const struct kpa_window *w, size_t i)
{
    return &w->entries[(w->first + i) % w->size];
}

/* Entries descend in value and ascend in slot: a smaller, older one can never be the largest again.
 */
double kpa_window_record(struct kpa_window *w, int64_t slot, double value)
{
    assert(w->size > 0 && (w->n == 0 || at(w, w->n - 1)->slot <= slot));
    while (w->n > 0 && at(w, w->n - 1)->value <= value)
        w->n--;
    while (w->n > 0 && slot - w->entries[w->first].slot >= (int64_t)w->size) {
        w->first = (w->first + 1) % w->size;
        w->n--;
    }
    if (w->n > 0 && at(w, w->n - 1)->slot == slot)
        value = at(w, --w->n)->value; /* two in one slot: the larger stays */
    w->n++;
    *at(w, w->n - 1) = (struct kpa_entry){slot, value};
    return w->entries[w->first].value;
}

void kpa_start(struct kpa_state *s, int32_t ready, sim_ns now)
{
    s->started = true;
    s->panicking = ready > 1;
    s->panic_since = now;
    s->max_panic_pods = ready;
    s->active_since = now;
    s->idle = false;
}

size_t kpa_delay_slots(sim_ns delay)
{
    return delay <= 0 ? 0 : (size_t)((delay + SLOT - 1) / SLOT);
}

static int32_t whole(double v)
{
    if (v >= 2147483647.0)
        return INT32_MAX;
    return v <= 0 ? 0 : (int32_t)v;
}

static int32_t activate(double wish, int32_t limited, int32_t activation)
{
    return activation > 1 && wish > 0 && activation > limited ? activation : limited;
}

static void update_panic(const struct kpa_spec *spec, struct kpa_state *s, sim_ns now, bool over)
{
    if (over) {
        s->panicking = true;
        s->panic_since = now;
    } else if (s->panicking && s->panic_since + spec->stable_window < now) {
        s->panicking = false;
        s->max_panic_pods = 0;
    }
}

static double excess_burst(const struct kpa_spec *spec, int32_t ready, double panic)
{
    if (spec->target_burst == 0)
        return 0;
    if (spec->target_burst < 0)
        return -1;
    return floor((double)ready * spec->total_per_pod - spec->target_burst - panic);
}

struct kpa_decision kpa_scale(const struct kpa_spec *spec, struct kpa_state *s, sim_ns now,
                              int32_t ready, double stable, double panic)
{
    assert(spec->target > 0 && ready >= 0 && s->started);
    double pods = ready > 1 ? (double)ready : 1;
    double up = ceil(spec->max_up_rate * pods);
    double down = spec->reachable ? floor(pods / spec->max_down_rate) : 0;
    double want_stable = ceil(stable / spec->target), want_panic = ceil(panic / spec->target);
    struct kpa_decision d = {
        .stable = whole(fmin(fmax(want_stable, down), up)),
        .panic = whole(fmin(fmax(want_panic, down), up)),
        .excess_burst = excess_burst(spec, ready, panic),
    };
    d.stable = activate(want_stable, d.stable, spec->activation_scale);
    d.panic = activate(want_panic, d.panic, spec->activation_scale);
    update_panic(spec, s, now, want_panic / pods >= spec->panic_threshold);
    d.desired = d.stable;
    if (s->panicking) {
        int32_t most = d.stable > d.panic ? d.stable : d.panic;
        s->max_panic_pods = most > s->max_panic_pods ? most : s->max_panic_pods;
        d.desired = s->max_panic_pods;
    }
    if (s->delay.size > 0) {
        int64_t slot = now >= 0 ? now / SLOT : (now - SLOT + 1) / SLOT;
        int32_t held = (int32_t)kpa_window_record(&s->delay, slot, (double)d.desired);
        d.delayed = held != d.desired;
        d.desired = held;
    }
    return d;
}

/* Nobody has wanted a pod for long enough. */
static bool may_vanish(const struct kpa_bounds *b, struct kpa_state *s, sim_ns now)
{
    if (!s->idle) {
        if (now - s->active_since < b->stable_window)
            return false;
        s->idle = true;
        s->idle_since = now;
    }
    return now - s->idle_since >= b->grace;
}

int32_t kpa_clamp(const struct kpa_bounds *b, struct kpa_state *s, int32_t current, int32_t desired,
                  sim_ns now, enum kpa_bound *why)
{
    *why = KPA_FREE;
    if (desired < b->min) {
        *why = KPA_MIN;
        desired = b->min;
    }
    if (b->max > 0 && desired > b->max) {
        *why = KPA_MAX;
        desired = b->max;
    }
    if (desired > 0) {
        if (s->idle || current == 0)
            s->active_since = now;
        s->idle = false;
        return desired;
    }
    if (current == 0)
        return 0;
    if (b->to_zero && may_vanish(b, s, now))
        return 0;
    *why = KPA_KEPT;
    return 1;
}

struct kpa_target kpa_resolve(const struct kpa_aim *aim)
{
    bool concurrency = aim->metric == KPA_CONCURRENCY;
    bool limited = concurrency && aim->container_concurrency > 0;
    double total = limited ? aim->container_concurrency : aim->default_total;
    if (aim->own_total >= 0)
        total = limited ? fmin(aim->own_total, aim->container_concurrency) : aim->own_total;
    double share = aim->own_utilization >= 0 ? aim->own_utilization : aim->default_utilization;
    return (struct kpa_target){fmax(0.01, total * share), total};
}
