/* decide_manifest: reading an HPA manifest, one pass, the passes after it, bands. */
#include "scenarios/run/decide_manifest.h"

#include "models/control/hpa_band.h"
#include "models/control/hpa_config.h"
#include "scenarios/run/bind.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/indent.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_ROWS 1000

/* ---- the HPA in the file ---- */

static bool is_hpa(const struct json *d)
{
    const char *kind = json_text_at(d, "kind", NULL);
    return kind && strcmp(kind, "HorizontalPodAutoscaler") == 0;
}

static struct json *load(struct arena *a, const char *path, struct err *e)
{
    size_t length, n = strlen(path);
    char *text = file_read(a, path, JSON_MAX_BYTES, &length, e);
    if (!text)
        return NULL;
    const char *s = text + strspn(text, " \t\r\n");
    bool json = (n > 5 && strcmp(path + n - 5, ".json") == 0) || *s == '{' || *s == '[';
    return json ? json_parse(a, path, text, length, e) : yaml_parse_all(a, path, text, length, e);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Documents of a file at the end of the list; shallow copies, since a node is in one list only. */
static int add_documents(struct arena *a, struct json *list, const struct json *root, struct err *e)
{
    const struct json *one = root->type == JSON_ARRAY ? root->first : root;
    for (; one; one = root->type == JSON_ARRAY ? one->next : NULL) {
        struct json *copy = arena_take(a, 1, sizeof *copy, e);
        char words[256];
        if (!copy)
            return -1;
        *copy = *one;
        copy->next = NULL;
        indent_repair(copy, words, sizeof words);
        json_append(list, copy);
    }
    return 0;
}

/* Every document of a file, or of the *.yaml, *.yml and *.json of a folder. */
static const struct json *load_all(struct arena *a, const char *path, struct err *e)
{
    struct folder f = {&path, 1};
    struct json *list = json_new(a, JSON_ARRAY, path, 0, 0, e);
    if (!list || (is_folder(path) && folder_list(&f, a, path, ".yaml .yml .json", e)))
        return NULL;
    for (size_t i = 0; i < f.n; i++) {
        const struct json *root = load(a, f.paths[i], e);
        if (!root || add_documents(a, list, root, e))
            return NULL;
    }
    return list;
}

/* Several HPAs are told apart by name. */
#define MOST_NAMES 16
struct names {
    const char *items[MOST_NAMES];
    size_t n;
    struct text listed; /* "a, b" */
};

static void note_name(struct names *names, const char *name)
{
    text_printf(&names->listed, "%s%s", names->listed.length ? ", " : "",
                name ? name : "(without name)");
    if (name && names->n < MOST_NAMES)
        names->items[names->n++] = name;
}

static void no_single_one(const struct decide_question *q, struct names *names, size_t found,
                          struct err *e)
{
    const char *near = q->name ? text_nearest(q->name, names->items, names->n) : NULL;
    const char *listed = names->listed.s ? names->listed.s : "";
    if (found > 1)
        err_set(e, ERR_INPUT, q->path, "holds several HorizontalPodAutoscalers (%s); %s", listed,
                q->name ? "this name stands twice" : "name one with --name");
    else if (!*listed)
        err_set(e, ERR_INPUT, q->path, "holds no HorizontalPodAutoscaler");
    else
        err_set(e, ERR_INPUT, "--name", "'%s' is no HorizontalPodAutoscaler of %s; it has %s%s%s%s",
                q->name, q->path, listed, near ? ", did you mean '" : "", near ? near : "",
                near ? "'?" : "");
}

static const struct json *pick(const struct json *list, const struct decide_question *q,
                               struct err *e)
{
    const struct json *one = NULL;
    struct names names = {.n = 0};
    size_t found = 0;
    for (const struct json *d = list->first; d; d = d->next) {
        const char *name = json_text_at(d, "metadata.name", NULL);
        if (!is_hpa(d))
            continue;
        note_name(&names, name);
        if (q->name && (!name || strcmp(name, q->name) != 0))
            continue;
        one = d;
        found++;
    }
    if (names.listed.length == 0 && list->count == 1 && json_get(list->first, "maxReplicas")) {
        one = list->first;
        found = 1;
    }
    if (found != 1)
        no_single_one(q, &names, found, e);
    text_fini(&names.listed);
    return found == 1 ? one : NULL;
}

/* ---- the question as a view ---- */

/* Everything of one answer. */
struct answer {
    const struct decide_question *q;
    struct arena *arena;
    const char *name;
    struct hpa_config config;
    struct hpa_metric metrics[DECIDE_MANIFEST_METRICS];
    struct scaler_metric values[DECIDE_MANIFEST_METRICS];
    struct hpa_spec spec;
    struct hpa_state state;
    struct scaler_view view;
};

static int read_config(struct answer *a, const struct json *document, struct err *e)
{
    struct bind b = {.arena = a->arena};
    const struct json *spec = is_hpa(document) ? json_get(document, "spec") : document;
    const char *path = is_hpa(document) ? "spec" : "";
    a->name = json_text_at(document, "metadata.name", NULL);
    if (!spec) {
        char place[512];
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, document), "spec: is missing");
    }
    if (bind_object(&b, spec, path, &hpa_config_knobs, &a->config, e))
        return -1;
    if (a->q->kubernetes_version)
        a->config.kubernetes_version = a->q->kubernetes_version;
    struct hpa_profile profile;
    if (!hpa_config_profile(a->config.kubernetes_version, &profile))
        return err_set(e, ERR_INPUT, "--kubernetes", "'%s' is no version from 1.12 on",
                       a->config.kubernetes_version);
    if (hpa_config_metrics(&a->config) > DECIDE_MANIFEST_METRICS)
        return err_set(e, ERR_INPUT, a->q->path, "more than %d metrics", DECIDE_MANIFEST_METRICS);
    hpa_config_resolve(&a->config, a->metrics, &a->spec);
    return 0;
}

