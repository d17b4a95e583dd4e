/* scaler: finding a policy by its name. */
#include "models/control/scaler.h"

#include <string.h>

const struct scaler_policy *scaler_find(const char *name)
{
    for (const struct knob_option *const *o = scaler_options; *o; o++)
        if (strcmp((*o)->name, name) == 0)
            return (*o)->descriptor;
    return NULL;
}
