/* hpa_replicas: the replica calculator of the HPA, rules H6 to H27. */
#include "models/control/hpa_replicas.h"

#include <assert.h>
#include <math.h>

bool hpa_replicas_inside(const struct hpa_tolerance *t, double ratio)
{
    if (t->by_distance)
        return fabs(1.0 - ratio) <= t->up;
    return 1.0 - t->down <= ratio && ratio <= 1.0 + t->up;
}

const char *hpa_replicas_fault_name(enum hpa_fault fault)
{
    static const char *const names[] = {
        [HPA_FAULT_NONE] = "none",
        [HPA_FAULT_NO_VALUE] = "no_value",
        [HPA_FAULT_NO_SAMPLES] = "no_samples",
        [HPA_FAULT_NO_USABLE] = "no_usable_samples",
        [HPA_FAULT_NO_MATCHING] = "no_matching_samples",
        [HPA_FAULT_MISSING_REQUEST] = "missing_request",
        [HPA_FAULT_NO_PODS] = "no_pods",
    };
    return names[fault];
}

/* Every count is rounded up (H9). A size is an int32 in the API; 0/0 is no pods. */
static int32_t round_up(double replicas)
{
    double up = ceil(replicas);
    if (up >= 2147483647.0)
        return INT32_MAX;
    if (up <= -2147483648.0)
        return INT32_MIN;
    return up != up ? 0 : (int32_t)up;
}

/* Sums and products of milli-units stop at the end of the type instead of wrapping. */
static int64_t add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

/* n is a count of pods, >= 0. */
static int64_t times(int64_t v, int64_t n)
{
    if (n > 0 && v > INT64_MAX / n)
        return INT64_MAX;
    if (n > 0 && v < INT64_MIN / n)
        return INT64_MIN;
    return v * n;
}

static struct hpa_proposal failed(enum hpa_fault fault)
{
    return (struct hpa_proposal){.fault = fault};
}

/* What the status shows: 0 when there are no pods, no wrap at the end of int64. */
static int64_t per_pod(int64_t usage, int32_t status)
{
    if ((double)usage >= 9223372036854775807.0)
        return INT64_MAX;
    if (status == 0)
        return 0;
    return (int64_t)ceil((double)usage / (double)status);
}

struct hpa_proposal hpa_replicas_average(int64_t usage, int64_t target, int32_t status,
                                         const struct hpa_tolerance *t)
{
    assert(target > 0 && status >= 0);
    double ratio = (double)usage / ((double)target * (double)status);
    struct hpa_proposal p = {
        .replicas = status,
        .inside = hpa_replicas_inside(t, ratio),
        .ratio = ratio,
        .usage_milli = per_pod(usage, status),
    };
    if (!p.inside)
        p.replicas = round_up((double)usage / (double)target);
    return p;
}

struct hpa_proposal hpa_replicas_value(int64_t usage, int64_t target,
                                       const struct hpa_value_pods *pods,
                                       const struct hpa_tolerance *t)
{
    assert(target > 0 && pods->current >= 0 && pods->ready >= 0);
    double ratio = (double)usage / (double)target;
    struct hpa_proposal p = {.ratio = ratio, .usage_milli = usage, .replicas = pods->current};
    if (pods->current == 0) {
        p.replicas = round_up(ratio);
        return p;
    }
    p.inside = hpa_replicas_inside(t, ratio);
    if (p.inside)
        return p;
    if (pods->none)
        return failed(HPA_FAULT_NO_PODS);
    p.counted = pods->ready;
    p.replicas = round_up(ratio * (double)pods->ready);
    return p;
}

int64_t hpa_replicas_sum(const int64_t *series, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n && sum < INT64_MAX; i++)
        sum = add(sum, series[i]);
    return sum;
}

/* A young pod's sample counts once the pod is ready and one whole window lies after that; an older
 * pod's is dropped only when the pod has never been ready. */
static bool cpu_is_doubtful(const struct scaler_pod *pod, const struct scaler_sample *sample,
                            const struct hpa_readiness *r, sim_ns now)
{
    if (pod->ready == SCALER_READY_NONE || pod->started_at == SIM_NEVER)
        return true;
    bool unready = pod->ready == SCALER_READY_FALSE;
    if (pod->started_at + r->cpu_initialization > now)
        return unready || sample->at < pod->ready_changed_at + sample->window;
    return unready && pod->started_at + r->initial_delay > pod->ready_changed_at;
}

