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

Test(peak, without_time_there_is_still_a_product_and_the_memory_is_unknown)
{
    struct peak p;
    struct err e = {0};
    cr_assert_eq(peak_measure(0, 0, &p, &e), 0);
    cr_expect(p.gflops > 0 && p.gb_per_s == 0);
    peak_raise(&p, 1e9, 5);
    cr_expect(p.gflops == 1e9 && p.gb_per_s == 5);
    peak_raise(&p, 1, 1);
    cr_expect(p.gflops == 1e9 && p.gb_per_s == 5);
}
