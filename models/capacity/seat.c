/* seat: waiting pods get places, hold them, and give them back. */
#include "models/capacity/seat.h"

#include "models/capacity/cluster_config.h"
#include "models/capacity/cluster_inside.h"
#include "models/capacity/eviction.h"
#include "models/capacity/fleet.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/room.h"
#include "models/capacity/scheduler.h"
#include "models/capacity/startup.h"
#include "sim/digest.h"
#include "sim/money.h"

#include <assert.h>
#include <string.h>

static void show_held(struct cluster *c)
{
    recorder_set(c->set.recorder, c->held_level, sim_now(c->set.sim), c->held + c->held_own);
}

/* c->held counts beside the node's own figures. */
static void take_room(struct cluster *c, struct pod *p, struct node *n)
{
    int32_t before = n->gpus_used;
    p->device = room_take(n, cluster_shape(c, p));
    n->ever_used = true;
    c->held += n->gpus_used - before;
    show_held(c);
}

static void leave_room(struct cluster *c, struct pod *p, struct node *n)
{
    int32_t before = n->gpus_used;
    room_leave(n, cluster_shape(c, p), p->device);
    p->device = PODS_NONE;
    c->held -= before - n->gpus_used;
    show_held(c);
    assert(c->held >= 0);
}

static void tell_emptied(struct cluster *c, sim_ns now, uint32_t node)
{
    const struct node *n = nodes_view(c->nodes, node);
    if (n->n_pods > 0 || n->state == NODE_VANISHED)
        return;
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].self == n->supply && c->supplies[i].kind->emptied) {
            c->supplies[i].kind->emptied(n->supply, now, node);
            return;
        }
}

void seat_account(struct cluster *c, sim_ns now, const struct pod *p)
{
    const struct supply_kind *own = cluster_supply(c, p->supply);
    if (p->node != PODS_NONE)
        fleet_account(c->fleet, now, p->node);
    else if (own && own->changed)
        own->changed(p->supply, now, pods_slot(c->pods, p));
}

int64_t seat_cost(const struct cluster *c, const struct pod *p, sim_ns until)
{
    const struct node *n = nodes_view(c->nodes, p->node);
    int64_t all = money_for(n->micro_per_hour, until - p->placed_at);
    int64_t milli = pod_shape_gpu_milli(cluster_shape(c, p));
    return n->type->gpus > 0 && milli > 0 ? money_part(all, milli, n->type->gpus * INT64_C(1000))
                                          : 0;
}

static void leave_place(struct cluster *c, sim_ns now, struct pod *p, uint32_t slot)
{
    const struct supply_kind *own = cluster_supply(c, p->supply);
    if (!own)
        return;
    if (own->left)
        own->left(p->supply, now, slot);
    c->held_own -= cluster_shape(c, p)->gpus;
    show_held(c);
}

static void on_pass(void *self, sim_ns now, uint64_t arg);

void seat_want(struct cluster *c, sim_ns now)
{
    if (pods_pending(c->pods) == 0 || sim_pending(c->set.sim, c->schedule))
        return;
    c->schedule = sim_at(c->set.sim, now, SIM_SCAN, on_pass, c, 0);
}

/* The room that others left for it is anybody's again. */
static void forget_nomination(struct cluster *c, struct pod *p)
{
    uint32_t slot;
    struct node *n = p->nominated ? nodes_find(c->nodes, p->nominated, &slot) : NULL;
    if (n)
        n->kept.held = false;
    p->nominated = 0;
}

/* NULL: none. */
static const char *gpu_of(const struct cluster *c, const struct pod *p)
{
    return p->node == PODS_NONE ? p->gpu : nodes_view(c->nodes, p->node)->type->gpu;
}

void seat_held(struct cluster *c, sim_ns now, const struct pod *p)
{
    c->pod_ns[p->owner] += now - p->placed_at;
    demand_held(c->demand, p->owner, gpu_of(c, p), now - p->placed_at);
}

void seat_remove(struct cluster *c, sim_ns now, uint32_t slot)
{
    struct pod *p = pods_at(c->pods, slot);
    uint32_t node = p->node;
    startup_end(c->startup, now, slot);
    if (p->placed)
        seat_held(c, now, p);
    else
        cluster_waits(c, p, -1);
    recorder_log(c->set.recorder, now, false, p->name, "gone", "%s",
                 p->placed ? "its place is free" : "it never had a node");
    leave_place(c, now, p, slot);
    forget_nomination(c, p);
    if (node != PODS_NONE) {
        struct node *n = nodes_at(c->nodes, node);
        c->own_micro[p->owner] += seat_cost(c, p, now);
        pods_unplace(c->pods, slot, &n->first_pod);
        leave_room(c, p, n);
    }
    pods_drop(c->pods, slot);
    if (node == PODS_NONE) {
        if (c->set.n_shapes > c->set.n_owners) /* its unit may have room now */
            seat_want(c, now);
        return;
    }
    fleet_account(c->fleet, now, node);
    tell_emptied(c, now, node);
    seat_want(c, now);
}

