/* policy_rig: a policy with settings from JSON, and single passes of it; for tests. */
#ifndef SLUICE_TESTS_POLICY_RIG_H
#define SLUICE_TESTS_POLICY_RIG_H

#include "models/control/scaler.h"
#include "scenarios/run/bind.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <string.h>

struct policy_rig {
    struct arena *arena;
    const struct scaler_policy *policy;
    void *config, *memory; /* memory NULL: the settings were refused, see e */
    struct err e;
};

/* text: the settings, with ' for ". */
static inline void policy_rig_load(struct policy_rig *r, const char *name, const char *text)
{
    memset(r, 0, sizeof *r);
    r->arena = arena_create(&r->e);
    char *copy = arena_text(r->arena, text, strlen(text), &r->e);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    struct json *j = json_parse(r->arena, name, copy, strlen(copy), &r->e);
    cr_assert(j, "%s: %s", r->e.where, r->e.msg);
    r->policy = scaler_find(name);
    cr_assert(r->policy, "no policy %s", name);
    r->config = arena_take(r->arena, 1, r->policy->option.table->size, &r->e);
    struct bind b = {.arena = r->arena};
    if (bind_object(&b, j, "", r->policy->option.table, r->config, &r->e) == 0)
        r->memory = arena_take(r->arena, 1, r->policy->memory_size(r->config), &r->e);
}

static inline void policy_rig_free(struct policy_rig *r)
{
    arena_destroy(r->arena);
}

/* One pass on a size that is wholly in place; each value below 0 is missing. */
static inline int32_t policy_rig_pass(struct policy_rig *r, sim_ns now, int32_t size,
                                      const int64_t *milli, size_t n, struct scaler_decision *d)
{
    struct scaler_metric m[8];
    for (size_t i = 0; i < n; i++)
        m[i] = (struct scaler_metric){milli[i] >= 0, milli[i]};
    struct scaler_view v = {.now = now,
                            .spec_replicas = size,
                            .status_replicas = size,
                            .ready_replicas = size,
                            .metrics = m,
                            .n_metrics = n};
    *d = (struct scaler_decision){.replicas = size};
    r->policy->decide(r->config, r->memory, &v, d);
    cr_assert(d->rule && d->reason[0]);
    return d->replicas;
}

#endif
