/* account: the vCPU quotas of the cloud account, which all node pools of a region share. */
#ifndef SLUICE_MODELS_CAPACITY_ACCOUNT_H
#define SLUICE_MODELS_CAPACITY_ACCOUNT_H

#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

/* Open data, the scenario's `account`; 0: no quota. */
struct account_config {
    int32_t on_demand_vcpu_quota, spot_vcpu_quota; /* in each region */
};
extern const struct knob_table account_knobs; /* "account" */

/* What a region's pools hold now. Open data. */
struct account {
    const struct account_config *config; /* NULL: no quotas */
    const char *region;
    int64_t on_demand_vcpu, spot_vcpu;
};
bool account_allows(const struct account *a, bool spot, int32_t vcpu);
void account_change(struct account *a, bool spot, int64_t vcpu);

#endif
