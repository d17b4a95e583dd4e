/* node_scaler: memory, the order of a scan, and its words. */
#include "models/control/node_scaler.h"

#include "models/control/node_growth.h"
#include "models/control/node_shrink.h"
#include "models/control/phrase.h"

#include <assert.h>
#include <string.h>

struct node_scaler_memory {
    struct node_scaler_setup setup;
    struct node_state *states;
    struct node_delay delay;
    struct node_snapshot snapshot;
    struct node_growth growth;
    struct node_shrink shrink;
    struct node_scaler_cut *cuts;
    sim_ns last_scan; /* SIM_NEVER: none yet */
};

/* ---- one block of storage, cut into arrays ---- */

struct carver {
    unsigned char *base; /* NULL: only measures */
    size_t used;
};

static void *carve(struct carver *c, size_t count, size_t size)
{
    size_t at = c->used;
    assert(size == 0 || count <= (SIZE_MAX / 2 - at) / size);
    c->used += (count * size + 15) / 16 * 16;
    return c->base ? c->base + at : NULL;
}

static void carve_growth(struct carver *c, const struct node_scaler_setup *s, struct node_growth *g)
{
    size_t groups = s->n_groups, owners = s->n_owners;
    g->has_priority = carve(c, groups, sizeof *g->has_priority);
    g->priority = carve(c, groups, sizeof *g->priority);
    g->order = carve(c, s->max_pending, sizeof *g->order);
    g->waiting = carve(c, owners, sizeof *g->waiting);
    g->packs = carve(c, owners, sizeof *g->packs);
    g->pack_owner = carve(c, owners, sizeof *g->pack_owner);
    g->pack_order = carve(c, owners, sizeof *g->pack_order);
    g->rooms = carve(c, (size_t)s->config->max_nodes_per_scale_up, sizeof *g->rooms);
    g->options = carve(c, groups, sizeof *g->options);
    g->scratch = carve(c, groups, sizeof *g->scratch);
    g->spread = carve(c, groups, sizeof *g->spread);
    g->spread_group = carve(c, groups, sizeof *g->spread_group);
    g->group_reasons = carve(c, groups, sizeof *g->group_reasons);
    g->ups = carve(c, groups, sizeof *g->ups);
}

static void carve_shrink(struct carver *c, const struct node_scaler_setup *s, struct node_shrink *k)
{
    size_t nodes = s->max_nodes;
    k->list = carve(c, nodes, sizeof *k->list);
    k->next_list = carve(c, nodes, sizeof *k->next_list);
    k->unremovable = carve(c, nodes, sizeof *k->unremovable);
    k->candidates = carve(c, nodes, sizeof *k->candidates);
    k->moves_cap = s->max_pods + s->max_pending;
    k->moves = carve(c, k->moves_cap, sizeof *k->moves);
    k->budget = carve(c, s->n_owners, sizeof *k->budget);
    k->evicted = carve(c, s->n_owners, sizeof *k->evicted);
    k->picked = carve(c, s->n_groups, sizeof *k->picked);
    k->must_drain = carve(c, nodes, sizeof *k->must_drain);
    k->reasons = carve(c, nodes, sizeof *k->reasons);
    k->blocks = carve(c, nodes, sizeof *k->blocks);
    k->tracked = carve(c, nodes, sizeof *k->tracked);
    k->deletions = carve(c, nodes, sizeof *k->deletions);
}

static struct node_scaler_memory *carve_all(struct carver *c, const struct node_scaler_setup *s,
                                            struct node_scaler_memory *m)
{
    struct node_snapshot *snap = &m->snapshot;
    carve(c, 1, sizeof *m);
    m->states = carve(c, s->n_groups, sizeof *m->states);
    m->cuts = carve(c, 3 * s->n_groups, sizeof *m->cuts);
    snap->slots_cap = 2 * s->max_nodes;
    snap->slots = carve(c, snap->slots_cap, sizeof *snap->slots);
    /* A pending pod, a pod of a drained node, or one that a removal moves: each pod once. */
    snap->carried_cap = s->max_pods + s->max_pending;
    snap->carried = carve(c, snap->carried_cap, sizeof *snap->carried);
    snap->first_slot = carve(c, s->n_owners, sizeof *snap->first_slot);
    carve_growth(c, s, &m->growth);
    carve_shrink(c, s, &m->shrink);
    return m;
}

size_t node_scaler_memory_size(const struct node_scaler_setup *s)
{
    struct node_scaler_memory scratch = {0};
    struct carver c = {0};
    carve_all(&c, s, &scratch);
    return c.used;
}

