/* test_inception_input: pictures resized as torchvision, Pillow and TensorFlow 1 do. */
#include "kernels/image.h"
#include "kernels/inception_input.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIXTURES SLUICE_SOURCE_DIR "/tests/fixtures/"

/* Pillow rounds to whole colours after each of its two passes: 1 / 127.5 apart each. */
static void compare(FILE *f, const char *variant, size_t count, double *values)
{
    struct inception_config c = inception_usual;
    struct image i;
    struct err e = {0};
    c.variant = strcmp(variant, "keras") == 0 ? INCEPTION_KERAS : INCEPTION_TORCHVISION;
    cr_assert_eq(image_load(&i, FIXTURES "blocks.png", &e), 0, "%s", e.msg);
    cr_assert_eq(inception_input(&i, &c, values, &e), 0);
    for (size_t k = 0; k < count; k++) {
        double expected;
        cr_assert_eq(fscanf(f, "%lf", &expected), 1);
        cr_expect_float_eq(values[k * 997], expected, 1.1 / 127.5, "%s: value %zu", variant,
                           k * 997);
    }
    image_free(&i);
}

Test(inception_input, resizes_and_normalises_as_torchvision_and_pillow_do)
{
    char word[32], variant[32];
    double *values = calloc((size_t)3 * 299 * 299, sizeof *values);
    FILE *f = fopen(FIXTURES "pictures.txt", "r");
    size_t count, compared = 0;
    cr_assert(f && values);
    while (fscanf(f, "%31s", word) == 1)
        if (strcmp(word, "input") == 0 && fscanf(f, "%31s %zu", variant, &count) == 2) {
            compare(f, variant, count, values);
            compared++;
        }
    fclose(f);
    free(values);
    cr_assert_eq(compared, 2);
}

/* An image of one row per colour value: 150 x 150, where the colour is the column. */
Test(inception_input, the_graph_of_2015_takes_every_second_pixel_of_twice_its_size)
{
    static unsigned char rgb[150 * 150 * 3];
    static double out[3 * 75 * 75];
    struct image i = {150, 150, rgb};
    struct inception_config c = {.batch = 1, .image = 75, .variant = INCEPTION_2015};
    struct err e = {0};
    for (size_t p = 0; p < 150 * 150; p++)
        rgb[3 * p] = (unsigned char)(p % 150), rgb[3 * p + 1] = (unsigned char)(p / 150);
    cr_assert_eq(inception_input(&i, &c, out, &e), 0);
    for (size_t y = 0; y < 75; y++)
        for (size_t x = 0; x < 75; x++) {
            cr_assert_float_eq(out[y * 75 + x], (2.0 * (double)x - 128) / 128, 1e-12);
            cr_assert_float_eq(out[(75 + y) * 75 + x], (2.0 * (double)y - 128) / 128, 1e-12);
            cr_assert_float_eq(out[(150 + y) * 75 + x], -1, 1e-12);
        }
}

/* From 50 to 75 pixels: output x lies at 2x/3, between two pixels; the last one has no right
 * neighbour. */
Test(inception_input, the_graph_of_2015_mixes_two_neighbours_when_it_enlarges)
{
    static unsigned char rgb[50 * 50 * 3];
    static double out[3 * 75 * 75];
    struct image i = {50, 50, rgb};
    struct inception_config c = {.batch = 1, .image = 75, .variant = INCEPTION_2015};
    struct err e = {0};
    for (size_t p = 0; p < 50 * 50; p++)
        rgb[3 * p] = (unsigned char)(p % 50 * 3);
    cr_assert_eq(inception_input(&i, &c, out, &e), 0);
    cr_assert_float_eq(out[1], (2.0 - 128) / 128, 1e-12);
    cr_assert_float_eq(out[73], (146.0 - 128) / 128, 1e-12);
    cr_assert_float_eq(out[74], (147.0 - 128) / 128, 1e-12);
}

Test(inception_input, a_picture_of_one_pixel_fills_the_input)
{
    static double out[3 * 75 * 75];
    unsigned char rgb[3] = {255, 0, 51};
    struct image i = {1, 1, rgb};
    struct err e = {0};
    for (int v = INCEPTION_TORCHVISION; v <= INCEPTION_KERAS; v++) {
        struct inception_config c = {.batch = 1, .image = 75};
        c.variant = (enum inception_variant)v;
        cr_assert_eq(inception_input(&i, &c, out, &e), 0);
        cr_assert_float_eq(out[0], 1, 1e-12);
        cr_assert_float_eq(out[75 * 75 * 2 - 1], -1, 1e-12);
        cr_assert_float_eq(out[75 * 75 * 3 - 1], -0.6, 1e-12);
    }
}
