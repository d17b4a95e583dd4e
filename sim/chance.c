/* chance: random numbers by identity. */
#include "sim/chance.h"

#include "sim/chance_zig.h"

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <string.h>

#if defined(__GNUC__)
__extension__ typedef unsigned __int128 wide;
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define RARE __attribute__((noinline, cold)) /* keeps its registers out of the fast path */
#else
#error "sim/chance.c needs a 128-bit product"
#endif

/* 2^64 divided by the golden ratio, odd: consecutive multiples spread evenly over the circle. */
#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* Finaliser of SplitMix64 (Stafford's variant 13 of MurmurHash3's): a bijection in which every
 * input bit changes about half of the output bits. */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static inline uint64_t to_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

struct chance chance_stream(uint64_t seed, uint64_t replication, enum chance_purpose purpose,
                            uint64_t entity)
{
    /* Each step is a bijection of what it adds, so streams that differ in one part never meet
     * by construction, and in several parts only by the chance of a 64-bit collision. */
    uint64_t key = mix(seed + GOLDEN);
    key = mix(key ^ (replication * UINT64_C(0xD1342543DE82EF95) + 1));
    key = mix(key ^ ((uint64_t)purpose * UINT64_C(0xAF251AF3B0F025B5) + 2));
    key = mix(key ^ (entity * UINT64_C(0xDA942042E4DD58B5) + 3));
    return (struct chance){.key = key};
}

/* SplitMix64 read at a place. Its streams are pieces of one cycle; the key enters a second time,
 * half way through the finaliser, so that two streams that overlap in the cycle still differ. */