static void set_priorities(struct node_growth *g, const struct node_scaler_setup *s)
{
    const struct node_scaler_config *c = s->config;
    for (size_t i = 0; i < s->n_groups; i++)
        g->has_priority[i] =
            c->n_priorities > 0 && node_expander_priority(c->priorities, c->n_priorities,
                                                          s->group_names[i], &g->priority[i]);
}

struct node_scaler_memory *node_scaler_init(const struct node_scaler_setup *s, void *storage)
{
    size_t size = node_scaler_memory_size(s);
    memset(storage, 0, size);
    struct carver c = {.base = storage};
    struct node_scaler_memory *m = carve_all(&c, s, storage);
    assert(c.used == size);
    m->setup = *s;
    m->delay = node_delay_start(s->start);
    m->last_scan = SIM_NEVER;
    for (size_t i = 0; i < s->n_groups; i++)
        m->states[i].delay = (struct node_delay){SIM_NEVER, SIM_NEVER, SIM_NEVER};
    set_priorities(&m->growth, s);
    m->growth.states = m->shrink.states = m->states;
    m->growth.snapshot = m->shrink.snapshot = &m->snapshot;
    m->growth.chance = s->chance;
    m->shrink.delay = &m->delay;
    return m;
}

/* ---- the scan ---- */

static void check_limits(const struct node_scaler_memory *m, const struct node_scaler_view *v)
{
    assert(v->n_groups == m->setup.n_groups && v->n_owners <= m->setup.n_owners);
    assert(v->n_nodes <= m->setup.max_nodes && v->n_pods <= m->setup.max_pods);
    assert(v->n_pending <= m->setup.max_pending);
    assert(m->last_scan == SIM_NEVER || v->now >= m->last_scan);
}

static void start_scan(const struct node_scaler_config *c, struct node_scaler_memory *m,
                       const struct node_scaler_view *v)
{
    m->last_scan = v->now;
    m->growth.config = m->shrink.config = c;
    m->growth.view = m->shrink.view = v;
    m->growth.n_ups = m->growth.n_options = 0;
    m->growth.pods_helped = m->growth.pods_unhelped = m->growth.pods_waiting = 0;
    m->growth.skip_scale_down = m->shrink.forbidden = false;
    m->growth.chosen = -1;
    m->shrink.n_deletions = 0;
    for (size_t i = 0; i < v->n_nodes; i++) {
        m->shrink.reasons[i] = NODE_DOWN_NOT_CHECKED;
        m->shrink.blocks[i] = NODE_BLOCK_NONE;
        m->shrink.must_drain[i] = false;
    }
    for (size_t i = 0; i < v->n_groups; i++) {
        m->growth.group_reasons[i] = NODE_GROUP_NOT_ASKED;
        if (v->groups[i].failed_deletions > 0)
            m->states[i].delay.last_failure = m->delay.last_failure = v->now;
    }
}

static bool any_ready(const struct node_scaler_memory *m)
{
    for (size_t i = 0; i < m->setup.n_groups; i++)
        if (m->states[i].ready > 0)
            return true;
    return false;
}

/* What stops a scan before it looks at pods: NODE_UP_NOT_NEEDED for nothing. */
static enum node_up_reason stopped(const struct node_scaler_config *c, struct node_scaler_memory *m,
                                   bool size_fixed)
{
    if (!c->scale_up_from_zero && !any_ready(m))
        return NODE_UP_NO_READY_NODE;
    if (!node_state_cluster_healthy(c, m->states, m->setup.n_groups)) {
        node_shrink_clear(&m->shrink);
        return NODE_UP_CLUSTER_UNHEALTHY;
    }
    return size_fixed ? NODE_UP_SIZE_FIXED : NODE_UP_NOT_NEEDED;
}

static enum node_cool_down cool_of(enum node_up_reason up)
{
    switch (up) {
    case NODE_UP_SIZE_FIXED:
        return NODE_COOL_SIZE_FIXED;
    case NODE_UP_DONE:
        return NODE_COOL_SCALED_UP;
    default:
        return NODE_COOL_UNHEALTHY;
    }
}

/* Scale-up, and scale-down unless nodes were bought. */
static void decide(struct node_scaler_memory *m, const struct node_scaler_view *v,
                   struct node_scaler_plan *plan)
{
    node_snapshot_make(&m->snapshot, m->growth.config, v, m->states);
    plan->up_reason = node_growth_decide(&m->growth);
    if (plan->up_reason == NODE_UP_DONE) {
        m->delay.last_add = v->now;
        plan->cool_down = NODE_COOL_SCALED_UP;
        node_shrink_track(&m->shrink);
        return;
    }
    m->shrink.forbidden = m->growth.skip_scale_down;
    plan->cool_down = node_shrink_decide(&m->shrink);
}

