/* gpu_watch: samples of NVML summed up. */
#include "kernels/gpu_watch.h"

#include "kernels/nvml.h"
#include "sim/err.h"

#include <math.h>
#include <stdio.h>

/* NVBench's limit. */
#define THROTTLED_SHARE 0.75

void gpu_watch_open(struct gpu_watch *w, const struct nvml_choice *choice)
{
    struct err ignored = {0};
    double none = (double)NAN;
    *w = (struct gpu_watch){.usage = {.clock_mhz = none,
                                      .clock_low_mhz = none,
                                      .clock_max_mhz = none,
                                      .power_w = none,
                                      .power_most_w = none,
                                      .power_limit_w = none,
                                      .temperature_c = none,
                                      .memory_bytes = none,
                                      .busy_share = none}};
    w->nvml = nvml_create(choice, &ignored);
    if (w->nvml)
        snprintf(w->usage.driver, sizeof w->usage.driver, "%s", nvml_card(w->nvml)->driver);
}

void gpu_watch_close(struct gpu_watch *w)
{
    nvml_destroy(w->nvml);
    w->nvml = NULL;
}

/* A card that does not tell its reasons tells at least whether a kernel ran. */
static bool is_idle(const struct nvml_sample *s)
{
    bool idle = s->reasons_known ? (s->reasons & NVML_REASON_IDLE) != 0 : s->busy_share <= 0;
    return idle && !(s->reasons & NVML_REASONS_OF_FAULT);
}

int gpu_watch_look(struct gpu_watch *w, struct err *e)
{
    struct gpu_usage *u = &w->usage;
    struct nvml_sample s;
    if (!w->nvml)
        return 0;
    if (nvml_sample(w->nvml, &s, e))
        return -1;
    u->samples++;
    u->clock_max_mhz = s.sm_clock_max_mhz;
    u->power_limit_w = s.power_limit_w;
    /* fmax and fmin take the number when the other is none */
    u->temperature_c = fmax(u->temperature_c, s.temperature_c);
    u->memory_bytes = fmax(u->memory_bytes, s.memory_used_bytes);
    u->reasons |= s.reasons;
    u->idle += is_idle(&s);
    if (is_idle(&s))
        return 0;
    bool slow = nvml_throttled(&s, THROTTLED_SHARE);
    u->throttled += slow;
    u->capped += (s.reasons & NVML_REASON_POWER_CAP) != 0;
    u->clock_mhz = fmax(u->clock_mhz, s.sm_clock_mhz);
    u->clock_low_mhz = fmin(u->clock_low_mhz, s.sm_clock_mhz);
    u->power_most_w = fmax(u->power_most_w, s.power_w);
    u->faults |= slow ? s.reasons & NVML_REASONS_OF_FAULT : 0;
    w->power_sum += s.power_w;
    w->busy_sum += s.busy_share;
    return slow;
}

void gpu_watch_read(const struct gpu_watch *w, struct gpu_usage *out)
{
    *out = w->usage;
    size_t loaded = out->samples - out->idle;
    if (loaded == 0)
        return;
    out->power_w = w->power_sum / (double)loaded;
    out->busy_share = w->busy_sum / (double)loaded;
}

void gpu_watch_reasons(uint32_t reasons, struct gpu_watch_words *out)
{
    static const struct {
        enum nvml_reason reason;
        const char *words;
    } table[] = {{NVML_REASON_POWER_CAP, "power cap"}, {NVML_REASON_SETTING, "clock setting"},
                 {NVML_REASON_THERMAL, "heat"},        {NVML_REASON_BRAKE, "power brake"},
                 {NVML_REASON_SLOWDOWN, "hardware"},   {NVML_REASON_OTHER, "other"}};
    size_t used = 0;
    out->s[0] = '\0';
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (reasons & table[i].reason)
            used += (size_t)snprintf(out->s + used, sizeof out->s - used, "%s%s", used ? ", " : "",
                                     table[i].words);
}
