/* fixture_fuzz: what must hold for any bytes that a reader is given. */
#include "tests/fixture_fuzz.h"

#include "kernels/timings.h"
#include "models/control/node_settings.h"
#include "scenarios/run/bind.h"
#include "scenarios/run/bind_overlay.h"
#include "scenarios/run/market_fit.h"
#include "scenarios/run/set.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"
#include "tests/fixture_house.h"
#include "workloads/trace.h"
#include "workloads/traffic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An error of a reader: the user's, with a place in the file and a message in UTF-8. */
static void check_error(const struct err *e)
{
    struct text t = {0};
    struct json_out o;
    assert(e->code == ERR_INPUT);
    assert(e->msg[0]);
    assert(e->where[0]);
    json_out_init(&o, &t, true);
    json_out_string(&o, e->msg);
    assert(!t.s || !strstr(t.s, "\xEF\xBF\xBD") || strstr(e->msg, "\xEF\xBF\xBD"));
    text_fini(&t);
}

static void check_tree(const struct json *node, int depth, size_t *nodes)
{
    size_t count = 0;
    const struct json *last = NULL;
    assert(depth <= JSON_MAX_DEPTH && ++*nodes <= JSON_MAX_NODES);
    assert(node->file && node->line >= 1 && node->column >= 1);
    assert(node->type != JSON_STRING || node->string);
    assert(node->type != JSON_NUMBER || (node->string && node->number - node->number == 0));
    bool collection = node->type == JSON_ARRAY || node->type == JSON_OBJECT;
    for (const struct json *c = node->first; c; last = c, c = c->next, count++) {
        assert(!c->key == (node->type == JSON_ARRAY));
        check_tree(c, depth + (c->type == JSON_ARRAY || c->type == JSON_OBJECT), nodes);
    }
    assert(collection || count == 0);
    assert(count == node->count && last == node->last);
    if (node->type == JSON_OBJECT) {
        struct err e = {0};
        assert(json_check_keys(node, &e) == 0);
    }
}

static bool equal(const struct json *a, const struct json *b)
{
    if (a->type != b->type || a->count != b->count || a->boolean != b->boolean)
        return false;
    if (a->type == JSON_NUMBER && a->number != b->number)
        return false;
    if (a->type == JSON_STRING && strcmp(a->string, b->string) != 0)
        return false;
    for (const struct json *x = a->first, *y = b->first; x; x = x->next, y = y->next)
        if ((x->key && strcmp(x->key, y->key) != 0) || !equal(x, y))
            return false;
    return true;
}

/* Written as JSON and read again it is the same. */
static void check_round_trip(struct arena *a, const struct json *root, bool compact)
{
    struct text t = {0};
    struct json_out o;
    struct err e = {0};
    json_out_init(&o, &t, compact);
    json_out_value(&o, root);
    json_out_end(&o);
    assert(text_end(&t, &e) == 0);
    const struct json *again = json_parse(a, "again", t.s, t.length, &e);
    assert(again && equal(root, again));
    text_fini(&t);
}

static void check_result(struct arena *a, const struct json *root, const struct err *e)
{
    size_t nodes = 0;
    if (!root) {
        check_error(e);
        return;
    }
    assert(e->code == ERR_NONE);
    check_tree(root, root->type == JSON_ARRAY || root->type == JSON_OBJECT, &nodes);
    check_round_trip(a, root, nodes % 2);
}

void fixture_fuzz_json(const char *text, size_t length)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    check_result(a, json_parse(a, "fuzz.json", text, length, &e), &e);
    arena_destroy(a);
}

void fixture_fuzz_yaml(const char *text, size_t length)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const struct json *all = yaml_parse_all(a, "fuzz.yaml", text, length, &e);
    if (!all)
        check_error(&e);
    for (const struct json *root = all ? all->first : NULL; root; root = root->next) {
        struct json alone = *root;
        alone.next = NULL;
        check_result(a, &alone, &e);
    }
    arena_destroy(a);
}

static void check_house(const struct house *h)
{
    assert(h->floors >= 1 && h->floors <= 100 && h->seed >= 0);
    assert(h->share >= 0 && h->share <= 1 && h->percent >= 0 && h->percent <= 1);
    assert(h->period >= 0 && h->period <= SIM_HOUR && h->bytes >= 1);
    assert(h->milli >= 0 && h->milli <= 1000000 && h->load >= 0);
    assert(h->price.micro >= 0 && strlen(h->price.currency) == 3);
    assert(h->boot.mean >= 0 && h->boot.mean <= 3600e9);
    assert(h->corner.x >= -1 && h->corner.x <= 1);
    assert(h->rooms.count <= 3 && h->scaler.option);
}

static void bind_one(struct arena *a, const struct json *root, const struct knob_table *table)
{
    struct bind b = {.arena = a};
    struct err e = {0};
    void *out = malloc(table->size);
    assert(out);
    if (bind_object(&b, root, "", table, out, &e))
        check_error(&e);
    else if (table == &fixture_house_table)
        check_house(out);
    free(out);
}

