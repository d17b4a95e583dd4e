/* unfollowed_keys: the keys of node pools and workloads, and what becomes of each. */
#ifndef SLUICE_SCENARIOS_RUN_UNFOLLOWED_KEYS_H
#define SLUICE_SCENARIOS_RUN_UNFOLLOWED_KEYS_H

/* Open data. */
struct unfollowed_keys_row {
    const char *path;  /* from the document or pod spec down; lists add nothing to it */
    const char *why;   /* it is not followed, and why; NULL: followed, or makes no difference, with
                          all below; "": what is below has rows of its own */
    const char *usual; /* the value that it may have without a word; NULL: none */
};

/* Each ends with a row without a path. Sources: ACK's CreateClusterNodePool (2021-07-15 and
 * 2025-12), the Kubernetes API 1.31 (batch/v1, apps/v1, core/v1 PodSpec). */
extern const struct unfollowed_keys_row unfollowed_keys_pool[];
extern const struct unfollowed_keys_row unfollowed_keys_deployment[];
extern const struct unfollowed_keys_row unfollowed_keys_job[];
extern const struct unfollowed_keys_row unfollowed_keys_bare[]; /* a Pod */
extern const struct unfollowed_keys_row unfollowed_keys_spec[]; /* spec of any pod */

#endif
