/* node_settings: the knob table of the node autoscaler, its profiles and versions. */
#include "models/control/node_settings.h"

#include "models/control/node_expander.h"
#include "sim/json.h"
#include "sim/money.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum profile { PROFILE_UPSTREAM, PROFILE_ACK };
enum comparison { COMPARE_BY_VERSION, COMPARE_BELOW, COMPARE_AT_MOST };
enum gpu_choice { GPU_BY_PROFILE, GPU_ONLY, GPU_MAX, GPU_IGNORED };
enum meaning { MEANING_UNSAID, MEANING_COOL_DOWN_IS_TRIGGER, MEANING_UNNEEDED_IS_TRIGGER };

/* What may be left to the profile or the version. */
struct optional_time {
    bool given;
    sim_ns ns;
};
struct optional_flag {
    bool given, value;
};
struct version {
    bool given;
    int32_t minor; /* of 1.x */
};

struct node_settings {
    int profile;
    struct version version;
    struct optional_time scan_interval;
    struct optional_flag frequent_loops;
    sim_ns min_loop, pod_wait, gpu_pod_wait, new_pod_delay;
    int32_t priority_cutoff, max_nodes_total, max_nodes_per_scale_up;
    bool scale_up_from_zero, balance_similar;
    struct knob_texts expanders;
    struct knob_list priorities; /* struct node_priority_rule */
    struct money price_cpu, price_gib;
    sim_ns max_node_provision, backoff_initial, backoff_max, backoff_reset;
    struct optional_flag creation_errors_reported;
    int32_t ok_unready;
    double max_unready_share;
    int gpu_ready_patched;
    bool scale_down, scale_down_unready;
    double utilization_threshold, gpu_utilization_threshold;
    int comparison, gpu_choice;
    bool ignore_daemon_pods, ignore_mirror_pods, skip_system_pods;
    struct optional_flag skip_local_storage;
    int32_t min_replica_count;
    struct optional_time unneeded_time, delay_after_add, cool_down, ack_unneeded;
    int meaning;
    sim_ns unready_time, delay_after_delete, delay_after_failure;
    bool delay_local;
    sim_ns unremovable_recheck;
    int32_t max_deletions, max_drains;
    sim_ns delay_after_taint, eviction_retry;
    struct optional_time max_graceful_termination;
    bool evict_daemon_pods_empty;
    struct optional_flag evict_daemon_pods_occupied;
};

static int refuse(const struct json *value, const char *path, const char *allowed, struct err *e)
{
    char place[512];
    bool scalar = value->type == JSON_STRING || value->type == JSON_NUMBER;
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, value), "%s: %s is not %s", path,
                   scalar ? value->string : json_type_name(value->type), allowed);
}

static int read_time(struct bind *b, const struct json *value, const char *path, void *out,
                     struct err *e)
{
    struct optional_time *t = out;
    (void)b;
    if (value->type != JSON_STRING || !text_parse_duration(value->string, &t->ns) || t->ns < 0)
        return refuse(value, path, "a duration such as \"10m\"", e);
    t->given = true;
    return 0;
}

/* A scan must take time, or the clock would stand still. */
static int read_interval(struct bind *b, const struct json *value, const char *path, void *out,
                         struct err *e)
{
    struct optional_time *t = out;
    if (read_time(b, value, path, out, e) != 0)
        return -1;
    return t->ns >= SIM_SECOND ? 0 : refuse(value, path, "at least \"1s\"", e);
}

static int read_flag(struct bind *b, const struct json *value, const char *path, void *out,
                     struct err *e)
{
    (void)b;
    if (value->type != JSON_BOOL)
        return refuse(value, path, "true or false", e);
    *(struct optional_flag *)out = (struct optional_flag){.given = true, .value = value->boolean};
    return 0;
}

