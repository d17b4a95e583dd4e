/* test_preempt: pods of lower priority make room. */
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/preempt.h"
#include "models/capacity/room.h"
#include "models/capacity/scheduler.h"
#include "tests/dice.h"

#include <criterion/criterion.h>
#include <string.h>

enum { OWNERS = 6 };

static const char *zones[] = {"z"};
static const struct pool_config pool = {.name = "p", .region = "r", .zones = {zones, 1}};
static const struct instance_type machine = {.name = "m", .gpu = "V100", .gpus = 8, .vcpu = 64};

/* Owners 0..3 with one GPU and priorities -1, 0, 0 and 5, owner 4 with two GPUs and priority 0,
 * owner 5: who asks. */
struct place {
    struct pod_shape shapes[OWNERS];
    struct pods *pods;
    struct nodes *nodes;
    struct preempt *preempt;
    sim_ns now;
};

static struct place open_place(void)
{
    struct place p = {.shapes = {{.gpus = 1, .priority = -1},
                                 {.gpus = 1},
                                 {.gpus = 1},
                                 {.gpus = 1, .priority = 5},
                                 {.gpus = 2},
                                 {.gpus = 1, .priority = 5}}};
    p.pods = pods_create(64, OWNERS, NULL);
    p.nodes = nodes_create(8, NULL);
    return p;
}

static void ready(struct place *p)
{
    struct preempt_setup s = {p->nodes, p->pods, p->shapes, OWNERS};
    p->preempt = preempt_create(&s, NULL);
}

static void close_place(struct place *p)
{
    preempt_destroy(p->preempt);
    nodes_destroy(p->nodes);
    pods_destroy(p->pods);
}

static uint32_t add_node(struct place *p, int32_t gpus)
{
    uint32_t slot = nodes_add(p->nodes);
    struct node *n = nodes_at(p->nodes, slot);
    n->state = NODE_COMPLETE;
    n->config = &pool;
    n->type = &machine;
    n->gpus = gpus;
    n->cpu_milli = 64000;
    n->memory = INT64_C(256) << 30;
    return slot;
}

static uint32_t put(struct place *p, uint32_t owner, uint32_t node)
{
    uint32_t slot = pods_add(p->pods, owner, p->shapes[owner].priority, p->now);
    struct node *n = nodes_at(p->nodes, node);
    struct pod *pod = pods_at(p->pods, slot);
    pods_place(p->pods, slot, node, &n->first_pod);
    pod->placed_at = p->now++;
    pod->phase = POD_READY;
    pod->device = room_take(n, &p->shapes[owner]);
    return slot;
}

static uint32_t ask(struct place *p)
{
    return pods_add(p->pods, 5, p->shapes[5].priority, p->now);
}

/* Node and victims; slots in any order. */
static void expect(struct place *p, uint32_t node, size_t n, uint32_t a, uint32_t b)
{
    const struct pod_ref *victims;
    size_t count;
    uint32_t who = ask(p);
    cr_assert_eq(preempt_find(p->preempt, who, &victims, &count), node);
    cr_assert_eq(count, n, "%zu victims", count);
    for (size_t i = 0; i < count; i++)
        cr_assert(victims[i].slot == a || victims[i].slot == b, "victim %u",
                  (unsigned)victims[i].slot);
}

Test(preempt, takes_the_lowest_pod_and_no_equal_one)
{
    struct place p = open_place();
    uint32_t a = add_node(&p, 1), b = add_node(&p, 1), c = add_node(&p, 1);
    put(&p, 3, a); /* of the same priority */
    put(&p, 1, b);
    uint32_t placeholder = put(&p, 0, c);
    ready(&p);
    expect(&p, c, 1, placeholder, placeholder);
    close_place(&p);
}

Test(preempt, helps_nobody_who_may_not_or_has_no_lower_pods)
{
    struct place p = open_place();
    const struct pod_ref *victims;
    size_t n;
    uint32_t a = add_node(&p, 1);
    put(&p, 3, a);
    ready(&p);
    cr_assert_eq(preempt_find(p.preempt, ask(&p), &victims, &n), NODES_NONE);
    put(&p, 0, add_node(&p, 1));
    p.shapes[5].never_preempts = true;
    cr_assert_eq(preempt_find(p.preempt, ask(&p), &victims, &n), NODES_NONE);
    p.shapes[5].never_preempts = false;
    cr_assert_neq(preempt_find(p.preempt, ask(&p), &victims, &n), NODES_NONE);
    p.shapes[5].cpu_milli = 64001;
    cr_assert_eq(preempt_find(p.preempt, ask(&p), &victims, &n), NODES_NONE, "never fits");
    close_place(&p);
}

