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

/* Profiles of the reference's name, and of its key too when `exact`. */
static size_t matches(const struct calibration *c, const struct calibration_reference *r,
                      bool exact, const struct profile **last)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct profile *p = c->files[i].profiles.items;
        for (size_t k = 0; k < c->files[i].profiles.count; k++)
            if (strcmp(p[k].name, r->name) == 0 && (!exact || profile_fits(&p[k], &r->key))) {
                *last = &p[k];
                n++;
            }
    }
    return n;
}

#define KEYS_LISTED 4

static void list_keys(const struct calibration *c, const struct calibration_reference *r,
                      bool exact, struct text *to)
{
    size_t listed = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct profile *p = c->files[i].profiles.items;
        for (size_t k = 0; k < c->files[i].profiles.count && listed < KEYS_LISTED; k++) {
            char words[PROFILE_KEY_TEXT];
            if (strcmp(p[k].name, r->name) != 0 || (exact && !profile_fits(&p[k], &r->key)))
                continue;
            const char *slash = strrchr(c->files[i].file, '/');
            profile_key_text(&p[k], words);
            text_printf(to, "%s(%s) %s", listed++ ? ", " : "", slash ? slash + 1 : c->files[i].file,
                        words);
        }
    }
}

static void refuse_unknown(const struct calibration *c, const struct calibration_reference *r,
                           struct err *e)
{
    const char *near = nearest(c, r->name);
    err_set(e, ERR_INPUT, r->where, "calibration '%s' is %s%s%s%s%s", r->name,
            c->only ? "not in " : "in none of the files of the folder calibration",
            c->only ? c->only : "", near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
}

static void refuse_key(const struct calibration *c, const struct calibration_reference *r,
                       bool several, struct err *e)
{
    struct text keys = {0};
    list_keys(c, r, several, &keys);
    if (text_end(&keys, e) == 0)
        err_set(e, ERR_INPUT, r->where,
                several ? "calibration '%s' is the name of several profiles: %s; \"device\", "
                          "\"clocks\", \"driver\", \"framework\", \"precision\", \"model\" or "
                          "\"sequence\" beside it says which"
                        : "calibration '%s' is there, but not of the key that is asked for: %s",
                r->name, keys.s);
    text_fini(&keys);
}

const struct profile *calibration_find(const struct calibration *c,
                                       const struct calibration_reference *r, struct err *e)
{
    const struct profile *found = NULL, *named = NULL;
    size_t n = matches(c, r, true, &found);
    if (n == 1)
        return found;
    if (n == 0 && matches(c, r, false, &named) == 0)
        refuse_unknown(c, r, e);
    else
        refuse_key(c, r, n > 1, e);
    return NULL;
}