/* "1.36", "1.36.1", "v1.36": the minor number decides. */
static bool parse_version(const char *s, int32_t *minor)
{
    int64_t n = 0;
    if (*s == 'v')
        s++;
    if (strncmp(s, "1.", 2) != 0)
        return false;
    s += 2;
    const char *first = s;
    for (; *s >= '0' && *s <= '9' && n < 1000; s++)
        n = n * 10 + (*s - '0');
    bool patch = *s == '.' && s[1] >= '0' && s[1] <= '9';
    *minor = (int32_t)n;
    return s > first && n < 1000 && (*s == '\0' || patch);
}

static int read_version(struct bind *b, const struct json *value, const char *path, void *out,
                        struct err *e)
{
    struct version *v = out;
    (void)b;
    if (value->type != JSON_STRING || !parse_version(value->string, &v->minor))
        return refuse(value, path, "a version such as \"1.36\" (in quotes)", e);
    v->given = true;
    return 0;
}

static const struct knob_name profile_names[] = {
    {"upstream", PROFILE_UPSTREAM, "cluster-autoscaler with its own flags and defaults"},
    {"ack", PROFILE_ACK, "Alibaba Cloud ACK: its defaults, and its two ten-minute settings"},
    {0},
};
static const struct knob_name gpu_ready_names[] = {
    {"patched", 1, "a GPU node counts as starting until its GPUs are allocatable"},
    {"unpatched", 0, "Ready is ready: a pending GPU pod buys node after node meanwhile"},
    {0},
};
static const struct knob_name comparison_names[] = {
    {"byVersion", COMPARE_BY_VERSION, "below up to 1.34, atMost from 1.35"},
    {"below", COMPARE_BELOW, "utilization < threshold"},
    {"atMost", COMPARE_AT_MOST, "utilization <= threshold"},
    {0},
};
static const struct knob_name gpu_names[] = {
    {"byProfile", GPU_BY_PROFILE, "gpuOnly upstream, max on ACK"},
    {"gpuOnly", GPU_ONLY, "the GPU share alone"},
    {"max", GPU_MAX, "the largest of CPU, memory and GPU"},
    {"ignored", GPU_IGNORED, "CPU and memory only, as before GPUs were looked at"},
    {0},
};
static const struct knob_name meaning_names[] = {
    {"unsaid", MEANING_UNSAID, "allowed while both are equal"},
    {"coolDownIsTrigger", MEANING_COOL_DOWN_IS_TRIGGER,
     "coolDownDuration: wait before a removal; unneededDuration: silence after nodes were added"},
    {"unneededIsTrigger", MEANING_UNNEEDED_IS_TRIGGER,
     "unneededDuration: wait before a removal; coolDownDuration: silence after nodes were added"},
    {0},
};

static const struct knob priority_rows[] = {
    {.key = "priority",
     .kind = KNOB_INT32,
     .offset = offsetof(struct node_priority_rule, priority),
     .doc = "The highest number among the matching patterns wins.",
     .min = -1000000000,
     .max = 1000000000},
    {.key = "pattern",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct node_priority_rule, pattern),
     .doc = "POSIX extended regular expression, found anywhere in the node pool's name."},
    {0},
};
static const struct knob_table priority_table = {
    .name = "expanderPriority",
    .doc = "One line of the priority expander's table.",
    .rows = priority_rows,
    .size = sizeof(struct node_priority_rule),
};

#define UPSTREAM "cluster-autoscaler 1.36.1, flags"
#define UPSTREAM_CODE "cluster-autoscaler 1.36.1, source"
#define TERRAFORM "terraform-provider-alicloud cs_autoscaling_config, 2026-08-21"
#define AT(field) .offset = offsetof(struct node_settings, field)

