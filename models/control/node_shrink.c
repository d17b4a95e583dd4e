/* node_shrink: eligible nodes, then nodes whose pods have another place, then nodes that waited
 * long enough, then as many as the budgets allow. */
#include "models/control/node_shrink.h"

#include <assert.h>

static const struct node_scaler_owner *owner_of(const struct node_shrink *s,
                                                const struct node_scaler_pod *pod)
{
    return &s->view->owners[pod->owner];
}

/* A pod of the view that a removal of its node would have to move. */
static bool must_move(const struct node_shrink *s, const struct node_scaler_pod *pod)
{
    const struct node_scaler_owner *o = owner_of(s, pod);
    return node_snapshot_counts(s->config, o) && !node_drain_stays(o, pod, s->view->now);
}

/* ---- pods of nodes that are being drained ---- */

/* They need a place before anything else goes. Counting replacements twice is accepted. */
static bool lay_drained(struct node_shrink *s)
{
    const struct node_scaler_view *v = s->view;
    node_snapshot_rewind(s->snapshot);
    for (size_t i = 0; i < v->n_nodes; i++) {
        const struct node_scaler_node *n = &v->nodes[i];
        for (uint32_t k = 0; n->deleting == NODE_DELETION_DRAIN && k < n->n_pods; k++) {
            const struct node_scaler_pod *pod = &v->pods[n->first_pod + k];
            if (must_move(s, pod) && !node_snapshot_lay(s->snapshot, pod->owner))
                return false;
        }
    }
    return true;
}

/* ---- eligibility ---- */

static void add_carried(const struct node_shrink *s, uint32_t node, struct node_usage *u,
                        const struct node_usage_rule *rule)
{
    const struct node_snapshot *snap = s->snapshot;
    if (snap->slots[node].carried == 0)
        return;
    for (size_t i = 0; i < snap->n_carried; i++)
        if (snap->carried[i].slot == node)
            node_utilization_add(u, rule, &s->view->owners[snap->carried[i].owner], 1);
}

static int utilization(const struct node_shrink *s, uint32_t node, struct node_utilization *out)
{
    const struct node_scaler_config *c = s->config;
    const struct node_scaler_node *n = &s->view->nodes[node];
    struct node_usage_rule rule = {.ignore_daemon_pods = c->ignore_daemon_pods,
                                   .ignore_mirror_pods = c->ignore_mirror_pods,
                                   .gpu_rule = c->gpu_rule};
    struct node_usage u = {0};
    for (uint32_t k = 0; k < n->n_pods; k++) {
        const struct node_scaler_pod *pod = &s->view->pods[n->first_pod + k];
        const struct node_scaler_owner *o = owner_of(s, pod);
        bool ignored = (o->kind == NODE_POD_DAEMON && c->ignore_daemon_pods) ||
                       (o->kind == NODE_POD_MIRROR && c->ignore_mirror_pods);
        bool counts = ignored || !node_utilization_long_terminating(pod, s->view->now);
        if (counts && node_snapshot_counts(c, o))
            node_utilization_add(&u, &rule, o, 1);
    }
    add_carried(s, node, &u, &rule);
    return node_utilization_of(&n->shape, s->view->groups[n->group].shape.gpus > 0, &u, c->gpu_rule,
                               out);
}

static bool recently_unremovable(const struct node_shrink *s, uint64_t id)
{
    for (size_t i = 0; i < s->n_unremovable; i++)
        if (s->unremovable[i].id == id)
            return true;
    return false;
}

static enum node_down_reason eligible(const struct node_shrink *s, uint32_t node)
{
    const struct node_scaler_config *c = s->config;
    const struct node_scaler_node *n = &s->view->nodes[node];
    const struct node_scaler_group *g = &s->view->groups[n->group];
    enum node_readiness readiness = node_state_readiness(c, g, n, s->view->now);
    const struct node_delay *d = &s->states[n->group].delay;
    struct node_utilization u;
    if (n->deleting != NODE_DELETION_NONE)
        return NODE_DOWN_BEING_DELETED;
    if (readiness == NODE_NOT_STARTED)
        return NODE_DOWN_STARTING;
    if (c->delay_local && node_delay_holds(d, c->delay_after_add, c->delay_after_failure,
                                           c->delay_after_delete, s->view->now) != NODE_COOL_NONE)
        return NODE_DOWN_COOL_DOWN;
    if (recently_unremovable(s, n->id))
        return NODE_DOWN_RECENTLY_UNREMOVABLE;
    bool known = utilization(s, node, &u) == 0;
    struct node_candidate candidate = {.autoscaled = g->autoscaled,
                                       .ready = readiness == NODE_READY,
                                       .scale_down_disabled = n->scale_down_disabled,
                                       .deleting_since = SIM_NEVER,
                                       .gpu_node = g->shape.gpus > 0,
                                       .utilization = known ? &u : NULL};
    return node_unneeded_eligible(c, &candidate, s->view->now);
}

