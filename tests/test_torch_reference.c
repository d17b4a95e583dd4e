/* test_torch_reference: whole networks against PyTorch in float64 (tests/fixtures/README.md). */
#include "kernels/bert.h"
#include "kernels/engine.h"
#include "kernels/inception.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"
#include "sim/chance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_SEED 7
#define INPUT_SEED 3
#define MAX_LAYERS 128

struct layer {
    char name[64];
    size_t size;
    double mean, rms, values[4];
};

/* One network of a fixture. */
struct reference {
    struct layer layers[MAX_LAYERS];
    size_t n_layers;
    double values[4096];
    size_t n_values;
};

static void read_values(FILE *f, struct reference *r)
{
    cr_assert(r->n_values <= sizeof r->values / sizeof *r->values);
    for (size_t i = 0; i < r->n_values; i++)
        cr_assert_eq(fscanf(f, "%lf", &r->values[i]), 1);
}

static void read_network(FILE *f, struct reference *r)
{
    char line[512];
    *r = (struct reference){0};
    while (fgets(line, sizeof line, f) && strncmp(line, "network", 7) != 0) {
        struct layer *l = &r->layers[r->n_layers];
        if (sscanf(line, "layer %63s %zu %lf %lf %lf %lf %lf %lf", l->name, &l->size, &l->mean,
                   &l->rms, &l->values[0], &l->values[1], &l->values[2], &l->values[3]) == 8)
            cr_assert_lt(++r->n_layers, MAX_LAYERS);
        else if (sscanf(line, "values %*s %zu", &r->n_values) == 1)
            read_values(f, r);
    }
}

/* The network of a fixture that begins with this line. On the heap: free it. */
static struct reference *reference_of(const char *file, const char *head)
{
    char path[512], line[512];
    struct reference *r = malloc(sizeof *r);
    snprintf(path, sizeof path, SLUICE_SOURCE_DIR "/tests/fixtures/%s", file);
    FILE *f = fopen(path, "r");
    cr_assert(r && f, "%s", path);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, head, strlen(head)) == 0 && line[strlen(head)] == '\n') {
            read_network(f, r);
            break;
        }
    fclose(f);
    cr_assert(r->n_values > 0, "%s: no '%s'", path, head);
    return r;
}

/* An engine whose steps can be run one by one: its plan is `part`, a piece of `whole`. */
struct play {
    const struct network *whole;
    struct network part;
    struct engine *engine;
    uint64_t seed;
};

static void play_open(struct play *p, const struct network *whole, const struct backend *b)
{
    struct err e = {0};
    *p = (struct play){.whole = whole, .part = *whole, .seed = WEIGHT_SEED};
    struct weight_source source = weight_random(&p->seed);
    p->engine = engine_create(&p->part, b, &source, &e);
    cr_assert(p->engine, "%s", e.msg);
    cr_assert_eq(engine_random_input(p->engine, INPUT_SEED, &e), 0);
}

/* Runs one step and gives what it wrote, `size` values. On the heap: free them. */
static double *play_step(struct play *p, size_t i, size_t size)
{
    struct err e = {0};
    double *out = malloc((size + 1) * sizeof *out);
    p->part.steps = p->whole->steps + i;
    p->part.n_steps = 1;
    p->part.output = p->whole->steps[i].y;
    p->part.output_size = size;
    cr_assert_eq(engine_forward(p->engine, &e), 0, "%s", e.msg);
    cr_assert_eq(engine_output(p->engine, out, &e), 0);
    return out;
}

static const struct layer *layer_named(const struct reference *r, const char *name)
{
    for (size_t i = 0; i < r->n_layers; i++)
        if (strcmp(r->layers[i].name, name) == 0)
            return &r->layers[i];
    return NULL;
}

/* All of a layer's figures within a share of the size of its values. */
static void check_layer(const struct layer *l, const double *x, double tolerance)
{
    double sum = 0, squares = 0, allowed = tolerance * l->rms;
    for (size_t i = 0; i < l->size; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    cr_expect_float_eq(sum / (double)l->size, l->mean, allowed, "%s: mean", l->name);
    cr_expect_float_eq(sqrt(squares / (double)l->size), l->rms, allowed, "%s: size", l->name);
    for (size_t i = 0; i < 4; i++)
        cr_expect_float_eq(x[i * l->size / 4], l->values[i], 10 * allowed, "%s: value %zu", l->name,
                           i);
}

static void largest(const double *x, size_t n, size_t out[5])
{
    for (size_t k = 0; k < 5; k++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < n; i++) {
            bool taken = false;
            for (size_t j = 0; j < k; j++)
                taken |= out[j] == i;
            if (!taken && (best == SIZE_MAX || x[i] > x[best]))
                best = i;
        }
        out[k] = best;
    }
}

/* Every value within a share of the largest, and the same five at the top in the same order. */
static void check_values(const struct reference *r, const double *x, double tolerance)
{
    size_t ours[5], theirs[5];
    double size = 0, worst = 0;
    for (size_t i = 0; i < r->n_values; i++) {
        size = fmax(size, fabs(r->values[i]));
        worst = fmax(worst, fabs(r->values[i] - x[i]));
    }
    cr_expect(worst <= tolerance * size, "off by %.3g of the largest value", worst / size);
    cr_log_info("off by %.3g of the largest value", worst / size);
    largest(x, r->n_values, ours);
    largest(r->values, r->n_values, theirs);
    for (size_t k = 0; k < 5; k++)
        cr_expect_eq(ours[k], theirs[k], "place %zu: %zu, not %zu", k + 1, ours[k], theirs[k]);
}

