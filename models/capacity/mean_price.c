/* mean_price: what a preemptible machine costs an hour on the mean of a run. */
#include "models/capacity/mean_price.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/pool.h"
#include "models/capacity/spot.h"
#include "models/capacity/spot_trace.h"
#include "models/capacity/steps.h"
#include "models/money/price.h"

#include <assert.h>

static const struct pool_config *pool_at(const struct mean_price *m, size_t pool)
{
    assert(pool < m->config->pools.count);
    return (const struct pool_config *)m->config->pools.items + pool;
}

static int64_t row(const struct mean_price *m, size_t pool, size_t type, enum price_billing billing)
{
    const struct pool_config *c = pool_at(m, pool);
    struct catalog_price_key key = {c->instance_types.items[type], c->region, m->currency, billing};
    const struct price *p = catalog_price(m->catalog, &key);
    return p ? p->per_hour.micro : -1;
}

int64_t mean_price_list(const struct mean_price *m, size_t pool, size_t type)
{
    return row(m, pool, type, PRICE_ON_DEMAND);
}

/* Over the run, each value for as long as it holds. */
static int64_t mean_of(const struct steps *s, sim_ns horizon)
{
    double sum = 0;
    for (sim_ns at = 0, next; at < horizon; at = next) {
        next = steps_next(s, at);
        next = next < horizon ? next : horizon;
        sum += (double)steps_at(s, at) * (double)(next - at);
    }
    return (int64_t)(sum / (double)horizon + 0.5);
}

static int64_t recorded(const struct mean_price *m, size_t pool, size_t type)
{
    const struct pool_config *c = pool_at(m, pool);
    const struct spot_traces *t = m->config->traces ? m->config->traces[pool] : NULL;
    int64_t best = -1;
    for (size_t z = 0; t && t->prices && z < c->zones.count; z++) {
        const struct steps *s = &t->prices[z * c->instance_types.count + type];
        int64_t mean = s->n > 0 ? mean_of(s, m->horizon) : -1;
        best = mean >= 0 && (best < 0 || mean < best) ? mean : best;
    }
    return best;
}

int64_t mean_price_spot(const struct mean_price *m, size_t pool, size_t type)
{
    const struct pool_config *c = pool_at(m, pool);
    const struct spot_preset *preset =
        pool_uses_spot(c) ? catalog_spot(m->catalog, c->spot_market) : NULL;
    int64_t list = mean_price_list(m, pool, type), mean = recorded(m, pool, type);
    assert(m->horizon > 0);
    if (!preset || list < 0)
        return -1;
    if (mean < 0)
        mean = price_share(spot_list_price(preset, row(m, pool, type, PRICE_SPOT), list),
                           (int64_t)(preset->price_share * 1e6 + 0.5));
    return spot_unprotected_price(preset, c->spot_duration_h, mean);
}
