/* chance: random numbers by identity.
 *
 * A draw is a function of who draws and what for (seed, replication, purpose, entity, attempt,
 * index), never of how many draws came before. So another autoscaler changes neither the arrivals
 * nor the service time of request 812, and comparisons share their random numbers.
 *
 * Everything here is integer arithmetic and correctly rounded + - * / sqrt on doubles: the same
 * bits with every compiler and every x86-64 level, given -ffp-contract=off. libm is not used. */
#ifndef SLUICE_SIM_CHANCE_H
#define SLUICE_SIM_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* One enum for the whole program, so that no two purposes share a sub-stream. Append only: the
 * numbers are part of every result. */
enum chance_purpose {
    CHANCE_ARRIVAL = 1,
    CHANCE_SERVICE,
    CHANCE_BALANCER,
    CHANCE_PHASE,   /* offset of periodic activity: scaler passes, scans */
    CHANCE_STARTUP, /* durations of pod and node phases */
    CHANCE_SPOT,    /* losses, prices, stock */
    CHANCE_THINK,   /* closed-loop clients */
    CHANCE_TEST,
    CHANCE_FAULT,
    CHANCE_JOB,
    CHANCE_WEIGHT, /* of random networks */
    CHANCE_SAMPLE, /* inputs and arrivals of a measurement */
};

/* A stream of draws, addressed by index. Plain value; copy freely. */
struct chance {
    uint64_t key;
};

struct chance chance_stream(uint64_t seed, uint64_t replication, enum chance_purpose purpose,
                            uint64_t entity);
/* An independent stream below this one: per pod, per attempt, per phase. */
struct chance chance_sub(struct chance c, uint64_t index);

/* 64 uniform bits. Draws for different indices are independent. */
uint64_t chance_bits(struct chance c, uint64_t index);
double chance_uniform(struct chance c, uint64_t index);             /* (0, 1), never 0 or 1 */
uint64_t chance_below(struct chance c, uint64_t index, uint64_t n); /* 0..n-1, n > 0, unbiased */
double chance_exponential(struct chance c, uint64_t index);         /* mean 1, > 0 */
double chance_normal(struct chance c, uint64_t index);              /* mean 0, deviation 1 */
double chance_lognormal(struct chance c, uint64_t index, double mu, double sigma);
double chance_weibull(struct chance c, uint64_t index, double shape); /* scale 1 */
double chance_gamma(struct chance c, uint64_t index, double shape);   /* scale 1, shape > 0 */

/* Block forms for hot loops: out[i] = the draw at index first + i, bit for bit. */
void chance_exponentials(struct chance c, uint64_t first, double *out, size_t n);

/* Own elementary functions, the same bits everywhere; relative error below 1e-14. */
double chance_log(double x); /* x > 0 */
double chance_exp(double x); /* saturates at 0 and DBL_MAX */

#endif
