/* test_safetensors: reading weights, and every way in which a file can be broken. */
#include "kernels/safetensors.h"
#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* A file of a header and as many bytes of 1.5F, -2.0F, ... as are asked for. */
static struct temp_file file_of(const char *header, size_t bytes)
{
    char buf[1024] = {0};
    const float values[6] = {1.5F, -2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
    size_t n = strlen(header);
    buf[0] = (char)n;
    buf[1] = (char)(n >> 8);
    memcpy(buf + 8, header, n);
    memcpy(buf + 8 + n, values, bytes < sizeof values ? bytes : sizeof values);
    return temp_bytes(buf, 8 + n + bytes);
}

#define TENSOR(type, shape, places)                                                                \
    "{\"fc.weight\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" places "}}"

#define TWO(first, second)                                                                         \
    "{\"fc.weight\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" first                      \
    "},\"other\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" second "}}"

static const struct weight fc = {"fc.weight", WEIGHT_PRODUCT, 2, {2, 3}};

Test(safetensors, gives_values_by_name_in_order)
{
    float out[6];
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file t = file_of("{\"__metadata__\":{\"a\":\"b\"},\"x.LayerNorm.gamma\":{\"dtype\":"
                                 "\"F32\",\"shape\":[2],\"data_offsets\":[8,16]},\"bert.y\":{"
                                 "\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}}",
                                 16);
    struct safetensors *f = safetensors_open(a, t.path, &e);
    cr_assert(f, "%s", e.msg);
    cr_assert_eq(safetensors_count(f), 2);
    struct weight_source s = safetensors_source(f);
    struct weight y = {"y", WEIGHT_PRODUCT, 2, {2, 1}};
    struct weight old = {"x.LayerNorm.weight", WEIGHT_GAIN, 1, {2}};
    cr_assert_eq(s.read(s.self, &y, out, &e), 0, "%s", e.msg);
    cr_assert(out[0] == 1.5F && out[1] == -2.0F);
    cr_assert_eq(s.read(s.self, &old, out, &e), 0, "%s", e.msg);
    cr_assert(out[0] == 3.0F && out[1] == 4.0F);
    safetensors_close(f);
    arena_destroy(a);
    temp_drop(&t);
}

/* Opens the file and asks for fc.weight: one of both must fail. */
static void expect(const char *header, size_t bytes, const char *message, const char *place)
{
    float out[6];
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file t = file_of(header, bytes);
    struct safetensors *f = safetensors_open(a, t.path, &e);
    if (f) {
        struct weight_source s = safetensors_source(f);
        cr_assert_eq(s.read(s.self, &fc, out, &e), -1, "%s was accepted", header);
    }
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, message), "'%s' lacks '%s'", e.msg, message);
    cr_assert(strstr(e.where, place), "'%s' lacks '%s'", e.where, place);
    safetensors_close(f);
    arena_destroy(a);
    temp_drop(&t);
}

Test(safetensors, a_broken_file_is_refused_with_the_tensors_name)
{
    const char *name = "tensor fc.weight";
    expect(TENSOR("F32", "[2,3]", "[0,24]"), 20, "ends at byte 24 of 20", name);
    expect(TENSOR("F32", "[2,3]", "[0,20]"), 24, "20 bytes do not hold its shape of 6 F32", name);
    expect(TENSOR("F32", "[2,3]", "[24,0]"), 24, "ascending", name);
    expect(TENSOR("F32", "[2,3]", "[0]"), 24, "two ascending places", name);
    expect(TENSOR("F32", "[2,-3]", "[0,24]"), 24, "list of sizes", name);
    expect(TENSOR("F32", "[2,1.5]", "[0,12]"), 24, "list of sizes", name);
    expect(TENSOR("F32", "6", "[0,24]"), 24, "list of sizes", name);
    expect(TENSOR("Q7", "[2,3]", "[0,24]"), 24, "dtype 'Q7' is unknown", name);
    expect(TENSOR("I16", "[2,3]", "[0,12]"), 12, "only F32", name);
    expect(TENSOR("F32", "[3,2]", "[0,24]"), 24, "another shape is needed: 2 x 3", name);
    expect(TENSOR("F32", "[2,3,1]", "[0,24]"), 24, "another shape", name);
    expect(TENSOR("F32", "[6]", "[0,24]"), 24, "another shape", name);
    expect("{\"fc.weights\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]}}", 24,
           "is missing; there is 'fc.weights'", name);
    expect("{\"fc.weight\":7}", 24, "dtype", name);
    expect("[]", 0, "no JSON object", "/tmp");
    expect("{\"a\":", 0, "", "/tmp");
}

