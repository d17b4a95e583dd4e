/* eci_room: how many pods of one kind the virtual node can ever have at once. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_ROOM_H
#define SLUICE_MODELS_CAPACITY_ECI_ROOM_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct catalog;
struct cluster_config;
struct pod_shape;

/* Borrowed. */
struct eci_room_ask {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const struct pod_shape *pod;
    sim_ns since, horizon; /* limits on stock count that hold all the while */
    bool bursts;           /* pods that come to it only when nodes are short count too */
};

/* Open data. */
struct eci_room {
    int64_t pods;    /* at most; INT64_MAX: no limit */
    bool by_quota;   /* else by stock */
    char words[200]; /* the limit: "virtualNode.vcpuQuota is 16, an instance has 8 vCPU" */
};

/* For pods that go to the virtual node alone, or burst to it; of others, and where the scenario has
 * none or cannot offer them any instance, pods is INT64_MAX. */
void eci_room_of(const struct eci_room_ask *ask, struct eci_room *out);

#endif
