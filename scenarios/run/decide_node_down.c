/* decide_node_down: utilization, eligibility, the unneeded list, delays. */
#include "scenarios/run/decide_node_down.h"

#include "models/control/node_delay.h"
#include "models/control/node_unneeded.h"
#include "models/control/node_utilization.h"
#include "scenarios/run/decide_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparing ---- */

static bool strings_equal(const struct json *array, const char *const *names, size_t n)
{
    if (!array || array->type != JSON_ARRAY || array->count != n)
        return false;
    size_t i = 0;
    for (const struct json *v = array->first; v; v = v->next, i++)
        if (v->type != JSON_STRING || strcmp(v->string, names[i]) != 0)
            return false;
    return true;
}

static bool close_to(double got, double want, double relative, double absolute)
{
    return fabs(got - want) <= absolute || fabs(got - want) <= relative * fabs(want);
}

/* ---- utilization ---- */

static enum node_pod_kind pod_kind(const struct json *pod, struct err *e)
{
    static const char *const names[] = {"replicaset", "daemonset", "mirror", "none"};
    static const enum node_pod_kind kinds[] = {NODE_POD_REPLICATED, NODE_POD_DAEMON,
                                               NODE_POD_MIRROR, NODE_POD_BARE};
    const char *owner =
        decide_read_field(pod, "owner", e) ? decide_read_string(pod, "owner", e) : "replicaset";
    for (size_t i = 0; owner && i < 4; i++)
        if (strcmp(owner, names[i]) == 0)
            return kinds[i];
    if (owner)
        decide_read_fail(pod, "owner", e, "\"%s\" is none of replicaset, daemonset, mirror, none",
                         owner);
    return NODE_POD_REPLICATED;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A pod's request is the larger of its containers' sum and its init containers'. */
static struct node_scaler_owner read_pod(const struct json *pod, struct err *e)
{
    const struct json *init = decide_read_field(pod, "init", e);
    struct node_scaler_owner o = {
        .cpu_milli = decide_read_int_or(pod, "cpu_milli", 0, 0, DECIDE_READ_MOST, e),
        .memory_bytes = decide_read_int_or(pod, "memory", 0, 0, DECIDE_READ_MOST, e),
        .gpus = (int32_t)decide_read_int_or(pod, "gpu", 0, 0, 1000000, e),
        .kind = pod_kind(pod, e),
        .disruptions_allowed = -1};
    if (init && init->type == JSON_OBJECT) {
        o.cpu_milli =
            larger(o.cpu_milli, decide_read_int_or(init, "cpu_milli", 0, 0, DECIDE_READ_MOST, e));
        o.memory_bytes =
            larger(o.memory_bytes, decide_read_int_or(init, "memory", 0, 0, DECIDE_READ_MOST, e));
        o.gpus = (int32_t)larger(o.gpus, decide_read_int_or(init, "gpu", 0, 0, 1000000, e));
    }
    return o;
}

/* Now is zero: ages count back. */
static bool long_terminating(const struct json *pod, struct err *e)
{
    if (!decide_read_field(pod, "deleted_age_s", e))
        return false;
    struct node_scaler_pod p = {.terminating_since = -decide_read_seconds(pod, "deleted_age_s", e),
                                .grace =
                                    decide_read_seconds_or(pod, "grace_s", 30 * SIM_SECOND, e)};
    return node_utilization_long_terminating(&p, 0);
}

static struct node_usage read_usage(const struct json *pods, const struct node_usage_rule *rule,
                                    struct err *e)
{
    struct node_usage u = {0};
    for (const struct json *p = pods ? pods->first : NULL; p; p = p->next) {
        struct node_scaler_owner o = read_pod(p, e);
        bool left_out = (o.kind == NODE_POD_DAEMON && rule->ignore_daemon_pods) ||
                        (o.kind == NODE_POD_MIRROR && rule->ignore_mirror_pods);
        if (left_out || !long_terminating(p, e))
            node_utilization_add(&u, rule, &o, 1);
    }
    return u;
}

/* Figures that are not reported read as 0, which is as good as none. */
static struct node_scaler_shape read_shape(const struct json *node, struct err *e)
{
    return (struct node_scaler_shape){
        .cpu_milli = decide_read_int_or(node, "cpu_milli", 0, 0, DECIDE_READ_MOST, e),
        .memory_bytes = decide_read_int_or(node, "memory", 0, 0, DECIDE_READ_MOST, e),
        .gpus = (int32_t)decide_read_int_or(node, "gpu", 0, 0, 1000000, e)};
}

static bool utilization_as_expected(const struct json *expect, const struct node_utilization *u,
                                    bool known, struct err *e)
{
    bool want_error = decide_read_bool_or(expect, "error", false, e);
    if (want_error || !known)
        return want_error == !known;
    double relative = decide_read_number_or(expect, "rel_tol", 1e-9, e);
    double absolute = decide_read_number_or(expect, "abs_tol", 0, e);
    double cpu_relative = decide_read_number_or(expect, "cpu_rel_tol", relative, e);
    double value = decide_read_number_or(expect, "utilization", u->value, e);
    double cpu = decide_read_number_or(expect, "cpu", u->cpu, e);
    double memory = decide_read_number_or(expect, "mem", u->memory, e);
    memory = decide_read_number_or(expect, "memory", memory, e);
    double gpu = decide_read_number_or(expect, "gpu", u->gpu, e);
    return close_to(u->value, value, relative, absolute) &&
           close_to(u->cpu, cpu, cpu_relative, absolute) &&
           close_to(u->memory, memory, relative, absolute) &&
           close_to(u->gpu, gpu, relative, absolute);
}

static void put_utilization(struct json_out *result, const struct node_utilization *u, bool known)
{
    json_out_open(result, "{");
    if (known) {
        json_out_key(result, "utilization");
        json_out_number(result, u->value);
        json_out_key(result, "cpu");
        json_out_number(result, u->cpu);
        json_out_key(result, "memory");
        json_out_number(result, u->memory);
        json_out_key(result, "gpu");
        json_out_number(result, u->gpu);
    } else {
        json_out_key(result, "error");
        json_out_bool(result, true);
    }
    json_out_close(result, "}");
}

int decide_node_down_utilization(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    const struct json *node = decide_read_object(input, "node", e);
    struct node_usage_rule rule = {
        .ignore_daemon_pods = decide_read_bool_or(input, "ignore_daemonset", false, e),
        .ignore_mirror_pods = decide_read_bool_or(input, "ignore_mirror", false, e),
        .gpu_rule = NODE_GPU_ONLY};
    struct node_scaler_shape shape = read_shape(node, e);
    struct node_usage usage = read_usage(decide_read_array(input, "pods", e), &rule, e);
    bool gpu_node = decide_read_bool_or(node, "is_gpu_node", false, e);
    struct node_utilization u;
    if (e->code != ERR_NONE)
        return -1;
    bool known = node_utilization_of(&shape, gpu_node, &usage, rule.gpu_rule, &u) == 0;
    put_utilization(trial->result, &u, known);
    text_printf(trial->reason, "%s", known ? u.resource : "CPU or memory is not reported");
    if (trial->expect)
        trial->pass = utilization_as_expected(trial->expect, &u, known, e);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- eligible ---- */

struct verdict {
    const char *name;
    enum node_down_reason reason;
};

struct verdicts {
    struct verdict *list;
    size_t n;
    const char **unneeded; /* names */
    size_t n_unneeded;
};

static enum node_down_reason node_verdict(const struct json *node,
                                          const struct node_scaler_config *c, struct err *e)
{
    struct node_usage_rule rule = {.ignore_daemon_pods = c->ignore_daemon_pods,
                                   .ignore_mirror_pods = c->ignore_mirror_pods,
                                   .gpu_rule = c->gpu_rule};
    struct node_scaler_shape shape = read_shape(node, e);
    struct node_usage usage = read_usage(decide_read_field(node, "pods", e), &rule, e);
    bool deleting = decide_read_field(node, "being_deleted_since_s", e) != NULL;
    struct node_candidate n = {
        .autoscaled = decide_read_bool_or(node, "in_node_group", true, e),
        .ready = decide_read_bool_or(node, "ready", true, e),
        .scale_down_disabled = decide_read_bool_or(node, "scale_down_disabled", false, e),
        .deleting_since =
            deleting ? -decide_read_seconds(node, "being_deleted_since_s", e) : SIM_NEVER,
        .gpu_node = decide_read_bool_or(node, "is_gpu_node", false, e)};
    struct node_utilization u;
    if (node_utilization_of(&shape, n.gpu_node, &usage, c->gpu_rule, &u) == 0)
        n.utilization = &u;
    return node_unneeded_eligible(c, &n, 0);
}

static bool verdicts_as_expected(const struct json *expect, const struct verdicts *v, struct err *e)
{
    const struct json *list = decide_read_field(expect, "unneeded", e);
    const struct json *map = decide_read_field(expect, "unremovable", e);
    if (list && !strings_equal(list, v->unneeded, v->n_unneeded))
        return false;
    if (map && map->count != v->n - v->n_unneeded)
        return false;
    for (size_t i = 0; map && i < v->n; i++) {
        if (v->list[i].reason == NODE_DOWN_UNNEEDED)
            continue;
        const struct json *want = json_get(map, v->list[i].name);
        if (!want || want->type != JSON_STRING ||
            strcmp(want->string, node_scaler_down_name(v->list[i].reason)) != 0)
            return false;
    }
    return true;
}

static void put_verdicts(struct json_out *result, const struct verdicts *v)
{
    json_out_open(result, "{");
    json_out_key(result, "unneeded");
    json_out_open(result, "[");
    for (size_t i = 0; i < v->n_unneeded; i++)
        json_out_string(result, v->unneeded[i]);
    json_out_close(result, "]");
    json_out_key(result, "unremovable");
    json_out_open(result, "{");
    for (size_t i = 0; i < v->n; i++)
        if (v->list[i].reason != NODE_DOWN_UNNEEDED) {
            json_out_key(result, v->list[i].name);
            json_out_string(result, node_scaler_down_name(v->list[i].reason));
        }
    json_out_close(result, "}");
    json_out_close(result, "}");
}

static void judge(const struct json *nodes, const struct node_scaler_config *c, struct verdicts *v,
                  struct err *e)
{
    size_t i = 0;
    v->n = nodes ? nodes->count : 0;
    v->list = decide_read_room(v->n, sizeof *v->list, e);
    v->unneeded = decide_read_room(v->n, sizeof *v->unneeded, e);
    for (const struct json *node = nodes ? nodes->first : NULL; node && v->list && v->unneeded;
         node = node->next, i++) {
        v->list[i].name = decide_read_string(node, "name", e);
        v->list[i].reason = node_verdict(node, c, e);
        if (v->list[i].reason == NODE_DOWN_UNNEEDED)
            v->unneeded[v->n_unneeded++] = v->list[i].name;
    }
}

int decide_node_down_eligible(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct node_scaler_config c;
    struct verdicts v = {0};
    const struct json *nodes = decide_read_array(input, "nodes", e);
    node_settings_upstream(&c);
    c.utilization_threshold = decide_read_number_or(input, "utilization_threshold", 0.5, e);
    c.gpu_utilization_threshold = decide_read_number_or(input, "gpu_utilization_threshold", 0.5, e);
    c.ignore_daemon_pods = decide_read_bool_or(input, "ignore_daemonset", false, e);
    c.ignore_mirror_pods = decide_read_bool_or(input, "ignore_mirror", false, e);
    c.scale_down_unready = decide_read_bool_or(input, "scale_down_unready_enabled", true, e);
    judge(nodes, &c, &v, e);
    if (e->code == ERR_NONE) {
        put_verdicts(trial->result, &v);
        text_printf(trial->reason, "%zu of %zu nodes are unneeded", v.n_unneeded, v.n);
        if (trial->expect)
            trial->pass = verdicts_as_expected(trial->expect, &v, e);
    }
    free(v.list);
    free(v.unneeded);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- removable ---- */

static bool reason_as_expected(const struct json *expect, enum node_down_reason r)
{
    const struct json *want = json_get(expect, "reason");
    if (!want)
        return true;
    if (want->type != JSON_STRING)
        return want->type == JSON_NULL && r == NODE_DOWN_DELETE;
    return strcmp(want->string, node_scaler_down_name(r)) == 0;
}

int decide_node_down_removable_one(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct node_scaler_config c;
    node_settings_upstream(&c);
    c.unneeded_time = decide_read_seconds(input, "unneeded_time_s", e);
    c.unready_time = decide_read_seconds(input, "unready_time_s", e);
    struct node_removal r = {
        .scale_down_disabled = decide_read_bool_or(input, "scale_down_disabled", false, e),
        .autoscaled = decide_read_bool_or(input, "in_node_group", true, e),
        .ready = decide_read_bool_or(input, "ready", true, e),
        .unneeded_for = decide_read_seconds(input, "unneeded_for_s", e),
        .group_size = (int32_t)decide_read_int(input, "group_size", 0, INT32_MAX, e),
        .group_min = (int32_t)decide_read_int(input, "group_min", 0, INT32_MAX, e),
        .deletions_in_progress =
            (int32_t)decide_read_int_or(input, "deletions_in_progress", 0, 0, INT32_MAX, e)};
    if (e->code != ERR_NONE)
        return -1;
    enum node_down_reason got = node_unneeded_removable(&c, &r);
    bool goes = got == NODE_DOWN_DELETE;
    json_out_open(trial->result, "{");
    json_out_key(trial->result, "reason");
    json_out_string(trial->result, goes ? NULL : node_scaler_down_name(got));
    json_out_close(trial->result, "}");
    text_add(trial->reason, goes ? "may go" : node_scaler_down_name(got));
    if (trial->expect)
        trial->pass = reason_as_expected(trial->expect, got);
    return 0;
}

/* How many of `wanted` nodes pass the last gate one after the other. */
static int64_t room_for(struct node_removal *r, int64_t wanted, const struct node_scaler_config *c)
{
    int64_t n = 0;
    while (n < wanted && node_unneeded_removable(c, r) == NODE_DOWN_DELETE) {
        r->group_size--;
        n++;
    }
    return n;
}

int decide_node_down_removable_many(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct node_scaler_config c;
    node_settings_upstream(&c);
    int64_t empty = decide_read_int(input, "empty_nodes", 0, 1000000, e);
    int64_t drain = decide_read_int(input, "drain_nodes", 0, 1000000, e);
    struct node_removal r = {
        .autoscaled = true,
        .ready = true,
        .unneeded_for = SIM_DAY,
        .group_size = (int32_t)decide_read_int(input, "group_size", 0, INT32_MAX, e),
        .group_min = (int32_t)decide_read_int(input, "group_min", 0, INT32_MAX, e),
        .deletions_in_progress =
            (int32_t)decide_read_int_or(input, "deletions_in_progress", 0, 0, INT32_MAX, e)};
    if (e->code != ERR_NONE)
        return -1;
    int64_t empties = room_for(&r, empty, &c), drains = room_for(&r, drain, &c);
    json_out_open(trial->result, "{");
    json_out_key(trial->result, "empty");
    json_out_int(trial->result, empties);
    json_out_key(trial->result, "drain");
    json_out_int(trial->result, drains);
    json_out_close(trial->result, "}");
    text_add(trial->reason, empties + drains < empty + drain ? "min_size_reached" : "all may go");
    if (trial->expect)
        trial->pass =
            decide_read_int_or(trial->expect, "empty", empties, 0, INT32_MAX, e) == empties &&
            decide_read_int_or(trial->expect, "drain", drains, 0, INT32_MAX, e) == drains;
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- unneeded_update ---- */

struct scan {
    sim_ns at;
    size_t n;
    struct node_unneeded *list; /* ids are places in `names` */
    const struct json *nodes;
};

/* A name's id: the first place where it occurs in either scan. */
static uint64_t id_of(const struct json *first, const struct json *second, const char *name)
{
    uint64_t id = 0;
    for (const struct json *n = first->first; n; n = n->next, id++)
        if (strcmp(json_get(n, "name")->string, name) == 0)
            return id;
    for (const struct json *n = second->first; n; n = n->next, id++)
        if (strcmp(json_get(n, "name")->string, name) == 0)
            return id;
    return id;
}

static void read_scan(const struct json *input, const char *key, struct scan *s, struct err *e)
{
    const struct json *o = decide_read_object(input, key, e);
    if (!o)
        return;
    s->at = decide_read_seconds(o, "at_s", e);
    s->nodes = decide_read_array(o, "nodes", e);
    for (const struct json *n = s->nodes ? s->nodes->first : NULL; n; n = n->next) {
        decide_read_string(n, "name", e);
        decide_read_bool_or(n, "ready", true, e);
    }
    s->n = s->nodes ? s->nodes->count : 0;
    s->list = decide_read_room(s->n, sizeof *s->list, e);
}

static void put_since(struct json_out *result, const struct scan *s,
                      const struct node_scaler_config *c, struct err *e)
{
    size_t i = 0;
    json_out_open(result, "{");
    json_out_key(result, "since_and_wait");
    json_out_open(result, "{");
    for (const struct json *n = s->nodes->first; n; n = n->next, i++) {
        bool ready = decide_read_bool_or(n, "ready", true, e);
        json_out_key(result, json_get(n, "name")->string);
        json_out_open(result, "{");
        json_out_key(result, "since_s");
        json_out_number(result, (double)s->list[i].since / 1e9);
        json_out_key(result, "wait_s");
        json_out_number(result, (double)node_unneeded_wait(c, ready) / 1e9);
        json_out_close(result, "}");
    }
    json_out_close(result, "}");
    json_out_close(result, "}");
}

static bool since_as_expected(const struct json *expect, const struct scan *s,
                              const struct node_scaler_config *c, struct err *e)
{
    const struct json *map = decide_read_field(expect, "since_and_wait", e);
    size_t i = 0;
    if (!map)
        return true;
    if (map->count != s->n)
        return false;
    for (const struct json *n = s->nodes->first; n; n = n->next, i++) {
        const struct json *want = json_get(map, json_get(n, "name")->string);
        sim_ns wait = node_unneeded_wait(c, decide_read_bool_or(n, "ready", true, e));
        if (!want ||
            decide_read_seconds_or(want, "since_s", s->list[i].since, e) != s->list[i].since ||
            decide_read_seconds_or(want, "wait_s", wait, e) != wait)
            return false;
    }
    return true;
}

static void update_twice(struct scan *first, struct scan *second)
{
    struct scan *scans[] = {first, second};
    for (size_t k = 0; k < 2; k++) {
        size_t i = 0;
        for (const struct json *n = scans[k]->nodes->first; n; n = n->next, i++)
            scans[k]->list[i].id = id_of(first->nodes, second->nodes, json_get(n, "name")->string);
    }
    node_unneeded_update(NULL, 0, first->list, first->n, first->at);
    node_unneeded_update(first->list, first->n, second->list, second->n, second->at);
}

int decide_node_down_unneeded_update(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct node_scaler_config c;
    struct scan first = {0}, second = {0};
    node_settings_upstream(&c);
    c.unneeded_time = decide_read_seconds(input, "unneeded_time_s", e);
    c.unready_time = decide_read_seconds(input, "unready_time_s", e);
    read_scan(input, "first", &first, e);
    read_scan(input, "second", &second, e);
    if (e->code == ERR_NONE) {
        update_twice(&first, &second);
        put_since(trial->result, &second, &c, e);
        text_printf(trial->reason, "%zu nodes are tracked", second.n);
        if (trial->expect)
            trial->pass = since_as_expected(trial->expect, &second, &c, e);
    }
    free(first.list);
    free(second.list);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- local_delay ---- */

/* The time of a group's last event: now is zero. */
static sim_ns last_of(const struct json *input, const char *map, const char *group, struct err *e)
{
    const struct json *ages = decide_read_field(input, map, e);
    if (!ages || !decide_read_field(ages, group, e))
        return SIM_NEVER;
    return -decide_read_seconds(ages, group, e);
}

int decide_node_down_local_delay(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    const struct json *groups = decide_read_array(input, "groups", e);
    sim_ns after_add = decide_read_seconds(input, "delay_after_add_s", e);
    sim_ns after_delete = decide_read_seconds(input, "delay_after_delete_s", e);
    sim_ns after_failure = decide_read_seconds(input, "delay_after_failure_s", e);
    size_t n = groups ? groups->count : 0, kept = 0;
    const char **names = decide_read_room(n, sizeof *names, e);
    for (const struct json *g = groups ? groups->first : NULL; g && names; g = g->next) {
        if (g->type != JSON_STRING) {
            decide_read_fail(g, "groups", e, "%s, but must hold names", json_type_name(g->type));
            break;
        }
        struct node_delay d = {.last_add = last_of(input, "last_scale_up_age_s", g->string, e),
                               .last_delete = last_of(input, "last_scale_down_age_s", g->string, e),
                               .last_failure =
                                   last_of(input, "last_scale_down_failure_age_s", g->string, e)};
        if (node_delay_holds(&d, after_add, after_failure, after_delete, 0) == NODE_COOL_NONE)
            names[kept++] = g->string;
    }
    if (e->code == ERR_NONE) {
        json_out_open(trial->result, "{");
        json_out_key(trial->result, "candidates");
        json_out_open(trial->result, "[");
        for (size_t i = 0; i < kept; i++)
            json_out_string(trial->result, names[i]);
        json_out_close(trial->result, "]");
        json_out_close(trial->result, "}");
        text_printf(trial->reason, "%zu of %zu groups are delayed", n - kept, n);
        const struct json *want =
            trial->expect ? decide_read_field(trial->expect, "candidates", e) : NULL;
        if (trial->expect)
            trial->pass = !want || strings_equal(want, names, kept);
    }
    free(names);
    return e->code == ERR_NONE ? 0 : -1;
}
