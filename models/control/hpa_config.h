/* hpa_config: the settings of an HPA, in Kubernetes' own spelling, and what they resolve to.
 *
 * The table reads the spec of a HorizontalPodAutoscaler of autoscaling/v1, v2beta1, v2beta2 and v2
 * as it stands, beside the flags of kube-controller-manager and the profile of a version. */
#ifndef SLUICE_MODELS_CONTROL_HPA_CONFIG_H
#define SLUICE_MODELS_CONTROL_HPA_CONFIG_H

#include "models/control/hpa.h"
#include "models/control/hpa_metric_config.h"
#include "sim/knob.h"

struct err;

struct hpa_optional_span {
    bool given;
    sim_ns span;
};
struct hpa_optional_number {
    bool given;
    double value;
};
enum hpa_switch { HPA_BY_VERSION, HPA_ON, HPA_OFF };
struct hpa_gates {
    enum hpa_switch configurable_tolerance; /* HPAConfigurableTolerance */
    enum hpa_switch scale_to_zero;          /* HPAScaleToZero */
};

struct hpa_rules_config {
    struct hpa_optional_span window;
    struct hpa_optional_number tolerance;
    int select;                /* enum hpa_select */
    struct knob_list policies; /* struct hpa_policy; none: the direction's defaults */
};

struct hpa_behavior_config {
    struct hpa_rules_config *up, *down; /* NULL: defaults */
};

struct hpa_config {
    const char *api_version;
    struct hpa_object_ref *scale_target;
    int32_t min, max;
    struct knob_list metrics;             /* struct hpa_metric_config */
    int32_t target_cpu_pct;               /* v1; 0: not given */
    struct hpa_behavior_config *behavior; /* NULL: none, which is not the same as an empty one */
    sim_ns sync_period, downscale_stabilization, cpu_initialization, initial_delay;
    double tolerance;
    double scale_up_factor, scale_up_floor;
    const char *kubernetes_version; /* "1.20", "v1.24.6-aliyun.1"; NULL: the newest rules */
    struct hpa_gates gates;
    bool surge_fixed;
};

/* Every metric name passes: for `sluice decide`, which is told the value. */
extern const struct knob_table hpa_config_knobs;
/* Metric names must be ones that a simulation can show: for scenarios. */
extern const struct knob_table hpa_config_simulated_knobs;

/* spec.behavior alone, into a struct hpa_behavior_config; for others that make an HPA. */
extern const struct knob_table hpa_config_behavior_knobs;

/* What stands for a version; exposed for explain and tests. */
struct hpa_profile {
    int32_t since;      /* minor version */
    bool by_distance;   /* |1 - r| <= t */
    bool own_tolerance; /* behavior.*.tolerance counts by default */
    enum hpa_zero zero;
    bool zero_enabled;
};
/* The profile of a version's text; false when it is none that is known (1.12 on). */
bool hpa_config_profile(const char *version, struct hpa_profile *out);

size_t hpa_config_metrics(const struct hpa_config *c); /* how many there are, >= 1 */
/* Metric i as the pass wants it. */
struct hpa_metric hpa_config_metric(const struct hpa_config *c, size_t i);
/* Name of metric i as written: "sls_ingress_qps", "cpu". */
const char *hpa_config_metric_name(const struct hpa_config *c, size_t i);
/* Labels that select the series of metric i; NULL for resources. */
const struct knob_map *hpa_config_selector(const struct hpa_config *c, size_t i);
/* What a simulation must show for metric i; *scale: factor of the shown milli-value. False when no
 * simulated metric has this name. */
bool hpa_config_wants(const struct hpa_config *c, size_t i, struct scaler_wants *out,
                      int32_t *scale);

/* Everything filled in. metrics: room for hpa_config_metrics(c) entries, borrowed by the spec as
 * the config is. */
void hpa_config_resolve(const struct hpa_config *c, struct hpa_metric *metrics,
                        struct hpa_spec *out);
/* Entries that the histories need when passes are at least half a period apart. */
size_t hpa_config_history(const struct hpa_config *c);

#endif
