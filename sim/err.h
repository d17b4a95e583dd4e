/* err: what went wrong, where, and whose fault it is. */
#ifndef SLUICE_SIM_ERR_H
#define SLUICE_SIM_ERR_H

/* The values are the program's exit codes. Our own mistakes are never an err: they are asserts,
 * which stay on in release builds. */
enum err_code {
    ERR_NONE = 0,
    ERR_INPUT = 2,         /* the user's file or argument is wrong */
    ERR_SYSTEM = 3,        /* the machine fell short: disk, memory, device */
    ERR_INTERRUPTED = 130, /* the user stopped the run */
};

/* Open data; {0} means "no error". */
struct err {
    enum err_code code;
    char where[512]; /* "file:line:column" or "file: services[0].slo.p99"; may be empty */
    char msg[1024];  /* what was found, what is allowed, the nearest known name */
};

#if defined(__GNUC__)
#define ERR_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define ERR_PRINTF(fmt, first)
#endif

/* Fills *e, unless it already holds an error: the first one is the cause. where may be NULL.
 * Text that does not fit is cut at a character border. Always returns -1, so that a failing
 * function can end with `return err_set(...)`. */
int err_set(struct err *e, enum err_code code, const char *where, const char *fmt, ...)
    ERR_PRINTF(4, 5);

#endif
