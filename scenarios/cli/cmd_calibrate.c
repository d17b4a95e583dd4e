/* cmd_calibrate: `sluice calibrate`: measured batch times as a profile that scenarios can name. */
#include "kernels/backend.h"
#include "kernels/batch_fit.h"
#include "kernels/gemm.h"
#include "kernels/network_bench.h"
#include "scenarios/cli/bench_setup.h"
#include "scenarios/cli/blas_core.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CALIBRATE_MAX_POINTS 64

struct calibrate {
    const char *model, *gpu, *date, *batches, *from, *out;
    int64_t threads, sequence;
    struct batch_point points[CALIBRATE_MAX_POINTS];
    size_t n;
    struct batch_fit fit;
    bool stable;
};

static int measure_batch(struct calibrate *c, struct batch_point *p, struct err *e)
{
    struct network_bench_setup setup = {
        .model = {c->model, (int32_t)p->batch, (int32_t)c->sequence, 1},
        .backend = &backend_blas,
        .load = network_bench_usual};
    struct network_bench b;
    struct arena *a = arena_create(e);
    int rc = a ? network_bench(a, &setup, &b, e) : -1;
    if (rc == 0) {
        c->sequence = b.sequence;
        c->stable = c->stable && b.load.stable;
        p->time_s = b.service.mean_s;
        p->cv = b.service.cv;
        p->samples = b.service.samples;
    }
    arena_destroy(a);
    return rc;
}

static int measure(struct calibrate *c, struct err *e)
{
    int32_t batches[BENCH_SETUP_BATCHES];
    if (bench_setup_batches("--batches", c->batches, batches, &c->n, e))
        return -1;
    if (c->threads > 0)
        gemm_blas_threads((int32_t)c->threads);
    for (size_t i = 0; i < c->n; i++) {
        c->points[i].batch = batches[i];
        fprintf(stderr, "batch %d ...\n", (int)batches[i]);
        if (measure_batch(c, &c->points[i], e))
            return -1;
    }
    return 0;
}

/* One row "batch,seconds[,cv]"; a first row of words is a header. */
static int read_row(struct calibrate *c, char *row, size_t line, struct err *e)
{
    char place[300], *save = NULL, *field[3] = {NULL, NULL, NULL};
    double v[3] = {0, 0, 0};
    snprintf(place, sizeof place, "%.200s:%zu", c->from, line);
    row[strcspn(row, "\r\n")] = '\0';
    for (int i = 0; i < 3; i++)
        field[i] = strtok_r(i ? NULL : row, ",", &save);
    if (!field[0] || (line == 1 && !text_is_number(field[0])))
        return 0;
    for (int i = 0; i < 3; i++)
        if ((field[i] || i < 2) && (!field[i] || !text_parse_double(field[i], &v[i])))
            return err_set(e, ERR_INPUT, place, "a row is batch,seconds[,cv] in numbers");
    if (v[0] < 1 || v[0] > 1e6 || v[0] != (double)(int64_t)v[0] || v[1] <= 0 || v[2] < 0 ||
        v[2] > 10)
        return err_set(e, ERR_INPUT, place,
                       "batch must be a whole number of 1 or more, seconds above 0, cv 0 to 10");
    if (c->n > 0 && v[0] <= c->points[c->n - 1].batch)
        return err_set(e, ERR_INPUT, place, "batches must ascend");
    if (c->n == CALIBRATE_MAX_POINTS)
        return err_set(e, ERR_INPUT, place, "more than %d batches", CALIBRATE_MAX_POINTS);
    c->points[c->n++] = (struct batch_point){v[0], v[1], v[2], 0};
    return 0;
}

static int read_file(struct calibrate *c, struct err *e)
{
    char row[512];
    FILE *f = fopen(c->from, "r");
    int rc = 0;
    if (!f)
        return err_set(e, ERR_INPUT, c->from, "cannot be opened: %s", strerror(errno));
    for (size_t line = 1; rc == 0 && fgets(row, sizeof row, f); line++)
        rc = read_row(c, row, line, e);
    if (rc == 0 && ferror(f))
        rc = err_set(e, ERR_SYSTEM, c->from, "could not be read");
    fclose(f);
    return rc;
}

static void print_string(struct json_out *o, const char *key, const char *value)
{
    json_out_key(o, key);
    json_out_string(o, value);
}

static void print_ns(struct json_out *o, const char *key, double seconds)
{
    char value[40];
    snprintf(value, sizeof value, "%.0fns", seconds * 1e9);
    print_string(o, key, value);
}

static void print_origin(const struct calibrate *c, struct json_out *o)
{
    char text[400];
    print_string(o, "framework", c->from ? "as measured by the caller" : "Sluice " SLUICE_VERSION);
    print_string(o, "precision", "fp32");
    if (!c->from) {
        snprintf(text, sizeof text, "processor, OpenBLAS core %.40s, %d thread(s)",
                 gemm_blas_core(), (int)gemm_blas_threads(0));
        print_string(o, "device", text);
    }
}

