/* keda: rules E1 to E8. */
#include "models/control/keda.h"

#include <assert.h>
#include <stddef.h>

const char *keda_rule_name(enum keda_rule rule)
{
    static const char *const names[] = {
        [KEDA_KEEPS] = "keeps",        [KEDA_ACTIVATES] = "activates",
        [KEDA_COOLS] = "cooldown",     [KEDA_IDLES] = "idles",
        [KEDA_LIFTS] = "lifts",        [KEDA_FALLS_BACK] = "fallback",
        [KEDA_ERROR] = "triggerError", [KEDA_PAUSED] = "paused",
    };
    return names[rule];
}

/* Strictly older: exactly at the end of the cool-down nothing happens yet. */
static bool cooled_down(const struct keda_object *o, const struct keda_look *l)
{
    if (!l->was_active)
        return l->created_age > o->initial_cooldown;
    return l->last_active_age > o->cooldown;
}

static struct keda_decision when_active(const struct keda_object *o, const struct keda_look *l)
{
    struct keda_decision d = {.replicas = l->current, .active = true};
    if (l->current == 0 || (o->has_idle && l->current < o->min)) {
        d.replicas = o->min > 0 ? o->min : 1;
        d.rule = KEDA_ACTIVATES;
    }
    return d;
}

static struct keda_decision when_inactive(const struct keda_object *o, const struct keda_look *l)
{
    struct keda_decision d = {.replicas = l->current};
    if (l->scaler_error && o->has_fallback) {
        d.replicas = o->fallback;
        d.rule = KEDA_FALLS_BACK;
    } else if (l->scaler_error) {
        d.rule = KEDA_ERROR;
    } else if ((o->has_idle && l->current > o->idle) || (l->current > 0 && o->min == 0)) {
        bool now = cooled_down(o, l);
        d.rule = now ? KEDA_IDLES : KEDA_COOLS;
        if (now)
            d.replicas = o->has_idle ? o->idle : o->min;
    } else if (l->current < o->min && !o->has_idle) {
        d.replicas = o->min;
        d.rule = KEDA_LIFTS;
    }
    return d;
}

struct keda_decision keda_step(const struct keda_object *o, const struct keda_look *look)
{
    assert(look->current >= 0 && o->min >= 0);
    bool active = look->triggers_active || o->force_activation;
    struct keda_decision d = active ? when_active(o, look) : when_inactive(o, look);
    bool grows = d.replicas > look->current, shrinks = d.replicas < look->current;
    if (o->paused || (grows && o->pause_scale_out) || (shrinks && o->pause_scale_in)) {
        d.replicas = look->current;
        d.rule = KEDA_PAUSED;
    }
    return d;
}

int32_t keda_fallback_replicas(enum keda_fallback behavior, int32_t fixed, int32_t current)
{
    if (current < 0)
        return fixed;
    switch (behavior) {
    case KEDA_CURRENT:
        return current;
    case KEDA_CURRENT_IF_HIGHER:
        return current > fixed ? current : fixed;
    case KEDA_CURRENT_IF_LOWER:
        return current < fixed ? current : fixed;
    default:
        return fixed;
    }
}

bool keda_falls_back(int64_t failures, int64_t threshold)
{
    return failures > threshold;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct keda_plan keda_strategy_plan(const struct keda_jobs *j)
{
    int64_t spent;
    switch (j->strategy) {
    case KEDA_CUSTOM:
        spent = j->queue_deduction + (int64_t)((double)j->running * j->running_share);
        return (struct keda_plan){least(j->max_scale - spent, j->max_replicas), j->scale_to};
    case KEDA_ACCURATE:
        if (j->max_scale + j->running - j->pending > j->max_replicas)
            return (struct keda_plan){j->max_replicas - j->running, j->scale_to};
        return (struct keda_plan){j->max_scale - j->pending, j->scale_to};
    case KEDA_EAGER:
        return (struct keda_plan){least(j->max_replicas - j->running - j->pending, j->max_scale),
                                  j->max_replicas};
    default:
        return (struct keda_plan){j->max_scale - j->running, j->scale_to};
    }
}

struct keda_plan keda_jobs_plan(const struct keda_jobs *j)
{
    if (j->running < j->min_replicas) {
        int64_t fill = j->min_replicas - j->running;
        return (struct keda_plan){fill, fill};
    }
    struct keda_jobs above = *j;
    above.running -= j->min_replicas;
    return keda_strategy_plan(&above);
}
