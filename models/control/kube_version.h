/* kube_version: the minor version of Kubernetes, which decides what rules hold. */
#ifndef SLUICE_MODELS_CONTROL_KUBE_VERSION_H
#define SLUICE_MODELS_CONTROL_KUBE_VERSION_H

#include <stdint.h>

/* Reads "1.36", "v1.24.6-aliyun.1": the 36 or 24 to *minor. Returns what stands behind it, or NULL
 * when there is no such number. */
const char *kube_version_minor(const char *version, int32_t *minor);

#endif
