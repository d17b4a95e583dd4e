/* catalog_files: the catalogue read from its folder and from files of the user. */
#include "scenarios/run/catalog_files.h"

#include "models/capacity/catalog.h"
#include "scenarios/run/bind.h"
#include "sim/arena.h"
#include "sim/digest.h"
#include "sim/file.h"
#include "sim/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds that no honest catalogue meets. */
#define FILES_MAX 256
#define FILE_BYTES_MAX (16u << 20)

static bool is_json(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && name[0] != '.' && strcmp(name + n - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static const char *joined(struct arena *a, const char *dir, const char *name, struct err *e)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *path = arena_take(a, n, 1, e);
    if (path)
        snprintf(path, n, "%s/%s", dir, name);
    return path;
}

/* The folder's files in the order of their names: readdir's own differs from disk to disk. */
static int list_folder(struct arena *a, const char *dir, const char **paths, size_t *n,
                       struct err *e)
{
    DIR *d = opendir(dir);
    if (!d)
        return err_set(e, ERR_INPUT, dir, "cannot open the catalogue: %s", strerror(errno));
    int rc = 0;
    for (const struct dirent *entry; rc == 0 && (entry = readdir(d));) {
        if (!is_json(entry->d_name))
            continue;
        if (*n == FILES_MAX)
            rc = err_set(e, ERR_INPUT, dir, "more than %d catalogue files", FILES_MAX);
        else if (!(paths[(*n)++] = joined(a, dir, entry->d_name, e)))
            rc = -1;
    }
    closedir(d);
    qsort(paths, *n, sizeof *paths, by_name);
    return rc;
}

static int read_part(struct bind *b, const char *path, struct catalog_part *part,
                     struct digest *content, struct err *e)
{
    size_t length;
    char *text = file_read(b->arena, path, FILE_BYTES_MAX, &length, e);
    struct json *root = text ? json_parse(b->arena, path, text, length, e) : NULL;
    if (!root || bind_object(b, root, "", &catalog_part_knobs, part, e))
        return -1;
    if (content)
        digest_bytes(content, text, length);
    part->file = path;
    return catalog_check_part(part, e);
}

const struct catalog *catalog_files_load(struct arena *a, const struct catalog_source *s,
                                         struct err *e)
{
    const char *paths[FILES_MAX];
    size_t n = 0;
    if (s->dir && list_folder(a, s->dir, paths, &n, e))
        return NULL;
    if (s->n_files > FILES_MAX - n) {
        err_set(e, ERR_INPUT, NULL, "more than %d catalogue files", FILES_MAX);
        return NULL;
    }
    for (size_t i = 0; i < s->n_files; i++)
        paths[n++] = s->files[i];
    struct catalog *c = arena_take(a, 1, sizeof *c, e);
    struct catalog_part *parts = arena_take(a, n, sizeof *parts, e);
    struct bind b = {.arena = a};
    if (!c || !parts)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (read_part(&b, paths[i], &parts[i], s->content, e))
            return NULL;
    c->parts = parts;
    c->n_parts = n;
    return c;
}
