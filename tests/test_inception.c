/* test_inception: Inception-v3's shapes, totals and values. */
#include "kernels/engine.h"
#include "kernels/inception.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"
#include "tests/shared_data.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct network *plan_of(struct arena *a, const struct inception_config *c)
{
    struct err e = {0};
    struct network *n = inception_plan(a, c, &e);
    cr_assert(n, "%s", e.msg);
    return n;
}

Test(inception, has_the_published_totals)
{
    /* parameters and operations as torchvision publishes them: 27,161,264 with the auxiliary head,
     * 5.713e9 multiply-adds; Keras: 23,851,784 with 2 x 17,216 statistics of the norms */
    struct arena *a = arena_create(NULL);
    struct network *n = plan_of(a, &inception_usual);
    size_t convs = 0, pools = 0;
    for (size_t i = 0; i < n->n_steps; i++) {
        convs += n->steps[i].kind == STEP_CONV;
        pools += n->steps[i].kind == STEP_POOL;
    }
    cr_assert_eq(convs, 94);
    cr_assert_eq(pools, 4 + 9 + 1);
    cr_assert_eq(n->parameter_count, 23834568);
    cr_assert_float_eq(n->flop / 2e9, 5.7132, 5e-5);
    cr_assert_eq(n->output_size, 1000);
    struct inception_config keras = inception_usual;
    keras.variant = INCEPTION_KERAS;
    cr_assert_eq(plan_of(a, &keras)->parameter_count, 23851784 - 2 * 17216);
    arena_destroy(a);
}

static const struct network_step *step_named(const struct network *n, const char *name)
{
    for (size_t i = 0; i < n->n_steps; i++)
        if (strcmp(n->steps[i].name, name) == 0)
            return &n->steps[i];
    return NULL;
}

Test(inception, every_convolution_has_the_shape_that_torchvision_gives_it)
{
    char path[1024], line[1024], name[64];
    if (!shared_data_path(path, sizeof path, "inception_v3_layers.csv"))
        return;
    struct arena *a = arena_create(NULL);
    struct network *n = plan_of(a, &inception_usual);
    FILE *f = fopen(path, "r");
    size_t checked = 0;
    while (fgets(line, sizeof line, f)) {
        int v[12];
        char type[32];
        if (sscanf(line, "%63[^,],%31[^,],%*[^,],%*[^,],%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", name,
                   type, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9],
                   &v[10]) != 13 ||
            strcmp(type, "conv") != 0)
            continue;
        const struct network_step *s = step_named(n, name);
        cr_assert(s && s->kind == STEP_CONV, "%s", name);
        const struct conv_shape *c = &s->as.conv;
        const int32_t ours[11] = {c->cin, c->hin, c->win,    c->cout,  conv_hout(c), conv_wout(c),
                                  c->kh,  c->kw,  c->stride, c->pad_h, c->pad_w};
        for (int i = 0; i < 11; i++)
            cr_assert_eq(ours[i], v[i], "%s: figure %d is %d, not %d", name, i, ours[i], v[i]);
        checked++;
    }
    fclose(f);
    arena_destroy(a);
    cr_assert_eq(checked, 94);
}

static void run(const struct network *n, const struct backend *b, double *out)
{
    uint64_t seed = 7;
    struct err e = {0};
    struct weight_source source = weight_random(&seed);
    struct engine *g = engine_create(n, b, &source, &e);
    cr_assert(g, "%s", e.msg);
    engine_random_input(g, 3, &e);
    engine_forward(g, &e);
    engine_forward(g, &e); /* a second run finds its input unharmed */
    engine_output(g, out, &e);
    engine_destroy(g);
}

/* Largest difference over the largest value. */
static double distance(const double *x, const double *y, size_t n)
{
    double size = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        cr_assert(isfinite(x[i]) && isfinite(y[i]));
        size = fmax(size, fabs(x[i]));
        worst = fmax(worst, fabs(x[i] - y[i]));
    }
    cr_assert(size > 0);
    return worst / size;
}

/* 75 pixels: the smallest image that still has every layer; 107: two by two in the last block. */
Test(inception, float_agrees_with_double, .timeout = 120)
{
    static const struct inception_config configs[2] = {
        {.batch = 2, .image = 75, .classes = 13, .variant = INCEPTION_TORCHVISION},
        {.batch = 1, .image = 107, .classes = 13, .variant = INCEPTION_2015}};
    double slow[26], fast[26];
    struct arena *a = arena_create(NULL);
    for (size_t i = 0; i < 2; i++) {
        struct network *n = plan_of(a, &configs[i]);
        run(n, &backend_reference, slow);
        run(n, &backend_blas, fast);
        double off = distance(slow, fast, n->output_size);
        cr_assert(off < 1e-5, "off by %.3g", off);
    }
    arena_destroy(a);
}

Test(inception, every_variant_gives_other_values)
{
    double out[3][13];
    struct arena *a = arena_create(NULL);
    for (int v = INCEPTION_TORCHVISION; v <= INCEPTION_2015; v++) {
        struct inception_config c = {.batch = 1, .image = 107, .classes = 13};
        c.variant = (enum inception_variant)v;
        run(plan_of(a, &c), &backend_blas, out[v]);
    }
    cr_assert(distance(out[0], out[1], 13) > 1e-3, "the rule at the border makes no difference");
    cr_assert(distance(out[1], out[2], 13) > 1e-3, "the last block's pooling makes no difference");
    arena_destroy(a);
}

Test(inception, figures_out_of_range_are_refused)
{
    struct arena *a = arena_create(NULL);
    struct inception_config c = inception_usual;
    struct err e = {0};
    c.image = 74;
    cr_assert_null(inception_plan(a, &c, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.msg, "images of 74 pixels: allowed is 75 to 1024");
    arena_destroy(a);
}
