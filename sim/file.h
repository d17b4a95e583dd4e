/* file: a whole file in memory. */
#ifndef SLUICE_SIM_FILE_H
#define SLUICE_SIM_FILE_H

#include "sim/err.h"

#include <stddef.h>

struct arena;

/* The bytes of a file, or of standard input for "-", in the arena and with a final NUL. ERR_INPUT
 * when it does not exist, is no regular file or pipe, or is larger than `limit`; ERR_SYSTEM on
 * read errors. */
char *file_read(struct arena *a, const char *path, size_t limit, size_t *length, struct err *e);

#endif
