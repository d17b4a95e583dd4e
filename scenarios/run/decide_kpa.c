/* decide_kpa: ticks, targets and windows of the Knative pod autoscaler. */
#include "scenarios/run/decide_kpa.h"

#include "models/control/kpa.h"
#include "scenarios/run/decide_read.h"
#include "scenarios/run/decide_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double read_positive(const struct json *o, const char *key, struct err *e)
{
    double v = decide_read_number(o, key, e);
    if (e->code == ERR_NONE && !(v > 0))
        decide_read_fail(json_get(o, key), key, e, "%g, but must be above 0", v);
    return v;
}

static double read_amount(const struct json *o, const char *key, double fallback, struct err *e)
{
    double v = decide_read_number_or(o, key, fallback, e);
    if (e->code == ERR_NONE && v < 0)
        decide_read_fail(json_get(o, key), key, e, "%g, but must be at least 0", v);
    return v;
}

static struct kpa_spec read_spec(const struct json *o, struct err *e)
{
    return (struct kpa_spec){
        .target = read_positive(o, "target", e),
        .total_per_pod = read_amount(o, "total_per_pod", 0, e),
        .target_burst = decide_read_number_or(o, "target_burst", 0, e),
        .panic_threshold = read_positive(o, "panic_threshold", e),
        .max_up_rate = read_positive(o, "max_up_rate", e),
        .max_down_rate = read_positive(o, "max_down_rate", e),
        .stable_window = decide_read_seconds(o, "stable_window_s", e),
        .reachable = decide_read_bool_or(o, "reachable", true, e),
        .activation_scale = (int32_t)decide_read_int_or(o, "activation_scale", 1, 0, INT32_MAX, e),
    };
}

static int32_t read_pods(const struct json *o, const char *key, struct err *e)
{
    return (int32_t)decide_read_int(o, key, 0, INT32_MAX, e);
}

/* What the steps of a case came to. */
struct run {
    struct kpa_spec spec;
    struct kpa_state state;
    int64_t *desired, *burst;
    const char **panic;
    size_t n;
    bool ok;
    struct text *reason;
};

static void mismatch(struct run *r, const struct json *step, const char *key)
{
    if (r->ok)
        text_printf(r->reason, "%sstep %zu: %s is not as expected", r->reason->length ? "; " : "",
                    r->n, key);
    (void)step;
    r->ok = false;
}

static void compare(struct run *r, const struct json *step, bool valid,
                    const struct kpa_decision *d, struct err *e)
{
    if (decide_read_bool_or(step, "expect_valid", true, e) != valid)
        mismatch(r, step, "expect_valid");
    if (!valid)
        return;
    if (decide_read_field(step, "expect_desired", e) &&
        decide_read_int(step, "expect_desired", INT32_MIN, INT32_MAX, e) != d->desired)
        mismatch(r, step, "expect_desired");
    double tolerance = decide_read_number_or(step, "excess_burst_tol", 0, e);
    if (decide_read_field(step, "expect_excess_burst", e) &&
        !(fabs(decide_read_number(step, "expect_excess_burst", e) - d->excess_burst) <= tolerance))
        mismatch(r, step, "expect_excess_burst");
    const struct json *since = json_get(step, "expect_panic_since_s");
    if (since && since->type == JSON_NULL && r->state.panicking)
        mismatch(r, step, "expect_panic_since_s");
    if (since && since->type != JSON_NULL &&
        (!r->state.panicking ||
         decide_read_seconds(step, "expect_panic_since_s", e) != r->state.panic_since))
        mismatch(r, step, "expect_panic_since_s");
}

static void run_step(struct run *r, const struct json *step, sim_ns *last, struct err *e)
{
    struct kpa_decision d = {0};
    sim_ns now = decide_read_seconds(step, "at_s", e);
    int32_t ready = read_pods(step, "ready", e);
    bool valid = decide_read_field(step, "stable", e) && decide_read_field(step, "panic", e);
    double stable = valid ? read_amount(step, "stable", 0, e) : 0;
    double panic = valid ? read_amount(step, "panic", 0, e) : 0;
    if (e->code == ERR_NONE && now < *last)
        decide_read_fail(json_get(step, "at_s"), "at_s", e, "lies before the step before it");
    if (e->code != ERR_NONE)
        return;
    *last = now;
    if (valid)
        d = kpa_scale(&r->spec, &r->state, now, ready, stable, panic);
    compare(r, step, valid, &d, e);
    r->desired[r->n] = valid ? d.desired : -1;
    r->burst[r->n] = (int64_t)d.excess_burst;
    r->panic[r->n++] = r->state.panicking ? "panic" : "stable";
}

/* The scaler is born at its first tick. */
static void start(struct run *r, const struct json *input, struct err *e)
{
    const struct json *spec = decide_read_object(input, "spec", e);
    const struct json *panic = decide_read_field(input, "panic_state", e);
    if (!spec)
        return;
    const struct json *steps = decide_read_field(input, "steps", e);
    sim_ns born = steps && steps->first ? decide_read_seconds(steps->first, "at_s", e) : 0;
    r->spec = read_spec(spec, e);
    kpa_start(&r->state, read_pods(input, "initial_ready", e), born);
    if (panic) {
        r->state.panicking = decide_read_field(panic, "panic_since_s", e) != NULL;
        r->state.panic_since = decide_read_seconds_or(panic, "panic_since_s", 0, e);
        r->state.max_panic_pods = read_pods(panic, "max_panic_pods", e);
    }
    size_t slots = kpa_delay_slots(decide_read_seconds_or(spec, "scale_down_delay_s", 0, e));
    if (slots > 1000000)
        decide_read_fail(spec, "scale_down_delay_s", e, "is too long");
    else if (slots > 0)
        r->state.delay.entries = decide_read_room(slots, sizeof(struct kpa_entry), e);
    r->state.delay.size = slots;
}

