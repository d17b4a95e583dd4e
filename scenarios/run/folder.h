/* folder: the files of a folder, in an order that does not depend on the file system. */
#ifndef SLUICE_SCENARIOS_RUN_FOLDER_H
#define SLUICE_SCENARIOS_RUN_FOLDER_H

#include "sim/err.h"

#include <stddef.h>

struct arena;

struct folder {
    const char **paths; /* sorted by name */
    size_t n;
};

#define FOLDER_MAX_FILES 1024

/* Every file of dir whose name ends in one of `endings` (separated by blanks) and does not start
 * with a dot; not recursive. An unreadable folder, or more than FOLDER_MAX_FILES, is ERR_INPUT. */
int folder_list(struct folder *f, struct arena *a, const char *dir, const char *endings,
                struct err *e);
/* dir/name, or name alone when it is absolute or dir is "" or ".". NULL without memory. */
char *folder_join(struct arena *a, const char *dir, const char *name, struct err *e);
/* The folder part of a path, "." when it has none. */
char *folder_of(struct arena *a, const char *path, struct err *e);

#endif