static uint32_t gpu_index(const struct cluster *c, const struct pod *p)
{
    const struct knob_texts *kinds = &cluster_shape(c, p)->gpu_types;
    const char *item =
        p->node == PODS_NONE
            ? p->gpu
            : pod_shape_gpu_item(cluster_shape(c, p), nodes_view(c->nodes, p->node)->type);
    for (size_t i = 0; i < kinds->count && item; i++)
        if (strcmp(kinds->items[i], item) == 0)
            return (uint32_t)i;
    return 0;
}

void seat_ready(void *self, sim_ns now, uint32_t slot)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    p->phase = POD_READY;
    p->ready_since = now;
    p->listed = true;
    seat_account(c, now, p);
    recorder_log(c->set.recorder, now, false, p->name, "ready", "after %lld ns",
                 (long long)(now - p->created));
    c->set.up.pod_ready(c->set.up.self, now, pods_ref(c->pods, slot), p->owner, gpu_index(c, p));
}

static void tell_placed(struct cluster *c, sim_ns now, const struct pod *p)
{
    if (c->set.up.pod_placed)
        c->set.up.pod_placed(c->set.up.self, now, pods_ref(c->pods, pods_slot(c->pods, p)),
                             p->owner);
}

/* It no longer waits, and starts. */
static void sit(struct cluster *c, sim_ns now, struct pod *p)
{
    cluster_waits(c, p, -1);
    forget_nomination(c, p);
    p->placed_at = now;
    p->phase = POD_STARTING;
}

void seat_on_node(void *self, sim_ns now, uint32_t slot, uint32_t node)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    struct node *n = node == NODES_NONE ? NULL : nodes_at(c->nodes, node);
    pods_place(c->pods, slot, node, n ? &n->first_pod : NULL);
    sit(c, now, p);
    recorder_log(c->set.recorder, now, false, p->name, "placed", "%s", n ? n->name : "anywhere");
    if (n) {
        take_room(c, p, n);
        fleet_account(c->fleet, now, node);
    }
    tell_placed(c, now, p);
    p->warm = c->warm;
    if (c->warm || cluster_shape(c, p)->placeholder) {
        if (n)
            startup_node_cache(c->startup, node, p->owner);
        seat_ready(c, now, slot);
        return;
    }
    struct startup_pod start = {
        .slot = slot,
        .owner = p->owner,
        .number = p->number,
        .node = node,
        .created = p->created,
        .name = p->name,
        .node_bought = n ? n->bought : 0,
        .node_ready = n ? n->registered : 0,
        .node_complete = n && n->completed != SIM_NEVER ? n->completed : 0,
    };
    startup_begin(c->startup, now, &start);
}

void seat_pulling(void *self, sim_ns now, uint32_t slot)
{
    struct cluster *c = self;
    const struct pod *p = pods_view(c->pods, slot);
    const struct supply_kind *own = cluster_supply(c, p->supply);
    if (own && own->pulling)
        own->pulling(p->supply, now, slot);
}

void seat_own(void *self, sim_ns now, uint32_t slot, const struct supply_place *place)
{
    struct cluster *c = self;
    struct pod *p = pods_at(c->pods, slot);
    pods_place(c->pods, slot, PODS_NONE, NULL);
    sit(c, now, p);
    p->supply = place->supply;
    p->gpu = place->gpu;
    c->held_own += cluster_shape(c, p)->gpus;
    show_held(c);
    recorder_log(c->set.recorder, now, false, p->name, "placed", "%s", place->words);
    tell_placed(c, now, p);
    p->warm = c->warm;
    if (c->warm) {
        seat_pulling(c, now, slot);
        seat_ready(c, now, slot);
        return;
    }
    struct startup_pod start = {
        .slot = slot,
        .owner = p->owner,
        .number = p->number,
        .node = UINT32_MAX,
        .created = p->created,
        .name = p->name,
        .create = place->create,
        .image = place->image,
    };
    startup_begin(c->startup, now, &start);
}

/* ---- scheduling ---- */

static bool taken_by_supply(struct cluster *c, sim_ns now, uint32_t pod)
{
    for (size_t i = 0; i < c->n_supplies; i++)
        if (c->supplies[i].kind->takes && c->supplies[i].kind->takes(c->supplies[i].self, now, pod))
            return true;
    return false;
}

/* The words of a refusal that an owner has not had yet are kept for people. */
static void log_refusal(struct cluster *c, sim_ns now, const struct pod *p)
{
    struct scheduler_refusal r;
    struct digest d = {0};
    char words[256];
    scheduler_refuse(cluster_shape(c, p), c->nodes, &r);
    digest_text(&d, scheduler_words(&r, words, sizeof words));
    if (c->told[p->shape] == digest_value(&d))
        return;
    c->told[p->shape] = digest_value(&d);
    recorder_log(c->set.recorder, now, true, p->name, "unschedulable", "%s", words);
}

/* The node where room was made for it; NODES_NONE: none. */
static uint32_t nominated(struct cluster *c, const struct pod *p)
{
    uint32_t node;
    return p->nominated && nodes_find(c->nodes, p->nominated, &node) ? node : NODES_NONE;
}