static void hand_over(const struct node_scaler_memory *m, struct node_scaler_plan *plan)
{
    plan->scale_ups = m->growth.ups;
    plan->n_scale_ups = m->growth.n_ups;
    plan->pods_helped = m->growth.pods_helped;
    plan->pods_unhelped = m->growth.pods_unhelped;
    plan->group_reasons = m->growth.group_reasons;
    plan->cuts = m->cuts;
    plan->deletions = m->shrink.deletions;
    plan->n_deletions = m->shrink.n_deletions;
    plan->unneeded = m->shrink.tracked;
    plan->n_unneeded = m->shrink.n_list;
    plan->node_reasons = m->shrink.reasons;
    plan->node_blocks = m->shrink.blocks;
}

/* ---- words ---- */

static void say_number(struct phrase *p, const char *before, int64_t n, const char *after)
{
    phrase_text(p, before);
    phrase_int(p, n);
    phrase_text(p, after);
}

static void say_up(struct phrase *p, const struct node_scaler_memory *m,
                   const struct node_scaler_plan *plan)
{
    if (plan->n_scale_ups == 0) {
        phrase_text(p, "no scale-up: ");
        phrase_text(p, node_scaler_up_name(plan->up_reason));
        if (plan->pods_unhelped > 0)
            say_number(p, " (", plan->pods_unhelped, " pods wait)");
        return;
    }
    for (size_t i = 0; i < plan->n_scale_ups; i++) {
        say_number(p, i > 0 ? ", +" : "+", plan->scale_ups[i].count, " ");
        phrase_text(p, m->setup.group_names[plan->scale_ups[i].group]);
    }
    say_number(p, " for ", plan->pods_helped, " of ");
    say_number(p, "", plan->pods_helped + plan->pods_unhelped, " waiting pods");
    if (m->growth.n_options > 1) {
        phrase_text(p, ", ");
        phrase_text(p, node_expander_name(m->growth.config->expanders[0]));
        say_number(p, " of ", (int64_t)m->growth.n_options, " options");
    }
}

static void put_words(const struct node_scaler_memory *m, struct node_scaler_plan *plan)
{
    struct phrase p;
    phrase_init(&p, plan->words, sizeof plan->words);
    for (size_t i = 0; i < plan->n_cuts; i++) {
        say_number(&p, "-", plan->cuts[i].count, " ");
        phrase_text(&p, m->setup.group_names[plan->cuts[i].group]);
        phrase_text(&p, " (");
        phrase_text(&p, node_scaler_cut_name(plan->cuts[i].why));
        phrase_text(&p, "); ");
    }
    say_up(&p, m, plan);
    say_number(&p, "; ", (int64_t)plan->n_unneeded, " unneeded");
    if (plan->n_deletions > 0) {
        say_number(&p, ", deletes ", (int64_t)plan->n_deletions, "");
    } else if (plan->cool_down != NODE_COOL_NONE) {
        phrase_text(&p, ", none goes: ");
        phrase_text(&p, node_scaler_cool_name(plan->cool_down));
    }
}

void node_scaler_scan(const struct node_scaler_config *c, struct node_scaler_memory *m,
                      const struct node_scaler_view *view, struct node_scaler_plan *plan)
{
    bool size_fixed;
    check_limits(m, view);
    *plan = (struct node_scaler_plan){0};
    start_scan(c, m, view);
    plan->n_cuts = node_state_update(c, m->states, view, m->cuts, &size_fixed);
    plan->up_reason = stopped(c, m, size_fixed);
    if (plan->up_reason == NODE_UP_NOT_NEEDED) {
        decide(m, view, plan);
    } else {
        plan->cool_down = cool_of(plan->up_reason);
        node_shrink_track(&m->shrink);
    }
    hand_over(m, plan);
    bool did_something = plan->n_scale_ups > 0 || plan->n_deletions > 0;
    plan->next_scan =
        view->now + (c->frequent_loops && did_something ? c->min_loop : c->scan_interval);
    put_words(m, plan);
}

/* ---- names ---- */

#define NAME(names, i) (assert((size_t)(i) < sizeof names / sizeof names[0]), names[i])

const char *node_scaler_up_name(enum node_up_reason r)
{
    static const char *const names[] = {
        [NODE_UP_NOT_NEEDED] = "not_needed",
        [NODE_UP_DONE] = "scaled_up",
        [NODE_UP_FITS_EXISTING] = "fits_existing",
        [NODE_UP_PODS_TOO_YOUNG] = "pods_too_young",
        [NODE_UP_GPU_PODS_TOO_YOUNG] = "gpu_pods_too_young",
        [NODE_UP_NO_OPTION] = "no_option",
        [NODE_UP_MAX_NODES_TOTAL] = "max_nodes_total",
        [NODE_UP_CLUSTER_UNHEALTHY] = "cluster_unhealthy",
        [NODE_UP_NO_READY_NODE] = "no_ready_node",
        [NODE_UP_SIZE_FIXED] = "size_fixed",
    };
    return NAME(names, r);
}

