/* test_arena: memory with one lifetime. */
#include "sim/arena.h"
#include "sim/err.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

Test(arena, gives_zeroed_aligned_memory_that_stays_apart)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    unsigned char *taken[400];
    for (size_t i = 0; i < 400; i++) {
        size_t size = i * i % 7001; /* from nothing to larger than half a block */
        taken[i] = arena_take(a, size, 1, &e);
        cr_assert_not_null(taken[i]);
        cr_assert_eq((uintptr_t)taken[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < size; j++)
            cr_assert_eq(taken[i][j], 0);
        memset(taken[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < 400; i++)
        for (size_t j = 0; j < i * i % 7001; j++)
            cr_assert_eq(taken[i][j], i % 251);
    arena_destroy(a);
}

Test(arena, keeps_using_its_block_after_a_large_piece)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    char *before = arena_take(a, 1, 16, &e);
    char *large = arena_take(a, 1, 5u << 20, &e);
    char *after = arena_take(a, 1, 16, &e);
    cr_assert_eq(after, before + 16);
    large[(5u << 20) - 1] = 1;
    arena_destroy(a);
}

Test(arena, refuses_a_product_that_overflows)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_null(arena_take(a, SIZE_MAX / 2 + 2, 2, &e)); /* wraps round to 2 bytes */
    cr_assert_eq(e.code, ERR_SYSTEM);
    cr_assert(strstr(e.msg, "out of memory"), "%s", e.msg);
    arena_destroy(a);
    arena_destroy(NULL);
}

Test(arena, copies_text_with_a_final_nul)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_str_eq(arena_text(a, "elastic-3", 7, &e), "elastic");
    cr_assert_str_eq(arena_text(a, NULL, 0, &e), "");
    arena_destroy(a);
}

Test(arena, begins_anew_with_zeroed_memory)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    arena_clear(a); /* nothing was taken yet */
    char *first = NULL;
    for (int life = 0; life < 50; life++) {
        for (size_t i = 0; i < 40; i++) {
            size_t size = 1 + (i * 997 + (size_t)life * 131) % 9001;
            unsigned char *taken = arena_take(a, size, 1, &e);
            cr_assert_not_null(taken);
            for (size_t j = 0; j < size; j++)
                cr_assert_eq(taken[j], 0, "life %d, piece %zu, byte %zu", life, i, j);
            memset(taken, 0xA5, size);
        }
        arena_clear(a);
    }
    first = arena_take(a, 1, 16, &e);
    arena_clear(a);
    cr_assert_eq(arena_take(a, 1, 16, &e), first, "the newest block stays in use");
    arena_destroy(a);
}
