/* bench_compare: reading and judging measurements. */
#include "scenarios/cli/bench_compare.h"

#include "kernels/gate.h"
#include "reports/store.h"
#include "scenarios/cli/bench.h"
#include "scenarios/cli/bench_result.h"
#include "scenarios/cli/bench_setting.h"
#include "scenarios/cli/bench_setup.h"
#include "sim/arena.h"
#include "sim/err.h"
#include "sim/file.h"
#include "sim/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- from JSON ---- */

static const char *text_of(const struct json *o, const char *key)
{
    const struct json *v = json_get(o, key);
    if (v && v->type == JSON_BOOL)
        return v->boolean ? "true" : "false";
    return v && v->string ? v->string : "";
}

static double number_of(const struct json *o, const char *key)
{
    const struct json *v = json_get(o, key);
    return v && v->type == JSON_NUMBER ? v->number : (double)NAN;
}

static void read_percentiles(struct bench_result *b, const char *group, const struct json *bench,
                             const char *name)
{
    static const char *const parts[] = {"p50", "p90", "p99"};
    const struct json *l = json_get(bench, name);
    for (int i = 0; i < 3; i++) {
        char path[64], low[16], high[16];
        snprintf(path, sizeof path, "%s.%s", name, parts[i]);
        snprintf(low, sizeof low, "%sLow", parts[i]);
        snprintf(high, sizeof high, "%sHigh", parts[i]);
        struct figure f = {.unit = "s",
                           .value = number_of(l, parts[i]),
                           .has_interval = true,
                           .low = number_of(l, low),
                           .high = number_of(l, high)};
        if (isfinite(f.value) && isfinite(f.low) && isfinite(f.high))
            bench_result_figure(b, group, path, &f);
    }
}

/* The keys of the JSON document that tell the environment, and its object of settings. */
static const char *const keys[] = {"backend", "device",    "core",   "clocks",
                                   "driver",  "framework", "threads"};

static void read_keys(struct bench_result *b, const struct json *bench)
{
    const struct json *settings = json_get(bench, "settings");
    for (size_t i = 0; settings && bench_setting_keys[i]; i++)
        if (text_of(settings, bench_setting_keys[i])[0])
            bench_result_setting(b, bench_setting_keys[i],
                                 text_of(settings, bench_setting_keys[i]));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char path[64];
        const char *value = text_of(bench, keys[i]);
        snprintf(path, sizeof path, "environment.%s", keys[i]);
        if (value[0] && b->r.n_assumptions < 32)
            b->r.assumptions[b->r.n_assumptions++] =
                (struct result_assumption){.path = arena_text(b->r.arena, path, strlen(path), b->e),
                                           .value = value,
                                           .quality = "measured",
                                           .source = bench->file};
    }
}

static int read_bench(struct bench_result *b, const struct json *bench, struct err *e)
{
    char group[32], place[600];
    double batch = number_of(bench, "batch");
    if (strcmp(text_of(bench, "schema"), "sluice.benchNetwork/1") != 0 || !(batch >= 1))
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, bench),
                       "is no measurement that `sluice bench network --format json` wrote");
    if (b->r.n_assumptions == 0)
        read_keys(b, bench);
    snprintf(group, sizeof group, "batch%.0f", batch);
    read_percentiles(b, group, bench, "latency");
    read_percentiles(b, group, bench, "service");
    double clock = number_of(json_get(bench, "disturbance"), "clockGHz");
    if (isfinite(clock))
        bench_result_figure(b, group, "clock", &(struct figure){.unit = "GHz", .value = clock});
    return 0;
}

/* "gemm-128x768x768.time.p50" of each product, "bert_base.batch1.pooler.dense.time.p50" of each
 * operator. */
