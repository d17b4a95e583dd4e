/* virtual_node: settings of the virtual node, row by row. */
#include "models/capacity/virtual_node.h"

#include "models/capacity/eci.h"
#include "models/capacity/quota.h"
#include "models/capacity/spot_trace.h"

#include "sim/err.h"

#define AT(field) .offset = offsetof(struct virtual_node_config, field)

static const struct knob_name bursts[] = {
    {"none", VIRTUAL_NODE_ROUTED, "only pods that ask for it"},
    {"eci", VIRTUAL_NODE_ECI, "nodes first, ECI when they are short"},
    {"eci_only", VIRTUAL_NODE_ECI_ONLY, "every pod"},
    {0},
};

static const struct knob_name whens[] = {
    {"pool_exhausted", VIRTUAL_NODE_POOL_EXHAUSTED,
     "no pool can bring a node for it: at its maximum, out of stock or quota"},
    {"no_node", VIRTUAL_NODE_NO_NODE, "no node that is there has room, as ACK's scheduler does it"},
    {0},
};

static const struct knob_name counts[] = {
    {"eci", VIRTUAL_NODE_ECI_COUNTS, "the GPU table of the ECI documents"},
    {"ecs", VIRTUAL_NODE_ECS_COUNTS, "the catalogue of ECS instance types"},
    {0},
};

static const struct knob_name strategies[] = {
    {"NoSpot", VIRTUAL_NODE_NO_SPOT, "pay as you go"},
    {"SpotAsPriceGo", VIRTUAL_NODE_AS_PRICE, "preemptible at the market price"},
    {"SpotWithPriceLimit", VIRTUAL_NODE_LIMIT, "preemptible up to spotPriceLimit"},
    {0},
};

static const struct knob_name on_notice[] = {
    {"none", 0, "the pod runs until it is gone"},
    {"drain", 1, "a handler replaces the pod within the notice"},
    {0},
};

#define ECI_LIMITS "Alibaba Cloud ECI, limits page, newer copy (2024)"
#define CSK "ACK documentation, ECI pods (2021-07-15)"
#define CPU_PRICE "ACK documentation, ECI prices in mainland regions (2021-07-15): "

