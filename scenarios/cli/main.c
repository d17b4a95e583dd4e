/* main: finds the command, prints its error, returns its exit code. */
#include "scenarios/cli/command.h"
#include "sim/err.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

#define MAIN_MAX_COMMANDS 64

static const struct command *find(const char *name)
{
    for (const struct command *const *c = command_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void help(FILE *to)
{
    fprintf(to, "usage: sluice COMMAND [options]\n\n"
                "What will this configuration cost, when will it miss the SLO and why, and what\n"
                "is the cheapest that holds?\n\ncommands:\n");
    for (const struct command *const *c = command_table; *c; c++)
        fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->doc);
    fprintf(to, "\n`sluice COMMAND --help` tells more. Exit codes: 0 done, 1 an assertion or case\n"
                "failed, 2 the input is wrong, 3 the machine fell short, 130 interrupted.\n");
}

static int unknown(const char *name, struct err *e)
{
    const char *names[MAIN_MAX_COMMANDS];
    size_t n = 0;
    for (const struct command *const *c = command_table; *c && n < MAIN_MAX_COMMANDS; c++)
        names[n++] = (*c)->name;
    const char *near = text_nearest(name, names, n);
    return err_set(e, ERR_INPUT, NULL, "unknown command '%s'%s%s%s; `sluice --help` lists them",
                   name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int report(const struct err *e)
{
    fflush(stdout);
    fprintf(stderr, "%s%s%s\n", e->where[0] ? e->where : "sluice", ": ", e->msg);
    return e->code;
}

/* Output that could not be written is the machine's fault, and not a success. */
static int finish(int code, struct err *e)
{
    if (e->code != ERR_NONE)
        return report(e);
    if (fflush(stdout) || ferror(stdout)) {
        err_set(e, ERR_SYSTEM, NULL, "standard output could not be written");
        return report(e);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    if (argc < 2) {
        help(stderr);
        return ERR_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        help(stdout);
        return finish(0, &e);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("sluice %s\n", SLUICE_VERSION);
        return finish(0, &e);
    }
    const struct command *c = find(argv[1]);
    if (!c) {
        unknown(argv[1], &e);
        return report(&e);
    }
    int code = c->run(argc - 2, argv + 2, &e);
    return finish(code, &e);
}
