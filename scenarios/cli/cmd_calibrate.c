/* cmd_calibrate: `sluice calibrate`: measured batch times as a profile that scenarios can name. */
#include "kernels/backend.h"
#include "kernels/gemm.h"
#include "kernels/network_bench.h"
#include "kernels/timings.h"
#include "scenarios/cli/bench_setup.h"
#include "scenarios/cli/blas_core.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/profile_draft.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/json.h"
#include "sim/text.h"
#include "sim/zone.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct calibrate {
    struct profile_draft draft;
    const char *batches, *held, *out, *format, *config, *backend, *least, *most, *load;
    struct option_texts from;
    int64_t threads;
    double load_share; /* of what back to back serves; 0: back to back */
    /* texts that the draft borrows */
    struct environment environment;
    char framework[200], source[400], remark[200], kind[PROFILE_DRAFT_KIND], model[96];
};

/* ---- measuring ---- */

/* As a server sees it: between two requests the caches of a processor may grow cold and its threads
 * fall asleep. How much that costs was not told from noise on the machines tried (between nothing
 * and 15 % of a pass of bert_tiny); a calibration with gaps holds it, whatever it is. The rate is a
 * share of what the batch does back to back. */
static int arrive(const struct calibrate *c, struct arena *a, struct network_bench_setup *setup,
                  double *left_s, struct err *e)
{
    struct network_bench_setup closed = *setup;
    struct network_bench b;
    closed.load.min_s /= 4;
    closed.most_s /= 4;
    if (network_bench(a, &closed, &b, e))
        return -1;
    *left_s -= b.spent_s;
    setup->most_s -= closed.most_s;
    setup->load.scenario = LOAD_SERVER;
    setup->load.bound_s = 3600; /* nobody waits for it */
    setup->load.percentile = load_usual.percentile;
    setup->load.qps = c->load_share / b.service.mean_s;
    return 0;
}

static int measure_batch(struct calibrate *c, struct network_bench_setup setup, double *left_s,
                         struct err *e)
{
    struct batch_point *p = &c->draft.points[c->draft.n];
    struct network_bench b;
    struct arena *a = arena_create(e);
    int rc = a ? 0 : -1;
    if (rc == 0 && c->load_share > 0)
        rc = arrive(c, a, &setup, left_s, e);
    if (rc == 0)
        rc = network_bench(a, &setup, &b, e);
    if (rc == 0) {
        c->draft.sequence = b.sequence;
        c->draft.stable = c->draft.stable && b.load.stable;
        c->draft.throttled = c->draft.throttled || b.throttled;
        *left_s -= b.spent_s;
        c->draft.n++;
        c->environment = b.environment;
        *p = (struct batch_point){setup.model.batch, b.service.mean_s, b.service.cv,
                                  b.service.samples};
        /* The smallest batch's spread: it is what a service without batching runs. */
        if (c->draft.n_spread == 0)
            profile_draft_spread(&c->draft, b.load.service_s, b.load.queries);
    }
    arena_destroy(a);
    return rc;
}

static void describe_environment(struct calibrate *c)
{
    const struct environment *env = &c->environment;
    struct profile_draft *d = &c->draft;
    bool gpu = strcmp(env->backend, "cpu") != 0;
    if (gpu)
        profile_draft_kind(env->device, c->kind);
    else
        snprintf(c->kind, sizeof c->kind, "CPU");
    d->gpu = d->gpu ? d->gpu : c->kind;
    snprintf(c->framework, sizeof c->framework,
             "Sluice " SLUICE_VERSION ", %s, core %s, %d threads", env->framework, env->core,
             (int)env->threads);
    if (c->load_share > 0)
        snprintf(c->source, sizeof c->source,
                 "sluice calibrate --load %g: batches arrived as at a server, with gaps in which "
                 "caches grow cold",
                 c->load_share);
    else
        snprintf(c->source, sizeof c->source, "sluice calibrate, back to back");
    d->framework = d->framework ? d->framework : c->framework;
    d->device = d->device ? d->device : env->device;
    d->clocks = d->clocks ? d->clocks : env->clocks;
    d->driver = d->driver ? d->driver : env->driver;
}

static int read_load(struct calibrate *c, struct err *e)
{
    if (c->load && (!text_parse_double(c->load, &c->load_share) || !(c->load_share > 0) ||
                    c->load_share > 0.95))
        return err_set(e, ERR_INPUT, NULL,
                       "--load: '%.40s' is no share above 0 and up to 0.95 of what back to back "
                       "serves",
                       c->load);
    return 0;
}

