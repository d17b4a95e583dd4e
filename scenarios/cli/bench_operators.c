/* bench_operators: each kind of step of a network, in the memory of its network. */
#include "scenarios/cli/bench_operators.h"

#include "kernels/backend.h"
#include "kernels/peak.h"
#include "kernels/step_bench.h"
#include "kernels/step_check.h"
#include "scenarios/cli/bench_compare.h"
#include "scenarios/cli/bench_result.h"
#include "scenarios/cli/bench_setup.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SUBJECTS 2

/* A network whose steps are measured. */
struct subject {
    struct network_choice choice;
    struct step_bench steps;
    double *errors; /* a step of the plan */
    size_t checked;
};

struct operators {
    struct subject subjects[SUBJECTS];
    size_t n;
    struct peak peak; /* zeroed: unknown */
    double most_s;    /* for timing; infinite without --max-duration */
};

/* ---- measuring ---- */

/* Two items show what a batch steps over; more would take the reference long. */
static int check(struct arena *arena, struct subject *s, const struct backend *backend,
                 struct err *e)
{
    struct network_choice few = s->choice;
    struct network_source source;
    struct step_check checked;
    few.batch = few.batch < 2 ? few.batch : 2;
    if (network_source_open(arena, &few, &source, e))
        return -1;
    int rc = step_check(
        arena, &(struct step_bench_subject){source.plan, backend, &source.weights, few.seed},
        &checked, e);
    network_source_close(&source);
    s->errors = checked.errors;
    s->checked = checked.steps;
    return rc;
}

/* A GPU's own at its highest clocks, or the processor's; no step was faster. */
static int find_peak(struct operators *o, struct err *e)
{
    const struct step_bench *first = &o->subjects[0].steps;
    if (first->device.peak_flop_per_s > 0)
        o->peak = (struct peak){first->device.peak_flop_per_s * 1e-9,
                                first->device.peak_bytes_per_s * 1e-9,
                                (int64_t)first->device.cache_bytes};
    else if (peak_measure(first->environment.cache_bytes, o->most_s, &o->peak, e))
        return -1;
    for (size_t i = 0; i < o->n; i++)
        for (size_t k = 0; k < o->subjects[i].steps.n; k++) {
            const struct step_bench_row *r = &o->subjects[i].steps.rows[k];
            peak_raise(&o->peak, r->flop / r->time_s * 1e-9, 0);
        }
    return 0;
}

static int measure(struct arena *arena, struct operators *o, const struct backend *backend,
                   struct err *e)
{
    struct step_bench_rule rule = step_bench_usual;
    rule.most_s = o->most_s / (double)o->n;
    for (size_t i = 0; i < o->n; i++) {
        struct subject *s = &o->subjects[i];
        if (check(arena, s, backend, e) ||
            step_bench(arena, &s->choice, backend, &rule, &s->steps, e))
            return -1;
    }
    return find_peak(o, e);
}

/* ---- text ---- */

static void print_row(const struct operators *o, const struct subject *s,
                      const struct step_bench_row *r, struct text *t)
{
    double gflops = r->flop / r->time_s * 1e-9;
    text_printf(t, "%-34.34s %-11s %5zu %9.4f %6.1f %% %9.4f %8.1f", r->name,
                step_bench_kind(r->kind), r->count, r->time_s * 1e3,
                100 * (r->high_s - r->low_s) / r->time_s, r->cold_s * 1e3, gflops);
    if (o->peak.gflops > 0)
        text_printf(t, " %5.0f %%", 100 * gflops / o->peak.gflops);
    text_printf(t, " %7.1f %8.1e%s%s\n", r->bytes / r->time_s * 1e-9, s->errors[r->step],
                r->stable ? "" : "  not stable", r->throttled ? "  THROTTLED" : "");
}

