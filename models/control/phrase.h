/* phrase: a sentence of bounded length with numbers in it, built without printf.
 *
 * A decision says why in words, and a simulated month takes hundreds of thousands of decisions:
 * printf's doubles would cost more than the decision itself. Text that does not fit is cut. */
#ifndef SLUICE_MODELS_CONTROL_PHRASE_H
#define SLUICE_MODELS_CONTROL_PHRASE_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

/* Writes into the caller's memory, which always holds a terminated string. */
struct phrase {
    char *s;
    size_t size, length;
};

void phrase_init(struct phrase *p, char *s, size_t size);
void phrase_text(struct phrase *p, const char *text);
void phrase_int(struct phrase *p, int64_t v);
void phrase_milli(struct phrase *p, int64_t milli); /* 10500 is "10.5" */
void phrase_ratio(struct phrase *p, double v);      /* three decimals; "inf" and "nan" occur */
void phrase_span(struct phrase *p, sim_ns span);    /* "300s", "1.5s" */

#endif
