/* engine: a network's plan with memory, weights and a backend: what runs. */
#ifndef SLUICE_KERNELS_ENGINE_H
#define SLUICE_KERNELS_ENGINE_H

#include "kernels/backend.h"
#include "kernels/network.h"

struct engine;

/* Takes all memory and reads all weights. plan must outlive the engine. NULL and ERR_SYSTEM when
 * memory runs out, or the source's own error. */
struct engine *engine_create(const struct network *plan, const struct backend *backend,
                             const struct weight_source *source, struct err *e);
void engine_destroy(struct engine *g); /* accepts NULL */

/* The whole batch's input: plan->input_size values, or plan->tokens tokens below
 * plan->vocabulary. lengths: true tokens of each sequence, or NULL: all. These and the calls below
 * fail with ERR_SYSTEM when a device does; on the processor they cannot. */
int engine_input(struct engine *g, const double *values, struct err *e);
int engine_tokens(struct engine *g, const int32_t *words, const int32_t *lengths, struct err *e);
/* Seeded input of the right kind: values in -1..1, or any tokens. */
int engine_random_input(struct engine *g, uint64_t seed, struct err *e);
/* The same tokens, of which lengths are true. */
int engine_random_sequences(struct engine *g, uint64_t seed, const int32_t *lengths, struct err *e);
/* From the next tokens on: shall what lies behind the true ones be left out of the work? The
 * outputs are the same; a backend that cannot do it goes on with the padding. */
void engine_drop_padding(struct engine *g, bool drop);

/* Runs all steps and waits for the last one. Allocates nothing, prints nothing. */
int engine_forward(struct engine *g, struct err *e);
/* One step alone, on whatever lies in its input; for measuring it. The output is lost. */
int engine_step(struct engine *g, size_t step, struct err *e);
/* Mean seconds of one of `runs` runs of a step, back to back; a device's own clock counts. */
int engine_time_step(struct engine *g, size_t step, int32_t runs, double *seconds, struct err *e);
/* plan->output_size values of the last run. */
int engine_output(const struct engine *g, double *out, struct err *e);
/* All plan->activations values as they lie, between two steps: for comparing backends. */
int engine_read_all(const struct engine *g, double *out, struct err *e);
int engine_write_all(struct engine *g, const double *values, struct err *e);

void engine_describe(const struct engine *g, struct backend_device *out);
/* Makes a GPU's cache cold for the next run; does nothing on the processor. */
int engine_flush(struct engine *g, struct err *e);

#endif
