/* pool: which machines an elastic node pool buys. */
#include "models/capacity/pool.h"

#include <assert.h>

static const struct knob_name policies[] = {
    {"PRIORITY", POOL_PRIORITY, "zones, then types, in the order given"},
    {"BALANCE", POOL_BALANCE, "the zone with the fewest nodes first"},
    {"COST_OPTIMIZED", POOL_COST_OPTIMIZED,
     "the plan with the lowest price per vCPU first, in every zone before the next plan"},
    {0},
};

static const struct knob_name roundings[] = {
    {"ceil", POOL_CEIL, "up: one node is on demand"},
    {"floor", POOL_FLOOR, "down: one node is spot"},
    {"nearest", POOL_NEAREST, "to the nearest, half up"},
    {"runningTarget", POOL_RUNNING_TARGET,
     "the next node is on demand while the share of the nodes that exist is below the target"},
    {0},
};

static const struct knob_name strategies[] = {
    {"NoSpot", POOL_NO_SPOT, "on demand only"},
    {"SpotAsPriceGo", POOL_AS_PRICE_GOES, "spot at whatever it costs"},
    {"SpotWithPriceLimit", POOL_PRICE_LIMIT, "spot up to spotPriceLimit"},
    {0},
};

static const struct knob_name notices[] = {
    {"none", POOL_NOTICE_NONE, "nobody listens: pods vanish with their node"},
    {"drain", POOL_NOTICE_DRAIN, "a handler cordons the node and evicts its pods at the notice"},
    {0},
};

#define AT(member) .offset = offsetof(struct pool_config, member)

