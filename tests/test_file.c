/* test_file: what can be read, and why the rest cannot. */
#include "sim/file.h"

#include "sim/arena.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static struct arena *arena;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(file, .init = set_up, .fini = tear_down);

Test(file, reads_files_and_says_why_not)
{
    static const struct {
        const char *path, *msg;
    } rows[] = {
        {SLUICE_SOURCE_DIR "/no/such/file.json", "there is no such file"},
        {SLUICE_SOURCE_DIR "/README.md/x.json", "there is no such file"},
        {SLUICE_SOURCE_DIR, "is a directory, expected a file"},
        {"/dev/zero", "is neither a file nor a pipe"},
        {SLUICE_SOURCE_DIR "/LICENSE", "larger than 100 bytes"},
    };
    size_t length;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct err e = {0};
        cr_assert_null(file_read(arena, rows[i].path, 100, &length, &e));
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert_str_eq(e.where, rows[i].path);
        cr_assert_str_eq(e.msg, rows[i].msg);
    }
    struct err e = {0};
    const char *own =
        file_read(arena, SLUICE_SOURCE_DIR "/tests/test_file.c", 1u << 20, &length, &e);
    cr_assert(own && strncmp(own, "/* test_file:", 13) == 0 && strlen(own) == length, "%s", e.msg);
}

Test(file, reads_standard_input)
{
    int ends[2];
    size_t length;
    struct err e = {0};
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "[1]", 3), 3);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    const char *text = file_read(arena, "-", 100, &length, &e);
    cr_assert(text && length == 3 && strcmp(text, "[1]") == 0, "%s", e.msg);
    close(ends[0]);
}
