/* node_settings: what the settings come to, by profile and version. */
#include "models/control/node_settings.h"

#include "models/control/node_expander.h"
#include "models/control/node_settings_inside.h"
#include "sim/text.h"

#include <assert.h>
#include <string.h>

/* The presets of the table, for callers without a scenario; a test holds the two together. */
static const struct node_settings defaults = {
    .profile = PROFILE_ACK,
    .gpu_ready_patched = 1,
    .plain =
        {
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
        },
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

int node_settings_fill(const struct node_settings *s, struct node_scaler_config *out,
                       const char **key, struct err *e)
{
    bool ack = s->profile == PROFILE_ACK;
    int32_t minor = s->version.given ? s->version.minor : ack ? 20 : 36;
    *out = s->plain;
    out->price_cpu_per_hour = (double)s->price_cpu.micro;
    out->price_gib_per_hour = (double)s->price_gib.micro;
    out->gpu_ready_patched = s->gpu_ready_patched != 0;
    out->gpu_rule = gpu_rule(s);
    out->scan_interval = time_or(s->scan_interval, (ack ? 30 : 10) * SIM_SECOND);
    out->frequent_loops = flag_or(s->frequent_loops, !ack && minor >= 35);
    out->threshold_included =
        s->comparison == COMPARE_AT_MOST || (s->comparison == COMPARE_BY_VERSION && minor >= 35);
    out->creation_errors_reported = flag_or(s->creation_errors_reported, !ack);
    out->skip_local_storage = flag_or(s->skip_local_storage, !ack);
    out->max_graceful_termination =
        time_or(s->max_graceful_termination, (ack ? 14400 : 600) * SIM_SECOND);
    out->evict_daemon_pods_occupied = flag_or(s->evict_daemon_pods_occupied, !ack);
    if (out->backoff_initial > out->backoff_max)
        return fail(key, "initialNodeGroupBackoff", e, "is longer than maxNodeGroupBackoff");
    if (resolve_times(s, out, key, e) != 0)
        return -1;
    return resolve_expanders(s, minor, out, key, e);
}

int node_settings_resolve(const struct node_settings *s, struct node_scaler_config *out,
                          struct err *e)
{
    const char *key = NULL;
    return node_settings_fill(s, out, &key, e);
}

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
