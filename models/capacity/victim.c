/* victim: which spot machine its platform takes first. */
#include "models/capacity/victim.h"

#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pools.h"

#include <stdbool.h>

static int64_t bid_of(const struct pools *s, const struct node *n)
{
    int64_t limit = pool_price_limit(s->groups[n->pool].config, n->type->name);
    return limit > 0 ? limit : INT64_MAX;
}

static bool comes(const struct pools *s, const struct victim_filter *f, const struct node *n)
{
    if (n->billing != PRICE_SPOT || n->state == NODE_VANISHED || n->reclaimed ||
        n->uid >= f->before)
        return false;
    if ((f->group >= 0 && n->pool != f->group) || (f->zone >= 0 && n->zone != f->zone))
        return false;
    return f->unprotected_at < 0 ||
           n->bought + group_protection(&s->groups[n->pool]) <= f->unprotected_at;
}

int64_t victim_count(const struct pools *s, const struct victim_filter *f)
{
    int64_t count = 0;
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i))
        count += comes(s, f, nodes_view(s->set.nodes, i));
    return count;
}

uint32_t victim_next(const struct pools *s, const struct victim_filter *f, struct chance ties)
{
    uint32_t best = NODES_NONE;
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i)) {
        const struct node *n = nodes_view(s->set.nodes, i);
        if (!comes(s, f, n))
            continue;
        const struct node *b = best == NODES_NONE ? n : nodes_view(s->set.nodes, best);
        int64_t bid = bid_of(s, n), least = bid_of(s, b);
        if (best == NODES_NONE || bid < least ||
            (bid == least && chance_bits(ties, n->uid) < chance_bits(ties, b->uid)))
            best = i;
    }
    return best;
}