static void print_figures(const struct calibrate *c, struct json_out *o)
{
    double cv = 0;
    json_out_key(o, "sequence");
    json_out_int(o, c->sequence);
    print_ns(o, "t0", c->fit.t0_s);
    print_ns(o, "perItem", c->fit.per_item_s);
    json_out_key(o, "fitResidual");
    json_out_number(o, c->fit.residual < 1 ? c->fit.residual : 1);
    json_out_key(o, "points");
    json_out_open(o, "[");
    for (size_t i = 0; i < c->n; i++) {
        json_out_open(o, "{");
        json_out_key(o, "batch");
        json_out_int(o, (int64_t)c->points[i].batch);
        json_out_key(o, "itemsPerSecond");
        json_out_number(o, c->points[i].batch / c->points[i].time_s);
        json_out_close(o, "}");
        cv += c->points[i].cv / (double)c->n;
    }
    json_out_close(o, "]");
    json_out_key(o, "cv");
    json_out_number(o, cv);
}

static void print_source(const struct calibrate *c, struct json_out *o)
{
    char text[400];
    print_string(o, "quality", "measured");
    snprintf(text, sizeof text, "sluice calibrate%s%.200s", c->from ? ", times from " : "",
             c->from ? c->from : "");
    print_string(o, "source", text);
    print_string(o, "date", c->date);
    snprintf(text, sizeof text, "95 %% intervals: t0 +- %.3g ms, perItem +- %.3g ms.%s",
             c->fit.t0_half_s * 1e3, c->fit.per_item_half_s * 1e3,
             c->stable ? "" : " Times were not stable.");
    print_string(o, "note", text);
}

static void print_profile(const struct calibrate *c, struct text *t)
{
    struct json_out o;
    char name[200];
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    json_out_key(&o, "calibration");
    json_out_int(&o, 1);
    json_out_key(&o, "profiles");
    json_out_open(&o, "[");
    json_out_open(&o, "{");
    if (c->sequence > 0)
        snprintf(name, sizeof name, "%.80s-%d/%.80s/fp32", c->model, (int)c->sequence, c->gpu);
    else
        snprintf(name, sizeof name, "%.80s/%.80s/fp32", c->model, c->gpu);
    print_string(&o, "name", name);
    print_string(&o, "model", c->model);
    print_string(&o, "gpu", c->gpu);
    print_origin(c, &o);
    print_figures(c, &o);
    print_source(c, &o);
    json_out_close(&o, "}");
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

static int write_to(const char *path, const struct text *t, struct err *e)
{
    FILE *f = path ? fopen(path, "w") : stdout;
    if (!f)
        return err_set(e, ERR_INPUT, path, "cannot be written: %s", strerror(errno));
    bool written = fwrite(t->s, 1, t->length, f) == t->length;
    if ((path && fclose(f) != 0) || !written)
        return err_set(e, ERR_SYSTEM, path, "could not be written");
    return 0;
}

static int calibrate(struct calibrate *c, struct err *e)
{
    struct text t = {0};
    if ((c->from ? read_file(c, e) : measure(c, e)) || batch_fit(c->points, c->n, &c->fit, NULL, e))
        return -1;
    print_profile(c, &t);
    int rc = text_end(&t, e) ? -1 : write_to(c->out, &t, e);
    text_fini(&t);
    return rc;
}

static int check(const struct calibrate *c, struct err *e)
{
    if (!c->date)
        return err_set(e, ERR_INPUT, NULL,
                       "--date is needed: the day of the measurement, such as "
                       "2026-05-31, stands in the profile");
    if (c->threads > 1024 || c->sequence > 65536)
        return err_set(e, ERR_INPUT, NULL, "--threads allows 1 to 1024, --sequence 1 to 65536");
    return 0;
}

static int run(int argc, char **argv, struct err *e)
{
    struct calibrate c = {
        .model = "inception_v3", .gpu = "CPU", .batches = "1,2,4,8", .stable = true};
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--model", NULL, OPTION_TEXT, &c.model, "NAME", "inception_v3 or bert_base"},
        {"--batches", NULL, OPTION_TEXT, &c.batches, "LIST", "sizes to measure; 1,2,4,8"},
        {"--sequence", NULL, OPTION_COUNT, &c.sequence, "N", "tokens of BERT; 128"},
        {"--threads", NULL, OPTION_COUNT, &c.threads, "N", "threads of OpenBLAS"},
        {"--from", NULL, OPTION_TEXT, &c.from, "FILE", "times from a CSV of batch,seconds[,cv]"},
        {"--gpu", NULL, OPTION_TEXT, &c.gpu, "NAME", "kind of GPU in the profile; CPU"},
        {"--date", NULL, OPTION_TEXT, &c.date, "DATE", "day of the measurement"},
        {"--output", "-o", OPTION_TEXT, &c.out, "FILE", "where the profile goes; standard output"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .usage = "sluice calibrate [options]",
        .doc =
            "Measures a network batch by batch on this machine's processor, or reads the times\n"
            "from a file, fits t(b) = t0 + perItem x b and writes a calibration profile: put it\n"
            "into the calibration folder and scenarios can name it.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e) || check(&c, e))
        return e->code;
    if (!c.from)
        blas_core_choose();
    calibrate(&c, e);
    return e->code;
}

const struct command cmd_calibrate = {"calibrate", "measured batch times as a profile", run};
