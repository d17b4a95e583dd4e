/* test_err: the error record. */
#include "sim/err.h"

#include <criterion/criterion.h>
#include <string.h>

Test(err, keeps_the_first_error)
{
    struct err e = {0};
    cr_assert_eq(err_set(&e, ERR_INPUT, "a.json:1:2", "%d is outside 0..%d", 130, 100), -1);
    err_set(&e, ERR_SYSTEM, NULL, "later");
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.where, "a.json:1:2");
    cr_assert_str_eq(e.msg, "130 is outside 0..100");
}

Test(err, cuts_long_text_at_a_character_border)
{
    struct err e = {0};
    char long_text[2048];
    memset(long_text, 'a', sizeof long_text);
    size_t edge = sizeof e.msg - 2; /* the two-byte character would straddle the end */
    memcpy(long_text + edge, "\xC3\xA9\xC3\xA9", 5);
    err_set(&e, ERR_INPUT, NULL, "%s", long_text);
    cr_assert_eq(strlen(e.msg), edge);
}
