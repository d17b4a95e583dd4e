/* gate: intervals of ratios. */
#include "kernels/gate.h"

#include <assert.h>
#include <math.h>

/* Half the width of the interval in the logarithm. */
static double half_of(const struct gate_median *m)
{
    assert(m->low > 0 && m->low <= m->value && m->value <= m->high && isfinite(m->high));
    return log(m->high / m->low) / 2;
}

struct gate gate_judge(const struct gate_median *before, const struct gate_median *now,
                       double tolerance)
{
    assert(tolerance >= 0);
    double half = hypot(half_of(before), half_of(now)), ratio = now->value / before->value;
    struct gate g = {ratio, ratio * exp(-half), ratio * exp(half), GATE_SAME};
    if (g.low > 1 + tolerance)
        g.verdict = GATE_SLOWER;
    else if (g.high < 1 / (1 + tolerance))
        g.verdict = GATE_FASTER;
    return g;
}
