/* bench_network: measures and prints a whole network. */
#include "kernels/backend.h"
#include "kernels/early_stop.h"
#include "kernels/gemm.h"
#include "scenarios/cli/bench.h"
#include "scenarios/cli/bench_chart.h"
#include "scenarios/cli/bench_compare.h"
#include "scenarios/cli/bench_image.h"
#include "scenarios/cli/bench_result.h"
#include "scenarios/cli/bench_setting.h"
#include "scenarios/cli/bench_setup.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* All batches that were asked for. */
struct sweep {
    const struct bench_setup *setup;
    struct network_bench *benches;
    size_t n;                 /* batches that were measured: the first ones of the setup */
    double left_s;            /* of --max-duration; may be infinite */
    struct bench_chart chart; /* n 0: none */
    struct bench_setting settings[BENCH_SETTINGS];
    size_t n_settings;
};

/* ---- text ---- */

static void print_head(const struct sweep *s, struct text *t)
{
    const struct network_bench_setup *n = &s->setup->network;
    const struct network_bench *b = s->benches;
    const struct environment *env = &b->environment;
    text_printf(t, "%s", n->model.name);
    if (b->sequence)
        text_printf(t, ", %d tokens", b->sequence);
    if (b->tokens)
        text_printf(t, " of which %d are true", b->tokens);
    text_printf(t, ", FP32 with %s weights; %s%s\n", n->model.weights ? "trained" : "random",
                load_names[n->load.scenario], n->isolated ? ", each query with a cold cache" : "");
    text_printf(t, "%s: %s, %s, %s", env->backend, env->device, env->framework, env->core);
    if (env->threads)
        text_printf(t, ", %d thread(s)", (int)env->threads);
    text_printf(t, "\nclocks %s; driver %s\n\n", env->clocks, env->driver);
}

static void print_percentile(const char *name, struct latency_percentile p, struct text *t)
{
    text_printf(t, "  %s %9.3f ms (%.3f to %.3f)", name, p.value_s * 1e3, p.low_s * 1e3,
                p.high_s * 1e3);
}

static void print_latency(const struct network_bench *b, int32_t batch, struct text *t)
{
    text_printf(t, "batch %-4d", batch);
    print_percentile("p50", b->latency.p50, t);
    print_percentile("p90", b->latency.p90, t);
    print_percentile("p99", b->latency.p99, t);
    text_printf(t, "\n            mean %.3f ms, best %.3f, worst %.3f; %zu queries in %.1f s%s\n",
                b->latency.mean_s * 1e3, b->latency.best_s * 1e3, b->latency.worst_s * 1e3,
                b->load.queries, b->load.elapsed_s, b->load.stable ? "" : "; not stable");
    if (!b->load.long_enough || !b->load.queries_enough)
        text_printf(t, "            cut short: --min-duration%s or --queries was not met\n",
                    b->qps > 0 ? ", ten times --latency-bound" : "");
}

static void print_safe(const char *name, double safe_s, double percentile, struct text *t)
{
    if (isfinite(safe_s))
        text_printf(t, "  %s <= %.3f ms", name, safe_s * 1e3);
    else
        text_printf(t, "  %s needs %zu queries", name, early_stop_least(percentile));
}

static void print_server(const struct sweep *s, const struct network_bench *b, struct text *t)
{
    const struct load_rule *r = &s->setup->network.load;
    text_printf(t, "            %.4g queries a second arrive%s; p%g within %.4g ms: %s%s\n", b->qps,
                s->setup->network.find_peak ? " (the most that hold, by bisection)" : "",
                r->percentile * 100, r->bound_s * 1e3, b->load.holds ? "held" : "NOT held",
                !b->load.holds || b->load.certain ? "" : ", but with less than 99 % confidence");
    text_printf(t, "            a closed loop would have said p50 %.3f, p99 %.3f ms (no waiting)\n",
                b->service.p50.value_s * 1e3, b->service.p99.value_s * 1e3);
    if (b->load.growing)
        text_add(t, "            more work arrives than is done: the queue grows\n");
    if (b->load.unserved)
        text_printf(t, "            overloaded: %zu queries were due and not begun\n",
                    b->load.unserved);
}

