/* decide_node_up: expanders, backoff, requests, balance, packing. */
#include "scenarios/run/decide_node_up.h"

#include "models/control/node_backoff.h"
#include "models/control/node_balance.h"
#include "models/control/node_binpack.h"
#include "models/control/node_expander.h"
#include "models/control/node_request.h"
#include "scenarios/run/decide_read.h"

#include <stdlib.h>
#include <string.h>

#define MOST 1000000000000000 /* units of a resource in one case */

/* ---- expanders ---- */

/* What all expander kinds share: options with names, filled by the kind's reader. */
struct options {
    size_t n;
    struct node_option *list;
    const char **names;
    uint32_t *in, *best;
};

static int options_init(struct options *o, const struct json *array, struct err *e)
{
    *o = (struct options){.n = array ? array->count : 0};
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

/* Where the outcome of a case goes: the tail of every decide_fn's parameters. */
struct outcome {
    const struct json *expect;
    struct json_out *result;
    bool *pass;
    struct text *reason;
};

/* Decides, unless an error stands already, and frees the options. */
static int expand(enum node_expander_kind kind, struct options *o,
                  const struct node_expander_prices *prices, struct outcome to, struct err *e)
{
    if (e->code == ERR_NONE) {
        size_t kept = node_expander_best(kind, o->list, o->in, o->n, prices, o->best);
        json_out_open(to.result, "{");
        json_out_key(to.result, "best");
        json_out_open(to.result, "[");
        for (size_t i = 0; i < kept; i++)
            json_out_string(to.result, o->names[o->best[i]]);
        json_out_close(to.result, "]");
        json_out_close(to.result, "}");
        text_printf(to.reason, "%s keeps %zu of %zu options", node_expander_name(kind), kept, o->n);
        if (to.expect)
            *to.pass = best_as_expected(to.expect, o, kept, e);
    }
    options_fini(o);
    return e->code == ERR_NONE ? 0 : -1;
}

static void read_waste(const struct json *v, struct node_option *o, struct err *e)
{
    o->nodes = (int32_t)decide_read_int(v, "node_count", 0, INT32_MAX, e);
    o->node_cpu_milli = decide_read_int(v, "node_cpu_milli", 0, MOST / 1000, e);
    o->node_memory = decide_read_int(v, "node_memory", 0, MOST, e);
    const struct json *pods = decide_read_array(v, "pods", e);
    for (const struct json *p = pods ? pods->first : NULL; p; p = p->next) {
        o->pods++;
        o->pods_cpu_milli += decide_read_int_or(p, "cpu_milli", 0, 0, MOST, e);
        o->pods_memory += decide_read_int_or(p, "memory", 0, 0, MOST, e);
    }
    if (o->nodes > 0 && o->node_memory > MOST / o->nodes)
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
    o->node_cpu_milli = decide_read_int(v, "node_cpu_milli", 1, MOST, e);
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

int decide_node_up_least_waste(const struct json *input, const struct json *expect,
                               struct json_out *result, bool *pass, struct text *reason,
                               struct err *e)
{
    struct options o = {0};
    read_options(input, read_waste, &o, e);
    return expand(NODE_EXPANDER_LEAST_WASTE, &o, NULL,
                  (struct outcome){expect, result, pass, reason}, e);
}

int decide_node_up_most_pods(const struct json *input, const struct json *expect,
                             struct json_out *result, bool *pass, struct text *reason,
                             struct err *e)
{
    struct options o = {0};
    read_options(input, read_most_pods, &o, e);
    return expand(NODE_EXPANDER_MOST_PODS, &o, NULL, (struct outcome){expect, result, pass, reason},
                  e);
}

int decide_node_up_least_nodes(const struct json *input, const struct json *expect,
                               struct json_out *result, bool *pass, struct text *reason,
                               struct err *e)
{
    struct options o = {0};
    read_options(input, read_least_nodes, &o, e);
    return expand(NODE_EXPANDER_LEAST_NODES, &o, NULL,
                  (struct outcome){expect, result, pass, reason}, e);
}

int decide_node_up_price(const struct json *input, const struct json *expect,
                         struct json_out *result, bool *pass, struct text *reason, struct err *e)
{
    struct options o = {0};
    struct node_expander_prices prices = {
        .preferred_cpu_milli = (double)decide_read_int(input, "preferred_cpu_milli", 1, MOST, e),
        .stabilization = decide_read_number(input, "stabilization_price", e)};
    read_options(input, read_price, &o, e);
    return expand(NODE_EXPANDER_PRICE, &o, &prices, (struct outcome){expect, result, pass, reason},
                  e);
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

int decide_node_up_priority(const struct json *input, const struct json *expect,
                            struct json_out *result, bool *pass, struct text *reason, struct err *e)
{
    struct options o = {0};
    struct rules rules;
    const struct json *array = decide_read_array(input, "options", e);
    size_t i = 0;
    read_rules(input, &rules, e);
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
    return expand(NODE_EXPANDER_PRIORITY, &o, NULL, (struct outcome){expect, result, pass, reason},
                  e);
}

/* ---- backoff ---- */

/* A group that failed, and what it failed with. */
struct failing {
    const char *group, *error;
    struct node_backoff backoff;
};

struct failures {
    struct failing *list;
    size_t n;
    struct node_backoff_rule rule;
    bool pass;
    struct err *e;
};

static struct failing *failing_of(struct failures *f, const char *group)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->list[i].group, group) == 0)
            return &f->list[i];
    f->list[f->n].group = group;
    return &f->list[f->n++];
}

