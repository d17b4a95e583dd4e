/* knob: names of the settings' qualities. */
#include "sim/knob.h"

#include <assert.h>

const char *knob_quality_name(enum knob_quality q)
{
    static const char *const names[] = {
        [QUALITY_NONE] = "none",         [QUALITY_OFFICIAL] = "official",
        [QUALITY_MEASURED] = "measured", [QUALITY_THIRD_PARTY] = "third-party",
        [QUALITY_ASSUMED] = "assumed",
    };
    assert((unsigned)q < sizeof names / sizeof names[0]);
    return names[q];
}