static bool has_pods_to_move(const struct node_shrink *s, uint32_t node)
{
    const struct node_scaler_node *n = &s->view->nodes[node];
    for (uint32_t k = 0; k < n->n_pods; k++)
        if (must_move(s, &s->view->pods[n->first_pod + k]))
            return true;
    return s->snapshot->slots[node].carried > 0;
}

/* Empty nodes first, then those that were unneeded before, then in the view's order. */
static int rank(const struct node_shrink *s, uint32_t node)
{
    if (!has_pods_to_move(s, node))
        return 0;
    return node_unneeded_find(s->list, s->n_list, s->view->nodes[node].id) ? 1 : 2;
}

static size_t order_candidates(struct node_shrink *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->view->n_nodes; i++)
        if (s->reasons[i] == NODE_DOWN_UNNEEDED)
            s->next_list[n++].since = rank(s, i); /* kept here until the list is filled */
    size_t at = 0;
    for (sim_ns wanted = 0; wanted <= 2; wanted++) {
        size_t k = 0;
        for (uint32_t i = 0; i < s->view->n_nodes; i++)
            if (s->reasons[i] == NODE_DOWN_UNNEEDED && s->next_list[k++].since == wanted)
                s->candidates[at++] = i;
    }
    assert(at == n);
    return n;
}

/* ---- where the pods of a node would go ---- */

/* One more eviction within the owner's disruption budget. */
static enum node_pod_block evict(struct node_shrink *s, uint32_t owner)
{
    const struct node_scaler_owner *o = &s->view->owners[owner];
    enum node_pod_block block = node_drain_block(s->config, o);
    if (block != NODE_BLOCK_NONE)
        return block;
    if (o->disruptions_allowed >= 0 && ++s->evicted[owner] > s->budget[owner])
        return NODE_BLOCK_DISRUPTION_BUDGET;
    return NODE_BLOCK_NONE;
}

/* Lists the pods to move off a node; returns how many. *block: why they may not be moved. */
static size_t list_moves(struct node_shrink *s, uint32_t node, enum node_pod_block *block)
{
    const struct node_scaler_node *n = &s->view->nodes[node];
    const struct node_snapshot *snap = s->snapshot;
    size_t n_moves = 0;
    for (size_t i = 0; i < s->view->n_owners; i++)
        s->evicted[i] = 0;
    *block = NODE_BLOCK_NONE;
    for (uint32_t k = 0; k < n->n_pods && *block == NODE_BLOCK_NONE; k++) {
        const struct node_scaler_pod *pod = &s->view->pods[n->first_pod + k];
        if (!must_move(s, pod))
            continue;
        *block = evict(s, pod->owner);
        s->moves[n_moves++] = (struct node_move){.owner = pod->owner, .carried = NODE_SLOT_NONE};
    }
    for (uint32_t i = 0; snap->slots[node].carried > 0 && i < snap->n_carried; i++)
        if (snap->carried[i].slot == node && *block == NODE_BLOCK_NONE) {
            *block = evict(s, snap->carried[i].owner);
            s->moves[n_moves++] = (struct node_move){.owner = snap->carried[i].owner, .carried = i};
        }
    assert(n_moves <= s->moves_cap);
    return n_moves;
}

/* Finds a place among the registered nodes for each; all or nothing. */
static bool place_moves(struct node_shrink *s, size_t n_moves)
{
    struct node_snapshot *snap = s->snapshot;
    uint32_t end = (uint32_t)s->view->n_nodes;
    for (size_t i = 0; i < n_moves; i++) {
        struct node_move *m = &s->moves[i];
        m->slot = node_snapshot_find(snap, m->owner, 0, end);
        if (m->slot != NODE_SLOT_NONE) {
            node_snapshot_take(snap, m->owner, m->slot);
            continue;
        }
        while (i-- > 0)
            node_snapshot_give(snap, s->moves[i].owner, s->moves[i].slot);
        return false;
    }
    return true;
}

