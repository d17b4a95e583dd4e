/* node_growth: which nodes to add for the pods that wait (N2-N14). */
#ifndef SLUICE_MODELS_CONTROL_NODE_GROWTH_H
#define SLUICE_MODELS_CONTROL_NODE_GROWTH_H

#include "models/control/node_balance.h"
#include "models/control/node_expander.h"
#include "models/control/node_snapshot.h"

struct node_growth {
    const struct node_scaler_config *config;
    const struct node_scaler_view *view;
    struct node_state *states;
    struct node_snapshot *snapshot; /* pods that find room are laid on it */
    /* Of the priority expander, one a group. */
    bool *has_priority;
    int32_t *priority;
    struct chance chance;
    /* Scratch. */
    uint32_t *order;                   /* pending pods */
    int32_t *waiting;                  /* one an owner: pods that found no room */
    struct node_binpack_pods *packs;   /* one an owner */
    uint32_t *pack_owner, *pack_order; /* one an owner */
    struct node_room *rooms;           /* max_nodes_per_scale_up */
    struct node_option *options;       /* one a group */
    uint32_t *scratch;                 /* one a group */
    struct node_balance_group *spread; /* one a group */
    uint32_t *spread_group;            /* one a group */
    /* Out. */
    enum node_group_reason *group_reasons; /* one a group */
    struct node_scaler_up *ups;            /* one a group */
    size_t n_ups, n_options;
    int32_t pods_helped, pods_unhelped;
    int32_t pods_waiting; /* that count and found no room */
    int64_t chosen;       /* group, -1: none */
    bool skip_scale_down; /* N2 */
};

/* Decides, and registers what it decides as requests and on the clocks of its groups. */
enum node_up_reason node_growth_decide(struct node_growth *g);

#endif
