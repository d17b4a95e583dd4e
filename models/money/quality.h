/* quality: how far a figure of the world may be trusted, as a file spells it. */
#ifndef SLUICE_MODELS_MONEY_QUALITY_H
#define SLUICE_MODELS_MONEY_QUALITY_H

#include "sim/knob.h"

/* For KNOB_NAME rows; ends with a NULL name. The values are enum knob_quality. */
extern const struct knob_name quality_names[];

#endif
