/* node_state: counting nodes, and the fate of requests. */
#include "models/control/node_state.h"

#include <assert.h>

enum node_readiness node_state_readiness(const struct node_scaler_config *c,
                                         const struct node_scaler_group *g,
                                         const struct node_scaler_node *n, sim_ns now)
{
    bool waits_for_gpus = c->gpu_ready_patched && g->shape.gpus > 0 && n->shape.gpus == 0;
    if (n->ready && !waits_for_gpus)
        return NODE_READY;
    return now - n->created < c->max_node_provision ? NODE_NOT_STARTED : NODE_UNREADY;
}

static void count_nodes(const struct node_scaler_config *c, struct node_state *states,
                        const struct node_scaler_view *view)
{
    for (size_t i = 0; i < view->n_nodes; i++) {
        const struct node_scaler_node *n = &view->nodes[i];
        assert(n->group < view->n_groups);
        struct node_state *s = &states[n->group];
        s->registered++;
        s->deleting += n->deleting != NODE_DELETION_NONE;
        switch (node_state_readiness(c, &view->groups[n->group], n, view->now)) {
        case NODE_READY:
            s->ready++;
            break;
        case NODE_NOT_STARTED:
            s->not_started++;
            break;
        case NODE_UNREADY:
            s->unready++;
            break;
        }
    }
}

static int32_t upcoming(const struct node_state *s)
{
    int32_t n = s->target - s->ready - s->unready;
    return n > 0 ? n : 0;
}

static struct node_backoff_rule rule_of(const struct node_scaler_config *c)
{
    return (struct node_backoff_rule){
        .initial = c->backoff_initial, .max = c->backoff_max, .reset = c->backoff_reset};
}

static size_t cut(struct node_state *s, struct node_scaler_cut *out, uint32_t group, int32_t count,
                  enum node_cut_reason why)
{
    if (count <= 0)
        return 0;
    s->target -= count;
    *out = (struct node_scaler_cut){.group = group, .count = count, .why = why};
    return 1;
}

/* N16: not here in time. */
static size_t expire(const struct node_scaler_config *c, struct node_state *s, uint32_t group,
                     sim_ns now, struct node_scaler_cut *out)
{
    struct node_backoff_rule rule = rule_of(c);
    int32_t reverted = node_request_update(&s->request, upcoming(s), now);
    if (reverted > 0)
        node_backoff_fail(&s->backoff, &rule, now);
    return cut(s, out, group, reverted, NODE_CUT_TIMEOUT);
}

/* N17: the cloud said no. */
static size_t refuse(const struct node_scaler_config *c, struct node_state *s, uint32_t group,
                     const struct node_scaler_view *view, struct node_scaler_cut *out)
{
    struct node_backoff_rule rule = rule_of(c);
    int32_t failed = view->groups[group].failed_creations;
    if (failed <= 0 || !c->creation_errors_reported)
        return 0;
    node_request_change(&s->request, -failed, c->max_node_provision, view->now);
    node_backoff_fail(&s->backoff, &rule, view->now);
    int32_t missing = s->target - s->registered;
    return cut(s, out, group, failed < missing ? failed : missing, NODE_CUT_CLOUD_ERROR);
}

/* A target above the nodes, unchanged for too long while nothing was asked for. */
static size_t fix_size(const struct node_scaler_config *c, struct node_state *s, uint32_t group,
                       sim_ns now, struct node_scaler_cut *out)
{
    if (s->seen_registered != s->registered || s->seen_target != s->target) {
        s->seen_registered = s->registered;
        s->seen_target = s->target;
        s->seen_since = now;
    }
    if (s->request.increase > 0 || now - s->seen_since <= c->max_node_provision)
        return 0;
    return cut(s, out, group, s->target - s->registered, NODE_CUT_UNREGISTERED);
}

static void read_view(const struct node_scaler_config *c, struct node_state *states,
                      const struct node_scaler_view *view)
{
    struct node_backoff_rule rule = rule_of(c);
    for (size_t g = 0; g < view->n_groups; g++) {
        struct node_state *s = &states[g];
        s->registered = s->ready = s->not_started = s->unready = s->deleting = 0;
        s->target = view->groups[g].target;
        node_backoff_forget(&s->backoff, &rule, view->now);
    }
    count_nodes(c, states, view);
}

size_t node_state_update(const struct node_scaler_config *c, struct node_state *states,
                         const struct node_scaler_view *view, struct node_scaler_cut *cuts,
                         bool *size_fixed)
{
    size_t n = 0;
    *size_fixed = false;
    read_view(c, states, view);
    for (uint32_t g = 0; g < view->n_groups; g++) {
        struct node_state *s = &states[g];
        if (view->groups[g].autoscaled) {
            n += expire(c, s, g, view->now, cuts + n);
            n += refuse(c, s, g, view, cuts + n);
            size_t fixed = fix_size(c, s, g, view->now, cuts + n);
            n += fixed;
            *size_fixed = *size_fixed || fixed > 0;
        }
        s->upcoming = upcoming(s);
    }
    return n;
}

/* More than ok_unready, and more than a share of all. */
static bool too_many(const struct node_scaler_config *c, int64_t bad, int64_t all)
{
    return bad > c->ok_unready && (double)bad > c->max_unready_share * (double)all;
}

bool node_state_group_healthy(const struct node_scaler_config *c, const struct node_state *s)
{
    int32_t missing = s->target - s->request.increase - s->ready;
    return !too_many(c, missing, (int64_t)s->ready + s->unready + s->not_started);
}

bool node_state_cluster_healthy(const struct node_scaler_config *c, const struct node_state *states,
                                size_t n_groups)
{
    int64_t unready = 0, all = 0;
    for (size_t g = 0; g < n_groups; g++) {
        unready += states[g].unready;
        all += states[g].registered;
    }
    return !too_many(c, unready, all);
}
