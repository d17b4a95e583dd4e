/* scope: lookups under a prefix. */
#include "reports/scope.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SERVICES "services."

const char *const scope_quantiles[SCOPE_QUANTILES] = {"p50", "p90", "p95", "p99", "p999"};
const char *const scope_quantile_labels[SCOPE_QUANTILES] = {"p50", "p90", "p95", "p99", "p99.9"};

/* The name ends where a known group of figures begins. */
size_t scope_prefix(const char *path)
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
        if (scope_prefix(r->figures[i].path) == length &&
            strncmp(r->figures[i].path, r->figures[index].path, length) == 0)
            return true;
    }
    return false;
}

/* Index of the first figure of the next service from figure `from` on; n_figures for none. */
static size_t next_service(const struct result *r, size_t from)
{
    for (size_t i = from; i < r->n_figures; i++) {
        size_t length = scope_prefix(r->figures[i].path);
        if (length > 0 && !seen_before(r, i, length))
            return i;
    }
    return r->n_figures;
}

static void take_service(struct scope *s, size_t index)
{
    s->prefix = s->result->figures[index].path;
    s->prefix_length = scope_prefix(s->prefix);
    s->name = s->prefix + strlen(SERVICES);
    s->name_length = s->prefix_length - strlen(SERVICES) - 1;
}

struct scope scope_whole(const struct result *r)
{
    struct scope whole = {.result = r, .prefix = "", .name = ""};
    size_t i = next_service(r, 0);
    if (i < r->n_figures && next_service(r, i + 1) == r->n_figures) {
        whole.also = r->figures[i].path;
        whole.also_length = scope_prefix(whole.also);
    }
    return whole;
}

bool scope_next(struct scope *s)
{
    assert(s && s->result);
    const struct result *r = s->result;
    bool begun = s->prefix != NULL;
    size_t i = next_service(r, s->next);
    bool alone = !begun && (i == r->n_figures || next_service(r, i + 1) == r->n_figures);
    s->next = i == r->n_figures ? i : i + 1;
    if (!alone) {
        if (i < r->n_figures)
            take_service(s, i);
        return i < r->n_figures;
    }
    *s = scope_whole(r);
    s->next = r->n_figures;
    return true;
}

static bool matches(const char *path, const char *prefix, size_t length, const char *rest)
{
    return strncmp(path, prefix, length) == 0 && strcmp(path + length, rest) == 0;
}

const struct figure *scope_figure(const struct scope *s, const char *path)
{
    const struct figure *second = NULL;
    for (size_t i = 0; i < s->result->n_figures; i++) {
        const struct figure *f = &s->result->figures[i];
        if (matches(f->path, s->prefix, s->prefix_length, path))
            return f;
        if (s->also && matches(f->path, s->also, s->also_length, path))
            second = f;
    }
    return second;
}

double scope_value(const struct scope *s, const char *path, double otherwise)
{
    const struct figure *f = scope_figure(s, path);
    return f ? f->value : otherwise;
}

double scope_number(const struct scope *s, const char *path)
{
    return scope_value(s, path, (double)NAN);
}

const struct result_series *scope_series(const struct scope *s, const char *path)
{
    const struct result_series *second = NULL;
    for (size_t i = 0; i < s->result->n_series; i++) {
        const struct result_series *v = &s->result->series[i];
        if (matches(v->path, s->prefix, s->prefix_length, path))
            return v;
        if (s->also && matches(v->path, s->also, s->also_length, path))
            second = v;
    }
    return second;
}

const char *scope_below(const struct scope *s, const struct figure *f, const char *head)
{
    size_t n = strlen(head);
    if (strncmp(f->path, s->prefix, s->prefix_length) != 0 ||
        strncmp(f->path + s->prefix_length, head, n) != 0)
        return NULL;
    return f->path + s->prefix_length + n;
}
