/* command: one subcommand of the program; each cmd_<name>.c exports one. */
#ifndef SLUICE_SCENARIOS_CLI_COMMAND_H
#define SLUICE_SCENARIOS_CLI_COMMAND_H

struct err;

/* run gets the arguments behind the command's name and returns the exit code; with an error in e
 * it returns e->code. Output goes to stdout, progress and remarks to stderr; main prints e. */
struct command {
    const char *name;
    const char *doc; /* one line for `sluice --help` */
    int (*run)(int argc, char **argv, struct err *e);
};

/* Every command, sorted by name; ends with a NULL name. Written by the build from cmd_*.c. */
extern const struct command *const command_table[];

#endif
