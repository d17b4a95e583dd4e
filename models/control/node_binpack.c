/* node_binpack: first fit, largest pods first. */
#include "models/control/node_binpack.h"

#include <assert.h>
#include <string.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int32_t node_binpack_fit(const struct node_room *room, const struct node_binpack_pods *pod,
                         int32_t count)
{
    int64_t n = smaller(count, room->pods);
    if (pod->cpu_milli > 0)
        n = smaller(n, room->cpu_milli / pod->cpu_milli);
    if (pod->memory_bytes > 0)
        n = smaller(n, room->memory_bytes / pod->memory_bytes);
    if (pod->gpus > 0)
        n = smaller(n, room->gpus / pod->gpus);
    return n > 0 ? (int32_t)n : 0;
}

void node_binpack_take(struct node_room *room, const struct node_binpack_pods *pod, int32_t n)
{
    room->cpu_milli -= n * pod->cpu_milli;
    room->memory_bytes -= n * pod->memory_bytes;
    room->gpus -= n * pod->gpus;
    if (room->pods != INT32_MAX)
        room->pods -= n;
}

static double score(const struct node_binpack *b, const struct node_binpack_pods *p)
{
    double s = 0;
    if (b->score_cpu_milli > 0)
        s += (double)p->cpu_milli / b->score_cpu_milli;
    if (b->score_memory_bytes > 0)
        s += (double)p->memory_bytes / b->score_memory_bytes;
    return s;
}

/* Insertion sort: stable, and a scan sees a handful of owners. */
static void sort_by_score(const struct node_binpack *b)
{
    for (size_t i = 0; i < b->n_groups; i++) {
        double s = score(b, &b->groups[i]);
        size_t k = i;
        for (; k > 0 && score(b, &b->groups[b->order[k - 1]]) < s; k--)
            b->order[k] = b->order[k - 1];
        b->order[k] = (uint32_t)i;
    }
}

/* Puts what fits of `left` pods on node i; returns how many. */
static int32_t fill(const struct node_binpack *b, size_t i, const struct node_binpack_pods *p,
                    int32_t left)
{
    bool *port = NULL;
    if (p->host_port >= 0 && left > 0) {
        port = &b->ports[i * b->n_ports + (size_t)p->host_port];
        left = *port ? 0 : 1;
    }
    int32_t n = node_binpack_fit(&b->rooms[i], p, left);
    node_binpack_take(&b->rooms[i], p, n);
    if (port && n > 0)
        *port = true;
    return n;
}

struct node_binpack_result node_binpack_estimate(const struct node_binpack *b)
{
    assert(b->n_ports == 0 || b->ports);
    struct node_binpack_result r = {0};
    size_t nodes = 0;
    sort_by_score(b);
    if (b->n_ports > 0)
        memset(b->ports, 0, b->max_nodes * b->n_ports * sizeof *b->ports);
    for (size_t g = 0; g < b->n_groups; g++) {
        struct node_binpack_pods *p = &b->groups[b->order[g]];
        assert(p->cpu_milli >= 0 && p->memory_bytes >= 0 && p->gpus >= 0 && p->count >= 0);
        assert(p->host_port < (int32_t)b->n_ports);
        int32_t left = p->count;
        for (size_t i = 0; i < nodes && left > 0; i++)
            left -= fill(b, i, p, left);
        bool fits_new = node_binpack_fit(&b->shape, p, 1) == 1;
        while (left > 0 && fits_new && nodes < b->max_nodes) {
            b->rooms[nodes] = b->shape;
            left -= fill(b, nodes++, p, left);
        }
        r.limited = r.limited || (left > 0 && fits_new);
        p->placed = p->count - left;
        r.pods_placed += p->placed;
    }
    r.nodes = (int32_t)nodes;
    return r;
}