enum hpa_group hpa_replicas_group(const struct scaler_pod *pod, const struct scaler_sample *sample,
                                  const struct hpa_readiness *readiness, sim_ns now)
{
    if (pod->deleting || pod->phase == SCALER_POD_FAILED || pod->phase == SCALER_POD_SUCCEEDED)
        return HPA_GROUP_IGNORED;
    if (pod->phase == SCALER_POD_PENDING)
        return HPA_GROUP_NOT_READY;
    if (!sample)
        return HPA_GROUP_MISSING;
    if (readiness->cpu && cpu_is_doubtful(pod, sample, readiness, now))
        return HPA_GROUP_NOT_READY;
    return HPA_GROUP_READY;
}

/* All that the formulas need of the pods. Requests stay 0 where nobody asks for them. */
struct totals {
    int64_t usage, request; /* of samples that count and belong to a pod */
    int64_t matched;        /* those samples */
    int64_t samples;        /* samples that count, surplus ones included */
    int64_t surplus_usage;
    int64_t ready, not_ready, missing;
    int64_t not_ready_request, missing_request;
    int64_t missing_usage; /* what missing pods are taken to use when the metric is low */
};

/* fill_pct: a missing pod is taken to use this share of its request when the metric is low. */
static void count_pod(struct totals *t, enum hpa_group group, const struct scaler_sample *sample,
                      int64_t request, int64_t fill_pct)
{
    switch (group) {
    case HPA_GROUP_READY:
        t->ready++;
        t->matched++;
        t->samples++;
        t->usage = add(t->usage, sample->milli);
        t->request = add(t->request, request);
        break;
    case HPA_GROUP_NOT_READY:
        t->not_ready++;
        t->not_ready_request = add(t->not_ready_request, request);
        break;
    case HPA_GROUP_MISSING:
        t->missing++;
        t->missing_request = add(t->missing_request, request);
        t->missing_usage = add(t->missing_usage, times(request, fill_pct) / 100);
        break;
    case HPA_GROUP_IGNORED:
        break;
    }
}

static struct totals count(const struct hpa_question *q, int64_t fill_pct)
{
    struct totals t = {0};
    size_t s = 0;
    for (size_t i = 0; i < q->n_pods; i++) {
        while (s < q->n_samples && q->samples[s].pod < i)
            s++;
        const struct scaler_sample *own =
            s < q->n_samples && q->samples[s].pod == i ? &q->samples[s] : NULL;
        enum hpa_group g = hpa_replicas_group(&q->pods[i], own, &q->readiness, q->now);
        count_pod(&t, g, own, q->requests ? q->requests[i] : 0, fill_pct);
    }
    for (size_t i = q->n_samples; i > 0 && q->samples[i - 1].pod >= q->n_pods; i--) {
        t.samples++;
        t.surplus_usage = add(t.surplus_usage, q->samples[i - 1].milli);
    }
    return t;
}

static enum hpa_fault usable(const struct hpa_question *q, const struct totals *t)
{
    if (q->n_samples == 0)
        return HPA_FAULT_NO_SAMPLES;
    if (q->n_pods == 0)
        return HPA_FAULT_NO_PODS;
    return t->samples == 0 ? HPA_FAULT_NO_USABLE : HPA_FAULT_NONE;
}

/* The second look (H21 to H23): ratio is over the reporting pods, filled over all that were filled
 * in; a move is only made when both point the same way, and never against the filled ratio. */
static void look_again(struct hpa_proposal *p, double filled, int64_t pods, int32_t current,
                       const struct hpa_tolerance *t)
{
    double first = p->ratio;
    p->ratio = filled;
    p->replicas = current;
    p->inside = hpa_replicas_inside(t, filled);
    p->guarded = !p->inside && ((first < 1.0 && filled > 1.0) || (first > 1.0 && filled < 1.0));
    if (p->inside || p->guarded)
        return;
    int32_t n = round_up(filled * (double)pods);
    p->guarded = (filled < 1.0 && n > current) || (filled > 1.0 && n < current);
    if (p->guarded)
        return;
    p->counted = pods;
    p->replicas = n;
}

static void first_look(struct hpa_proposal *p, int64_t ready, int32_t current,
                       const struct hpa_tolerance *t)
{
    p->inside = hpa_replicas_inside(t, p->ratio);
    p->counted = p->inside ? 0 : ready;
    p->replicas = p->inside ? current : round_up(p->ratio * (double)ready);
}

