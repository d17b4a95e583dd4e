/* nodes: the table of machines and node objects; slots with generations. */
#ifndef SLUICE_MODELS_CAPACITY_NODES_H
#define SLUICE_MODELS_CAPACITY_NODES_H

#include "models/capacity/pool.h"
#include "models/control/node_scaler.h"
#include "models/money/price.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance_type;

enum node_state {
    NODE_FREE,
    NODE_BOOTING,  /* bought, not registered */
    NODE_PLAIN,    /* Ready, its GPUs not allocatable yet */
    NODE_COMPLETE, /* Ready with its GPUs */
    NODE_VANISHED, /* the machine is gone, the object still there */
};

#define NODES_NONE UINT32_MAX
#define NODES_GPUS_MAX 64 /* of one machine */

/* Room that is kept for a pod for which others were preempted; nobody of its priority or below may
 * have it. */
struct node_reservation {
    bool held;
    int32_t priority, gpus;
    int64_t cpu_milli, memory;
};

/* Open data; agreed on by fleet (life), cluster (pods) and supplies (purchase). */
struct node {
    uint32_t generation; /* of the machine in this slot; never 0 in use */
    enum node_state state;
    uint64_t uid;                     /* in order of purchase over all pools; never used again */
    void *supply;                     /* who bought it */
    uint32_t pool, number;            /* number within its pool */
    const struct pool_config *config; /* of its pool */
    const struct instance_type *type;
    uint32_t type_index, zone; /* within the pool's lists */
    enum price_billing billing;
    int64_t micro_per_hour; /* what it costs now */
    bool initial, compensating, ever_used, given;
    bool cordoned;      /* takes no new pod */
    bool noticed;       /* its end is announced */
    uint64_t successor; /* key of the spot node that is bought to replace it; 0: none */
    bool reclaimed;     /* the platform has decided to take it back */
    uint32_t batch;     /* with others of its zone: that batch's number from 1, see group_loss */
    sim_ns bought, registered, completed; /* the latter two: SIM_NEVER until then */
    enum node_deletion deletion;          /* by the node autoscaler, from its taint on */
    sim_ns deleting_since;                /* SIM_NEVER: nobody deletes it */
    bool draining;                        /* it is deleted once its pods have left */
    int32_t gpus, gpus_used; /* allocatable now (0 until the device plugin has spoken); a GPU that
                                pods share is used by all of them once */
    int32_t gpus_shared, shared_milli; /* of these, GPUs in shares, and the thousandths taken */
    uint16_t shared[NODES_GPUS_MAX];   /* by GPU; 0: not shared */
    struct node_reservation kept;
    int64_t cpu_milli, cpu_used, memory, memory_used; /* allocatable now */
    uint32_t first_pod, n_pods;                       /* list in struct pods */
    int64_t free_milli, gaps_milli; /* GPUs as the fleet counts them: free; free beside pods */
    char name[48];
};

struct nodes; /* opaque: free list and order must agree */

struct nodes *nodes_create(size_t capacity, struct err *e);
void nodes_destroy(struct nodes *n);
size_t nodes_capacity(const struct nodes *n);
/* A zeroed slot in state BOOTING with a new generation and uid; NODES_NONE when full. */
uint32_t nodes_add(struct nodes *n);
void nodes_drop(struct nodes *n, uint32_t slot);
struct node *nodes_at(struct nodes *n, uint32_t slot);
const struct node *nodes_view(const struct nodes *n, uint32_t slot);
/* For event arguments: slot and generation in one word; NULL when stale. */
uint64_t nodes_key(const struct nodes *n, uint32_t slot);
struct node *nodes_find(struct nodes *n, uint64_t key, uint32_t *slot);
/* Walks live slots in order of purchase: start with NODES_NONE, ends with NODES_NONE. */
uint32_t nodes_next(const struct nodes *n, uint32_t after);
bool nodes_ready(const struct node *n); /* PLAIN or COMPLETE */

#endif