/* It waits while those that hold its room end. */
static bool waits_for_victims(struct cluster *c, const struct pod *p)
{
    uint32_t node = nominated(c, p);
    if (node == NODES_NONE)
        return false;
    for (uint32_t i = nodes_view(c->nodes, node)->first_pod; i != PODS_NONE;) {
        const struct pod *other = pods_view(c->pods, i);
        if (other->phase == POD_TERMINATING && other->priority < p->priority)
            return true;
        i = other->node_next;
    }
    return false;
}

static void nominate(struct cluster *c, struct pod *p, uint32_t node)
{
    const struct pod_shape *s = cluster_shape(c, p);
    p->nominated = nodes_key(c->nodes, node);
    nodes_at(c->nodes, node)->kept = (struct node_reservation){
        .held = true,
        .priority = p->priority,
        .gpus = s->gpus,
        .cpu_milli = s->cpu_milli,
        .memory = s->memory_bytes,
    };
}

/* Victims that run end in their own time; the others' room is there at once. Returns the node when
 * the pod fits there now. */
static uint32_t preempt_for(struct cluster *c, sim_ns now, uint32_t slot)
{
    const struct pod_ref *victims;
    size_t n;
    struct pod *p = pods_at(c->pods, slot);
    if (c->warm || waits_for_victims(c, p))
        return NODES_NONE;
    forget_nomination(c, p);
    uint32_t node = preempt_find(c->preempt, slot, &victims, &n);
    if (node == NODES_NONE)
        return NODES_NONE;
    nominate(c, p, node);
    c->preempted += n;
    c->pass++; /* there is room again for what was stuck in this one */
    for (size_t i = 0; i < n; i++)
        if (pods_find(c->pods, victims[i]))
            eviction_preempt(c, now, victims[i].slot, p->name);
    node = nominated(c, p);
    bool fits = node != NODES_NONE &&
                scheduler_fits_nominated(cluster_shape(c, p), nodes_view(c->nodes, node));
    return fits ? node : NODES_NONE;
}

/* The node for a pod that may look for one; found: what its unit has found already. */
static uint32_t pick(struct cluster *c, const struct pod *p, uint32_t found)
{
    const struct pod_shape *s = cluster_shape(c, p);
    uint32_t node = nominated(c, p);
    if (p->off_nodes)
        return NODES_NONE;
    if (node != NODES_NONE && scheduler_fits_nominated(s, nodes_view(c->nodes, node)))
        return node;
    if (found != NODES_NONE || c->stuck[p->shape] == c->pass)
        return found;
    return scheduler_pick(&c->set.config->scheduler, s, c->nodes);
}

static void try_pod(struct cluster *c, sim_ns now, uint32_t slot)
{
    struct pod_ref ref = pods_ref(c->pods, slot);
    struct pod *p = pods_at(c->pods, slot);
    uint32_t found = NODES_NONE;
    if (!units_find(&c->units, now, p, &found))
        return;
    uint32_t shape = p->shape, node = pick(c, p, found);
    bool stuck = c->stuck[shape] == c->pass;
    if (node == NODES_NONE) {
        if (taken_by_supply(c, now, slot) || !pods_find(c->pods, ref) || p->off_nodes || stuck)
            return;
        if (!c->off_nodes[shape]) /* it waits for no node */
            log_refusal(c, now, p);
        c->stuck[shape] = c->pass;
        node = preempt_for(c, now, slot);
    }
    if (node != NODES_NONE && pods_find(c->pods, ref))
        seat_on_node(c, now, slot, node);
}

/* Free GPUs are of no use to the pods that still wait for one. */
static void note_waiting(struct cluster *c, sim_ns now)
{
    bool waits = false;
    for (uint32_t i = pods_first_pending(c->pods); i != PODS_NONE && !waits;) {
        const struct pod *p = pods_view(c->pods, i);
        waits = !p->off_nodes && cluster_shape(c, p)->gpus > 0 && !cluster_shape(c, p)->placeholder;
        i = p->pending_next;
    }
    fleet_waiting(c->fleet, now, waits);
}

/* Tries every pending pod once; one that fits nowhere does not hold up the next. */
static void run_pass(struct cluster *c, sim_ns now)
{
    uint32_t next;
    c->pass++;
    for (uint32_t i = pods_first_pending(c->pods); i != PODS_NONE; i = next) {
        next = pods_view(c->pods, i)->pending_next;
        uint32_t generation = next == PODS_NONE ? 0 : pods_view(c->pods, next)->generation;
        try_pod(c, now, i);
        /* An owner that was told may have deleted the next one. */
        if (next != PODS_NONE && !pods_find(c->pods, (struct pod_ref){next, generation})) {
            seat_want(c, now);
            return;
        }
    }
}

static void on_pass(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    (void)arg;
    run_pass(c, now);
    note_waiting(c, now);
}

void seat_due(void *self, sim_ns now, uint64_t arg)
{
    (void)arg;
    seat_want(self, now);
}

void seat_settle(void *self, sim_ns now, uint64_t arg)
{
    struct cluster *c = self;
    c->warm = true;
    on_pass(c, now, arg);
    c->warm = false;
}
