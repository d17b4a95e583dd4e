/* pool: an elastic node pool, that is, an ESS scaling group: which machines it buys.
 *
 * Pure rules of the group: how many nodes are on demand, in which order plans (type, billing) and
 * zones are tried. Sources: ESS documentation of 2021-07-09 and the alicloud Terraform provider of
 * 2026-08-21, as named in the knobs. */
#ifndef SLUICE_MODELS_CAPACITY_POOL_H
#define SLUICE_MODELS_CAPACITY_POOL_H

#include "models/money/price.h"
#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/knob.h"
#include "sim/money.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance_type;

enum pool_policy { POOL_PRIORITY, POOL_BALANCE, POOL_COST_OPTIMIZED };

/* ESS does not document how a share of nodes becomes whole nodes. */
enum pool_rounding {
    POOL_CEIL,
    POOL_FLOOR,
    POOL_NEAREST,        /* half up */
    POOL_RUNNING_TARGET, /* the next node is on demand while the share of those there is below */
};

enum pool_spot_strategy { POOL_SPOT_UNSAID, POOL_NO_SPOT, POOL_AS_PRICE_GOES, POOL_PRICE_LIMIT };
enum pool_on_notice { POOL_NOTICE_NONE, POOL_NOTICE_DRAIN };

/* Open data, one item of `nodePools`. */
struct pool_config {
    const char *name, *region;
    struct knob_texts zones;
    struct knob_map labels;
    struct knob_texts taints; /* taint.h */
    struct knob_texts instance_types;
    int32_t min_size, max_size, initial_size;
    int32_t headroom;                            /* placeholder pods of one GPU each: headroom.h */
    int64_t headroom_cpu_milli, headroom_memory; /* requests of each */
    int policy;                                  /* enum pool_policy */
    int32_t base;                                /* on-demand nodes before the share counts */
    double share;                                /* 0..1 on demand above the base */
    int rounding;                                /* enum pool_rounding */
    bool compensate;                             /* on demand where spot cannot be had */
    bool remedy;                       /* buy a replacement when a spot node's end is announced */
    bool auto_replace;                 /* move compensating on-demand nodes back to spot */
    int32_t spot_pools;                /* cheapest types that spot nodes are spread over */
    int spot_strategy;                 /* enum pool_spot_strategy */
    struct money spot_price_limit;     /* per hour; POOL_PRICE_LIMIT */
    struct knob_map spot_price_limits; /* by instance type, an hour, in the scenario's currency */
    const char *spot_market;           /* preset of the catalogue; NULL: no spot */
    struct knob_list price_traces;     /* struct spot_trace_config, models/capacity/spot_trace.h */
    struct knob_list stock_traces;     /* the same */
    int on_notice;                     /* enum pool_on_notice */
    sim_ns notice;                     /* warning before a spot node goes; 0: the market's */
    int32_t spot_duration_h;           /* hours of protection, 0..6 */
    const char *delivery;              /* preset of the catalogue */
    struct dist boot;                  /* instead of the preset, when its mean is above 0 */
    struct dist gpu_ready;             /* node Ready until its GPUs are allocatable */
    int64_t reserved_cpu_milli, reserved_memory; /* of kubelet and system */
    int64_t daemon_cpu_milli, daemon_memory;     /* requests of DaemonSet pods on each node */
    struct knob_list stock_limits;               /* struct quota */
    struct knob_list tasks;                      /* struct scaling_task */
    sim_ns cooldown;
    int removal; /* enum scaling_removal */
    double failures_per_hour;
    sim_ns health_check;
    bool lowest_cost;   /* no split: the cheapest plan of all */
    int32_t batch_size; /* nodes that are bought at once; 0: any number */
    sim_ns batch_interval;
    sim_ns not_ready_after;  /* silent node until its endpoints go */
    struct dist object_gone; /* lost machine until its node object goes */
    sim_ns toleration;       /* pods of a NotReady node are replaced at the latest after this */
    sim_ns billing_step;
};

extern const struct knob_table pool_knobs; /* "nodePool" */

const char *pool_rounding_name(int rounding); /* "ceil", ... */
/* Whether the pool buys spot at all. */
bool pool_uses_spot(const struct pool_config *c);
/* Most that is paid an hour for spot of this type, micro-units; 0: as the price goes. */
int64_t pool_price_limit(const struct pool_config *c, const char *type);
/* What a node of this machine offers to pods and DaemonSets. */
int64_t pool_cpu_milli(const struct pool_config *c, const struct instance_type *t);
int64_t pool_memory(const struct pool_config *c, const struct instance_type *t);

/* On-demand nodes among `total` that the rule wants, 0..total. on_demand and there are the nodes
 * that exist now (POOL_RUNNING_TARGET looks at them, the other rules at total alone). */
struct pool_now {
    int32_t on_demand, there;
};
int32_t pool_on_demand_target(const struct pool_config *c, struct pool_now now, int32_t total);
/* Whether the next node should be on demand. */
bool pool_next_on_demand(const struct pool_config *c, struct pool_now now);

/* A way to get one node. */
struct pool_plan {
    uint32_t type; /* index in instance_types */
    enum price_billing billing;
    int64_t micro_per_hour;
    int32_t vcpu;
};
/* Whether a goes before b when cost decides: price per vCPU, then spot, then the order of types.
 * Exact: no division. */
bool pool_plan_cheaper(const struct pool_plan *a, const struct pool_plan *b);
void pool_sort_plans(struct pool_plan *plans, size_t n);

#endif
