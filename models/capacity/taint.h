/* taint: what keeps pods off a node, and what a pod tolerates.
 *
 * Texts as kubectl writes them: a taint is "key=value:Effect" or "key:Effect", with one of the
 * effects NoSchedule, NoExecute and PreferNoSchedule. A toleration is the same; without "=value" it
 * tolerates every value (operator Exists), without ":Effect" every effect, and "" tolerates all
 * taints. Source: Kubernetes documentation, Taints and Tolerations (2024). */
#ifndef SLUICE_MODELS_CAPACITY_TAINT_H
#define SLUICE_MODELS_CAPACITY_TAINT_H

#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>

enum taint_effect {
    TAINT_ANY, /* of a toleration that names none */
    TAINT_NO_SCHEDULE,
    TAINT_NO_EXECUTE,
    TAINT_PREFER_NO_SCHEDULE,
};

/* ERR_INPUT with what is allowed when the text is no taint. */
int taint_check(const char *taint, struct err *e);
enum taint_effect taint_effect_of(const char *taint);
bool taint_tolerated(const char *taint, const struct knob_texts *tolerations);
/* The first taint that keeps the pod off the node; NULL: none does. PreferNoSchedule does not. */
const char *taint_refusing(const struct knob_texts *taints, const struct knob_texts *tolerations);
/* How many PreferNoSchedule taints the pod does not tolerate. */
int taint_disliked(const struct knob_texts *taints, const struct knob_texts *tolerations);

#endif