static int64_t cleanup(struct failures *f, sim_ns now)
{
    int64_t tracked = 0;
    for (size_t i = 0; i < f->n; i++) {
        node_backoff_forget(&f->list[i].backoff, &f->rule, now);
        tracked += f->list[i].backoff.tracked;
    }
    return tracked;
}

static void query(struct failures *f, const struct json *step, const struct failing *g, sim_ns now,
                  struct json_out *result)
{
    bool active = node_backoff_active(&g->backoff, now);
    const struct json *want = json_get(step, "expect_error");
    json_out_key(result, "backed_off");
    json_out_bool(result, active);
    json_out_key(result, "error");
    json_out_string(result, active ? g->error : NULL);
    if (decide_read_bool_or(step, "expect_backed_off", active, f->e) != active)
        f->pass = false;
    if (want && want->type == JSON_STRING &&
        (!active || !g->error || strcmp(want->string, g->error) != 0))
        f->pass = false;
    if (want && want->type == JSON_NULL && active && g->error)
        f->pass = false;
}

static void step_group(struct failures *f, const struct json *step, const char *op,
                       struct json_out *result)
{
    sim_ns now = decide_read_seconds(step, "at_s", f->e);
    const char *group = decide_read_string(step, "group", f->e);
    if (!group)
        return;
    struct failing *g = failing_of(f, group);
    if (strcmp(op, "fail") == 0) {
        const struct json *error = decide_read_field(step, "error", f->e);
        node_backoff_fail(&g->backoff, &f->rule, now);
        g->error = error && error->type == JSON_STRING ? error->string : NULL;
        json_out_key(result, "until_s");
        json_out_number(result, (double)g->backoff.until / 1e9);
    } else {
        query(f, step, g, now, result);
    }
}

static void backoff_step(struct failures *f, const struct json *step, struct json_out *result)
{
    const char *op = decide_read_string(step, "op", f->e);
    if (!op)
        return;
    json_out_open(result, "{");
    if (strcmp(op, "fail") == 0 || strcmp(op, "query") == 0) {
        step_group(f, step, op, result);
    } else if (strcmp(op, "cleanup") == 0) {
        int64_t tracked = cleanup(f, decide_read_seconds(step, "at_s", f->e));
        json_out_key(result, "tracked");
        json_out_int(result, tracked);
        if (decide_read_int_or(step, "expect_tracked", tracked, 0, INT32_MAX, f->e) != tracked)
            f->pass = false;
    } else if (strcmp(op, "success") != 0) { /* which changes nothing */
        decide_read_fail(step, "op", f->e, "\"%s\" is none of fail, query, cleanup, success", op);
    }
    json_out_close(result, "}");
}

