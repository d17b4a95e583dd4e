/* store: results kept in one SQLite file; the one door to SQLite.
 *
 * Tables are keyed by run key and WITHOUT ROWID, so equal runs give equal dumps in whatever order
 * they were stored. Wall time, paths and the compiler stand in table run_wall and nowhere else.
 * A run is stored whole or not at all. Several processes may write to one file. */
#ifndef SLUICE_REPORTS_STORE_H
#define SLUICE_REPORTS_STORE_H

#include "sim/err.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct result;
struct store; /* one thread at a time */

#define STORE_VERSION 5     /* of the tables; older files are brought up to it when opened */
#define STORE_KEY 64        /* room for a run key */
#define STORE_BUSY_MS 20000 /* how long a writer waits for the others */

enum store_mode {
    STORE_WRITE, /* creates the file if it is not there */
    STORE_READ,  /* it must be there */
};

/* NULL and ERR_INPUT when the path cannot be a store: no such file or folder, no database, another
 * program's, or written by a newer Sluice; ERR_SYSTEM when the machine fails. */
struct store *store_open(const char *path, enum store_mode mode, struct err *e);
/* Accepts NULL. */
void store_close(struct store *s);

/* What is true of one execution only; none of it is part of the result. Texts may be NULL. */
struct store_wall {
    const char *started; /* "2026-08-30T14:05:00Z" */
    const char *scenario_path;
    const char *compiler; /* and options */
    uint32_t threads;
    double seconds;
};

/* Stores a run, in place of an earlier one with the same key. On failure (ERR_SYSTEM: disk full,
 * another writer does not let go) the file is as before. */
int store_put(struct store *s, const struct result *r, const struct store_wall *wall,
              struct err *e);
/* 1 when the run is there, 0 when not. */
int store_has(struct store *s, const char *run_key, struct err *e);
/* Rebuilds a result in the arena: equal to the one that was put. */
int store_get(struct store *s, const char *run_key, struct arena *a, struct result *out,
              struct err *e);

/* One run in a list. */
struct store_row {
    const char *run_key, *name, *verdict, *started, *currency;
    bool holds;
    uint32_t replications;
    double cost_per_month; /* NaN when the run has no prices */
};

/* All runs, the last stored first. *rows lives in the arena. */
int store_list(struct store *s, struct arena *a, struct store_row **rows, size_t *n, struct err *e);
/* The key of the run that a user means: a key, the beginning of one (at least 4 characters, of one
 * run only), "last", or a scenario's name for the last run of it. ERR_INPUT when there is none, or
 * several. */
int store_find(struct store *s, const char *which, char key[STORE_KEY], struct err *e);

/* The content of all tables but run_wall, in the order of their keys: equal stores give equal
 * dumps. */
int store_dump(struct store *s, struct text *to, struct err *e);

#endif
