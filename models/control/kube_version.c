/* kube_version: reading a version. */
#include "models/control/kube_version.h"

#include <string.h>

const char *kube_version_minor(const char *version, int32_t *minor)
{
    const char *s = version + (*version == 'v');
    if (strncmp(s, "1.", 2) != 0 || s[2] < '0' || s[2] > '9')
        return NULL;
    *minor = 0;
    for (s += 2; *s >= '0' && *s <= '9' && *minor < 1000; s++)
        *minor = *minor * 10 + (*s - '0');
    return s;
}