/* ---- Inception-v3 ---- */

static void check_inception(struct inception_config c, const struct backend *b, double tolerance)
{
    static const char *const variants[] = {"torchvision", "keras", "2015"};
    char head[64];
    size_t layers = 0;
    struct err e = {0};
    struct play p;
    struct arena *a = arena_create(&e);
    snprintf(head, sizeof head, "network %s %d %d", variants[c.variant], c.image, c.classes);
    struct reference *r = reference_of("inception_v3.txt", head);
    play_open(&p, inception_plan(a, &c, &e), b);
    for (size_t i = 0; i < p.whole->n_steps; i++) {
        const struct layer *l = layer_named(r, p.whole->steps[i].name);
        bool last = i + 1 == p.whole->n_steps;
        double *x = play_step(&p, i, last ? p.whole->output_size : l ? l->size : 1);
        if (l)
            check_layer(l, x, tolerance);
        if (last)
            check_values(r, x, tolerance);
        layers += l != NULL;
        free(x);
    }
    cr_expect_eq(layers, r->n_layers, "%zu of %zu layers were found", layers, r->n_layers);
    engine_destroy(p.engine);
    free(r);
    arena_destroy(a);
}

static const struct inception_config full = {.batch = 1, .image = 299, .classes = 1000};
static const struct inception_config small = {.batch = 1, .image = 107, .classes = 20};

static struct inception_config variant_of(const struct inception_config *c, int variant)
{
    struct inception_config v = *c;
    v.variant = (enum inception_variant)variant;
    v.classes = c->classes == 1000 && v.variant == INCEPTION_2015 ? 1008 : c->classes;
    return v;
}

/* Every one of the 94 convolutions, and the logits. */
Test(torch_reference, inception_in_float_is_torchs, .timeout = 120)
{
    for (int v = INCEPTION_TORCHVISION; v <= INCEPTION_2015; v++)
        check_inception(variant_of(&full, v), &backend_blas, 1e-4);
}

Test(torch_reference, inception_in_double_is_torchs, .timeout = 120)
{
    for (int v = INCEPTION_TORCHVISION; v <= INCEPTION_2015; v++)
        check_inception(variant_of(&small, v), &backend_reference, 1e-10);
}

/* ---- BERT-base ---- */

/* Rows of the true tokens, one behind the other, in place. */
static void drop_padding(const struct bert_config *c, const int32_t *lengths, double *x)
{
    size_t to = 0, hidden = (size_t)c->hidden;
    for (int32_t b = 0; b < c->batch; b++)
        for (int32_t t = 0; t < lengths[b]; t++, to++)
            memmove(x + to * hidden, x + (size_t)(b * c->sequence + t) * hidden,
                    hidden * sizeof *x);
}

static void draw_tokens(struct play *p, const int32_t *lengths)
{
    int32_t words[512];
    struct err e = {0};
    struct chance c = chance_stream(INPUT_SEED, 0, CHANCE_SAMPLE, 0);
    for (int32_t i = 0; i < p->whole->tokens; i++)
        words[i] = (int32_t)chance_below(c, (uint64_t)i, (uint64_t)p->whole->vocabulary);
    cr_assert_eq(engine_tokens(p->engine, words, lengths, &e), 0);
}

static void check_bert(const struct bert_config *c, const int32_t *lengths, const char *head,
                       const struct backend *b, double tolerance)
{
    size_t layers = 0, rows = (size_t)(c->batch * c->sequence * c->hidden);
    struct err e = {0};
    struct play p;
    struct arena *a = arena_create(&e);
    struct reference *r = reference_of("bert_base.txt", head);
    play_open(&p, bert_plan(a, c, &e), b);
    draw_tokens(&p, lengths);
    for (size_t i = 0; i < p.whole->n_steps; i++) {
        const struct layer *l = layer_named(r, p.whole->steps[i].name);
        bool last = i + 1 == p.whole->n_steps;
        double *x = play_step(&p, i, last ? p.whole->output_size : l ? rows : 1);
        if (l) {
            drop_padding(c, lengths, x);
            check_layer(l, x, tolerance);
        }
        if (last)
            check_values(r, x, tolerance);
        layers += l != NULL;
        free(x);
    }
    cr_expect_eq(layers, r->n_layers, "%zu of %zu layers were found", layers, r->n_layers);
    engine_destroy(p.engine);
    free(r);
    arena_destroy(a);
}

Test(torch_reference, bert_in_float_is_torchs, .timeout = 120)
{
    check_bert(&bert_base, (const int32_t[1]){128}, "network 1 128 128", &backend_blas, 1e-4);
}

Test(torch_reference, bert_with_padding_is_torchs, .timeout = 120)
{
    static const int32_t lengths[3] = {12, 5, 1};
    struct bert_config c = bert_base;
    c.batch = 3;
    c.sequence = 12;
    check_bert(&c, lengths, "network 3 12 12 5 1", &backend_blas, 1e-4);
}

Test(torch_reference, bert_in_double_is_torchs, .timeout = 120)
{
    static const int32_t lengths[3] = {12, 5, 1};
    struct bert_config c = bert_base;
    c.batch = 3;
    c.sequence = 12;
    check_bert(&c, lengths, "network 3 12 12 5 1", &backend_reference, 1e-10);
}
