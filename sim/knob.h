/* knob: a model's settings as rows of a table.
 *
 * Each model owns a `static const struct knob[]` beside its config struct. The binder
 * (scenarios/run/bind.h) reads any table, fills defaults, and refuses what is unknown, repeated,
 * mistyped or out of range. `sluice explain` and the reference page print the same rows. */
#ifndef SLUICE_SIM_KNOB_H
#define SLUICE_SIM_KNOB_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct bind;
struct err;
struct json;

/* What stands in the file -> what is stored at `offset`. */
enum knob_kind {
    KNOB_BOOL,     /* true -> bool */
    KNOB_INT,      /* 12 or "12"; beyond 2^53 only "12" -> int64_t */
    KNOB_INT32,    /* 12 or "12" -> int32_t */
    KNOB_NUMBER,   /* 1.5 -> double */
    KNOB_SHARE,    /* 0.3 -> double in 0..1 */
    KNOB_PERCENT,  /* 30 or "30%" -> double share, 0.3 */
    KNOB_DURATION, /* "15s" -> sim_ns */
    KNOB_BYTES,    /* "16Gi", 1024 -> int64_t bytes; as a rate, bytes per second */
    KNOB_QUANTITY, /* "10", "500m", 10 -> int64_t in milli-units (Kubernetes) */
    KNOB_MONEY,    /* "60000 CNY" -> struct money */
    KNOB_TEXT,     /* "abc" -> const char * */
    KNOB_NAME,     /* one of `names` -> int (its value) */
    KNOB_DIST, /* "12ms", or {"distribution": ..., "mean": ..., "cv": ...} -> struct dist, in ns */
    KNOB_OBJECT,  /* {...} by `table` -> the struct itself, in place */
    KNOB_POINTER, /* {...} by `table` -> pointer to a struct in the arena; NULL when absent */
    KNOB_LIST,    /* [{...}, ...] by `table` -> struct knob_list */
    KNOB_TEXTS,   /* ["a", "b"] (or one "a") -> struct knob_texts */
    KNOB_MAP,     /* {"k": "v"} -> struct knob_map, in file order */
    KNOB_CHOICE,  /* "name" or {"name": value or {...}} by `options` -> struct knob_choice */
    KNOB_CUSTOM,  /* anything -> by `read` */
};

struct knob_list {
    void *items; /* count structs of the table's size */
    size_t count;
};

struct knob_texts {
    const char **items;
    size_t count;
};

struct knob_pair {
    const char *key, *value;
};

struct knob_map {
    struct knob_pair *items;
    size_t count;
};

struct knob_name {
    const char *name;
    int value;
    const char *doc;
};

/* How far a default may be trusted. A default with a quality shows in a run's assumptions. */
enum knob_quality {
    QUALITY_NONE, /* a convention or a choice of ours that states nothing about the world */
    QUALITY_OFFICIAL,
    QUALITY_MEASURED,
    QUALITY_THIRD_PARTY,
    QUALITY_ASSUMED,
};

const char *knob_quality_name(enum knob_quality q); /* "official", "third-party", ... */

struct knob;
struct text;
/* Appends what a row accepts, bounds included: "a whole number in 0..100 (replicas)". */
void knob_describe(struct text *t, const struct knob *k);
/* Appends the bounds alone, as "0..100", "1s..1h" or "at least 1"; nothing without bounds. */
void knob_bounds(struct text *t, const struct knob *k);

struct knob_table;
struct knob_option;

/* What the reader of a KNOB_CUSTOM is given. */
struct knob_given {
    struct bind *bind; /* for readers that bind parts of the value: scenarios/run/bind.h */
    const struct json *value;
    const char *path; /* of the value */
    void *out;        /* config + offset */
};

/* -1 and *e; without a place or a path it gets those of the value. */
typedef int knob_read_fn(const struct knob_given *g, struct err *e);

struct knob {
    const char *key; /* in the file */
    enum knob_kind kind;
    size_t offset;
    const char *unit;   /* for people: "QPS", "replicas"; NULL when the kind says it */
    const char *doc;    /* one line */
    const char *preset; /* default as it would stand in a JSON file (strings without quotes);
                           NULL: must be given (a KNOB_OBJECT: its rows' own defaults);
                           "": absent (zero bytes stay) */
    double min, max; /* in the unit of the file (durations in seconds; lists and texts: how many);
                        both 0: no bound; max below min: no upper bound */
    enum knob_quality quality;
    const char *source;                       /* of the default: document and date */
    const struct knob_name *names;            /* KNOB_NAME; ends with a NULL name */
    const struct knob_table *table;           /* KNOB_OBJECT, _POINTER, _LIST */
    const struct knob_option *const *options; /* KNOB_CHOICE; ends with NULL */
    knob_read_fn *read;                       /* KNOB_CUSTOM */
    const char *shape; /* KNOB_CUSTOM: what is allowed, for messages and explain */
};

struct knob_table {
    const char *name; /* "hpa"; what `sluice explain` is asked for */
    const char *doc;
    const struct knob *rows; /* ends with a NULL key */
    size_t size;             /* of the struct */
    /* Checks across rows, NULL for none. Sets *key to the key at fault (or NULL; "a.b[1]" names
     * one further down) and e->msg; the binder adds path and place. */
    int (*check)(const void *config, const char **key, struct err *e);
};

/* One thing that can be chosen by name: an autoscaler, a way to arrive, a supply. `descriptor`
 * is what the chooser's owner needs (function pointers); the binder only carries it. */
struct knob_option {
    const char *name;
    const struct knob_table *table; /* its settings */
    const char *short_key; /* key that a plain value stands for: {"fixed": 8}; NULL for none */
    const void *descriptor;
};

struct knob_choice {
    const struct knob_option *option; /* NULL when absent */
    void *config;                     /* a struct of option->table->size, in the arena */
};

#endif
