/* node_state: what the autoscaler knows of each node group: readiness, requests, failures. */
#ifndef SLUICE_MODELS_CONTROL_NODE_STATE_H
#define SLUICE_MODELS_CONTROL_NODE_STATE_H

#include "models/control/node_backoff.h"
#include "models/control/node_delay.h"
#include "models/control/node_request.h"
#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"

enum node_readiness {
    NODE_READY,
    NODE_NOT_STARTED, /* not ready and young: an upcoming node */
    NODE_UNREADY,     /* not ready and old */
};

/* One a group. */
struct node_state {
    /* Kept between scans. */
    struct node_backoff backoff;
    struct node_request request;
    struct node_delay delay; /* for delays per group */
    int32_t seen_registered, seen_target;
    sim_ns seen_since; /* registered and target are as seen since then */
    /* From the view of this scan. */
    int32_t target; /* less what this scan cuts */
    int32_t registered, ready, not_started, unready, deleting;
    int32_t upcoming; /* nodes that are expected and do not take pods yet */
};

/* A GPU node without allocatable GPUs is not ready when the config says patched. */
enum node_readiness node_state_readiness(const struct node_scaler_config *c,
                                         const struct node_scaler_group *g,
                                         const struct node_scaler_node *n, sim_ns now);

/* Reads the view into states, finishes and expires requests (N15-N17), starts and forgets
 * back-offs. Writes at most 3 cuts a group; returns how many. *size_fixed: a target that was wrong
 * for too long has been corrected, and the rest of the scan is skipped. */
size_t node_state_update(const struct node_scaler_config *c, struct node_state *states,
                         const struct node_scaler_view *view, struct node_scaler_cut *cuts,
                         bool *size_fixed);

/* N19: too many of the nodes that should be ready are not. */
bool node_state_group_healthy(const struct node_scaler_config *c, const struct node_state *s);
bool node_state_cluster_healthy(const struct node_scaler_config *c, const struct node_state *states,
                                size_t n_groups);

#endif
