/* eci_wait: pods that got no container instance. */
#include "models/capacity/eci_wait.h"

#include "models/capacity/cluster_config.h"
#include "models/capacity/eci_fleet.h"
#include "models/capacity/eci_life.h"
#include "models/capacity/eci_spot.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/quota.h"
#include "models/capacity/virtual_node.h"
#include "sim/digest.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- why ---- */

bool eci_wait_within_quota(const struct eci_fleet *s, const struct eci_instance *in,
                           const struct eci_offer *o)
{
    int64_t quota = s->config->vcpu_quota * INT64_C(1000);
    return quota == 0 || s->cpu_milli - in->reserved + o->cpu_milli <= quota;
}

/* Instances that count against a limit. */
static int64_t held_against(const void *self, const struct quota *l)
{
    const struct eci_fleet *s = self;
    int64_t sum = 0;
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        const struct eci_instance *in = &s->instances[i];
        if (in->got && in->reserved > 0) {
            struct quota_machine m = {in->offer->type, eci_zone_name(s->config, in->zone),
                                      in->spot};
            sum += quota_counts(l, &m);
        }
    }
    return sum;
}

static const struct quota *limit_met(const struct eci_fleet *s, const struct eci_instance *in,
                                     sim_ns now)
{
    struct quota_machine m = {in->offer->type, eci_zone_name(s->config, in->zone), in->spot};
    return quota_met(&s->config->stock_limits, &m, now, held_against, s);
}

enum eci_lack eci_wait_lack(const struct eci_fleet *s, const struct eci_instance *in, sim_ns now)
{
    assert(in->offer);
    if (now < s->zone_from[in->zone])
        return ECI_LACK_ZONE;
    if (!eci_wait_within_quota(s, in, in->offer))
        return ECI_LACK_QUOTA;
    if (limit_met(s, in, now) ||
        (in->spot && (now < s->stock_from[in->zone] || eci_spot_full(s, in, now))))
        return ECI_LACK_STOCK;
    if (!in->spot)
        return ECI_LACK_NOTHING;
    struct spot_bid bid = eci_spot_bid(s, in);
    return spot_too_dear(&bid, now) ? ECI_LACK_BID : ECI_LACK_NOTHING;
}

static const char *currency(const struct eci_fleet *s)
{
    return s->set.cluster->config->currency ? s->set.cluster->config->currency : "CNY";
}

/* " in zone h"; nothing where zones have no name. */
static void zone_words(const struct eci_fleet *s, const struct eci_instance *in, char *buf,
                       size_t size)
{
    const char *zone = eci_zone_name(s->config, in->zone);
    snprintf(buf, size, "%s%.40s", zone[0] ? " in zone " : "", zone);
}

static void quota_words(const struct eci_fleet *s, const struct eci_instance *in,
                        const struct eci_offer *o, char *buf, size_t size)
{
    snprintf(buf, size, "vcpuQuota is %d, %.6g vCPU are taken, and %.40s has %.4g",
             (int)s->config->vcpu_quota, (double)(s->cpu_milli - in->reserved) / 1000, o->type,
             (double)o->cpu_milli / 1000);
}

static void lack_words(const struct eci_fleet *s, const struct eci_instance *in, sim_ns now,
                       enum eci_lack lack, char *buf, size_t size)
{
    const struct quota *limit = limit_met(s, in, now);
    char zone[64];
    zone_words(s, in, zone, sizeof zone);
    if (lack == ECI_LACK_ZONE)
        snprintf(buf, size, "zone %.40s is gone", eci_zone_name(s->config, in->zone));
    else if (lack == ECI_LACK_QUOTA)
        quota_words(s, in, in->offer, buf, size);
    else if (lack == ECI_LACK_BID) {
        struct spot_bid bid = eci_spot_bid(s, in);
        snprintf(buf, size, "the bid of %.3f %.8s an hour is below the market's %.3f for %.40s%s",
                 (double)bid.limit_micro / 1e6, currency(s), (double)spot_price_at(&bid, now) / 1e6,
                 in->offer->type, zone);
    } else if (limit)
        snprintf(buf, size, "%.40s is out of stock%s (stockLimits[%zu] sells %d)", in->offer->type,
                 zone, (size_t)(limit - (const struct quota *)s->config->stock_limits.items),
                 (int)limit->most);
    else
        snprintf(buf, size, "%s%.40s is out of stock%s", in->spot ? "preemptible " : "",
                 in->offer->type, zone);
}

