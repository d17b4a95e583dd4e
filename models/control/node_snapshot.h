/* node_snapshot: the room on every node, and pods laid on it in thought.
 *
 * Slot i below n_nodes is the view's node i; the slots after those are upcoming nodes, looking like
 * their group's new nodes. */
#ifndef SLUICE_MODELS_CONTROL_NODE_SNAPSHOT_H
#define SLUICE_MODELS_CONTROL_NODE_SNAPSHOT_H

#include "models/control/node_binpack.h"
#include "models/control/node_state.h"

#define NODE_SLOT_NONE UINT32_MAX

struct node_slot {
    struct node_room room;
    uint32_t group;
    uint32_t node;   /* in the view, with its own kind; NODE_SLOT_NONE: upcoming */
    bool open;       /* takes pods */
    int32_t carried; /* pods laid on it in thought */
};

/* A pod laid on a slot in thought. */
struct node_carried {
    uint32_t owner, slot;
};

struct node_snapshot {
    const struct node_scaler_config *config;
    const struct node_scaler_view *view;
    struct node_slot *slots;
    size_t n_slots, slots_cap;
    struct node_carried *carried;
    size_t n_carried, carried_cap;
    uint32_t *first_slot; /* one an owner: no slot before it has room for one more such pod */
};

/* Pods of lower priority than the cutoff neither use nor need room. */
bool node_snapshot_counts(const struct node_scaler_config *c, const struct node_scaler_owner *o);
struct node_room node_snapshot_new_node(const struct node_scaler_group *g);
struct node_binpack_pods node_snapshot_pods(const struct node_scaler_owner *o, int32_t count);

/* Fills the slots. The arrays and capacities are the caller's. */
void node_snapshot_make(struct node_snapshot *s, const struct node_scaler_config *config,
                        const struct node_scaler_view *view, const struct node_state *states);
/* The first open slot in [from, to) with room for a pod of this owner, or NODE_SLOT_NONE. */
uint32_t node_snapshot_find(const struct node_snapshot *s, uint32_t owner, uint32_t from,
                            uint32_t to);
/* Takes or gives back the room of one pod. */
void node_snapshot_take(struct node_snapshot *s, uint32_t owner, uint32_t slot);
void node_snapshot_give(struct node_snapshot *s, uint32_t owner, uint32_t slot);
/* Lays one pod on the first slot with room and remembers it. false: no room anywhere. */
bool node_snapshot_lay(struct node_snapshot *s, uint32_t owner);
/* Room may have come back: looks at all slots again. */
void node_snapshot_rewind(struct node_snapshot *s);

#endif
