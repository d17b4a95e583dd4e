/* pool_share: how far the on-demand share of a pool is from the one that was asked for. */
#include "models/capacity/pool_share.h"

#include "models/capacity/group.h"
#include "models/capacity/pool.h"
#include "models/capacity/pools.h"
#include "sim/recorder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool mixes(const struct pool_config *c)
{
    return pool_uses_spot(c) && !c->lowest_cost && (c->base > 0 || (c->share > 0 && c->share < 1));
}

/* "1 1 1 2 2 2 3 3 3 3": on demand of one to ten nodes, bought one after another. */
static void row(const struct pool_config *c, int rounding, char *out, size_t size)
{
    struct pool_config like = *c;
    like.rounding = rounding;
    size_t used = 0;
    for (int32_t n = 1; n <= 10; n++) {
        int32_t target = pool_on_demand_target(&like, (struct pool_now){0, 0}, n);
        used += (size_t)snprintf(out + used, size - used, "%s%d", n > 1 ? " " : "", (int)target);
    }
}

static void say_split(struct pools *s, const struct pool_config *c)
{
    char rows[4][64];
    for (int r = POOL_CEIL; r <= POOL_RUNNING_TARGET; r++)
        row(c, r, rows[r], sizeof rows[r]);
    recorder_finding(pools_recorder(s), "note", "on-demand-split",
                     "Pool %s, base %d and %.4g %% above it: of 1..10 nodes are on demand %s (%s), "
                     "the rest spot. The platform does not document the rounding; ceil gives %s, "
                     "floor %s, nearest %s, runningTarget %s.",
                     c->name, (int)c->base, c->share * 100, rows[c->rounding],
                     pool_rounding_name(c->rounding), rows[POOL_CEIL], rows[POOL_FLOOR],
                     rows[POOL_NEAREST], rows[POOL_RUNNING_TARGET]);
}

void pool_share_start(struct pools *s)
{
    char path[128];
    for (size_t i = 0; i < s->n_groups; i++) {
        const struct pool_config *c = s->groups[i].config;
        if (!mixes(c))
            continue;
        snprintf(path, sizeof path, "nodes.%.80s.onDemandDrift", c->name);
        s->drift[i] = recorder_samples(pools_recorder(s), path, "1");
        say_split(s, c);
    }
}

/* Of the nodes above the base, as the percentage counts. */
void pool_share_note(struct pools *s, sim_ns now, const struct group *g)
{
    const struct pool_config *c = g->config;
    int32_t base = g->on_demand < c->base ? g->on_demand : c->base;
    int32_t above = g->there - base;
    if (mixes(c))
        recorder_sample(pools_recorder(s), s->drift[g->index], now,
                        above > 0 ? (double)(g->on_demand - base) / above - c->share : (double)NAN);
}

/* Whole nodes alone move the share of a small pool, so only a drift beyond this is worth a word. */
#define DRIFT 0.1

void pool_share_close(struct pools *s, sim_ns now)
{
    for (size_t i = 0; i < s->n_groups; i++) {
        struct group *g = &s->groups[i];
        double share = group_on_demand_share(g, now), asked = group_asked_share(g, now);
        double drift = share - asked;
        if (share < 0 || !pool_uses_spot(g->config) || g->config->lowest_cost ||
            (drift <= DRIFT && drift >= -DRIFT))
            continue;
        recorder_finding(pools_recorder(s), "note", "on-demand-share",
                         "%.1f %% of the node hours of pool %s were on demand, %.4g %% were asked "
                         "for",
                         share * 100, g->config->name, asked * 100);
    }
}