static inline uint64_t bits_at(struct chance c, uint64_t index)
{
    uint64_t x = c.key + (index + 1) * GOLDEN;
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x ^= c.key;
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

struct chance chance_sub(struct chance c, uint64_t index)
{
    return (struct chance){.key = mix(bits_at(c, index) + UINT64_C(0x8CB92BA72F3D8DD7))};
}

/* Where the second and later numbers of the draw at `index` come from: a rejection never moves
 * the draws at other indices. Apart from chance_sub, which callers use. */
static struct chance retry_stream(struct chance c, uint64_t index)
{
    return (struct chance){.key = mix(bits_at(c, index) ^ UINT64_C(0x5851F42D4C957F2D))};
}

uint64_t chance_bits(struct chance c, uint64_t index)
{
    return bits_at(c, index);
}

/* The middles of 2^52 equal cells. */
static inline double uniform_of(uint64_t bits)
{
    return ((double)(int64_t)(bits >> 12) + 0.5) * 0x1p-52;
}

double chance_uniform(struct chance c, uint64_t index)
{
    return uniform_of(bits_at(c, index));
}

/* D. Lemire, Fast Random Integer Generation in an Interval, ACM TOMACS 29(1), 2019. */
uint64_t chance_below(struct chance c, uint64_t index, uint64_t n)
{
    assert(n > 0);
    wide product = (wide)bits_at(c, index) * n;
    if ((uint64_t)product < n) {
        uint64_t short_cells = (0 - n) % n; /* 2^64 mod n */
        struct chance retry = retry_stream(c, index);
        for (uint64_t at = 0; (uint64_t)product < short_cells; at++)
            product = (wide)bits_at(retry, at) * n;
    }
    return (uint64_t)(product >> 64);
}

/* 53 bits, never 0, so that no draw is exactly 0; the lowest eight bits choose the layer. */
static inline uint64_t zig_place(uint64_t bits)
{
    return bits >> 11 | 1;
}

/* Is the point at x, at a random height inside layer i, under the density? */
static bool zig_below(const struct chance_zig_layer *layer, double u, double density)
{
    return layer[0].height + u * (layer[1].height - layer[0].height) < density;
}

/* About 1 draw in 90: the place was not certain. */
RARE static double exponential_slow(struct chance c, uint64_t index, uint64_t bits)
{
    struct chance retry = retry_stream(c, index);
    double beyond = 0;
    for (uint64_t at = 0;; bits = bits_at(retry, at++)) {
        const struct chance_zig_layer *layer = &chance_zig_exponential[bits & 255];
        uint64_t j = zig_place(bits);
        double x = (double)(int64_t)j * layer->width;
        if (j < layer->accept)
            return beyond + x;
        if ((bits & 255) == 0) { /* without memory: the tail is a fresh draw beyond r */
            beyond += CHANCE_ZIG_EXPONENTIAL_TAIL;
            continue;
        }
        double u = uniform_of(bits_at(retry, at++));
        if (zig_below(layer, u, chance_exp(-x)))
            return beyond + x;
    }
}

static inline double exponential_at(struct chance c, uint64_t index)
{
    uint64_t bits = bits_at(c, index);
    const struct chance_zig_layer *layer = &chance_zig_exponential[bits & 255];
    uint64_t j = zig_place(bits);
    if (LIKELY(j < layer->accept))
        return (double)(int64_t)j * layer->width;
    return exponential_slow(c, index, bits);
}

double chance_exponential(struct chance c, uint64_t index)
{
    return exponential_at(c, index);
}

void chance_exponentials(struct chance c, uint64_t first, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = exponential_at(c, first + i);
}

/* Beyond r: Marsaglia's method with two exponentials, accepted nine times in ten. */
static double normal_tail(struct chance retry, uint64_t *at)
{
    for (;;) {
        double x = chance_exponential(retry, (*at)++) / CHANCE_ZIG_NORMAL_TAIL;
        double y = chance_exponential(retry, (*at)++);
        if (2 * y > x * x)
            return CHANCE_ZIG_NORMAL_TAIL + x;
    }
}

RARE static double normal_slow(struct chance c, uint64_t index, uint64_t bits)
{
    struct chance retry = retry_stream(c, index);
    for (uint64_t at = 0;; bits = bits_at(retry, at++)) {
        const struct chance_zig_layer *layer = &chance_zig_normal[bits & 255];
        double sign = bits & 256 ? -1 : 1;
        uint64_t j = zig_place(bits);
        double x = (double)(int64_t)j * layer->width;
        if (j < layer->accept)
            return sign * x;
        if ((bits & 255) == 0)
            return sign * normal_tail(retry, &at);
        double u = uniform_of(bits_at(retry, at++));
        if (zig_below(layer, u, chance_exp(-0.5 * x * x)))
            return sign * x;
    }
}

double chance_normal(struct chance c, uint64_t index)
{
    uint64_t bits = bits_at(c, index);
    const struct chance_zig_layer *layer = &chance_zig_normal[bits & 255];
    uint64_t j = zig_place(bits);
    if (LIKELY(j < layer->accept)) { /* the sign without a branch: nobody can predict it */
        double x = (double)(int64_t)j * layer->width;
        return from_bits(to_bits(x) | (bits & 256) << 55);
    }
    return normal_slow(c, index, bits);
}

double chance_lognormal(struct chance c, uint64_t index, double mu, double sigma)
{
    assert(sigma >= 0);
    return chance_exp(mu + sigma * chance_normal(c, index));
}

double chance_weibull(struct chance c, uint64_t index, double shape)
{
    assert(shape > 0);
    double x = chance_exponential(c, index);
    return chance_exp(chance_log(x) / shape);
}

/* G. Marsaglia and W. W. Tsang, A Simple Method for Generating Gamma Variables, ACM TOMS 26(3),
 * 2000; shape >= 1. */
static double gamma_above_one(struct chance own, uint64_t at, double shape)
{
    double d = shape - 1.0 / 3.0;
    double c = 1 / (3 * __builtin_sqrt(d));
    for (;;) {
        double x = chance_normal(own, at++);
        double u = chance_uniform(own, at++);
        double root = 1 + c * x;
        if (root <= 0)
            continue;
        double v = root * root * root;
        double x2 = x * x;
        if (u < 1 - 0.0331 * x2 * x2)
            return d * v;
        if (chance_log(u) < 0.5 * x2 + d * (1 - v + chance_log(v)))
            return d * v;
    }
}

double chance_gamma(struct chance c, uint64_t index, double shape)
{
    assert(shape > 0);
    struct chance own = retry_stream(c, index);
    if (shape >= 1)
        return gamma_above_one(own, 0, shape);
    /* G(a) = G(a + 1) U^(1/a), and -log U is exponential. */
    double e = chance_exponential(own, 0);
    double g = gamma_above_one(own, 1, shape + 1);
    return g * chance_exp(-e / shape);
}

/* ln 2 in two parts; the first has 21 zero bits at its end, so a product with an exponent of up
 * to 11 bits is exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/* x = 2^e m with m in [sqrt 1/2, sqrt 2), log m = 2 atanh s = 2 (s + s^3/3 + ...) with
 * s = (m - 1) / (m + 1), so |s| < 0.1716: the last term kept is below 2^-60. */
double chance_log(double x)
{
    assert(x > 0);
    if (x > DBL_MAX)
        return x;
    int64_t e = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        e = -54;
    }
    uint64_t u = to_bits(x);
    const uint64_t root_half = UINT64_C(0x3FE6A09E667F3BCD);
    uint64_t above = u - root_half;
    e += (int64_t)above >> 52;
    double m = from_bits((above & UINT64_C(0x000FFFFFFFFFFFFF)) + root_half);
    double f = m - 1;
    double s = f / (m + 1);
    double z = s * s;
    double z2 = z * z;
    double z4 = z2 * z2;
    double a = 1.0 / 3 + z * (1.0 / 5);
    double b = 1.0 / 7 + z * (1.0 / 9);
    double c = 1.0 / 11 + z * (1.0 / 13);
    double d = 1.0 / 15 + z * (1.0 / 17) + z2 * (1.0 / 19 + z * (1.0 / 21));
    double p = (a + z2 * b) + z4 * (c + z2 * d);
    double log_m = 2 * s + 2 * s * (z * p);
    return (double)e * LN2_HIGH + (log_m + (double)e * LN2_LOW);
}

/* exp x = 2^k exp r with |r| <= ln 2 / 2, by Taylor to r^13: the first term left out is below
 * 2^-57. */
double chance_exp(double x)
{
    if (x > 709.782712893383973) /* log DBL_MAX */
        return DBL_MAX;
    if (!(x > -745.2))
        return 0;
    double t = x * 1.4426950408889634;
    int64_t k = (int64_t)(t + (t < 0 ? -0.5 : 0.5));
    double r = (x - (double)k * LN2_HIGH) - (double)k * LN2_LOW;
    double r2 = r * r;
    double r4 = r2 * r2;
    double a = 1.0 / 2 + r * (1.0 / 6);
    double b = 1.0 / 24 + r * (1.0 / 120);
    double c = 1.0 / 720 + r * (1.0 / 5040);
    double d = 1.0 / 40320 + r * (1.0 / 362880);
    double e = 1.0 / 3628800 + r * (1.0 / 39916800);
    double f = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    double p = (a + r2 * b) + r4 * ((c + r2 * d) + r4 * (e + r2 * f));
    double exp_r = 1 + (r + r2 * p);
    /* In two halves: 2^k itself may be no normal number. */
    int64_t half = k / 2;
    double low = from_bits((uint64_t)(half + 1023) << 52);
    double high = from_bits((uint64_t)(k - half + 1023) << 52);
    return exp_r * low * high;
}