static void print_subject(const struct operators *o, const struct subject *s, struct text *t)
{
    text_printf(t, "\n%s, batch %d\n", s->choice.name, (int)s->choice.batch);
    text_printf(t, "%-34s %-11s %5s %9s %8s %9s %8s%s %7s %8s\n", "operator", "kind", "times",
                "ms each", "spread", "cold", "GFLOP/s", o->peak.gflops > 0 ? " of peak" : "",
                "GB/s", "off by");
    for (size_t i = 0; i < s->steps.n; i++)
        print_row(o, s, &s->steps.rows[i], t);
    if (s->steps.left_out > 0)
        text_printf(t, "%zu kind(s) of operators left out: --max-duration was up\n",
                    s->steps.left_out);
}

static void print_text(const struct operators *o, struct text *t)
{
    const struct environment *env = &o->subjects[0].steps.environment;
    text_printf(t, "operators in FP32 on %s: %s, %s\nclocks %s; driver %s\n", env->backend,
                env->device, env->framework, env->clocks, env->driver);
    for (size_t i = 0; i < o->n; i++)
        print_subject(o, &o->subjects[i], t);
    text_add(t, "\nms each: back to back, median; cold: single runs after the cache was emptied\n");
    if (o->peak.gb_per_s > 0)
        text_printf(t, "peak: %.1f GFLOP/s, %.1f GB/s\n", o->peak.gflops, o->peak.gb_per_s);
    else
        text_printf(t, "peak: %.1f GFLOP/s\n", o->peak.gflops);
    text_printf(t,
                "Each was compared with the double reference on the same input before any was "
                "timed: off by at most %.0e of its largest value.\n",
                STEP_CHECK_TOLERANCE);
}

/* ---- JSON ---- */

static void put_number(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    json_out_number(o, v);
}

static void put_pair(struct json_out *o, const char *key, double low, double high)
{
    json_out_key(o, key);
    json_out_open(o, "[");
    json_out_number(o, low);
    json_out_number(o, high);
    json_out_close(o, "]");
}

static void put_string(struct json_out *o, const char *key, const char *v)
{
    json_out_key(o, key);
    json_out_string(o, v);
}

static void put_row(struct json_out *o, const struct subject *s, const struct step_bench_row *r)
{
    json_out_open(o, "{");
    put_string(o, "network", s->choice.name);
    put_string(o, "name", r->name);
    put_string(o, "kind", step_bench_kind(r->kind));
    json_out_key(o, "batch");
    json_out_int(o, s->choice.batch);
    json_out_key(o, "count");
    json_out_int(o, (int64_t)r->count);
    put_number(o, "median", r->median.value_s);
    put_pair(o, "medianInterval", r->median.low_s, r->median.high_s);
    put_pair(o, "quartiles", r->low_s, r->high_s);
    put_number(o, "cold", r->cold_s);
    put_number(o, "gflops", r->flop / r->time_s * 1e-9);
    put_number(o, "gigabytesPerSecond", r->bytes / r->time_s * 1e-9);
    put_number(o, "relativeError", s->errors[r->step]);
    json_out_key(o, "samples");
    json_out_int(o, (int64_t)r->samples);
    json_out_key(o, "stable");
    json_out_bool(o, r->stable);
    json_out_key(o, "throttled");
    json_out_bool(o, r->throttled);
    json_out_close(o, "}");
}

static void put_environment(struct json_out *o, const struct environment *env)
{
    struct environment_field fields[ENVIRONMENT_FIELDS];
    char scratch[16];
    environment_fields(env, fields, scratch);
    for (size_t i = 0; i < ENVIRONMENT_FIELDS; i++) {
        json_out_key(o, fields[i].name);
        if (strcmp(fields[i].name, "threads") == 0)
            json_out_int(o, env->threads);
        else
            json_out_string(o, fields[i].value);
    }
}

