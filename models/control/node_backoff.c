/* node_backoff: exponential, one a group. */
#include "models/control/node_backoff.h"

void node_backoff_fail(struct node_backoff *b, const struct node_backoff_rule *rule, sim_ns now)
{
    sim_ns duration = b->tracked ? b->duration : rule->initial;
    if (b->tracked && b->until < now) {
        duration = 2 * b->duration;
        if (duration > rule->max)
            duration = rule->max;
    }
    *b = (struct node_backoff){
        .tracked = true, .duration = duration, .until = now + duration, .last_failure = now};
}

bool node_backoff_active(const struct node_backoff *b, sim_ns now)
{
    return b->tracked && b->until > now;
}

void node_backoff_forget(struct node_backoff *b, const struct node_backoff_rule *rule, sim_ns now)
{
    if (b->tracked && b->last_failure + rule->reset < now)
        *b = (struct node_backoff){0};
}
