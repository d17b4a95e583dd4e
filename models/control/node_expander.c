/* node_expander: the rules by which one option is picked. */
#include "models/control/node_expander.h"

#include <assert.h>
#include <regex.h>

#define GPU_UNFITNESS 1000.0 /* N12: keeps other pods off GPU groups */
#define CREATE_FACTOR 2.0    /* N12: a group that does not exist yet */

/* Share of CPU and of memory that would stay unused, added up (N7). */
static double waste(const struct node_option *o)
{
    int64_t cpu = o->node_cpu_milli * o->nodes, memory = o->node_memory * o->nodes;
    double unused_cpu = (double)(cpu - o->pods_cpu_milli) / (double)cpu;
    double unused_memory = (double)(memory - o->pods_memory) / (double)memory;
    return unused_cpu + unused_memory;
}

/* 1 - tanh(x) for x >= 0, without libm. */
static double one_minus_tanh(double x)
{
    return x == 0 ? 1 : 2 / (chance_exp(2 * x) + 1);
}

double node_expander_price_score(const struct node_option *o,
                                 const struct node_expander_prices *prices)
{
    double cpu = (double)o->node_cpu_milli, preferred = prices->preferred_cpu_milli;
    assert(cpu > 0 && preferred > 0 && o->nodes > 0);
    double unfitness = cpu > preferred ? cpu / preferred : preferred / cpu;
    double fitness = (unfitness - 1) * one_minus_tanh((double)(o->nodes - 1) / 15) + 1;
    if (o->gpu)
        fitness = GPU_UNFITNESS;
    double bought = o->node_price * o->nodes + prices->stabilization;
    double score = fitness * (bought / (o->pods_price + prices->stabilization));
    return o->group_exists ? score : score * CREATE_FACTOR;
}

double node_expander_preferred_cpu_milli(int64_t cluster_nodes)
{
    static const int64_t up_to[] = {2, 6, 20, 60, 200};
    double cores = 1;
    for (size_t i = 0; i < sizeof up_to / sizeof up_to[0] && cluster_nodes > up_to[i]; i++)
        cores *= 2;
    return cores * 1000;
}

/* Smaller is better, for every rule. */
static double score_of(enum node_expander_kind kind, const struct node_option *o,
                       const struct node_expander_prices *prices)
{
    switch (kind) {
    case NODE_EXPANDER_LEAST_WASTE:
        return waste(o);
    case NODE_EXPANDER_MOST_PODS:
        return -(double)o->pods;
    case NODE_EXPANDER_LEAST_NODES:
        return (double)o->nodes;
    case NODE_EXPANDER_PRIORITY:
        return -(double)o->priority;
    case NODE_EXPANDER_PRICE:
        return node_expander_price_score(o, prices);
    case NODE_EXPANDER_RANDOM:
        break;
    }
    return 0;
}

static bool any_priority(const struct node_option *options, const uint32_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (options[in[i]].has_priority)
            return true;
    return false;
}

size_t node_expander_best(enum node_expander_kind kind, const struct node_option *options,
                          const uint32_t *in, size_t n, const struct node_expander_prices *prices,
                          uint32_t *best)
{
    bool all = kind == NODE_EXPANDER_RANDOM ||
               (kind == NODE_EXPANDER_PRIORITY && !any_priority(options, in, n));
    double least = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct node_option *o = &options[in[i]];
        if (!all && kind == NODE_EXPANDER_PRIORITY && !o->has_priority)
            continue;
        if (kind == NODE_EXPANDER_LEAST_NODES && o->nodes <= 0)
            continue;
        double score = all ? 0 : score_of(kind, o, prices);
        if (kept > 0 && score > least)
            continue;
        if (kept > 0 && score < least)
            kept = 0;
        least = score;
        best[kept++] = in[i];
    }
    return kept;
}

int64_t node_expander_choose(const struct node_scaler_config *config,
                             const struct node_option *options, size_t n,
                             const struct node_expander_prices *prices, struct chance c,
                             uint64_t draw, uint32_t *scratch)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (options[i].pods > 0 && options[i].nodes > 0)
            scratch[kept++] = i;
    for (size_t k = 0; k < config->n_expanders && kept > 1; k++)
        kept = node_expander_best(config->expanders[k], options, scratch, kept, prices, scratch);
    if (kept == 0)
        return -1;
    uint64_t at = kept == 1 ? 0 : chance_below(c, draw, kept);
    return scratch[at];
}

bool node_expander_priority(const struct node_priority_rule *rules, size_t n, const char *name,
                            int32_t *priority)
{
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        regex_t re;
        if (regcomp(&re, rules[i].pattern, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        bool matches = regexec(&re, name, 0, NULL, 0) == 0;
        regfree(&re);
        if (matches && (!found || rules[i].priority > *priority))
            *priority = rules[i].priority;
        found = found || matches;
    }
    return found;
}

const char *node_expander_pattern_error(const char *pattern, char *buf, size_t size)
{
    regex_t re;
    int rc = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
    if (rc == 0) {
        regfree(&re);
        return NULL;
    }
    regerror(rc, &re, buf, size);
    return buf;
}

const char *node_expander_name(enum node_expander_kind kind)
{
    switch (kind) {
    case NODE_EXPANDER_RANDOM:
        return "random";
    case NODE_EXPANDER_LEAST_WASTE:
        return "least-waste";
    case NODE_EXPANDER_MOST_PODS:
        return "most-pods";
    case NODE_EXPANDER_LEAST_NODES:
        return "least-nodes";
    case NODE_EXPANDER_PRIORITY:
        return "priority";
    case NODE_EXPANDER_PRICE:
        return "price";
    }
    return "?";
}
