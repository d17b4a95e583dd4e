/* pool_knobs: the settings of a node pool, row by row. */
#include "models/capacity/group.h"
#include "models/capacity/pool.h"
#include "models/capacity/spot_trace.h"

#include <string.h>

#include "models/capacity/taint.h"

#include "models/capacity/quota.h"
#include "models/capacity/scaling_task.h"
#include "sim/text.h"

#include <string.h>

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

static const struct knob_name removals[] = {
    {"OldestInstance", SCALING_OLDEST, "the one bought first"},
    {"NewestInstance", SCALING_NEWEST, "the one bought last"},
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
     .preset = "[\"cn-hangzhou-i\"]",
     .min = 1,
     .max = GROUP_ZONES_MAX},
    {.key = "labels",
     .kind = KNOB_MAP,
     AT(labels),
     .doc = "Labels that each node carries.",
     .preset = ""},
    {.key = "taints",
     .kind = KNOB_TEXTS,
     AT(taints),
     .doc = "Taints of each node, as key=value:NoSchedule; pods that do not tolerate them stay "
            "away.",
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
    {.key = "headroom",
     .kind = KNOB_INT32,
     AT(headroom),
     .unit = "GPUs",
     .doc = "GPUs kept free by placeholder pods of priority -1, one GPU each, which real pods push "
            "aside and which are then made again.",
     .preset = "0",
     .min = 0,
     .max = 2000},
    {.key = "headroomCpu",
     .kind = KNOB_QUANTITY,
     AT(headroom_cpu_milli),
     .doc = "CPU request of each placeholder pod.",
     .preset = "0",
     .min = 0,
     .max = 1e5},
    {.key = "headroomMemory",
     .kind = KNOB_BYTES,
     AT(headroom_memory),
     .doc = "Memory request of each placeholder pod.",
     .preset = "0",
     .min = 0,
     .max = 1e13},
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
    {.key = "spotInstanceRemedy",
     .kind = KNOB_BOOL,
     AT(remedy),
     .doc = "Buy a replacement as soon as the platform announces that it takes a spot node back.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = "Terraform provider alicloud, ess_scaling_group, 2026-08-21"},
    {.key = "spotAutoReplaceOnDemand",
     .kind = KNOB_BOOL,
     AT(auto_replace),
     .doc = "Replace nodes that are on demand for want of spot by spot nodes once there are some.",
     .preset = "false",
     .quality = QUALITY_ASSUMED,
     .source = "the documentation names the setting without its default"},
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
    {.key = "spotPriceLimits",
     .kind = KNOB_MAP,
     AT(spot_price_limits),
     .doc = "The same for single instance types, in the scenario's currency: "
            "{\"ecs.gn6v-c8g1.2xlarge\": \"3.5\"}; the others have spotPriceLimit, or none.",
     .preset = ""},
    {.key = "spotMarket",
     .kind = KNOB_TEXT,
     AT(spot_market),
     .doc = "Spot market of the catalogue: calm, plentiful, medium, scarce by the age of machines; "
            "stockMedium, ... by spells of stock; bulkMedium, ... in batches; awsMedium, gcpCalm, "
            "... by the rules of others; moving for its price.",
     .preset = ""},
    {.key = "spotPriceTraces",
     .kind = KNOB_LIST,
     AT(price_traces),
     .doc = "Recorded prices that take the place of the market's own.",
     .preset = "",
     .table = &spot_trace_price_knobs},
    {.key = "spotAvailabilityTraces",
     .kind = KNOB_LIST,
     AT(stock_traces),
     .doc = "Recorded numbers of machines that could be had, in place of the market's losses and "
            "stock.",
     .preset = "",
     .table = &spot_trace_stock_knobs},
    {.key = "onSpotNotice",
     .kind = KNOB_NAME,
     AT(on_notice),
     .doc = "What happens when the platform announces that it takes a node back.",
     .preset = "none",
     .names = notices},
    {.key = "spotNotice",
     .kind = KNOB_DURATION,
     AT(notice),
     .doc = "Time between the notice and the end of a spot node; absent: by the market, which "
            "knows its platform (ECS 300 s, AWS 120 s, GCP 30 s).",
     .preset = "",
     .min = 1,
     .max = 3600},
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
    {.key = "lowestCostCreation",
     .kind = KNOB_BOOL,
     AT(lowest_cost),
     .doc =
         "Buy the cheapest plan per vCPU, spot or on demand, without the split; what ESS does when "
         "base, percentage or spot pools are not given.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = "ESS documentation, cost optimization, 2021-07-09"},
    {.key = "batchSize",
     .kind = KNOB_INT32,
     AT(batch_size),
     .unit = "nodes",
     .doc = "Most nodes that one scale-up buys at once; 0: any number.",
     .preset = "0",
     .min = 0,
     .max = 2000,
     .quality = QUALITY_OFFICIAL,
     .source = "delivery times are published for batches of 1000 (ACK documentation, 2021-07-15); "
               "instant elasticity buys 180 (2025-11) or 500 (2026-05-29)"},
    {.key = "batchInterval",
     .kind = KNOB_DURATION,
     AT(batch_interval),
     .doc = "Distance of two batches of a scale-up.",
     .preset = "30s",
     .min = 1,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "no published figure"},
    {.key = "tasks",
     .kind = KNOB_LIST,
     AT(tasks),
     .doc = "Changes of size that are not the node autoscaler's: scheduled, by hand, by alarm.",
     .preset = "",
     .table = &scaling_task_knobs},
    {.key = "defaultCooldown",
     .kind = KNOB_DURATION,
     AT(cooldown),
     .doc =
         "Time after the last machine that came or went in which alarms are refused; nothing else "
         "waits for it.",
     .preset = "300s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = "ESS documentation, CreateScalingGroup, 2021-07-09"},
    {.key = "removalPolicy",
     .kind = KNOB_NAME,
     AT(removal),
     .doc = "Which machine goes when the group itself shrinks; with COST_OPTIMIZED the dearest per "
            "vCPU goes first, with BALANCE one of the fullest zone.",
     .preset = "OldestInstance",
     .names = removals,
     .quality = QUALITY_OFFICIAL,
     .source = "ESS documentation, 2021-07-09; by cost: scaling policy page, 2025-11"},
    {.key = "failuresPerHour",
     .kind = KNOB_NUMBER,
     AT(failures_per_hour),
     .unit = "per node and hour",
     .doc = "Rate at which machines fail and are replaced by the health check.",
     .preset = "0",
     .min = 0,
     .max = 1000},
    {.key = "healthCheck",
     .kind = KNOB_DURATION,
     AT(health_check),
     .doc = "Failure of a machine until the group restores its minimum.",
     .preset = "60s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "the documentation says at once; no interval of the check is published"},
    {.key = "stockLimits",
     .kind = KNOB_LIST,
     AT(stock_limits),
     .doc = "Quotas of machines by type and zone, and stock-outs at known times.",
     .preset = "",
     .table = &quota_knobs},
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

/* Series of a run are called nodes.<pool> beside these. */
static int check_own_name(const char *name, struct err *e)
{
    static const char *const taken[] = {"total", "onDemand", "spot", "onDemandShare"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(name, taken[i]) == 0)
            return err_set(e, ERR_INPUT, NULL,
                           "'%s' is the name of a figure over all pools; call the pool \"%s-pool\"",
                           name, name);
    return 0;
}

/* One of the list, or nothing. */
static int check_listed(const struct knob_texts *list, const char *asked, struct err *e)
{
    const char *near = asked ? text_nearest(asked, list->items, list->count) : NULL;
    for (size_t i = 0; asked && i < list->count; i++)
        if (strcmp(list->items[i], asked) == 0)
            return 0;
    if (!asked)
        return 0;
    return err_set(e, ERR_INPUT, NULL, "the pool buys nothing of '%s'%s%s%s", asked,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A limit on what the pool does not buy is a slip. */
static int check_limits(const struct pool_config *c, struct err *e)
{
    const struct quota *limits = c->stock_limits.items;
    for (size_t i = 0; i < c->stock_limits.count; i++)
        if (check_listed(&c->instance_types, limits[i].type, e) ||
            check_listed(&c->zones, limits[i].zone, e))
            return -1;
    return 0;
}

static int check_type_limits(const struct pool_config *c, struct err *e)
{
    const struct knob_pair *limits = c->spot_price_limits.items;
    for (size_t i = 0; i < c->spot_price_limits.count; i++) {
        int64_t micro;
        if (check_listed(&c->instance_types, limits[i].key, e))
            return -1;
        if (!text_parse_micro(limits[i].value, &micro) || micro <= 0)
            return err_set(e, ERR_INPUT, NULL,
                           "%s: '%.40s' is no price of an hour; expected an amount such as \"3.5\"",
                           limits[i].key, limits[i].value);
    }
    return 0;
}

/* A limit that no bid has is a slip, and so is a bid without a limit or a market. */
static int check_bid(const struct pool_config *c, const char **key, struct err *e)
{
    bool limited = c->spot_price_limit.currency[0] != '\0';
    bool some = c->spot_price_limits.count > 0;
    *key = some ? "spotPriceLimits" : "spotPriceLimit";
    if (c->spot_strategy == POOL_PRICE_LIMIT && c->spot_price_limit.micro == 0 && !some)
        return err_set(e, ERR_INPUT, NULL, "SpotWithPriceLimit needs a limit, such as \"8 CNY\"");
    if (c->spot_strategy != POOL_PRICE_LIMIT && (limited || some))
        return err_set(e, ERR_INPUT, NULL, "goes with spotStrategy SpotWithPriceLimit alone");
    if (check_type_limits(c, e))
        return -1;
    *key = "spotMarket";
    if (c->spot_strategy > POOL_NO_SPOT && !c->spot_market)
        return err_set(e, ERR_INPUT, NULL,
                       "a pool that buys spot must name its market: calm, plentiful, medium or "
                       "scarce");
    return 0;
}

static int check(const void *config, const char **key, struct err *e)
{
    const struct pool_config *c = config;
    *key = "stockLimits";
    if (check_limits(c, e))
        return -1;
    *key = "name";
    if (check_own_name(c->name, e))
        return -1;
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
    *key = "taints";
    for (size_t i = 0; i < c->taints.count; i++)
        if (taint_check(c->taints.items[i], e))
            return -1;
    if (c->instance_types.count == 0 || c->zones.count == 0) {
        *key = c->zones.count ? "instanceTypes" : "zones";
        return err_set(e, ERR_INPUT, NULL, "the list is empty; at least one is needed");
    }
    if (c->lowest_cost && c->policy != POOL_COST_OPTIMIZED) {
        *key = "lowestCostCreation";
        return err_set(e, ERR_INPUT, NULL, "goes with multiAZPolicy COST_OPTIMIZED alone");
    }
    if (check_bid(c, key, e))
        return -1;
    if (!pool_uses_spot(c) && c->price_traces.count + c->stock_traces.count > 0) {
        *key = c->price_traces.count ? "spotPriceTraces" : "spotAvailabilityTraces";
        return err_set(e, ERR_INPUT, NULL, "the pool buys no spot machines; name its spotMarket");
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