/* The first spec in the first zone, and how many others there were. */
static void keep_words(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_lack lack)
{
    struct eci_kind *o = &s->kinds[in->shape];
    size_t others = o->offers.n * o->request.n_zones - 1;
    struct eci_instance first = *in;
    first.offer = &o->offers.items[0];
    if (!o->request.random_zones)
        first.zone = o->request.zones[0];
    lack_words(s, &first, now, lack, o->words, sizeof o->words);
    size_t at = strlen(o->words);
    if (others > 0)
        snprintf(o->words + at, sizeof o->words - at,
                 ", nor is there another of its %zu specs in "
                 "%zu zone%s",
                 o->offers.n, o->request.n_zones, text_plural(o->request.n_zones, "", "s"));
}

/* ---- when ---- */

sim_ns eci_wait_after(const struct eci_fleet *s, uint32_t failed)
{
    sim_ns wait = s->config->retry, most = s->config->retry_longest;
    while (--failed > 0 && wait < most)
        wait *= 2;
    return wait < most ? wait : most;
}

static const char *const names[ECI_LACKS] = {
    [ECI_LACK_STOCK] = "NoStock",
    [ECI_LACK_BID] = "BidTooLow",
    [ECI_LACK_QUOTA] = "QuotaFull",
    [ECI_LACK_ZONE] = "ZoneLost",
};

static void begin(struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    if (in->waits)
        return;
    in->waits = true;
    in->waits_since = now;
    s->kinds[in->shape].waited++;
}

/* Each pod is told a kind of reason once, not at every call: a market's price moves, and that is
 * no news. */
static bool is_news(struct eci_instance *in, enum eci_lack lack)
{
    struct digest d = {0};
    digest_text(&d, names[lack]);
    bool news = in->told != digest_value(&d);
    in->told = digest_value(&d);
    return news;
}

sim_ns eci_wait_failed(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_lack lack)
{
    struct eci_kind *o = &s->kinds[in->shape];
    const char *pod = pods_view(s->set.pods, in->pod.slot)->name;
    assert(lack > ECI_LACK_NOTHING && lack < ECI_LACKS);
    begin(s, in, now);
    keep_words(s, in, now, lack);
    o->lacks[lack]++;
    in->failed_calls++;
    if (!o->request.reschedule && in->failed_calls >= (uint32_t)s->config->tries) {
        recorder_log(eci_fleet_recorder(s), now, true, pod, "ScheduleFailed",
                     "%s; the pod is Failed after %u calls", o->words, (unsigned)in->failed_calls);
        return SIM_NEVER;
    }
    sim_ns wait = eci_wait_after(s, in->failed_calls);
    if (is_news(in, lack))
        recorder_log(eci_fleet_recorder(s), now, true, pod, names[lack],
                     "%s; tried again after %.4g s, doubling to %.4g s", o->words,
                     (double)wait / 1e9, (double)s->config->retry_longest / 1e9);
    return now + wait;
}

void eci_wait_quota(struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    struct eci_kind *o = &s->kinds[in->shape];
    s->quota_waits++;
    begin(s, in, now);
    quota_words(s, in, &o->offers.items[0], o->words, sizeof o->words);
    if (is_news(in, ECI_LACK_QUOTA))
        recorder_log(eci_fleet_recorder(s), now, true, pods_view(s->set.pods, in->pod.slot)->name,
                     names[ECI_LACK_QUOTA], "%s", o->words);
}