static void print_padding(const struct network_bench *b, struct text *t)
{
    if (b->tokens)
        text_printf(t,
                    "            padding left out: %.3f ms at best, %.3f with it, %.2f times as "
                    "long\n",
                    b->packed_s * 1e3, b->padded_s * 1e3, b->padded_s / b->packed_s);
}

static void print_bench(const struct sweep *s, size_t i, struct text *t)
{
    const struct network_bench *b = &s->benches[i];
    print_latency(b, s->setup->batches[i], t);
    if (s->setup->network.load.scenario == LOAD_SERVER)
        print_server(s, b, t);
    print_padding(b, t);
    text_add(t, "            99 % confidence:");
    print_safe("p90", b->p90_safe_s, 0.90, t);
    print_safe("p99", b->p99_safe_s, 0.99, t);
    text_printf(t, "\n            %.2f items/s; %.1f GFLOP/s", b->load.items_per_s, b->gflops);
    if (b->peak.gflops > 0)
        text_printf(t, ", %.0f %% of the peak of %.1f", 100 * b->gflops / b->peak.gflops,
                    b->peak.gflops);
    if (b->products.rounds > 0 && s->setup->network.load.scenario != LOAD_MULTI_STREAM)
        text_printf(t, "; %.2f times its bare products", b->products.ratio);
    text_printf(t, "\n            %zu outputs were compared with the first: equal", b->logged);
    if (isfinite(b->reference_error))
        text_printf(t, "; off the double reference by %.1e", b->reference_error);
    text_add(t, "\n");
}

static void print_gpu(const struct gpu_usage *u, struct text *t)
{
    struct gpu_watch_words by;
    if (u->samples == 0)
        return;
    if (u->idle == u->samples) {
        text_printf(t, "\nGPU idle at each of %zu looks: the run was too short", u->samples);
        return;
    }
    text_printf(t,
                "\nGPU clock seen %.0f to %.0f of %.0f MHz; %.0f W, at most %.0f of %.0f; %.0f C; "
                "memory %.2f GB",
                u->clock_low_mhz, u->clock_mhz, u->clock_max_mhz, u->power_w, u->power_most_w,
                u->power_limit_w, u->temperature_c, u->memory_bytes * 1e-9);
    if (u->capped > 0)
        text_printf(t, "; at its power cap at %zu of %zu looks", u->capped, u->samples);
    gpu_watch_reasons(u->faults, &by);
    if (u->throttled > 0)
        text_printf(t, "; THROTTLED at %zu of %zu looks: %s", u->throttled, u->samples,
                    by.s[0] ? by.s : "low clock");
}

static void print_disturbance(const struct network_bench *b, struct text *t)
{
    const struct disturbance *d = &b->disturbance;
    text_printf(t, "\nclock seen %.2f to %.2f GHz; preempted %lld times; stolen %.1f %%",
                d->clock_low_ghz, d->clock_ghz, (long long)d->preempted, 100 * d->steal_share);
    if (d->throttles > 0)
        text_printf(t, "; THROTTLED for heat %lld times", (long long)d->throttles);
    if (b->load.dropped)
        text_printf(t, "; %zu queries measured again after the clock fell", b->load.dropped);
    if (b->load.slowed)
        text_add(t, "; it STAYED SLOW, and was measured so");
    print_gpu(&b->gpu, t);
    if (b->refused)
        text_printf(t,
                    "\n%zu of --algorithms were refused by cuBLAS, whose own choice ran; delete "
                    "the file to search anew",
                    b->refused);
    if (b->peak.gflops > 0 && b->peak.gb_per_s > 0)
        text_printf(t, "\npeak: %.1f GFLOP/s, %.1f GB/s\n", b->peak.gflops, b->peak.gb_per_s);
    else if (b->peak.gflops > 0)
        text_printf(t, "\npeak: %.1f GFLOP/s\n", b->peak.gflops);
    else
        text_add(t, "\npeak: not measured; --max-duration leaves no time for it\n");
    text_add(t, "Brackets hold 95 % intervals.\n");
}

