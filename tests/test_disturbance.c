/* test_disturbance: counters and probes; no clock is judged. */
#include "kernels/disturbance.h"

#include <criterion/criterion.h>

Test(disturbance, figures_are_counted_and_in_range)
{
    struct disturbance_watch w;
    struct disturbance d;
    disturbance_begin(&w);
    disturbance_probe(&w);
    disturbance_end(&w, &d);
    cr_expect(d.clock_ghz > 0 && d.clock_low_ghz > 0 && d.clock_low_ghz <= d.clock_ghz);
    cr_expect(d.steal_share >= 0 && d.steal_share <= 1);
    cr_expect(d.preempted >= 0 && d.throttles >= -1);
}