static int measure(struct calibrate *c, struct err *e)
{
    int32_t batches[BENCH_SETUP_BATCHES];
    size_t n;
    double left_s = (double)INFINITY;
    struct network_bench_setup setup = {.model = {.name = c->draft.model,
                                                  .batch = 1,
                                                  .sequence = (int32_t)c->draft.sequence,
                                                  .seed = 1},
                                        .load = network_bench_usual,
                                        .logged_share = 0.125};
    if (c->threads > 0)
        gemm_blas_threads((int32_t)c->threads);
    if (bench_setup_batches("--batches", c->batches, batches, &n, e) ||
        bench_setup_seconds("--min-duration", c->least, &setup.load.min_s, e) ||
        bench_setup_seconds("--max-duration", c->most, &left_s, e) || read_load(c, e))
        return -1;
    setup.backend = bench_setup_backend(c->backend, e);
    if (!setup.backend)
        return -1;
    setup.load.max_s = setup.load.max_s > setup.load.min_s ? setup.load.max_s : setup.load.min_s;
    for (size_t i = 0; i < n; i++) {
        const struct batch_point *last = &c->draft.points[i - (i > 0)];
        if (i > 0 && !bench_setup_fits(left_s, batches[i], (int32_t)last->batch, last->time_s)) {
            while (i < n)
                c->draft.left_out[c->draft.n_left_out++] = batches[i++];
            break;
        }
        fprintf(stderr, "batch %d ...\n", (int)batches[i]);
        setup.model.batch = batches[i];
        setup.most_s = bench_setup_share(left_s, n - i);
        if (measure_batch(c, setup, &left_s, e))
            return -1;
    }
    if (c->draft.n < 2 && c->draft.n_left_out > 0)
        return err_set(e, ERR_INPUT, NULL,
                       "--max-duration: %s is enough for batch %d alone; a fit needs two", c->most,
                       (int)batches[0]);
    describe_environment(c);
    return 0;
}

/* ---- reading ---- */

static int merge(struct calibrate *c, const struct timings_source *s, const struct timings *t,
                 struct err *e)
{
    struct timings all = {.n = c->draft.n};
    memcpy(all.points, c->draft.points, c->draft.n * sizeof *all.points);
    for (size_t i = 0; i < t->n; i++)
        if (timings_add(&all, s, 0, &t->points[i], e))
            return -1;
    c->draft.n = all.n;
    memcpy(c->draft.points, all.points, all.n * sizeof *all.points);
    if (t->remark[0])
        memcpy(c->remark, t->remark, sizeof c->remark);
    if (t->model[0])
        memcpy(c->model, t->model, sizeof c->model);
    return 0;
}

/* batches[i] is the batch of file i, for formats that do not say it. */
static int read_files(struct calibrate *c, struct arena *a, struct err *e)
{
    int32_t batches[BENCH_SETUP_BATCHES];
    size_t n = 0, used = 0;
    if (c->batches && bench_setup_batches("--batches", c->batches, batches, &n, e))
        return -1;
    if (n > 0 && n != c->from.count)
        return err_set(e, ERR_INPUT, NULL, "--batches: %zu %s for %zu %s: one for each", n,
                       text_plural(n, "batch", "batches"), c->from.count,
                       text_plural(c->from.count, "file", "files"));
    used += (size_t)snprintf(c->source, sizeof c->source, "sluice calibrate, times from");
    for (size_t i = 0; i < c->from.count; i++) {
        struct timings_source s = {
            .path = c->from.items[i], .batch = i < n ? batches[i] : 0, .config = c->config};
        struct timings t;
        s.text = file_read(a, s.path, TIMINGS_MAX_BYTES, &s.length, e);
        if (!s.text || timings_read(a, &s, c->format, &t, e) || merge(c, &s, &t, e))
            return -1;
        if (used < sizeof c->source)
            used += (size_t)snprintf(c->source + used, sizeof c->source - used, "%s %.100s",
                                     i ? "," : "", s.path);
    }
    c->draft.framework = c->draft.framework ? c->draft.framework : "as measured by the caller";
    if (!c->draft.model && c->model[0])
        c->draft.model = c->model;
    if (!c->draft.model)
        return err_set(e, ERR_INPUT, c->from.items[0],
                       "the file does not name the model that was measured: give it by --model");
    return 0;
}

static int read_all(struct calibrate *c, struct err *e)
{
    struct arena *a = arena_create(e);
    int rc = a ? read_files(c, a, e) : -1;
    arena_destroy(a);
    return rc;
}

/* ---- writing ---- */

/* The profile alone goes to standard output, so that it can be redirected. */
static int deliver(const struct calibrate *c, struct err *e)
{
    struct text profile = {0}, table = {0};
    profile_draft_json(&c->draft, &profile);
    profile_draft_text(&c->draft, &table);
    int rc = text_end(&profile, e) || text_end(&table, e) || show_write(c->out, &profile, e);
    if (rc == 0)
        fputs(table.s, c->out ? stdout : stderr);
    text_fini(&profile);
    text_fini(&table);
    return rc ? -1 : 0;
}

static int calibrate(struct calibrate *c, struct err *e)
{
    c->draft.source = c->source;
    c->draft.remark = c->remark;
    if ((c->from.count > 0 ? read_all(c, e) : measure(c, e)) ||
        (c->held && profile_draft_hold(&c->draft, c->held, e)) || profile_draft_fit(&c->draft, e))
        return -1;
    return deliver(c, e);
}

