/* scan_view: what the node autoscaler is shown. */
#include "models/capacity/scan_view.h"

#include "models/capacity/group.h"
#include "models/capacity/group_choose.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/scheduler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct scan_view {
    struct scan_view_setup set;
    struct node_scaler_view view;
    size_t n_owners; /* with the DaemonSets */
    struct node_scaler_owner *owners;
    bool *fits;
    bool *kind_fits;
    size_t *first_kind; /* [group]: of its (zone, type) pairs among all kinds */
    size_t n_kinds;
    size_t *kind_next; /* [group]: kind that it buys next, from 1; 0: not looked at yet */
    int32_t gpu_parts; /* a GPU counts so much: thousandths where pods share one */
    struct node_scaler_group *groups;
    const struct instance_type **next; /* [group]: what it buys next */
    struct node_scaler_node *nodes;
    uint32_t *slots;
    struct node_scaler_pod *pods;
    struct node_scaler_pending *pending;
};

static enum node_evict eviction(const struct pod_shape *s)
{
    for (size_t i = 0; i < s->annotations.count; i++) {
        const struct knob_pair *a = &s->annotations.items[i];
        if (strcmp(a->key, "cluster-autoscaler.kubernetes.io/safe-to-evict") != 0)
            continue;
        return strcmp(a->value, "true") == 0    ? NODE_EVICT_SAFE
               : strcmp(a->value, "false") == 0 ? NODE_EVICT_NEVER
                                                : NODE_EVICT_UNSAID;
    }
    return NODE_EVICT_UNSAID;
}

/* The scaler packs whole numbers: shares of one GPU are packed as if all GPUs of a node were one,
 * so it may find room where each GPU by itself has too little left, and buy a scan later. */
static int32_t gpu_parts(const struct scan_view_setup *s)
{
    for (size_t i = 0; i < s->n_owners; i++)
        if (s->shapes[i].share_milli > 0)
            return 1000;
    return 1;
}

static void fill_owners(struct scan_view *v)
{
    for (size_t i = 0; i < v->set.n_owners; i++) {
        const struct pod_shape *s = &v->set.shapes[i];
        v->owners[i] = (struct node_scaler_owner){
            .cpu_milli = s->cpu_milli,
            .memory_bytes = s->memory_bytes,
            .gpus = (int32_t)(pod_shape_gpu_milli(s) * v->gpu_parts / 1000),
            .priority = s->priority,
            .kind = NODE_POD_REPLICATED,
            .evict = eviction(s),
            .disruptions_allowed = -1,
        };
    }
    for (size_t g = 0; g < v->set.n_groups; g++) {
        const struct pool_config *c = v->set.groups[g].config;
        v->owners[v->set.n_owners + g] = (struct node_scaler_owner){
            .cpu_milli = c->daemon_cpu_milli,
            .memory_bytes = c->daemon_memory,
            .kind = NODE_POD_DAEMON,
            .kube_system = true,
            .disruptions_allowed = -1,
        };
    }
}

static bool has_daemons(const struct pool_config *c)
{
    return c->daemon_cpu_milli > 0 || c->daemon_memory > 0;
}

/* A kind is a machine type of a pool in one of its zones. */
static void fill_kinds(struct scan_view *v)
{
    for (size_t g = 0; g < v->set.n_groups; g++) {
        const struct group *group = &v->set.groups[g];
        for (size_t o = 0; o < v->set.n_owners; o++)
            for (size_t k = 0; k < group->n_zones * group->n_types; k++)
                v->kind_fits[o * v->n_kinds + v->first_kind[g] + k] = scheduler_matches(
                    &v->set.shapes[o], group->config, group->types[k % group->n_types].type,
                    group->config->zones.items[k / group->n_types]);
    }
}

static size_t count_kinds(const struct scan_view_setup *s, size_t *first)
{
    size_t n = 0;
    for (size_t g = 0; g < s->n_groups; g++) {
        if (first)
            first[g] = n;
        n += s->groups[g].n_zones * s->groups[g].n_types;
    }
    return n;
}

