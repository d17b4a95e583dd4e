/* decide_hpa_pass: the kinds `reconcile` and `trajectory`. */
#include "scenarios/run/decide_hpa_pass.h"

#include "scenarios/run/decide_read.h"
#include "scenarios/run/decide_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- readers ---- */

static int32_t read_count(const struct json *o, const char *key, struct err *e)
{
    return (int32_t)decide_read_int(o, key, 0, INT32_MAX, e);
}

static double read_share(const struct json *o, const char *key, double fallback, struct err *e)
{
    double v = decide_read_number_or(o, key, fallback, e);
    if (v < 0)
        decide_read_fail(json_get(o, key), key, e, "%g, but must be at least 0", v);
    return v;
}

static struct hpa_tolerance read_tolerance(const struct json *input, struct err *e)
{
    const struct json *t = decide_read_field(input, "tolerance", e);
    if (!t)
        return (struct hpa_tolerance){0.1, 0.1, false};
    return (struct hpa_tolerance){read_share(t, "up", 0.1, e), read_share(t, "down", 0.1, e),
                                  false};
}

static enum hpa_select read_select(const struct json *o, struct err *e)
{
    static const char *const names[] = {"Max", "Min", "Disabled"};
    const char *s = decide_read_string(o, "select", e);
    for (size_t i = 0; s && i < 3; i++)
        if (strcmp(s, names[i]) == 0)
            return (enum hpa_select)i;
    if (s)
        decide_read_fail(json_get(o, "select"), "select", e,
                         "'%s', but must be Max, Min or Disabled", s);
    return HPA_SELECT_MAX;
}

static void read_policy(struct hpa_policy *p, const struct json *v, struct err *e)
{
    const char *type = decide_read_string(v, "type", e);
    bool percent = type && strcmp(type, "Percent") == 0;
    if (type && !percent && strcmp(type, "Pods") != 0)
        decide_read_fail(json_get(v, "type"), "type", e, "'%s', but must be Pods or Percent", type);
    p->type = percent ? HPA_POLICY_PERCENT : HPA_POLICY_PODS;
    p->value = read_count(v, "value", e);
    p->period = decide_read_seconds(v, "period_s", e);
}

void decide_hpa_pass_rules(struct decide_rules *r, const struct json *given,
                           struct hpa_rules defaults, struct err *e)
{
    *r = (struct decide_rules){.rules = defaults};
    if (!given)
        return;
    if (decide_read_field(given, "select", e))
        r->rules.select = read_select(given, e);
    r->rules.window = decide_read_seconds_or(given, "stabilization_s", defaults.window, e);
    if (decide_read_field(given, "tolerance", e)) {
        r->has_tolerance = true;
        r->tolerance = read_share(given, "tolerance", 0, e);
    }
    if (!decide_read_field(given, "policies", e))
        return;
    const struct json *list = decide_read_array(given, "policies", e);
    r->own = decide_read_room(list ? list->count : 0, sizeof *r->own, e);
    r->rules.policies = r->own;
    r->rules.n_policies = 0;
    for (const struct json *v = list ? list->first : NULL; v && e->code == ERR_NONE; v = v->next)
        read_policy(&r->own[r->rules.n_policies++], v, e);
}

void decide_hpa_pass_events(struct decide_events *ev, const struct json *list, size_t more,
                            struct err *e)
{
    size_t n = list ? list->count : 0;
    ev->list =
        (struct hpa_events){decide_read_room(n + more, sizeof(struct hpa_event), e), 0, n + more};
    for (const struct json *v = list ? list->first : NULL; v && e->code == ERR_NONE; v = v->next)
        ev->list.items[ev->list.n++] =
            (struct hpa_event){read_count(v, "change", e), -decide_read_seconds(v, "age_s", e),
                               decide_read_bool_or(v, "outdated", false, e)};
}

