/* scaler: finding a policy by its name. */
#include "models/control/scaler.h"

#include <string.h>

const struct scaler_policy *scaler_find(const char *name)
{
    for (const struct scaler_policy *const *p = scaler_policies; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}
