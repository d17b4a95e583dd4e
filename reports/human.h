/* human: numbers and names as people read them; for screens and pages, never for machines. */
#ifndef SLUICE_REPORTS_HUMAN_H
#define SLUICE_REPORTS_HUMAN_H

#include <stddef.h>
#include <stdint.h>

struct figure;
struct zone;

/* A short text by value: human_count(n).s lives to the end of the statement. Between a number and
 * its unit stands a no-break space (U+00A0). */
struct human {
    char s[80];
};

struct human human_count(double v);   /* "33,264,000" */
struct human human_number(double v);  /* about four digits: "0.0123", "12.3", "1,234" */
struct human human_seconds(double v); /* "0.42 ms", "128 ms", "1.42 s", "5m20s", "3h", "12d04h" */
struct human human_share(double v);   /* of 0..1: "30.2 %" */
/* currency may be NULL: "38,210 CNY", "12.34 CNY", "0.0123 CNY". */
struct human human_money(double v, const char *currency);
/* v by its unit: "s", "1" (a share), "h", a currency, or a thing that is counted. */
struct human human_value(double v, const char *unit);
/* "121 to 135 ms"; "up to 848 ms" from 0 on, which is where an interval is cut; "" without one. */
struct human human_interval(const struct figure *f);
/* "onDemandPremium" -> "on-demand premium", "eciOnDemand" -> "ECI on demand". */
struct human human_words(const char *name);
/* "2021-07-14 17:45", local. */
struct human human_time(const struct zone *z, int64_t unix_s);

/* Columns on a terminal: 1 a character, 2 a wide one (East Asian), 0 a combining one. */
size_t human_columns(const char *s);
/* Bytes at the start of s that fill at most `columns`; at least one character if s has any. */
size_t human_fit(const char *s, size_t columns);

#endif
