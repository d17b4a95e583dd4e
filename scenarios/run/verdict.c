/* verdict: does it hold, and what should the reader be told. */
#include "scenarios/run/verdict.h"

#include "models/control/scaler.h"

#include "scenarios/run/scenario.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define VERDICT_MAX_FINDINGS 64

struct verdict {
    struct result *r;
    const struct scenario *s;
    struct result_finding *findings;
    size_t n;
    struct err *e;
};

static const char *keep(struct verdict *v, const char *text)
{
    const char *kept = arena_text(v->r->arena, text, strlen(text), v->e);
    return kept ? kept : "";
}

static void find(struct verdict *v, const char *level, const char *code, const char *fmt, ...)
    ERR_PRINTF(4, 5);

static void find(struct verdict *v, const char *level, const char *code, const char *fmt, ...)
{
    char text[600];
    va_list args;
    if (v->n == VERDICT_MAX_FINDINGS)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    v->findings[v->n++] = (struct result_finding){level, code, keep(v, text)};
}

static double service_value(const struct verdict *v, const struct service_config *c,
                            const char *path, double otherwise)
{
    char full[256];
    snprintf(full, sizeof full, "services.%s.%s", c->name, path);
    return result_value(v->r, full, otherwise);
}

/* ---- what explains the numbers ---- */

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

static void find_target(struct verdict *v, const struct service_config *c)
{
    const struct scaler_policy *policy = c->autoscaler.option->descriptor;
    double target = policy->target_qps ? policy->target_qps(c->autoscaler.config) : 0;
    double capacity = replica_capacity_qps(c);
    if (target <= 0 || capacity <= 0)
        return;
    if (target > capacity)
        find(v, "warning", "target-above-capacity",
             "%s: a replica serves at most %.3g requests a second, the %s waits for %.3g. The "
             "metric counts requests that end, so a full replica shows its capacity and nothing "
             "scales until time-outs end requests too.",
             c->name, capacity, policy->option.name, target);
    else if (target < 0.2 * capacity)
        find(v, "note", "target-far-below-capacity",
             "%s: the target of %.3g QPS a replica is %.0f %% of the %.3g that its GPU serves.",
             c->name, target, 100 * target / capacity, capacity);
}

static void find_scaling(struct verdict *v, const struct service_config *c)
{
    double timeouts = service_value(v, c, "requests.failed.timeout", 0);
    double refused = service_value(v, c, "requests.failed.refused", 0);
    double capped = service_value(v, c, "scaler.cappedShare", 0);
    double changes = service_value(v, c, "scaler.changes", 0);
    bool fixed = strcmp(c->autoscaler.option->name, "fixed") == 0;
    if (capped > 0)
        find(v, capped > 0.01 ? "warning" : "note", "capped-at-max",
             "%s: in %.3g %% of its passes the %s asked for more replicas than its maximum.",
             c->name, 100 * capped, c->autoscaler.option->name);
    if (!fixed && changes == 0)
        find(v, "note", "never-scaled", "%s: the %s never changed the size.", c->name,
             c->autoscaler.option->name);
    if (timeouts > 0)
        find(v, "warning", "timeouts",
             "%s: %.0f requests timed out after %.3g s; each is written to the ingress log only "
             "then, so the metric learns of them that late.",
             c->name, timeouts, (double)c->ingress.timeout / 1e9);
    if (refused > 0)
        find(v, "warning", "refused", "%s: %.0f requests found no endpoint that accepts%s.",
             c->name, refused,
             c->startup.readiness || c->startup.instant
                 ? ""
                 : "; without a readiness probe a pod is an endpoint while it loads its model");
    if (service_value(v, c, "requests.failed.lost", 0) > 0)
        find(v, "note", "lost", "%s: %.0f requests were lost with their machine.", c->name,
             service_value(v, c, "requests.failed.lost", 0));
    if (service_value(v, c, "requests.failed.aborted", 0) > 0)
        find(v, "note", "aborted",
             "%s: %.0f requests were still running when the grace period "
             "of their pod ended.",
             c->name, service_value(v, c, "requests.failed.aborted", 0));
}

static void find_supply(struct verdict *v)
{
    const struct result *r = v->r;
    if (v->s->cluster.virtual_node && v->s->cluster.pools.count == 0)
        return;
    if (v->s->cluster.pools.count == 0) {
        find(v, "note", "no-supply",
             "No node pool is described: replicas are there at once and cost nothing.");
        return;
    }
    double preempted = result_value(r, "nodes.preemptions", 0);
    if (preempted > 0)
        find(v, "note", "spot-losses", "%.3g spot nodes were taken back in a run, on the average.",
             preempted / (r->replications > 0 ? r->replications : 1));
    if (!v->s->cluster.autoscaler)
        find(v, "warning", "no-node-autoscaler",
             "No clusterAutoscaler is described: nobody buys or returns nodes.");
    find(v, "note", "not-in-the-bill",
         "Not in the bill: system and data disks, load balancer, NAT, log service, OSS.");
}