struct scan_view *scan_view_create(const struct scan_view_setup *s, struct err *e)
{
    struct scan_view *v = calloc(1, sizeof *v);
    size_t max_nodes = nodes_capacity(s->nodes), max_pods = pods_capacity(s->pods);
    if (v) {
        v->set = *s;
        v->n_owners = s->n_owners + s->n_groups;
        v->owners = calloc(v->n_owners + 1, sizeof *v->owners);
        v->fits = calloc(v->n_owners * s->n_groups + 1, sizeof *v->fits);
        v->n_kinds = count_kinds(s, NULL);
        v->kind_fits = calloc(v->n_owners * v->n_kinds + 1, sizeof *v->kind_fits);
        v->first_kind = calloc(s->n_groups + 1, sizeof *v->first_kind);
        v->kind_next = calloc(s->n_groups + 1, sizeof *v->kind_next);
        v->groups = calloc(s->n_groups + 1, sizeof *v->groups);
        v->next = calloc(s->n_groups + 1, sizeof *v->next);
        v->nodes = calloc(max_nodes + 1, sizeof *v->nodes);
        v->slots = calloc(max_nodes + 1, sizeof *v->slots);
        v->pods = calloc(max_pods + max_nodes + 1, sizeof *v->pods);
        v->pending = calloc(max_pods + 1, sizeof *v->pending);
    }
    if (!v || !v->owners || !v->fits || !v->kind_fits || !v->first_kind || !v->kind_next ||
        !v->groups || !v->next || !v->nodes || !v->slots || !v->pods || !v->pending) {
        scan_view_destroy(v);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", max_pods);
        return NULL;
    }
    v->gpu_parts = gpu_parts(s);
    fill_owners(v);
    count_kinds(s, v->first_kind);
    fill_kinds(v);
    return v;
}

void scan_view_destroy(struct scan_view *v)
{
    if (!v)
        return;
    free(v->owners);
    free(v->fits);
    free(v->kind_fits);
    free(v->first_kind);
    free(v->kind_next);
    free(v->groups);
    free(v->next);
    free(v->nodes);
    free(v->slots);
    free(v->pods);
    free(v->pending);
    free(v);
}

size_t scan_view_owners(const struct scan_view *v)
{
    return v->n_owners;
}

uint32_t scan_view_slot(const struct scan_view *v, uint32_t node)
{
    assert(node < v->view.n_nodes);
    return v->slots[node];
}

/* ---- groups ---- */

/* Whether new nodes of two pools carry the same labels, apart from the zone's. */
static bool same_labels(const struct pool_config *a, const struct pool_config *b)
{
    if (a->labels.count != b->labels.count || strcmp(a->region, b->region) != 0)
        return false;
    for (size_t i = 0; i < a->labels.count; i++) {
        size_t k = 0;
        while (k < b->labels.count &&
               (strcmp(a->labels.items[i].key, b->labels.items[k].key) != 0 ||
                strcmp(a->labels.items[i].value, b->labels.items[k].value) != 0))
            k++;
        if (k == b->labels.count)
            return false;
    }
    return true;
}

/* The first group whose new nodes are labelled alike; the instance type is a label too. */
static uint32_t label_class(const struct scan_view *v, size_t g)
{
    for (size_t k = 0; k < g; k++)
        if (v->next[k] == v->next[g] &&
            same_labels(v->set.groups[k].config, v->set.groups[g].config))
            return (uint32_t)k;
    return (uint32_t)g;
}

static void fill_group(struct scan_view *v, size_t g, sim_ns now)
{
    const struct group *group = &v->set.groups[g];
    const struct pool_config *c = group->config;
    struct group_choice next;
    group_choose_template(group, now, &next);
    const struct instance_type *t = group->types[next.type].type;
    v->next[g] = t;
    v->groups[g] = (struct node_scaler_group){
        .shape =
            {
                .cpu_milli = pool_cpu_milli(c, t),
                .memory_bytes = pool_memory(c, t),
                .gpus = t->gpus * v->gpu_parts,
            },
        .capacity_cpu_milli = t->vcpu * INT64_C(1000),
        .capacity_memory_bytes = t->memory,
        .daemon_cpu_milli = c->daemon_cpu_milli,
        .daemon_memory_bytes = c->daemon_memory,
        .daemon_pods = has_daemons(c),
        .price_micro_per_hour = next.micro_per_hour,
        .label_class = label_class(v, g),
        .target = group->there + v->set.failed[g] + (v->set.deferred ? v->set.deferred[g] : 0),
        .min = c->min_size,
        .max = c->max_size,
        .autoscaled = true,
        .failed_creations = v->set.new_failed[g],
        .failed_deletions = v->set.failed_deletions[g],
    };
    size_t kind = v->first_kind[g] + next.zone * group->n_types + next.type;
    if (v->kind_next[g] == kind + 1)
        return; /* it would buy the same as at the last scan */
    v->kind_next[g] = kind + 1;
    for (size_t o = 0; o < v->set.n_owners; o++)
        v->fits[o * v->set.n_groups + g] = v->kind_fits[o * v->n_kinds + kind];
}

