/* request: what a pod asks of a node, out of its containers.
 *
 * As the scheduler computes it (Kubernetes documentation, Pod resources and Sidecar Containers,
 * 2024): the containers and the init containers that stay (restartPolicy Always) add up; any other
 * init container runs alone beside the ones that stay so far, so the larger of both counts; the
 * overhead comes on top. A limit without a request is a request as well. Requests of the pod as a
 * whole go before those of its containers. */
#ifndef SLUICE_SCENARIOS_RUN_REQUEST_H
#define SLUICE_SCENARIOS_RUN_REQUEST_H

#include "sim/err.h"

struct arena;
struct json;

/* Adds gpus, cpu and memory to the pod, as far as its spec asks for them. What cannot be read as an
 * amount is carried as it is, for the binder to refuse where it stands. */
int request_add(struct arena *a, struct json *pod, const struct json *spec, struct err *e);

#endif
