/* service_time: reading service times by kind of GPU. */
#include "scenarios/run/service_time.h"

#include "models/serving/profile.h"
#include "models/serving/service.h"
#include "scenarios/run/bind.h"
#include "scenarios/run/calibration.h"
#include "scenarios/run/folder.h"
#include "sim/arena.h"
#include "sim/result.h"

#include <stdio.h>
#include <string.h>

static const struct knob time_row = {
    .key = "serviceTime",
    .kind = KNOB_DIST,
    .offset = offsetof(struct service_time, time),
};

static bool is_single(const struct json *value)
{
    return value->type != JSON_OBJECT || json_get(value, "distribution") ||
           json_get(value, "calibration");
}

static bool is_whole(const struct json *c, double least, double most)
{
    return c->type == JSON_NUMBER && c->number >= least && c->number <= most &&
           c->number == (double)(int64_t)c->number;
}

/* The field that a text of the reference goes to; NULL for another key. */
static const char **text_field(struct service_time *t, const char *key)
{
    const struct {
        const char *key;
        const char **field;
    } fields[] = {{"calibration", &t->calibration}, {"file", &t->file},
                  {"device", &t->key.device},       {"clocks", &t->key.clocks},
                  {"driver", &t->key.driver},       {"framework", &t->key.framework},
                  {"precision", &t->key.precision}, {"model", &t->key.model}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].key, key) == 0)
            return fields[i].field;
    return NULL;
}

/* {"calibration": name}, with "file" and "batch" or without, and with parts of the profile's key.
 */
static int read_reference(const struct json *value, const char *path, struct service_time *t,
                          struct err *e)
{
    t->batch = 1;
    t->key.sequence = -1;
    for (const struct json *c = value->first; c; c = c->next) {
        const char **field = text_field(t, c->key);
        if (field && c->type == JSON_STRING && c->string[0])
            *field = c->string;
        else if (strcmp(c->key, "batch") == 0 && is_whole(c, 1, 1024))
            t->batch = (int64_t)c->number;
        else if (strcmp(c->key, "sequence") == 0 && is_whole(c, 0, 1e6))
            t->key.sequence = (int64_t)c->number;
        else
            return bind_fail(c, path, e,
                             "'%s': a calibration has its name and, if need be, \"file\", "
                             "\"batch\" (a whole number of 1 to 1024), and of its key \"device\", "
                             "\"clocks\", \"driver\", \"framework\", \"precision\", \"model\" and "
                             "\"sequence\"",
                             c->key);
    }
    return 0;
}

static int read_one(struct bind *b, const struct json *value, const char *path,
                    struct service_time *t, struct err *e)
{
    char place[600];
    json_place(place, sizeof place, value);
    const struct json *reference = json_get(value, "calibration");
    if (reference && read_reference(value, path, t, e))
        return -1;
    if (reference)
        json_place(place, sizeof place, reference);
    else if (bind_value(b, &time_row, value, path, t, e))
        return -1;
    else if (t->time.mean <= 0)
        return bind_fail(value, path, e, "a service time is above 0");
    t->origin = arena_text(b->arena, place, strlen(place), e);
    return t->origin ? 0 : -1;
}

int service_time_read(const struct knob_given *g, struct err *e)
{
    const struct json *value = g->value;
    struct knob_list *list = g->out;
    size_t n = is_single(value) ? 1 : value->count;
    char item[600];
    if (n == 0)
        return bind_fail(value, g->path, e, "empty; allowed is %s", SERVICE_TIME_SHAPE);
    struct service_time *times = arena_take(g->bind->arena, n, sizeof *times, e);
    if (!times)
        return -1;
    *list = (struct knob_list){times, n};
    if (is_single(value)) {
        times[0].gpu = "";
        return read_one(g->bind, value, g->path, &times[0], e);
    }
    for (const struct json *c = value->first; c; c = c->next, times++) {
        snprintf(item, sizeof item, "%s.%s", g->path, c->key);
        times->gpu = c->key;
        if (read_one(g->bind, c, item, times, e))
            return -1;
    }
    return 0;
}

/* ---- references ---- */

/* In the file that lies beside the scenario, or in the shipped ones. */
static const struct profile *find_profile(const struct service_time_frame *f,
                                          const struct service_time *t, struct err *e)
{
    struct calibration own;
    struct calibration_reference r = {t->calibration, t->origin, t->key};
    if (!t->file)
        return calibration_find(f->shipped, &r, e);
    const char *path = folder_join(f->arena, f->base_dir, t->file, e);
    if (!path || calibration_load_file(&own, f->arena, path, e))
        return NULL;
    return calibration_find(&own, &r, e);
}

/* "bert/V100/fp32: 5.73 ms at batch 1; ...; of device ..." */
static const char *describe(const struct service_time_frame *f, const struct service_time *t,
                            struct err *e)
{
    const struct profile *p = t->profile;
    char value[400 + PROFILE_KEY_TEXT], key[PROFILE_KEY_TEXT];
    int n = snprintf(value, sizeof value, "%.160s: %.4g ms at batch %lld", p->name,
                     t->time.mean / 1e6, (long long)t->batch);
    if (p->worst > 0)
        n +=
            snprintf(value + n, sizeof value - (size_t)n,
                     "; its line foretold other batches %.2g %% off, at worst %.2g %% (batch %lld)",
                     100 * p->mape, 100 * p->worst, (long long)p->worst_batch);
    profile_key_text(p, key);
    n += snprintf(value + n, sizeof value - (size_t)n, "; of %s", key);
    return arena_text(f->arena, value, (size_t)n, e);
}

int service_time_resolve(const struct service_time_frame *f, size_t service, struct service_time *t,
                         struct result_assumption *out, struct err *e)
{
    char path[300];
    if (!t->calibration)
        return 0;
    const struct profile *p = find_profile(f, t, e);
    if (!p)
        return -1;
    if (t->gpu[0] && strcmp(t->gpu, p->gpu) != 0)
        return err_set(e, ERR_INPUT, t->origin, "calibration '%s' is of a %s; it stands under %s",
                       p->name, p->gpu, t->gpu);
    t->profile = p;
    t->time = profile_dist(p, t->batch);
    snprintf(path, sizeof path, "services[%zu].serving.serviceTime%s%.200s", service,
             t->gpu[0] ? "." : "", t->gpu);
    *out =
        (struct result_assumption){arena_text(f->arena, path, strlen(path), e), describe(f, t, e),
                                   knob_quality_name((enum knob_quality)p->quality), p->source};
    return out->path && out->value ? 1 : -1;
}
