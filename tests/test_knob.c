/* test_knob: names of qualities. */
#include "sim/knob.h"

#include <criterion/criterion.h>

Test(knob, qualities_have_the_names_of_the_catalogue)
{
    cr_expect_str_eq(knob_quality_name(QUALITY_NONE), "none");
    cr_expect_str_eq(knob_quality_name(QUALITY_OFFICIAL), "official");
    cr_expect_str_eq(knob_quality_name(QUALITY_MEASURED), "measured");
    cr_expect_str_eq(knob_quality_name(QUALITY_THIRD_PARTY), "third-party");
    cr_expect_str_eq(knob_quality_name(QUALITY_ASSUMED), "assumed");
}