static void print_text(const struct sweep *s, struct text *t)
{
    print_head(s, t);
    for (size_t i = 0; i < s->n; i++)
        print_bench(s, i, t);
    for (size_t i = s->n; i < s->setup->n_batches; i++)
        text_printf(t, "batch %-4d  left out: --max-duration was up\n", (int)s->setup->batches[i]);
    print_disturbance(&s->benches[s->n - 1], t);
    if (s->chart.n > 0)
        bench_chart_text(&s->chart, t);
}

/* ---- JSON ---- */

static void put_number(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    json_out_number(o, v);
}

static void put_int(struct json_out *o, const char *key, int64_t v)
{
    json_out_key(o, key);
    json_out_int(o, v);
}

static void put_string(struct json_out *o, const char *key, const char *v)
{
    json_out_key(o, key);
    json_out_string(o, v);
}

static void put_bool(struct json_out *o, const char *key, bool v)
{
    json_out_key(o, key);
    json_out_bool(o, v);
}

static void put_percentile(struct json_out *o, const char *name, struct latency_percentile p)
{
    char key[16];
    put_number(o, name, p.value_s);
    snprintf(key, sizeof key, "%sLow", name);
    put_number(o, key, p.low_s);
    snprintf(key, sizeof key, "%sHigh", name);
    put_number(o, key, p.high_s);
}

static void put_latency(struct json_out *o, const char *key, const struct latency *l)
{
    json_out_key(o, key);
    json_out_open(o, "{");
    put_percentile(o, "p50", l->p50);
    put_percentile(o, "p90", l->p90);
    put_percentile(o, "p99", l->p99);
    put_number(o, "mean", l->mean_s);
    put_number(o, "best", l->best_s);
    put_number(o, "worst", l->worst_s);
    put_number(o, "cv", l->cv);
    json_out_close(o, "}");
}

static void put_environment(struct json_out *o, const struct environment *env)
{
    put_string(o, "core", env->core);
    put_string(o, "clocks", env->clocks);
    put_string(o, "driver", env->driver);
    put_string(o, "framework", env->framework);
    put_int(o, "threads", env->threads);
    put_string(o, "precision", "fp32");
}

static void put_server(struct json_out *o, const struct load_rule *r, const struct network_bench *b)
{
    json_out_key(o, "server");
    json_out_open(o, "{");
    put_number(o, "qps", b->qps);
    put_number(o, "latencyBound", r->bound_s);
    put_number(o, "percentile", r->percentile * 100);
    put_bool(o, "holds", b->load.holds);
    put_bool(o, "queueGrows", b->load.growing);
    put_bool(o, "certain", b->load.certain);
    put_int(o, "over", (int64_t)b->load.over);
    put_int(o, "unserved", (int64_t)b->load.unserved);
    json_out_close(o, "}");
}

static void put_gpu(struct json_out *o, const struct gpu_usage *u)
{
    struct gpu_watch_words held, by;
    if (u->samples == 0)
        return;
    json_out_key(o, "gpu");
    json_out_open(o, "{");
    put_number(o, "smClockMHz", u->clock_mhz);
    put_number(o, "lowestSmClockMHz", u->clock_low_mhz);
    put_number(o, "maxSmClockMHz", u->clock_max_mhz);
    put_number(o, "powerW", u->power_w);
    put_number(o, "highestPowerW", u->power_most_w);
    put_number(o, "powerLimitW", u->power_limit_w);
    put_number(o, "temperatureC", u->temperature_c);
    put_number(o, "memoryBytes", u->memory_bytes);
    put_number(o, "busyShare", u->busy_share);
    put_int(o, "looks", (int64_t)u->samples);
    put_int(o, "idleLooks", (int64_t)u->idle);
    put_int(o, "throttledLooks", (int64_t)u->throttled);
    gpu_watch_reasons(u->faults, &by);
    put_string(o, "throttledBy", by.s);
    put_int(o, "powerCapLooks", (int64_t)u->capped);
    gpu_watch_reasons(u->reasons, &held);
    put_string(o, "clocksHeldBy", held.s);
    json_out_close(o, "}");
}

