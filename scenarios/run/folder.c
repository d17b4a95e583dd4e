/* folder: listing files. */
#include "scenarios/run/folder.h"

#include "sim/arena.h"
#include "sim/text.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool has_ending(const char *name, const char *endings)
{
    size_t length = strlen(name);
    while (*endings) {
        size_t n = strcspn(endings, " ");
        if (length > n && strncmp(name + length - n, endings, n) == 0)
            return true;
        endings += n + strspn(endings + n, " ");
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *folder_join(struct arena *a, const char *dir, const char *name, struct err *e)
{
    struct text t = {0};
    char *joined = NULL;
    if (name[0] != '/' && dir[0] && strcmp(dir, ".") != 0)
        text_printf(&t, "%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/");
    text_add(&t, name);
    if (text_end(&t, e) == 0)
        joined = arena_text(a, t.s ? t.s : "", t.length, e);
    text_fini(&t);
    return joined;
}

char *folder_of(struct arena *a, const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return arena_text(a, ".", 1, e);
    return arena_text(a, path, slash == path ? 1 : (size_t)(slash - path), e);
}

static int collect(struct folder *f, struct arena *a, DIR *d, const char *dir, const char *endings,
                   struct err *e)
{
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        if (entry->d_name[0] == '.' || !has_ending(entry->d_name, endings))
            continue;
        if (f->n == FOLDER_MAX_FILES)
            return err_set(e, ERR_INPUT, dir, "more than %d files", FOLDER_MAX_FILES);
        f->paths[f->n] = folder_join(a, dir, entry->d_name, e);
        if (!f->paths[f->n++])
            return -1;
    }
    return 0;
}

int folder_list(struct folder *f, struct arena *a, const char *dir, const char *endings,
                struct err *e)
{
    *f = (struct folder){0};
    f->paths = arena_take(a, FOLDER_MAX_FILES, sizeof *f->paths, e);
    if (!f->paths)
        return -1;
    DIR *d = opendir(dir);
    if (!d)
        return err_set(e, ERR_INPUT, dir, "this folder cannot be read");
    int rc = collect(f, a, d, dir, endings, e);
    closedir(d);
    qsort(f->paths, f->n, sizeof *f->paths, by_name);
    return rc;
}
