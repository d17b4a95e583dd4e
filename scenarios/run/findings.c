/* findings: what explains the numbers of a result, in words. */
#include "scenarios/run/findings.h"

#include "models/capacity/pool.h"
#include "models/control/hpa_config.h"
#include "models/control/scaler.h"
#include "models/serving/profile.h"
#include "scenarios/run/drill_effect.h"
#include "scenarios/run/manifest.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/unfollowed.h"
#include "sim/arena.h"
#include "sim/result.h"
#include "sim/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct result *r;
    const struct scenario *s;
    struct result_finding *findings;
    size_t n;
    struct err *e;
};

static void find(struct search *f, const char *level, const char *code, const char *fmt, ...)
    ERR_PRINTF(4, 5);

static void find(struct search *f, const char *level, const char *code, const char *fmt, ...)
{
    char text[700];
    va_list args;
    if (f->n == FINDINGS_MAX)
        return;
    va_start(args, fmt);
    int length = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t kept_length = length < (int)sizeof text ? (size_t)length : sizeof text - 1;
    const char *kept = arena_text(f->r->arena, text, kept_length, f->e);
    f->findings[f->n++] = (struct result_finding){level, code, kept ? kept : ""};
}

static double service_value(const struct search *f, const struct service_config *c,
                            const char *path, double otherwise)
{
    char full[256];
    snprintf(full, sizeof full, "services.%s.%s", c->name, path);
    return result_value(f->r, full, otherwise);
}

static const char *policy_name(const struct service_config *c)
{
    return c->autoscaler.option->name;
}

/* "1 request was", "3 requests were". */
struct words {
    char s[160];
};
static struct words count(double n, const char *one, const char *many)
{
    struct words w;
    snprintf(w.s, sizeof w.s, "%.0f %s", n, text_plural((uint64_t)(n + 0.5), one, many));
    return w;
}

static struct words span(double seconds)
{
    struct words w;
    double whole = seconds < 1 ? seconds : floor(seconds + 0.5);
    text_duration(w.s, sizeof w.s, (sim_ns)(whole * (double)SIM_SECOND));
    return w;
}

/* ---- the target ---- */

/* Requests a second that one replica can serve, by its slowest kind of GPU; 0 when it does not
 * follow from the service time alone. */
static double replica_capacity_qps(const struct service_config *c)
{
    const struct service_time *times = c->serving.times.items;
    double slowest_ns = 0;
    for (size_t i = 0; i < c->serving.times.count; i++)
        if (times[i].time.mean > slowest_ns)
            slowest_ns = times[i].time.mean;
    double lanes = c->serving.discipline == DISCIPLINE_FIFO ? (double)c->serving.concurrency : 1.0;
    return slowest_ns > 0 ? lanes * 1e9 / slowest_ns : 0;
}

static void find_target(struct search *f, const struct service_config *c)
{
    const struct scaler_policy *policy = c->autoscaler.option->descriptor;
    double target = policy->target_qps ? policy->target_qps(c->autoscaler.config) : 0;
    double capacity = replica_capacity_qps(c);
    if (target <= 0 || capacity <= 0)
        return;
    if (target > capacity)
        find(f, "warning", "target-above-capacity",
             "%s: a replica serves at most %.3g requests a second, the %s waits for %.3g. The "
             "metric counts requests that end, so a full replica shows its capacity and nothing "
             "scales until time-outs end requests too.",
             c->name, capacity, policy->option.name, target);
    else if (target < 0.2 * capacity)
        find(f, "note", "target-far-below-capacity",
             "%s: the target of %.3g QPS a replica is %.0f %% of the %.3g that its GPU serves.",
             c->name, target, 100 * target / capacity, capacity);
}

/* "1: 9..11, 2: 18..22": where a size stays. */
#define BAND_ROWS 12

static void find_bands(struct search *f, const struct service_config *c)
{
    const struct scaler_policy *policy = c->autoscaler.option->descriptor;
    struct text t = {0};
    struct scaler_band b;
    int32_t rows = 0;
    for (int32_t n = 0; policy->band && rows < BAND_ROWS && n <= (int32_t)f->s->limits.replicas;
         n++) {
        if (!policy->band(c->autoscaler.config, n, &b))
            continue;
        text_printf(&t, isinf(b.high) ? "%s%d: from %.6g" : "%s%d: %.6g..%.6g", rows++ ? ", " : "",
                    (int)n, b.low, b.high);
    }
    if (rows > 0 && !t.failed)
        find(f, "note", "bands", "%s: the %s keeps a size while its metric is in its band: %s.",
             c->name, policy_name(c), t.s);
    text_fini(&t);
}

