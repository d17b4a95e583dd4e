/* program: the real program, run by a test that looks at what it says. */
#ifndef SLUICE_TESTS_PROGRAM_H
#define SLUICE_TESTS_PROGRAM_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/wait.h>

/* Both outputs of the last call. */
static char said[60000];

#define sluice(arguments) program_run(SLUICE_BINARY, arguments)

/* Its exit code. */
static inline int program_run(const char *binary, const char *arguments)
{
    char line[600];
    snprintf(line, sizeof line, "%s %s 2>&1", binary, arguments);
    FILE *f = popen(line, "r");
    cr_assert(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    return WEXITSTATUS(pclose(f));
}

#endif
