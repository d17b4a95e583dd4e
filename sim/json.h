/* json: the one door to cJSON, with the checks it lacks; a tree whose nodes know their place.
 *
 * The same tree is built by the YAML reader (scenarios/run/yaml.c), so everything above works on
 * `struct json` and can name file, line and column for a semantic error too. */
#ifndef SLUICE_SIM_JSON_H
#define SLUICE_SIM_JSON_H

#include "sim/err.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* Open, read-only data in an arena. */
struct json {
    enum json_type type;
    bool boolean;
    double number;
    const char *string;            /* the string; for a number its digits as written */
    const char *key;               /* inside an object, else NULL */
    const char *file;              /* as the user named it; "--set" and "-" occur */
    uint32_t line, column;         /* of the value, from 1, in characters; 0 = no place */
    uint32_t key_line, key_column; /* of the key */
    struct json *first, *last, *next;
    size_t count; /* children */
};

#define JSON_MAX_DEPTH 64
#define JSON_MAX_BYTES (256u << 20)
#define JSON_MAX_NODES (8u << 20) /* values in one document */

/* RFC 8259 and nothing more: repeated keys (compared with case), trailing text, "01", NaN, numbers
 * that overflow a double or have more than 63 characters, invalid UTF-8, embedded NUL, more than
 * JSON_MAX_DEPTH levels or JSON_MAX_NODES values are ERR_INPUT at file:line:column. A UTF-8 BOM and
 * CRLF are accepted. `file` is only named, not read; the arena keeps what the tree needs. NULL on
 * failure. */
struct json *json_parse(struct arena *a, const char *file, const char *text, size_t length,
                        struct err *e);

/* A text that stands inside a larger one: its nodes' places count from where it begins. */
struct json_part {
    const char *file;
    const char *text;
    size_t length;
    uint32_t line, column; /* of its first character, from 1 */
};
struct json *json_parse_part(struct arena *a, const struct json_part *part, struct err *e);

/* Child of an object by exact key, or NULL; also NULL when o is NULL or no object. */
const struct json *json_get(const struct json *o, const char *key);
/* Steps through "a.b[2].c"; NULL when a step is missing. */
const struct json *json_at(const struct json *root, const char *path);
/* The string there; `otherwise` when there is nothing, or something that is no string. */
const char *json_text_at(const struct json *root, const char *path, const char *otherwise);

/* Builders, for the YAML reader and --set. */
struct json *json_new(struct arena *a, enum json_type type, const char *file, uint32_t line,
                      uint32_t column, struct err *e);
void json_append(struct json *parent, struct json *child);
/* -1 and ERR_INPUT at the second place of a key that an object repeats. */
int json_check_keys(const struct json *object, struct err *e);

/* "file:line:column" of a node into buf; returns buf. */
char *json_place(char *buf, size_t size, const struct json *node);
/* "an object", "a string", ...: for messages. */
const char *json_type_name(enum json_type type);

/* Writer: two-space indentation, keys in the order written, "\n" at the end of the document.
 * Asserts on misuse (a key in an array, an unclosed object). */
struct json_out {
    struct text *to;
    int depth;
    bool compact; /* no line breaks: one line a document */
    bool empty[JSON_MAX_DEPTH];
    bool array[JSON_MAX_DEPTH];
    bool after_key;
    bool written; /* the document's value has begun */
};

void json_out_init(struct json_out *o, struct text *to, bool compact);
void json_out_open(struct json_out *o, const char *brace);  /* "{" or "[" */
void json_out_close(struct json_out *o, const char *brace); /* "}" or "]" */
void json_out_key(struct json_out *o, const char *key);
void json_out_number(struct json_out *o, double v); /* NaN and infinity become null */
void json_out_int(struct json_out *o, int64_t v);
void json_out_bool(struct json_out *o, bool v);
void json_out_string(struct json_out *o, const char *s); /* NULL becomes null */
void json_out_null(struct json_out *o);
/* A whole tree. */
void json_out_value(struct json_out *o, const struct json *v);
void json_out_end(struct json_out *o);

#endif
