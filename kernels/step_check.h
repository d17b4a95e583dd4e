/* step_check: every kind of step of a network on a backend, against the double reference.
 *
 * Each step is given the same activations in both, as the backend's own forward pass left them, and
 * afterwards all activations are compared: what it should have written, and what it should have
 * left alone. */
#ifndef SLUICE_KERNELS_STEP_CHECK_H
#define SLUICE_KERNELS_STEP_CHECK_H

#include "kernels/step_bench.h"

/* Largest difference over the step's largest value. FP32 keeps below 5e-6 for every step of both
 * networks (measured on the processor); TF32, which no step asks for, would reach 5e-4. */
#define STEP_CHECK_TOLERANCE 2e-5

struct step_check {
    size_t steps; /* kinds that were compared */
    double worst; /* over all of them */
    const char *worst_name;
    double *errors; /* a step of the plan; steps alike have one figure. In the arena */
};

/* ERR_SYSTEM names the first step that is not finite or too far off. Takes the memory of the plan
 * in double too, and a second or so a GFLOP. */
int step_check(struct arena *a, const struct step_bench_subject *s, struct step_check *out,
               struct err *e);

#endif