/* As the format's own reader: each byte behind the header belongs to exactly one tensor. */
Test(safetensors, tensors_cover_the_file_once)
{
    expect(TWO("[0,8]", "[4,12]"), 12, "begins at byte 4, inside tensor fc.weight, which ends at 8",
           "tensor other");
    expect(TWO("[0,8]", "[0,8]"), 8, "inside tensor", "tensor other");
    expect(TWO("[8,16]", "[4,12]"), 16, "bytes 0 to 4 belong to no tensor", "tensor other");
    expect(TWO("[12,20]", "[0,8]"), 20, "begins at byte 12, and bytes 8 to 12 belong to no tensor",
           "tensor fc.weight");
    expect(TENSOR("F32", "[2,3]", "[0,24]"), 28, "4 bytes lie behind the last tensor", "/tmp");
}

/* Numbers that are none, and variances of which there is no root. */
Test(safetensors, values_that_no_network_can_use_are_refused_by_place)
{
    static const struct {
        float value;
        enum weight_kind kind;
        const char *told;
    } rows[] = {{NAN, WEIGHT_PRODUCT, "value 1 of 2 is nan; weights are finite"},
                {INFINITY, WEIGHT_TABLE, "value 1 of 2 is inf; weights are finite"},
                {-INFINITY, WEIGHT_VARIANCE, "value 1 of 2 is -inf"},
                {-5, WEIGHT_VARIANCE, "value 1 of 2 is -5; a variance is 0 or more"},
                {-5, WEIGHT_SHIFT, NULL},
                {0, WEIGHT_VARIANCE, NULL}};
    const char *header = "{\"v\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[256] = {0};
        float values[2] = {1, rows[i].value}, out[2];
        struct err e = {0};
        struct arena *a = arena_create(&e);
        buf[0] = (char)strlen(header);
        strcpy(buf + 8, header);
        memcpy(buf + 8 + strlen(header), values, sizeof values);
        struct temp_file t = temp_bytes(buf, 8 + strlen(header) + sizeof values);
        struct safetensors *f = safetensors_open(a, t.path, &e);
        cr_assert(f, "%s", e.msg);
        struct weight_source s = safetensors_source(f);
        struct weight v = {"v", rows[i].kind, 1, {2}};
        cr_expect_eq(s.read(s.self, &v, out, &e), rows[i].told ? -1 : 0, "row %zu", i);
        if (rows[i].told) {
            cr_expect(e.code == ERR_INPUT && strstr(e.msg, rows[i].told), "%s", e.msg);
            cr_expect(strstr(e.where, ": tensor v"), "%s", e.where);
        }
        safetensors_close(f);
        arena_destroy(a);
        temp_drop(&t);
    }
}

Test(safetensors, what_is_no_safetensors_file_is_refused)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file t = temp_text("short");
    cr_assert_null(safetensors_open(a, t.path, &e));
    cr_assert(strstr(e.msg, "shorter than 8 bytes"));
    temp_drop(&t);
    t = temp_text("{\"this\": \"is plain JSON\"}");
    e = (struct err){0};
    cr_assert_null(safetensors_open(a, t.path, &e));
    cr_assert(strstr(e.msg, "longer than it is"));
    temp_drop(&t);
    e = (struct err){0};
    cr_assert_null(safetensors_open(a, "/nowhere/at/all", &e));
    cr_assert_eq(e.code, ERR_INPUT);
    arena_destroy(a);
}

Test(safetensors, reads_half_precision_of_both_kinds)
{
    /* 1, -2, the largest and the smallest normal half, the smallest subnormal, and its opposite */
    static const unsigned char half[12] = {0x00, 0x3C, 0x00, 0xC0, 0xFF, 0x7B,
                                           0x00, 0x04, 0x01, 0x00, 0x01, 0x80};
    static const double halves[6] = {1, -2, 65504, 0x1p-14, 0x1p-24, -0x1p-24};
    static const unsigned char brain[12] = {0x80, 0x3F, 0x00, 0xC0, 0x49, 0x40,
                                            0x00, 0x00, 0x80, 0xBF, 0x00, 0x80};
    static const double brains[6] = {1, -2, 3.140625, 0, -1, 0};
    for (int pass = 0; pass < 2; pass++) {
        const char *header =
            pass ? TENSOR("BF16", "[2,3]", "[0,12]") : TENSOR("F16", "[2,3]", "[0,12]");
        char buf[256] = {0};
        float out[6];
        struct err e = {0};
        struct arena *a = arena_create(&e);
        buf[0] = (char)strlen(header);
        strcpy(buf + 8, header);
        memcpy(buf + 8 + strlen(header), pass ? brain : half, 12);
        struct temp_file t = temp_bytes(buf, 8 + strlen(header) + 12);
        struct safetensors *f = safetensors_open(a, t.path, &e);
        cr_assert(f, "%s", e.msg);
        struct weight_source s = safetensors_source(f);
        cr_assert_eq(s.read(s.self, &fc, out, &e), 0, "%s", e.msg);
        for (int i = 0; i < 6; i++)
            cr_expect_eq((double)out[i], pass ? brains[i] : halves[i], "%d: %g", i, (double)out[i]);
        safetensors_close(f);
        arena_destroy(a);
        temp_drop(&t);
    }
}
