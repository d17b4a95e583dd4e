/* decide_node_up: backoff, requests, balance, packing. */
#include "scenarios/run/decide_node_up.h"

#include "models/control/node_backoff.h"
#include "models/control/node_balance.h"
#include "models/control/node_binpack.h"
#include "models/control/node_request.h"
#include "scenarios/run/decide_read.h"

#include <stdlib.h>
#include <string.h>

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

int decide_node_up_backoff(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    const struct json *steps = decide_read_array(input, "steps", e);
    struct failures f = {.rule = {.initial = decide_read_seconds(input, "initial_s", e),
                                  .max = decide_read_seconds(input, "max_s", e),
                                  .reset = decide_read_seconds(input, "reset_s", e)},
                         .pass = true,
                         .e = e};
    f.list = decide_read_room(steps ? steps->count : 0, sizeof *f.list, e);
    if (e->code == ERR_NONE) {
        json_out_open(trial->result, "{");
        json_out_key(trial->result, "steps");
        json_out_open(trial->result, "[");
        for (const struct json *s = steps->first; s && e->code == ERR_NONE; s = s->next)
            backoff_step(&f, s, trial->result);
        json_out_close(trial->result, "]");
        json_out_close(trial->result, "}");
        text_printf(trial->reason, "%zu groups seen", f.n);
        if (trial->expect)
            trial->pass = f.pass;
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

int decide_node_up_request(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
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
    put_request(trial->result, &r);
    text_add(trial->reason, r.decrease > 0 ? "the request expired: its whole increase is taken back"
                            : r.request.increase > 0 ? "the request is open"
                                                     : "no request is left");
    if (trial->expect)
        trial->pass = request_as_expected(trial->expect, &r, e);
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

int decide_node_up_balance(struct decide_trial *trial, struct err *e)
{
    struct spread s = {0};
    int32_t new_nodes = (int32_t)decide_read_int(trial->input, "new_nodes", 0, 1000000, e);
    read_spread(trial->input, &s, e);
    if (e->code == ERR_NONE) {
        int32_t added = node_balance_spread(s.groups, s.n, new_nodes);
        collect_sizes(&s);
        put_spread(trial->result, &s);
        text_printf(trial->reason, "%d of %d nodes placed", (int)added, (int)new_nodes);
        if (trial->expect)
            trial->pass = spread_as_expected(trial->expect, &s, e);
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
    p->b.shape = (struct node_room){
        .cpu_milli = decide_read_int(node, "cpu_milli", 0, DECIDE_READ_MOST, e),
        .memory_bytes = decide_read_int(node, "memory_mib", 0, DECIDE_READ_MOST, e),
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
            .cpu_milli = decide_read_int(g, "cpu_milli", 0, DECIDE_READ_MOST, e),
            .memory_bytes = decide_read_int(g, "memory_mib", 0, DECIDE_READ_MOST, e),
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

int decide_node_up_binpack(struct decide_trial *trial, struct err *e)
{
    struct packing p = {0};
    read_packing(trial->input, &p, e);
    make_room(trial->input, &p, e);
    if (e->code == ERR_NONE) {
        struct node_binpack_result r = node_binpack_estimate(&p.b);
        json_out_open(trial->result, "{");
        json_out_key(trial->result, "nodes");
        json_out_int(trial->result, r.nodes);
        json_out_key(trial->result, "pods_placed");
        json_out_int(trial->result, r.pods_placed);
        json_out_close(trial->result, "}");
        text_add(trial->reason,
                 r.limited ? "stopped at max_nodes" : "all pods that fit a node are placed");
        if (trial->expect)
            trial->pass =
                decide_read_int_or(trial->expect, "nodes", r.nodes, 0, INT32_MAX, e) == r.nodes &&
                decide_read_int_or(trial->expect, "pods_placed", r.pods_placed, 0, INT32_MAX, e) ==
                    r.pods_placed;
    }
    free(p.b.groups);
    free(p.b.order);
    free(p.b.rooms);
    free(p.b.ports);
    free(p.ports);
    return e->code == ERR_NONE ? 0 : -1;
}
