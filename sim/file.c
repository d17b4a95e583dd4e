/* file: opening what can be read to an end, and reading it. */
#include "sim/file.h"

#include "sim/arena.h"
#include "sim/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_open(const char *path, int why, struct err *e)
{
    switch (why) {
    case ENOENT:
    case ENOTDIR:
        return err_set(e, ERR_INPUT, path, "there is no such file");
    case EACCES:
    case EPERM:
        return err_set(e, ERR_INPUT, path, "no permission to read it");
    case ELOOP:
    case ENAMETOOLONG:
        return err_set(e, ERR_INPUT, path, "not a usable file name: %s", strerror(why));
    default:
        return err_set(e, ERR_SYSTEM, path, "cannot be opened: %s", strerror(why));
    }
}

/* Opens what can be read to an end; -1 on failure. */
static int open_input(const char *path, struct err *e)
{
    struct stat st;
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_open(path, errno, e);
    if (fstat(fd, &st) != 0)
        err_set(e, ERR_SYSTEM, path, "cannot be read: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        err_set(e, ERR_INPUT, path, "is a directory, expected a file");
    else if (!standard && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
        err_set(e, ERR_INPUT, path, "is neither a file nor a pipe");
    else
        return fd;
    if (!standard)
        close(fd);
    return -1;
}

static int read_all(int fd, const char *path, size_t limit, struct text *t, struct err *e)
{
    static const size_t step = (size_t)64 << 10;
    char *chunk = malloc(step);
    if (!chunk)
        return err_set(e, ERR_SYSTEM, path, "out of memory while reading");
    int failed = 0;
    for (;;) {
        ssize_t n = read(fd, chunk, step);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            failed = err_set(e, ERR_SYSTEM, path, "cannot be read: %s", strerror(errno));
        if (n <= 0)
            break;
        text_add_bytes(t, chunk, (size_t)n);
        if (t->length > limit)
            failed = err_set(e, ERR_INPUT, path, "larger than %zu bytes", limit);
        if (failed || (failed = text_end(t, e)))
            break;
    }
    free(chunk);
    return failed;
}

char *file_read(struct arena *a, const char *path, size_t limit, size_t *length, struct err *e)
{
    assert(a && path && length && e);
    struct text t = {0};
    char *copy = NULL;
    int fd = open_input(path, e);
    if (fd < 0)
        return NULL;
    if (read_all(fd, path, limit, &t, e) == 0) {
        copy = arena_text(a, t.s, t.length, e);
        *length = t.length;
    }
    text_fini(&t);
    if (fd != STDIN_FILENO)
        close(fd);
    return copy;
}
