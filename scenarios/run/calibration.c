/* calibration: the profiles of a folder. */
#include "scenarios/run/calibration.h"

#include "scenarios/run/bind.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <string.h>

static int load_file(struct profile_file *out, struct arena *a, const char *path, struct err *e)
{
    struct json *root = yaml_load(a, path, e);
    struct bind b = {.arena = a};
    if (!root || bind_object(&b, root, "", &profile_file_knobs, out, e))
        return -1;
    out->file = path;
    return 0;
}

int calibration_load(struct calibration *c, struct arena *a, const char *dir, struct err *e)
{
    struct folder f;
    if (folder_list(&f, a, dir, ".json", e))
        return -1;
    struct profile_file *files = arena_take(a, f.n, sizeof *files, e);
    if (!files)
        return -1;
    for (size_t i = 0; i < f.n; i++)
        if (load_file(&files[i], a, f.paths[i], e))
            return -1;
    *c = (struct calibration){files, f.n, NULL};
    return 0;
}

int calibration_load_file(struct calibration *c, struct arena *a, const char *path, struct err *e)
{
    struct profile_file *file = arena_take(a, 1, sizeof *file, e);
    if (!file || load_file(file, a, path, e))
        return -1;
    *c = (struct calibration){file, 1, path};
    return 0;
}

static const struct profile *find_in(const struct profile_file *file, const char *name)
{
    const struct profile *profiles = file->profiles.items;
    for (size_t i = 0; i < file->profiles.count; i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

#define CALIBRATION_MAX_NAMES 1024

static const char *nearest(const struct calibration *c, const char *name)
{
    const char *names[CALIBRATION_MAX_NAMES];
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct profile *profiles = c->files[i].profiles.items;
        for (size_t j = 0; j < c->files[i].profiles.count && n < CALIBRATION_MAX_NAMES; j++)
            names[n++] = profiles[j].name;
    }
    return text_nearest(name, names, n);
}

const struct profile *calibration_find(const struct calibration *c, const char *name,
                                       const char *where, struct err *e)
{
    for (size_t i = c->n; i > 0; i--) {
        const struct profile *p = find_in(&c->files[i - 1], name);
        if (p)
            return p;
    }
    const char *near = nearest(c, name);
    err_set(e, ERR_INPUT, where, "calibration '%s' is %s%s%s%s%s", name,
            c->only ? "not in " : "in none of the files of the folder calibration",
            c->only ? c->only : "", near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
    return NULL;
}
