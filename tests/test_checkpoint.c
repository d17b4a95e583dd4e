/* test_checkpoint: trained weights by the names of torchvision and Hugging Face. */
#include "kernels/checkpoint.h"
#include "kernels/engine.h"
#include "kernels/network_source.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"
#include "tests/fixture_checkpoint.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct network_choice tiny = {
    .name = "bert_tiny", .batch = 2, .sequence = 9, .seed = 4, .vocabulary = 300};
static const struct network_choice image = {.name = "inception_v3", .batch = 1, .seed = 4};

static void output(const struct network *plan, const struct weight_source *weights, double *out)
{
    struct err e = {0};
    struct engine *g = engine_create(plan, &backend_blas, weights, &e);
    cr_assert(g, "%s: %s", e.where, e.msg);
    engine_random_input(g, 3, &e);
    engine_forward(g, &e);
    engine_output(g, out, &e);
    engine_destroy(g);
}

/* As old checkpoints of Hugging Face have them. */
static void old_names(const char *name, char out[WEIGHT_NAME + 16])
{
    const char *norm = strstr(name, "LayerNorm.");
    if (norm)
        snprintf(out, WEIGHT_NAME + 16, "bert.%.*sLayerNorm.%s", (int)(norm - name), name,
                 strcmp(norm, "LayerNorm.weight") == 0 ? "gamma" : "beta");
    else
        snprintf(out, WEIGHT_NAME + 16, "bert.%s", name);
}

Test(checkpoint, a_file_gives_what_its_weights_give, .timeout = 60)
{
    double direct[256], from_file[256];
    uint64_t seed = 4;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct weight_source random = weight_random(&seed);
    struct network *plan = network_source_plan(a, &tiny, &e);
    output(plan, &random, direct);
    fixture_checkpoint_naming *const namings[] = {NULL, old_names};
    for (size_t i = 0; i < 2; i++) {
        struct temp_file t = fixture_checkpoint(plan, &random, namings[i], "cls.predictions.bias");
        struct network_choice c = tiny;
        struct network_source s;
        c.vocabulary = 0; /* the file knows */
        c.weights = t.path;
        cr_assert_eq(network_source_open(a, &c, &s, &e), 0, "%s: %s", e.where, e.msg);
        cr_assert_eq(s.plan->vocabulary, 300);
        output(s.plan, &s.weights, from_file);
        cr_expect_eq(memcmp(direct, from_file, plan->output_size * sizeof *direct), 0);
        network_source_close(&s);
        temp_drop(&t);
    }
    arena_destroy(a);
}

static void keep(const char *name, char out[WEIGHT_NAME + 16])
{
    snprintf(out, WEIGHT_NAME + 16, "%s", name);
}

static void lose_a_variance(const char *name, char out[WEIGHT_NAME + 16])
{
    if (strcmp(name, "Mixed_6b.branch1x1.bn.running_var") == 0)
        out[0] = '\0';
}

static void misspell(const char *name, char out[WEIGHT_NAME + 16])
{
    if (strcmp(name, "Mixed_5b.branch5x5_1.conv.weight") == 0)
        snprintf(out, WEIGHT_NAME + 16, "Mixed_5b.branch5x5_1.convweight");
}

/* Opens a changed file and gives the error. */
static struct err open_with(const struct network_choice *choice, fixture_checkpoint_naming *naming,
                            const char *extra)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct network_choice c = *choice;
    struct network_source s;
    struct temp_file t =
        fixture_checkpoint(network_source_plan(a, choice, &e), NULL, naming, extra);
    c.weights = t.path;
    if (network_source_open(a, &c, &s, &e) == 0)
        network_source_close(&s);
    else
        cr_expect_eq(strncmp(e.where, t.path, strlen(t.path)), 0, "%s", e.where);
    temp_drop(&t);
    arena_destroy(a);
    return e;
}

Test(checkpoint, a_missing_or_unexpected_tensor_is_named_with_the_nearest)
{
    struct err e = open_with(&image, keep, "fc.bias2");
    cr_expect(strstr(e.where, ": tensor fc.bias2"), "%s", e.where);
    cr_expect_str_eq(e.msg, "is not part of this network; nearest is 'fc.bias'");
    e = open_with(&image, lose_a_variance, NULL);
    cr_expect(strstr(e.where, ": tensor Mixed_6b.branch1x1.bn.running_var"), "%s", e.where);
    cr_expect_str_eq(e.msg, "is missing");
    e = open_with(&image, misspell, NULL);
    cr_expect(strstr(e.where, ": tensor Mixed_5b.branch5x5_1.conv.weight"), "%s", e.where);
    cr_expect_str_eq(e.msg, "is missing; nearest is 'Mixed_5b.branch5x5_1.convweight'");
}

Test(checkpoint, a_tensor_under_two_names_is_refused)
{
    struct err e = open_with(&tiny, keep, "bert.pooler.dense.bias");
    cr_expect(strstr(e.where, ": tensor bert.pooler.dense.bias"), "%s", e.where);
    cr_expect_str_eq(e.msg, "is there under another name too; nearest is 'pooler.dense.bias'");
}

Test(checkpoint, what_training_leaves_behind_may_be_there)
{
    static const char *const extras[] = {"AuxLogits.conv0.conv.weight",
                                         "Conv2d_1a_3x3.bn.num_batches_tracked"};
    for (size_t i = 0; i < 2; i++)
        cr_expect_eq(open_with(&image, NULL, extras[i]).code, ERR_NONE, "%s", extras[i]);
    cr_expect_eq(open_with(&tiny, NULL, "embeddings.position_ids").code, ERR_NONE);
    cr_expect_eq(open_with(&tiny, NULL, "classifier.weight").code, ERR_NONE);
}

Test(checkpoint, a_gain_in_the_file_is_used_whatever_the_variant)
{
    struct network_choice keras = image;
    keras.variant = INCEPTION_KERAS;
    cr_expect_eq(open_with(&keras, NULL, NULL).code, ERR_NONE, "without a gain");
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file t = fixture_checkpoint(network_source_plan(a, &image, &e), NULL, NULL, NULL);
    struct network_source s;
    keras.weights = t.path;
    cr_assert_eq(network_source_open(a, &keras, &s, &e), 0, "%s: %s", e.where, e.msg);
    cr_expect(s.image.gain && s.plan->weights[0].norm_gain);
    network_source_close(&s);
    temp_drop(&t);
    arena_destroy(a);
}

Test(checkpoint, a_vocabulary_that_the_file_has_not_is_refused)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file t = fixture_checkpoint(network_source_plan(a, &tiny, &e), NULL, NULL, NULL);
    struct network_choice c = tiny;
    struct network_source s;
    c.weights = t.path;
    c.vocabulary = 301;
    cr_assert_eq(network_source_open(a, &c, &s, &e), -1);
    cr_expect_str_eq(e.msg, "has a vocabulary of 300, not of 301");
    temp_drop(&t);
    arena_destroy(a);
}
