/* node_growth: from pending pods to at most one scale-up. */
#include "models/control/node_growth.h"

#include <assert.h>

#define GIB 1073741824.0

/* ---- the pods ---- */

static bool before(const struct node_scaler_view *v, uint32_t a, uint32_t b)
{
    int32_t pa = v->owners[v->pending[a].owner].priority;
    int32_t pb = v->owners[v->pending[b].owner].priority;
    return pa != pb ? pa > pb : v->pending[a].created < v->pending[b].created;
}

/* Important and old pods first. They come sorted by age and mostly with one priority, so this is
 * one pass. */
static size_t sort_pending(struct node_growth *g)
{
    const struct node_scaler_view *v = g->view;
    size_t n = 0;
    for (uint32_t i = 0; i < v->n_pending; i++) {
        assert(v->pending[i].owner < v->n_owners);
        if (!node_snapshot_counts(g->config, &v->owners[v->pending[i].owner]))
            continue;
        size_t k = n++;
        for (; k > 0 && before(v, i, g->order[k - 1]); k--)
            g->order[k] = g->order[k - 1];
        g->order[k] = i;
    }
    return n;
}

struct waiting {
    int32_t young;             /* younger than new_pod_delay */
    sim_ns oldest, oldest_gpu; /* SIM_NEVER: none */
};

/* N3: what fits on a node that is there or coming needs no node. */
static struct waiting lay_pending(struct node_growth *g, size_t n)
{
    const struct node_scaler_view *v = g->view;
    struct waiting w = {.oldest = SIM_NEVER, .oldest_gpu = SIM_NEVER};
    for (size_t i = 0; i < v->n_owners; i++)
        g->waiting[i] = 0;
    for (size_t i = 0; i < n; i++) {
        const struct node_scaler_pending *p = &v->pending[g->order[i]];
        if (node_snapshot_lay(g->snapshot, p->owner))
            continue;
        if (v->now - p->created < g->config->new_pod_delay) {
            w.young++;
            continue;
        }
        g->waiting[p->owner]++;
        g->pods_waiting++;
        if (p->created < w.oldest)
            w.oldest = p->created;
        if (v->owners[p->owner].gpus > 0 && p->created < w.oldest_gpu)
            w.oldest_gpu = p->created;
    }
    return w;
}

static bool younger(sim_ns created, sim_ns wait, sim_ns now)
{
    return created != SIM_NEVER && now - created < wait;
}

/* ---- the groups ---- */

static enum node_group_reason may_grow(const struct node_growth *g, uint32_t group)
{
    const struct node_scaler_group *vg = &g->view->groups[group];
    const struct node_state *s = &g->states[group];
    if (!vg->autoscaled)
        return NODE_GROUP_NOT_AUTOSCALED;
    if (!node_state_group_healthy(g->config, s))
        return NODE_GROUP_UNHEALTHY;
    if (node_backoff_active(&s->backoff, g->view->now))
        return NODE_GROUP_BACKED_OFF;
    return s->target >= vg->max ? NODE_GROUP_AT_MAX : NODE_GROUP_OPTION;
}

static int64_t headroom(const struct node_growth *g, uint32_t group)
{
    return (int64_t)g->view->groups[group].max - g->states[group].target;
}

/* Nodes that the cluster as a whole may still get. */
static int64_t cluster_headroom(const struct node_growth *g)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < g->view->n_groups; i++)
        nodes += (int64_t)g->states[i].ready + g->states[i].unready + g->states[i].upcoming;
    return g->config->max_nodes_total > 0 ? g->config->max_nodes_total - nodes : INT32_MAX;
}

