/* catalog_files: the catalogue read from its folder and from files of the user. */
#ifndef SLUICE_SCENARIOS_RUN_CATALOG_FILES_H
#define SLUICE_SCENARIOS_RUN_CATALOG_FILES_H

#include "sim/err.h"

#include <stddef.h>

struct arena;
struct catalog;
struct digest;

/* Open data; what is NULL is not read. */
struct catalog_source {
    const char *dir;          /* every *.json in it, in the order of their names */
    const char *const *files; /* of the user, in this order; they win over the folder */
    size_t n_files;
    struct digest *content; /* takes up what was read, for the run's key */
};

/* Lives in the arena. NULL and ERR_INPUT at file:line:column for a file that is no catalogue. */
const struct catalog *catalog_files_load(struct arena *a, const struct catalog_source *s,
                                         struct err *e);

#endif