/* Each row of kube-scheduler's pickOneNodeForPreemption by itself. */
Test(preempt, prefers_unbroken_budgets)
{
    struct place p = open_place();
    p.shapes[0].min_available = 1;
    uint32_t a = add_node(&p, 1), b = add_node(&p, 1);
    put(&p, 0, a); /* lower, but its budget is used up */
    uint32_t v = put(&p, 1, b);
    ready(&p);
    expect(&p, b, 1, v, v);
    close_place(&p);
}

Test(preempt, prefers_fewer_victims_then_the_latest_start)
{
    struct place p = open_place();
    p.shapes[5].gpus = 2;
    uint32_t a = add_node(&p, 2), b = add_node(&p, 2), c = add_node(&p, 2);
    put(&p, 1, a);
    put(&p, 1, a);
    put(&p, 4, b);
    uint32_t later = put(&p, 4, c);
    ready(&p);
    expect(&p, c, 1, later, later);
    close_place(&p);
}

Test(preempt, spares_the_highest_and_the_longest_running)
{
    struct place p = open_place();
    p.shapes[5].gpus = 2;
    uint32_t a = add_node(&p, 4);
    put(&p, 1, a);
    put(&p, 2, a);
    uint32_t young = put(&p, 1, a), low = put(&p, 0, a);
    ready(&p);
    expect(&p, a, 2, young, low);
    close_place(&p);
}

Test(preempt, does_not_ask_those_that_end_already_and_leaves_kept_room_alone)
{
    struct place p = open_place();
    uint32_t a = add_node(&p, 1);
    uint32_t ending = put(&p, 0, a);
    pods_at(p.pods, ending)->phase = POD_TERMINATING;
    ready(&p);
    expect(&p, a, 0, ending, ending);
    nodes_at(p.nodes, a)->kept = (struct node_reservation){.held = true, .gpus = 1, .priority = 0};
    expect(&p, NODES_NONE, 0, ending, ending);
    close_place(&p);
}

/* ---- random worlds ---- */

static void drop_victims(const struct place *p, struct node *copy, const struct pod_ref *victims,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct pod *v = pods_view(p->pods, victims[i].slot);
        room_leave(copy, &p->shapes[v->owner], v->device);
    }
}

/* The victims are lower, without them the pod fits, and none of them could have stayed. */
Test(preempt, takes_only_what_it_needs_in_random_worlds)
{
    struct dice dice = dice_of(11);
    size_t found = 0;
    for (int world = 0; world < 500; world++) {
        struct place p = open_place();
        const struct pod_ref *victims;
        size_t n;
        for (int i = 0; i < OWNERS; i++) {
            p.shapes[i].gpus = (int32_t)dice_int(&dice, 0, 3);
            p.shapes[i].priority = (int32_t)dice_int(&dice, 0, 3);
            p.shapes[i].cpu_milli = dice_int(&dice, 0, 20000);
            p.shapes[i].share_milli = p.shapes[i].gpus == 1 ? (int32_t)dice_int(&dice, 0, 999) : 0;
        }
        for (int i = 0; i < 3; i++)
            add_node(&p, (int32_t)dice_int(&dice, 1, 4));
        for (int i = 0; i < 20; i++) {
            uint32_t owner = (uint32_t)dice_int(&dice, 0, OWNERS - 1);
            uint32_t node = (uint32_t)dice_int(&dice, 0, 2);
            if (room_lacks(nodes_view(p.nodes, node), &p.shapes[owner], NULL) == 0)
                put(&p, owner, node);
        }
        ready(&p);
        uint32_t node = preempt_find(p.preempt, ask(&p), &victims, &n);
        if (node != NODES_NONE) {
            struct node copy = *nodes_view(p.nodes, node);
            found++;
            for (size_t i = 0; i < n; i++)
                cr_assert_lt(pods_view(p.pods, victims[i].slot)->priority, p.shapes[5].priority);
            drop_victims(&p, &copy, victims, n);
            cr_assert(scheduler_fits(&p.shapes[5], &copy));
            for (size_t i = 0; i < n; i++) {
                struct node with = copy;
                const struct pod_shape *s = &p.shapes[pods_view(p.pods, victims[i].slot)->owner];
                if (room_lacks(&with, s, NULL))
                    continue;
                room_take(&with, s);
                cr_assert_not(scheduler_fits(&p.shapes[5], &with), "victim %zu need not go", i);
            }
        }
        close_place(&p);
    }
    cr_assert_gt(found, 100);
}