/* Whole percent, rounded down; saturates where 100 x usage would not fit. */
static int32_t percent(int64_t usage, int64_t request)
{
    int64_t whole = usage / request, rest = usage % request;
    if (whole >= INT32_MAX / 100)
        return INT32_MAX;
    int64_t part = rest <= INT64_MAX / 100 ? rest * 100 / request : rest / (request / 100 + 1);
    return (int32_t)(whole * 100 + part);
}

static bool lacks_request(const struct hpa_question *q)
{
    for (size_t i = 0; i < q->n_pods; i++)
        if (!q->requests || q->requests[i] < 0)
            return true;
    return false;
}

static void fill_utilization(struct hpa_proposal *p, struct totals t, int32_t target,
                             const struct hpa_question *q)
{
    bool up = p->ratio > 1.0;
    if (p->ratio < 1.0) {
        t.usage = add(t.usage, t.missing_usage);
        t.request = add(t.request, t.missing_request);
        t.samples += t.missing;
    } else if (up) {
        t.request = add(t.request, t.missing_request);
        t.request = add(t.request, t.not_ready_request);
        t.samples += t.missing + t.not_ready;
    }
    double filled = (double)percent(t.usage, t.request) / (double)target;
    look_again(p, filled, t.samples, q->current, &q->tolerance);
}

struct hpa_proposal hpa_replicas_utilization(const struct hpa_question *q, int32_t target_pct)
{
    assert(target_pct > 0 && q->current >= 0);
    struct totals t = count(q, target_pct > 100 ? target_pct : 100);
    enum hpa_fault fault = usable(q, &t);
    if (fault)
        return failed(fault);
    if (lacks_request(q))
        return failed(HPA_FAULT_MISSING_REQUEST);
    if (t.request <= 0)
        return failed(HPA_FAULT_NO_MATCHING);
    int32_t pct = percent(t.usage, t.request);
    struct hpa_proposal p = {
        .ratio = (double)pct / (double)target_pct,
        .utilization_pct = pct,
        .usage_milli = t.usage / t.matched,
    };
    if (t.missing == 0 && !(t.not_ready > 0 && p.ratio > 1.0))
        first_look(&p, t.ready, q->current, &q->tolerance);
    else
        fill_utilization(&p, t, target_pct, q);
    return p;
}

/* Rules H24 and H20 to H23 over totals, where usage holds the sum of all t->samples. */
static struct hpa_proposal propose_mean(const struct totals *t, int64_t target, int32_t current,
                                        const struct hpa_tolerance *tolerance)
{
    int64_t mean = t->usage / t->samples;
    struct hpa_proposal p = {.ratio = (double)mean / (double)target, .usage_milli = mean};
    bool up = p.ratio > 1.0;
    if (t->missing == 0 && !(t->not_ready > 0 && up)) {
        first_look(&p, t->ready, current, tolerance);
        return p;
    }
    int64_t sum = t->usage, pods = t->samples;
    if (p.ratio < 1.0) {
        sum = add(sum, times(target, t->missing));
        pods += t->missing;
    } else if (up) {
        pods += t->missing + t->not_ready;
    }
    look_again(&p, (double)(sum / pods) / (double)target, pods, current, tolerance);
    return p;
}

struct hpa_proposal hpa_replicas_pods(const struct hpa_question *q, int64_t target)
{
    assert(target > 0 && q->current >= 0);
    struct totals t = count(q, 0);
    enum hpa_fault fault = usable(q, &t);
    if (fault)
        return failed(fault);
    t.usage = add(t.usage, t.surplus_usage);
    return propose_mean(&t, target, q->current, &q->tolerance);
}

struct hpa_proposal hpa_replicas_mean(int64_t mean, int64_t target, const struct scaler_view *view,
                                      const struct hpa_tolerance *t)
{
    assert(target > 0);
    if (view->status_replicas == 0)
        return failed(HPA_FAULT_NO_PODS);
    int64_t ready = view->ready_replicas;
    if (ready <= 0)
        return failed(HPA_FAULT_NO_USABLE);
    int64_t late = view->status_replicas > ready ? view->status_replicas - ready : 0;
    struct totals sums = {
        .usage = times(mean, ready), .samples = ready, .ready = ready, .not_ready = late};
    return propose_mean(&sums, target, view->spec_replicas, t);
}
