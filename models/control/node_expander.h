/* node_expander: which group to grow when several could (N6-N12). */
#ifndef SLUICE_MODELS_CONTROL_NODE_EXPANDER_H
#define SLUICE_MODELS_CONTROL_NODE_EXPANDER_H

#include "models/control/node_settings.h"
#include "sim/chance.h"

/* One way to help: `nodes` new nodes of a group take `pods` pods. */
struct node_option {
    uint32_t group;
    int32_t nodes, pods;
    int64_t node_cpu_milli, node_memory; /* capacity of one node */
    int64_t pods_cpu_milli, pods_memory; /* requests of all its pods */
    double node_price, pods_price;       /* an hour, of one node and of all its pods */
    bool gpu;
    bool group_exists; /* false: it would have to be created first */
    bool has_priority; /* a pattern matches the group */
    int32_t priority;
};

struct node_expander_prices {
    double preferred_cpu_milli;
    double stabilization; /* S: price of a pod of half a core and 500 MiB */
};

/* Keeps the best options by one rule, all ties, in their order: writes their indices to best
 * (as many as options; may be the array `in`) and returns how many. `in` names n options.
 * Least-nodes drops options without nodes. Priority keeps every option when no option has one,
 * else only the highest. Random keeps all. prices: for NODE_EXPANDER_PRICE only, else NULL. */
size_t node_expander_best(enum node_expander_kind kind, const struct node_option *options,
                          const uint32_t *in, size_t n, const struct node_expander_prices *prices,
                          uint32_t *best);

/* The price expander's preferred size: 1, 2, 4, 8, 16, 32 cores for up to 2, 6, 20, 60, 200,
 * more nodes. */
double node_expander_preferred_cpu_milli(int64_t cluster_nodes);
/* The price expander's score; smaller is better. */
double node_expander_price_score(const struct node_option *o,
                                 const struct node_expander_prices *prices);

/* Runs the chain over options (those without pods or nodes fall out), then breaks a tie by the
 * draw `c` at `draw`. Scratch: n indices. Returns the index of the choice, or -1: none. */
int64_t node_expander_choose(const struct node_scaler_config *config,
                             const struct node_option *options, size_t n,
                             const struct node_expander_prices *prices, struct chance c,
                             uint64_t draw, uint32_t *scratch);

/* The highest priority among the rules whose pattern matches the name. false: none
 * matches. A pattern that does not compile matches nothing. */
bool node_expander_priority(const struct node_priority_rule *rules, size_t n, const char *name,
                            int32_t *priority);
/* NULL, or why the pattern is no regular expression (in buf). */
const char *node_expander_pattern_error(const char *pattern, char *buf, size_t size);

const char *node_expander_name(enum node_expander_kind kind); /* "least-waste" */

#endif
