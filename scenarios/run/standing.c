/* standing: how a result stands to what its scenario asks for. */
#include "scenarios/run/standing.h"

#include "reports/human.h"
#include "scenarios/run/scenario.h"
#include "sim/result.h"
#include "sim/text.h"

#include <math.h>
#include <stdio.h>

void standing_read(const struct result *r, const struct scenario *s, double *share,
                   struct standing *out)
{
    const struct service_config *c = s->services.items;
    char path[256];
    *out = (struct standing){.share = share,
                             .month = result_value(r, "cost.perMonth", 0),
                             .total = result_value(r, "cost.total", 0),
                             .jobs_failed = -1,
                             .jobs_never = result_value(r, "jobs.neverPlaced", 0)};
    if (result_value(r, "jobs.asked", 0) > 0)
        out->jobs_failed =
            result_value(r, "jobs.failed", 0) - result_value(r, "jobs.failedAsTraced", 0);
    out->jobs_cut =
        result_value(r, "jobs.running", 0) + result_value(r, "jobs.waiting", 0) - out->jobs_never;
    for (size_t i = 0; i < s->services.count; i++) {
        snprintf(path, sizeof path, "services.%s.slo.windows", c[i].name);
        double windows = slo_asked(&c[i].slo) ? result_value(r, path, 0) : 0;
        snprintf(path, sizeof path, "services.%s.slo.held", c[i].name);
        share[i] = windows > 0 ? result_value(r, path, 0) / windows : (double)NAN;
    }
}

static bool has_price(const struct scenario *s)
{
    return s->cluster.pools.count > 0 || s->cluster.virtual_node;
}

/* Something that was asked for is missed, whatever the rest would have done. */
static bool is_missed(const struct scenario *s, const struct standing *v)
{
    const struct service_config *c = s->services.items;
    const struct scenario_budget *b = &s->budget;
    for (size_t i = 0; i < s->services.count; i++)
        if (slo_asked(&c[i].slo) && v->share[i] < c[i].slo.objective)
            return true;
    if (v->jobs_failed > 0 || v->jobs_never > 0)
        return true;
    if (has_price(s) && b->per_month.currency[0] && v->month > (double)b->per_month.micro / 1e6)
        return true;
    return has_price(s) && b->total.currency[0] && v->total > (double)b->total.micro / 1e6;
}

bool standing_judged(const struct scenario *s, const struct standing *v)
{
    const struct service_config *c = s->services.items;
    const struct scenario_budget *b = &s->budget;
    bool some = v->jobs_failed >= 0 && s->services.count == 0;
    if (v->jobs_cut > 0 && !is_missed(s, v))
        return false;
    if (has_price(s) && (b->per_month.currency[0] || b->total.currency[0]))
        some = true;
    for (size_t i = 0; i < s->services.count; i++) {
        if (!slo_asked(&c[i].slo))
            continue;
        if (isnan(v->share[i]))
            return false;
        some = true;
    }
    return some;
}

bool standing_holds(const struct scenario *s, const struct standing *v)
{
    return !is_missed(s, v) && standing_judged(s, v);
}

void standing_words(const struct scenario *s, const struct standing *v, struct text *t)
{
    const struct service_config *c = s->services.items;
    const char *sign = "";
    for (size_t i = 0; i < s->services.count; i++) {
        if (!slo_asked(&c[i].slo))
            continue;
        text_printf(t, "%s%s held %.4g %%", sign, c[i].name, 100 * v->share[i]);
        sign = ", ";
    }
    if (v->jobs_failed >= 0) {
        text_printf(t, "%s%s of the jobs failed", sign,
                    human_count(v->jobs_failed + v->jobs_never).s);
        if (v->jobs_cut > 0)
            text_printf(t, ", %s had not ended", human_count(v->jobs_cut).s);
        sign = ", ";
    }
    if (has_price(s))
        text_printf(t, "%s%s %s a month", sign, human_money(v->month, NULL).s, s->currency);
}
