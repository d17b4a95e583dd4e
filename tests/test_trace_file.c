/* test_trace_file: lines of plain and packed files. */
#include "workloads/trace_file.h"

#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

static struct trace_file *must_open(const struct temp_file *f)
{
    struct err e = {0};
    struct trace_file *t = trace_file_open(f->path, &e);
    cr_assert(t != NULL, "%s", e.msg);
    return t;
}

/* All lines, each followed by "|". */
static void read_all(const struct temp_file *f, char *out, size_t size)
{
    struct err e = {0};
    struct trace_file *t = must_open(f);
    char *line;
    size_t length, used = 0;
    int status;
    out[0] = '\0';
    while ((status = trace_file_next(t, &line, &length, &e)) == 1) {
        cr_assert_eq(strlen(line), length);
        used += (size_t)snprintf(out + used, size - used, "%s|", line);
        cr_assert_lt(used, size);
    }
    cr_assert_eq(status, 0, "%s", e.msg);
    trace_file_close(t);
}

Test(trace_file, gives_lines_without_their_ends)
{
    static const struct {
        const char *text, *lines;
    } rows[] = {
        {"", ""},
        {"a", "a|"},
        {"a\n", "a|"},
        {"a\r\nb\r\n", "a|b|"},
        {"a\r\nb", "a|b|"},
        {"\n\na\n\n", "||a||"},
        {"\xEF\xBB\xBF"
         "a\nb\n",
         "a|b|"},
        {"a\rb\n", "a\rb|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct temp_file f = temp_text(rows[i].text);
        char got[256];
        read_all(&f, got, sizeof got);
        cr_assert_str_eq(got, rows[i].lines, "row %zu", i);
        temp_drop(&f);
    }
}

/* Numbers, one a line: longer than any buffer of the reader. */
#define MANY 60000
static char *many_lines(size_t *length)
{
    char *text = malloc(MANY * 8);
    cr_assert(text != NULL);
    *length = 0;
    for (int i = 0; i < MANY; i++) {
        *length += (size_t)sprintf(text + *length, "%d\n", i);
    }
    return text;
}

static size_t gzip(const char *text, size_t length, unsigned char *out, size_t room)
{
    z_stream z = {0};
    cr_assert(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)length;
    z.next_out = out;
    z.avail_out = (uInt)room;
    cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static void check_many(const struct temp_file *f)
{
    struct err e = {0};
    struct trace_file *t = must_open(f);
    char *line;
    size_t length;
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(trace_file_next(t, &line, &length, &e), 1, "%s", e.msg);
        cr_assert_eq(atoi(line), i);
        cr_assert_eq(trace_file_line(t), (size_t)i + 1);
    }
    cr_assert_eq(trace_file_next(t, &line, &length, &e), 0);
    trace_file_close(t);
}

Test(trace_file, reads_plain_gzip_and_zstd_alike)
{
    size_t length;
    char *text = many_lines(&length);
    struct temp_file plain = temp_bytes(text, length);
    check_many(&plain);

    unsigned char *packed = malloc(length + 4096);
    size_t half = length / 2; /* two members in one file, as after cat a.gz b.gz */
    size_t n = gzip(text, half, packed, length + 4096);
    n += gzip(text + half, length - half, packed + n, length + 4096 - n);
    struct temp_file gz = temp_bytes(packed, n);
    check_many(&gz);

    n = ZSTD_compress(packed, length + 4096, text, half, 3);
    n += ZSTD_compress(packed + n, length + 4096 - n, text + half, length - half, 3);
    struct temp_file zst = temp_bytes(packed, n);
    check_many(&zst);

    free(packed);
    free(text);
    temp_drop(&plain);
    temp_drop(&gz);
    temp_drop(&zst);
}

static void expect_fault(const struct temp_file *f, const char *message)
{
    struct err e = {0};
    struct trace_file *t = trace_file_open(f->path, &e);
    char *line;
    size_t length;
    int status = 1;
    while (t != NULL && status == 1) {
        status = trace_file_next(t, &line, &length, &e);
    }
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, message) != NULL, "%s: %s", e.where, e.msg);
    cr_assert(strstr(e.where, f->path) != NULL, "%s", e.where);
    trace_file_close(t);
}

Test(trace_file, refuses_damage)
{
    struct temp_file nul = temp_bytes("a\nb\0c\n", 6);
    expect_fault(&nul, "NUL byte");
    struct temp_file wide = temp_bytes("\xFF\xFEt\0\n\0", 6);
    expect_fault(&wide, "UTF-16");

    size_t length;
    char *text = many_lines(&length);
    unsigned char *packed = malloc(length + 4096);
    size_t n = gzip(text, length, packed, length + 4096);
    struct temp_file short_gz = temp_bytes(packed, n / 2);
    expect_fault(&short_gz, "cut off");
    packed[n / 2] ^= 0x55;
    struct temp_file bad_gz = temp_bytes(packed, n);
    expect_fault(&bad_gz, "gzip data are damaged");
    n = ZSTD_compress(packed, length + 4096, text, length, 3);
    struct temp_file short_zst = temp_bytes(packed, n / 2);
    expect_fault(&short_zst, "cut off");
    packed[12] ^= 0x55;
    struct temp_file bad_zst = temp_bytes(packed, n);
    expect_fault(&bad_zst, "zstd data are damaged");

    memset(text, 'x', length);
    struct temp_file normal = temp_bytes(text, length); /* 347 KB in one line are fine */
    char *line;
    struct err e = {0};
    struct trace_file *t = must_open(&normal);
    cr_assert_eq(trace_file_next(t, &line, &n, &e), 1);
    cr_assert_eq(n, length);
    trace_file_close(t);
    char *huge = malloc(TRACE_FILE_MAX_LINE + 2);
    memset(huge, 'x', TRACE_FILE_MAX_LINE + 2);
    struct temp_file too_long = temp_bytes(huge, TRACE_FILE_MAX_LINE + 2);
    expect_fault(&too_long, "longer than 1048576 bytes");

    const struct temp_file *all[] = {&nul,       &wide,    &short_gz, &bad_gz,
                                     &short_zst, &bad_zst, &normal,   &too_long};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        temp_drop(all[i]);
    }
    free(huge);
    free(packed);
    free(text);
}

Test(trace_file, names_a_file_that_is_not_there)
{
    struct err e = {0};
    cr_assert_null(trace_file_open("/nowhere/week.csv", &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.where, "/nowhere/week.csv");
    struct err folder = {0};
    cr_assert_null(trace_file_open("/tmp", &folder));
    cr_assert_eq(folder.code, ERR_INPUT);
    trace_file_close(NULL);
}
