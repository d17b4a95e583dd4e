/* test_export: what programs read. */
#include "reports/export.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "tests/fixture_golden.h"
#include "tests/fixture_result.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct arena *arena;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(export, .init = set_up, .fini = tear_down);

static const struct json *parse(const struct result *r, bool timelines)
{
    struct err e = {0};
    struct text t = {0};
    export_json(r, timelines, &t);
    const struct json *j = json_parse(arena, "out.json", t.s, t.length, &e);
    cr_assert(j, "%s: %s", e.where, e.msg);
    text_fini(&t);
    return j;
}

static double at(const struct json *j, const char *path)
{
    const struct json *v = json_at(j, path);
    cr_assert(v && v->type == JSON_NUMBER, "%s", path);
    return v->number;
}

Test(export, writes_the_promised_paths)
{
    const struct json *j = parse(fixture_bert(arena), false);
    cr_assert_str_eq(json_get(j, "schema")->string, "sluice.result/1");
    static const char *const paths[] = {"requests.arrived",
                                        "requests.served",
                                        "requests.inFlight",
                                        "requests.failed.total",
                                        "requests.failed.timeout",
                                        "requests.failed.refused",
                                        "requests.failed.lost",
                                        "requests.failed.rejected",
                                        "requests.failed.aborted",
                                        "latency.mean",
                                        "latency.p50",
                                        "latency.p90",
                                        "latency.p95",
                                        "latency.p99",
                                        "latency.p999",
                                        "latency.max",
                                        "slo.windows",
                                        "slo.held",
                                        "slo.missed",
                                        "slo.worst",
                                        "replicas.min",
                                        "replicas.mean",
                                        "replicas.max",
                                        "replicas.starts",
                                        "replicas.reversals",
                                        "nodes.hours.onDemand",
                                        "nodes.preemptions",
                                        "nodes.onDemandShare",
                                        "startup.imagePull.mean",
                                        "cost.total",
                                        "cost.byBilling.spot",
                                        "cost.byClass.idle",
                                        "cost.byResource.elastic",
                                        "cost.baselines.lowerBound",
                                        "cost.perMonth",
                                        "seed",
                                        "horizon",
                                        "replications"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        at(j, paths[i]);
    cr_assert_str_eq(json_at(j, "cost.currency")->string, "CNY");
    cr_assert_str_eq(json_at(j, "digest.control")->string, "9e3779b97f4a7c15");
    cr_assert_eq(json_get(j, "assumptions")->count, 5);
}

Test(export, parses_back_to_the_same_figures)
{
    const struct result *r = fixture_bert(arena);
    const struct json *j = parse(r, true);
    for (size_t i = 0; i < r->n_figures; i++) {
        const struct figure *f = &r->figures[i];
        cr_assert_eq(at(j, f->path), f->value, "%s", f->path);
        const struct json *pair = json_get(json_get(j, "intervals"), f->path);
        cr_assert_eq(pair != NULL, f->has_interval, "%s", f->path);
        if (pair)
            cr_assert(pair->first->number == f->low && pair->last->number == f->high);
        cr_assert_str_eq(json_get(json_get(j, "units"), f->path)->string, f->unit);
    }
    const struct json *series = json_get(j, "series")->first;
    for (size_t k = 0; k < r->n_series; k++, series = series->next) {
        cr_assert_str_eq(json_get(series, "path")->string, r->series[k].path);
        const struct json *point = json_get(series, "mean")->first;
        for (size_t i = 0; i < r->series[k].n; i++, point = point->next) {
            double want = r->series[k].mean[i];
            cr_assert(isnan(want) ? point->type == JSON_NULL : point->number == want);
        }
    }
    cr_assert_eq(json_get(j, "log")->count, r->n_entries);
    cr_assert_eq(json_get(j, "spans")->count, r->n_spans);
    cr_assert_eq(json_get(j, "bills")->count, r->n_bills);
    cr_assert_eq(at(j, "bills[0].amountMicro"), (double)r->bills[0].amount_micro);
}

Test(export, writes_counts_as_integers)
{
    struct result *r = fixture_empty(arena);
    r->figures[0] = (struct figure){
        "requests.arrived", "requests", FIGURE_SUM, 9007199254740992.0, false, 0, 0};
    r->figures[1] = (struct figure){"cost.total", "CNY", FIGURE_MEAN, 1e20, false, 0, 0};
    r->n_figures = 2;
    r->seed = UINT64_MAX;
    struct text t = {0};
    export_json(r, false, &t);
    cr_assert(strstr(t.s, "\"arrived\": 9007199254740992\n"), "%s", t.s);
    cr_assert(strstr(t.s, "\"total\": 1e+20\n"), "%s", t.s);
    cr_assert(strstr(t.s, "\"seed\": \"18446744073709551615\""));
    text_fini(&t);
}

Test(export, unfolds_paths_that_mix_values_and_objects)
{
    struct result *r = fixture_empty(arena);
    static const char *const paths[] = {"a.b",
                                        "c",
                                        "a.b.d",
                                        "a",
                                        "x.y.z",
                                        "a.e",
                                        "x.y2",
                                        "cost.byResource.pool.a-1",
                                        "services.x.y.latency.p99"};
    for (size_t i = 0; i < 9; i++)
        r->figures[i] = (struct figure){paths[i], "1", FIGURE_MEAN, (double)i + 1, false, 0, 0};
    r->n_figures = 9;
    const struct json *j = parse(r, false);
    cr_assert_eq(at(j, "a.value"), 4);
    cr_assert_eq(at(j, "a.b.value"), 1);
    cr_assert_eq(at(j, "a.b.d"), 3);
    cr_assert_eq(at(j, "a.e"), 6);
    cr_assert_eq(at(j, "c"), 2);
    cr_assert_eq(at(j, "x.y.z"), 5);
    cr_assert_eq(at(j, "x.y2"), 7);
    cr_assert_eq(json_get(json_at(j, "cost.byResource"), "pool.a-1")->number, 8);
    cr_assert_eq(at(json_get(json_get(j, "services"), "x.y"), "latency.p99"), 9);
}

Test(export, survives_hostile_names)
{
    const struct result *r = fixture_hostile(arena);
    const struct json *j = parse(r, true);
    cr_assert_str_eq(json_get(j, "name")->string, r->name);
    cr_assert_str_eq(json_at(j, "log[0].reason")->string, r->entries[0].reason);
    cr_assert_eq(at(json_get(json_get(j, "services"), "a<b>"), "latency.p99"), 0.0983);
    parse(fixture_empty(arena), true);
}

Test(export, gives_the_same_bytes_twice_and_as_ever)
{
    struct text a = {0}, b = {0};
    export_json(fixture_bert(arena), false, &a);
    export_json(fixture_bert(arena), false, &b);
    cr_assert_str_eq(a.s, b.s);
    golden_check("result_bert.json", a.s, a.length);
    text_fini(&a);
    text_fini(&b);
    export_csv(fixture_bert(arena), &a);
    golden_check("result_bert.csv", a.s, a.length);
    text_fini(&a);
}

Test(export, quotes_csv_fields)
{
    struct result *r = fixture_empty(arena);
    r->figures[0] = (struct figure){"services.a,\"b\".x", "1", FIGURE_MEAN, 0.5, true, 0.25, 0.75};
    r->figures[1] = (struct figure){"y", NULL, FIGURE_MAX, (double)NAN, false, 0, 0};
    r->n_figures = 2;
    struct text t = {0};
    export_csv(r, &t);
    cr_assert_str_eq(t.s, "path,unit,value,low,high\r\n"
                          "\"services.a,\"\"b\"\".x\",1,0.5,0.25,0.75\r\n"
                          "y,,,,\r\n");
    text_fini(&t);
}
