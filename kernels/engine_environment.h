/* engine_environment: what an engine runs on, as measurements tell it. */
#ifndef SLUICE_KERNELS_ENGINE_ENVIRONMENT_H
#define SLUICE_KERNELS_ENGINE_ENVIRONMENT_H

#include "kernels/engine.h"
#include "kernels/environment.h"
#include "kernels/gpu_watch.h"

/* The processor describes itself, a GPU by its backend and, where there is NVML, by w, which is
 * opened here and closed by the caller. */
void engine_environment(const struct engine *g, const struct backend *backend, struct gpu_watch *w,
                        struct environment *out);

#endif
