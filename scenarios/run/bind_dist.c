/* bind_dist: the reader of a distribution. */
#include "scenarios/run/bind_dist.h"

#include "scenarios/run/bind.h"
#include "scenarios/run/bind_scalar.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/json.h"
#include "sim/knob.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

/* One pair of figures that makes a distribution of a kind. */
struct dist_form {
    const char *name;
    enum dist_kind kind;
    const char *keys[2]; /* the first is a duration but for "shape" */
};

static const struct dist_form dist_forms[] = {
    {"constant", DIST_CONSTANT, {"mean", NULL}},
    {"constant", DIST_CONSTANT, {"value", NULL}},
    {"exponential", DIST_EXPONENTIAL, {"mean", NULL}},
    {"uniform", DIST_UNIFORM, {"min", "max"}},
    {"uniform", DIST_UNIFORM, {"mean", "cv"}},
    {"normal", DIST_NORMAL, {"mean", "cv"}},
    {"lognormal", DIST_LOGNORMAL, {"mean", "cv"}},
    {"lognormal", DIST_LOGNORMAL, {"median", "sigma"}},
    {"weibull", DIST_WEIBULL, {"mean", "cv"}},
    {"weibull", DIST_WEIBULL, {"shape", "scale"}},
    {"gamma", DIST_GAMMA, {"mean", "cv"}},
    {"gamma", DIST_GAMMA, {"shape", "scale"}},
};
#define DIST_FORMS (sizeof dist_forms / sizeof *dist_forms)

/* What the object's kind can be made from: "mean and cv, or shape and scale". */
static int fail_form(const struct bind_field *f, const char *kind, struct err *e)
{
    struct text t = {0};
    for (size_t i = 0; i < DIST_FORMS; i++) {
        const struct dist_form *form = &dist_forms[i];
        if (strcmp(form->name, kind) == 0)
            text_printf(&t, "%s%s%s%s", t.length ? ", or " : "", form->keys[0],
                        form->keys[1] ? " and " : "", form->keys[1] ? form->keys[1] : "");
    }
    bind_fail(f->value, f->path, e, "%s takes %s (beside \"distribution\")", kind, t.s ? t.s : "");
    text_fini(&t);
    return -1;
}

static int dist_find(const struct bind_field *f, const struct dist_form **out, struct err *e)
{
    const char *names[DIST_FORMS];
    const struct json *kind = json_get(f->value, "distribution");
    bool known = false;
    size_t n = 0;
    if (!kind || kind->type != JSON_STRING)
        return bind_field_expected(f, "", e);
    for (size_t i = 0; i < DIST_FORMS; i++) {
        const struct dist_form *form = &dist_forms[i];
        if (n == 0 || strcmp(names[n - 1], form->name) != 0)
            names[n++] = form->name;
        if (strcmp(form->name, kind->string) != 0)
            continue;
        known = true;
        bool both = json_get(f->value, form->keys[0]) &&
                    (!form->keys[1] || json_get(f->value, form->keys[1]));
        if (both && f->value->count == (form->keys[1] ? 3u : 2u)) {
            *out = form;
            return 0;
        }
    }
    if (known)
        return fail_form(f, kind->string, e);
    const struct bind_field named = {f->row, kind, f->path, NULL};
    return bind_field_unknown_name(&named, kind->string, names, n, e);
}

/* One figure of a distribution: a duration in nanoseconds, or a plain number. */
static int dist_figure(struct bind *b, const struct bind_field *f, const char *key, double *out,
                       struct err *e)
{
    static const struct knob number_row = {.kind = KNOB_NUMBER};
    static const struct knob duration_row = {.kind = KNOB_DURATION};
    char path[BIND_PATH_LONGEST];
    int64_t ns;
    bool plain = strcmp(key, "cv") == 0 || strcmp(key, "sigma") == 0 || strcmp(key, "shape") == 0;
    snprintf(path, sizeof path, "%s.%s", f->path, key);
    struct bind_field figure = {plain ? &number_row : &duration_row, json_get(f->value, key), path,
                                out};
    if (plain)
        return bind_scalar_number(b, &figure, e);
    if (bind_scalar_duration(&figure, &ns, e))
        return -1;
    *out = (double)ns;
    return 0;
}

static int dist_build(const struct bind_field *f, const struct dist_form *form, const double v[2],
                      struct err *e)
{
    const char *key = form->keys[0];
    struct dist *d = f->at;
    if (strcmp(key, "min") == 0) {
        if (v[0] >= v[1])
            return bind_fail(f->value, f->path, e, "min must be below max");
        *d = dist_uniform(v[0], v[1]);
        return 0;
    }
    if (strcmp(key, "median") == 0) {
        if (v[0] <= 0 || v[1] < 0 || v[1] > 10)
            return bind_fail(f->value, f->path, e,
                             "median must be above 0 and sigma (of the logarithm) in 0..10");
        *d = dist_lognormal_median(v[0], v[1]);
        return 0;
    }
    if (strcmp(key, "shape") == 0) {
        if (v[1] <= 0)
            return bind_fail(f->value, f->path, e, "scale must be above 0");
        return dist_shape(d, form->kind, v[0], v[1], e) ? bind_field_complete(f->value, f->path, e)
                                                        : 0;
    }
    return dist_make(d, form->kind, v[0], v[1], e) ? bind_field_complete(f->value, f->path, e) : 0;
}

/* Bounds hold for the mean of a distribution; a file shows it only as figures. */
static int check_mean(const struct bind_field *f, double mean_ns, struct err *e)
{
    struct err range = {0};
    char mean[64];
    struct text t = {0};
    if (bind_field_check_range(f, mean_ns / 1e9, &range) == 0)
        return 0;
    knob_bounds(&t, f->row);
    text_duration(mean, sizeof mean, mean_ns < 9e18 ? (int64_t)mean_ns : INT64_MAX);
    bind_fail(f->value, f->path, e, "its mean, %s, is outside %s", mean, t.s ? t.s : "its bounds");
    text_fini(&t);
    return -1;
}

int bind_dist_read(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct dist_form *form = NULL;
    struct dist *d = f->at;
    double v[2] = {0, 0};
    int64_t ns;
    if (f->value->type != JSON_OBJECT) {
        if (f->value->type != JSON_STRING && f->value->type != JSON_NUMBER)
            return bind_field_expected(f, "", e);
        if (bind_scalar_duration(f, &ns, e))
            return -1;
        *d = dist_constant((double)ns);
        return 0;
    }
    if (dist_find(f, &form, e))
        return -1;
    for (int i = 0; i < 2 && form->keys[i]; i++)
        if (dist_figure(b, f, form->keys[i], &v[i], e))
            return -1;
    if (dist_build(f, form, v, e))
        return -1;
    return check_mean(f, d->mean, e);
}