static const struct knob rows[] = {
    {.key = "burstResource",
     .kind = KNOB_NAME,
     AT(burst),
     .doc = "Which pods run on ECI, apart from those that their own manifest sends there.",
     .preset = "none",
     .names = bursts},
    {.key = "burstWhen",
     .kind = KNOB_NAME,
     AT(when),
     .doc = "When nodes count as short for burstResource eci.",
     .preset = "pool_exhausted",
     .names = whens},
    {.key = "specCounts",
     .kind = KNOB_NAME,
     AT(counts),
     .doc = "Whose count of GPUs holds where the documents differ (56 vCPU with P4: 4 or 2).",
     .preset = "eci",
     .names = counts},
    {.key = "zones",
     .kind = KNOB_TEXTS,
     AT(zones),
     .doc = "Zones of its vSwitches, in the order in which they are tried; absent: one without a "
            "name.",
     .preset = ""},
    {.key = "vSwitches",
     .kind = KNOB_MAP,
     AT(vswitches),
     .doc = "Zone of each vSwitch that the annotation eci-vswitch names.",
     .preset = ""},
    {.key = "randomZones",
     .kind = KNOB_BOOL,
     AT(random_zones),
     .doc = "Try the zones in any order (annotation eci-schedule-strategy: VSwitchRandom).",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = CSK},
    {.key = "stockLimits",
     .kind = KNOB_LIST,
     AT(stock_limits),
     .doc = "Quotas of instances by type and zone, and stock-outs at known times.",
     .preset = "",
     .table = &quota_knobs},
    {.key = "region",
     .kind = KNOB_TEXT,
     AT(region),
     .doc = "Region of prices, and of sizes without GPUs that not every region sells; absent: any.",
     .preset = ""},
    {.key = "vcpuPrice",
     .kind = KNOB_MONEY,
     AT(vcpu_price),
     .doc = "An hour of a vCPU of instances without GPUs, in the run's currency.",
     .preset = "0.1764 CNY",
     .quality = QUALITY_OFFICIAL,
     .source = CPU_PRICE "0.000049 CNY a second; economy vCPUs cost 0.0972 CNY an hour by a mirror "
                         "of the help page"},
    {.key = "memoryPrice",
     .kind = KNOB_MONEY,
     AT(memory_price),
     .doc = "An hour of a GiB of memory of instances without GPUs, in the run's currency.",
     .preset = "0.022068 CNY",
     .quality = QUALITY_OFFICIAL,
     .source = CPU_PRICE "0.00000613 CNY a second"},
    {.key = "create",
     .kind = KNOB_DIST,
     AT(create),
     .doc = "From the creation call until the image download starts.",
     .preset = "{\"distribution\": \"lognormal\", \"mean\": \"10.5s\", \"cv\": 0.3}",
     .quality = QUALITY_ASSUMED,
     .source = "no published figure for GPU instances; a batch of 1000 pods without image cache "
               "runs after 30 s (ACK auto scaling overview, 2021-07-15)"},
    {.key = "createBurst",
     .kind = KNOB_INT,
     AT(create_burst),
     .unit = "calls",
     .doc = "Creation calls that are accepted at once.",
     .preset = "100",
     .min = 1,
     .max = 1e6,
     .quality = QUALITY_OFFICIAL,
     .source = ECI_LIMITS},
    {.key = "createRate",
     .kind = KNOB_NUMBER,
     AT(create_rate),
     .unit = "calls/s",
     .doc = "Creation calls a second that are accepted in the long run.",
     .preset = "20",
     .min = 0.001,
     .max = 1e6,
     .quality = QUALITY_OFFICIAL,
     .source = ECI_LIMITS},
    {.key = "imageCache",
     .kind = KNOB_BOOL,
     AT(image_cache),
     .doc = "Images come from an image cache (annotation eci-image-cache).",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = CSK},
    {.key = "cachedImage",
     .kind = KNOB_DURATION,
     AT(cached_image),
     .doc = "Time that an image takes from the cache.",
     .preset = "5s",
     .min = 0.001,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = "Alibaba Cloud help 365643, image of 386 MB, called theoretical (2024-11-05)"},
    {.key = "billingStep",
     .kind = KNOB_DURATION,
     AT(billing_step),
     .doc = "Unit that is paid for whole.",
     .preset = "1s",
     .min = 1,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = "Alibaba Cloud help, billing of elastic container instances (2022-11-07)"},
    {.key = "retryInterval",
     .kind = KNOB_DURATION,
     AT(retry),
     .doc = "Distance of two looks at pods that wait for a quota or for nodes, and the wait after "
            "the first creation call that failed; it doubles up to retryLongest.",
     .preset = "10s",
     .min = 0.1,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "errors of creation are retried (ACK documentation); no interval is published"},
    {.key = "retryLongest",
     .kind = KNOB_DURATION,
     AT(retry_longest),
     .doc = "Longest wait between two creation calls of a pod.",
     .preset = "5m",
     .min = 0.1,
     .max = 86400,
     .quality = QUALITY_ASSUMED,
     .source = "Kubernetes' longest wait before a container is made again (Pod lifecycle, 2024); "
               "ECI publishes none"},
    {.key = "createTries",
     .kind = KNOB_INT32,
     AT(tries),
     .unit = "calls",
     .doc = "Creation calls that fail until a pod with rescheduleEnable false is Failed.",
     .preset = "5",
     .min = 2,
     .max = 1000,
     .quality = QUALITY_ASSUMED,
     .source = "errors of creation are retried a number of times (ACK documentation, 2021-07-15); "
               "the number is not published"},
    {.key = "vcpuQuota",
     .kind = KNOB_INT32,
     AT(vcpu_quota),
     .unit = "vCPU",
     .doc = "vCPUs that the account may hold in the region at once; 0: no quota.",
     .preset = "0",
     .min = 0,
     .max = 1e8},
    {.key = "noStockShare",
     .kind = KNOB_SHARE,
     AT(no_stock),
     .doc = "Share of creation calls that find no stock of a spec.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "rescheduleEnable",
     .kind = KNOB_BOOL,
     AT(reschedule),
     .doc = "A pod that gets no instance stays Pending and is tried again; false: it is Failed "
            "after createTries calls, which a Job counts against its backoffLimit (annotation "
            "eci-reschedule-enable).",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = CSK},
    {.key = "spotStrategy",
     .kind = KNOB_NAME,
     AT(strategy),
     .doc = "How instances are paid for (annotation eci-spot-strategy).",
     .preset = "NoSpot",
     .names = strategies},
    {.key = "spotPriceLimit",
     .kind = KNOB_MONEY,
     AT(price_limit),
     .doc = "Most that an hour may cost (annotation eci-spot-price-limit).",
     .preset = ""},
    {.key = "spotMarket",
     .kind = KNOB_TEXT,
     AT(market),
     .doc = "Market preset of the catalogue for preemptible instances.",
     .preset = ""},
    {.key = "spotPriceTraces",
     .kind = KNOB_LIST,
     AT(price_traces),
     .doc =
         "Recorded spot prices of its instance types in its zones, in place of the market's own.",
     .preset = "",
     .table = &spot_trace_price_knobs},
    {.key = "spotAvailabilityTraces",
     .kind = KNOB_LIST,
     AT(stock_traces),
     .doc = "Recorded numbers of preemptible instances that its zones can hold, in place of the "
            "market's losses and stock.",
     .preset = "",
     .table = &spot_trace_stock_knobs},
    {.key = "spotProtection",
     .kind = KNOB_DURATION,
     AT(protection),
     .doc = "Time at the purchase price in which a preemptible instance is not taken back.",
     .preset = "1h",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = CSK},
    {.key = "spotNotice",
     .kind = KNOB_DURATION,
     AT(notice),
     .doc = "Event SpotToBeReleased until the instance is gone.",
     .preset = "180s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = "Alibaba Cloud help 165053; another page of 2026-03-26 says 5 minutes"},
    {.key = "onSpotNotice",
     .kind = KNOB_NAME,
     AT(on_notice),
     .doc = "What listens to the notice.",
     .preset = "none",
     .names = on_notice},
    {.key = "failureReport",
     .kind = KNOB_DURATION,
     AT(report),
     .doc = "End of an instance until its pod is Failed and its owner replaces it.",
     .preset = "5s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "poll interval of the virtual kubelet's provider; no published figure"},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct virtual_node_config *c = config;
    bool limited = c->price_limit.currency[0] != '\0';
    *key = "zones";
    if (c->zones.count > ECI_ZONES_MAX)
        return err_set(e, ERR_INPUT, NULL, "%zu zones; at most %d", c->zones.count, ECI_ZONES_MAX);
    *key = "spotPriceLimit";
    if (c->strategy == VIRTUAL_NODE_LIMIT && !limited)
        return err_set(e, ERR_INPUT, NULL, "spotStrategy SpotWithPriceLimit needs one");
    if (c->strategy != VIRTUAL_NODE_LIMIT && limited)
        return err_set(e, ERR_INPUT, NULL, "goes with spotStrategy SpotWithPriceLimit alone");
    *key = "spotMarket";
    if (c->strategy != VIRTUAL_NODE_NO_SPOT && !c->market)
        return err_set(e, ERR_INPUT, NULL, "spotStrategy needs the name of a market preset");
    *key = c->price_traces.count ? "spotPriceTraces" : "spotAvailabilityTraces";
    if (c->price_traces.count + c->stock_traces.count > 0 && !c->market)
        return err_set(
            e, ERR_INPUT, NULL,
            "traces are for preemptible instances; spotMarket must name a market preset");
    return 0;
}

const struct knob_table virtual_node_knobs = {
    .name = "virtualNode",
    .doc = "The virtual node: pods as elastic container instances, without nodes.",
    .rows = rows,
    .size = sizeof(struct virtual_node_config),
    .check = check,
};