static int read_kernels(struct bench_result *b, const struct json *root, struct err *e)
{
    char group[160], place[600];
    const struct json *list = json_get(root, "kernels");
    read_keys(b, root);
    bench_result_setting(b, "model", "kernels");
    bench_result_setting(b, "precision", "fp32");
    for (const struct json *c = list ? list->first : NULL; c; c = c->next) {
        const struct json *interval = json_get(c, "medianInterval");
        struct figure f = {.unit = "s", .has_interval = true, .value = number_of(c, "median")};
        if (!interval || interval->count != 2 || !isfinite(f.value))
            return err_set(e, ERR_INPUT, json_place(place, sizeof place, c),
                           "is no product that `sluice bench kernels --format json` wrote");
        f.low = interval->first->number;
        f.high = interval->last->number;
        if (text_of(c, "network")[0])
            snprintf(group, sizeof group, "%.40s.batch%.0f.%.96s", text_of(c, "network"),
                     number_of(c, "batch"), text_of(c, "name"));
        else
            snprintf(group, sizeof group, "gemm-%.0fx%.0fx%.0f", number_of(c, "m"),
                     number_of(c, "n"), number_of(c, "k"));
        bench_result_figure(b, group, "time.p50", &f);
    }
    double clock = number_of(root, "clockGHz");
    if (isfinite(clock))
        bench_result_figure(b, "kernels", "clock", &(struct figure){.unit = "GHz", .value = clock});
    return 0;
}

static int load_json(struct arena *a, const char *path, struct result *out, struct err *e)
{
    size_t length;
    struct bench_result b;
    char *text = file_read(a, path, JSON_MAX_BYTES, &length, e);
    const struct json *root = text ? json_parse(a, path, text, length, e) : NULL;
    if (!root)
        return -1;
    bench_result_begin(&b, a, path, e);
    const struct json *all = json_get(root, "batches");
    int rc = b.failed;
    if (strcmp(text_of(root, "schema"), "sluice.bench/1") == 0)
        rc = rc || read_kernels(&b, root, e);
    else if (!all)
        rc = rc || read_bench(&b, root, e);
    for (const struct json *c = all ? all->first : NULL; c && rc == 0; c = c->next)
        rc = read_bench(&b, c, e);
    *out = b.r;
    return rc || b.failed ? -1 : 0;
}

int bench_compare_load(struct arena *a, const char *which, const char *db, struct result *out,
                       struct err *e)
{
    char key[STORE_KEY];
    struct stat st;
    if (stat(which, &st) == 0)
        return load_json(a, which, out, e);
    struct store *store = store_open(db ? db : "sluice.db", STORE_READ, e);
    int rc = store ? store_find(store, which, key, e) || store_get(store, key, a, out, e) : -1;
    store_close(store);
    if (rc == 0 && strcmp(out->engine, "bench") != 0)
        rc = err_set(e, ERR_INPUT, NULL, "'%.60s' is a simulated run and no measurement", which);
    return rc ? -1 : 0;
}

/* ---- environments ---- */

static const char *value_of(const struct result *r, const char *path)
{
    for (size_t i = 0; i < r->n_assumptions; i++)
        if (strcmp(r->assumptions[i].path, path) == 0)
            return r->assumptions[i].value;
    return "not known";
}

/* Each difference as a line; their number. */
static size_t differences(const struct result *a, const struct result *b, struct text *to)
{
    size_t n = 0;
    for (int turn = 0; turn < 2; turn++) {
        const struct result *from = turn ? b : a;
        for (size_t i = 0; i < from->n_assumptions; i++) {
            const char *path = from->assumptions[i].path;
            const char *x = value_of(a, path), *y = value_of(b, path);
            if (strcmp(x, y) == 0 || (turn && strcmp(x, "not known") != 0))
                continue;
            text_printf(to, "%s%s: %.80s, now %.80s", n++ ? "; " : "", path, x, y);
        }
    }
    return n;
}

/* A processor that says nothing of its clocks shows them at work. */
#define CLOCK_TOLERANCE 0.1

static double clock_of(const struct result *r)
{
    for (size_t i = 0; i < r->n_figures; i++) {
        const char *dot = strrchr(r->figures[i].path, '.');
        if (dot && strcmp(dot, ".clock") == 0)
            return r->figures[i].value;
    }
    return 0;
}

