/* test_peak: that there is one; no speed is judged. */
#include "kernels/peak.h"

#include <criterion/criterion.h>
#include <math.h>

Test(peak, is_positive)
{
    struct peak p;
    struct err e = {0};
    cr_assert_eq(peak_measure(0, (double)INFINITY, &p, &e), 0);
    cr_expect(p.gflops > 0 && p.gb_per_s > 0);
}