static void print_json(const struct operators *ops, struct text *t)
{
    struct json_out o;
    size_t left_out = 0;
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    put_string(&o, "schema", "sluice.bench/1");
    put_environment(&o, &ops->subjects[0].steps.environment);
    json_out_key(&o, "peak");
    json_out_open(&o, "{");
    put_number(&o, "gflops", ops->peak.gflops > 0 ? ops->peak.gflops : (double)NAN);
    put_number(&o, "gigabytesPerSecond", ops->peak.gb_per_s > 0 ? ops->peak.gb_per_s : (double)NAN);
    json_out_close(&o, "}");
    json_out_key(&o, "kernels");
    json_out_open(&o, "[");
    for (size_t i = 0; i < ops->n; i++) {
        const struct step_bench *b = &ops->subjects[i].steps;
        left_out += b->left_out;
        for (size_t k = 0; k < b->n; k++)
            put_row(&o, &ops->subjects[i], &b->rows[k]);
    }
    json_out_close(&o, "]");
    json_out_key(&o, "leftOut");
    json_out_int(&o, (int64_t)left_out);
    json_out_close(&o, "}");
    json_out_end(&o);
}

/* ---- the result ---- */

static void put_figures(struct bench_result *b, const struct subject *s)
{
    char group[160];
    for (size_t i = 0; i < s->steps.n; i++) {
        const struct step_bench_row *r = &s->steps.rows[i];
        snprintf(group, sizeof group, "%s.batch%d.%s", s->choice.name, (int)s->choice.batch,
                 r->name);
        bench_result_figure(b, group, "time.p50",
                            &(struct figure){.unit = "s",
                                             .value = r->median.value_s,
                                             .has_interval = true,
                                             .low = r->median.low_s,
                                             .high = r->median.high_s});
        bench_result_figure(
            b, group, "gflops",
            &(struct figure){.unit = "GFLOP/s", .value = r->flop / r->time_s * 1e-9});
        bench_result_figure(b, group, "cold", &(struct figure){.unit = "s", .value = r->cold_s});
    }
}

static int make_result(const struct operators *o, struct bench_result *b)
{
    bench_result_environment(b, &o->subjects[0].steps.environment);
    bench_result_setting(b, "model", "kernels");
    bench_result_setting(b, "precision", "fp32");
    for (size_t i = 0; i < o->n; i++)
        put_figures(b, &o->subjects[i]);
    return bench_result_end(b, "sluice bench kernels", "operators of BERT and Inception");
}

static int deliver(const struct bench_arguments *a, struct arena *arena, const struct operators *o,
                   struct err *e)
{
    struct bench_result b;
    struct text t = {0};
    double started_s = (double)time(NULL);
    bench_result_begin(&b, arena, "bench-kernels", e);
    b.r.epoch_s = (int64_t)started_s;
    if (make_result(o, &b))
        return -1;
    if (strcmp(a->format, "json") == 0)
        print_json(o, &t);
    else
        print_text(o, &t);
    if (show_print(&t, e))
        return -1;
    return bench_compare_keep(a, arena, &(struct bench_made){&b.r, started_s}, e);
}

/* ---- what is asked for ---- */

static struct network_choice choose(const struct bench_arguments *a, const char *name)
{
    bool text = strncmp(name, "bert_", 5) == 0;
    return (struct network_choice){.name = name,
                                   .batch = (int32_t)a->batch,
                                   .sequence = text ? (int32_t)a->sequence : 0,
                                   .seed = 1};
}

static int start(const struct bench_arguments *a, struct operators *o, struct err *e)
{
    *o = (struct operators){.most_s = (double)INFINITY};
    if (bench_setup_seconds("--max-duration", a->most, &o->most_s, e) ||
        bench_setup_model(a, a->model ? a->model : "bert_base", e))
        return -1;
    o->n = a->model ? 1 : SUBJECTS;
    o->subjects[0].choice = choose(a, a->model ? a->model : "inception_v3");
    o->subjects[1].choice = choose(a, "bert_base");
    return 0;
}

int bench_operators(const struct bench_arguments *a, const struct backend *backend, struct err *e)
{
    struct operators o;
    if (start(a, &o, e))
        return -1;
    struct arena *arena = arena_create(e);
    int rc = arena ? measure(arena, &o, backend, e) : -1;
    if (rc == 0)
        rc = deliver(a, arena, &o, e);
    arena_destroy(arena);
    return rc;
}
