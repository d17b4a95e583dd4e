/* fields: a line of a delimited table, cut into its fields. */
#ifndef SLUICE_WORKLOADS_FIELDS_H
#define SLUICE_WORKLOADS_FIELDS_H

#include <stdbool.h>

/* Comma, semicolon or tab: the one that occurs most often outside quotes, the comma when none does.
 */
char fields_delimiter(const char *line);
/* Cuts the first field off *cursor, in place; *cursor is NULL after the last one. Double quotes
 * come off; blanks around a plain field too, unless tabs delimit. False: a quoted field does not
 * end before the next delimiter. */
bool fields_take(char **cursor, char delimiter, char **field);

#endif
