/* temp_file: a file with a given content, for tests of readers. */
#ifndef SLUICE_TESTS_TEMP_FILE_H
#define SLUICE_TESTS_TEMP_FILE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct temp_file {
    char path[64];
};

static inline struct temp_file temp_bytes(const void *bytes, size_t length)
{
    struct temp_file f;
    strcpy(f.path, "/tmp/sluice_test_XXXXXX");
    int fd = mkstemp(f.path);
    cr_assert(fd >= 0);
    FILE *out = fdopen(fd, "wb");
    cr_assert(out != NULL && fwrite(bytes, 1, length, out) == length && fclose(out) == 0);
    return f;
}

static inline struct temp_file temp_text(const char *text)
{
    return temp_bytes(text, strlen(text));
}

static inline void temp_drop(const struct temp_file *f)
{
    unlink(f->path);
}

#endif