void decide_hpa_pass_history(struct hpa_history *h, const struct json *list, size_t more,
                             struct err *e)
{
    size_t n = list ? list->count : 0;
    *h = (struct hpa_history){decide_read_room(n + more, sizeof(struct hpa_recommendation), e), 0,
                              n + more};
    for (const struct json *v = list ? list->first : NULL; v && e->code == ERR_NONE; v = v->next)
        h->items[h->n++] = (struct hpa_recommendation){read_count(v, "replicas", e),
                                                       -decide_read_seconds(v, "age_s", e)};
}

/* ---- metrics ---- */

enum reads { READS_VALUE, READS_SERIES, READS_PODS, READS_NOTHING };

static const struct metric_type {
    const char *name;
    enum hpa_kind kind;
    enum reads reads;
    const char *target;
} metric_types[] = {
    {"resource", HPA_UTILIZATION, READS_PODS, "target_utilization_pct"},
    {"pods", HPA_PODS, READS_PODS, "target_milli"},
    {"object_value", HPA_OBJECT_VALUE, READS_VALUE, "target_milli"},
    {"object_average", HPA_OBJECT_AVERAGE, READS_VALUE, "target_average_milli"},
    {"external_value", HPA_EXTERNAL_VALUE, READS_SERIES, "target_milli"},
    {"external_average", HPA_EXTERNAL_AVERAGE, READS_SERIES, "target_average_milli"},
    {"failing", HPA_FAILING, READS_NOTHING, NULL},
};

static const struct metric_type *find_type(const char *name)
{
    for (size_t i = 0; i < sizeof metric_types / sizeof metric_types[0]; i++)
        if (strcmp(metric_types[i].name, name) == 0)
            return &metric_types[i];
    return NULL;
}

/* No series at all is no value. */
static struct scaler_metric read_series(const struct json *o, struct err *e)
{
    const struct json *list = decide_read_array(o, "samples_milli", e);
    int64_t sum = 0;
    for (const struct json *v = list ? list->first : NULL; v; v = v->next) {
        struct json one = *v;
        one.next = NULL;
        one.key = "samples_milli";
        struct json holder = {.type = JSON_OBJECT,
                              .first = &one,
                              .last = &one,
                              .count = 1,
                              .file = v->file,
                              .line = v->line,
                              .column = v->column};
        int64_t milli = decide_read_int(&holder, "samples_milli", INT64_MIN, INT64_MAX, e);
        sum = hpa_replicas_sum((int64_t[]){sum, milli}, 2);
    }
    return (struct scaler_metric){list && list->count > 0, sum};
}

static void read_pods(struct decide_view *v, size_t i, const struct json *o, struct err *e)
{
    const char *container =
        decide_read_field(o, "container", e) ? decide_read_string(o, "container", e) : NULL;
    const char *resource =
        decide_read_field(o, "resource", e) ? decide_read_string(o, "resource", e) : "cpu";
    v->metrics[i].cpu =
        v->metrics[i].kind == HPA_UTILIZATION && resource && strcmp(resource, "cpu") == 0;
    v->values[i].present = true;
    if (e->code != ERR_NONE)
        return;
    decide_herd_reports(&v->herd, o, container, &v->reports[i], e);
    v->pod_metrics[i] =
        (struct scaler_pod_metric){v->reports[i].samples, v->reports[i].n, v->reports[i].requests};
}

static void read_metric(struct decide_view *v, size_t i, const struct metric_type *type,
                        const struct json *o, struct err *e)
{
    v->metrics[i] = (struct hpa_metric){.kind = type->kind, .target = 1};
    int64_t most = type->kind == HPA_UTILIZATION ? INT32_MAX : INT64_MAX;
    if (type->target)
        v->metrics[i].target = decide_read_int(o, type->target, 1, most, e);
    switch (type->reads) {
    case READS_VALUE:
        v->values[i] = (struct scaler_metric){
            true, decide_read_int(o, "value_milli", INT64_MIN, INT64_MAX, e)};
        break;
    case READS_SERIES:
        v->values[i] = read_series(o, e);
        break;
    case READS_PODS:
        read_pods(v, i, o, e);
        break;
    case READS_NOTHING:
        break;
    }
}

