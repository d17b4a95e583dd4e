/* set: one `path=value` of the command line, laid into a scenario's tree. */
#ifndef SLUICE_SCENARIOS_RUN_SET_H
#define SLUICE_SCENARIOS_RUN_SET_H

#include "sim/err.h"

struct arena;
struct json;

/* A tree like root in which the value at the path is another: "services.bert.slo.p99=100ms".
 *
 * A step names a member of an object, or an element of a list by its `name` or its index ("[0]" or
 * "0"); ["a.b/c"] is a name with dots. Members that are missing are made, and a choice that stands
 * as a plain name takes settings ("autoscaler.hpa.maxReplicas=4"). The value is JSON where it is
 * valid JSON and else a string; null removes what is there. Its nodes have the file "--set" and no
 * line. root itself stays as it was; the result shares what is unchanged. NULL and ERR_INPUT that
 * names the assignment, the step at fault and the nearest name. */
struct json *set_apply(struct arena *a, const struct json *root, const char *assignment,
                       struct err *e);

#endif
