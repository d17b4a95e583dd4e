/* test_money: prices become amounts exactly. */
#include "sim/clock.h"
#include "sim/money.h"

#include <criterion/criterion.h>
#include <signal.h>

Test(money, rounds_half_a_micro_unit_up)
{
    static const struct {
        int64_t micro_per_hour, ns, want;
        const char *why;
    } rows[] = {
        {0, SIM_DAY, 0, "nothing costs nothing"},
        {11630000, 0, 0, "no time"},
        {11630000, SIM_HOUR, 11630000, "one hour at 11.63"},
        {11630000, SIM_SECOND, 3231, "11630000 / 3600 = 3230.56"},
        {3600, SIM_SECOND / 2, 1, "exactly half a micro-unit"},
        {3600, SIM_SECOND / 2 - 1, 0, "a nanosecond less"},
        {1, SIM_HOUR / 2 - 1, 0, "below half"},
        {1, SIM_HOUR / 2, 1, "half"},
        {3600000000000, 1, 1, "one micro-unit a nanosecond"},
        {100000000000, 366 * SIM_DAY, 878400000000000, "100000 an hour for a leap year"},
        {1000000000000000, 1000 * SIM_HOUR, 1000000000000000000,
         "the product 3.6e30 needs more than 64 bits"},
        {INT64_MAX, SIM_HOUR, INT64_MAX, "the largest amount"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t got = money_for(rows[i].micro_per_hour, rows[i].ns);
        cr_expect_eq(got, rows[i].want, "%s: %lld", rows[i].why, (long long)got);
    }
}

Test(money, refuses_an_amount_beyond_the_type, .signal = SIGABRT)
{
    money_for(INT64_MAX, 2 * SIM_HOUR);
}

Test(money, refuses_a_negative_price, .signal = SIGABRT)
{
    money_for(-1, SIM_HOUR);
}
