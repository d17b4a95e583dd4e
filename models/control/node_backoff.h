/* node_backoff: how long a group that failed is left alone (N18). */
#ifndef SLUICE_MODELS_CONTROL_NODE_BACKOFF_H
#define SLUICE_MODELS_CONTROL_NODE_BACKOFF_H

#include "sim/clock.h"

#include <stdbool.h>

struct node_backoff_rule {
    sim_ns initial, max; /* 5 min, 30 min */
    sim_ns reset;        /* forgotten this long after the last failure: 3 h */
};

/* {0}: never failed. */
struct node_backoff {
    bool tracked;
    sim_ns duration, until, last_failure;
};

/* A failure now. The length doubles only when the last backoff had run out strictly before; a
 * failure during a backoff restarts it with the same length. */
void node_backoff_fail(struct node_backoff *b, const struct node_backoff_rule *rule, sim_ns now);
/* Until the end, not at it. */
bool node_backoff_active(const struct node_backoff *b, sim_ns now);
/* Forgets a group whose last failure is older than the reset time, strictly. A later success
 * forgets nothing. */
void node_backoff_forget(struct node_backoff *b, const struct node_backoff_rule *rule, sim_ns now);

#endif
