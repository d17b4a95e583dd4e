/* fixture_naive_hpa: see naive_hpa.h. */
#include "tests/naive_hpa.h"

#include <math.h>

static bool in_band(double r, double up, double down)
{
    return r >= 1.0 - down && r <= 1.0 + up;
}

static int32_t up_to_int(double v)
{
    v = ceil(v);
    if (isnan(v))
        return 0;
    if (v > 2147483647.0)
        return 2147483647;
    return v < -2147483648.0 ? -2147483647 - 1 : (int32_t)v;
}

int32_t naive_average(int64_t usage, int64_t target, int32_t status, double up, double down)
{
    double r = (double)usage / ((double)target * (double)status);
    if (in_band(r, up, down))
        return status;
    return up_to_int((double)usage / (double)target);
}

int32_t naive_value(int64_t usage, int64_t target, const struct naive_ask *a)
{
    double r = (double)usage / (double)target;
    if (a->current == 0)
        return up_to_int(r);
    if (in_band(r, a->up, a->down))
        return a->current;
    if (a->n == 0)
        return -1;
    int ready = 0;
    for (int i = 0; i < a->n; i++)
        if (a->pods[i].phase == 2 && a->pods[i].ready == 1)
            ready++;
    return up_to_int(r * ready);
}

/* 'r' ready, 'n' not ready, 'm' missing, 'i' ignored. */
static char sort_pod(const struct naive_pod *p, const struct naive_ask *a)
{
    if (p->deleting || p->phase >= 3)
        return 'i';
    if (p->phase == 0)
        return 'n';
    if (!p->sampled)
        return 'm';
    if (!a->cpu)
        return 'r';
    if (p->ready < 0 || !p->has_start)
        return 'n';
    if (p->start_age < a->cpu_period) {
        if (p->ready == 0)
            return 'n';
        /* the sample was taken before one window had passed since the change */
        return p->sample_age > p->ready_age - p->window ? 'n' : 'r';
    }
    /* unready since before the delay after the start: never ready */
    return p->ready == 0 && p->ready_age > p->start_age - a->ready_delay ? 'n' : 'r';
}

struct entry {
    int64_t usage, request;
    bool known; /* belongs to a pod of the list */
};

struct table {
    struct entry rows[2 * NAIVE_MOST];
    int n;
};

static void put(struct table *t, int64_t usage, int64_t request, bool known)
{
    t->rows[t->n++] = (struct entry){usage, request, known};
}

static bool percent_of(const struct table *t, int64_t *out)
{
    int64_t usage = 0, request = 0;
    for (int i = 0; i < t->n; i++)
        if (t->rows[i].known) {
            usage += t->rows[i].usage;
            request += t->rows[i].request;
        }
    if (request == 0)
        return false;
    *out = usage * 100 / request;
    return true;
}

static int64_t mean_of(const struct table *t)
{
    int64_t sum = 0;
    for (int i = 0; i < t->n; i++)
        sum += t->rows[i].usage;
    return sum / t->n;
}

/* Both kinds of per-pod metrics; pct: target is percent of requests. */
static int32_t per_pod(const struct naive_ask *a, int64_t target, bool pct)
{
    struct table t = {.n = 0};
    int ready = 0, not_ready = 0, missing = 0, reported = a->n_surplus;
    for (int i = 0; i < a->n; i++) {
        char g = sort_pod(&a->pods[i], a);
        reported += a->pods[i].sampled;
        ready += g == 'r';
        not_ready += g == 'n';
        missing += g == 'm';
        if (g == 'r')
            put(&t, a->pods[i].sample, a->pods[i].request, true);
    }
    for (int i = 0; i < a->n_surplus; i++)
        put(&t, a->surplus[i], 0, false);
    if (reported == 0 || a->n == 0 || t.n == 0)
        return -1;
    for (int i = 0; pct && i < a->n; i++)
        if (a->pods[i].request < 0)
            return -1;
    int64_t level = 0;
    if (!pct)
        level = mean_of(&t);
    else if (!percent_of(&t, &level))
        return -1;
    double r = (double)level / (double)target;
    if (missing == 0 && !(not_ready > 0 && r > 1.0))
        return in_band(r, a->up, a->down) ? a->current : up_to_int(r * ready);
    for (int i = 0; i < a->n; i++) {
        char g = sort_pod(&a->pods[i], a);
        int64_t request = a->pods[i].request;
        if (g == 'm' && r < 1.0)
            put(&t, pct ? request * (target > 100 ? target : 100) / 100 : target, request, true);
        if (r > 1.0 && (g == 'm' || g == 'n'))
            put(&t, 0, request, true);
    }
    if (!pct)
        level = mean_of(&t);
    else if (!percent_of(&t, &level))
        return -1;
    double r2 = (double)level / (double)target;
    if (in_band(r2, a->up, a->down) || (r < 1.0 && r2 > 1.0) || (r > 1.0 && r2 < 1.0))
        return a->current;
    int32_t n = up_to_int(r2 * t.n);
    if ((r2 < 1.0 && n > a->current) || (r2 > 1.0 && n < a->current))
        return a->current;
    return n;
}