static int check(struct calibrate *c, struct err *e)
{
    if (!c->draft.date)
        return err_set(e, ERR_INPUT, NULL,
                       "--date is needed: the day of the measurement, such as "
                       "2026-05-31, stands in the profile");
    if (!zone_is_date(c->draft.date))
        return err_set(e, ERR_INPUT, NULL, "--date: '%.40s' is no day such as 2026-05-31",
                       c->draft.date);
    if (c->threads > 1024 || c->draft.sequence > 65536)
        return err_set(e, ERR_INPUT, NULL, "--threads allows 1 to 1024, --sequence 1 to 65536");
    if (c->from.count > 0 && (c->threads > 0 || c->least || c->most || c->load))
        return err_set(e, ERR_INPUT, NULL,
                       "--threads, --min-duration, --max-duration and --load are for measuring; "
                       "--from reads what was measured");
    if (c->from.count > 0 && !c->draft.gpu)
        return err_set(e, ERR_INPUT, NULL,
                       "--gpu is needed with --from: the kind that ran it, such as T4, or CPU");
    if (c->from.count == 0 && (c->format || c->config))
        return err_set(e, ERR_INPUT, NULL, "--input-format and --model-config belong to --from");
    if (c->from.count == 0 && !c->batches)
        c->batches = "1,2,4,8";
    if (c->from.count == 0 && !c->draft.model)
        c->draft.model = "inception_v3";
    return show_check_output(c->out, "--output", &c->from, e);
}

static int run(int argc, char **argv, struct err *e)
{
    struct calibrate c = {.backend = "auto", .draft = {.precision = "fp32", .stable = true}};
    struct profile_draft *d = &c.draft;
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--model", NULL, OPTION_TEXT, &d->model, "NAME",
         "inception_v3, bert_base or bert_tiny; with --from any name, if the file has none"},
        {"--batches", NULL, OPTION_TEXT, &c.batches, "LIST",
         "sizes to measure, 1,2,4,8; with --from the batch of each file that does not say it"},
        {"--held-out", NULL, OPTION_TEXT, &c.held, "LIST",
         "batches that test the fit instead of making it"},
        {"--sequence", NULL, OPTION_COUNT, &d->sequence, "N", "tokens of BERT; 128"},
        {"--threads", NULL, OPTION_COUNT, &c.threads, "N", "threads of OpenBLAS"},
        {"--backend", NULL, OPTION_TEXT, &c.backend, "NAME", "cpu, cuda or auto"},
        {"--min-duration", NULL, OPTION_TEXT, &c.least, "TIME", "of each batch; 3s"},
        {"--max-duration", NULL, OPTION_TEXT, &c.most, "TIME",
         "of all batches together, which share it; 15s a batch"},
        {"--load", NULL, OPTION_TEXT, &c.load, "SHARE",
         "batches arrive as at a server that is so busy, 0.5, instead of back to back"},
        {"--from", NULL, OPTION_TEXTS, &c.from, "FILE",
         "times that were measured elsewhere; may be repeated"},
        {"--input-format", NULL, OPTION_TEXT, &c.format, "NAME",
         "csv, perf_analyzer, model_analyzer, mlperf, mlperf_detail; told from the file"},
        {"--model-config", NULL, OPTION_TEXT, &c.config, "NAME",
         "which model or configuration of a Model Analyzer table"},
        {"--gpu", NULL, OPTION_TEXT, &d->gpu, "NAME",
         "kind of GPU in the profile, or CPU; by default the board that ran"},
        {"--framework", NULL, OPTION_TEXT, &d->framework, "TEXT", "software that ran it"},
        {"--precision", NULL, OPTION_TEXT, &d->precision, "NAME", "fp32"},
        {"--device", NULL, OPTION_TEXT, &d->device, "TEXT", "exact board"},
        {"--clocks", NULL, OPTION_TEXT, &d->clocks, "TEXT", "how its clocks were set"},
        {"--driver", NULL, OPTION_TEXT, &d->driver, "TEXT", "its driver"},
        {"--date", NULL, OPTION_TEXT, &d->date, "DATE", "day of the measurement"},
        {"--output", "-o", OPTION_TEXT, &c.out, "FILE", "where the profile goes; standard output"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .usage = "sluice calibrate [options]",
        .doc =
            "Measures a network batch by batch on this machine, or reads times that Triton's\n"
            "perf_analyzer or Model Analyzer, MLPerf's LoadGen or you have measured, fits\n"
            "t(b) = t0 + perItem x b and writes a calibration profile. A scenario names it with\n"
            "{\"calibration\": \"model/GPU/precision\", \"file\": \"profile.json\"}.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e) || check(&c, e))
        return e->code;
    if (c.from.count == 0)
        blas_core_choose();
    calibrate(&c, e);
    return e->code;
}

const struct command cmd_calibrate = {"calibrate", "measured batch times as a profile", run};