/* ---- the service time ---- */

/* A calibration answers for the batches that were measured, and no more. */
static void find_extrapolation(struct search *f, const struct service_config *c)
{
    const struct service_time *times = c->serving.times.items;
    for (size_t i = 0; i < c->serving.times.count; i++) {
        const struct profile *p = times[i].profile;
        if (!p)
            continue;
        int64_t least = profile_min_batch(p), most = profile_max_batch(p);
        if (most == 0)
            find(f, "note", "service-time-from-a-fit",
                 "%s: '%s' is a line without the batches it was made from; nobody can say where it "
                 "holds.",
                 c->name, p->name);
        else if (times[i].batch < least || times[i].batch > most)
            find(
                f, "warning", "service-time-extrapolated",
                "%s: '%s' was measured for batches of %lld to %lld; the time of a batch of %lld is "
                "its line drawn further, which nothing measured.",
                c->name, p->name, (long long)least, (long long)most, (long long)times[i].batch);
    }
}

/* ---- the autoscaler ---- */

/* What one replica costs an hour, over all that was paid; 0 when nothing was. */
static double replica_hour(const struct search *f)
{
    const struct service_config *c = f->s->services.items;
    double hours = 0, days = (double)f->s->horizon / 3600e9;
    for (size_t i = 0; i < f->s->services.count; i++)
        hours += service_value(f, &c[i], "replicas.mean", 0) * days;
    return hours > 0 ? result_value(f->r, "cost.total", 0) / hours : 0;
}

static void find_capped(struct search *f, const struct service_config *c)
{
    double share = service_value(f, c, "scaler.cappedShare", 0);
    double missing = service_value(f, c, "scaler.cappedReplicaHours", 0);
    double missed = service_value(f, c, "slo.missedCapped", 0);
    double cost = missing * replica_hour(f);
    struct text t = {0};
    if (share <= 0)
        return;
    text_printf(&t, "%s: needed %.0f, capped at %.0f for %s (%.3g %% of the passes of the %s)",
                c->name, service_value(f, c, "scaler.neededMax", 0),
                service_value(f, c, "replicas.wantMax", 0),
                span(service_value(f, c, "scaler.cappedTime", 0)).s, 100 * share, policy_name(c));
    if (slo_asked(&c->slo))
        text_printf(&t, "; %s SLO while it was capped",
                    count(missed, "window missed its", "windows missed their").s);
    if (cost > 0)
        text_printf(&t,
                    "; the %.3g replica-hours that were not given would have cost about %.3g %s",
                    missing, cost, f->s->currency);
    if (!t.failed)
        find(f, share > 0.01 ? "warning" : "note", "capped-at-max", "%s.", t.s);
    text_fini(&t);
}

/* The rule that bound most passes, and what the log says of it. */
struct binding {
    char rule[64];
    double passes;
    const char *reason; /* after "rule: "; NULL when the log has none */
};

static struct binding binding_rule(const struct search *f, const struct service_config *c)
{
    struct binding b = {.passes = 0};
    char prefix[256];
    int length = snprintf(prefix, sizeof prefix, "services.%s.scaler.rules.", c->name);
    for (size_t i = 0; i < f->r->n_figures; i++) {
        const struct figure *g = &f->r->figures[i];
        if (strncmp(g->path, prefix, (size_t)length) != 0 || g->value <= b.passes)
            continue;
        b.passes = g->value;
        snprintf(b.rule, sizeof b.rule, "%s", g->path + length);
    }
    snprintf(prefix, sizeof prefix, "%s %s", policy_name(c), c->name);
    size_t rule = strlen(b.rule);
    for (size_t i = 0; rule > 0 && i < f->r->n_entries && !b.reason; i++) {
        const struct result_entry *e = &f->r->entries[i];
        if (strcmp(e->subject, prefix) == 0 && strncmp(e->reason, b.rule, rule) == 0)
            b.reason = e->reason[rule] == ':' ? e->reason + rule + 2 : NULL;
    }
    return b;
}

static void find_still(struct search *f, const struct service_config *c)
{
    double passes = service_value(f, c, "scaler.passes", 0) * f->r->replications;
    if (strcmp(policy_name(c), "fixed") == 0 || service_value(f, c, "scaler.changes", 0) > 0)
        return;
    struct binding b = binding_rule(f, c);
    if (b.passes > 0 && b.reason)
        find(f, "note", "never-scaled",
             "%s: the %s never changed the size; %.0f of %.0f passes were bound by %s: %s.",
             c->name, policy_name(c), b.passes, passes, b.rule, b.reason);
    else
        find(f, "note", "never-scaled", "%s: the %s never changed the size.", c->name,
             policy_name(c));
}

