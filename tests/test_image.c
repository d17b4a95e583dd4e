/* test_image: pictures as Pillow decodes them, and damaged ones. */
#include "kernels/image.h"
#include "sim/chance.h"
#include "sim/err.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <string.h>

#define FIXTURES SLUICE_SOURCE_DIR "/tests/fixtures/"

/* libjpeg may round a colour differently from one version to the next. */
static void check(const char *name, const int32_t size[2], const int figures[10], int tolerance)
{
    char path[512];
    struct err e = {0};
    struct image i;
    long sum = 0;
    snprintf(path, sizeof path, FIXTURES "%s", name);
    cr_assert_eq(image_load(&i, path, &e), 0, "%s: %s", e.where, e.msg);
    cr_assert(i.width == size[0] && i.height == size[1], "%s: %d x %d", name, i.width, i.height);
    size_t pixels = (size_t)i.width * (size_t)i.height;
    for (size_t k = 0; k < 3 * pixels; k++)
        sum += i.rgb[k];
    cr_expect(labs(sum - figures[0]) <= tolerance * (long)pixels, "%s: sum %ld", name, sum);
    const int32_t places[3][2] = {{0, 0}, {i.width / 2, i.height / 3}, {i.width - 1, i.height - 1}};
    for (int p = 0; p < 3; p++)
        for (int c = 0; c < 3; c++) {
            int found = i.rgb[(places[p][1] * i.width + places[p][0]) * 3 + c];
            cr_expect(abs(found - figures[1 + 3 * p + c]) <= tolerance,
                      "%s: pixel %d colour %d: %d", name, p, c, found);
        }
    image_free(&i);
}

Test(image, decodes_as_pillow_does)
{
    char line[256], name[64];
    size_t checked = 0;
    FILE *f = fopen(FIXTURES "pictures.txt", "r");
    cr_assert(f);
    while (fgets(line, sizeof line, f)) {
        int32_t size[2];
        int v[10];
        if (sscanf(line, "pixels %63s %d %d %d %d %d %d %d %d %d %d %d %d", name, &size[0],
                   &size[1], &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8],
                   &v[9]) != 13)
            continue;
        check(name, size, v, strstr(name, ".png") ? 0 : 2);
        checked++;
    }
    fclose(f);
    cr_assert_eq(checked, 3);
}

/* A pixel of 10, 128, 200 in 16 bits, without a chunk that tells its gamma: as Pillow, the values
 * are those of the screen, and not linear light. */
Test(image, sixteen_bits_are_as_bright_as_eight)
{
    static const unsigned char deep[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
        0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x10, 0x02, 0x00, 0x00, 0x00, 0xc0,
        0xe7, 0x8f, 0x9d, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xe0,
        0xe2, 0x6a, 0x68, 0x38, 0x71, 0x02, 0x00, 0x06, 0x4d, 0x02, 0xa5, 0x05, 0xd8, 0x3f, 0xcd,
        0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    struct temp_file t = temp_bytes(deep, sizeof deep);
    struct err e = {0};
    struct image i;
    cr_assert_eq(image_load(&i, t.path, &e), 0, "%s", e.msg);
    cr_expect(i.rgb[0] == 10 && i.rgb[1] == 128 && i.rgb[2] == 200, "%d %d %d", i.rgb[0], i.rgb[1],
              i.rgb[2]);
    image_free(&i);
    temp_drop(&t);
}

/* On the heap: free it. */
static unsigned char *bytes_of(const char *name, size_t *n)
{
    char path[512];
    unsigned char *bytes = malloc(1 << 16);
    snprintf(path, sizeof path, FIXTURES "%s", name);
    FILE *f = fopen(path, "rb");
    cr_assert(f && bytes);
    *n = fread(bytes, 1, 1 << 16, f);
    fclose(f);
    return bytes;
}

static int load(const unsigned char *bytes, size_t n, struct err *e)
{
    struct image i;
    struct temp_file t = temp_bytes(bytes, n);
    *e = (struct err){0};
    int rc = image_load(&i, t.path, e);
    if (rc) {
        cr_assert_eq(e->code, ERR_INPUT);
        cr_assert_str_eq(e->where, t.path);
        cr_assert_null(i.rgb);
    }
    image_free(&i);
    temp_drop(&t);
    return rc;
}

Test(image, a_file_that_ends_early_is_refused_wherever_it_ends)
{
    static const char *const names[] = {"blocks.png", "small.jpg", "grey.jpg"};
    for (size_t k = 0; k < 3; k++) {
        size_t n;
        struct err e;
        unsigned char *bytes = bytes_of(names[k], &n);
        /* the marks at the very end say no more about the picture */
        for (size_t cut = 0; cut + 16 < n; cut += n > 1000 ? 13 : 1)
            cr_expect_eq(load(bytes, cut, &e), -1, "%s: its first %zu bytes pass", names[k], cut);
        free(bytes);
    }
}

Test(image, damage_anywhere_is_refused_or_harmless, .timeout = 60)
{
    static const char *const names[] = {"blocks.png", "small.jpg", "grey.jpg"};
    struct chance c = chance_stream(1, 0, CHANCE_TEST, 0);
    for (size_t k = 0; k < 3; k++) {
        size_t n;
        struct err e;
        unsigned char *bytes = bytes_of(names[k], &n);
        for (uint64_t i = 0; i < 300; i++) {
            size_t at = (size_t)chance_below(c, 2 * i, n);
            unsigned char before = bytes[at];
            bytes[at] = (unsigned char)(before ^ (1 + chance_below(c, 2 * i + 1, 255)));
            load(bytes, n, &e);
            bytes[at] = before;
        }
        free(bytes);
    }
}

Test(image, says_what_is_wrong)
{
    struct err e = {0};
    struct image i;
    size_t n;
    unsigned char *bytes = bytes_of("small.jpg", &n);
    load(bytes, 0, &e);
    cr_expect_str_eq(e.msg, "is empty");
    load((const unsigned char *)"GIF89a, say", 11, &e);
    cr_expect_str_eq(e.msg, "is neither PNG nor JPEG");
    load(bytes, n / 2, &e);
    cr_expect(strstr(e.msg, "is a damaged JPEG: "), "%s", e.msg);
    free(bytes);
    bytes = bytes_of("blocks.png", &n);
    load(bytes, n / 2, &e);
    cr_expect(strstr(e.msg, "is a damaged PNG: "), "%s", e.msg);
    bytes[16] = 1; /* 2^24 pixels wide */
    load(bytes, n, &e);
    cr_expect_eq(e.code, ERR_INPUT);
    free(bytes);
    e = (struct err){0};
    cr_expect_eq(image_load(&i, "/nowhere/at/all.png", &e), -1);
    cr_expect(strstr(e.msg, "cannot be opened"), "%s", e.msg);
}
