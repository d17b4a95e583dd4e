/* verdict: does it hold, and what should the reader be told. */
#include "scenarios/run/verdict.h"

#include "scenarios/run/findings.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

struct verdict {
    struct result *r;
    const struct scenario *s;
};

static double service_value(const struct verdict *v, const struct service_config *c,
                            const char *path, double otherwise)
{
    char full[256];
    snprintf(full, sizeof full, "services.%s.%s", c->name, path);
    return result_value(v->r, full, otherwise);
}

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
        text_printf(t, "%s%s %s in %.4g %% of the windows (objective %.4g %%)",
                    t->length ? "; " : "", c[i].name,
                    good ? "holds its SLO" : "misses its objective: its SLO held", 100 * share,
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

/* What the replications found goes behind what is found over all of them. */
static int give_findings(struct result *r, const struct scenario *s, struct err *e)
{
    struct result_finding *all = arena_take(r->arena, FINDINGS_MAX + r->n_findings, sizeof *all, e);
    int n = all ? findings_collect(r, s, all, e) : -1;
    if (n < 0)
        return -1;
    for (size_t i = 0; i < r->n_findings; i++)
        all[(size_t)n + i] = r->findings[i];
    r->findings = all;
    r->n_findings += (size_t)n;
    return 0;
}

int verdict_give(struct result *r, const struct scenario *s, struct err *e)
{
    struct verdict v = {.r = r, .s = s};
    struct text t = {0};
    bool slo = slo_sentence(&v, &t), budget = budget_sentence(&v, &t);
    r->holds = slo && budget;
    jobs_sentence(&v, &t);
    if (t.length == 0)
        text_add(&t, "no SLO and no budget are set");
    int rc = text_end(&t, e);
    if (rc == 0) {
        r->verdict = arena_text(r->arena, t.s, t.length, e);
        rc = r->verdict ? 0 : -1;
    }
    text_fini(&t);
    return rc || give_findings(r, s, e) ? -1 : 0;
}
