/* decide_expander: which pools an expander keeps of those that could grow. */
#include "scenarios/run/decide_expander.h"

#include "models/control/node_expander.h"
#include "scenarios/run/decide_read.h"

#include <stdlib.h>
#include <string.h>

/* What all expander kinds share: options with names, filled by the kind's reader. */
struct options {
    enum node_expander_kind kind;
    const struct node_expander_prices *prices; /* NULL: the kind needs none */
    size_t n;
    struct node_option *list;
    const char **names;
    uint32_t *in, *best;
};

static int options_init(struct options *o, const struct json *array, struct err *e)
{
    o->n = array ? array->count : 0;
    o->list = decide_read_room(o->n, sizeof *o->list, e);
    o->names = decide_read_room(o->n, sizeof *o->names, e);
    o->in = decide_read_room(o->n, sizeof *o->in, e);
    o->best = decide_read_room(o->n, sizeof *o->best, e);
    for (size_t i = 0; o->in && i < o->n; i++)
        o->in[i] = (uint32_t)i;
    return e->code == ERR_NONE ? 0 : -1;
}

static void options_fini(struct options *o)
{
    free(o->list);
    free(o->names);
    free(o->in);
    free(o->best);
}

static bool best_as_expected(const struct json *expect, const struct options *o, size_t kept,
                             struct err *e)
{
    const struct json *want = decide_read_field(expect, "best", e);
    size_t i = 0;
    if (!want)
        return true;
    if (want->type != JSON_ARRAY || want->count != kept)
        return false;
    for (const struct json *v = want->first; v; v = v->next, i++)
        if (v->type != JSON_STRING || strcmp(v->string, o->names[o->best[i]]) != 0)
            return false;
    return true;
}

static void put_best(struct json_out *result, const struct options *o, size_t kept)
{
    json_out_open(result, "{");
    json_out_key(result, "best");
    json_out_open(result, "[");
    for (size_t i = 0; i < kept; i++)
        json_out_string(result, o->names[o->best[i]]);
    json_out_close(result, "]");
    json_out_close(result, "}");
}

/* Decides, unless an error stands already, and frees the options. */
static int expand(struct options *o, struct decide_trial *trial, struct err *e)
{
    if (e->code == ERR_NONE) {
        size_t kept = node_expander_best(o->kind, o->list, o->in, o->n, o->prices, o->best);
        put_best(trial->result, o, kept);
        text_printf(trial->reason, "%s keeps %zu of %zu options", node_expander_name(o->kind), kept,
                    o->n);
        if (trial->expect)
            trial->pass = best_as_expected(trial->expect, o, kept, e);
    }
    options_fini(o);
    return e->code == ERR_NONE ? 0 : -1;
}

static void read_waste(const struct json *v, struct node_option *o, struct err *e)
{
    o->nodes = (int32_t)decide_read_int(v, "node_count", 0, INT32_MAX, e);
    o->node_cpu_milli = decide_read_int(v, "node_cpu_milli", 0, DECIDE_READ_MOST / 1000, e);
    o->node_memory = decide_read_int(v, "node_memory", 0, DECIDE_READ_MOST, e);
    const struct json *pods = decide_read_array(v, "pods", e);
    for (const struct json *p = pods ? pods->first : NULL; p; p = p->next) {
        o->pods++;
        o->pods_cpu_milli += decide_read_int_or(p, "cpu_milli", 0, 0, DECIDE_READ_MOST, e);
        o->pods_memory += decide_read_int_or(p, "memory", 0, 0, DECIDE_READ_MOST, e);
    }
    if (o->nodes > 0 && o->node_memory > DECIDE_READ_MOST / o->nodes)
        decide_read_fail(v, "node_memory", e, "is too large for %d nodes", (int)o->nodes);
}

static void read_most_pods(const struct json *v, struct node_option *o, struct err *e)
{
    o->pods = (int32_t)decide_read_int(v, "pods", 0, INT32_MAX, e);
}

static void read_least_nodes(const struct json *v, struct node_option *o, struct err *e)
{
    o->nodes = (int32_t)decide_read_int(v, "node_count", 0, INT32_MAX, e);
}

