/* eci_report: closing figures of container instances. */
#include "models/capacity/eci_report.h"

#include "models/capacity/cluster_config.h"
#include "models/capacity/eci_fleet.h"
#include "models/capacity/eci_life.h"
#include "models/capacity/pod_shape.h"
#include "models/money/breakeven.h"
#include "sim/money.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *currency_of(const struct eci_fleet *s)
{
    const char *currency = s->set.cluster->config->currency;
    return currency ? currency : "CNY";
}

/* The offer that was paid for the most time; before any was, the one that is tried first. */
static size_t main_offer(const struct eci_kind *o)
{
    size_t most = 0;
    for (size_t i = 1; i < o->offers.n; i++)
        most = o->bought[i].ns > o->bought[most].ns ? i : most;
    return most;
}

/* Paid an hour on the mean, in micro-units; before anything was, the price on demand. */
static double paid_per_hour(const struct eci_kind *o, size_t offer)
{
    const struct eci_bought *b = &o->bought[offer];
    double hours = (double)b->ns / (double)SIM_HOUR;
    return b->ns > 0 ? (double)b->micro / hours : (double)o->offers.items[offer].micro_per_hour;
}

/* "2 x ecs.gn5i-c2g1.large (2 vCPU, 8 GiB, 1 x P4) at 3.141 CNY an hour (10.47 on demand)" */
static void list_bought(const struct eci_fleet *s, const struct eci_kind *o, char *buf, size_t size)
{
    buf[0] = '\0';
    for (size_t i = 0; i < o->offers.n; i++) {
        const struct eci_offer *f = &o->offers.items[i];
        double paid = paid_per_hour(o, i) / 1e6, list = (double)f->micro_per_hour / 1e6;
        size_t at = strlen(buf);
        char words[96];
        if (o->bought[i].n == 0)
            continue;
        if (f->gpus > 0)
            snprintf(words, sizeof words, "%.4g vCPU, %lld GiB, %d x %s",
                     (double)f->cpu_milli / 1000, (long long)(f->memory >> 30), (int)f->gpus,
                     f->gpu);
        else
            eci_offer_words(f, words, sizeof words);
        snprintf(buf + at, size - at, "%s%llu x %s (%s) at %.4g %s an hour", at ? ", " : "",
                 (unsigned long long)o->bought[i].n, f->type, words, paid, currency_of(s));
        at = strlen(buf);
        if (fabs(paid - list) > 1e-3 * list)
            snprintf(buf + at, size - at, " (%.4g on demand)", list);
    }
}

static void say_offer(const struct eci_fleet *s, const struct eci_kind *o)
{
    char list[640];
    list_bought(s, o, list, sizeof list);
    if (list[0] == '\0')
        return;
    recorder_finding(eci_fleet_recorder(s), "note", "eci-spec",
                     "%s: %zu ECI size%s match%s; bought: %s%s. It goes there by %s.",
                     o->request.pod->name, o->offers.matching,
                     text_plural(o->offers.matching, "", "s"),
                     text_plural(o->offers.matching, "es", ""), list,
                     o->request.n_specs > 1   ? ", the first of its list that could be had"
                     : o->offers.matching > 1 ? ", the smallest that fits"
                                              : "",
                     o->route.why);
}

/* By the price of a subscription: the share of the time up to which paying by the second is
 * cheaper, at what was paid an hour, for bursts as long as an instance was paid for on the average.
 */
static void say_breakeven(const struct eci_fleet *s, const struct eci_kind *o)
{
    size_t most = main_offer(o);
    const struct eci_offer *f = &o->offers.items[most];
    const struct eci_bought *bought = &o->bought[most];
    struct breakeven b = {.eci_micro_per_hour = (int64_t)paid_per_hour(o, most),
                          .subscription_micro_per_hour = f->subscription_micro_per_hour};
    if (bought->ns == 0 || b.eci_micro_per_hour <= 0 || b.subscription_micro_per_hour <= 0)
        return;
    sim_ns each = bought->ns / (sim_ns)bought->n;
    double share = breakeven_duty_share(&b, each > 0 ? each : 1);
    double day = share * 24 * (double)SIM_HOUR / (double)(each > 0 ? each : 1);
    char rate[96] = "", paid[80];
    /* What the horizon has cut, or less than a day, is no rate of instances. */
    if (s->set.cluster->horizon >= SIM_DAY && each < s->set.cluster->horizon / 2)
        snprintf(rate, sizeof rate, ": %.0f instances a day of %.0f s each", day,
                 (double)each / 1e9);
    snprintf(paid, sizeof paid, "%.4g %s an hour against %.4g", (double)b.eci_micro_per_hour / 1e6,
             currency_of(s), (double)f->subscription_micro_per_hour / 1e6);
    if (share >= 1)
        recorder_finding(eci_fleet_recorder(s), "note", "eci-break-even",
                         "%s: paying by the second is cheaper than a subscription of %s even "
                         "without a pause (%s).",
                         o->request.pod->name, f->type, paid);
    else
        recorder_finding(eci_fleet_recorder(s), "note", "eci-break-even",
                         "%s: paying by the second is cheaper than a subscription of %s while a "
                         "GPU is paid for less than %.3g %% of the time (%s)%s.",
                         o->request.pod->name, f->type, 100 * share, paid, rate);
}

