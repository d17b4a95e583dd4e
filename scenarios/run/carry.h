/* carry: builds scenario keys out of the user's own documents; each value keeps its place. */
#ifndef SLUICE_SCENARIOS_RUN_CARRY_H
#define SLUICE_SCENARIOS_RUN_CARRY_H

#include "sim/err.h"
#include "sim/json.h"

struct arena;

/* A copy under another key; it shares its children, which are read-only. NULL: *e. */
struct json *carry_copy(struct arena *a, const struct json *node, const char *key, struct err *e);
/* New values with the place of another one. */
struct json *carry_object(struct arena *a, const char *key, const struct json *place,
                          struct err *e);
struct json *carry_list(struct arena *a, const char *key, const struct json *place, struct err *e);
struct json *carry_text(struct arena *a, const char *key, const char *value,
                        const struct json *place, struct err *e);

enum carry_how {
    CARRY_AS_IS,
    CARRY_SECONDS, /* Kubernetes counts seconds as bare numbers; durations carry their unit */
    CARRY_LABELS,  /* [{"key": k, "value": v}, ...] becomes {k: v, ...} */
};
struct carry_row {
    const char *from, *to; /* path there, key here; NULL ends */
    enum carry_how how;
};
/* Appends what is there to `into`. */
int carry_rows(struct arena *a, struct json *into, const struct json *root,
               const struct carry_row *rows, struct err *e);
/* The child that may be changed; NULL. */
struct json *carry_child(struct json *object, const char *key);

#endif