int decide_node_up_backoff(const struct json *input, const struct json *expect,
                           struct json_out *result, bool *pass, struct text *reason, struct err *e)
{
    const struct json *steps = decide_read_array(input, "steps", e);
    struct failures f = {.rule = {.initial = decide_read_seconds(input, "initial_s", e),
                                  .max = decide_read_seconds(input, "max_s", e),
                                  .reset = decide_read_seconds(input, "reset_s", e)},
                         .pass = true,
                         .e = e};
    f.list = decide_read_room(steps ? steps->count : 0, sizeof *f.list, e);
    if (e->code == ERR_NONE) {
        json_out_open(result, "{");
        json_out_key(result, "steps");
        json_out_open(result, "[");
        for (const struct json *s = steps->first; s && e->code == ERR_NONE; s = s->next)
            backoff_step(&f, s, result);
        json_out_close(result, "]");
        json_out_close(result, "}");
        text_printf(reason, "%zu groups seen", f.n);
        if (expect)
            *pass = f.pass;
    }
    free(f.list);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- scale_up_request ---- */

struct requested {
    struct node_request request;
    struct node_backoff backoff;
    struct node_backoff_rule rule;
    sim_ns max_provision, now;
    int32_t target, decrease;
};

static void request_step(struct requested *r, const struct json *step, struct err *e)
{
    const char *op = decide_read_string(step, "op", e);
    r->now = decide_read_seconds(step, "at_s", e);
    if (!op)
        return;
    if (strcmp(op, "register") == 0) {
        int64_t delta = decide_read_int(step, "delta", -1000000, 1000000, e);
        node_request_change(&r->request, (int32_t)delta, r->max_provision, r->now);
    } else if (strcmp(op, "cloud_error") == 0) {
        int64_t count = decide_read_int(step, "count", 1, 1000000, e);
        node_request_change(&r->request, (int32_t)-count, r->max_provision, r->now);
        node_backoff_fail(&r->backoff, &r->rule, r->now);
    } else if (strcmp(op, "update") == 0) {
        int64_t ready = decide_read_int(step, "ready_nodes", 0, 1000000, e);
        int32_t upcoming = r->target - r->decrease - (int32_t)ready;
        int32_t reverted = node_request_update(&r->request, upcoming, r->now);
        r->decrease += reverted;
        if (reverted > 0)
            node_backoff_fail(&r->backoff, &r->rule, r->now);
    } else {
        decide_read_fail(step, "op", e, "\"%s\" is none of register, update, cloud_error", op);
    }
}

/* request_left may be asked for as a number of nodes, as {increase, deadline_s} or as null. */
static bool request_as_expected(const struct json *expect, const struct requested *r, struct err *e)
{
    const struct json *left = json_get(expect, "request_left");
    bool backed_off = node_backoff_active(&r->backoff, r->now);
    if (decide_read_int_or(expect, "target_decrease", r->decrease, 0, INT32_MAX, e) != r->decrease)
        return false;
    if (decide_read_bool_or(expect, "backed_off", backed_off, e) != backed_off)
        return false;
    if (!left)
        return true;
    if (left->type == JSON_NULL)
        return r->request.increase == 0;
    if (left->type == JSON_NUMBER)
        return left->number == (double)r->request.increase;
    return decide_read_int_or(left, "increase", r->request.increase, 0, INT32_MAX, e) ==
               r->request.increase &&
           decide_read_seconds_or(left, "deadline_s", r->request.deadline, e) ==
               r->request.deadline;
}

static void put_request(struct json_out *result, const struct requested *r)
{
    json_out_open(result, "{");
    json_out_key(result, "target_decrease");
    json_out_int(result, r->decrease);
    json_out_key(result, "request_left");
    if (r->request.increase > 0) {
        json_out_open(result, "{");
        json_out_key(result, "increase");
        json_out_int(result, r->request.increase);
        json_out_key(result, "deadline_s");
        json_out_number(result, (double)r->request.deadline / 1e9);
        json_out_close(result, "}");
    } else {
        json_out_null(result);
    }
    json_out_key(result, "backed_off");
    json_out_bool(result, node_backoff_active(&r->backoff, r->now));
    json_out_close(result, "}");
}

int decide_node_up_request(const struct json *input, const struct json *expect,
                           struct json_out *result, bool *pass, struct text *reason, struct err *e)
{
    const struct json *steps = decide_read_array(input, "steps", e);
    struct requested r = {
        .rule = {.initial = decide_read_seconds_or(input, "initial_backoff_s", 5 * SIM_MINUTE, e),
                 .max = decide_read_seconds_or(input, "max_backoff_s", 30 * SIM_MINUTE, e),
                 .reset = decide_read_seconds_or(input, "backoff_reset_s", 3 * SIM_HOUR, e)},
        .max_provision = decide_read_seconds(input, "max_node_provision_s", e),
        .target = (int32_t)decide_read_int(input, "group_target", 0, 1000000, e)};
    for (const struct json *s = steps ? steps->first : NULL; s && e->code == ERR_NONE; s = s->next)
        request_step(&r, s, e);
    if (e->code != ERR_NONE)
        return -1;
    put_request(result, &r);
    text_add(reason, r.decrease > 0 ? "the request expired: its whole increase is taken back"
                     : r.request.increase > 0 ? "the request is open"
                                              : "no request is left");
    if (expect)
        *pass = request_as_expected(expect, &r, e);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- balance ---- */

struct spread {
    size_t n;
    struct node_balance_group *groups;
    const char **names;
    int64_t *sizes; /* of changed groups, ascending */
    size_t n_changed;
};

static void read_spread(const struct json *input, struct spread *s, struct err *e)
{
    const struct json *array = decide_read_array(input, "groups", e);
    size_t i = 0;
    s->n = array ? array->count : 0;
    s->groups = decide_read_room(s->n, sizeof *s->groups, e);
    s->names = decide_read_room(s->n, sizeof *s->names, e);
    s->sizes = decide_read_room(s->n, sizeof *s->sizes, e);
    for (const struct json *v = array ? array->first : NULL; v && e->code == ERR_NONE;
         v = v->next, i++) {
        s->names[i] = decide_read_string(v, "group", e);
        s->groups[i].size = (int32_t)decide_read_int(v, "size", 0, 1000000, e);
        s->groups[i].max = (int32_t)decide_read_int(v, "max", 0, 1000000, e);
    }
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t new_size(const struct node_balance_group *g)
{
    return (int64_t)g->size + g->add;
}

static void collect_sizes(struct spread *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->groups[i].add > 0)
            s->sizes[s->n_changed++] = new_size(&s->groups[i]);
    qsort(s->sizes, s->n_changed, sizeof *s->sizes, ascending);
}

static bool holds_name(const struct json *array, const char *name)
{
    for (const struct json *v = array->first; v; v = v->next)
        if (v->type == JSON_STRING && strcmp(v->string, name) == 0)
            return true;
    return false;
}

static bool spread_as_expected(const struct json *expect, const struct spread *s, struct err *e)
{
    const struct json *map = decide_read_field(expect, "new_sizes", e);
    const struct json *names = decide_read_field(expect, "changed_groups", e);
    const struct json *sizes = decide_read_field(expect, "new_size_multiset", e);
    bool counts = (!map || map->count == s->n_changed) &&
                  (!names || names->count == s->n_changed) &&
                  (!sizes || sizes->count == s->n_changed);
    size_t k = 0;
    for (size_t i = 0; counts && i < s->n; i++) {
        const struct node_balance_group *g = &s->groups[i];
        if (g->add == 0)
            continue;
        if (map && decide_read_int_or(map, s->names[i], -1, 0, INT32_MAX, e) != new_size(g))
            return false;
        if (names && !holds_name(names, s->names[i]))
            return false;
    }
    for (const struct json *v = counts && sizes ? sizes->first : NULL; v; v = v->next, k++)
        if (v->type != JSON_NUMBER || v->number != (double)s->sizes[k])
            return false;
    return counts;
}

static void put_spread(struct json_out *result, const struct spread *s)
{
    json_out_open(result, "{");
    json_out_key(result, "new_sizes");
    json_out_open(result, "{");
    for (size_t i = 0; i < s->n; i++)
        if (s->groups[i].add > 0) {
            json_out_key(result, s->names[i]);
            json_out_int(result, new_size(&s->groups[i]));
        }
    json_out_close(result, "}");
    json_out_key(result, "new_size_multiset");
    json_out_open(result, "[");
    for (size_t i = 0; i < s->n_changed; i++)
        json_out_int(result, s->sizes[i]);
    json_out_close(result, "]");
    json_out_close(result, "}");
}

int decide_node_up_balance(const struct json *input, const struct json *expect,
                           struct json_out *result, bool *pass, struct text *reason, struct err *e)
{
    struct spread s = {0};
    int32_t new_nodes = (int32_t)decide_read_int(input, "new_nodes", 0, 1000000, e);
    read_spread(input, &s, e);
    if (e->code == ERR_NONE) {
        int32_t added = node_balance_spread(s.groups, s.n, new_nodes);
        collect_sizes(&s);
        put_spread(result, &s);
        text_printf(reason, "%d of %d nodes placed", (int)added, (int)new_nodes);
        if (expect)
            *pass = spread_as_expected(expect, &s, e);
    }
    free(s.groups);
    free(s.names);
    free(s.sizes);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- binpack ---- */

struct packing {
    struct node_binpack b;
    int64_t *ports; /* number of each known port */
    int64_t pods;
};

static int32_t port_index(struct packing *p, const struct json *group, struct err *e)
{
    if (!decide_read_field(group, "host_port", e))
        return -1;
    int64_t port = decide_read_int(group, "host_port", 0, 65535, e);
    size_t i = 0;
    while (i < p->b.n_ports && p->ports[i] != port)
        i++;
    p->ports[i] = port;
    if (i == p->b.n_ports)
        p->b.n_ports++;
    return (int32_t)i;
}

static void read_packing(const struct json *input, struct packing *p, struct err *e)
{
    const struct json *node = decide_read_object(input, "node", e);
    const struct json *groups = decide_read_array(input, "pod_groups", e);
    int64_t max_pods = decide_read_int_or(node, "max_pods", INT32_MAX, 0, INT32_MAX, e);
    size_t i = 0, n = groups ? groups->count : 0;
    p->b.shape =
        (struct node_room){.cpu_milli = decide_read_int(node, "cpu_milli", 0, MOST, e),
                           .memory_bytes = decide_read_int(node, "memory_mib", 0, MOST, e),
                           .gpus = (int32_t)decide_read_int_or(node, "gpu", 0, 0, 1000000, e),
                           .pods = (int32_t)max_pods};
    p->b.score_cpu_milli = (double)p->b.shape.cpu_milli;
    p->b.score_memory_bytes = (double)p->b.shape.memory_bytes;
    p->b.n_groups = n;
    p->b.groups = decide_read_room(n, sizeof *p->b.groups, e);
    p->b.order = decide_read_room(n, sizeof *p->b.order, e);
    p->ports = decide_read_room(n, sizeof *p->ports, e);
    for (const struct json *g = groups ? groups->first : NULL; g && e->code == ERR_NONE;
         g = g->next, i++) {
        p->b.groups[i] = (struct node_binpack_pods){
            .cpu_milli = decide_read_int(g, "cpu_milli", 0, MOST, e),
            .memory_bytes = decide_read_int(g, "memory_mib", 0, MOST, e),
            .gpus = (int32_t)decide_read_int_or(g, "gpu", 0, 0, 1000000, e),
            .count = (int32_t)decide_read_int(g, "count", 0, 10000000, e),
            .host_port = port_index(p, g, e)};
        p->pods += p->b.groups[i].count;
    }
}

/* A node for each pod is always enough. */
static void make_room(const struct json *input, struct packing *p, struct err *e)
{
    int64_t max_nodes = decide_read_int_or(input, "max_nodes", 0, 0, INT32_MAX, e);
    if (p->pods > 10000000)
        decide_read_fail(input, "pod_groups", e, "hold more than 10000000 pods");
    if (e->code != ERR_NONE)
        return;
    p->b.max_nodes = (size_t)(max_nodes > 0 && max_nodes < p->pods ? max_nodes : p->pods);
    p->b.rooms = decide_read_room(p->b.max_nodes, sizeof *p->b.rooms, e);
    p->b.ports = decide_read_room(p->b.max_nodes * p->b.n_ports, sizeof *p->b.ports, e);
}

int decide_node_up_binpack(const struct json *input, const struct json *expect,
                           struct json_out *result, bool *pass, struct text *reason, struct err *e)
{
    struct packing p = {0};
    read_packing(input, &p, e);
    make_room(input, &p, e);
    if (e->code == ERR_NONE) {
        struct node_binpack_result r = node_binpack_estimate(&p.b);
        json_out_open(result, "{");
        json_out_key(result, "nodes");
        json_out_int(result, r.nodes);
        json_out_key(result, "pods_placed");
        json_out_int(result, r.pods_placed);
        json_out_close(result, "}");
        text_add(reason,
                 r.limited ? "stopped at max_nodes" : "all pods that fit a node are placed");
        if (expect)
            *pass = decide_read_int_or(expect, "nodes", r.nodes, 0, INT32_MAX, e) == r.nodes &&
                    decide_read_int_or(expect, "pods_placed", r.pods_placed, 0, INT32_MAX, e) ==
                        r.pods_placed;
    }
    free(p.b.groups);
    free(p.b.order);
    free(p.b.rooms);
    free(p.b.ports);
    free(p.ports);
    return e->code == ERR_NONE ? 0 : -1;
}