static void say_annotation(const struct eci_fleet *s, const struct eci_kind *o)
{
    if (o->request.unknown && o->created > 0)
        recorder_finding(eci_fleet_recorder(s), "note", "eci-annotation",
                         "%s: the annotation %s has no effect here.", o->request.pod->name,
                         o->request.unknown);
    if (o->request.extra_storage > 0 && o->created > 0)
        recorder_finding(eci_fleet_recorder(s), "note", "eci-storage",
                         "%s: %.4g GiB of ephemeral storage beyond the 30 GiB of each instance are "
                         "not in the bill.",
                         o->request.pod->name, (double)o->request.extra_storage / (1 << 30));
}

static void kind_figures(const struct eci_fleet *s, const struct eci_kind *o)
{
    struct recorder *r = eci_fleet_recorder(s);
    const char *currency = currency_of(s);
    const struct eci_offer *f = &o->offers.items[main_offer(o)];
    char path[128];
    if (o->route.to == ROUTE_NODES || o->request.pod->of_trace) /* too many to tell apart */
        return;
    snprintf(path, sizeof path, "eci.%.60s.cost", o->request.pod->name);
    recorder_figure(r, path, currency, FIGURE_MEAN, (double)o->micro / 1e6);
    snprintf(path, sizeof path, "eci.%.60s.billedSeconds", o->request.pod->name);
    recorder_figure(r, path, "s", FIGURE_MEAN, (double)o->billed_ns / (double)SIM_SECOND);
    snprintf(path, sizeof path, "eci.%.60s.perHour", o->request.pod->name);
    double hours = (double)o->billed_ns / (double)SIM_HOUR, micro = (double)o->micro;
    recorder_figure(r, path, currency, FIGURE_MEAN,
                    (o->billed_ns > 0 ? micro / hours : (double)f->micro_per_hour) / 1e6);
    int64_t month = SIM_MONTH, subscription = f->subscription_micro_per_hour;
    snprintf(path, sizeof path, "eci.%.60s.month.onDemand", o->request.pod->name);
    recorder_figure(r, path, currency, FIGURE_MEAN,
                    (double)money_for(f->micro_per_hour, month) / 1e6);
    snprintf(path, sizeof path, "eci.%.60s.month.subscription", o->request.pod->name);
    if (subscription > 0)
        recorder_figure(r, path, currency, FIGURE_MEAN,
                        (double)money_for(subscription, month) / 1e6);
    say_offer(s, o);
    say_breakeven(s, o);
    say_annotation(s, o);
}

/* Time is paid for in the states that the billing page names, and in no other. */
static void state_figures(const struct eci_fleet *s)
{
    sim_ns billed = 0;
    char path[64];
    for (int i = 0; i < ECI_STATES; i++) {
        enum eci_state state = (enum eci_state)i;
        billed += eci_state_billed(state) ? s->state_ns[i] : 0;
        snprintf(path, sizeof path, "eci.states.%s", eci_state_name(state));
        if (s->state_ns[i] > 0)
            recorder_figure(eci_fleet_recorder(s), path, "s", FIGURE_MEAN,
                            (double)s->state_ns[i] / (double)SIM_SECOND);
    }
    assert(billed == s->paid_ns);
}

void eci_report_write(struct eci_fleet *s, sim_ns now)
{
    struct recorder *r = eci_fleet_recorder(s);
    uint64_t created = 0, failed = 0, expired = 0;
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        struct eci_instance *in = &s->instances[i];
        if (!in->billed)
            continue;
        /* At the horizon no step is rounded up, as in the ledger, which ends the account itself. */
        in->billed = false;
        eci_life_state(s, in, now, in->state);
        s->paid_ns += now - in->since;
        in->micro += money_for(in->price, now - in->from);
        eci_life_paid(s, in, now - in->since);
    }
    for (size_t i = 0; i < s->set.cluster->n_shapes; i++) {
        created += s->kinds[i].created;
        failed += s->kinds[i].failed;
        expired += s->kinds[i].expired;
        kind_figures(s, &s->kinds[i]);
    }
    state_figures(s);
    eci_wait_report(s, now);
    recorder_figure(r, "eci.created", "instances", FIGURE_SUM, (double)created);
    recorder_figure(r, "eci.scheduleFailed", "instances", FIGURE_SUM, (double)failed);
    recorder_figure(r, "eci.expired", "instances", FIGURE_SUM, (double)expired);
    recorder_figure(r, "eci.quotaWaits", "looks", FIGURE_SUM, (double)s->quota_waits);
    recorder_figure(r, "eci.throttled", "calls", FIGURE_SUM, (double)s->throttled);
    recorder_figure(r, "eci.longestThrottle", "s", FIGURE_MAX,
                    (double)s->longest_throttle / (double)SIM_SECOND);
}
