/* node_shrink: which nodes are not needed and which of them go now (N20-N27). */
#ifndef SLUICE_MODELS_CONTROL_NODE_SHRINK_H
#define SLUICE_MODELS_CONTROL_NODE_SHRINK_H

#include "models/control/node_delay.h"
#include "models/control/node_drain.h"
#include "models/control/node_snapshot.h"
#include "models/control/node_unneeded.h"

/* A node that was found unremovable, and until when it is not looked at again. */
struct node_unremovable {
    uint64_t id;
    sim_ns until;
};

/* A pod that a removal would move, and where to. carried: its place in the snapshot's list, or
 * NODE_SLOT_NONE for a pod of the view. */
struct node_move {
    uint32_t owner, slot, carried;
};

struct node_shrink {
    const struct node_scaler_config *config;
    const struct node_scaler_view *view;
    struct node_state *states;
    struct node_snapshot *snapshot;
    struct node_delay *delay;
    bool forbidden; /* N2: this scan deletes nothing */
    /* Kept between scans. */
    struct node_unneeded *list, *next_list; /* one a node */
    size_t n_list;
    struct node_unremovable *unremovable; /* one a node */
    size_t n_unremovable;
    /* Scratch. */
    uint32_t *candidates; /* one a node */
    struct node_move *moves;
    size_t moves_cap;
    int32_t *budget;  /* one an owner: evictions its disruption budget still allows */
    int32_t *evicted; /* one an owner */
    int32_t *picked;  /* one a group: nodes this scan deletes */
    bool *must_drain; /* one a node */
    /* Out. */
    enum node_down_reason *reasons;      /* one a node */
    enum node_pod_block *blocks;         /* one a node */
    struct node_scaler_tracked *tracked; /* one a node; as long as the list */
    struct node_scaler_delete *deletions;
    size_t n_deletions;
};

/* Updates the list and picks deletions; returns what held deletions back. Deletions are put on
 * the clocks. */
enum node_cool_down node_shrink_decide(struct node_shrink *s);
/* Forgets all that is unneeded, as an autoscaler does that finds its cluster unhealthy. */
void node_shrink_clear(struct node_shrink *s);
/* Fills `tracked` from the list as it is, for a scan without scale-down; returns how many nodes of
 * the list are still there. */
size_t node_shrink_track(struct node_shrink *s);

#endif
