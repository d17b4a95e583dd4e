/* purchase: what node pools buy and give back. */
#ifndef SLUICE_MODELS_CAPACITY_PURCHASE_H
#define SLUICE_MODELS_CAPACITY_PURCHASE_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct group;
struct group_choice;
struct pools;

/* The group's next machine by its rules. for_pods: the autoscaler asked; when none can be had the
 * group still owes it this node. */
bool purchase_next(struct pools *s, sim_ns now, struct group *g, bool for_pods);
/* So many for the autoscaler, in batches of at most batchSize. */
void purchase_batch(struct pools *s, sim_ns now, struct group *g, int32_t n);
/* This very machine, complete at once when initial; NODES_NONE when the node table is full, which
 * ends the run. */
uint32_t purchase_choice(struct pools *s, sim_ns now, struct group *g,
                         const struct group_choice *choice, bool initial);
/* The machines that are there from the start. */
void purchase_initial(struct pools *s, sim_ns now, struct group *g);
/* A scaling group keeps its minimum whatever the autoscaler does. */
void purchase_refill(struct pools *s, sim_ns now, struct group *g);
/* Gives a machine without pods back. */
void purchase_return(struct pools *s, sim_ns now, uint32_t node, const char *why);

#endif
