/* pool_body: ACK's body of a node pool, in the words of a scenario. */
#include "scenarios/run/pool_body.h"

#include "scenarios/run/carry.h"
#include "scenarios/run/scheduling.h"
#include "sim/json.h"

#include <stdbool.h>
#include <string.h>

static const struct carry_row rows[] = {
    {"nodepool_info.name", "name", CARRY_AS_IS},
    {"auto_scaling.min_instances", "minSize", CARRY_AS_IS},
    {"auto_scaling.max_instances", "maxSize", CARRY_AS_IS},
    {"kubernetes_config.labels", "labels", CARRY_LABELS},
    {"scaling_group.instance_types", "instanceTypes", CARRY_AS_IS},
    {"scaling_group.multi_az_policy", "multiAZPolicy", CARRY_AS_IS},
    {"scaling_group.on_demand_base_capacity", "onDemandBaseCapacity", CARRY_AS_IS},
    {"scaling_group.on_demand_percentage_above_base_capacity",
     "onDemandPercentageAboveBaseCapacity", CARRY_AS_IS},
    {"scaling_group.compensate_with_on_demand", "compensateWithOnDemand", CARRY_AS_IS},
    {"scaling_group.spot_instance_pools", "spotInstancePools", CARRY_AS_IS},
    {"scaling_group.spot_instance_remedy", "spotInstanceRemedy", CARRY_AS_IS},
    {"scaling_group.spot_strategy", "spotStrategy", CARRY_AS_IS},
    {0},
};

/* A pool of the type spot bids as the price goes unless it says how. */
static int add_strategy(struct arena *a, struct json *pool, const struct json *body, struct err *e)
{
    const struct json *type = json_at(body, "auto_scaling.type");
    if (json_at(body, "scaling_group.spot_strategy") || !type || type->type != JSON_STRING ||
        strcmp(type->string, "spot") != 0)
        return 0;
    struct json *made = carry_text(a, "spotStrategy", "SpotAsPriceGo", type, e);
    if (!made)
        return -1;
    json_append(pool, made);
    return 0;
}

/* [{"instance_type": t, "price_limit": p}, ...] becomes {t: p, ...}. */
static int add_limits(struct arena *a, struct json *pool, const struct json *list, struct err *e)
{
    struct json *limits = NULL;
    for (const struct json *c = list && list->type == JSON_ARRAY ? list->first : NULL; c;
         c = c->next) {
        const char *type = json_text_at(c, "instance_type", NULL);
        const struct json *limit = json_get(c, "price_limit");
        if (!type || !limit)
            continue;
        bool number = limit->type == JSON_NUMBER; /* as texts: the map holds those */
        struct json *kept =
            number ? carry_text(a, type, limit->string, limit, e) : carry_copy(a, limit, type, e);
        if (!limits)
            limits = carry_object(a, "spotPriceLimits", list, e);
        if (!kept || !limits)
            return -1;
        json_append(limits, kept);
    }
    if (limits)
        json_append(pool, limits);
    return 0;
}

int pool_body_add(struct arena *a, struct json *pool, const struct json *body, struct err *e)
{
    return carry_rows(a, pool, body, rows, e) || add_strategy(a, pool, body, e) ||
                   add_limits(a, pool, json_at(body, "scaling_group.spot_price_limit"), e) ||
                   scheduling_taints(a, pool, json_at(body, "kubernetes_config.taints"), e)
               ? -1
               : 0;
}