static void put_disturbance(struct json_out *o, const struct network_bench *b)
{
    const struct disturbance *d = &b->disturbance;
    json_out_key(o, "disturbance");
    json_out_open(o, "{");
    put_number(o, "clockGHz", d->clock_ghz);
    put_number(o, "lowestClockGHz", d->clock_low_ghz);
    put_number(o, "stealShare", d->steal_share);
    put_int(o, "preempted", d->preempted);
    if (d->throttles >= 0)
        put_int(o, "thermalThrottles", d->throttles);
    put_int(o, "dropped", (int64_t)b->load.dropped);
    put_bool(o, "stayedSlow", b->load.slowed);
    json_out_close(o, "}");
    put_gpu(o, &b->gpu);
    if (b->refused)
        put_int(o, "refusedAlgorithms", (int64_t)b->refused);
    json_out_key(o, "peak");
    json_out_open(o, "{");
    put_number(o, "gflops", b->peak.gflops > 0 ? b->peak.gflops : (double)NAN);
    put_number(o, "gigabytesPerSecond", b->peak.gb_per_s > 0 ? b->peak.gb_per_s : (double)NAN);
    json_out_close(o, "}");
}

/* Long enough, and not of a device that was slowed down. */
static bool is_valid(const struct network_bench *b)
{
    return b->load.long_enough && b->load.queries_enough && !b->throttled;
}

/* Beside those with a key of their own. */
static void put_settings(struct json_out *o, const struct sweep *s)
{
    json_out_key(o, "settings");
    json_out_open(o, "{");
    for (size_t i = 0; i < s->n_settings; i++)
        put_string(o, s->settings[i].key, s->settings[i].value);
    json_out_close(o, "}");
}

static void put_bench(struct json_out *o, const struct sweep *s, size_t i)
{
    const struct network_bench_setup *n = &s->setup->network;
    const struct network_bench *b = &s->benches[i];
    json_out_open(o, "{");
    put_string(o, "schema", "sluice.benchNetwork/1");
    put_string(o, "model", n->model.name);
    put_string(o, "backend", b->environment.backend);
    put_string(o, "device", b->environment.device);
    put_environment(o, &b->environment);
    put_string(o, "scenario", load_names[n->load.scenario]);
    put_bool(o, "isolated", n->isolated);
    put_settings(o, s);
    put_int(o, "batch", s->setup->batches[i]);
    if (b->sequence)
        put_int(o, "sequence", b->sequence);
    if (b->tokens) {
        put_int(o, "tokens", b->tokens);
        put_number(o, "withoutPadding", b->packed_s);
        put_number(o, "withPadding", b->padded_s);
    }
    put_latency(o, "latency", &b->latency);
    put_latency(o, "service", &b->service);
    json_out_key(o, "confident99");
    json_out_open(o, "{");
    put_number(o, "p90", b->p90_safe_s);
    put_number(o, "p99", b->p99_safe_s);
    json_out_close(o, "}");
    put_int(o, "queries", (int64_t)b->load.queries);
    put_number(o, "elapsed", b->load.elapsed_s);
    put_bool(o, "stable", b->load.stable);
    put_bool(o, "valid", is_valid(b));
    if (n->load.scenario == LOAD_SERVER)
        put_server(o, &n->load, b);
    put_number(o, "itemsPerSecond", b->load.items_per_s);
    put_number(o, "gflops", b->gflops);
    put_number(o, "products", b->products.products_s);
    put_number(o, "productsRatio", b->products.ratio);
    put_int(o, "outputsCompared", (int64_t)b->logged);
    if (n->accuracy)
        put_number(o, "referenceError", b->reference_error);
    put_disturbance(o, b);
    json_out_close(o, "}");
}

