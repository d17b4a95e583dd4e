/* fields: a line of a delimited table, cut into its fields. */
#include "workloads/fields.h"

#include <stddef.h>
#include <string.h>

static char *trimmed(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t')) {
        n--;
    }
    s[n] = '\0';
    return s;
}

/* Takes the quotes off in place; returns what follows the closing quote, NULL when there is none.
 */
static char *unquote(char *s)
{
    char *to = s, *from = s + 1;
    for (;; from++) {
        if (*from == '\0') {
            return NULL;
        }
        if (*from == '"' && from[1] != '"') {
            break;
        }
        from += *from == '"';
        *to++ = *from;
    }
    *to = '\0';
    return from + 1;
}

bool fields_take(char **cursor, char delimiter, char **field)
{
    char *s = *cursor;
    if (*s == '"') {
        char *rest = unquote(s);
        if (rest == NULL || (*rest != delimiter && *rest != '\0')) {
            return false;
        }
        *cursor = *rest == '\0' ? NULL : rest + 1;
        *field = s;
        return true;
    }
    char *end = strchr(s, delimiter);
    *cursor = end != NULL ? end + 1 : NULL;
    if (end != NULL) {
        *end = '\0';
    }
    *field = delimiter == '\t' ? s : trimmed(s);
    return true;
}

char fields_delimiter(const char *line)
{
    size_t comma = 0, semicolon = 0, tab = 0;
    bool quoted = false;
    for (; *line != '\0'; line++) {
        quoted ^= *line == '"';
        comma += !quoted && *line == ',';
        semicolon += !quoted && *line == ';';
        tab += !quoted && *line == '\t';
    }
    if (semicolon > comma && semicolon >= tab) {
        return ';';
    }
    return tab > comma ? '\t' : ',';
}