void eci_wait_over(struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    struct eci_kind *o = &s->kinds[in->shape];
    if (in->waits && now - in->waits_since > o->longest_wait)
        o->longest_wait = now - in->waits_since;
    in->waits = false;
}

/* ---- what is told ---- */

static void count_waiting(struct eci_fleet *s, sim_ns end)
{
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        struct eci_instance *in = &s->instances[i];
        if (!in->waits || !in->pod.generation || !pods_find(s->set.pods, in->pod))
            continue;
        s->kinds[in->shape].waiting++;
        eci_wait_over(s, in, end);
    }
}

static void list_lacks(const struct eci_kind *o, char *buf, size_t size)
{
    static const char *const words[ECI_LACKS] = {
        [ECI_LACK_STOCK] = "no stock",
        [ECI_LACK_BID] = "the bid was below the market",
        [ECI_LACK_QUOTA] = "vcpuQuota was used up",
        [ECI_LACK_ZONE] = "the zone was gone",
    };
    buf[0] = '\0';
    for (int k = ECI_LACK_STOCK; k < ECI_LACKS; k++) {
        size_t at = strlen(buf);
        if (o->lacks[k] > 0)
            snprintf(buf + at, size - at, "%s%s %llu times", at ? ", " : "", words[k],
                     (unsigned long long)o->lacks[k]);
    }
}

static uint64_t failed_calls(const struct eci_kind *o)
{
    uint64_t sum = 0;
    for (int k = ECI_LACK_STOCK; k < ECI_LACKS; k++)
        sum += o->lacks[k];
    return sum;
}

static void say_waits(const struct eci_fleet *s, const struct eci_kind *o)
{
    char list[200], failed[80] = "", still[80] = "";
    uint64_t calls = failed_calls(o);
    if (o->waited == 0)
        return;
    list_lacks(o, list, sizeof list);
    if (o->failed > 0)
        snprintf(failed, sizeof failed, "; %llu failed for it", (unsigned long long)o->failed);
    if (o->waiting > 0)
        snprintf(still, sizeof still, "; %llu still wait at the end",
                 (unsigned long long)o->waiting);
    recorder_finding(eci_fleet_recorder(s), "warning", "eci-unavailable",
                     "%s: %llu pod%s had to wait for a container instance, the longest for %.0f s "
                     "(%llu creation call%s failed%s%s)%s%s. The last: %s.",
                     o->request.pod->name, (unsigned long long)o->waited,
                     text_plural(o->waited, "", "s"), (double)o->longest_wait / 1e9,
                     (unsigned long long)calls, text_plural(calls, "", "s"), list[0] ? ": " : "",
                     list, failed, still, o->words);
}

void eci_wait_report(struct eci_fleet *s, sim_ns end)
{
    static const char *const paths[ECI_LACKS] = {
        [ECI_LACK_STOCK] = "eci.failedCalls.stock",
        [ECI_LACK_BID] = "eci.failedCalls.bid",
        [ECI_LACK_QUOTA] = "eci.failedCalls.quota",
        [ECI_LACK_ZONE] = "eci.failedCalls.zone",
    };
    uint64_t sum[ECI_LACKS] = {0}, all = 0;
    count_waiting(s, end);
    for (size_t i = 0; i < s->set.cluster->n_shapes; i++) {
        say_waits(s, &s->kinds[i]);
        all += failed_calls(&s->kinds[i]);
        for (int k = ECI_LACK_STOCK; k < ECI_LACKS; k++)
            sum[k] += s->kinds[i].lacks[k];
    }
    recorder_figure(eci_fleet_recorder(s), "eci.failedCalls.total", "calls", FIGURE_SUM,
                    (double)all);
    for (int k = ECI_LACK_STOCK; k < ECI_LACKS; k++)
        if (sum[k] > 0)
            recorder_figure(eci_fleet_recorder(s), paths[k], "calls", FIGURE_SUM, (double)sum[k]);
}
