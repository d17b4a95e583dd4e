/* hpa_metric_config: a metric of an HPA in the spelling of v2beta1, v2beta2 and v2, and what it
 * resolves to. */
#ifndef SLUICE_MODELS_CONTROL_HPA_METRIC_CONFIG_H
#define SLUICE_MODELS_CONTROL_HPA_METRIC_CONFIG_H

#include "sim/knob.h"

#include <stdint.h>

struct hpa_metric; /* models/control/hpa.h */

struct hpa_object_ref {
    const char *api_version, *kind, *name;
};

struct hpa_selector {
    struct knob_map match_labels;
};

struct hpa_metric_id {
    const char *name;
    struct hpa_selector selector;
};

struct hpa_target {
    const char *type;
    int64_t value, average_value; /* milli; 0: not given */
    int32_t average_utilization;  /* percent; 0: not given */
    struct hpa_object_ref object; /* v2beta1 object metrics: their object stands here */
};

/* One source of any type; keys that a type lacks stay empty. */
struct hpa_source {
    const char *name, *container; /* Resource, ContainerResource */
    struct hpa_metric_id metric;  /* v2beta2, v2 */
    struct hpa_target target;
    struct hpa_object_ref described_object;
    const char *metric_name; /* v2beta1 */
    struct hpa_selector metric_selector, selector;
    int64_t target_value, target_average_value, average_value;
    int32_t target_average_utilization;
};

enum hpa_source_type {
    HPA_SOURCE_RESOURCE,
    HPA_SOURCE_CONTAINER_RESOURCE,
    HPA_SOURCE_PODS,
    HPA_SOURCE_OBJECT,
    HPA_SOURCE_EXTERNAL,
    HPA_SOURCE_TYPES,
};

struct hpa_metric_config {
    int type;                                     /* enum hpa_source_type */
    struct hpa_source *sources[HPA_SOURCE_TYPES]; /* NULL: not given */
};

extern const struct knob_table hpa_metric_config_knobs;
extern const struct knob_table hpa_metric_config_object_knobs; /* struct hpa_object_ref */

/* The following take one that its table has checked. */

/* Name as written: "sls_ingress_qps", "cpu". */
const char *hpa_metric_config_name(const struct hpa_metric_config *m);
/* Labels that select its series; NULL for resources. */
const struct knob_map *hpa_metric_config_selector(const struct hpa_metric_config *m);
/* As the pass wants it. */
struct hpa_metric hpa_metric_config_resolve(const struct hpa_metric_config *m);

#endif