static void keep_moves(struct node_shrink *s, uint32_t node, size_t n_moves)
{
    struct node_snapshot *snap = s->snapshot;
    for (size_t i = 0; i < n_moves; i++) {
        const struct node_move *m = &s->moves[i];
        if (s->view->owners[m->owner].disruptions_allowed >= 0)
            s->budget[m->owner]--;
        if (m->carried != NODE_SLOT_NONE) {
            snap->carried[m->carried].slot = m->slot;
            snap->slots[node].carried--;
            continue;
        }
        assert(snap->n_carried < snap->carried_cap);
        snap->carried[snap->n_carried++] =
            (struct node_carried){.owner = m->owner, .slot = m->slot};
    }
}

static void remember_unremovable(struct node_shrink *s, uint64_t id)
{
    assert(s->n_unremovable < s->view->n_nodes);
    s->unremovable[s->n_unremovable++] =
        (struct node_unremovable){.id = id, .until = s->view->now + s->config->unremovable_recheck};
}

/* Whether the node could go: its pods may move and have a place elsewhere. */
static enum node_down_reason simulate_removal(struct node_shrink *s, uint32_t node)
{
    struct node_slot *slot = &s->snapshot->slots[node];
    bool was_open = slot->open;
    slot->open = false;
    size_t n_moves = list_moves(s, node, &s->blocks[node]);
    enum node_down_reason reason = NODE_DOWN_UNNEEDED;
    if (s->blocks[node] != NODE_BLOCK_NONE)
        reason = NODE_DOWN_BLOCKED_BY_POD;
    else if (!place_moves(s, n_moves))
        reason = NODE_DOWN_NO_PLACE;
    if (reason == NODE_DOWN_UNNEEDED) {
        s->must_drain[node] = n_moves > 0;
        keep_moves(s, node, n_moves);
        return reason;
    }
    slot->open = was_open;
    remember_unremovable(s, s->view->nodes[node].id);
    return reason;
}

static bool in_view(const struct node_scaler_view *v, uint64_t id)
{
    for (size_t i = 0; i < v->n_nodes; i++)
        if (v->nodes[i].id == id)
            return true;
    return false;
}

static void expire_unremovable(struct node_shrink *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_unremovable; i++)
        if (s->unremovable[i].until >= s->view->now && in_view(s->view, s->unremovable[i].id))
            s->unremovable[kept++] = s->unremovable[i];
    s->n_unremovable = kept;
}

/* ---- the list ---- */

static void swap_lists(struct node_shrink *s, size_t n)
{
    struct node_unneeded *old = s->list;
    node_unneeded_update(s->list, s->n_list, s->next_list, n, s->view->now);
    s->list = s->next_list;
    s->next_list = old;
    s->n_list = n;
}

static void track(struct node_shrink *s, size_t at, uint32_t node)
{
    const struct node_scaler_node *n = &s->view->nodes[node];
    bool ready =
        node_state_readiness(s->config, &s->view->groups[n->group], n, s->view->now) == NODE_READY;
    s->tracked[at] = (struct node_scaler_tracked){
        .node = node, .since = s->list[at].since, .wait = node_unneeded_wait(s->config, ready)};
}

static void fill_list(struct node_shrink *s)
{
    expire_unremovable(s);
    for (uint32_t i = 0; i < s->view->n_nodes; i++)
        s->reasons[i] = eligible(s, i);
    for (size_t i = 0; i < s->view->n_owners; i++)
        s->budget[i] = s->view->owners[i].disruptions_allowed;
    size_t n = order_candidates(s), kept = 0;
    int64_t limit = node_unneeded_limit(s->config, (int64_t)s->n_list);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = s->candidates[i];
        s->reasons[node] = (int64_t)kept >= limit ? NODE_DOWN_LIST_FULL : simulate_removal(s, node);
        if (s->reasons[node] == NODE_DOWN_UNNEEDED)
            s->candidates[kept++] = node;
    }
    for (size_t i = 0; i < kept; i++)
        s->next_list[i].id = s->view->nodes[s->candidates[i]].id;
    swap_lists(s, kept);
    for (size_t i = 0; i < kept; i++)
        track(s, i, s->candidates[i]);
}

