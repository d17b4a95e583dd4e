/* bench_image: runs one picture through Inception-v3. */
#include "scenarios/cli/bench_image.h"
#include "scenarios/cli/show.h"

#include "kernels/engine.h"
#include "kernels/gemm.h"
#include "kernels/image.h"
#include "kernels/inception_input.h"
#include "kernels/network_source.h"
#include "kernels/softmax.h"
#include "kernels/stopwatch.h"
#include "scenarios/cli/bench_setup.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_IMAGE_TOP 5
#define BENCH_IMAGE_LABEL 512

/* A picture on its way through the network. */
struct sight {
    const struct bench_arguments *a;
    const struct backend *backend;
    struct network_source source;
    struct image picture;
    struct backend_device device;
    double *scores; /* shares of all classes, which sum to 1 */
    size_t classes;
    char (*labels)[BENCH_IMAGE_LABEL];
    double elapsed_s;
    size_t top[BENCH_IMAGE_TOP], n_top;
};

/* ---- labels ---- */

/* One label a line; blank lines at the end do not count. */
static int read_labels(struct sight *s, FILE *in, struct err *e)
{
    char line[4096];
    size_t n = 0, blank = 0;
    for (size_t at = 1; fgets(line, sizeof line, in); at++) {
        size_t length = strcspn(line, "\r\n");
        if (line[length] == '\0' && !feof(in))
            return err_set(e, ERR_INPUT, s->a->labels, "line %zu is longer than %zu bytes", at,
                           sizeof line - 2);
        line[length] = '\0';
        for (const char *c = line; *c; c += text_character(c, line + length))
            if (text_character(c, line + length) == 0)
                return err_set(e, ERR_INPUT, s->a->labels, "line %zu is no UTF-8", at);
        blank = length == 0 ? blank + 1 : 0;
        if (n < s->classes)
            snprintf(s->labels[n], sizeof *s->labels, "%.*s", text_cut(line, BENCH_IMAGE_LABEL - 1),
                     line);
        n++;
    }
    if (ferror(in))
        return err_set(e, ERR_INPUT, s->a->labels, "cannot be read");
    if (n - blank != s->classes)
        return err_set(e, ERR_INPUT, s->a->labels,
                       "holds %zu %s, one a line; the network has %zu classes", n - blank,
                       text_plural(n - blank, "label", "labels"), s->classes);
    return 0;
}

static int load_labels(struct sight *s, struct arena *arena, struct err *e)
{
    s->labels = arena_take(arena, s->classes, sizeof *s->labels, e);
    FILE *in = s->labels ? fopen(s->a->labels, "r") : NULL;
    if (!in)
        return err_set(e, ERR_INPUT, s->a->labels, "cannot be opened: %s", strerror(errno));
    int rc = read_labels(s, in, e);
    fclose(in);
    return rc;
}

/* ---- the network ---- */

static void find_top(struct sight *s)
{
    for (s->n_top = 0; s->n_top < BENCH_IMAGE_TOP && s->n_top < s->classes; s->n_top++) {
        size_t best = s->classes;
        for (size_t i = 0; i < s->classes; i++) {
            bool taken = false;
            for (size_t k = 0; k < s->n_top; k++)
                taken |= s->top[k] == i;
            if (!taken && (best == s->classes || s->scores[i] > s->scores[best]))
                best = i;
        }
        s->top[s->n_top] = best;
    }
}

static int look(struct sight *s, struct arena *arena, struct err *e)
{
    const struct network *plan = s->source.plan;
    double *input = arena_take(arena, plan->input_size, sizeof *input, e);
    struct softmax_shape shares = {1, (int32_t)s->classes, (int32_t)s->classes, 1, PRECISION_FP32};
    s->scores = arena_take(arena, s->classes, sizeof *s->scores, e);
    struct engine *g =
        input && s->scores && inception_input(&s->picture, &s->source.image, input, e) == 0
            ? engine_create(plan, s->backend, &s->source.weights, e)
            : NULL;
    if (!g)
        return -1;
    int rc = engine_input(g, input, e) || engine_forward(g, e);
    double before = stopwatch_now_s();
    rc = rc || engine_forward(g, e); /* the second one touches no memory for the first time */
    s->elapsed_s = stopwatch_now_s() - before;
    rc = rc || engine_output(g, s->scores, e);
    engine_describe(g, &s->device);
    engine_destroy(g);
    if (rc)
        return -1;
    for (size_t i = 0; i < s->classes; i++)
        if (!isfinite(s->scores[i]))
            return err_set(e, ERR_SYSTEM, s->a->weights, "inception_v3: the output is not finite");
    softmax_reference(&shares, s->scores);
    find_top(s);
    return 0;
}

/* ---- output ---- */

static const char *const variants[] = {"torchvision", "keras", "2015", NULL};

