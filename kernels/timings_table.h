/* timings_table: lines and fields of a text that is taken apart in place. */
#ifndef SLUICE_KERNELS_TIMINGS_TABLE_H
#define SLUICE_KERNELS_TIMINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct timings_source;

#define TIMINGS_TABLE_FIELDS 64
#define TIMINGS_PLACE 400

/* Where in the text one is. */
struct timings_table {
    char *next;
    size_t line; /* of the line given last, from 1 */
};

/* The next line without its end, or NULL. A byte order mark is left out. */
char *timings_table_line(struct timings_table *t);
/* Fields between commas, without blanks around them; some may stand in double quotes. Their
 * number; those beyond TIMINGS_TABLE_FIELDS are left out. */
size_t timings_table_fields(char *line, char *fields[TIMINGS_TABLE_FIELDS]);
/* Number of the field of this name, whatever its letter case, or -1. */
int timings_table_find(char *const *fields, size_t n, const char *name);
/* "FILE:LINE" or "FILE" into place. */
void timings_table_place(const struct timings_source *s, size_t line, char place[TIMINGS_PLACE]);
/* Leaves blanks at both ends out, in place. */
char *timings_table_trim(char *s);

#endif
