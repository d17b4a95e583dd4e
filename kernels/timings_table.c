/* timings_table: a minimal reader of comma separated values. */
#include "kernels/timings_table.h"

#include "kernels/timings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

char *timings_table_line(struct timings_table *t)
{
    char *line = t->next;
    if (!line || *line == '\0')
        return NULL;
    if (t->line == 0 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3;
    size_t n = strcspn(line, "\n");
    t->next = line[n] ? line + n + 1 : line + n;
    line[n] = '\0';
    if (n > 0 && line[n - 1] == '\r')
        line[n - 1] = '\0';
    t->line++;
    return line;
}

char *timings_table_trim(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    s[n] = '\0';
    return s;
}

/* A quoted field: "" is one quote; what follows the closing one up to the comma is left out. */
static char *unquote(char *s, char **end)
{
    char *out = s + 1, *to = s + 1, *from = s + 1;
    while (*from && !(from[0] == '"' && from[1] != '"')) {
        from += *from == '"';
        *to++ = *from++;
    }
    *end = from + (*from == '"');
    *end += strcspn(*end, ",");
    bool more = **end == ',';
    *to = '\0';
    if (!more)
        *end = NULL;
    return out;
}

size_t timings_table_fields(char *line, char *fields[TIMINGS_TABLE_FIELDS])
{
    size_t n = 0;
    char *at = line;
    while (at && n < TIMINGS_TABLE_FIELDS) {
        at += strspn(at, " \t");
        char *end = NULL;
        if (*at == '"') {
            fields[n++] = unquote(at, &end);
            at = end ? end + 1 : NULL;
            continue;
        }
        end = at + strcspn(at, ",");
        bool more = *end == ',';
        *end = '\0';
        fields[n++] = timings_table_trim(at);
        at = more ? end + 1 : NULL;
    }
    return n;
}

int timings_table_find(char *const *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(fields[i], name) == 0)
            return (int)i;
    return -1;
}

void timings_table_place(const struct timings_source *s, size_t line, char place[TIMINGS_PLACE])
{
    if (line)
        snprintf(place, TIMINGS_PLACE, "%.360s:%zu", s->path, line);
    else
        snprintf(place, TIMINGS_PLACE, "%.360s", s->path);
}
