/* bind: from a tree of values to a config struct, by the rows of a knob table.
 *
 * Every error is ERR_INPUT with e->where = "file:line:column" of the value or key at fault and a
 * message that begins with its path: "nodePools[0].maxSize: 130 is outside 0..100". */
#ifndef SLUICE_SCENARIOS_RUN_BIND_H
#define SLUICE_SCENARIOS_RUN_BIND_H

#include "sim/err.h"
#include "sim/knob.h"

#include <stddef.h>

struct arena;
struct json;

/* Where the value of a row comes from. Text is in the arena or in the table. */
struct bind_origin {
    const char *path;
    const struct knob *row;
    const char *value;         /* as written; compact JSON for objects and lists */
    enum knob_quality quality; /* of a default; QUALITY_NONE when the user gave the value */
    const char *source;        /* of a default, NULL for none */
    const char *from;          /* "file:line", or "default" */
};

/* Open data; {.arena = a} to begin with. What is bound lives in the arena. */
struct bind {
    struct arena *arena;
    struct bind_origin *origins; /* each given row, and each default that has a quality */
    size_t n_origins, capacity;
    const struct json *near; /* the innermost object at hand: the place of what is missing */
    int in_default;          /* above 0 while a default is bound, which nobody has given */
};

/* Fills *out (table->size bytes, zeroed first) from an object, with defaults for what it leaves
 * out; object NULL takes every default. path: of the object, "" for the root. */
int bind_object(struct bind *b, const struct json *object, const char *path,
                const struct knob_table *table, void *out, struct err *e);

/* The same for one row's value, stored at config + row->offset; for readers of custom rows. */
int bind_value(struct bind *b, const struct knob *row, const struct json *value, const char *path,
               void *config, struct err *e);

const struct bind_origin *bind_origins(const struct bind *b, size_t *n);

/* ERR_INPUT at a node's place, with the path before the message. Always -1. */
int bind_fail(const struct json *at, const char *path, struct err *e, const char *fmt, ...)
    ERR_PRINTF(4, 5);

#endif