/* One batch is one object; a sweep is an object that holds one for each. */
static void print_json(const struct sweep *s, struct text *t)
{
    struct json_out o;
    json_out_init(&o, t, false);
    if (s->setup->n_batches == 1) {
        put_bench(&o, s, 0);
    } else {
        json_out_open(&o, "{");
        put_string(&o, "schema", "sluice.benchSweep/1");
        json_out_key(&o, "batches");
        json_out_open(&o, "[");
        for (size_t i = 0; i < s->n; i++)
            put_bench(&o, s, i);
        json_out_close(&o, "]");
        json_out_key(&o, "leftOut");
        json_out_open(&o, "[");
        for (size_t i = s->n; i < s->setup->n_batches; i++)
            json_out_int(&o, s->setup->batches[i]);
        json_out_close(&o, "]");
        json_out_close(&o, "}");
    }
    json_out_end(&o);
}

/* ---- all of it ---- */

/* The machine's peak is that of its best moment; no batch was faster than it. */
static void level_peaks(struct sweep *s)
{
    struct peak most = {0};
    for (size_t i = 0; i < s->n; i++)
        peak_raise(&most, s->benches[i].peak.gflops, s->benches[i].peak.gb_per_s);
    for (size_t i = 0; i < s->n; i++)
        peak_raise(&s->benches[i].peak, most.gflops, most.gb_per_s);
}

/* The steps of the last batch of a sweep. */
static int chart(struct arena *arena, struct sweep *s, const char *file, struct err *e)
{
    struct network_choice m = s->setup->network.model;
    struct network_bench *last = &s->benches[s->n - 1];
    struct step_bench_rule rule = step_bench_usual;
    struct step_bench steps;
    m.batch = s->setup->batches[s->n - 1];
    rule.most_s = s->left_s;
    if (step_bench(arena, &m, s->setup->network.backend, &rule, &steps, e))
        return -1;
    bench_chart_raise(steps.rows, steps.n, &last->peak);
    level_peaks(s);
    s->chart = (struct bench_chart){.model = m.name,
                                    .device = last->environment.device,
                                    .batch = m.batch,
                                    .peak = &last->peak,
                                    .rows = steps.rows,
                                    .n = steps.n,
                                    .left_out = steps.left_out};
    return bench_chart_write(&s->chart, file, e);
}

static bool next_fits(const struct sweep *s, double left_s)
{
    const int32_t *batches = s->setup->batches;
    return bench_setup_fits(left_s, batches[s->n], batches[s->n - 1],
                            s->benches[s->n - 1].service.best_s);
}

/* A chart's share of the time; it gets what the batches leave as well. */
#define CHART_SHARE 0.3

static int measure(struct arena *arena, struct sweep *s, bool with_chart, struct err *e)
{
    struct network_bench_setup n = s->setup->network;
    size_t batches = s->setup->n_batches;
    bool limited = isfinite(s->setup->most_s);
    double for_chart_s = with_chart && limited ? CHART_SHARE * s->setup->most_s : 0;
    s->benches = arena_take(arena, batches, sizeof *s->benches, e);
    if (!s->benches)
        return -1;
    s->left_s = s->setup->most_s;
    for (s->n = 0; s->n < batches && (s->n == 0 || next_fits(s, s->left_s - for_chart_s)); s->n++) {
        n.model.batch = s->setup->batches[s->n];
        n.most_s = bench_setup_share(s->left_s - for_chart_s, batches - s->n);
        if (network_bench(arena, &n, &s->benches[s->n], e))
            return -1;
        s->left_s -= s->benches[s->n].spent_s;
    }
    level_peaks(s);
    return 0;
}

