/* scan_view: what the node autoscaler is shown: pending pods, groups, nodes and the pods on them.
 */
#ifndef SLUICE_MODELS_CAPACITY_SCAN_VIEW_H
#define SLUICE_MODELS_CAPACITY_SCAN_VIEW_H

#include "models/control/node_scaler.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct group;
struct nodes;
struct pods;
struct pod_shape;
struct scan_view; /* opaque: the arrays that a view points into */

struct scan_view_setup {
    const struct nodes *nodes;
    const struct pods *pods;
    const struct pod_shape *shapes;
    const uint32_t *owner_of; /* [shape]: who owns its pods; NULL: shapes are owners */
    size_t n_owners;          /* shapes: what the scaler takes for owners */
    const struct group *groups;
    size_t n_groups;
    const int32_t *failed;           /* [group]: purchases that were refused and are still wanted */
    const int32_t *deferred;         /* [group]: to be bought in later batches; NULL: none */
    const int32_t *new_failed;       /* [group]: of these, since the last scan */
    const int32_t *failed_deletions; /* [group]: drains that failed since the last scan */
};

struct scan_view *scan_view_create(const struct scan_view_setup *s, struct err *e);
void scan_view_destroy(struct scan_view *v);
/* Valid until the next call. */
const struct node_scaler_view *scan_view_fill(struct scan_view *v, sim_ns now);
/* Slot of a node of the last view. */
uint32_t scan_view_slot(const struct scan_view *v, uint32_t node);
/* Owners as the scaler counts them: the services', then one a group for its DaemonSets. */
size_t scan_view_owners(const struct scan_view *v);

#endif
