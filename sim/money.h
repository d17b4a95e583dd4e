/* money: an amount in one currency, in whole micro-units. */
#ifndef SLUICE_SIM_MONEY_H
#define SLUICE_SIM_MONEY_H

#include <stdint.h>

/* 1 CNY = 1000000 micro. Amounts of different currencies are never added. */
struct money {
    int64_t micro;
    char currency[4]; /* ISO 4217 and a final NUL; "" for a zero amount of no currency */
};

/* price per hour x time, rounded half up to a micro-unit: the only place where a price becomes an
 * amount. Exact in 128 bits; price >= 0, duration_ns >= 0. */
int64_t money_for(int64_t micro_per_hour, int64_t duration_ns);
/* amount x part / whole, rounded down, exact in 128 bits: 0 <= part <= whole, whole > 0. Who splits
 * an amount gives what the parts lack to the largest one, so that they add up. */
int64_t money_part(int64_t amount, int64_t part, int64_t whole);

#endif