static void make_room(struct decide_view *v, size_t n, struct err *e)
{
    v->n = n;
    v->metrics = decide_read_room(n, sizeof *v->metrics, e);
    v->values = decide_read_room(n, sizeof *v->values, e);
    v->pod_metrics = decide_read_room(n, sizeof *v->pod_metrics, e);
    v->reports = decide_read_room(n, sizeof *v->reports, e);
}

static void link_view(struct decide_view *v)
{
    v->view.metrics = v->values;
    v->view.n_metrics = v->n;
    v->view.pods = v->herd.given ? v->herd.pods : NULL;
    v->view.n_pods = v->herd.n;
    v->view.pod_metrics = v->herd.given ? v->pod_metrics : NULL;
    v->view.ready_replicas = v->view.status_replicas;
}

static void read_periods(struct hpa_spec *spec, const struct json *input, struct err *e)
{
    spec->cpu_initialization =
        decide_read_seconds_or(input, "cpu_initialization_period_s", 300 * SIM_SECOND, e);
    spec->initial_delay =
        decide_read_seconds_or(input, "initial_readiness_delay_s", 30 * SIM_SECOND, e);
}

void decide_hpa_pass_free(struct decide_view *v)
{
    for (size_t i = 0; v->reports && i < v->n; i++)
        decide_herd_reports_free(&v->reports[i]);
    free(v->metrics);
    free(v->values);
    free(v->pod_metrics);
    free(v->reports);
    decide_herd_free(&v->herd);
}

void decide_hpa_pass_read_one(struct decide_view *v, const char *type, const struct json *input,
                              struct hpa_spec *spec, struct err *e)
{
    const struct metric_type *t = find_type(type);
    bool average = t->kind == HPA_OBJECT_AVERAGE || t->kind == HPA_EXTERNAL_AVERAGE;
    *v = (struct decide_view){0};
    make_room(v, 1, e);
    decide_herd_read(&v->herd, input, e);
    spec->tolerance = read_tolerance(input, e);
    read_periods(spec, input, e);
    v->view.status_replicas =
        read_count(input, average ? "status_replicas" : "current_replicas", e);
    v->view.spec_replicas = v->view.status_replicas;
    if (e->code == ERR_NONE)
        read_metric(v, 0, t, input, e);
    if (!average && e->code == ERR_NONE && !v->herd.given)
        decide_read_array(input, "pods", e);
    spec->metrics = v->metrics;
    spec->n_metrics = 1;
    link_view(v);
}

static void read_metrics(struct decide_view *v, const struct json *input, struct err *e)
{
    const struct json *list = decide_read_array(input, "metrics", e);
    size_t i = 0;
    make_room(v, list ? list->count : 0, e);
    decide_herd_read(&v->herd, input, e);
    if (list && list->count == 0)
        decide_read_fail(list, "metrics", e, "is empty, but one is needed at least");
    for (const struct json *m = list ? list->first : NULL; m && e->code == ERR_NONE; m = m->next) {
        const char *name = decide_read_string(m, "type", e);
        const struct metric_type *type = name ? find_type(name) : NULL;
        if (type)
            read_metric(v, i++, type, m, e);
        else if (name)
            decide_read_fail(m, "type", e,
                             "'%s', but must be resource, pods, object_value, object_average, "
                             "external_value, external_average or failing",
                             name);
    }
}

/* ---- one pass ---- */

struct pass_case {
    struct decide_view v;
    struct hpa_spec spec;
    struct hpa_state state;
    struct decide_rules up, down;
    struct decide_events ups, downs;
};