/* An hour with so many turns is an hour of starting pods for nothing. */
#define FLAPPING_REVERSALS_PER_HOUR 4.0

static void find_flapping(struct search *f, const struct service_config *c)
{
    double reversals = service_value(f, c, "replicas.reversalsPerHour", 0);
    if (reversals < FLAPPING_REVERSALS_PER_HOUR)
        return;
    find(f, "note", "flapping",
         "%s: the size changed its direction %.3g times an hour and %.3g pods an hour were "
         "started; a longer stabilisation window trades that for idle replicas.",
         c->name, reversals, service_value(f, c, "replicas.startsPerHour", 0));
}

static bool has_value_target(const struct service_config *c)
{
    const struct hpa_config *hpa = c->autoscaler.config;
    if (strcmp(policy_name(c), "hpa") != 0)
        return false;
    for (size_t i = 0; i < hpa_config_metrics(hpa); i++) {
        enum hpa_kind kind = hpa_config_metric(hpa, i).kind;
        if (kind == HPA_EXTERNAL_VALUE || kind == HPA_OBJECT_VALUE)
            return true;
    }
    return false;
}

static void find_runaway(struct search *f, const struct service_config *c)
{
    if (service_value(f, c, "scaler.cappedShare", 0) > 0 && has_value_target(c))
        find(f, "warning", "value-target",
             "%s: a target of type Value multiplies the size by metric / target at each pass; a "
             "metric that does not fall as replicas are added (a rate of the whole service) drives "
             "it to the maximum. AverageValue settles at metric / target replicas.",
             c->name);
}

/* ---- the metric ---- */

static void find_metric(struct search *f, const struct service_config *c)
{
    double gaps = service_value(f, c, "scaler.metricGaps", 0);
    double blind = service_value(f, c, "metric.blindTime", 0);
    double missed = service_value(f, c, "metric.blindMissed", 0);
    if (gaps > 0)
        find(f, "note", "metric-gaps",
             "%s: in %s a run a metric had no value; the size stays then.", c->name,
             count(gaps, "pass", "passes").s);
    if (blind > 0)
        find(f, missed > 0 ? "warning" : "note", "metric-blind",
             "%s: the metric was frozen, late or missing for %s; %s slower than the SLO allows or "
             "failed meanwhile.",
             c->name, span(blind).s, count(missed, "request was", "requests were").s);
}

/* ---- zero ---- */

/* What one more replica costs an hour while it is kept: the price on demand, of which the baseline
 * for the peak is made; with several services, what a replica cost. */
static double kept_replica_hour(const struct search *f, const struct service_config *c)
{
    double peak = service_value(f, c, "replicas.max", 0) * (double)f->s->horizon / 3600e9;
    double paid = result_value(f->r, "cost.baselines.onDemandPeak", 0);
    return f->s->services.count == 1 && peak > 0 && paid > 0 ? paid / peak : replica_hour(f);
}

/* What the time at zero was worth: one replica kept through it. */
static void find_zero(struct search *f, const struct service_config *c, double zero)
{
    double hours = zero * (double)f->s->horizon / 3600e9;
    double saved = hours * kept_replica_hour(f, c);
    if (saved > 0)
        find(f, "note", "at-zero",
             "%s: its size was zero for %.3g %% of the time; one replica kept through those %.3g "
             "hours would have cost %.3g %s, less what idle nodes cost until they were given back.",
             c->name, 100 * zero, hours, saved, f->s->currency);
    else
        find(f, "note", "at-zero", "%s: its size was zero for %.3g %% of the time.", c->name,
             100 * zero);
}

/* Does the autoscaler look at nothing but lines of the ingress log, which are written at the end?
 */
#define WISHES 16
static bool sees_ends_only(const struct service_config *c)
{
    const struct scaler_policy *policy = c->autoscaler.option->descriptor;
    struct scaler_wants wishes[WISHES];
    size_t n = policy->wants(c->autoscaler.config, wishes, WISHES);
    for (size_t i = 0; i < n && i < WISHES; i++)
        if (wishes[i].window > 0 ||
            (wishes[i].kind != METRIC_INGRESS_QPS && wishes[i].kind != METRIC_INGRESS_LATENCY))
            return false;
    return n > 0;
}

