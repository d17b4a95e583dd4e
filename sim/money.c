/* money: an amount in one currency, in whole micro-units. */
#include "sim/money.h"

#include "sim/clock.h"

#include <assert.h>

__extension__ typedef unsigned __int128 wide;

int64_t money_for(int64_t micro_per_hour, int64_t duration_ns)
{
    assert(micro_per_hour >= 0 && duration_ns >= 0);
    wide product = (wide)micro_per_hour * (wide)duration_ns;
    wide amount = (product + SIM_HOUR / 2) / SIM_HOUR;
    assert(amount <= INT64_MAX);
    return (int64_t)amount;
}

int64_t money_part(int64_t amount, int64_t part, int64_t whole)
{
    assert(amount >= 0 && part >= 0 && part <= whole && whole > 0);
    return (int64_t)((wide)amount * (wide)part / (wide)whole);
}
