/* err: the error record. */
#include "sim/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cuts a UTF-8 text that was truncated in the middle of a character. */
static void trim_partial_character(char *s)
{
    size_t n = strlen(s), back = 0;
    while (back < 3 && back < n && ((unsigned char)s[n - 1 - back] & 0xC0) == 0x80)
        back++;
    if (back == n)
        return;
    unsigned char lead = (unsigned char)s[n - 1 - back];
    size_t want = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (want > back)
        s[n - 1 - back] = '\0';
}

int err_set(struct err *e, enum err_code code, const char *where, const char *fmt, ...)
{
    assert(e && code != ERR_NONE && fmt);
    if (e->code != ERR_NONE)
        return -1;
    e->code = code;
    snprintf(e->where, sizeof e->where, "%s", where ? where : "");
    va_list args;
    va_start(args, fmt);
    vsnprintf(e->msg, sizeof e->msg, fmt, args);
    va_end(args);
    trim_partial_character(e->where);
    trim_partial_character(e->msg);
    return -1;
}