static void read_behavior(struct pass_case *c, const struct json *input, struct err *e)
{
    const struct json *b = decide_read_field(input, "behavior", e);
    bool own = decide_read_bool_or(input, "configurable_tolerance_feature", true, e);
    c->spec.has_behavior = b != NULL;
    decide_hpa_pass_rules(&c->up, b ? decide_read_field(b, "up", e) : NULL, hpa_limits_default_up(),
                          e);
    decide_hpa_pass_rules(&c->down, b ? decide_read_field(b, "down", e) : NULL,
                          hpa_limits_default_down(c->spec.down_window), e);
    c->spec.up = c->up.rules;
    c->spec.down = c->down.rules;
    if (own && c->up.has_tolerance)
        c->spec.tolerance.up = c->up.tolerance;
    if (own && c->down.has_tolerance)
        c->spec.tolerance.down = c->down.tolerance;
}

static void read_spec(struct pass_case *c, const struct json *input, struct err *e)
{
    c->spec.min = read_count(input, "min", e);
    c->spec.max = read_count(input, "max", e);
    if (c->spec.max < c->spec.min)
        decide_read_fail(json_get(input, "max"), "max", e, "%d is below min %d", (int)c->spec.max,
                         (int)c->spec.min);
    c->spec.tolerance = read_tolerance(input, e);
    c->spec.down_window = decide_read_seconds_or(input, "down_window_s", 300 * SIM_SECOND, e);
    c->spec.scale_up_factor = read_share(input, "scale_up_factor", 2, e);
    c->spec.scale_up_floor = read_share(input, "scale_up_floor", 4, e);
    read_periods(&c->spec, input, e);
    read_behavior(c, input, e);
    c->spec.metrics = c->v.metrics;
    c->spec.n_metrics = c->v.n;
}

/* A case that speaks of the gate or of the mark follows the newer rule of zero. */
static void read_zero(struct pass_case *c, const struct json *input, struct err *e)
{
    bool newer = decide_read_field(input, "scale_to_zero_feature", e) ||
                 decide_read_field(input, "scaled_to_zero_before", e);
    c->spec.zero = newer ? HPA_ZERO_MARKED : HPA_ZERO_CLASSIC;
    c->spec.zero_enabled = decide_read_bool_or(input, "scale_to_zero_feature", false, e);
    c->state.scaled_to_zero = decide_read_bool_or(input, "scaled_to_zero_before", false, e);
}

static void read_pass(struct pass_case *c, const struct json *input, struct err *e)
{
    const struct json *history = decide_read_field(input, "history", e);
    if (history)
        history = decide_read_array(input, "history", e);
    read_metrics(&c->v, input, e);
    read_spec(c, input, e);
    read_zero(c, input, e);
    c->state.started = history != NULL;
    decide_hpa_pass_history(&c->state.history, history, 2, e);
    decide_hpa_pass_events(&c->ups, decide_read_field(input, "up_events", e), 1, e);
    decide_hpa_pass_events(&c->downs, decide_read_field(input, "down_events", e), 1, e);
    c->state.ups = c->ups.list;
    c->state.downs = c->downs.list;
    c->v.view.spec_replicas = read_count(input, "spec_replicas", e);
    c->v.view.status_replicas = read_count(input, "status_replicas", e);
    link_view(&c->v);
}

static void free_pass(struct pass_case *c)
{
    decide_hpa_pass_free(&c->v);
    free(c->up.own);
    free(c->down.own);
    free(c->ups.list.items);
    free(c->downs.list.items);
    free(c->state.history.items);
}

static void show_pass(const struct pass_case *c, const struct hpa_outcome *o,
                      struct decide_result *r)
{
    decide_result_int(r, "replicas", o->replicas);
    decide_result_text(r, "limited", o->limit == HPA_LIMIT_NONE ? NULL : hpa_limits_name(o->limit));
    decide_result_bool(r, "stabilized", o->stabilized != o->recommended);
    decide_result_bool(r, "disabled", o->disabled);
    decide_result_bool(r, "error", o->error);
    decide_result_bool(r, "partial_error", o->partial_error && !o->error);
    decide_result_bool(r, "scaled_to_zero_after", c->state.scaled_to_zero);
    decide_result_text(r, "rule", hpa_rule_name(o->rule));
}