/* How many nodes of this group an estimate may use. With balancing, similar groups help. */
static size_t node_limit(const struct node_growth *g, uint32_t group)
{
    const struct node_scaler_group *groups = g->view->groups;
    int64_t n = headroom(g, group), total = cluster_headroom(g);
    for (uint32_t k = 0; g->config->balance_similar && k < g->view->n_groups; k++)
        if (k != group && may_grow(g, k) == NODE_GROUP_OPTION &&
            node_balance_similar(&groups[group], &groups[k]))
            n += headroom(g, k);
    n = n < total ? n : total;
    n = n < g->config->max_nodes_per_scale_up ? n : g->config->max_nodes_per_scale_up;
    return n > 0 ? (size_t)n : 0;
}

static struct node_binpack_result pack(struct node_growth *g, uint32_t group, size_t *n_packs)
{
    const struct node_scaler_view *v = g->view;
    const struct node_scaler_group *vg = &v->groups[group];
    size_t n = 0;
    for (uint32_t o = 0; o < v->n_owners; o++) {
        if (g->waiting[o] == 0 || !v->fits[(size_t)o * v->n_groups + group])
            continue;
        g->packs[n] = node_snapshot_pods(&v->owners[o], g->waiting[o]);
        g->pack_owner[n++] = o;
    }
    struct node_binpack b = {.shape = node_snapshot_new_node(vg),
                             .score_cpu_milli = (double)vg->shape.cpu_milli,
                             .score_memory_bytes = (double)vg->shape.memory_bytes,
                             .groups = g->packs,
                             .n_groups = n,
                             .max_nodes = node_limit(g, group),
                             .rooms = g->rooms,
                             .order = g->pack_order};
    *n_packs = n;
    return node_binpack_estimate(&b);
}

static int64_t or_else(int64_t v, int64_t fallback)
{
    return v > 0 ? v : fallback;
}

static struct node_option option_of(const struct node_growth *g, uint32_t group,
                                    struct node_binpack_result r, size_t n_packs)
{
    const struct node_scaler_group *vg = &g->view->groups[group];
    const struct node_scaler_config *c = g->config;
    struct node_option o = {.group = group,
                            .nodes = r.nodes,
                            .pods = r.pods_placed,
                            .node_cpu_milli = or_else(vg->capacity_cpu_milli, vg->shape.cpu_milli),
                            .node_memory =
                                or_else(vg->capacity_memory_bytes, vg->shape.memory_bytes),
                            .node_price = (double)vg->price_micro_per_hour,
                            .gpu = vg->shape.gpus > 0,
                            .group_exists = true,
                            .has_priority = g->has_priority[group],
                            .priority = g->priority[group]};
    for (size_t i = 0; i < n_packs; i++) {
        o.pods_cpu_milli += g->packs[i].placed * g->packs[i].cpu_milli;
        o.pods_memory += g->packs[i].placed * g->packs[i].memory_bytes;
    }
    o.pods_price = (double)o.pods_cpu_milli / 1000 * c->price_cpu_per_hour +
                   (double)o.pods_memory / GIB * c->price_gib_per_hour;
    return o;
}

static void collect_options(struct node_growth *g)
{
    for (uint32_t group = 0; group < g->view->n_groups; group++) {
        size_t n_packs;
        g->group_reasons[group] = may_grow(g, group);
        if (g->group_reasons[group] != NODE_GROUP_OPTION)
            continue;
        struct node_binpack_result r = pack(g, group, &n_packs);
        if (r.pods_placed == 0)
            g->group_reasons[group] = NODE_GROUP_NO_POD_FITS;
        else
            g->options[g->n_options++] = option_of(g, group, r, n_packs);
    }
}

/* ---- the choice ---- */

static const struct node_option *choose(struct node_growth *g)
{
    const struct node_scaler_config *c = g->config;
    int64_t nodes = 0;
    for (size_t i = 0; i < g->view->n_groups; i++)
        nodes += g->states[i].registered;
    struct node_expander_prices prices = {
        .preferred_cpu_milli = node_expander_preferred_cpu_milli(nodes),
        .stabilization = 0.5 * c->price_cpu_per_hour + 500.0 / 1024 * c->price_gib_per_hour};
    int64_t at = node_expander_choose(c, g->options, g->n_options, &prices, g->chance,
                                      (uint64_t)g->view->now, g->scratch);
    return at < 0 ? NULL : &g->options[at];
}

