/* scope: lookups under a prefix. */
#include "reports/scope.h"

#include <assert.h>
#include <string.h>

#define SERVICES "services."

/* Length of "services.<name>." at the start of path, or 0. The name ends where a known group of
 * figures begins. */
static size_t service_prefix(const char *path)
{
    static const char *const groups[] = {"requests.", "latency.", "slo.",     "replicas.",
                                         "startup.",  "cost.",    "traffic.", "metric.",
                                         "nodes.",    NULL};
    size_t head = strlen(SERVICES);
    if (strncmp(path, SERVICES, head) != 0)
        return 0;
    for (const char *dot = strchr(path + head, '.'); dot; dot = strchr(dot + 1, '.')) {
        for (size_t i = 0; groups[i]; i++) {
            if (strncmp(dot + 1, groups[i], strlen(groups[i])) == 0)
                return (size_t)(dot + 1 - path);
        }
    }
    return 0;
}

static bool seen_before(const struct result *r, size_t index, size_t length)
{
    for (size_t i = 0; i < index; i++) {
        if (service_prefix(r->figures[i].path) == length &&
            strncmp(r->figures[i].path, r->figures[index].path, length) == 0)
            return true;
    }
    return false;
}

struct scope scope_whole(const struct result *r)
{
    return (struct scope){.result = r, .prefix = "", .name = ""};
}

bool scope_next(struct scope *s)
{
    assert(s && s->result);
    const struct result *r = s->result;
    bool first = s->prefix == NULL;
    for (size_t i = s->next; i < r->n_figures; i++) {
        size_t length = service_prefix(r->figures[i].path);
        if (length == 0 || seen_before(r, i, length))
            continue;
        s->prefix = r->figures[i].path;
        s->prefix_length = length;
        s->name = s->prefix + strlen(SERVICES);
        s->name_length = length - strlen(SERVICES) - 1;
        s->next = i + 1;
        return true;
    }
    s->next = r->n_figures;
    if (!first)
        return false;
    *s = scope_whole(r);
    s->next = r->n_figures;
    return true;
}

static bool matches(const struct scope *s, const char *path, const char *rest)
{
    return strncmp(path, s->prefix, s->prefix_length) == 0 &&
           strcmp(path + s->prefix_length, rest) == 0;
}

const struct figure *scope_figure(const struct scope *s, const char *path)
{
    for (size_t i = 0; i < s->result->n_figures; i++) {
        if (matches(s, s->result->figures[i].path, path))
            return &s->result->figures[i];
    }
    return NULL;
}

double scope_value(const struct scope *s, const char *path, double otherwise)
{
    const struct figure *f = scope_figure(s, path);
    return f ? f->value : otherwise;
}

const struct result_series *scope_series(const struct scope *s, const char *path)
{
    for (size_t i = 0; i < s->result->n_series; i++) {
        if (matches(s, s->result->series[i].path, path))
            return &s->result->series[i];
    }
    return NULL;
}

const char *scope_below(const struct scope *s, const struct figure *f, const char *head)
{
    size_t n = strlen(head);
    if (strncmp(f->path, s->prefix, s->prefix_length) != 0 ||
        strncmp(f->path + s->prefix_length, head, n) != 0)
        return NULL;
    return f->path + s->prefix_length + n;
}
