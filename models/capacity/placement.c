/* placement: the ordered units that the pods of one workload are spread over. */
#include "models/capacity/placement.h"

#include "sim/err.h"

#include <assert.h>

const struct placement_unit *placement_unit(const struct placement *p, uint32_t unit)
{
    assert(unit < p->units.count);
    return (const struct placement_unit *)p->units.items + unit;
}

bool placement_full(const struct placement *p, uint32_t unit, const int32_t *counts)
{
    int32_t max = placement_unit(p, unit)->max;
    return max > 0 && counts[unit] >= max;
}

uint32_t placement_next(const struct placement *p, const int32_t *counts)
{
    for (uint32_t u = 0; u < p->units.count; u++)
        if (counts[u] < placement_unit(p, u)->min)
            return u;
    for (uint32_t u = 0; u < p->units.count; u++)
        if (!placement_full(p, u, counts))
            return u;
    return PLACEMENT_NONE;
}

uint32_t placement_victim(const struct placement *p, const int32_t *counts)
{
    for (uint32_t u = (uint32_t)p->units.count; u-- > 0;)
        if (counts[u] > placement_unit(p, u)->min)
            return u;
    for (uint32_t u = (uint32_t)p->units.count; u-- > 0;)
        if (counts[u] > 0)
            return u;
    return PLACEMENT_NONE;
}

/* ---- settings ---- */

static const struct knob_name resources[] = {
    {"ecs", PLACEMENT_ECS, "nodes"},
    {"eci", PLACEMENT_ECI, "container instances"},
    {0},
};

#define UNIT(field) .offset = offsetof(struct placement_unit, field)

static const struct knob unit_rows[] = {
    {.key = "name", .kind = KNOB_TEXT, UNIT(name), .doc = "Name of the unit in results."},
    {.key = "resource",
     .kind = KNOB_NAME,
     UNIT(resource),
     .doc = "Where its pods run.",
     .names = resources},
    {.key = "min",
     .kind = KNOB_INT32,
     UNIT(min),
     .unit = "pods",
     .doc = "Pods that it gets before later units, and keeps the longest (ElasticWorkload).",
     .preset = "0",
     .min = 0,
     .max = 100000},
    {.key = "max",
     .kind = KNOB_INT32,
     UNIT(max),
     .unit = "pods",
     .doc = "Most pods in it; 0: no limit.",
     .preset = "0",
     .min = 0,
     .max = 100000},
    {.key = "nodeSelector",
     .kind = KNOB_MAP,
     UNIT(node_selector),
     .doc = "Labels that its nodes must carry, beyond the pod's own.",
     .preset = ""},
    {.key = "labels",
     .kind = KNOB_MAP,
     UNIT(labels),
     .doc = "Labels of its pods, over the pod's own.",
     .preset = ""},
    {.key = "annotations",
     .kind = KNOB_MAP,
     UNIT(annotations),
     .doc = "Annotations of its pods, over the pod's own: k8s.aliyun.com/eci-spot-strategy and "
            "its like.",
     .preset = ""},
    {0},
};

static int check_unit(const void *config, const char **key, struct err *e)
{
    const struct placement_unit *u = config;
    *key = "min";
    if (u->max > 0 && u->min > u->max)
        return err_set(e, ERR_INPUT, NULL, "%d is above max, %d", (int)u->min, (int)u->max);
    return 0;
}

static const struct knob_table unit_knobs = {
    .name = "placement.unit",
    .doc = "A place for some of a workload's pods.",
    .rows = unit_rows,
    .size = sizeof(struct placement_unit),
    .check = check_unit,
};

static const struct knob_name kinds[] = {
    {"ElasticWorkload", PLACEMENT_ELASTIC_WORKLOAD,
     "a clone of the Deployment for each unit: first its min, then up to its max, in order"},
    {"ResourcePolicy", PLACEMENT_RESOURCE_POLICY,
     "the scheduler tries the units in order for each pod"},
    {0},
};

static const struct knob_name whens[] = {
    {"LackResourceOrExceedMax", PLACEMENT_LACK_OR_MAX, "no room now, or its max is reached"},
    {"ExceedMax", PLACEMENT_MAX, "at its max alone: a pod waits for room in it"},
    {"TimeoutOrExceedMax", PLACEMENT_TIMEOUT_OR_MAX,
     "a pod has waited for timeout, or its max is reached"},
    {0},
};

#define HELP "Alibaba Cloud help 398680, priority-based resource scheduling (2026-01-28)"

static const struct knob rows[] = {
    {.key = "kind",
     .kind = KNOB_NAME,
     .offset = offsetof(struct placement, kind),
     .doc = "Who spreads the pods.",
     .preset = "ResourcePolicy",
     .names = kinds},
    {.key = "whenTryNextUnits",
     .kind = KNOB_NAME,
     .offset = offsetof(struct placement, when),
     .doc = "When a ResourcePolicy goes on to the next unit.",
     .preset = "LackResourceOrExceedMax",
     .names = whens,
     .quality = QUALITY_OFFICIAL,
     .source = HELP},
    {.key = "timeout",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct placement, timeout),
     .doc = "Wait for room in a unit, for TimeoutOrExceedMax.",
     .preset = "1m",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = HELP},
    {.key = "units",
     .kind = KNOB_LIST,
     .offset = offsetof(struct placement, units),
     .doc = "The units in the order in which they are filled.",
     .table = &unit_knobs,
     .min = 1,
     .max = PLACEMENT_UNITS_MAX},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct placement *p = config;
    *key = "units";
    for (uint32_t u = 0; u < p->units.count; u++)
        if (p->kind == PLACEMENT_RESOURCE_POLICY && placement_unit(p, u)->min > 0)
            return err_set(e, ERR_INPUT, NULL, "min goes with kind ElasticWorkload alone");
    return 0;
}

const struct knob_table placement_knobs = {
    .name = "placement",
    .doc = "Ordered places for the pods of one workload.",
    .rows = rows,
    .size = sizeof(struct placement),
    .check = check,
};