/* Whether a group may take every pod that the chosen one takes (its packs are the current ones). */
static bool takes_all(const struct node_growth *g, uint32_t group, size_t n_packs)
{
    const struct node_scaler_view *v = g->view;
    for (size_t i = 0; i < n_packs; i++)
        if (g->packs[i].placed > 0 && !v->fits[(size_t)g->pack_owner[i] * v->n_groups + group])
            return false;
    return true;
}

static size_t spread_over(struct node_growth *g, uint32_t chosen)
{
    const struct node_scaler_group *groups = g->view->groups;
    size_t n_packs, n = 0;
    pack(g, chosen, &n_packs);
    for (uint32_t k = 0; k < g->view->n_groups; k++) {
        bool joins =
            k == chosen ||
            (g->config->balance_similar && g->group_reasons[k] == NODE_GROUP_OPTION &&
             node_balance_similar(&groups[chosen], &groups[k]) && takes_all(g, k, n_packs));
        if (!joins)
            continue;
        g->spread[n] =
            (struct node_balance_group){.size = g->states[k].target, .max = groups[k].max};
        g->spread_group[n++] = k;
    }
    return n;
}

static void buy(struct node_growth *g, uint32_t group, int32_t count)
{
    struct node_state *s = &g->states[group];
    node_request_change(&s->request, count, g->config->max_node_provision, g->view->now);
    s->delay.last_add = g->view->now;
    g->ups[g->n_ups++] = (struct node_scaler_up){.group = group, .count = count};
}

static enum node_up_reason grow(struct node_growth *g)
{
    collect_options(g);
    const struct node_option *best = choose(g);
    if (!best)
        return cluster_headroom(g) > 0 ? NODE_UP_NO_OPTION : NODE_UP_MAX_NODES_TOTAL;
    size_t n = spread_over(g, best->group);
    if (node_balance_spread(g->spread, n, best->nodes) == 0)
        return NODE_UP_NO_OPTION;
    for (size_t i = 0; i < n; i++)
        if (g->spread[i].add > 0)
            buy(g, g->spread_group[i], g->spread[i].add);
    g->chosen = best->group;
    g->pods_helped = best->pods;
    return NODE_UP_DONE;
}

static int64_t ready_nodes(const struct node_growth *g)
{
    int64_t n = 0;
    for (size_t i = 0; i < g->view->n_groups; i++)
        n += g->states[i].ready;
    return n;
}

enum node_up_reason node_growth_decide(struct node_growth *g)
{
    const struct node_scaler_config *c = g->config;
    sim_ns now = g->view->now;
    g->chosen = -1;
    for (size_t i = 0; i < g->view->n_groups; i++)
        g->group_reasons[i] = NODE_GROUP_NOT_ASKED;
    size_t n = sort_pending(g);
    struct waiting w = lay_pending(g, n);
    g->pods_unhelped = g->pods_waiting;
    if (g->pods_waiting == 0)
        return w.young > 0 ? NODE_UP_PODS_TOO_YOUNG
               : n > 0     ? NODE_UP_FITS_EXISTING
                           : NODE_UP_NOT_NEEDED;
    if (c->max_nodes_total > 0 && ready_nodes(g) >= c->max_nodes_total)
        return NODE_UP_MAX_NODES_TOTAL;
    g->skip_scale_down = true;
    if (younger(w.oldest_gpu, c->gpu_pod_wait, now))
        return NODE_UP_GPU_PODS_TOO_YOUNG;
    if (younger(w.oldest, c->pod_wait, now))
        return NODE_UP_PODS_TOO_YOUNG;
    g->skip_scale_down = false;
    enum node_up_reason r = grow(g);
    g->pods_unhelped = g->pods_waiting - g->pods_helped;
    return r;
}