/* What a person says, in the terms of the view: totals, and shares for a utilization. */
static int read_value(struct answer *a, size_t i, const char *s, struct err *e)
{
    const struct hpa_metric *m = &a->metrics[i];
    struct scaler_metric *v = &a->values[i];
    char plain[64];
    size_t n = strlen(s);
    if (strcmp(s, "none") == 0) {
        *v = (struct scaler_metric){false, 0};
        return 0;
    }
    if (m->kind == HPA_UTILIZATION && n > 1 && n < sizeof plain && s[n - 1] == '%') {
        memcpy(plain, s, n - 1);
        plain[n - 1] = '\0';
        s = plain;
    }
    if (!text_parse_quantity(s, &v->milli) || v->milli < 0 || v->milli > INT64_MAX / 100000)
        return err_set(e, ERR_INPUT, "--metric",
                       "'%s' is no value of %s; allowed are quantities such as 54 or 500m%s, and "
                       "none",
                       s, m->name, m->kind == HPA_UTILIZATION ? ", in percent" : "");
    v->present = true;
    if (m->kind == HPA_UTILIZATION)
        v->milli /= 100;
    else if (m->kind == HPA_PODS || m->kind == HPA_RESOURCE)
        v->milli *= a->view.ready_replicas;
    return 0;
}

static int check_size(const char *option, int64_t n, int64_t most, struct err *e)
{
    if (n >= 0 && n <= most)
        return 0;
    return err_set(e, ERR_INPUT, option, "%lld is outside 0..%lld", (long long)n, (long long)most);
}

static int read_question(struct answer *a, struct err *e)
{
    const struct decide_question *q = a->q;
    const int64_t most = 1000000;
    int64_t status = q->status < 0 ? q->replicas : q->status;
    int64_t ready = q->ready < 0 ? status : q->ready;
    if (check_size("--replicas", q->replicas, most, e) || check_size("--status", status, most, e))
        return -1;
    if (ready > status)
        return err_set(e, ERR_INPUT, "--ready",
                       "%lld of %lld pods cannot be ready; --status says how many exist, as many "
                       "as --replicas when left out",
                       (long long)ready, (long long)status);
    if (q->n_metrics != a->spec.n_metrics)
        return err_set(e, ERR_INPUT, "--metric",
                       "%zu %s given, but the HPA has %zu %s, beginning with %s", q->n_metrics,
                       text_plural(q->n_metrics, "value is", "values are"), a->spec.n_metrics,
                       text_plural(a->spec.n_metrics, "metric", "metrics"), a->metrics[0].name);
    a->view = (struct scaler_view){.spec_replicas = (int32_t)q->replicas,
                                   .status_replicas = (int32_t)status,
                                   .ready_replicas = (int32_t)ready,
                                   .metrics = a->values,
                                   .n_metrics = a->spec.n_metrics};
    for (size_t i = 0; i < q->n_metrics; i++)
        if (read_value(a, i, q->metrics[i], e))
            return -1;
    return 0;
}