size_t node_shrink_track(struct node_shrink *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_list; i++)
        for (uint32_t k = 0; k < s->view->n_nodes; k++)
            if (s->view->nodes[k].id == s->list[i].id) {
                s->list[kept] = s->list[i];
                track(s, kept++, k);
                break;
            }
    s->n_list = kept;
    return kept;
}

void node_shrink_clear(struct node_shrink *s)
{
    s->n_list = 0;
}

/* ---- deletions ---- */

struct budgets {
    int32_t nodes, drains;
};

static struct budgets budgets_left(const struct node_shrink *s)
{
    struct budgets b = {s->config->max_deletions, s->config->max_drains};
    for (size_t i = 0; i < s->view->n_nodes; i++) {
        enum node_deletion how = s->view->nodes[i].deleting;
        b.nodes -= how != NODE_DELETION_NONE;
        b.drains -= how == NODE_DELETION_DRAIN;
    }
    return b;
}

static enum node_down_reason ripe(const struct node_shrink *s, const struct node_scaler_tracked *t)
{
    const struct node_scaler_node *n = &s->view->nodes[t->node];
    const struct node_scaler_group *g = &s->view->groups[n->group];
    const struct node_state *st = &s->states[n->group];
    struct node_removal r = {.scale_down_disabled = n->scale_down_disabled,
                             .autoscaled = g->autoscaled,
                             .ready =
                                 node_state_readiness(s->config, g, n, s->view->now) == NODE_READY,
                             .unneeded_for = s->view->now - t->since,
                             .group_size = st->target - s->picked[n->group],
                             .group_min = g->min,
                             .deletions_in_progress = st->deleting};
    return node_unneeded_removable(s->config, &r);
}

static void pick(struct node_shrink *s, const struct node_scaler_tracked *t, bool drain,
                 enum node_cool_down cool, struct budgets *b)
{
    enum node_down_reason r = ripe(s, t);
    bool crop = b->nodes <= 0 || (drain && b->drains <= 0);
    if (r == NODE_DOWN_DELETE && cool != NODE_COOL_NONE)
        r = NODE_DOWN_COOL_DOWN;
    else if (r == NODE_DOWN_DELETE && crop)
        r = NODE_DOWN_MAX_PARALLELISM;
    s->reasons[t->node] = r;
    if (r != NODE_DOWN_DELETE)
        return;
    uint32_t group = s->view->nodes[t->node].group;
    b->nodes--;
    b->drains -= drain;
    s->picked[group]++;
    s->states[group].delay.last_delete = s->delay->last_delete = s->view->now;
    s->deletions[s->n_deletions++] =
        (struct node_scaler_delete){.node = t->node,
                                    .how = drain ? NODE_DELETION_DRAIN : NODE_DELETION_EMPTY,
                                    .unneeded_since = t->since};
}

static void pick_all(struct node_shrink *s, enum node_cool_down cool)
{
    struct budgets b = budgets_left(s);
    for (size_t i = 0; i < s->view->n_groups; i++)
        s->picked[i] = 0;
    for (int drain = 0; drain <= 1; drain++)
        for (size_t i = 0; i < s->n_list; i++)
            if (s->must_drain[s->tracked[i].node] == (drain != 0))
                pick(s, &s->tracked[i], drain != 0, cool, &b);
}

static enum node_cool_down cool_down(const struct node_shrink *s)
{
    const struct node_scaler_config *c = s->config;
    if (s->forbidden)
        return NODE_COOL_PODS_WAIT;
    if (c->delay_local)
        return NODE_COOL_NONE;
    return node_delay_holds(s->delay, c->delay_after_add, c->delay_after_failure,
                            c->delay_after_delete, s->view->now);
}

enum node_cool_down node_shrink_decide(struct node_shrink *s)
{
    if (!s->config->scale_down)
        return NODE_COOL_DISABLED;
    if (!lay_drained(s)) {
        node_shrink_clear(s);
        return NODE_COOL_DRAIN_UNPLACED;
    }
    fill_list(s);
    enum node_cool_down cool = cool_down(s);
    pick_all(s, cool);
    return cool;
}