static void print_text(const struct sight *s, struct text *t)
{
    text_printf(t, "inception_v3 (%s), %s: %d x %d pixels; %s, %s; %.2f ms\n\n",
                variants[s->source.image.variant], s->a->image, (int)s->picture.width,
                (int)s->picture.height, s->backend->name, s->device.name, s->elapsed_s * 1e3);
    if (!s->a->weights)
        text_add(t, "Random weights: the classes mean nothing. --weights names a file of "
                    "trained ones.\n\n");
    for (size_t i = 0; i < s->n_top; i++)
        text_printf(t, "%zu. %.5f  %s (class %zu)\n", i + 1, s->scores[s->top[i]],
                    s->labels[s->top[i]], s->top[i]);
}

static void put(struct json_out *o, const char *key, const char *value)
{
    json_out_key(o, key);
    json_out_string(o, value);
}

static void put_class(struct json_out *o, const struct sight *s, size_t class)
{
    json_out_open(o, "{");
    json_out_key(o, "class");
    json_out_int(o, (int64_t) class);
    put(o, "label", s->labels[class]);
    json_out_key(o, "score");
    json_out_number(o, s->scores[class]);
    json_out_close(o, "}");
}

static void print_json(const struct sight *s, struct text *t)
{
    struct json_out o;
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    put(&o, "schema", "sluice.benchImage/1");
    put(&o, "model", "inception_v3");
    put(&o, "variant", variants[s->source.image.variant]);
    put(&o, "backend", s->backend->name);
    put(&o, "device", s->device.name);
    put(&o, "image", s->a->image);
    put(&o, "weights", s->a->weights ? s->a->weights : "random");
    json_out_key(&o, "classes");
    json_out_int(&o, (int64_t)s->classes);
    json_out_key(&o, "seconds");
    json_out_number(&o, s->elapsed_s);
    json_out_key(&o, "top");
    json_out_open(&o, "[");
    for (size_t i = 0; i < s->n_top; i++)
        put_class(&o, s, s->top[i]);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

static int print(const struct sight *s, struct err *e)
{
    struct text t = {0};
    if (strcmp(s->a->format, "json") == 0)
        print_json(s, &t);
    else
        print_text(s, &t);
    return show_print(&t, e);
}

/* ---- all of it ---- */

/* One picture goes through once: nothing is measured under a load, kept or compared. */
static const char *out_of_place(const struct bench_arguments *a)
{
    const struct {
        const char *option;
        bool given;
    } rows[] = {{"--batch", a->batch != 1},
                {"--batches", a->batches},
                {"--sequence", a->sequence},
                {"--tokens", a->tokens},
                {"--vocabulary", a->vocabulary},
                {"--scenario", a->scenario},
                {"--qps", a->qps},
                {"--latency-bound", a->bound},
                {"--percentile", a->percentile},
                {"--min-duration", a->least},
                {"--max-duration", a->most},
                {"--queries", a->queries},
                {"--seed", a->seed},
                {"--accuracy", a->accuracy},
                {"--isolated", a->isolated},
                {"--algorithms", a->algorithms},
                {"--graph-batch", a->graph_batch >= 0},
                {"--chart", a->chart},
                {"--db", a->db},
                {"--against", a->against}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return rows[i].option;
    return NULL;
}

static int check(const struct bench_arguments *a, struct err *e)
{
    const char *strange = out_of_place(a);
    if (!a->image)
        return err_set(e, ERR_INPUT, NULL, "--labels: belongs to --image");
    if (!a->labels)
        return err_set(e, ERR_INPUT, NULL,
                       "--image: --labels is needed too, a file with one label a line");
    if (strange)
        return err_set(e, ERR_INPUT, NULL,
                       "%s: says nothing beside --image, which measures no load", strange);
    if (strcmp(a->model, "inception_v3") != 0)
        return err_set(e, ERR_INPUT, NULL, "--image: only inception_v3 sees; --model is %.*s",
                       text_cut(a->model, 80), a->model);
    return 0;
}

/* Files first, so that a mistake in one is told at once; the network's memory comes last. */
static int see(struct sight *s, struct arena *arena, struct err *e)
{
    if (image_load(&s->picture, s->a->image, e))
        return -1;
    struct network_choice c = {
        .name = "inception_v3", .batch = 1, .seed = 1, .weights = s->a->weights};
    s->backend = bench_setup_backend(s->a->backend, e);
    if (!s->backend || bench_setup_variant(s->a, &c, e) ||
        network_source_open(arena, &c, &s->source, e))
        return -1;
    s->classes = s->source.plan->output_size;
    return load_labels(s, arena, e) || look(s, arena, e) ? -1 : print(s, e);
}

int bench_image(const struct bench_arguments *a, struct err *e)
{
    if (check(a, e))
        return -1;
    struct sight s = {.a = a};
    if (bench_setup_threads(a, e))
        return -1;
    struct arena *arena = arena_create(e);
    int rc = arena ? see(&s, arena, e) : -1;
    network_source_close(&s.source);
    image_free(&s.picture);
    arena_destroy(arena);
    return rc;
}
