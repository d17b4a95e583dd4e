/* request: what a pod asks of a node, out of its containers. */
#include "scenarios/run/request.h"

#include "scenarios/run/carry.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct resource {
    const char *from, *to;
    bool whole; /* counted in ones; a share is for the binder to refuse */
    bool bytes; /* rounded up to whole ones */
};

static const struct resource resources[] = {
    {"nvidia.com/gpu", "gpus", true, false},
    {"cpu", "cpu", false, false},
    {"memory", "memory", false, true},
};

/* More than any machine has, and far from the end of the type. */
#define MILLI_MAX (INT64_C(1) << 60)

/* A sum in the making. */
struct sum {
    int64_t milli;
    const struct json *first; /* of what was added; NULL: nothing */
    const struct json *odd;   /* what is no amount; NULL: none */
    size_t n;
};

static bool amount(const struct json *node, const struct resource *r, int64_t *milli)
{
    bool text = node->type == JSON_STRING || node->type == JSON_NUMBER;
    return text && text_parse_quantity(node->string, milli) && *milli >= 0 && *milli < MILLI_MAX &&
           (!r->whole || *milli % 1000 == 0);
}

static void add(struct sum *s, const struct json *node, const struct resource *r)
{
    int64_t milli = 0;
    if (!node)
        return;
    if (!amount(node, r, &milli))
        s->odd = s->odd ? s->odd : node;
    s->milli = s->milli + milli < MILLI_MAX ? s->milli + milli : MILLI_MAX;
    s->first = s->first ? s->first : node;
    s->n++;
}

static const struct json *asked(const struct json *owner, const char *name)
{
    const struct json *node = json_get(json_at(owner, "resources.requests"), name);
    return node ? node : json_get(json_at(owner, "resources.limits"), name);
}

static bool stays(const struct json *init)
{
    return strcmp(json_text_at(init, "restartPolicy", ""), "Always") == 0;
}

static struct sum larger(struct sum a, struct sum b)
{
    struct sum most = b.milli > a.milli || !a.first ? b : a;
    most.odd = a.odd ? a.odd : b.odd;
    return most;
}

static struct sum of_containers(const struct json *spec, const struct resource *r)
{
    const struct json *list = json_get(spec, "containers");
    const struct json *init = json_get(spec, "initContainers");
    struct sum all = {0}, kept = {0}, most = {0};
    for (const struct json *c = list ? list->first : NULL; c; c = c->next)
        add(&all, asked(c, r->from), r);
    for (const struct json *c = init ? init->first : NULL; c; c = c->next) {
        struct sum alone = kept;
        add(&alone, asked(c, r->from), r);
        if (stays(c)) {
            add(&all, asked(c, r->from), r);
            kept = alone;
        }
        most = larger(most, alone);
    }
    return larger(all, most);
}

static struct sum of_pod(const struct json *spec, const struct resource *r)
{
    const struct json *own = json_get(json_at(spec, "resources.requests"), r->from);
    struct sum s = of_containers(spec, r);
    if (!own && !s.first)
        own = asked(spec, r->from);
    if (own && !r->whole) {
        s = (struct sum){0};
        add(&s, own, r);
    }
    add(&s, json_get(json_get(spec, "overhead"), r->from), r);
    return s;
}

/* Whole units where it can be, so that a sum reads as a user would write it. */
static struct json *written(struct arena *a, const struct sum *s, const struct resource *r,
                            struct err *e)
{
    char text[40];
    if (r->bytes || s->milli % 1000 == 0)
        snprintf(text, sizeof text, "%lld", (long long)((s->milli + 999) / 1000));
    else
        snprintf(text, sizeof text, "%lldm", (long long)s->milli);
    const char *kept = arena_text(a, text, strlen(text), e);
    return kept ? carry_text(a, r->to, kept, s->first, e) : NULL;
}

static int add_one(struct arena *a, struct json *pod, const struct json *spec,
                   const struct resource *r, struct err *e)
{
    struct sum s = of_pod(spec, r);
    const struct json *as_is = s.odd ? s.odd : s.n == 1 ? s.first : NULL;
    if (!s.first)
        return 0;
    struct json *made = as_is ? carry_copy(a, as_is, r->to, e) : written(a, &s, r, e);
    if (!made)
        return -1;
    json_append(pod, made);
    return 0;
}

int request_add(struct arena *a, struct json *pod, const struct json *spec, struct err *e)
{
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
        if (add_one(a, pod, spec, &resources[i], e))
            return -1;
    return 0;
}
