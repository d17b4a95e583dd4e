/* quality: how far a figure of the world may be trusted. */
#include "models/money/quality.h"

const struct knob_name quality_names[] = {
    {"official", QUALITY_OFFICIAL, "stated by who makes or sells it"},
    {"third-party", QUALITY_THIRD_PARTY, "stated by somebody else"},
    {"measured", QUALITY_MEASURED, "measured, or computed from a public data set"},
    {"assumed", QUALITY_ASSUMED, "our inference; the note says from what"},
    {0},
};