static void find_cold(struct search *f, const struct service_config *c)
{
    const struct scaler_policy *policy = c->autoscaler.option->descriptor;
    double cold = service_value(f, c, "coldStart.requests", 0);
    double zero = service_value(f, c, "replicas.zeroShare", 0);
    bool held = c->ingress.hold || (policy->activates && policy->activates(c->autoscaler.config));
    if (zero > 0)
        find_zero(f, c, zero);
    if (cold > 0)
        find(f, "note", "cold-start", "%s: %s while no replica served (%.3g %% of all)%s.", c->name,
             count(cold, "request came", "requests came").s,
             100 * service_value(f, c, "coldStart.share", 0),
             held ? "; they are held until one does, or their time-out"
                  : "; the ingress answers such with 503, ingress.hold would let them wait");
    if (zero > 0 && cold > 0 && c->ingress.hold && sees_ends_only(c))
        find(f, "warning", "held-unseen",
             "%s: what is held at size zero has not ended, so a metric from the ingress log shows "
             "nothing until it times out; in_flight shows it.",
             c->name);
}

/* ---- failures ---- */

/* More comes at the peak than all replicas that there ever were could serve, and it shows. */
static void find_overload(struct search *f, size_t i)
{
    const struct service_config *c = (const struct service_config *)f->s->services.items + i;
    double peak = traffic_peak_qps(f->s->traffic[i]),
           replicas = service_value(f, c, "replicas.max", 0);
    double capacity = replicas * replica_capacity_qps(c);
    double failed = service_value(f, c, "requests.failed.timeout", 0) +
                    service_value(f, c, "requests.failed.rejected", 0);
    if (capacity <= 0 || peak <= capacity || failed <= 0)
        return;
    find(f, "warning", "overload",
         "%s: up to %.4g requests a second come, %.3g times the %.4g that %s at most; the rest "
         "waits until it times out or is rejected, and work on what has timed out is lost.",
         c->name, peak, peak / capacity, capacity,
         count(replicas, "replica serves", "replicas serve").s);
}

/* No pod, one that loads, one that is gone: what of these there was in the run. */
static struct words refused_why(const struct search *f, const struct service_config *c,
                                double refused)
{
    struct words w = {""};
    bool loading = !c->startup.readiness && !c->startup.instant &&
                   service_value(f, c, "replicas.starts", 0) > 0;
    double none = service_value(f, c, "coldStart.requests", 0);
    const char *gone = result_value(f->r, "nodes.preemptions", 0) > 0
                           ? ", and one whose node is gone stays one for a while"
                           : "";
    if (none >= refused)
        snprintf(w.s, sizeof w.s, "; no pod served when they came%s",
                 loading ? ": none was there, or it still loaded its model" : "");
    else if (loading)
        snprintf(w.s, sizeof w.s,
                 "; without a readiness probe a pod is an endpoint while it loads its model%s",
                 gone);
    else if (gone[0])
        snprintf(w.s, sizeof w.s, "; a pod whose node is gone stays an endpoint for a while");
    return w;
}

static void find_failures(struct search *f, const struct service_config *c)
{
    double timeouts = service_value(f, c, "requests.failed.timeout", 0);
    double refused = service_value(f, c, "requests.failed.refused", 0);
    double lost = service_value(f, c, "requests.failed.lost", 0);
    double aborted = service_value(f, c, "requests.failed.aborted", 0);
    if (timeouts > 0)
        find(f, "warning", "timeouts",
             "%s: %s after %.3g s; each is written to the ingress log only then, so the metric "
             "learns of it that late.",
             c->name, count(timeouts, "request timed out", "requests timed out").s,
             (double)c->ingress.timeout / 1e9);
    if (refused > 0)
        find(f, "warning", "refused", "%s: %s no endpoint that accepts%s.", c->name,
             count(refused, "request found", "requests found").s, refused_why(f, c, refused).s);
    if (lost > 0)
        find(f, "note", "lost", "%s: %s lost with the replica that had it.", c->name,
             count(lost, "request was", "requests were").s);
    if (aborted > 0)
        find(f, "note", "aborted", "%s: %s still running when the grace period of the pod ended.",
             c->name, count(aborted, "request was", "requests were").s);
}

/* ---- nodes ---- */

