/* service_time: reading service times by kind of GPU. */
#include "scenarios/run/service_time.h"

#include "models/serving/service.h"
#include "scenarios/run/bind.h"
#include "sim/arena.h"

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

static int read_one(struct bind *b, const struct json *value, const char *path,
                    struct service_time *t, struct err *e)
{
    char place[600];
    json_place(place, sizeof place, value);
    const struct json *reference = json_get(value, "calibration");
    if (!reference) {
        if (bind_value(b, &time_row, value, path, t, e))
            return -1;
        if (t->time.mean <= 0)
            return bind_fail(value, path, e, "a service time is above 0");
        t->origin = arena_text(b->arena, place, strlen(place), e);
        return t->origin ? 0 : -1;
    }
    if (reference->type != JSON_STRING || value->count != 1)
        return bind_fail(value, path, e, "allowed is %s", SERVICE_TIME_SHAPE);
    json_place(place, sizeof place, reference);
    t->calibration = reference->string;
    t->origin = arena_text(b->arena, place, strlen(place), e);
    return t->origin ? 0 : -1;
}

int service_time_read(struct bind *b, const struct json *value, const char *path, void *out,
                      struct err *e)
{
    struct knob_list *list = out;
    size_t n = is_single(value) ? 1 : value->count;
    char item[600];
    if (n == 0)
        return bind_fail(value, path, e, "empty; allowed is %s", SERVICE_TIME_SHAPE);
    struct service_time *times = arena_take(b->arena, n, sizeof *times, e);
    if (!times)
        return -1;
    *list = (struct knob_list){times, n};
    if (is_single(value)) {
        times[0].gpu = "";
        return read_one(b, value, path, &times[0], e);
    }
    for (const struct json *c = value->first; c; c = c->next, times++) {
        snprintf(item, sizeof item, "%s.%s", path, c->key);
        times->gpu = c->key;
        if (read_one(b, c, item, times, e))
            return -1;
    }
    return 0;
}
