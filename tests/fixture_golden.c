/* fixture_golden: compare with, or rewrite, a file in tests/golden. */
#include "tests/fixture_golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void golden_check(const char *name, const char *bytes, size_t length)
{
    char path[512];
    snprintf(path, sizeof path, SLUICE_SOURCE_DIR "/tests/golden/%s", name);
    const char *mode = getenv("SLUICE_GOLDEN");
    if (mode && strcmp(mode, "write") == 0) {
        FILE *f = fopen(path, "wb");
        cr_assert(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0, "%s", path);
        return;
    }
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s is missing: run with SLUICE_GOLDEN=write once and look at it", path);
    char *want = malloc(length + 2);
    cr_assert(want);
    size_t n = fread(want, 1, length + 1, f);
    fclose(f);
    size_t same = 0, line = 1;
    while (same < n && same < length && want[same] == bytes[same])
        line += want[same++] == '\n';
    size_t start = same;
    while (start > 0 && bytes[start - 1] != '\n')
        start--;
    cr_assert(n == length && same == length, "%s differs in line %zu: %.*s", name, line,
              (int)strcspn(bytes + start, "\n"), bytes + start);
    free(want);
}
