/* scaler_fixed: a size that never moves; the yardstick of every comparison. */
#include "models/control/scaler.h"

#include <stdio.h>

struct scaler_fixed_config {
    int32_t replicas;
};

static const struct knob fixed_rows[] = {
    {.key = "replicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct scaler_fixed_config, replicas),
     .unit = "replicas",
     .doc = "Size held from the start to the end.",
     .min = 0,
     .max = 10000},
    {0},
};

static const struct knob_table fixed_knobs = {
    .name = "fixed",
    .doc = "A fixed number of replicas.",
    .rows = fixed_rows,
    .size = sizeof(struct scaler_fixed_config),
};

static size_t fixed_memory_size(const void *config)
{
    (void)config;
    return 0;
}

static sim_ns fixed_period(const void *config)
{
    (void)config;
    return SIM_NEVER;
}

static size_t fixed_wants(const void *config, struct scaler_wants *out, size_t cap)
{
    (void)config, (void)out, (void)cap;
    return 0;
}

static void fixed_decide(const void *config, void *memory, const struct scaler_view *view,
                         struct scaler_decision *out)
{
    const struct scaler_fixed_config *c = config;
    (void)memory, (void)view;
    out->replicas = c->replicas;
    out->rule = "fixed";
    snprintf(out->reason, sizeof out->reason, "fixed at %d", (int)c->replicas);
}

const struct scaler_policy scaler_fixed = {
    .option = {.name = "fixed",
               .table = &fixed_knobs,
               .short_key = "replicas",
               .descriptor = &scaler_fixed},
    .memory_size = fixed_memory_size,
    .period = fixed_period,
    .wants = fixed_wants,
    .decide = fixed_decide,
};
