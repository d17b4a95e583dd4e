/* result: what one run learnt. */
#include "sim/result.h"

#include <string.h>

const struct figure *result_figure(const struct result *r, const char *path)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].path, path) == 0)
            return &r->figures[i];
    return NULL;
}

double result_value(const struct result *r, const char *path, double otherwise)
{
    const struct figure *f = result_figure(r, path);
    return f ? f->value : otherwise;
}

const struct result_series *result_find_series(const struct result *r, const char *path)
{
    for (size_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].path, path) == 0)
            return &r->series[i];
    return NULL;
}