static int check_environments(const struct result *a, const struct result *b, bool force,
                              struct text *to, struct err *e)
{
    struct text t = {0};
    size_t n = differences(a, b, &t);
    double x = clock_of(a), y = clock_of(b);
    if (x > 0 && y > 0 && fabs(log(y / x)) > CLOCK_TOLERANCE) {
        text_printf(&t, "%sclock seen: %.2f GHz, now %.2f", n ? "; " : "", x, y);
        n++;
    }
    int rc = text_end(&t, e);
    if (rc == 0 && n > 0 && force)
        text_printf(to, "compared by force: %s\n\n", t.s);
    else if (rc == 0 && n > 0)
        rc = err_set(e, ERR_INPUT, NULL,
                     "measured differently, so not compared: %s; --force compares all the same",
                     t.s);
    text_fini(&t);
    return rc;
}

/* ---- figures ---- */

static bool is_judged(const char *path)
{
    const char *end = ".p50";
    size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

static bool usable(const struct figure *f)
{
    return f && f->has_interval && f->low > 0 && f->low <= f->value && f->value <= f->high &&
           isfinite(f->high);
}

/* Medians decide; the percentiles beside them are shown, since a few samples make them jump. */
static int compare_figure(const struct figure *x, const struct figure *y, double tolerance,
                          struct text *to)
{
    static const char *const words[] = {"faster", "the same", "SLOWER"};
    struct gate_median a = {x->value, x->low, x->high}, b = {y->value, y->low, y->high};
    struct gate g = gate_judge(&a, &b, tolerance);
    bool judged = is_judged(x->path);
    text_printf(to, "%-28s %10.4f ms %10.4f ms  x %.3f (%.3f to %.3f)  %s%s\n", x->path,
                x->value * 1e3, y->value * 1e3, g.ratio, g.low, g.high, words[g.verdict + 1],
                judged ? "" : " (not judged)");
    return judged && g.verdict == GATE_SLOWER;
}

int bench_compare(const struct result *before, const struct result *now,
                  const struct bench_compare_rule *rule, struct text *to, struct err *e)
{
    size_t compared = 0;
    int slower = 0;
    /* in a closed loop nobody waits: both are the same */
    bool closed = strstr(value_of(now, "setting.scenario"), "_stream") != NULL;
    if (check_environments(before, now, rule->force, to, e))
        return -1;
    text_printf(to, "%-28s %13s %13s  ratio (95 %% interval)\n", "", "before", "now");
    for (size_t i = 0; i < before->n_figures; i++) {
        const struct figure *x = &before->figures[i], *y = result_figure(now, x->path);
        if (!usable(x) || !usable(y) || (closed && strstr(x->path, ".service.")))
            continue;
        compared++;
        slower |= compare_figure(x, y, rule->tolerance, to);
    }
    if (compared == 0)
        return err_set(e, ERR_INPUT, NULL, "the two measurements have no figure in common");
    text_printf(to, "%s; less than %.3g %% counts as the same\n",
                slower ? "slower beyond what both scatter" : "nothing is slower beyond the noise",
                100 * rule->tolerance);
    return slower;
}

int bench_compare_check(const struct bench_arguments *a, struct err *e)
{
    struct result before;
    double tolerance;
    struct arena *arena = arena_create(e);
    int rc = !arena || bench_setup_tolerance(a->tolerance, &tolerance, e) ||
             (a->against && bench_compare_load(arena, a->against, a->db, &before, e));
    arena_destroy(arena);
    return rc ? -1 : 0;
}

static int compare_now(const struct bench_arguments *a, struct arena *arena,
                       const struct result *now, struct err *e)
{
    struct bench_compare_rule rule = {.force = a->force, .db = a->db};
    struct result before;
    struct text t = {0};
    if (!a->against)
        return 0;
    if (bench_setup_tolerance(a->tolerance, &rule.tolerance, e) ||
        bench_compare_load(arena, a->against, a->db, &before, e))
        return -1;
    int rc = bench_compare(&before, now, &rule, &t, e);
    if (rc >= 0)
        rc = text_end(&t, e) ? -1 : rc;
    if (rc >= 0)
        fprintf(strcmp(a->format, "json") == 0 ? stderr : stdout, "\n%s", t.s);
    text_fini(&t);
    return rc;
}

int bench_compare_keep(const struct bench_arguments *a, struct arena *arena,
                       const struct bench_made *made, struct err *e)
{
    int slower = compare_now(a, arena, made->result, e);
    if (slower < 0 || a->no_store)
        return slower;
    return bench_result_store(made->result, a->db, made->started_s, e) ? -1 : slower;
}