/* How to do it again, as far as it was asked for. */
static void say_command(const struct bench_arguments *a, struct text *t)
{
    const struct {
        const char *name, *value;
    } texts[] = {{"--batches", a->batches},
                 {"--qps", a->qps},
                 {"--latency-bound", a->bound},
                 {"--percentile", a->percentile},
                 {"--min-duration", a->least},
                 {"--max-duration", a->most},
                 {"--seed", a->seed}};
    text_printf(t, "sluice bench network --model %s --scenario %s --backend %s", a->model,
                a->scenario, a->backend);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value)
            text_printf(t, " %s %s", texts[i].name, texts[i].value);
    if (!a->batches)
        text_printf(t, " --batch %lld", (long long)a->batch);
    if (a->sequence)
        text_printf(t, " --sequence %lld", (long long)a->sequence);
    if (a->tokens)
        text_printf(t, " --tokens %lld", (long long)a->tokens);
    if (a->threads)
        text_printf(t, " --threads %lld", (long long)a->threads);
    if (a->queries)
        text_printf(t, " --queries %lld", (long long)a->queries);
}

static void say_verdict(const struct sweep *s, struct text *t)
{
    for (size_t i = 0; i < s->n; i++)
        text_printf(t, "%sbatch %d: p50 %.4g ms, %.4g items/s%s", i ? "; " : "",
                    (int)s->setup->batches[i], s->benches[i].latency.p50.value_s * 1e3,
                    s->benches[i].load.items_per_s,
                    is_valid(&s->benches[i]) ? "" : " (not valid: cut short or slowed down)");
}

static int make_result(const struct sweep *s, const struct bench_arguments *a,
                       struct bench_result *b)
{
    const struct network_bench_setup *n = &s->setup->network;
    struct text command = {0}, verdict = {0};
    bench_result_environment(b, &s->benches[0].environment);
    for (size_t i = 0; i < s->n_settings; i++)
        bench_result_setting(b, s->settings[i].key, s->settings[i].value);
    for (size_t i = 0; i < s->n; i++) {
        bench_result_network(b, s->setup->batches[i], &s->benches[i]);
        b->r.holds = b->r.holds && is_valid(&s->benches[i]) &&
                     (n->load.scenario != LOAD_SERVER || s->benches[i].load.holds);
    }
    b->r.seed = n->load.seed;
    say_command(a, &command);
    say_verdict(s, &verdict);
    int rc = text_end(&command, b->e) || text_end(&verdict, b->e) ||
             bench_result_end(b, command.s, verdict.s);
    text_fini(&command);
    text_fini(&verdict);
    return rc ? -1 : 0;
}

/* The comparison is made before the store changes: `last` means the last but this one. */
static int deliver(const struct bench_arguments *a, struct arena *arena, struct sweep *s,
                   double started_s, struct err *e)
{
    struct bench_result b;
    struct text t = {0};
    char name[96];
    snprintf(name, sizeof name, "bench-%s", s->setup->network.model.name);
    bench_result_begin(&b, arena, name, e);
    s->n_settings = bench_setting_list(s->setup, &s->benches[0], s->settings, e);
    if (s->n_settings == 0 || make_result(s, a, &b))
        return -1;
    b.r.epoch_s = (int64_t)started_s;
    if (strcmp(a->format, "json") == 0)
        print_json(s, &t);
    else
        print_text(s, &t);
    if (show_print(&t, e))
        return -1;
    return bench_compare_keep(a, arena, &(struct bench_made){&b.r, started_s}, e);
}

int bench_network(const struct bench_arguments *given, struct err *e)
{
    struct bench_arguments usual = *given;
    const struct bench_arguments *a = &usual;
    usual.model = given->model ? given->model : "inception_v3";
    struct bench_setup setup;
    struct sweep s = {.setup = &setup};
    double started_s = (double)time(NULL);
    if (a->image || a->labels)
        return bench_image(a, e);
    usual.scenario = given->scenario ? given->scenario : "single_stream";
    if (bench_setup_threads(a, e) || bench_setup(a, &setup, e) || bench_compare_check(a, e) ||
        show_check_target(a->no_store ? NULL : a->db, "--db", e) ||
        show_check_picture(a->chart, NULL, e))
        return -1;
    struct arena *arena = arena_create(e);
    int rc = arena ? measure(arena, &s, a->chart != NULL, e) : -1;
    if (rc == 0 && a->chart)
        rc = chart(arena, &s, a->chart, e);
    if (rc == 0)
        rc = deliver(a, arena, &s, started_s, e);
    arena_destroy(arena);
    return rc;
}
