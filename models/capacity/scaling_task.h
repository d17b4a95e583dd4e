/* scaling_task: what a scaling group does on its own, apart from the node autoscaler: changes of
 * its size at given times, and the replacement of machines that fail their health check.
 *
 * Where the group decides, its removal policy names the machine, and nobody drains it; the
 * autoscaler removes nodes by name after a drain (scaling group documentation of 2021-07-09 and
 * 2025-11). A cooldown holds back changes that an alarm asks for, and no others. */
#ifndef SLUICE_MODELS_CAPACITY_SCALING_TASK_H
#define SLUICE_MODELS_CAPACITY_SCALING_TASK_H

#include "sim/clock.h"
#include "sim/knob.h"

#include <stdint.h>

struct group;
struct node;
struct nodes;
struct pools;

enum scaling_trigger { SCALING_SCHEDULED, SCALING_MANUAL, SCALING_ALARM };
enum scaling_removal { SCALING_OLDEST, SCALING_NEWEST };

/* Open data, one item of a pool's `tasks`. */
struct scaling_task {
    sim_ns at, every; /* every 0: once */
    int32_t size;
    int trigger; /* enum scaling_trigger */
};
extern const struct knob_table scaling_task_knobs; /* "scalingTask" */

/* The first events of a group. */
void scaling_task_start(struct pools *s, sim_ns now, struct group *g);
/* The machine that the group removes next; NODES_NONE: it has none. */
uint32_t scaling_task_victim(const struct nodes *nodes, const struct group *g);
/* A machine was bought: when it fails, if it does. */
void scaling_task_plan(struct pools *s, sim_ns now, const struct group *g, uint32_t node);

#endif