static const struct knob rows[] = {
    {.key = "name",
     .kind = KNOB_TEXT,
     AT(name),
     .doc = "Name of the pool; nodes are <name>-0, ..."},
    {.key = "region",
     .kind = KNOB_TEXT,
     AT(region),
     .doc = "Region, for prices and quotas.",
     .preset = "cn-hangzhou"},
    {.key = "zones",
     .kind = KNOB_TEXTS,
     AT(zones),
     .doc = "Zones in the order of preference.",
     .preset = "[\"cn-hangzhou-i\"]"},
    {.key = "labels",
     .kind = KNOB_MAP,
     AT(labels),
     .doc = "Labels that each node carries.",
     .preset = ""},
    {.key = "instanceTypes",
     .kind = KNOB_TEXTS,
     AT(instance_types),
     .doc = "Instance types of the catalogue that the pool may buy, in the order of preference."},
    {.key = "minSize",
     .kind = KNOB_INT32,
     AT(min_size),
     .unit = "nodes",
     .doc = "Fewest nodes.",
     .preset = "0",
     .min = 0,
     .max = 2000,
     .quality = QUALITY_OFFICIAL,
     .source = "Terraform provider alicloud, cs_kubernetes_node_pool, 2026-08-21"},
    {.key = "maxSize",
     .kind = KNOB_INT32,
     AT(max_size),
     .unit = "nodes",
     .doc = "Most nodes.",
     .preset = "50",
     .min = 1,
     .max = 2000,
     .quality = QUALITY_OFFICIAL,
     .source = "Terraform provider alicloud, cs_kubernetes_node_pool, 2026-08-21"},
    {.key = "initialSize",
     .kind = KNOB_INT32,
     AT(initial_size),
     .unit = "nodes",
     .doc = "Nodes that are there, ready, when the run starts.",
     .preset = "0",
     .min = 0,
     .max = 2000},
    {.key = "multiAZPolicy",
     .kind = KNOB_NAME,
     AT(policy),
     .doc = "Order in which types and zones are tried.",
     .preset = "BALANCE",
     .names = policies,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, node pool console (distribution balancing), 2021-07-15"},
    {.key = "onDemandBaseCapacity",
     .kind = KNOB_INT32,
     AT(base),
     .unit = "nodes",
     .doc = "Nodes that are on demand before the percentage counts.",
     .preset = "0",
     .min = 0,
     .max = 1000,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, node pool console, 2021-07-15"},
    {.key = "onDemandPercentageAboveBaseCapacity",
     .kind = KNOB_PERCENT,
     AT(share),
     .unit = "%",
     .doc = "Percentage of the nodes above the base that are on demand.",
     .preset = "20",
     .min = 0,
     .max = 100,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, node pool console, 2021-07-15 (the ESS console has 70)"},
    {.key = "onDemandRounding",
     .kind = KNOB_NAME,
     AT(rounding),
     .doc = "How the percentage becomes whole nodes; the platform does not document it.",
     .preset = "ceil",
     .names = roundings,
     .quality = QUALITY_ASSUMED,
     .source = "not documented in the ESS pages of 2021-07-09 and 2025-11"},
    {.key = "compensateWithOnDemand",
     .kind = KNOB_BOOL,
     AT(compensate),
     .doc = "Buy on demand when spot cannot be had.",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = "ESS documentation, console default, 2021-07-09"},
    {.key = "spotInstancePools",
     .kind = KNOB_INT32,
     AT(spot_pools),
     .unit = "types",
     .doc = "Spread spot nodes evenly over this many of the cheapest types.",
     .preset = "1",
     .min = 1,
     .max = 10,
     .quality = QUALITY_OFFICIAL,
     .source = "ESS documentation, console default, 2021-07-09"},
    {.key = "spotStrategy",
     .kind = KNOB_NAME,
     AT(spot_strategy),
     .doc = "Bid mode; absent: SpotAsPriceGo when spotMarket is given, else NoSpot.",
     .preset = "",
     .names = strategies},
    {.key = "spotPriceLimit",
     .kind = KNOB_MONEY,
     AT(spot_price_limit),
     .doc = "Most to pay an hour, for SpotWithPriceLimit.",
     .preset = ""},
    {.key = "spotMarket",
     .kind = KNOB_TEXT,
     AT(spot_market),
     .doc = "Spot market of the catalogue: calm, plentiful, medium, scarce, ...",
     .preset = ""},
    {.key = "onSpotNotice",
     .kind = KNOB_NAME,
     AT(on_notice),
     .doc = "What happens when the platform announces that it takes a node back.",
     .preset = "none",
     .names = notices},
    {.key = "spotNotice",
     .kind = KNOB_DURATION,
     AT(notice),
     .doc = "Time between the notice and the end of a spot node.",
     .preset = "300s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, preemptible instances, 2021-07-19"},
    {.key = "spotDuration",
     .kind = KNOB_INT32,
     AT(spot_duration_h),
     .unit = "hours",
     .doc = "Hours in which a spot node is neither taken back nor changes its price; 0 is a tenth "
            "cheaper.",
     .preset = "1",
     .min = 0,
     .max = 6,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, DescribeSpotPriceHistory, 2021-07-19"},
    {.key = "delivery",
     .kind = KNOB_TEXT,
     AT(delivery),
     .doc = "Delivery time of the catalogue: standard, standardQuickBoot, swift, swiftQuickBoot.",
     .preset = "standard",
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, auto scaling overview (1000 nodes), 2021-07-15"},
    {.key = "bootTime",
     .kind = KNOB_DIST,
     AT(boot),
     .doc = "Purchase until the node is Ready; absent: by `delivery`.",
     .preset = ""},
    {.key = "gpuReadyTime",
     .kind = KNOB_DIST,
     AT(gpu_ready),
     .doc = "Node Ready until its GPUs are allocatable: driver install and device plugin.",
     .preset = "{\"distribution\": \"uniform\", \"mean\": \"120s\", \"cv\": 0.2887}",
     .quality = QUALITY_ASSUMED,
     .source = "60 to 180 s; no published figure (ACK node initialization page, 2025-12-09)"},
    {.key = "reservedCpu",
     .kind = KNOB_QUANTITY,
     AT(reserved_cpu_milli),
     .doc = "CPU that kubelet and system keep: allocatable = capacity - reserved.",
     .preset = "200m",
     .min = 0,
     .max = 1e5,
     .quality = QUALITY_ASSUMED,
     .source = "order of magnitude of managed clusters; ACK's own table was not at hand"},
    {.key = "reservedMemory",
     .kind = KNOB_BYTES,
     AT(reserved_memory),
     .doc = "Memory that kubelet and system keep.",
     .preset = "2Gi",
     .min = 0,
     .max = 1e13,
     .quality = QUALITY_ASSUMED,
     .source = "order of magnitude of managed clusters; ACK's own table was not at hand"},
    {.key = "daemonSetCpu",
     .kind = KNOB_QUANTITY,
     AT(daemon_cpu_milli),
     .doc = "CPU requests of DaemonSet pods on each node.",
     .preset = "0",
     .min = 0,
     .max = 1e5},
    {.key = "daemonSetMemory",
     .kind = KNOB_BYTES,
     AT(daemon_memory),
     .doc = "Memory requests of DaemonSet pods on each node.",
     .preset = "0",
     .min = 0,
     .max = 1e13},
    {.key = "onDemandVcpuQuota",
     .kind = KNOB_INT32,
     AT(on_demand_vcpu_quota),
     .unit = "vCPU",
     .doc = "Pay-as-you-go vCPU that the account may hold in this pool.",
     .preset = "500",
     .min = 0,
     .max = 1e7,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, limits, 2021-07-15 (another page says 50)"},
    {.key = "spotVcpuQuota",
     .kind = KNOB_INT32,
     AT(spot_vcpu_quota),
     .unit = "vCPU",
     .doc = "Spot vCPU that the account may hold in this pool.",
     .preset = "800",
     .min = 0,
     .max = 1e7,
     .quality = QUALITY_OFFICIAL,
     .source = "ACK documentation, limits, 2021-07-15"},
    {.key = "notReadyAfter",
     .kind = KNOB_DURATION,
     AT(not_ready_after),
     .doc = "Silence of a node until it is NotReady and its addresses leave the endpoints.",
     .preset = "40s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = "Kubernetes, node-monitor-grace-period before 1.32"},
    {.key = "nodeObjectGone",
     .kind = KNOB_DIST,
     AT(object_gone),
     .doc = "Loss of a machine until its node object is deleted and its pods are made anew.",
     .preset = "60s",
     .quality = QUALITY_ASSUMED,
     .source = "cloud controllers look every 5 s once a node is NotReady; deletion lags some"},
    {.key = "notReadyToleration",
     .kind = KNOB_DURATION,
     AT(toleration),
     .doc = "Pods of a NotReady node are evicted after this at the latest.",
     .preset = "300s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = "Kubernetes, DefaultTolerationSeconds"},
    {.key = "billingStep",
     .kind = KNOB_DURATION,
     AT(billing_step),
     .doc = "Machines are paid in whole steps of this length.",
     .preset = "1s",
     .min = 0.001,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, billing by the second, 2021-07-19"},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct pool_config *c = config;
    if (c->min_size > c->max_size) {
        *key = "minSize";
        return err_set(e, ERR_INPUT, NULL, "%d is above maxSize, %d", (int)c->min_size,
                       (int)c->max_size);
    }
    if (c->initial_size > c->max_size) {
        *key = "initialSize";
        return err_set(e, ERR_INPUT, NULL, "%d is above maxSize, %d", (int)c->initial_size,
                       (int)c->max_size);
    }
    if (c->instance_types.count == 0 || c->zones.count == 0) {
        *key = c->zones.count ? "instanceTypes" : "zones";
        return err_set(e, ERR_INPUT, NULL, "the list is empty; at least one is needed");
    }
    if (c->spot_strategy == POOL_PRICE_LIMIT && c->spot_price_limit.micro == 0) {
        *key = "spotPriceLimit";
        return err_set(e, ERR_INPUT, NULL, "SpotWithPriceLimit needs a limit, such as \"8 CNY\"");
    }
    if (c->spot_strategy > POOL_NO_SPOT && !c->spot_market) {
        *key = "spotMarket";
        return err_set(e, ERR_INPUT, NULL,
                       "a pool that buys spot must name its market: calm, "
                       "plentiful, medium or scarce");
    }
    return 0;
}

const struct knob_table pool_knobs = {
    .name = "nodePool",
    .doc = "An elastic node pool: an ESS scaling group under the node autoscaler.",
    .rows = rows,
    .size = sizeof(struct pool_config),
    .check = check,
};

bool pool_uses_spot(const struct pool_config *c)
{
    return c->spot_market && c->spot_strategy != POOL_NO_SPOT;
}

/* Shares are compared in whole millionths: 0.07 x 100 must be 7, not 7.000000000000001. */
#define MILLION INT64_C(1000000)

static int64_t millionths(double share)
{
    assert(share >= 0 && share <= 1);
    return (int64_t)(share * (double)MILLION + 0.5);
}

static int32_t round_share(const struct pool_config *c, int64_t above)
{
    int64_t product = above * millionths(c->share);
    switch ((enum pool_rounding)c->rounding) {
    case POOL_CEIL:
        return (int32_t)((product + MILLION - 1) / MILLION);
    case POOL_FLOOR:
        return (int32_t)(product / MILLION);
    case POOL_NEAREST:
        return (int32_t)((product + MILLION / 2) / MILLION);
    case POOL_RUNNING_TARGET:
        break;
    }
    assert(0 && "no rounding of its own");
    return 0;
}

static int32_t minimum(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static bool below_running_target(const struct pool_config *c, struct pool_now now)
{
    int64_t above = now.there - minimum(now.on_demand, c->base);
    int64_t on_demand_above = now.on_demand - minimum(now.on_demand, c->base);
    int64_t share = millionths(c->share);
    if (above == 0)
        return share > 0;
    return on_demand_above * MILLION < above * share;
}

bool pool_next_on_demand(const struct pool_config *c, struct pool_now now)
{
    assert(now.on_demand >= 0 && now.on_demand <= now.there);
    if (!pool_uses_spot(c) || now.on_demand < c->base)
        return true;
    if (c->rounding == POOL_RUNNING_TARGET)
        return below_running_target(c, now);
    return now.on_demand < pool_on_demand_target(c, now, now.there + 1);
}

int32_t pool_on_demand_target(const struct pool_config *c, struct pool_now now, int32_t total)
{
    assert(total >= 0);
    if (!pool_uses_spot(c))
        return total;
    if (c->rounding != POOL_RUNNING_TARGET) {
        int32_t base = minimum(c->base, total);
        return base + round_share(c, total - base);
    }
    for (; now.there < total; now.there++)
        now.on_demand += pool_next_on_demand(c, now);
    return minimum(now.on_demand, total);
}

bool pool_plan_cheaper(const struct pool_plan *a, const struct pool_plan *b)
{
    /* a.price / a.vcpu < b.price / b.vcpu, without a division. Prices stay below 1e12 micro. */
    int64_t left = a->micro_per_hour * b->vcpu, right = b->micro_per_hour * a->vcpu;
    if (left != right)
        return left < right;
    if (a->billing != b->billing)
        return a->billing == PRICE_SPOT;
    return a->type < b->type;
}

void pool_sort_plans(struct pool_plan *plans, size_t n)
{
    /* Insertion: at most twice as many plans as a pool has types. */
    for (size_t i = 1; i < n; i++) {
        struct pool_plan p = plans[i];
        size_t j = i;
        for (; j > 0 && pool_plan_cheaper(&p, &plans[j - 1]); j--)
            plans[j] = plans[j - 1];
        plans[j] = p;
    }
}
