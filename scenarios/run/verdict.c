/* verdict: does it hold, and what should the reader be told. */
#include "scenarios/run/verdict.h"

#include "reports/human.h"
#include "scenarios/run/findings.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/standing.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct verdict {
    struct result *r;
    const struct scenario *s;
    struct standing at;
};

/* "52,247 CNY"; an amount and its currency may part at a line's end. */
struct amount {
    char s[96];
};
static struct amount amount(const struct verdict *v, double money)
{
    struct amount a;
    snprintf(a.s, sizeof a.s, "%s %.8s", human_money(money, NULL).s, v->s->currency);
    return a;
}

/* Without an SLO nothing is promised, so the reader is told what failed. */
static void unasked_sentence(struct verdict *v, struct text *t)
{
    double arrived = result_value(v->r, "requests.arrived", 0);
    double failed = result_value(v->r, "requests.failed.total", 0);
    text_add(t, "no SLO is set");
    if (failed > 0)
        text_printf(t, "; %s of %s requests failed", human_count(failed).s, human_count(arrived).s);
}

static void slo_sentence(struct verdict *v, struct text *t)
{
    const struct service_config *c = v->s->services.items;
    bool asked = false;
    for (size_t i = 0; i < v->s->services.count; i++) {
        if (!slo_asked(&c[i].slo))
            continue;
        double share = v->at.share[i];
        bool good = share >= c[i].slo.objective;
        asked = true;
        text_printf(t, "%s%s", t->length ? "; " : "", c[i].name);
        if (isnan(share))
            text_add(t, " cannot be judged: no window of its SLO had a request");
        else
            text_printf(t, " %s in %.4g %% of the windows (objective %.4g %%)",
                        good ? "holds its SLO" : "misses its objective: its SLO held", 100 * share,
                        100 * c[i].slo.objective);
    }
    if (!asked && v->s->services.count > 0)
        unasked_sentence(v, t);
}

static void budget_sentence(struct verdict *v, struct text *t)
{
    const struct scenario_budget *b = &v->s->budget;
    double month = v->at.month, total = v->at.total;
    bool priced =
        v->s->cluster.pools.count > 0 || (v->s->cluster.virtual_node && v->s->services.count > 0);
    if (!priced && !b->per_month.currency[0] && !b->total.currency[0])
        return;
    if (!priced && !v->s->cluster.virtual_node) {
        text_printf(t, "%snothing in it has a price, so the budget says nothing",
                    t->length ? "; " : "");
        return;
    }
    text_printf(t, "%scosts %s a month", t->length ? "; " : "", amount(v, month).s);
    if (b->per_month.currency[0])
        text_printf(t, ", %s the budget of %s",
                    month <= (double)b->per_month.micro / 1e6 ? "within" : "over",
                    human_money((double)b->per_month.micro / 1e6, NULL).s);
    if (b->total.currency[0])
        text_printf(t, "; %s in all, %s the budget of %s", human_money(total, NULL).s,
                    total <= (double)b->total.micro / 1e6 ? "within" : "over",
                    human_money((double)b->total.micro / 1e6, NULL).s);
}

/* "1,132 could never be placed: no machine takes them". */
static void never_placed(struct verdict *v, struct text *t)
{
    static const struct {
        const char *figure, *words;
    } causes[] = {
        {"noMachine", "nothing that is there or for sale takes such pods"},
        {"noStock", "none was in stock since they were asked for"},
        {"noQuota", "the quota is too small for one"},
    };
    const char *sign = ": ";
    if (v->at.jobs_never <= 0)
        return;
    text_printf(t, ", %s could never be placed", human_count(v->at.jobs_never).s);
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "jobs.neverPlacedBy.%s", causes[i].figure);
        double n = result_value(v->r, path, 0);
        if (n <= 0)
            continue;
        text_add(t, sign);
        if (n < v->at.jobs_never)
            text_printf(t, "of %s ", human_count(n).s);
        text_add(t, causes[i].words);
        sign = ", ";
    }
}

/* What became of those that did not complete. */
static void unfinished_jobs(struct verdict *v, struct text *t)
{
    double traced = result_value(v->r, "jobs.failedAsTraced", 0);
    double lost = result_value(v->r, "jobs.lostPods", 0);
    double late = result_value(v->r, "jobs.deadlineExceeded", 0);
    if (late > 0)
        text_printf(t, ", %s not done at their deadline", human_count(late).s);
    if (v->at.jobs_failed > late)
        text_printf(t, ", %s failed for good, with no retry left",
                    human_count(v->at.jobs_failed - late).s);
    if (traced > 0)
        text_printf(t, ", %s failed as they did in the trace", human_count(traced).s);
    never_placed(v, t);
    if (v->at.jobs_cut <= 0)
        return;
    text_printf(t, ", %s had not ended when the run of %s did", human_count(v->at.jobs_cut).s,
                human_seconds((double)v->s->horizon / 1e9).s);
    if (lost > 0)
        text_printf(t, " (machines were lost under %s pods)", human_count(lost).s);
    text_printf(t, "; how %s would have ended is not judged", v->at.jobs_cut == 1 ? "it" : "they");
}

/* Machines that are simply there, by a list without prices, and no others. */
static bool nothing_has_a_price(const struct scenario *s)
{
    return s->cluster.node_list && s->cluster.pools.count == 0 && !s->cluster.virtual_node;
}

/* What a job costs, and what a GPU of its own would cost a month (730 h). */
static void jobs_sentence(struct verdict *v, struct text *t)
{
    const struct job_config *c = v->s->jobs.items;
    double each = result_value(v->r, "jobs.costEach", -1);
    if (v->s->jobs.count == 0)
        return;
    double asked = result_value(v->r, "jobs.asked", 0);
    text_printf(t, "%s%s of %s %s completed", t->length ? "; " : "",
                human_count(result_value(v->r, "jobs.completed", 0)).s, human_count(asked).s,
                text_plural((uint64_t)asked, "job", "jobs"));
    unfinished_jobs(v, t);
    if (each >= 0 && nothing_has_a_price(v->s))
        text_add(t, "; the machines have no price, so nobody knows what a job costs");
    else if (each >= 0)
        text_printf(t, "; a job costs %s", amount(v, each).s);
    for (size_t i = 0; i < v->s->jobs.count; i++) {
        char path[160];
        snprintf(path, sizeof path, "eci.%.60s.month.subscription", c[i].name);
        double subscription = result_value(v->r, path, -1);
        snprintf(path, sizeof path, "eci.%.60s.month.onDemand", c[i].name);
        double on_demand = result_value(v->r, path, -1);
        if (on_demand < 0)
            continue;
        text_printf(t, "; a GPU that is always there costs %s a month on demand",
                    amount(v, on_demand).s);
        if (subscription >= 0)
            text_printf(t, " and %s by subscription", human_money(subscription, NULL).s);
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
    double *share = arena_take(r->arena, s->services.count, sizeof *share, e);
    if (!share)
        return -1;
    standing_read(r, s, share, &v.at);
    r->judged = standing_judged(s, &v.at);
    r->holds = standing_holds(s, &v.at);
    slo_sentence(&v, &t);
    budget_sentence(&v, &t);
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
