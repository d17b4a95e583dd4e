/* text: a growing string, and numbers that print and parse the same everywhere. */
#ifndef SLUICE_SIM_TEXT_H
#define SLUICE_SIM_TEXT_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Append-only. A failed allocation sets `failed`, and later appends do nothing: check it once, at
 * the end, with text_end. {0} is an empty text. */
struct text {
    char *s; /* NUL-terminated once anything was appended, else NULL */
    size_t length;
    size_t capacity;
    bool failed;
};

void text_fini(struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t length);
void text_printf(struct text *t, const char *fmt, ...) ERR_PRINTF(2, 3);
/* The shortest of %.15g, %.16g, %.17g that reads back as the same double, never with a locale's
 * comma; "0" for negative zero. Asserts that v is finite. */
void text_number(struct text *t, double v);
/* s with &, <, >, " and ' replaced, for HTML and SVG. */
void text_html(struct text *t, const char *s);
/* 0, or -1 and ERR_SYSTEM when memory ran out on the way. */
int text_end(const struct text *t, struct err *e);

/* Parsers of the platform's own notations. They accept the whole of s or nothing; true on success.
 * Results outside the type are refused. None depends on a locale. */
bool text_parse_double(const char *s, double *out); /* no NaN, infinity, hex or blanks */
bool text_is_number(const char *s);                 /* written as one, whatever its size */
bool text_parse_int64(const char *s, int64_t *out); /* [-]digits */
/* "15s", "1h30m", "2.5ms", "7d", "0"; us, ns, w too; larger units first. Never negative; rounded
 * to the nearest nanosecond. */
bool text_parse_duration(const char *s, int64_t *ns);
/* Kubernetes: "100m" = 100, "1k", "16Gi", "-2e3". Rounded up, as Kubernetes does. */
bool text_parse_quantity(const char *s, int64_t *milli);
/* "16Gi", "409M", "1024"; never negative, no milli and smaller suffixes; rounded up. */
bool text_parse_bytes(const char *s, int64_t *bytes);

/* "[-]12.345678": millionths of one; more than six decimals are refused. */
bool text_parse_micro(const char *s, int64_t *micro);

/* Shortest exact duration, such as "1h30m", "15s", "2.5ms", into a caller's buffer; returns it. */
char *text_duration(char *buf, size_t size, int64_t ns);

/* Bytes of the UTF-8 character at s < end, 0 when it is none. */
size_t text_character(const char *s, const char *end);

/* Bytes of the longest beginning of s within `most` bytes that splits no UTF-8 character: for
 * "%.*s". */
int text_cut(const char *s, int most);

/* The word for n of them: `one` for 1, else `many`. */
const char *text_plural(uint64_t n, const char *one, const char *many);

/* The nearest of n names, or NULL: edit distance without regard to case, at most a third of the
 * length of s or one. Names may be NULL and are then skipped. */
const char *text_nearest(const char *s, const char *const *names, size_t n);

#endif