static const struct knob rows[] = {
    {.key = "profile",
     .kind = KNOB_NAME,
     AT(profile),
     .doc = "Whose defaults hold for what is left out.",
     .preset = "ack",
     .names = profile_names},
    {.key = "version",
     .kind = KNOB_CUSTOM,
     AT(version),
     .doc = "Version of cluster-autoscaler; decides what changed over time. Upstream 1.36, ACK "
            "1.20 (the build behind ACK's autoscaler is not documented).",
     .preset = "",
     .quality = QUALITY_ASSUMED,
     .source = "Kubernetes of the 2021 ACK example; upstream tag of 2026",
     .read = read_version,
     .shape = "a version such as \"1.36\""},
    {.key = "scanInterval",
     .kind = KNOB_CUSTOM,
     AT(scan_interval),
     .doc = "Time between two scans. Upstream 10 s, ACK 30 s (its API page says 60 s).",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM,
     .read = read_interval,
     .shape = "a duration, at least \"1s\""},
    {.key = "frequentLoops",
     .kind = KNOB_CUSTOM,
     AT(frequent_loops),
     .doc = "A scan that did something is followed by the next at once, and a new pending pod "
            "starts one. On from 1.35, off before and on ACK.",
     .preset = "",
     .quality = QUALITY_ASSUMED,
     .source = UPSTREAM "; the version of the change was not looked up",
     .read = read_flag,
     .shape = "true or false"},
    {.key = "minLoopInterval",
     .kind = KNOB_DURATION,
     AT(min_loop),
     .doc = "Shortest time between two scans with frequentLoops.",
     .preset = "1s",
     .min = 0.001,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "a real scan takes some time; its length is not documented"},
    {.key = "unschedulablePodAge",
     .kind = KNOB_DURATION,
     AT(pod_wait),
     .doc = "While the oldest pending pod is younger, a scan waits for more.",
     .preset = "2s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM_CODE},
    {.key = "unschedulableGpuPodAge",
     .kind = KNOB_DURATION,
     AT(gpu_pod_wait),
     .doc = "The same when the oldest pending pod that wants a GPU is younger.",
     .preset = "30s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM_CODE},
    {.key = "newPodScaleUpDelay",
     .kind = KNOB_DURATION,
     AT(new_pod_delay),
     .doc = "Pending pods younger than this are not looked at.",
     .preset = "0s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "expendablePodsPriorityCutoff",
     .kind = KNOB_INT32,
     AT(priority_cutoff),
     .doc = "Pods with a lower priority neither buy nor keep a node.",
     .preset = "-10",
     .min = -2147483648.0,
     .max = 2147483647.0,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxNodesTotal",
     .kind = KNOB_INT32,
     AT(max_nodes_total),
     .unit = "nodes",
     .doc = "Most nodes of all pools together; 0: no limit.",
     .preset = "0",
     .min = 0,
     .max = 1000000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxNodesPerScaleUp",
     .kind = KNOB_INT32,
     AT(max_nodes_per_scale_up),
     .unit = "nodes",
     .doc = "Most nodes that one scan adds.",
     .preset = "1000",
     .min = 1,
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "scaleUpFromZero",
     .kind = KNOB_BOOL,
     AT(scale_up_from_zero),
     .doc = "Whether to act while no node of the cluster is ready.",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "balanceSimilarNodeGroups",
     .kind = KNOB_BOOL,
     AT(balance_similar),
     .doc = "Spread new nodes over similar pools, smallest first.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "expander",
     .kind = KNOB_TEXTS,
     AT(expanders),
     .doc = "How one pool is picked of several: random, least-waste, most-pods, least-nodes, "
            "priority, price; several are a chain. Left out: random up to 1.30, least-waste "
            "later and on ACK.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; ACK documents of 2021-07-15"},
    {.key = "expanderPriorities",
     .kind = KNOB_LIST,
     AT(priorities),
     .doc = "Table of the priority expander.",
     .preset = "",
     .table = &priority_table},
    {.key = "pricePerCpuHour",
     .kind = KNOB_MONEY,
     AT(price_cpu),
     .doc = "What the price expander holds a pod's core to be worth.",
     .preset = ""},
    {.key = "pricePerGibHour",
     .kind = KNOB_MONEY,
     AT(price_gib),
     .doc = "The same for a GiB of memory.",
     .preset = ""},
    {.key = "maxNodeProvisionTime",
     .kind = KNOB_DURATION,
     AT(max_node_provision),
     .doc = "Nodes that have not come by then are written off and the pool is backed off.",
     .preset = "15m",
     .min = 1,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "initialNodeGroupBackoff",
     .kind = KNOB_DURATION,
     AT(backoff_initial),
     .doc = "First back-off of a pool after a failed scale-up.",
     .preset = "5m",
     .min = 0,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxNodeGroupBackoff",
     .kind = KNOB_DURATION,
     AT(backoff_max),
     .doc = "Longest back-off.",
     .preset = "30m",
     .min = 0,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "nodeGroupBackoffReset",
     .kind = KNOB_DURATION,
     AT(backoff_reset),
     .doc = "Time after the last failure until the back-off starts small again.",
     .preset = "3h",
     .min = 0,
     .max = 8640000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "creationErrorsReported",
     .kind = KNOB_CUSTOM,
     AT(creation_errors_reported),
     .doc = "Whether the cloud tells at once that it could not make an instance; else that shows "
            "after maxNodeProvisionTime. Upstream true (as the large clouds do), ACK false.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = "kubernetes/autoscaler, provider alicloud: its instances carry no status",
     .read = read_flag,
     .shape = "true or false"},
    {.key = "okTotalUnreadyCount",
     .kind = KNOB_INT32,
     AT(ok_unready),
     .unit = "nodes",
     .doc = "That many unready or missing nodes are always accepted.",
     .preset = "3",
     .min = 0,
     .max = 1000000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxTotalUnreadyPercentage",
     .kind = KNOB_PERCENT,
     AT(max_unready_share),
     .doc = "Above this share of unready or missing nodes the autoscaler stops.",
     .preset = "45",
     .min = 0,
     .max = 100,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "gpuReadiness",
     .kind = KNOB_NAME,
     AT(gpu_ready_patched),
     .doc = "How a node is seen that is Ready while its device plugin has not spoken yet.",
     .preset = "patched",
     .quality = QUALITY_OFFICIAL,
     .source = "kubernetes/autoscaler pull request 461",
     .names = gpu_ready_names},
    {.key = "scaleDownEnabled",
     .kind = KNOB_BOOL,
     AT(scale_down),
     .doc = "Whether nodes are given back.",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "scaleDownUnreadyEnabled",
     .kind = KNOB_BOOL,
     AT(scale_down_unready),
     .doc = "Whether nodes that are not ready are given back.",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "scaleDownUtilizationThreshold",
     .kind = KNOB_SHARE,
     AT(utilization_threshold),
     .doc = "A node without GPUs is unneeded below this share of requests in allocatable.",
     .preset = "0.5",
     .min = 0,
     .max = 1,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "scaleDownGpuUtilizationThreshold",
     .kind = KNOB_SHARE,
     AT(gpu_utilization_threshold),
     .doc = "The same for a node with GPUs (ACK's API page says 0.3).",
     .preset = "0.5",
     .min = 0,
     .max = 1,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "utilizationComparison",
     .kind = KNOB_NAME,
     AT(comparison),
     .doc = "Whether a node exactly at the threshold is unneeded.",
     .preset = "byVersion",
     .names = comparison_names},
    {.key = "gpuUtilization",
     .kind = KNOB_NAME,
     AT(gpu_choice),
     .doc = "What counts as the utilization of a node with GPUs.",
     .preset = "byProfile",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM_CODE "; ACK API CreateAutoscalingConfig (all three below)",
     .names = gpu_names},
    {.key = "ignoreDaemonSetsUtilization",
     .kind = KNOB_BOOL,
     AT(ignore_daemon_pods),
     .doc = "Leave DaemonSet pods out of a node's utilization.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "ignoreMirrorPodsUtilization",
     .kind = KNOB_BOOL,
     AT(ignore_mirror_pods),
     .doc = "Leave static pods out of a node's utilization.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "skipNodesWithSystemPods",
     .kind = KNOB_BOOL,
     AT(skip_system_pods),
     .doc = "kube-system pods without a disruption budget keep their node.",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "skipNodesWithLocalStorage",
     .kind = KNOB_CUSTOM,
     AT(skip_local_storage),
     .doc = "Pods with local storage keep their node. Upstream true, ACK false.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM,
     .read = read_flag,
     .shape = "true or false"},
    {.key = "minReplicaCount",
     .kind = KNOB_INT32,
     AT(min_replica_count),
     .unit = "replicas",
     .doc = "Pods of a controller with fewer replicas keep their node.",
     .preset = "0",
     .min = 0,
     .max = 1000000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "scaleDownUnneededTime",
     .kind = KNOB_CUSTOM,
     AT(unneeded_time),
     .doc = "How long a node must be unneeded before it goes: 10 min.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM,
     .read = read_time,
     .shape = "a duration"},
    {.key = "scaleDownUnreadyTime",
     .kind = KNOB_DURATION,
     AT(unready_time),
     .doc = "The same for a node that is not ready.",
     .preset = "20m",
     .min = 0,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "scaleDownDelayAfterAdd",
     .kind = KNOB_CUSTOM,
     AT(delay_after_add),
     .doc = "No node goes that soon after a scale-up: 10 min.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM,
     .read = read_time,
     .shape = "a duration"},
    {.key = "coolDownDuration",
     .kind = KNOB_CUSTOM,
     AT(cool_down),
     .doc = "ACK's cool_down_duration, 10 min. Its meaning is disputed: see tenMinuteMeaning.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = TERRAFORM,
     .read = read_time,
     .shape = "a duration"},
    {.key = "unneededDuration",
     .kind = KNOB_CUSTOM,
     AT(ack_unneeded),
     .doc = "ACK's unneeded_duration, 10 min. Its meaning is disputed: see tenMinuteMeaning.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = TERRAFORM,
     .read = read_time,
     .shape = "a duration"},
    {.key = "tenMinuteMeaning",
     .kind = KNOB_NAME,
     AT(meaning),
     .doc = "Which of ACK's two ten-minute settings is the wait before a removal and which the "
            "silence after nodes were added. Needed as soon as the two differ.",
     .preset = "unsaid",
     .names = meaning_names},
    {.key = "scaleDownDelayAfterDelete",
     .kind = KNOB_DURATION,
     AT(delay_after_delete),
     .doc = "No node goes that soon after another went.",
     .preset = "0s",
     .min = 0,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "scaleDownDelayAfterFailure",
     .kind = KNOB_DURATION,
     AT(delay_after_failure),
     .doc = "No node goes that soon after a removal failed.",
     .preset = "3m",
     .min = 0,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "scaleDownDelayTypeLocal",
     .kind = KNOB_BOOL,
     AT(delay_local),
     .doc = "The three delays count for each pool alone.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "unremovableNodeRecheckTimeout",
     .kind = KNOB_DURATION,
     AT(unremovable_recheck),
     .doc = "A node whose pods could not move is looked at again after this.",
     .preset = "5m",
     .min = 0,
     .max = 864000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxScaleDownParallelism",
     .kind = KNOB_INT32,
     AT(max_deletions),
     .unit = "nodes",
     .doc = "Most nodes being deleted at once.",
     .preset = "10",
     .min = 1,
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxDrainParallelism",
     .kind = KNOB_INT32,
     AT(max_drains),
     .unit = "nodes",
     .doc = "Most of them with pods to move.",
     .preset = "1",
     .min = 1,
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "nodeDeleteDelayAfterTaint",
     .kind = KNOB_DURATION,
     AT(delay_after_taint),
     .doc = "Pause between closing a node and deleting it.",
     .preset = "5s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxPodEvictionTime",
     .kind = KNOB_DURATION,
     AT(eviction_retry),
     .doc = "How long an eviction is tried again.",
     .preset = "2m",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM},
    {.key = "maxGracefulTermination",
     .kind = KNOB_CUSTOM,
     AT(max_graceful_termination),
     .doc = "How long a drain waits for pods to end. Upstream 10 min, ACK 4 h.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM,
     .read = read_time,
     .shape = "a duration"},
    {.key = "daemonsetEvictionForEmptyNodes",
     .kind = KNOB_BOOL,
     AT(evict_daemon_pods_empty),
     .doc = "Evict DaemonSet pods gracefully from empty nodes.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM},
    {.key = "daemonsetEvictionForOccupiedNodes",
     .kind = KNOB_CUSTOM,
     AT(evict_daemon_pods_occupied),
     .doc = "The same from nodes with other pods. Upstream true, ACK false.",
     .preset = "",
     .quality = QUALITY_OFFICIAL,
     .source = UPSTREAM "; " TERRAFORM,
     .read = read_flag,
     .shape = "true or false"},
    {0},
};

/* The presets above, for callers without a scenario; a test holds the two together. */
static const struct node_settings defaults = {
    .profile = PROFILE_ACK,
    .min_loop = SIM_SECOND,
    .pod_wait = 2 * SIM_SECOND,
    .gpu_pod_wait = 30 * SIM_SECOND,
    .priority_cutoff = -10,
    .max_nodes_per_scale_up = 1000,
    .scale_up_from_zero = true,
    .max_node_provision = 15 * SIM_MINUTE,
    .backoff_initial = 5 * SIM_MINUTE,
    .backoff_max = 30 * SIM_MINUTE,
    .backoff_reset = 3 * SIM_HOUR,
    .ok_unready = 3,
    .max_unready_share = 0.45,
    .gpu_ready_patched = 1,
    .scale_down = true,
    .scale_down_unready = true,
    .utilization_threshold = 0.5,
    .gpu_utilization_threshold = 0.5,
    .skip_system_pods = true,
    .unready_time = 20 * SIM_MINUTE,
    .delay_after_failure = 3 * SIM_MINUTE,
    .unremovable_recheck = 5 * SIM_MINUTE,
    .max_deletions = 10,
    .max_drains = 1,
    .delay_after_taint = 5 * SIM_SECOND,
    .eviction_retry = 2 * SIM_MINUTE,
};

static sim_ns time_or(struct optional_time t, sim_ns fallback)
{
    return t.given ? t.ns : fallback;
}

static bool flag_or(struct optional_flag f, bool fallback)
{
    return f.given ? f.value : fallback;
}

static int fail(const char **key, const char *which, struct err *e, const char *msg)
{
    *key = which;
    return err_set(e, ERR_INPUT, "", "%s", msg);
}

/* N25 and N23 under ACK's names (their documents disagree which is which). */
static int resolve_ack_times(const struct node_settings *s, struct node_scaler_config *out,
                             const char **key, struct err *e)
{
    sim_ns cool = time_or(s->cool_down, 10 * SIM_MINUTE);
    sim_ns unneeded = time_or(s->ack_unneeded, 10 * SIM_MINUTE);
    if (cool != unneeded && s->meaning == MEANING_UNSAID) {
        char a[32], b[32];
        *key = "tenMinuteMeaning";
        return err_set(e, ERR_INPUT, "",
                       "coolDownDuration is %s and unneededDuration is %s, and the documents "
                       "disagree which is the wait before a node is removed and which the silence "
                       "after nodes were added: say coolDownIsTrigger or unneededIsTrigger",
                       text_duration(a, sizeof a, cool), text_duration(b, sizeof b, unneeded));
    }
    bool cool_is_trigger = s->meaning != MEANING_UNNEEDED_IS_TRIGGER;
    out->unneeded_time = cool_is_trigger ? cool : unneeded;
    out->delay_after_add = cool_is_trigger ? unneeded : cool;
    return 0;
}

static int resolve_times(const struct node_settings *s, struct node_scaler_config *out,
                         const char **key, struct err *e)
{
    bool ack_names = s->cool_down.given || s->ack_unneeded.given;
    if (ack_names && s->profile != PROFILE_ACK)
        return fail(key, s->cool_down.given ? "coolDownDuration" : "unneededDuration", e,
                    "is a setting of the profile ack; upstream has scaleDownUnneededTime and "
                    "scaleDownDelayAfterAdd");
    if (ack_names && (s->unneeded_time.given || s->delay_after_add.given))
        return fail(key,
                    s->unneeded_time.given ? "scaleDownUnneededTime" : "scaleDownDelayAfterAdd", e,
                    "says the same as coolDownDuration or unneededDuration: give the two times "
                    "under one set of names");
    out->unneeded_time = time_or(s->unneeded_time, 10 * SIM_MINUTE);
    out->delay_after_add = time_or(s->delay_after_add, 10 * SIM_MINUTE);
    return ack_names ? resolve_ack_times(s, out, key, e) : 0;
}

static const char *const expander_names[] = {"random",      "least-waste", "most-pods",
                                             "least-nodes", "priority",    "price"};

static int expander_by_name(const char *name, enum node_expander_kind *kind)
{
    for (int k = NODE_EXPANDER_RANDOM; k <= NODE_EXPANDER_PRICE; k++)
        if (strcmp(name, expander_names[k]) == 0) {
            *kind = (enum node_expander_kind)k;
            return 0;
        }
    return -1;
}

static int unknown_expander(const char *name, const char **key, struct err *e)
{
    const char *near = text_nearest(name, expander_names, 6);
    *key = "expander";
    return err_set(e, ERR_INPUT, "",
                   "\"%s\" is none of random, least-waste, most-pods, least-nodes, priority, "
                   "price%s%s%s",
                   name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* What an expander needs beside its name. */
static int check_expander(const struct node_settings *s, enum node_expander_kind kind,
                          const char **key, struct err *e)
{
    if (kind == NODE_EXPANDER_PRICE && s->profile == PROFILE_ACK)
        return fail(key, "expander", e,
                    "price cannot work on ACK: its provider has no pricing model; use "
                    "least-waste, random or priority");
    if (kind == NODE_EXPANDER_PRICE && (s->price_cpu.micro <= 0 || s->price_gib.micro <= 0))
        return fail(key, s->price_cpu.micro <= 0 ? "pricePerCpuHour" : "pricePerGibHour", e,
                    "must be given for the price expander: what a pod's resources are worth");
    if (kind == NODE_EXPANDER_PRIORITY && s->priorities.count == 0)
        return fail(key, "expanderPriorities", e, "must be given for the priority expander");
    return 0;
}

static int resolve_expanders(const struct node_settings *s, int32_t minor,
                             struct node_scaler_config *out, const char **key, struct err *e)
{
    out->n_expanders = 1;
    out->expanders[0] = minor <= 30 && s->profile == PROFILE_UPSTREAM ? NODE_EXPANDER_RANDOM
                                                                      : NODE_EXPANDER_LEAST_WASTE;
    if (s->expanders.count > NODE_EXPANDER_CHAIN_MAX)
        return fail(key, "expander", e, "has more than 6 names");
    for (size_t i = 0; i < s->expanders.count; i++) {
        if (expander_by_name(s->expanders.items[i], &out->expanders[i]) != 0)
            return unknown_expander(s->expanders.items[i], key, e);
        if (check_expander(s, out->expanders[i], key, e) != 0)
            return -1;
        out->n_expanders = i + 1;
    }
    out->priorities = s->priorities.items;
    out->n_priorities = s->priorities.count;
    for (size_t i = 0; i < out->n_priorities; i++) {
        char why[128];
        if (node_expander_pattern_error(out->priorities[i].pattern, why, sizeof why)) {
            *key = "expanderPriorities";
            return err_set(e, ERR_INPUT, "", "pattern \"%s\": %s", out->priorities[i].pattern, why);
        }
    }
    return 0;
}

static enum node_gpu_rule gpu_rule(const struct node_settings *s)
{
    switch (s->gpu_choice) {
    case GPU_ONLY:
        return NODE_GPU_ONLY;
    case GPU_MAX:
        return NODE_GPU_MAX;
    case GPU_IGNORED:
        return NODE_GPU_IGNORE;
    default:
        return s->profile == PROFILE_ACK ? NODE_GPU_MAX : NODE_GPU_ONLY;
    }
}

/* What is the same for every profile and version. */
static struct node_scaler_config plain(const struct node_settings *s)
{
    return (struct node_scaler_config){
        .min_loop = s->min_loop,
        .pod_wait = s->pod_wait,
        .gpu_pod_wait = s->gpu_pod_wait,
        .new_pod_delay = s->new_pod_delay,
        .priority_cutoff = s->priority_cutoff,
        .max_nodes_total = s->max_nodes_total,
        .max_nodes_per_scale_up = s->max_nodes_per_scale_up,
        .scale_up_from_zero = s->scale_up_from_zero,
        .balance_similar = s->balance_similar,
        .price_cpu_per_hour = (double)s->price_cpu.micro,
        .price_gib_per_hour = (double)s->price_gib.micro,
        .max_node_provision = s->max_node_provision,
        .backoff_initial = s->backoff_initial,
        .backoff_max = s->backoff_max,
        .backoff_reset = s->backoff_reset,
        .ok_unready = s->ok_unready,
        .max_unready_share = s->max_unready_share,
        .gpu_ready_patched = s->gpu_ready_patched != 0,
        .scale_down = s->scale_down,
        .scale_down_unready = s->scale_down_unready,
        .utilization_threshold = s->utilization_threshold,
        .gpu_utilization_threshold = s->gpu_utilization_threshold,
        .gpu_rule = gpu_rule(s),
        .ignore_daemon_pods = s->ignore_daemon_pods,
        .ignore_mirror_pods = s->ignore_mirror_pods,
        .skip_system_pods = s->skip_system_pods,
        .min_replica_count = s->min_replica_count,
        .unready_time = s->unready_time,
        .delay_after_delete = s->delay_after_delete,
        .delay_after_failure = s->delay_after_failure,
        .delay_local = s->delay_local,
        .unremovable_recheck = s->unremovable_recheck,
        .max_deletions = s->max_deletions,
        .max_drains = s->max_drains,
        .delay_after_taint = s->delay_after_taint,
        .eviction_retry = s->eviction_retry,
        .evict_daemon_pods_empty = s->evict_daemon_pods_empty,
    };
}

static int resolve(const struct node_settings *s, struct node_scaler_config *out, const char **key,
                   struct err *e)
{
    bool ack = s->profile == PROFILE_ACK;
    int32_t minor = s->version.given ? s->version.minor : ack ? 20 : 36;
    *out = plain(s);
    out->scan_interval = time_or(s->scan_interval, (ack ? 30 : 10) * SIM_SECOND);
    out->frequent_loops = flag_or(s->frequent_loops, !ack && minor >= 35);
    out->threshold_included =
        s->comparison == COMPARE_AT_MOST || (s->comparison == COMPARE_BY_VERSION && minor >= 35);
    out->creation_errors_reported = flag_or(s->creation_errors_reported, !ack);
    out->skip_local_storage = flag_or(s->skip_local_storage, !ack);
    out->max_graceful_termination =
        time_or(s->max_graceful_termination, (ack ? 14400 : 600) * SIM_SECOND);
    out->evict_daemon_pods_occupied = flag_or(s->evict_daemon_pods_occupied, !ack);
    if (s->backoff_initial > s->backoff_max)
        return fail(key, "initialNodeGroupBackoff", e, "is longer than maxNodeGroupBackoff");
    if (resolve_times(s, out, key, e) != 0)
        return -1;
    return resolve_expanders(s, minor, out, key, e);
}

int node_settings_resolve(const struct node_settings *s, struct node_scaler_config *out,
                          struct err *e)
{
    const char *key = NULL;
    return resolve(s, out, &key, e);
}

static int check(const void *config, const char **key, struct err *e)
{
    struct node_scaler_config ignored;
    return resolve(config, &ignored, key, e);
}

const struct knob_table node_settings_knobs = {
    .name = "clusterAutoscaler",
    .doc = "The node autoscaler: when nodes are bought and given back.",
    .rows = rows,
    .size = sizeof(struct node_settings),
    .check = check,
};

static void all_defaults(enum profile profile, struct node_scaler_config *out)
{
    struct node_settings s = defaults;
    struct err e = {0};
    s.profile = (int)profile;
    int rc = node_settings_resolve(&s, out, &e);
    assert(rc == 0);
    (void)rc;
}

void node_settings_upstream(struct node_scaler_config *out)
{
    all_defaults(PROFILE_UPSTREAM, out);
}

void node_settings_ack(struct node_scaler_config *out)
{
    all_defaults(PROFILE_ACK, out);
}
