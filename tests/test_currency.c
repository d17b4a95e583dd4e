/* test_currency: what is money and what only looks like it. */
#include "models/money/currency.h"

#include <criterion/criterion.h>

Test(currency, knows_what_is_in_circulation)
{
    static const char *const known[] = {"CNY", "USD", "EUR", "JPY", "XAF"};
    static const char *const others[] = {"XXX", "XTS", "XAU", "cny", "RMB", "", "CNYY"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        cr_assert(currency_known(known[i]), "%s", known[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert(!currency_known(others[i]), "%s", others[i]);
}

Test(currency, offers_the_code_that_was_meant)
{
    cr_assert_str_eq(currency_nearest("cny"), "CNY");
    cr_assert_str_eq(currency_nearest("USDD"), "USD");
}
