/* virtual_node: settings of the virtual node, behind which every pod is an elastic container
 * instance (ECI) of its own. */
#ifndef SLUICE_MODELS_CAPACITY_VIRTUAL_NODE_H
#define SLUICE_MODELS_CAPACITY_VIRTUAL_NODE_H

#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/knob.h"
#include "sim/money.h"

#include <stdbool.h>
#include <stdint.h>

/* Where pods go that do not say it themselves. */
enum virtual_node_burst {
    VIRTUAL_NODE_ROUTED,   /* to nodes */
    VIRTUAL_NODE_ECI,      /* to ECI when nodes are short */
    VIRTUAL_NODE_ECI_ONLY, /* to ECI */
};

/* When nodes count as short. */
enum virtual_node_when {
    VIRTUAL_NODE_POOL_EXHAUSTED, /* no pool can bring a node for the pod either */
    VIRTUAL_NODE_NO_NODE,        /* no node that is there has room */
};

/* Which document counts the GPUs of a size; they differ once. */
enum virtual_node_counts { VIRTUAL_NODE_ECI_COUNTS, VIRTUAL_NODE_ECS_COUNTS };

enum virtual_node_strategy { VIRTUAL_NODE_NO_SPOT, VIRTUAL_NODE_AS_PRICE, VIRTUAL_NODE_LIMIT };

/* Open data, the scenario's `virtualNode`. */
struct virtual_node_config {
    int burst, when, counts;               /* enums above */
    const char *region;                    /* for prices; NULL: any */
    struct knob_texts zones;               /* empty: one without a name */
    struct knob_map vswitches;             /* vSwitch to zone */
    bool random_zones;                     /* tried in any order */
    struct knob_list stock_limits;         /* struct quota */
    struct dist create;                    /* creation call until the image download starts */
    struct money vcpu_price, memory_price; /* an hour of a vCPU and of a GiB, without a GPU */
    int64_t create_burst;                  /* calls at once */
    double create_rate;                    /* calls a second in the long run */
    bool image_cache;                      /* images come from a cache, in cached_image */
    sim_ns cached_image;
    sim_ns billing_step, retry, retry_longest;
    int32_t tries;      /* creation calls until a pod fails that is told to */
    int32_t vcpu_quota; /* of the region; 0: none */
    double no_stock;    /* share of creation calls that find no stock of a spec */
    bool reschedule;    /* what gets no instance stays Pending instead of failing */
    int strategy;       /* enum virtual_node_strategy */
    struct money price_limit;
    const char *market;                          /* spot preset of the catalogue; NULL: none */
    struct knob_list price_traces, stock_traces; /* struct spot_trace_config, spot_trace.h */
    sim_ns protection, notice;
    int on_notice; /* 1: a handler drains */
    sim_ns report; /* end of an instance until its pod is seen as Failed */
};

extern const struct knob_table virtual_node_knobs; /* "virtualNode" */

#endif