static void find_surplus(struct search *f)
{
    double surplus = result_value(f->r, "cost.byClass.duplicateScaleUp", 0);
    double stranded = result_value(f->r, "cost.byClass.fragmentation", 0);
    double total = result_value(f->r, "cost.total", 0);
    if (surplus > 0)
        find(f, "warning", "surplus-nodes",
             "%.*f %s (%.3g %% of the cost) went to nodes that were bought and never used.",
             surplus < 100 ? 2 : 0, surplus, f->s->currency, 100 * surplus / total);
    if (stranded > 0.01 * total)
        find(f, "note", "stranded-gpus",
             "%.*f %s (%.3g %% of the cost) went to idle GPUs of nodes that some pod keeps in use.",
             stranded < 100 ? 2 : 0, stranded, f->s->currency, 100 * stranded / total);
}

/* Nodes that are there when the clock starts count as bought. */
static double nodes_given(const struct search *f)
{
    const struct pool_config *pools = f->s->cluster.pools.items;
    double n = 0;
    for (size_t i = 0; i < f->s->cluster.pools.count; i++)
        n += (double)pools[i].initial_size;
    return n;
}

static void find_churn(struct search *f)
{
    const struct service_config *c = f->s->services.items;
    double days = (double)f->s->horizon / 86400e9, evictions = 0;
    double bought = result_value(f->r, "nodes.bought", 0) / f->r->replications - nodes_given(f);
    double half = result_value(f->r, "nodes.halfLife", -1);
    for (size_t i = 0; i < f->s->services.count; i++)
        evictions += service_value(f, &c[i], "replicas.evictionsPerDay", 0);
    evictions += result_value(f->r, "jobs.lostPods", 0) / f->r->replications / days;
    if (bought <= 0 && evictions <= 0)
        return;
    if (half < 0)
        find(f, "note", "churn",
             "%.3g nodes were bought and %.3g pods evicted a day; more than half of the nodes "
             "outlived the run.",
             bought / days, evictions);
    else
        find(f, "note", "churn",
             "%.3g nodes were bought and %.3g pods evicted a day; half of the nodes lived for %s "
             "or less.",
             bought / days, evictions, span(half).s);
}

/* Pods of jobs that lost their place, and what of their work was lost with it. */
static void find_lost_jobs(struct search *f)
{
    double lost = result_value(f->r, "jobs.lostPods", 0);
    double each = f->r->replications > 0 ? f->r->replications : 1;
    if (lost > 0)
        find(f, "warning", "jobs-lost",
             "%s to drains and losses of their machines, %.3g a run; %.0f GPU s of runs that had "
             "begun were lost with them a run, and the jobs began anew.",
             count(lost, "pod of a job lost its place", "pods of jobs lost their places").s,
             lost / each, result_value(f->r, "jobs.gpuSeconds.lost.cut", 0));
}

static void find_supply(struct search *f)
{
    const struct result *r = f->r;
    if ((f->s->cluster.virtual_node || f->s->cluster.node_list) && f->s->cluster.pools.count == 0)
        return;
    if (f->s->cluster.pools.count == 0) {
        find(f, "note", "no-supply",
             "No node pool is described: replicas are there at once and cost nothing.");
        return;
    }
    double preempted = result_value(r, "nodes.preemptions", 0);
    if (preempted > 0)
        find(f, "note", "spot-losses", "%.3g spot %s taken back in a run, on the average.",
             preempted / (r->replications > 0 ? r->replications : 1),
             preempted == r->replications ? "node was" : "nodes were");
    find_surplus(f);
    find_churn(f);
    if (!f->s->cluster.autoscaler)
        find(f, "warning", "no-node-autoscaler",
             "No clusterAutoscaler is described: nobody buys or returns nodes.");
    find(f, "note", "not-in-the-bill",
         "Not in the bill: system and data disks, load balancer, NAT, log service, OSS.");
}

/* What the log says of the nodes behind the drill's own line: "1 of 1 spot nodes". Of several that
 * are written alike the nth counts. */
static const char *drill_took(const struct search *f, const struct drill *d, size_t nth)
{
    for (size_t i = 0; i + 1 < f->r->n_entries; i++) {
        const struct result_entry *own = &f->r->entries[i], *next = own + 1;
        if (own->at != d->at || strcmp(own->subject, "drill") != 0 ||
            strcmp(own->reason, d->text) != 0 || nth-- > 0)
            continue;
        return strcmp(next->what, "reclaimed") == 0 ? next->reason : NULL;
    }
    return NULL;
}

/* How many before it are written alike. */
static size_t drill_twins(const struct search *f, const struct drill *d)
{
    size_t n = 0;
    for (const struct drill *x = f->s->cluster.drills; x < d; x++)
        n += strcmp(x->text, d->text) == 0;
    return n;
}

