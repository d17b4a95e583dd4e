/* room: what is free on a node. */
#include "models/capacity/room.h"

#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"

#include <assert.h>
#include <stddef.h>

#define WHOLE 1000

/* The fullest shared GPU that has this much left; NODES_NONE: none has. */
static uint32_t device_for(const struct node *n, int32_t milli)
{
    uint32_t best = NODES_NONE;
    for (uint32_t i = 0; i < NODES_GPUS_MAX && n->gpus_shared > 0; i++)
        if (n->shared[i] > 0 && n->shared[i] + milli <= WHOLE &&
            (best == NODES_NONE || n->shared[i] > n->shared[best]))
            best = i;
    return best;
}

static uint32_t fresh_device(const struct node *n)
{
    uint32_t i = 0;
    while (i < NODES_GPUS_MAX && n->shared[i] > 0)
        i++;
    assert(i < NODES_GPUS_MAX);
    return i;
}

static bool gpus_lack(const struct node *n, const struct pod_shape *p, int32_t kept)
{
    int32_t left = n->gpus - n->gpus_used - kept;
    if (p->gpus <= left)
        return false;
    return p->share_milli == 0 || device_for(n, p->share_milli) == NODES_NONE;
}

unsigned room_lacks(const struct node *n, const struct pod_shape *p,
                    const struct node_reservation *kept)
{
    int64_t cpu = kept ? kept->cpu_milli : 0, memory = kept ? kept->memory : 0;
    unsigned lacks = 0;
    if (p->cpu_milli > n->cpu_milli - n->cpu_used - cpu)
        lacks |= ROOM_CPU;
    if (p->memory_bytes > n->memory - n->memory_used - memory)
        lacks |= ROOM_MEMORY;
    if (p->gpus > 0 && gpus_lack(n, p, kept ? kept->gpus : 0))
        lacks |= ROOM_GPUS;
    return lacks;
}

static uint32_t take_share(struct node *n, int32_t milli)
{
    uint32_t device = device_for(n, milli);
    if (device == NODES_NONE) {
        device = fresh_device(n);
        n->gpus_used++;
        n->gpus_shared++;
    }
    n->shared[device] = (uint16_t)(n->shared[device] + milli);
    n->shared_milli += milli;
    return device;
}

uint32_t room_take(struct node *n, const struct pod_shape *p)
{
    uint32_t device = NODES_NONE;
    n->n_pods++;
    n->cpu_used += p->cpu_milli;
    n->memory_used += p->memory_bytes;
    if (p->share_milli > 0)
        device = take_share(n, p->share_milli);
    else
        n->gpus_used += p->gpus;
    assert(n->gpus_used <= n->gpus); /* no GPU is held twice */
    return device;
}

void room_leave(struct node *n, const struct pod_shape *p, uint32_t device)
{
    assert(n->n_pods > 0 && (p->share_milli > 0) == (device != NODES_NONE));
    n->n_pods--;
    n->cpu_used -= p->cpu_milli;
    n->memory_used -= p->memory_bytes;
    if (device == NODES_NONE) {
        n->gpus_used -= p->gpus;
    } else {
        assert(n->shared[device] >= p->share_milli);
        n->shared[device] = (uint16_t)(n->shared[device] - p->share_milli);
        n->shared_milli -= p->share_milli;
        n->gpus_used -= n->shared[device] == 0;
        n->gpus_shared -= n->shared[device] == 0;
    }
    assert(n->gpus_used >= 0);
}

int64_t room_gpu_milli(const struct node *n)
{
    return (n->gpus_used - n->gpus_shared) * INT64_C(1000) + n->shared_milli;
}

int64_t room_free_milli(const struct node *n)
{
    return n->gpus * INT64_C(1000) - room_gpu_milli(n);
}
