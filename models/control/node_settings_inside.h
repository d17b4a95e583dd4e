/* node_settings_inside: the settings as they are bound; shared by table and resolution. */
#ifndef SLUICE_MODELS_CONTROL_NODE_SETTINGS_INSIDE_H
#define SLUICE_MODELS_CONTROL_NODE_SETTINGS_INSIDE_H

#include "models/control/node_settings.h"
#include "sim/money.h"

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
    struct node_scaler_config plain; /* what is the same for every profile and version */
    struct optional_time scan_interval;
    struct optional_flag frequent_loops;
    struct knob_texts expanders;
    struct knob_list priorities; /* struct node_priority_rule */
    struct money price_cpu, price_gib;
    struct optional_flag creation_errors_reported;
    int gpu_ready_patched;
    int comparison, gpu_choice;
    struct optional_flag skip_local_storage;
    struct optional_time unneeded_time, delay_after_add, cool_down, ack_unneeded;
    int meaning;
    struct optional_time max_graceful_termination;
    struct optional_flag evict_daemon_pods_occupied;
};

/* As node_settings_resolve; on failure *key is the key at fault, or NULL. */
int node_settings_fill(const struct node_settings *s, struct node_scaler_config *out,
                       const char **key, struct err *e);

#endif