int decide_hpa_pass_reconcile(struct decide_trial *trial, struct err *e)
{
    struct pass_case c = {0};
    struct decide_result r = {0};
    read_pass(&c, trial->input, e);
    if (e->code == ERR_NONE) {
        char words[256];
        struct hpa_outcome o;
        hpa_pass(&c.spec, &c.state, &c.v.view, &o);
        hpa_reason(&c.spec, &c.v.view, &o, words, sizeof words);
        text_add(trial->reason, words);
        show_pass(&c, &o, &r);
        decide_result_finish(&r, trial);
    }
    free_pass(&c);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- many passes ---- */

static void read_trajectory(struct pass_case *c, const struct json *input, size_t passes,
                            struct err *e)
{
    make_room(&c->v, 1, e);
    if (e->code != ERR_NONE)
        return;
    c->v.metrics[0] = (struct hpa_metric){
        .kind = HPA_EXTERNAL_AVERAGE,
        .target = decide_read_int(input, "target_average_milli", 1, INT64_MAX, e),
    };
    read_spec(c, input, e);
    decide_hpa_pass_history(&c->state.history, NULL, passes + 2, e);
    decide_hpa_pass_events(&c->ups, NULL, passes + 1, e);
    decide_hpa_pass_events(&c->downs, NULL, passes + 1, e);
    c->state.ups = c->ups.list;
    c->state.downs = c->downs.list;
    link_view(&c->v);
}

static void run_trajectory(struct pass_case *c, const struct json *input, const struct json *list,
                           int64_t *sizes, struct text *reason, struct err *e)
{
    char words[256] = "no pass";
    struct hpa_outcome o;
    sim_ns sync = decide_read_seconds(input, "sync_s", e);
    int32_t size = read_count(input, "initial_replicas", e);
    size_t k = 0;
    for (const struct json *v = list->first; v; v = v->next, k++) {
        if (v->type != JSON_NULL && (v->type != JSON_NUMBER || !(fabs(v->number) < 9e18)))
            decide_read_fail(v, "metric_milli", e, "must hold whole numbers and null");
        if (sync > 0 && (sim_ns)k > INT64_MAX / 2 / sync)
            decide_read_fail(v, "metric_milli", e, "has more passes than time holds");
        if (e->code != ERR_NONE)
            return;
        c->v.values[0] = (struct scaler_metric){v->type == JSON_NUMBER, (int64_t)v->number};
        c->v.view.now = (sim_ns)k * sync;
        c->v.view.spec_replicas = c->v.view.status_replicas = c->v.view.ready_replicas = size;
        hpa_pass(&c->spec, &c->state, &c->v.view, &o);
        hpa_reason(&c->spec, &c->v.view, &o, words, sizeof words);
        sizes[k] = size = o.replicas;
    }
    text_printf(reason, "last pass: %s", words);
}

int decide_hpa_pass_trajectory(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct pass_case c = {0};
    struct decide_result r = {0};
    const struct json *list = decide_read_array(input, "metric_milli", e);
    size_t n = list ? list->count : 0;
    int64_t *sizes = decide_read_room(n, sizeof *sizes, e);
    read_trajectory(&c, input, n, e);
    if (e->code == ERR_NONE)
        run_trajectory(&c, input, list, sizes, trial->reason, e);
    if (e->code == ERR_NONE) {
        decide_result_ints(&r, "replicas", sizes, n);
        decide_result_finish(&r, trial);
    }
    free(sizes);
    free_pass(&c);
    return e->code == ERR_NONE ? 0 : -1;
}
