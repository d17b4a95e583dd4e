/* supply_static: replicas that are simply there: a pod is placed as soon as it is asked for, on a
 * place of its own, at no cost. The supply of theory cases. */
#include "models/capacity/cluster_config.h"
#include "models/capacity/nodes.h"
#include "models/capacity/supply.h"

#include <stdlib.h>

struct supply_static {
    struct supply_setup set;
};

static bool static_wanted(const struct cluster_config *c)
{
    return c->pools.count == 0 && !c->nodes && !c->virtual_node;
}

static void *static_create(const struct supply_setup *s, struct err *e)
{
    struct supply_static *self = calloc(1, sizeof *self);
    if (!self)
        err_set(e, ERR_SYSTEM, NULL, "out of memory");
    else
        self->set = *s;
    return self;
}

static void static_destroy(void *self)
{
    free(self);
}

static bool static_takes(void *self, sim_ns now, uint32_t pod)
{
    struct supply_static *s = self;
    s->set.place(s->set.self, now, pod, NODES_NONE);
    return true;
}

const struct supply_kind supply_static = {
    .name = "static",
    .wanted = static_wanted,
    .create = static_create,
    .destroy = static_destroy,
    .takes = static_takes,
};
