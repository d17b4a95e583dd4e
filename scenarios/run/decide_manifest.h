/* decide_manifest: what the HPA of a user's own manifest does at a size and a metric, and why.
 *
 * The friendly form of `sluice decide`: the next pass with its reason, the passes that follow while
 * the metric stays, and for each size the band of the metric in which it holds. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_MANIFEST_H
#define SLUICE_SCENARIOS_RUN_DECIDE_MANIFEST_H

#include "sim/err.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIDE_MANIFEST_METRICS 16

/* Open data. */
struct decide_question {
    /* YAML or JSON: a HorizontalPodAutoscaler, or its spec alone; "-": stdin; or a folder of them
     * beside other manifests */
    const char *path;
    const char *name;               /* of the HPA when there are several; NULL */
    const char *kubernetes_version; /* NULL: the newest rules */
    int64_t replicas;               /* spec */
    int64_t status, ready;          /* below 0: the same as replicas */
    /* One value a metric, in order, as Kubernetes quantities: "54", "500m"; percent for a
     * utilization; "none" for a metric without value. */
    const char *metrics[DECIDE_MANIFEST_METRICS];
    size_t n_metrics;
    bool json;
};

/* Appends the answer. -1 and ERR_INPUT when file, HPA or values are wrong. */
int decide_manifest(const struct decide_question *q, struct text *out, struct err *e);

#endif
