/* blind: time in which the metric path tells nothing new. */
#include "models/serving/blind.h"

#include "models/control/metric_sls.h"
#include "models/serving/dispatch.h"
#include "models/serving/heading.h"
#include "sim/sim.h"

#include <stdlib.h>

struct blind {
    struct blind_setup set;
    uint64_t faults; /* at work now: they may overlap */
    sim_ns since, lasted;
    uint64_t missed;
    struct tally before; /* at `since` */
};

static const struct metric_fault *fault(const struct blind *b, size_t i)
{
    return (const struct metric_fault *)b->set.path->faults.items + i;
}

struct blind *blind_create(const struct blind_setup *s, struct err *e)
{
    struct blind *b = calloc(1, sizeof *b);
    if (!b) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for the metric path");
        return NULL;
    }
    b->set = *s;
    return b;
}

void blind_destroy(struct blind *b)
{
    free(b);
}

static void begin(void *self, sim_ns now, uint64_t unused)
{
    struct blind *b = self;
    (void)unused;
    if (b->faults++ > 0)
        return;
    dispatch_reach(b->set.dispatch, now);
    dispatch_mark(b->set.dispatch, now, &b->before);
    b->since = now;
}

static void count_until(struct blind *b, sim_ns now)
{
    dispatch_reach(b->set.dispatch, now);
    const struct tally *t = dispatch_tally(b->set.dispatch, now);
    uint64_t slow = t->served - b->before.served;
    if (b->set.limit > 0)
        slow -= hist_count_within(&t->latency, b->set.limit) -
                hist_count_within(&b->before.latency, b->set.limit);
    else
        slow = 0;
    b->missed += slow + tally_failed(t) - tally_failed(&b->before);
    b->lasted += now - b->since;
}

static void end(void *self, sim_ns now, uint64_t unused)
{
    struct blind *b = self;
    (void)unused;
    if (--b->faults == 0)
        count_until(b, now);
}

void blind_start(struct blind *b)
{
    for (size_t i = 0; i < b->set.path->faults.count; i++) {
        const struct metric_fault *f = fault(b, i);
        if (f->kind == METRIC_NOISY || f->at >= b->set.horizon)
            continue;
        sim_at(b->set.sim, f->at, SIM_MARK, begin, b, 0);
        if (f->lasts < b->set.horizon - f->at)
            sim_at(b->set.sim, f->at + f->lasts, SIM_MARK, end, b, 0);
    }
}

void blind_figures(struct blind *b, const struct heading *to)
{
    if (b->set.path->faults.count == 0)
        return;
    if (b->faults > 0) { /* so that asking again counts nothing twice */
        count_until(b, b->set.horizon);
        b->since = b->set.horizon;
        dispatch_mark(b->set.dispatch, b->set.horizon, &b->before);
    }
    heading_put(to, "metric.blindTime", "s", FIGURE_MEAN, (double)b->lasted / (double)SIM_SECOND);
    heading_put(to, "metric.blindMissed", "requests", FIGURE_SUM, (double)b->missed);
}
