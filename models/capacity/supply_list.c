/* supply_list: the machines of a node list: there from the start to the end, never bought, never
 * returned, at no price. */
#include "models/capacity/cluster_config.h"
#include "models/capacity/fleet.h"
#include "models/capacity/node_list.h"
#include "models/capacity/supply.h"
#include "sim/recorder.h"

#include <stdlib.h>

struct supply_list {
    struct supply_setup set;
    const struct node_list *list;
};

static bool list_wanted(const struct cluster_config *c)
{
    return c->nodes != NULL;
}

static void *list_create(const struct supply_setup *set, struct err *e)
{
    struct supply_list *s = calloc(1, sizeof *s);
    if (!s) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory");
        return NULL;
    }
    s->set = *set;
    s->list = set->cluster->config->nodes;
    return s;
}

static void list_destroy(void *self)
{
    free(self);
}

static void list_start(void *self, sim_ns now)
{
    struct supply_list *s = self;
    const struct node_list *l = s->list;
    for (size_t i = 0; i < l->n; i++) {
        struct fleet_order o = {
            .supply = s,
            .pool = (uint32_t)s->set.cluster->config->pools.count,
            .number = (uint32_t)i,
            .type = &l->types[l->type_of[i]],
            .type_index = l->type_of[i],
            .initial = true,
            .given = true,
        };
        if (fleet_buy(s->set.fleet, now, &o) == NODES_NONE) {
            s->set.fail(s->set.self, "limits.nodes", "nodes exist at once");
            return;
        }
    }
    recorder_finding(s->set.cluster->recorder, "note", "node-list",
                     "%zu machines with %lld GPUs are simply there; the list names no prices, so "
                     "they are in no cost",
                     l->n, (long long)l->gpus);
}

const struct supply_kind supply_list = {
    .name = "list",
    .wanted = list_wanted,
    .create = list_create,
    .destroy = list_destroy,
    .start = list_start,
};
