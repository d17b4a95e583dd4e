/* account: the vCPU quotas of the cloud account. */
#include "models/capacity/account.h"

#include <assert.h>

static const struct knob rows[] = {
    {.key = "onDemandVcpuQuota",
     .kind = KNOB_INT32,
     .offset = offsetof(struct account_config, on_demand_vcpu_quota),
     .unit = "vCPU",
     .doc = "Pay-as-you-go vCPU that all node pools of a region may hold together; 0: no quota.",
     .preset = "500",
     .min = 0,
     .max = 1e8,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, limits, 2021-07-15 (another page says 50)"},
    {.key = "spotVcpuQuota",
     .kind = KNOB_INT32,
     .offset = offsetof(struct account_config, spot_vcpu_quota),
     .unit = "vCPU",
     .doc = "Spot vCPU that all node pools of a region may hold together; 0: no quota.",
     .preset = "800",
     .min = 0,
     .max = 1e8,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, limits, 2021-07-15"},
    {0},
};

const struct knob_table account_knobs = {
    .name = "account",
    .doc = "What the cloud account may hold in each region.",
    .rows = rows,
    .size = sizeof(struct account_config),
};

bool account_allows(const struct account *a, bool spot, int32_t vcpu)
{
    if (!a->config)
        return true;
    int64_t quota = spot ? a->config->spot_vcpu_quota : a->config->on_demand_vcpu_quota;
    int64_t held = spot ? a->spot_vcpu : a->on_demand_vcpu;
    return quota == 0 || held + vcpu <= quota;
}

void account_change(struct account *a, bool spot, int64_t vcpu)
{
    int64_t *held = spot ? &a->spot_vcpu : &a->on_demand_vcpu;
    *held += vcpu;
    assert(*held >= 0);
}
