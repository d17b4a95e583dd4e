/* engine_environment: a processor or a GPU described. */
#include "kernels/engine_environment.h"

#include "kernels/nvml.h"
#include "sim/err.h"

#include <stdio.h>
#include <string.h>

void engine_environment(const struct engine *g, const struct backend *backend, struct gpu_watch *w,
                        struct environment *env)
{
    struct backend_device d;
    environment_processor(env);
    if (strcmp(backend->name, "cpu") == 0)
        return;
    engine_describe(g, &d);
    snprintf(env->backend, sizeof env->backend, "%s", backend->name);
    snprintf(env->device, sizeof env->device, "%s", d.name);
    snprintf(env->framework, sizeof env->framework, "%s", d.software);
    snprintf(env->core, sizeof env->core, "%s", backend->name);
    gpu_watch_open(w, &(struct nvml_choice){.bus = d.bus});
    struct err ignored = {0};
    struct nvml_sample s; /* no look that counts: nothing runs as yet */
    bool seen = w->nvml && nvml_sample(w->nvml, &s, &ignored) == 0;
    const char *driver = w->usage.driver;
    snprintf(env->driver, sizeof env->driver, "%s", driver[0] ? driver : d.software);
    if (seen && s.sm_clock_max_mhz > 0)
        snprintf(env->clocks, sizeof env->clocks, "SM at most %.0f MHz", s.sm_clock_max_mhz);
    else
        snprintf(env->clocks, sizeof env->clocks, "not readable");
    env->cache_bytes = (int64_t)d.cache_bytes;
    env->threads = 0;
}