static void find_all(struct verdict *v)
{
    const struct service_config *c = v->s->services.items;
    for (size_t i = 0; i < v->s->services.count; i++) {
        find_target(v, &c[i]);
        find_scaling(v, &c[i]);
        const struct knob_texts *notes = traffic_notes(v->s->traffic[i]);
        for (size_t k = 0; k < notes->count; k++)
            find(v, "note", "traffic", "%s: %s", c[i].name, notes->items[k]);
        if (!slo_asked(&c[i].slo))
            find(v, "note", "no-slo", "%s: no SLO is set, so none can be missed.", c[i].name);
    }
    find_supply(v);
    if (v->r->entries_dropped > 0)
        find(v, "note", "log-cut",
             "%llu more decisions are not shown; limits.logEntries keeps "
             "more.",
             (unsigned long long)v->r->entries_dropped);
}

/* ---- the sentence ---- */

static bool slo_sentence(struct verdict *v, struct text *t)
{
    const struct service_config *c = v->s->services.items;
    bool holds = true;
    for (size_t i = 0; i < v->s->services.count; i++) {
        if (!slo_asked(&c[i].slo))
            continue;
        double windows = service_value(v, &c[i], "slo.windows", 0);
        double held = service_value(v, &c[i], "slo.held", 0);
        double share = windows > 0 ? held / windows : 1.0;
        bool good = share >= c[i].slo.objective;
        holds = holds && good;
        text_printf(t, "%s%s %s its SLO in %.4g %% of the windows (objective %.4g %%)",
                    t->length ? "; " : "", c[i].name, good ? "holds" : "misses", 100 * share,
                    100 * c[i].slo.objective);
    }
    return holds;
}

static bool budget_sentence(struct verdict *v, struct text *t)
{
    const struct scenario_budget *b = &v->s->budget;
    double month = result_value(v->r, "cost.perMonth", 0),
           total = result_value(v->r, "cost.total", 0);
    bool holds = true;
    if (v->s->cluster.pools.count == 0)
        return true;
    text_printf(t, "%scosts %.0f %s a month", t->length ? "; " : "", month, v->s->currency);
    if (b->per_month.currency[0]) {
        bool good = month <= (double)b->per_month.micro / 1e6;
        text_printf(t, ", %s the budget of %.0f", good ? "within" : "over",
                    (double)b->per_month.micro / 1e6);
        holds = good;
    }
    if (b->total.currency[0]) {
        bool good = total <= (double)b->total.micro / 1e6;
        text_printf(t, "; %.0f in all, %s the budget of %.0f", total, good ? "within" : "over",
                    (double)b->total.micro / 1e6);
        holds = holds && good;
    }
    return holds;
}

/* What a job costs, and what a GPU of its own would cost a month (730 h). */
static void jobs_sentence(struct verdict *v, struct text *t)
{
    const struct job_config *c = v->s->jobs.items;
    double each = result_value(v->r, "jobs.costEach", -1);
    if (v->s->jobs.count == 0)
        return;
    text_printf(t, "%s%.0f of %.0f jobs completed", t->length ? "; " : "",
                result_value(v->r, "jobs.completed", 0), result_value(v->r, "jobs.asked", 0));
    if (each >= 0)
        text_printf(t, ", a job costs %.2f %s", each, v->s->currency);
    for (size_t i = 0; i < v->s->jobs.count; i++) {
        char path[160];
        snprintf(path, sizeof path, "eci.%.60s.month.subscription", c[i].name);
        double subscription = result_value(v->r, path, -1);
        snprintf(path, sizeof path, "eci.%.60s.month.onDemand", c[i].name);
        double on_demand = result_value(v->r, path, -1);
        if (on_demand < 0)
            continue;
        text_printf(t, "; a GPU that is always there costs %.0f %s a month on demand", on_demand,
                    v->s->currency);
        if (subscription >= 0)
            text_printf(t, " and %.0f by subscription", subscription);
        return;
    }
}

int verdict_give(struct result *r, const struct scenario *s, struct err *e)
{
    struct verdict v = {.r = r, .s = s, .e = e};
    struct text t = {0};
    v.findings = arena_take(r->arena, VERDICT_MAX_FINDINGS + r->n_findings, sizeof *v.findings, e);
    if (!v.findings)
        return -1;
    bool slo = slo_sentence(&v, &t), budget = budget_sentence(&v, &t);
    r->holds = slo && budget;
    jobs_sentence(&v, &t);
    if (t.length == 0)
        text_add(&t, "no SLO and no budget are set");
    if (text_end(&t, e) == 0)
        r->verdict = keep(&v, t.s);
    text_fini(&t);
    find_all(&v);
    for (size_t i = 0; i < r->n_findings && v.n < VERDICT_MAX_FINDINGS + r->n_findings; i++)
        v.findings[v.n++] = r->findings[i];
    r->findings = v.findings;
    r->n_findings = v.n;
    return e->code == ERR_NONE ? 0 : -1;
}