static void find_drill(struct search *f, const struct service_config *c, const struct drill *d)
{
    char prefix[128] = "", end[256] = "";
    const char *took = d->kind == DRILL_SPOT_LOSS ? drill_took(f, d, drill_twins(f, d)) : NULL;
    if (f->s->services.count > 1)
        snprintf(prefix, sizeof prefix, "services.%.100s.", c->name);
    struct drill_effect x = drill_effect_of(f->r, prefix, d);
    if (!x.known)
        return;
    if (x.short_of && x.back)
        snprintf(end, sizeof end, "%.3g of %.3g wanted replicas were ready at worst, all after %s",
                 x.ready, x.wanted, span((double)x.after / (double)SIM_SECOND).s);
    else if (x.short_of)
        snprintf(end, sizeof end, "%.3g of %.3g wanted replicas were ready at worst, never all",
                 x.ready, x.wanted);
    else
        snprintf(end, sizeof end, "no wanted replica was missing for long");
    find(f, x.short_of ? "warning" : "note", "drill",
         "Drill %s, %s: %s%s%s (replication %u, in steps of %s).", d->text, c->name,
         took ? took : "", took ? "; " : "", end, (unsigned)f->r->shown_replication,
         span((double)x.bin / (double)SIM_SECOND).s);
}

static void find_drills(struct search *f)
{
    const struct service_config *c = f->s->services.items;
    for (size_t i = 0; i < f->s->cluster.n_drills; i++)
        for (size_t k = 0; k < f->s->services.count; k++)
            find_drill(f, &c[k], &f->s->cluster.drills[i]);
}

static void find_repairs(struct search *f)
{
    size_t n = 0;
    const struct manifest_note *notes = f->s->files ? manifest_notes(f->s->files, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (notes[i].repaired)
            find(f, "warning", "indentation", "%s %s has lost its indentation; taken as meant: %s.",
                 notes[i].kind, notes[i].name, notes[i].repaired);
}

static void find_unfollowed(struct search *f)
{
    struct unfollowed u;
    unfollowed_find(f->s, &u);
    for (size_t i = 0; i < u.n; i++)
        find(f, "warning", "not-followed", "%s.", u.items[i].words);
}

/* A trace that ends before the horizon, or no traffic at all: what is not asked is not judged. */
static void find_silent(struct search *f, const struct service_config *c)
{
    double windows = service_value(f, c, "slo.windows", 0) / f->r->replications;
    double all = floor((double)(f->s->horizon - f->s->warm_up) / (double)c->slo.window);
    if (!slo_asked(&c->slo) || windows >= 0.95 * all)
        return;
    find(
        f, "warning", "windows-without-requests",
        "%s: %s of %.0f had a request and could be judged; the others count neither as held nor as "
        "missed.",
        c->name, count(windows, "window", "windows").s, all);
}

static void find_service(struct search *f, size_t i)
{
    const struct service_config *c = (const struct service_config *)f->s->services.items + i;
    const struct knob_texts *notes = traffic_notes(f->s->traffic[i]);
    find_target(f, c);
    find_extrapolation(f, c);
    find_bands(f, c);
    find_capped(f, c);
    find_still(f, c);
    find_flapping(f, c);
    find_runaway(f, c);
    find_metric(f, c);
    find_cold(f, c);
    find_overload(f, i);
    find_failures(f, c);
    for (size_t k = 0; k < notes->count; k++)
        find(f, "note", "traffic", "%s: %s", c->name, notes->items[k]);
    find_silent(f, c);
    if (!slo_asked(&c->slo))
        find(f, "note", "no-slo", "%s: no SLO is set, so none can be missed.", c->name);
}

int findings_collect(const struct result *r, const struct scenario *s, struct result_finding *out,
                     struct err *e)
{
    struct search f = {.r = r, .s = s, .findings = out, .e = e};
    for (size_t i = 0; i < s->services.count; i++)
        find_service(&f, i);
    find_supply(&f);
    find_lost_jobs(&f);
    find_drills(&f);
    find_repairs(&f);
    find_unfollowed(&f);
    if (r->entries_dropped > 0)
        find(&f, "note", "log-cut", "%llu more %s not shown; limits.logEntries keeps more.",
             (unsigned long long)r->entries_dropped,
             text_plural(r->entries_dropped, "decision is", "decisions are"));
    return e->code == ERR_NONE ? (int)f.n : -1;
}
