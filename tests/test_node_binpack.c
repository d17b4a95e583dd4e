/* test_node_binpack: agreement with packing pod by pod, and laws. */
#include "models/control/node_binpack.h"
#include "tests/dice.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CASES = 150000, MOST_GROUPS = 4, MOST_NODES = 64, MOST_PORTS = 3 };

struct problem {
    struct node_binpack b;
    struct node_binpack_pods groups[MOST_GROUPS];
    struct node_room rooms[MOST_NODES];
    uint32_t order[MOST_GROUPS];
    bool ports[MOST_NODES * MOST_PORTS];
};

static void roll(struct problem *p, struct dice *d)
{
    *p = (struct problem){0};
    p->b = (struct node_binpack){.shape = {1000 * dice_int(d, 1, 16), 1000 * dice_int(d, 1, 16),
                                           (int32_t)dice_int(d, 0, 4), (int32_t)dice_int(d, 1, 12)},
                                 .groups = p->groups,
                                 .n_groups = (size_t)dice_int(d, 1, MOST_GROUPS),
                                 .max_nodes = (size_t)dice_int(d, 0, MOST_NODES),
                                 .rooms = p->rooms,
                                 .order = p->order,
                                 .ports = p->ports,
                                 .n_ports = MOST_PORTS};
    p->b.score_cpu_milli = (double)p->b.shape.cpu_milli;
    p->b.score_memory_bytes = (double)p->b.shape.memory_bytes;
    for (size_t i = 0; i < p->b.n_groups; i++)
        p->groups[i] = (struct node_binpack_pods){250 * dice_int(d, 0, 20),
                                                  250 * dice_int(d, 0, 20),
                                                  (int32_t)dice_int(d, 0, 2),
                                                  (int32_t)dice_int(d, 0, 12),
                                                  (int32_t)dice_int(d, -3, MOST_PORTS - 1),
                                                  0};
    for (size_t i = 0; i < p->b.n_groups; i++)
        if (p->groups[i].host_port < -1)
            p->groups[i].host_port = -1;
}

/* ---- the second implementation: one pod at a time, asking each node in turn ---- */

struct plain_node {
    int64_t cpu, memory, gpus, pods;
    bool port[MOST_PORTS];
};

static bool goes_on(struct plain_node *n, const struct node_binpack_pods *g)
{
    if (n->cpu < g->cpu_milli || n->memory < g->memory_bytes || n->gpus < g->gpus || n->pods < 1 ||
        (g->host_port >= 0 && n->port[g->host_port]))
        return false;
    n->cpu -= g->cpu_milli;
    n->memory -= g->memory_bytes;
    n->gpus -= g->gpus;
    n->pods--;
    if (g->host_port >= 0)
        n->port[g->host_port] = true;
    return true;
}

static bool larger(const struct problem *p, size_t a, size_t b)
{
    double sa = (double)p->groups[a].cpu_milli / p->b.score_cpu_milli +
                (double)p->groups[a].memory_bytes / p->b.score_memory_bytes;
    double sb = (double)p->groups[b].cpu_milli / p->b.score_cpu_milli +
                (double)p->groups[b].memory_bytes / p->b.score_memory_bytes;
    return sa > sb || (sa == sb && a < b);
}

/* Whether a pod found a place; a new node is only added when the pod fits it. */
static bool place_plain(const struct problem *p, struct plain_node *nodes, size_t *n,
                        const struct node_binpack_pods *g)
{
    for (size_t i = 0; i < *n; i++)
        if (goes_on(&nodes[i], g))
            return true;
    if (*n == p->b.max_nodes)
        return false;
    nodes[*n] = (struct plain_node){
        p->b.shape.cpu_milli, p->b.shape.memory_bytes, p->b.shape.gpus, p->b.shape.pods, {0}};
    if (!goes_on(&nodes[*n], g))
        return false;
    ++*n;
    return true;
}

static struct node_binpack_result pack_plain(const struct problem *p)
{
    struct plain_node nodes[MOST_NODES + 1];
    bool done[MOST_GROUPS] = {false};
    size_t n = 0;
    struct node_binpack_result r = {0};
    for (size_t k = 0; k < p->b.n_groups; k++) {
        size_t next = MOST_GROUPS;
        for (size_t i = 0; i < p->b.n_groups; i++)
            if (!done[i] && (next == MOST_GROUPS || larger(p, i, next)))
                next = i;
        done[next] = true;
        for (int32_t i = 0; i < p->groups[next].count; i++)
            r.pods_placed += place_plain(p, nodes, &n, &p->groups[next]);
    }
    r.nodes = (int32_t)n;
    return r;
}

Test(node_binpack, agrees_with_packing_pod_by_pod)
{
    struct dice d = dice_of(2);
    for (int k = 0; k < CASES; k++) {
        struct problem p;
        roll(&p, &d);
        struct node_binpack_result want = pack_plain(&p), got = node_binpack_estimate(&p.b);
        cr_assert_eq(got.nodes, want.nodes, "case %d: %d nodes, not %d", k, got.nodes, want.nodes);
        cr_assert_eq(got.pods_placed, want.pods_placed, "case %d: %d pods, not %d", k,
                     got.pods_placed, want.pods_placed);
    }
}

Test(node_binpack, more_nodes_allowed_never_place_fewer_pods)
{
    struct dice d = dice_of(3);
    for (int k = 0; k < 20000; k++) {
        struct problem p;
        roll(&p, &d);
        int32_t before = 0;
        for (size_t most = 0; most <= 8; most++) {
            p.b.max_nodes = most;
            struct node_binpack_result r = node_binpack_estimate(&p.b);
            int32_t placed = 0;
            for (size_t i = 0; i < p.b.n_groups; i++) {
                cr_assert_leq(p.groups[i].placed, p.groups[i].count);
                placed += p.groups[i].placed;
            }
            cr_assert_eq(placed, r.pods_placed);
            cr_assert_leq((size_t)r.nodes, most);
            cr_assert_geq(r.pods_placed, before, "case %d with %zu nodes", k, most);
            before = r.pods_placed;
        }
    }
}

Test(node_binpack, takes_the_largest_pods_first_though_they_come_last)
{
    struct problem p = {0};
    p.b = (struct node_binpack){.shape = {1000, 5000, 0, 10},
                                .score_cpu_milli = 1000,
                                .score_memory_bytes = 5000,
                                .groups = p.groups,
                                .n_groups = 2,
                                .max_nodes = 5,
                                .rooms = p.rooms,
                                .order = p.order};
    p.groups[0] = (struct node_binpack_pods){50, 1000, 0, 10, -1, 0};
    p.groups[1] = (struct node_binpack_pods){500, 1000, 0, 10, -1, 0};
    struct node_binpack_result r = node_binpack_estimate(&p.b);
    cr_expect_eq(r.nodes, 5);
    cr_expect_eq(p.groups[0].placed, 0);
    cr_expect_eq(p.groups[1].placed, 10);
    cr_expect(r.limited);
}