static void bind_all(struct arena *a, const struct json *root)
{
    static const struct knob_table *const tables[] = {&fixture_house_table, &traffic_knobs,
                                                      &node_settings_knobs};
    struct bind b = {.arena = a};
    struct err e = {0};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        bind_one(a, root, tables[i]);
    /* laid over itself a tree is itself, but for the nulls it loses */
    struct json *once = bind_overlay(&b, NULL, root, &e);
    assert(once && equal(once, bind_overlay(&b, once, once, &e)));
}

void fixture_fuzz_bind(const char *text, size_t length)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    char *whole = arena_text(a, text, length, &e);
    char *cut = strstr(whole, "\n=====\n");
    size_t n = cut ? (size_t)(cut - whole) : length;
    bool json = n && (whole[0] == '{' || whole[0] == '[');
    const struct json *root =
        json ? json_parse(a, "fuzz.json", whole, n, &e) : yaml_parse(a, "fuzz.yaml", whole, n, &e);
    if (root)
        bind_all(a, root);
    else
        check_error(&e);
    if (root && cut) {
        root = set_apply(a, root, cut + 7, &e);
        if (root)
            bind_all(a, root);
        else
            check_error(&e);
    }
    arena_destroy(a);
}

void fixture_fuzz_timings(const char *text, size_t length)
{
    static const char *const formats[] = {NULL,  "mlperf",        "mlperf_detail", "perf_analyzer",
                                          "csv", "model_analyzer"};
    unsigned char first = length > 0 ? (unsigned char)text[0] : 0;
    struct err e = {0};
    struct timings t;
    struct arena *a = arena_create(&e);
    char *copy = calloc(length + 1, 1);
    assert(a && copy);
    if (length > 0)
        memcpy(copy, text + 1, length - 1);
    struct timings_source s = {
        .path = "fuzz", .text = copy, .length = length ? length - 1 : 0, .batch = first / 6};
    if (timings_read(a, &s, formats[first % 6], &t, &e))
        check_error(&e);
    else
        assert(t.n >= 1 && t.n <= TIMINGS_MAX);
    for (size_t i = 0; e.code == ERR_NONE && i < t.n; i++)
        assert(t.points[i].batch >= 1 && t.points[i].time_s > 0 && t.points[i].cv >= 0 &&
               (i == 0 || t.points[i].batch > t.points[i - 1].batch));
    free(copy);
    arena_destroy(a);
}

static void check_series(const struct trace *t)
{
    assert(t->format && t->n_series > 0 && t->rows > 0);
    for (size_t i = 0; i < t->n_series; i++) {
        const struct trace_series *s = &t->series[i];
        assert(s->n > 0 && s->key.type && s->key.zone && s->key.product && s->key.currency);
        for (size_t k = 0; k < s->n; k++) {
            assert(s->points[k].ns >= 0 && s->points[k].value >= 0);
            assert(t->format->kind == TRACE_LIFETIME || k == 0 ||
                   s->points[k].ns > s->points[k - 1].ns);
        }
    }
    assert(t->format->kind == TRACE_LIFETIME || trace_tick(t) > 0);
}

/* Ticks of a table whose rows lie far apart would be many. */
static bool is_short(const struct trace *t)
{
    if (t->format->kind != TRACE_AVAILABILITY)
        return true;
    struct trace_span span = trace_span(t);
    return (span.end - span.first) / trace_tick(t) < 100000;
}

static void check_fit(struct arena *a, const struct trace *t)
{
    struct market_fit f;
    struct market_fit_setup s = {.traces = t, .n = 1, .name = "m", .files = "fuzz"};
    struct err e = {0};
    struct text out = {0};
    s.on_demand = (struct money){1000000, ""};
    if (t->format->kind == TRACE_PRICE)
        snprintf(s.on_demand.currency, sizeof s.on_demand.currency, "%.3s",
                 t->series[0].key.currency);
    if (market_fit(&f, a, &s, &e)) {
        assert(e.code == ERR_INPUT && e.msg[0]);
        return;
    }
    market_fit_catalog(&f, &s, &out);
    assert(json_parse(a, "fit", out.s, out.length, &e));
    text_fini(&out);
}

void fixture_fuzz_trace(const char *text, size_t length)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct trace t, again;
    struct text out = {0};
    if (trace_parse(&t, a, "fuzz", text, length, &e)) {
        check_error(&e);
        arena_destroy(a);
        return;
    }
    check_series(&t);
    if (is_short(&t)) {
        t.format->write(&t, &out);
        assert(trace_parse(&again, a, "again", out.s, out.length, &e) == 0);
        assert(again.format == t.format);
        check_series(&again);
        check_fit(a, &t);
    }
    text_fini(&out);
    arena_destroy(a);
}