static int kpa_scale_case(struct decide_trial *trial, struct err *e)
{
    struct run r = {.ok = true, .reason = trial->reason};
    struct decide_result out = {0};
    sim_ns last = INT64_MIN;
    const struct json *steps = decide_read_array(trial->input, "steps", e);
    size_t n = steps ? steps->count : 0;
    r.desired = decide_read_room(n, sizeof *r.desired, e);
    r.burst = decide_read_room(n, sizeof *r.burst, e);
    r.panic = decide_read_room(n, sizeof *r.panic, e);
    start(&r, trial->input, e);
    for (const struct json *s = steps ? steps->first : NULL; s && e->code == ERR_NONE; s = s->next)
        run_step(&r, s, &last, e);
    if (e->code == ERR_NONE) {
        decide_result_ints(&out, "desired", r.desired, r.n);
        decide_result_ints(&out, "excess_burst", r.burst, r.n);
        decide_result_texts(&out, "mode", r.panic, r.n);
        decide_result_write(&out, trial->result);
        if (r.ok)
            text_printf(trial->reason, "%zu ticks, %s at the end", r.n,
                        r.state.panicking ? "in panic" : "stable");
        if (trial->expect)
            trial->pass = r.ok && decide_result_matches(&out, trial->expect, trial->reason);
    }
    free(r.desired);
    free(r.burst);
    free(r.panic);
    free(r.state.delay.entries);
    return e->code == ERR_NONE ? 0 : -1;
}

static int kpa_initial(struct decide_trial *trial, struct err *e)
{
    struct kpa_state s = {0};
    struct decide_result r = {0};
    bool named = decide_read_field(trial->input, "initial_ready", e) != NULL;
    int32_t ready = read_pods(trial->input, named ? "initial_ready" : "ready", e);
    if (e->code != ERR_NONE)
        return -1;
    kpa_start(&s, ready, 0);
    decide_result_bool(&r, "panic", s.panicking);
    decide_result_bool(&r, "in_panic", s.panicking);
    decide_result_bool(&r, "panicking", s.panicking);
    decide_result_int(&r, "max_panic_pods", s.max_panic_pods);
    text_printf(trial->reason, "%d ready pods: starts %s", (int)ready,
                s.panicking ? "in panic" : "in the stable mode");
    return decide_result_finish(&r, trial);
}

static int window_max(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct kpa_window w = {.size = (size_t)decide_read_int(input, "size", 1, 1000000, e)};
    const struct json *index = decide_read_array(input, "index", e);
    const struct json *values = decide_read_array(input, "values", e);
    size_t n = index ? index->count : 0, k = 0;
    double *maxima = decide_read_room(n, sizeof *maxima, e);
    int64_t last = INT64_MIN;
    w.entries = decide_read_room(e->code == ERR_NONE ? w.size : 1, sizeof *w.entries, e);
    if (e->code == ERR_NONE && values->count != n)
        decide_read_fail(values, "values", e, "has %zu entries, but index has %zu", values->count,
                         n);
    const struct json *v = e->code == ERR_NONE ? values->first : NULL;
    for (const struct json *i = v ? index->first : NULL; i; i = i->next, v = v->next, k++) {
        bool numbers = i->type == JSON_NUMBER && v->type == JSON_NUMBER;
        int64_t slot = numbers && fabs(i->number) < 1e15 ? (int64_t)i->number : INT64_MIN;
        if (!numbers || slot < last) {
            decide_read_fail(i, "index", e, "must hold numbers that do not go back");
            break;
        }
        last = slot;
        maxima[k] = kpa_window_record(&w, slot, v->number);
    }
    if (e->code == ERR_NONE) {
        decide_result_numbers(&r, "maxima", maxima, n);
        text_printf(trial->reason, "largest of %zu slots", w.size);
        decide_result_finish(&r, trial);
    }
    free(w.entries);
    free(maxima);
    return e->code == ERR_NONE ? 0 : -1;
}

static int kpa_target_case(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    const char *metric = decide_read_string(input, "metric", e);
    bool rps = metric && strcmp(metric, "rps") == 0;
    if (metric && !rps && strcmp(metric, "concurrency") != 0)
        decide_read_fail(json_get(input, "metric"), "metric", e,
                         "'%s', but must be concurrency or rps", metric);
    struct kpa_aim aim = {
        .metric = rps ? KPA_RPS : KPA_CONCURRENCY,
        .container_concurrency = read_amount(input, "container_concurrency", 0, e),
        .default_total = read_amount(input, rps ? "rps_default" : "cc_default", rps ? 200 : 100, e),
        .default_utilization = read_amount(input, rps ? "rps_fraction" : "cc_fraction", 0.7, e),
        .own_total =
            decide_read_field(input, "own_target", e) ? read_amount(input, "own_target", 0, e) : -1,
        .own_utilization = decide_read_field(input, "own_utilization", e)
                               ? read_amount(input, "own_utilization", 0, e)
                               : -1,
    };
    if (e->code != ERR_NONE)
        return -1;
    struct kpa_target t = kpa_resolve(&aim);
    decide_result_number(&r, "target", t.target);
    decide_result_number(&r, "total", t.total);
    text_printf(trial->reason, "%g of %g a pod", t.target, t.total);
    return decide_result_finish(&r, trial);
}

const struct decide_kind decide_kpa_kinds[] = {
    {"kpa_scale", kpa_scale_case},
    {"kpa_initial", kpa_initial},
    {"window_max", window_max},
    {"kpa_target", kpa_target_case},
    {0},
};