const char *node_scaler_group_name(enum node_group_reason r)
{
    static const char *const names[] = {
        [NODE_GROUP_OPTION] = "option",
        [NODE_GROUP_NOT_ASKED] = "not_asked",
        [NODE_GROUP_NOT_AUTOSCALED] = "not_autoscaled",
        [NODE_GROUP_BACKED_OFF] = "backed_off",
        [NODE_GROUP_UNHEALTHY] = "unhealthy",
        [NODE_GROUP_AT_MAX] = "at_max",
        [NODE_GROUP_NO_POD_FITS] = "no_pod_fits",
    };
    return NAME(names, r);
}

const char *node_scaler_down_name(enum node_down_reason r)
{
    static const char *const names[] = {
        [NODE_DOWN_UNNEEDED] = "unneeded",
        [NODE_DOWN_BEING_DELETED] = "being_deleted",
        [NODE_DOWN_STARTING] = "starting",
        [NODE_DOWN_DISABLED] = "scale_down_disabled",
        [NODE_DOWN_NOT_AUTOSCALED] = "not_autoscaled",
        [NODE_DOWN_UNREADY_DISABLED] = "unready_disabled",
        [NODE_DOWN_ERROR] = "error",
        [NODE_DOWN_NOT_UNDERUTILIZED] = "not_underutilized",
        [NODE_DOWN_RECENTLY_UNREMOVABLE] = "recently_unremovable",
        [NODE_DOWN_BLOCKED_BY_POD] = "blocked_by_pod",
        [NODE_DOWN_NO_PLACE] = "no_place_to_move_pods",
        [NODE_DOWN_LIST_FULL] = "list_full",
        [NODE_DOWN_NOT_UNNEEDED_LONG_ENOUGH] = "not_unneeded_long_enough",
        [NODE_DOWN_NOT_UNREADY_LONG_ENOUGH] = "not_unready_long_enough",
        [NODE_DOWN_MIN_SIZE_REACHED] = "min_size_reached",
        [NODE_DOWN_MAX_PARALLELISM] = "max_parallelism",
        [NODE_DOWN_COOL_DOWN] = "cool_down",
        [NODE_DOWN_DELETE] = "delete",
        [NODE_DOWN_NOT_CHECKED] = "not_checked",
    };
    return NAME(names, r);
}

const char *node_scaler_block_name(enum node_pod_block b)
{
    static const char *const names[] = {
        [NODE_BLOCK_NONE] = "none",
        [NODE_BLOCK_NOT_REPLICATED] = "not_replicated",
        [NODE_BLOCK_KUBE_SYSTEM] = "kube_system",
        [NODE_BLOCK_LOCAL_STORAGE] = "local_storage",
        [NODE_BLOCK_NOT_SAFE_TO_EVICT] = "not_safe_to_evict",
        [NODE_BLOCK_DISRUPTION_BUDGET] = "disruption_budget",
        [NODE_BLOCK_MIN_REPLICAS] = "min_replicas",
    };
    return NAME(names, b);
}

const char *node_scaler_cool_name(enum node_cool_down c)
{
    static const char *const names[] = {
        [NODE_COOL_NONE] = "none",
        [NODE_COOL_DISABLED] = "disabled",
        [NODE_COOL_AFTER_ADD] = "after_add",
        [NODE_COOL_AFTER_DELETE] = "after_delete",
        [NODE_COOL_AFTER_FAILURE] = "after_failure",
        [NODE_COOL_PODS_WAIT] = "pods_wait",
        [NODE_COOL_SCALED_UP] = "scaled_up",
        [NODE_COOL_UNHEALTHY] = "unhealthy",
        [NODE_COOL_DRAIN_UNPLACED] = "drained_pods_have_no_place",
        [NODE_COOL_SIZE_FIXED] = "size_fixed",
    };
    return NAME(names, c);
}

const char *node_scaler_cut_name(enum node_cut_reason r)
{
    static const char *const names[] = {
        [NODE_CUT_TIMEOUT] = "not_here_in_time",
        [NODE_CUT_CLOUD_ERROR] = "refused_by_cloud",
        [NODE_CUT_UNREGISTERED] = "missing_too_long",
    };
    return NAME(names, r);
}