int32_t naive_utilization(const struct naive_ask *a, int64_t target_pct)
{
    return per_pod(a, target_pct, true);
}

int32_t naive_pods(const struct naive_ask *a, int64_t target)
{
    return per_pod(a, target, false);
}

/* ---- the pass ---- */

static int32_t changed(const struct naive_entry *e, int n, int64_t period, int64_t now)
{
    int32_t sum = 0;
    for (int i = 0; i < n; i++)
        if (e[i].at > now - period)
            sum += e[i].n;
    return sum;
}

static int32_t one_limit(const struct naive_policy *p, int32_t start, bool up)
{
    if (!p->percent)
        return up ? start + p->value : start - p->value;
    return up ? (int32_t)ceil((double)start * (1 + (double)p->value / 100))
              : (int32_t)((double)start * (1 - (double)p->value / 100));
}

/* The furthest allowed size: of several policies the boldest, or with Min the most timid. */
static int32_t limit(const struct naive_hpa *h, const struct naive_rules *r, int32_t cur,
                     int64_t now, bool up)
{
    if (r->select == 2)
        return cur;
    int32_t best = 0;
    for (int i = 0; i < r->n; i++) {
        int64_t period = r->policies[i].period;
        int32_t start = cur - changed(h->ups, h->n_ups, period, now) +
                        changed(h->downs, h->n_downs, period, now);
        int32_t one = one_limit(&r->policies[i], start, up);
        bool larger = up == (r->select == 0);
        if (i == 0 || (larger ? one > best : one < best))
            best = one;
    }
    return best;
}

static void remember(struct naive_entry *e, int *n, int slot, int32_t value, int64_t now)
{
    if (slot < 0)
        slot = (*n)++;
    e[slot] = (struct naive_entry){value, now, false};
}

static void store(struct naive_entry *e, int *n, const struct naive_rules *r, int32_t change,
                  int64_t now)
{
    int64_t longest = 0;
    int slot = -1;
    for (int i = 0; i < r->n; i++)
        if (r->policies[i].period > longest)
            longest = r->policies[i].period;
    for (int i = 0; i < *n; i++) {
        if (e[i].at < now - longest)
            e[i].dead = true;
        if (e[i].dead)
            slot = i;
    }
    remember(e, n, slot, change, now);
}

static int32_t stabilize(struct naive_hpa *h, int32_t cur, int32_t want, int64_t now)
{
    int32_t low = want, high = want, result;
    int slot = -1;
    for (int i = 0; i < h->n_recs; i++) {
        int64_t at = h->recs[i].at;
        int32_t n = h->recs[i].n;
        if (!h->behavior) {
            if (at < now - h->down_window)
                slot = i;
            else if (n > high)
                high = n;
            continue;
        }
        if (at > now - h->up.window && n < low)
            low = n;
        if (at > now - h->down.window && n > high)
            high = n;
        if (at < now - h->up.window && at < now - h->down.window)
            slot = i;
    }
    result = high;
    if (h->behavior) {
        result = cur;
        if (result < low)
            result = low;
        if (result > high)
            result = high;
    }
    remember(h->recs, &h->n_recs, slot, want, now);
    return result;
}

static int32_t limited(const struct naive_hpa *h, int32_t cur, int32_t want, int64_t now)
{
    if (!h->behavior) {
        int32_t cap = 2 * cur > 4 ? 2 * cur : 4;
        if (want < h->min)
            return h->min;
        if (want > h->max && h->max <= cap)
            return h->max;
        return want > cap ? cap : want;
    }
    if (want > cur) {
        int32_t most = limit(h, &h->up, cur, now, true);
        if (most < cur)
            most = cur;
        if (most > h->max)
            most = h->max;
        return want > most ? most : want;
    }
    if (want < cur) {
        int32_t least = limit(h, &h->down, cur, now, false);
        if (least > cur)
            least = cur;
        if (least < h->min)
            least = h->min;
        return want < least ? least : want;
    }
    return want;
}

int32_t naive_pass(struct naive_hpa *h, int64_t now, int32_t spec, int32_t status, int64_t usage)
{
    int32_t next;
    if (!h->started)
        remember(h->recs, &h->n_recs, -1, spec, now);
    h->started = true;
    if (spec == 0 && h->min != 0)
        return 0;
    if (spec != 0 && spec > h->max) {
        next = h->max;
    } else if (spec != 0 && spec < h->min) {
        next = h->min;
    } else {
        if (usage < 0)
            return spec;
        int32_t want = naive_average(usage, h->target, status, h->up_tolerance, h->down_tolerance);
        next = limited(h, spec, stabilize(h, spec, want, now), now);
    }
    if (h->behavior && next > spec)
        store(h->ups, &h->n_ups, &h->up, next - spec, now);
    if (h->behavior && next < spec)
        store(h->downs, &h->n_downs, &h->down, spec - next, now);
    return next;
}
