/* quality: how far a figure of the world may be trusted, as a file spells it. */
#ifndef SLUICE_MODELS_MONEY_QUALITY_H
#define SLUICE_MODELS_MONEY_QUALITY_H

#include "sim/knob.h"

#include <stddef.h>

/* For KNOB_NAME rows; ends with a NULL name. The values are enum knob_quality. */
extern const struct knob_name quality_names[];

/* The rows of an entry's quality, date, source and note. */
#define QUALITY_ROWS(type)                                                                         \
    {.key = "quality",                                                                             \
     .kind = KNOB_NAME,                                                                            \
     .offset = offsetof(type, quality),                                                            \
     .doc = "How far the figures may be trusted.",                                                 \
     .names = quality_names},                                                                      \
        {.key = "date",                                                                            \
         .kind = KNOB_TEXT,                                                                        \
         .offset = offsetof(type, date),                                                           \
         .doc = "Date of the source."},                                                            \
        {.key = "source",                                                                          \
         .kind = KNOB_TEXT,                                                                        \
         .offset = offsetof(type, source),                                                         \
         .doc = "Document the figures come from."},                                                \
    {                                                                                              \
        .key = "note", .kind = KNOB_TEXT, .offset = offsetof(type, note),                          \
        .doc = "What a reader should know.", .preset = ""                                          \
    }

#endif
