/* dice: random small numbers for property tests, the same on every machine. */
#ifndef SLUICE_TESTS_DICE_H
#define SLUICE_TESTS_DICE_H

#include "sim/chance.h"

/* A stream and how many draws were taken from it. */
struct dice {
    struct chance chance;
    uint64_t index;
};

static inline struct dice dice_of(uint64_t entity)
{
    return (struct dice){.chance = chance_stream(20240917, 0, CHANCE_TEST, entity)};
}

/* min..max, both included. */
static inline int64_t dice_int(struct dice *d, int64_t min, int64_t max)
{
    return min + (int64_t)chance_below(d->chance, d->index++, (uint64_t)(max - min) + 1);
}

static inline int dice_flag(struct dice *d)
{
    return (int)dice_int(d, 0, 1);
}

#endif