static int make_memory(struct answer *a, struct err *e)
{
    size_t n = hpa_config_history(&a->config);
    a->state.history.items = arena_take(a->arena, n, sizeof(struct hpa_recommendation), e);
    a->state.ups.items = arena_take(a->arena, n, sizeof(struct hpa_event), e);
    a->state.downs.items = arena_take(a->arena, n, sizeof(struct hpa_event), e);
    a->state.history.cap = a->state.ups.cap = a->state.downs.cap = n;
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- words ---- */

static void put_milli(struct text *out, int64_t milli)
{
    text_number(out, (double)milli / 1000);
}

static const char *kind_name(enum hpa_kind kind)
{
    static const char *const names[] = {
        [HPA_EXTERNAL_AVERAGE] = "External, AverageValue",
        [HPA_EXTERNAL_VALUE] = "External, Value",
        [HPA_OBJECT_AVERAGE] = "Object, AverageValue",
        [HPA_OBJECT_VALUE] = "Object, Value",
        [HPA_PODS] = "Pods, AverageValue",
        [HPA_RESOURCE] = "Resource, AverageValue",
        [HPA_UTILIZATION] = "Resource, Utilization",
        [HPA_FAILING] = "invalid",
    };
    return names[kind];
}

static void say_hpa(const struct answer *a, struct text *out)
{
    text_printf(out, "HPA %s: %d to %d replicas, %s\n", a->name ? a->name : "(without name)",
                (int)a->spec.min, (int)a->spec.max,
                a->spec.has_behavior ? "behavior block" : "no behavior block");
    for (size_t i = 0; i < a->spec.n_metrics; i++) {
        const struct hpa_metric *m = &a->metrics[i];
        text_printf(out, "  %s (%s), target ", m->name, kind_name(m->kind));
        if (m->kind == HPA_UTILIZATION)
            text_printf(out, "%lld%%", (long long)m->target);
        else
            put_milli(out, m->target);
        text_printf(out, ", now %s\n", a->q->metrics[i]);
    }
}

static void say_bands(const struct answer *a, size_t i, struct text *out)
{
    int32_t from = a->spec.min > 0 ? a->spec.min : 1;
    text_printf(out, "\n%s holds a size in\n", a->metrics[i].name);
    for (int32_t n = from; n <= a->spec.max && n - from < MOST_ROWS; n++) {
        struct hpa_band b = hpa_band_of(&a->spec, i, n);
        text_printf(out, "%6d  ", (int)n);
        if (b.high < b.low && !b.open) {
            text_add(out, "nothing\n");
            continue;
        }
        put_milli(out, b.low);
        text_add(out, " to ");
        if (b.open)
            text_add(out, "any");
        else
            put_milli(out, b.high);
        text_add(out, "\n");
    }
}

/* ---- passes ---- */

/* Until nothing that is remembered can move the size any more. */
static sim_ns settling(const struct hpa_spec *s, sim_ns sync)
{
    sim_ns keep = s->down_window;
    if (s->has_behavior) {
        keep = s->up.window > s->down.window ? s->up.window : s->down.window;
        for (size_t i = 0; i < s->up.n_policies; i++)
            keep = s->up.policies[i].period > keep ? s->up.policies[i].period : keep;
        for (size_t i = 0; i < s->down.n_policies; i++)
            keep = s->down.policies[i].period > keep ? s->down.policies[i].period : keep;
    }
    return keep + 2 * sync;
}

typedef void pass_fn(void *self, const struct answer *a, sim_ns at, int32_t before,
                     const struct hpa_outcome *o);

/* The next pass, and those after it that change the size; each size is in place at once. */
static void play(struct answer *a, pass_fn *fn, void *self)
{
    sim_ns sync = a->config.sync_period, quiet = settling(&a->spec, sync), last = 0;
    for (sim_ns now = 0; now == 0 || (now - last <= quiet && now < SIM_DAY); now += sync) {
        struct hpa_outcome o;
        int32_t before = a->view.spec_replicas;
        a->view.now = now;
        hpa_pass(&a->spec, &a->state, &a->view, &o);
        if (now == 0 || o.replicas != before)
            fn(self, a, now, before, &o);
        if (o.replicas == before)
            continue;
        last = now;
        for (size_t i = 0; i < a->spec.n_metrics; i++)
            if (a->metrics[i].kind == HPA_PODS || a->metrics[i].kind == HPA_RESOURCE)
                return; /* a mean over pods does not stay when their number changes */
        if (a->metrics[0].kind == HPA_UTILIZATION)
            return;
        a->view.spec_replicas = a->view.status_replicas = a->view.ready_replicas = o.replicas;
    }
}

static void say_pass(void *self, const struct answer *a, sim_ns at, int32_t before,
                     const struct hpa_outcome *o)
{
    struct text *out = self;
    char words[256], span[32];
    hpa_reason(&a->spec, &a->view, o, words, sizeof words);
    text_printf(out, "  +%s  %d -> %d  %s: %s\n", text_duration(span, sizeof span, at), (int)before,
                (int)o->replicas, hpa_rule_name(o->rule), words);
}

static void answer_text(struct answer *a, struct text *out)
{
    say_hpa(a, out);
    text_printf(out, "\nat %d replicas (%d exist, %d ready), while the metric stays:\n",
                (int)a->view.spec_replicas, (int)a->view.status_replicas,
                (int)a->view.ready_replicas);
    play(a, say_pass, out);
    for (size_t i = 0; i < a->spec.n_metrics; i++)
        say_bands(a, i, out);
}

static void write_pass(void *self, const struct answer *a, sim_ns at, int32_t before,
                       const struct hpa_outcome *o)
{
    struct json_out *out = self;
    char words[256];
    hpa_reason(&a->spec, &a->view, o, words, sizeof words);
    json_out_open(out, "{");
    json_out_key(out, "after_s");
    json_out_number(out, (double)at / 1e9);
    json_out_key(out, "from");
    json_out_int(out, before);
    json_out_key(out, "replicas");
    json_out_int(out, o->replicas);
    json_out_key(out, "rule");
    json_out_string(out, hpa_rule_name(o->rule));
    json_out_key(out, "reason");
    json_out_string(out, words);
    json_out_close(out, "}");
}

static void write_bands(const struct answer *a, size_t i, struct json_out *out)
{
    int32_t from = a->spec.min > 0 ? a->spec.min : 1;
    json_out_open(out, "{");
    json_out_key(out, "metric");
    json_out_string(out, a->metrics[i].name);
    json_out_key(out, "bands");
    json_out_open(out, "[");
    for (int32_t n = from; n <= a->spec.max && n - from < MOST_ROWS; n++) {
        struct hpa_band b = hpa_band_of(&a->spec, i, n);
        json_out_open(out, "{");
        json_out_key(out, "replicas");
        json_out_int(out, n);
        json_out_key(out, "from");
        json_out_number(out, (double)b.low / 1000);
        json_out_key(out, "to");
        if (b.open)
            json_out_null(out);
        else
            json_out_number(out, (double)b.high / 1000);
        json_out_close(out, "}");
    }
    json_out_close(out, "]");
    json_out_close(out, "}");
}

static void answer_json(struct answer *a, struct text *to)
{
    struct json_out out;
    json_out_init(&out, to, false);
    json_out_open(&out, "{");
    json_out_key(&out, "hpa");
    json_out_string(&out, a->name);
    json_out_key(&out, "passes");
    json_out_open(&out, "[");
    play(a, write_pass, &out);
    json_out_close(&out, "]");
    json_out_key(&out, "holds");
    json_out_open(&out, "[");
    for (size_t i = 0; i < a->spec.n_metrics; i++)
        write_bands(a, i, &out);
    json_out_close(&out, "]");
    json_out_close(&out, "}");
    json_out_end(&out);
}

int decide_manifest(const struct decide_question *q, struct text *out, struct err *e)
{
    assert(q && q->path && out && e);
    struct answer a = {.q = q, .arena = arena_create(e)};
    const struct json *list = a.arena ? load_all(a.arena, q->path, e) : NULL;
    const struct json *document = list ? pick(list, q, e) : NULL;
    if (document && read_config(&a, document, e) == 0 && read_question(&a, e) == 0 &&
        make_memory(&a, e) == 0) {
        if (q->json)
            answer_json(&a, out);
        else
            answer_text(&a, out);
    }
    arena_destroy(a.arena);
    return e->code == ERR_NONE ? 0 : -1;
}
