/* test_bad: each file of tests/bad is refused with the message that stands beside it.
 *
 * <defect>.json or .yaml is a scenario with one defect, <defect>.txt the place and message. With
 * SLUICE_WRITE_BAD set the messages are written instead of compared; read them before they are
 * committed. */
#include "scenarios/run/scenario.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/json.h"
#include "sim/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER SLUICE_SOURCE_DIR "/tests/bad"
#define FILES_MOST 256

static size_t list_scenarios(char names[FILES_MOST][64])
{
    size_t n = 0;
    DIR *d = opendir(FOLDER);
    cr_assert(d != NULL);
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || entry->d_name[0] == '.' || strcmp(dot, ".txt") == 0)
            continue;
        cr_assert(n < FILES_MOST && strlen(entry->d_name) < 64);
        snprintf(names[n++], 64, "%s", entry->d_name);
    }
    closedir(d);
    return n;
}

/* "where: msg\n" of what loading the file says. */
static void load_bad(const char *name, struct text *out)
{
    struct err e = {0};
    const struct scenario_source source = {.path = name,
                                           .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert_null(s, "%s was accepted", name);
    cr_assert_eq(e.code, ERR_INPUT, "%s: code %d: %s", name, (int)e.code, e.msg);
    cr_assert(e.where[0] && e.msg[0], "%s", name);
    text_printf(out, "%s: %s\n", e.where, e.msg);
}

static void message_file(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%.*s.txt", (int)(strrchr(name, '.') - name), name);
}

static void write_message(const char *name, const struct text *t)
{
    char path[80];
    message_file(name, path, sizeof path);
    FILE *f = fopen(path, "w");
    cr_assert(f != NULL);
    fputs(t->s, f);
    fclose(f);
}

static void compare_message(const char *name, const struct text *t)
{
    char path[80];
    size_t length;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    message_file(name, path, sizeof path);
    const char *expected = file_read(a, path, 1u << 16, &length, &e);
    cr_assert(expected, "%s: %s", path, e.msg);
    cr_expect_str_eq(t->s, expected, "%s: %s", name, t->s);
    arena_destroy(a);
}

Test(bad, every_file_is_refused_with_its_message)
{
    static char names[FILES_MOST][64];
    cr_assert_eq(chdir(FOLDER), 0);
    size_t n = list_scenarios(names);
    cr_assert_geq(n, 25);
    for (size_t i = 0; i < n; i++) {
        struct text t = {0};
        load_bad(names[i], &t);
        if (getenv("SLUICE_WRITE_BAD"))
            write_message(names[i], &t);
        else
            compare_message(names[i], &t);
        text_fini(&t);
    }
}

/* The exit status of `sluice run file` in an empty folder. */
static int run_program(const char *file)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl(SLUICE_BINARY, SLUICE_BINARY, "run", file, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static size_t count_files(const char *folder)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d))
        n += entry->d_name[0] != '.';
    closedir(d);
    return n;
}

Test(bad, the_program_exits_with_2_and_writes_nothing)
{
    static char names[FILES_MOST][64];
    char folder[] = "/tmp/sluice-bad-XXXXXX", path[512];
    size_t n = list_scenarios(names);
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", FOLDER, names[i]);
        cr_expect_eq(run_program(path), 2, "%s", names[i]);
    }
    cr_expect_eq(run_program("no_such_file.json"), 2);
    cr_expect_eq(run_program(folder), 2, "a folder instead of a file");
    cr_assert_eq(count_files("."), 0);
    cr_assert(chdir("/") == 0 && rmdir(folder) == 0);
}
