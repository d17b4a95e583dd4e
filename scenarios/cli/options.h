/* options: the command line as rows of a table, for parsing and for --help alike. */
#ifndef SLUICE_SCENARIOS_CLI_OPTIONS_H
#define SLUICE_SCENARIOS_CLI_OPTIONS_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
    OPTION_FLAG,  /* bool */
    OPTION_TEXT,  /* const char * */
    OPTION_COUNT, /* int64_t, 0 or more */
    OPTION_TEXTS, /* struct option_texts, may be repeated */
};

#define OPTIONS_MAX_TEXTS 64
struct option_texts {
    const char *items[OPTIONS_MAX_TEXTS];
    size_t count;
};

struct option {
    const char *name;   /* "--db" */
    const char *letter; /* "-o" or NULL */
    enum option_kind kind;
    void *out;
    const char *value; /* "FILE", for help; NULL for flags */
    const char *doc;
};

struct options {
    const struct option *rows;
    size_t count;
    size_t min_operands, max_operands;
    const char *usage; /* "sluice run [options] SCENARIO" */
    const char *doc;
};

/* Fills the options' targets and collects operands (at most max_operands). "--" ends the options;
 * "--name=value" and "--name value" are the same. ERR_INPUT names the nearest option. */
int options_parse(const struct options *o, int argc, char **argv, struct option_texts *operands,
                  struct err *e);
/* True when --help or -h stands among the arguments before "--". */
bool options_want_help(int argc, char **argv);
void options_print(const struct options *o, FILE *to);

#endif