static void read_price(const struct json *v, struct node_option *o, struct err *e)
{
    o->nodes = (int32_t)decide_read_int(v, "node_count", 1, INT32_MAX, e);
    o->node_cpu_milli = decide_read_int(v, "node_cpu_milli", 1, DECIDE_READ_MOST, e);
    o->node_price = decide_read_number(v, "node_price", e);
    const struct json *prices = decide_read_array(v, "pod_prices", e);
    for (const struct json *p = prices ? prices->first : NULL; p; p = p->next) {
        if (p->type != JSON_NUMBER)
            decide_read_fail(p, "pod_prices", e, "%s, but must hold numbers",
                             json_type_name(p->type));
        o->pods++;
        o->pods_price += p->number;
    }
    o->group_exists = decide_read_bool_or(v, "group_exists", true, e);
    o->gpu = decide_read_bool_or(v, "gpu", false, e);
}

typedef void option_reader(const struct json *v, struct node_option *o, struct err *e);

static void read_options(const struct json *input, option_reader *reader, struct options *o,
                         struct err *e)
{
    const struct json *array = decide_read_array(input, "options", e);
    size_t i = 0;
    if (options_init(o, array, e) != 0)
        return;
    for (const struct json *v = array->first; v; v = v->next, i++) {
        o->names[i] = decide_read_string(v, "group", e);
        reader(v, &o->list[i], e);
    }
}

int decide_expander_least_waste(struct decide_trial *trial, struct err *e)
{
    struct options o = {.kind = NODE_EXPANDER_LEAST_WASTE};
    read_options(trial->input, read_waste, &o, e);
    return expand(&o, trial, e);
}

int decide_expander_most_pods(struct decide_trial *trial, struct err *e)
{
    struct options o = {.kind = NODE_EXPANDER_MOST_PODS};
    read_options(trial->input, read_most_pods, &o, e);
    return expand(&o, trial, e);
}

int decide_expander_least_nodes(struct decide_trial *trial, struct err *e)
{
    struct options o = {.kind = NODE_EXPANDER_LEAST_NODES};
    read_options(trial->input, read_least_nodes, &o, e);
    return expand(&o, trial, e);
}

int decide_expander_price(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct node_expander_prices prices = {
        .preferred_cpu_milli =
            (double)decide_read_int(input, "preferred_cpu_milli", 1, DECIDE_READ_MOST, e),
        .stabilization = decide_read_number(input, "stabilization_price", e)};
    struct options o = {.kind = NODE_EXPANDER_PRICE, .prices = &prices};
    read_options(input, read_price, &o, e);
    return expand(&o, trial, e);
}

/* ---- priority ---- */

struct rules {
    size_t n;
    struct node_priority_rule *list;
};

static size_t count_patterns(const struct json *table)
{
    size_t n = 0;
    for (const struct json *p = table ? table->first : NULL; p; p = p->next)
        n += p->count;
    return n;
}

/* One line of the table; false when it is broken, which makes the whole table void. */
static bool add_rules(const struct json *line, struct rules *rules)
{
    int64_t priority;
    char why[64];
    if (line->type != JSON_ARRAY || !text_parse_int64(line->key, &priority) ||
        priority > INT32_MAX || priority < INT32_MIN)
        return false;
    for (const struct json *p = line->first; p; p = p->next) {
        if (p->type != JSON_STRING || node_expander_pattern_error(p->string, why, sizeof why))
            return false;
        rules->list[rules->n++] =
            (struct node_priority_rule){.priority = (int32_t)priority, .pattern = p->string};
    }
    return true;
}

static void read_rules(const struct json *input, struct rules *rules, struct err *e)
{
    const struct json *table = decide_read_field(input, "priorities", e);
    bool sound = table && table->type == JSON_OBJECT;
    *rules = (struct rules){0};
    rules->list = decide_read_room(count_patterns(table), sizeof *rules->list, e);
    for (const struct json *p = sound ? table->first : NULL; p && rules->list && sound; p = p->next)
        sound = add_rules(p, rules);
    if (!sound)
        rules->n = 0;
}

int decide_expander_priority(struct decide_trial *trial, struct err *e)
{
    struct options o = {.kind = NODE_EXPANDER_PRIORITY};
    struct rules rules;
    const struct json *array = decide_read_array(trial->input, "options", e);
    size_t i = 0;
    read_rules(trial->input, &rules, e);
    bool ready = options_init(&o, array, e) == 0;
    for (const struct json *v = ready ? array->first : NULL; v; v = v->next, i++) {
        if (v->type != JSON_STRING) {
            decide_read_fail(v, "options", e, "%s, but must hold names", json_type_name(v->type));
            break;
        }
        o.names[i] = v->string;
        o.list[i].has_priority =
            node_expander_priority(rules.list, rules.n, v->string, &o.list[i].priority);
    }
    free(rules.list);
    return expand(&o, trial, e);
}
