/* shared_data: reference data beside the checkout, for tests that can use it when it is there. */
#ifndef SLUICE_TESTS_SHARED_DATA_H
#define SLUICE_TESTS_SHARED_DATA_H

#include <criterion/logging.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the path of a file below ../shared into buf; false, with a note, when it is not there. */
static inline bool shared_data_path(char *buf, size_t size, const char *name)
{
    snprintf(buf, size, "%s/../shared/%s", SLUICE_SOURCE_DIR, name);
    FILE *f = fopen(buf, "rb");
    if (!f) {
        cr_log_info("skipped: no %s", name);
        return false;
    }
    fclose(f);
    return true;
}

#endif
