/* placement: the ordered units that the pods of one workload are spread over.
 *
 * An ElasticWorkload is a Deployment that is cloned for each unit: a new pod belongs to the first
 * unit that lacks pods (every unit's min in order, then up to each max in order) and stays with it,
 * and the last unit with pods to spare shrinks first. A ResourcePolicy is a wish to the scheduler:
 * each waiting pod tries the units in order, and the pods of later units are cheaper to delete.
 * Sources: ACK documentation, ElasticWorkload (2021-07-15 and 2026-02-27; what a unit's min does
 * beyond the source's is assumed), and Alibaba Cloud help 398680 (2026-01-28). */
#ifndef SLUICE_MODELS_CAPACITY_PLACEMENT_H
#define SLUICE_MODELS_CAPACITY_PLACEMENT_H

#include "sim/clock.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACEMENT_UNITS_MAX 8
#define PLACEMENT_NONE UINT32_MAX

enum placement_kind { PLACEMENT_ELASTIC_WORKLOAD, PLACEMENT_RESOURCE_POLICY };
enum placement_resource { PLACEMENT_ECS, PLACEMENT_ECI };

/* When a ResourcePolicy goes on to the next unit. */
enum placement_when {
    PLACEMENT_LACK_OR_MAX,    /* no room now, or its max is reached */
    PLACEMENT_MAX,            /* only at its max: a pod waits for room in it */
    PLACEMENT_TIMEOUT_OR_MAX, /* no room for so long, or its max */
};

struct placement_unit {
    const char *name;
    int resource;                                       /* enum placement_resource */
    int32_t min;                                        /* ElasticWorkload only */
    int32_t max;                                        /* 0: no limit */
    struct knob_map node_selector, labels, annotations; /* beyond the pod's own */
};

/* Open data. */
struct placement {
    int kind, when; /* enums above */
    sim_ns timeout;
    struct knob_list units; /* struct placement_unit, at most PLACEMENT_UNITS_MAX */
};

extern const struct knob_table placement_knobs; /* "placement" */

const struct placement_unit *placement_unit(const struct placement *p, uint32_t unit);
/* counts: pods of each unit now. Whether the unit takes no more. */
bool placement_full(const struct placement *p, uint32_t unit, const int32_t *counts);
/* ElasticWorkload: the unit of the next pod; PLACEMENT_NONE: all are full. */
uint32_t placement_next(const struct placement *p, const int32_t *counts);
/* ElasticWorkload: the unit that loses the next pod; PLACEMENT_NONE: none has any. */
uint32_t placement_victim(const struct placement *p, const int32_t *counts);

#endif
