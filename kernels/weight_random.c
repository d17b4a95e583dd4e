/* weight_random: random weights by name. */
#include "kernels/weight_random.h"

#include "sim/chance.h"
#include "sim/digest.h"

#include <math.h>

/* Middle and half width of a tensor's uniform values. */
static void range(const struct weight *w, double *middle, double *half)
{
    size_t inputs = weight_count(w) / (size_t)w->extents[0];
    *middle = w->kind == WEIGHT_GAIN || w->kind == WEIGHT_VARIANCE ? 1 : 0;
    *half = w->kind == WEIGHT_PRODUCT    ? sqrt(6.0 / (double)inputs)
            : w->kind == WEIGHT_VARIANCE ? 0.5
            : w->kind == WEIGHT_TABLE    ? 0.05
                                         : 0.1;
}

static int read(void *self, const struct weight *w, float *out, struct err *e)
{
    const uint64_t *seed = self;
    struct digest name = {0};
    double middle, half;
    (void)e;
    digest_text(&name, w->name);
    struct chance c = chance_stream(*seed, 0, CHANCE_WEIGHT, digest_value(&name));
    range(w, &middle, &half);
    for (size_t i = 0, n = weight_count(w); i < n; i++)
        out[i] = (float)(middle + half * (2 * chance_uniform(c, i) - 1));
    return 0;
}

struct weight_source weight_random(uint64_t *seed)
{
    return (struct weight_source){read, seed};
}