/* ---- nodes and pods ---- */

static void add_pod(struct scan_view *v, const struct pod *p)
{
    v->pods[v->view.n_pods++] = (struct node_scaler_pod){
        .owner = p->shape,
        .terminating_since = p->terminating_since,
        .grace = v->set.shapes[p->shape].grace,
    };
}

static void add_node(struct scan_view *v, uint32_t slot)
{
    const struct node *n = nodes_view(v->set.nodes, slot);
    uint32_t first = (uint32_t)v->view.n_pods;
    for (uint32_t i = n->first_pod; i != PODS_NONE; i = pods_view(v->set.pods, i)->node_next)
        add_pod(v, pods_view(v->set.pods, i));
    if (has_daemons(n->config))
        v->pods[v->view.n_pods++] = (struct node_scaler_pod){
            .owner = (uint32_t)v->set.n_owners + n->pool,
            .terminating_since = SIM_NEVER,
        };
    v->slots[v->view.n_nodes] = slot;
    v->nodes[v->view.n_nodes++] = (struct node_scaler_node){
        .id = n->uid,
        .group = n->pool,
        .kind = (uint32_t)(v->first_kind[n->pool] + n->zone * v->set.groups[n->pool].n_types +
                           n->type_index),
        .shape = {.cpu_milli = n->cpu_milli,
                  .memory_bytes = n->memory,
                  .gpus = n->gpus * v->gpu_parts},
        .created = n->registered,
        .deleting = n->deletion,
        .deleting_since = n->deleting_since,
        .ready = true,
        .schedulable = !n->cordoned,
        .first_pod = first,
        .n_pods = (uint32_t)v->view.n_pods - first,
    };
}

/* Pending pods come by priority; the scaler wants them in order of creation. */
static void add_pending(struct scan_view *v, const struct pod *p)
{
    size_t i = v->view.n_pending++;
    for (; i > 0 && v->pending[i - 1].created > p->created; i--)
        v->pending[i] = v->pending[i - 1];
    v->pending[i] = (struct node_scaler_pending){.owner = p->shape, .created = p->created};
}

/* What changes of an owner: its replicas, and the evictions that its budget still allows. */
static void fill_counts(struct scan_view *v)
{
    for (uint32_t o = 0; o < v->set.n_owners; o++) {
        int32_t least = v->set.shapes[o].min_available;
        uint32_t owner = v->set.owner_of ? v->set.owner_of[o] : o;
        v->owners[o].replicas = (int32_t)pods_replicas(v->set.pods, owner);
        if (least == 0)
            continue;
        int32_t spare = (int32_t)pods_ready(v->set.pods, owner) - least;
        v->owners[o].disruptions_allowed = spare > 0 ? spare : 0;
    }
}

const struct node_scaler_view *scan_view_fill(struct scan_view *v, sim_ns now)
{
    v->view = (struct node_scaler_view){
        .now = now,
        .owners = v->owners,
        .n_owners = v->n_owners,
        .fits = v->fits,
        .kind_fits = v->kind_fits,
        .n_kinds = v->n_kinds,
        .groups = v->groups,
        .n_groups = v->set.n_groups,
        .nodes = v->nodes,
        .pods = v->pods,
        .pending = v->pending,
    };
    fill_counts(v);
    for (size_t g = 0; g < v->set.n_groups; g++)
        fill_group(v, g, now);
    /* Machines that boot are only part of their group's target; those that vanished are no
     * longer instances of the group; those of a node list are none of its business. */
    for (uint32_t i = nodes_next(v->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(v->set.nodes, i))
        if (nodes_ready(nodes_view(v->set.nodes, i)) && !nodes_view(v->set.nodes, i)->given)
            add_node(v, i);
    for (uint32_t i = pods_first_pending(v->set.pods); i != PODS_NONE;
         i = pods_view(v->set.pods, i)->pending_next)
        if (!pods_view(v->set.pods, i)->off_nodes)
            add_pending(v, pods_view(v->set.pods, i));
    return &v->view;
}
