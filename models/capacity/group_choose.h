/* group_choose: which machine a node pool gets next, and why. */
#ifndef SLUICE_MODELS_CAPACITY_GROUP_CHOOSE_H
#define SLUICE_MODELS_CAPACITY_GROUP_CHOOSE_H

#include "models/money/price.h"
#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group;

/* A machine that can be had now. */
struct group_choice {
    uint32_t type, zone;
    enum price_billing billing;
    int64_t micro_per_hour;
    int64_t premium_micro_per_hour; /* above spot, when this one is on demand for want of spot */
    bool compensating;
    char reason[200]; /* the rule in words, with its numbers */
};
/* False when none can be had; reason says why. */
bool group_choose(const struct group *g, sim_ns now, struct group_choice *out);
/* The spot machine that can be had now, whatever the share. */
bool group_choose_spot(const struct group *g, sim_ns now, struct group_choice *out);
/* What the next machine would be, apart from stock and quotas: the template of the autoscaler. */
void group_choose_template(const struct group *g, sim_ns now, struct group_choice *out);
/* When cost per vCPU makes the group buy a machine that costs more than another one that has a GPU
 * too: writes the sentence for the user and returns true. */
bool group_choose_dear(const struct group *g, char *words, size_t size);

#endif
