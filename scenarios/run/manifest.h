/* manifest: what the user's own Kubernetes and node pool files say, as scenario keys.
 *
 * Each value that is carried over keeps the file, line and column where it stands, so an error in
 * an HPA's maxReplicas points into the HPA's file. Secrets and volume attributes are never copied.
 */
#ifndef SLUICE_SCENARIOS_RUN_MANIFEST_H
#define SLUICE_SCENARIOS_RUN_MANIFEST_H

#include "sim/err.h"
#include "sim/json.h"

#include <stddef.h>

struct arena;

/* What became of one document. */
struct manifest_note {
    const char *file;
    uint32_t line;
    const char *kind, *name;
    const char *use;      /* "read", or why it is left out */
    const char *repaired; /* keys that were nested again, see indent.h; NULL: none */
};

struct manifest_set; /* opaque; in the arena */

/* Reads every file named, and every *.yaml, *.yml and *.json of every folder named (sorted by
 * name, not recursive). Paths are relative to base_dir. NULL and *e on failure. */
struct manifest_set *manifest_read(struct arena *a, const char *base_dir, const struct json *paths,
                                   struct err *e);

/* The keys of a service for this deployment ("namespace/name" or "name"), ready to be overlaid by
 * the scenario's own; NULL with e untouched when no manifest describes it, NULL with *e on error.
 */
struct json *manifest_service(struct manifest_set *m, const char *deployment, struct err *e);
/* Likewise the keys of a job, for a Pod or a Job. */
struct json *manifest_job(struct manifest_set *m, const char *name, struct err *e);
/* Likewise for a node pool; name NULL: the n-th one. */
struct json *manifest_pool(struct manifest_set *m, const char *name, size_t n, struct err *e);

/* The container of a pod's spec that serves: the first one that asks for a GPU, or else the first.
 * NULL without any. */
const struct json *manifest_serving(const struct json *pod);
/* The n-th document as it was read; NULL beyond the last. */
const struct json *manifest_document(const struct manifest_set *m, size_t n);
const struct manifest_note *manifest_notes(const struct manifest_set *m, size_t *n);
/* Names of what was found, for "did you mean": deployments as namespace/name. */
size_t manifest_deployments(const struct manifest_set *m, const char **out, size_t cap);

#endif
