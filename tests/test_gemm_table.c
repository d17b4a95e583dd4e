/* test_gemm_table: a table of algorithms, kept and refused. */
#include "kernels/gemm_table.h"
#include "sim/err.h"
#include "tests/temp_file.h"

#include <string.h>

#define HEAD                                                                                       \
    "{\"schema\": \"sluice.gemmAlgorithms/1\", \"device\": \"Tesla P4\", \"cublas\": 111103, "     \
    "\"products\": "
#define SHAPE "[1, 2, 3, 4, 1, 4, 4, 3, 0, 0, 0]"

static const struct batched_gemm_shape shape = {1, 2, 3, 4, true, 4, 4, 3, 5, 6, 7, PRECISION_FP32};

Test(gemm_table, comes_back_from_its_file_as_it_was)
{
    struct err e = {0};
    struct temp_file f = temp_text("");
    struct gemm_table *t = gemm_table_create("Tesla P4", 111103, &e);
    struct gemm_table *back = gemm_table_create("Tesla P4", 111103, &e);
    struct gemm_choice c = {
        .shape = shape, .own = true, .alignment = 4, .time_s = 2e-3, .own_time_s = 2e-3};
    cr_assert(gemm_table_add(t, &c));
    c.shape.m = 1 << 20;
    c.own = false;
    c.alignment = 64;
    c.time_s = 1e-3;
    for (uint64_t i = 0; i < 8; i++)
        c.algorithm[i] = UINT64_MAX - i * UINT64_C(0x123456789abcdef);
    cr_assert(gemm_table_add(t, &c));
    cr_assert_eq(gemm_table_save(t, f.path, &e), 0, "%s", e.msg);
    cr_assert_eq(gemm_table_load(back, f.path, &e), 0, "%s: %s", e.where, e.msg);
    cr_assert_eq(back->count, 2);
    const struct gemm_choice *found = gemm_table_find(back, &c.shape, 64);
    cr_assert(found && !found->own && found->time_s == 1e-3 && found->own_time_s == 2e-3);
    cr_assert_eq(memcmp(found->algorithm, c.algorithm, sizeof c.algorithm), 0);
    cr_assert(gemm_table_find(back, &shape, 64)->own);
    cr_assert_null(gemm_table_find(back, &c.shape, 16), "it counts on 64 bytes");
    c.shape.c_step++;
    cr_assert_null(gemm_table_find(back, &c.shape, 64), "another distance is another product");
    cr_assert_null(gemm_table_find(NULL, &shape, 256));
    cr_assert_eq(gemm_table_load(back, f.path, &e), 0);
    cr_assert_eq(back->count, 2, "what is known is not added again");
    gemm_table_destroy(t);
    gemm_table_destroy(back);
    temp_drop(&f);
}

Test(gemm_table, holds_so_many_and_no_more)
{
    struct err e = {0};
    struct gemm_table *t = gemm_table_create("Tesla P4", 111103, &e);
    struct gemm_choice c = {.shape = shape, .own = true};
    for (c.shape.m = 1; c.shape.m <= GEMM_TABLE_ROWS; c.shape.m++)
        cr_assert(gemm_table_add(t, &c));
    cr_assert_not(gemm_table_add(t, &c));
    gemm_table_destroy(t);
}

static const struct {
    const char *text, *told;
} refused[] = {
    {"{}", "this is no table of algorithms"},
    {"[]", "this is no table of algorithms"},
    {"{\"schema\": \"sluice.gemmAlgorithms/1\", \"device\": \"Tesla T4\", \"cublas\": 111103, "
     "\"products\": []}",
     "the algorithms are of another GPU"},
    {"{\"schema\": \"sluice.gemmAlgorithms/1\", \"device\": \"Tesla P4\", \"cublas\": 120100, "
     "\"products\": []}",
     "the algorithms are of another cuBLAS"},
    {HEAD "3}", "products is a list of at most 1024"},
    {HEAD "[{}]}", "a product has shape, time and ownTime"},
    {HEAD "[3]}", "a product has shape, time and ownTime"},
    {HEAD "[{\"shape\": [1], \"time\": 1, \"ownTime\": 1}]}", "a shape is a list of 11 numbers"},
    {HEAD "[{\"shape\": 1, \"time\": 1, \"ownTime\": 1}]}", "a shape is a list of 11 numbers"},
    {HEAD "[{\"shape\": [1, 2, 3, 4, 1, 4, 4, 3, 0, 0, -1], \"time\": 1, \"ownTime\": 1}]}",
     "a shape's number is a whole one, 0 or more"},
    {HEAD "[{\"shape\": [1, 2, 3, 4.5, 1, 4, 4, 3, 0, 0, 0], \"time\": 1, \"ownTime\": 1}]}",
     "a shape's number is a whole one, 0 or more"},
    {HEAD "[{\"shape\": [1, 2, 3, 4e9, 1, 4, 4, 3, 0, 0, 0], \"time\": 1, \"ownTime\": 1}]}",
     "a shape's number is a whole one, 0 or more"},
    {HEAD "[{\"shape\": " SHAPE ", \"time\": 1, \"ownTime\": 1, \"algorithm\": \"12\"}]}",
     "an algorithm is 128 hexadecimal digits"},
    {HEAD "[{\"shape\": " SHAPE ", \"time\": 1, \"ownTime\": 1, \"algorithm\": 7}]}",
     "an algorithm is 128 hexadecimal digits"},
};

Test(gemm_table, a_file_that_is_none_is_refused_at_its_place)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err e = {0};
        struct temp_file f = temp_text(refused[i].text);
        struct gemm_table *t = gemm_table_create("Tesla P4", 111103, &e);
        cr_assert_eq(gemm_table_load(t, f.path, &e), -1, "%s", refused[i].text);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert(strstr(e.msg, refused[i].told), "%s: %s", refused[i].text, e.msg);
        cr_assert(strstr(e.msg, "delete the file to search anew"), "%s", e.msg);
        cr_assert(strstr(e.where, ":1:"), "%s", e.where);
        gemm_table_destroy(t);
        temp_drop(&f);
    }
}

Test(gemm_table, a_folder_that_is_not_there_cannot_be_written)
{
    struct err e = {0};
    struct gemm_table *t = gemm_table_create("Tesla P4", 111103, &e);
    cr_assert_eq(gemm_table_save(t, "/no/such/folder/table.json", &e), -1);
    cr_assert_eq(e.code, ERR_SYSTEM);
    cr_assert_eq(gemm_table_load(t, "/no/such/folder/table.json", &e), -1);
    gemm_table_destroy(t);
}
