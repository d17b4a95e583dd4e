/* shared_data: reference data beside the checkout, for tests that can use it when it is there. */
#ifndef SLUICE_TESTS_SHARED_DATA_H
#define SLUICE_TESTS_SHARED_DATA_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the path of a file below ../shared into buf; false when it is not there, with a line that
 * tests/run.sh counts as skipped, and as a failure when ../shared is there. */
static inline bool shared_data_path(char *buf, size_t size, const char *name)
{
    snprintf(buf, size, "%s/../shared/%s", SLUICE_SOURCE_DIR, name);
    FILE *f = fopen(buf, "rb");
    if (!f) {
        fprintf(stderr, "skipped: no ../shared/%s\n", name);
        return false;
    }
    fclose(f);
    return true;
}

#endif
