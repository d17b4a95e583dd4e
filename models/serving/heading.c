/* heading: where closing figures of one service go, each behind the service's prefix. */
#include "models/serving/heading.h"

#include <stdio.h>

void heading_put(const struct heading *to, const char *path, const char *unit,
                 enum figure_merge merge, double value)
{
    char full[192];
    snprintf(full, sizeof full, "%s%s", to->prefix, path);
    recorder_figure(to->recorder, full, unit, merge, value);
}
