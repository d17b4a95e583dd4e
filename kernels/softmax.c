/* softmax: rows of scores to rows of shares. */
#include "kernels/softmax.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void check(const struct softmax_shape *s)
{
    assert(s->rows >= 1 && s->columns >= 1 && s->length >= 1 && s->length <= s->columns);
    assert(s->precision == PRECISION_FP32);
}

void softmax_reference(const struct softmax_shape *s, double *x)
{
    check(s);
    for (int32_t r = 0; r < s->rows; r++, x += s->columns) {
        double largest = -INFINITY, sum = 0;
        for (int32_t j = 0; j < s->length; j++)
            largest = fmax(largest, s->scale * x[j]);
        for (int32_t j = 0; j < s->length; j++)
            sum += exp(s->scale * x[j] - largest);
        for (int32_t j = 0; j < s->columns; j++)
            x[j] = j < s->length ? exp(s->scale * x[j] - largest) / sum : 0;
    }
}

/* exp x = 2^n exp r with n the nearest integer to x / ln 2, found by adding and subtracting
 * 1.5 * 2^23, and exp r by Taylor to r^7: the first term left out is below 6e-9. ln 2 is taken off
 * in two parts, of which the first has nine zero bits at its end. Unlike libm's expf, a vector unit
 * runs it several values at a time. */
static inline float own_exp(float x)
{
    float low = x > 88.0F ? 88.0F : x, z = low < -87.0F ? -87.0F : low;
    float n = z * 1.44269504F + 12582912.0F - 12582912.0F;
    float r = z - n * 0.693145752F - n * 1.42860677e-6F;
    float p = 1.0F / 5040;
    p = p * r + 1.0F / 720;
    p = p * r + 1.0F / 120;
    p = p * r + 1.0F / 24;
    p = p * r + 1.0F / 6;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    int32_t bits = ((int32_t)n + 127) * (1 << 23);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return x < -87.0F ? 0 : p * scale;
}

float softmax_exp(float x)
{
    return own_exp(x);
}

#define SOFTMAX_PARTS 8 /* maxima and sums that a vector unit can hold */

static float largest_of(const float *x, size_t n)
{
    float part[SOFTMAX_PARTS], largest = x[0];
    size_t j = 0;
    for (size_t i = 0; i < SOFTMAX_PARTS; i++)
        part[i] = x[0];
    for (; j + SOFTMAX_PARTS <= n; j += SOFTMAX_PARTS)
        for (size_t i = 0; i < SOFTMAX_PARTS; i++)
            part[i] = x[j + i] > part[i] ? x[j + i] : part[i];
    for (; j < n; j++)
        largest = x[j] > largest ? x[j] : largest;
    for (size_t i = 0; i < SOFTMAX_PARTS; i++)
        largest = part[i] > largest ? part[i] : largest;
    return largest;
}

static float sum_of(const float *x, size_t n)
{
    float part[SOFTMAX_PARTS] = {0}, sum = 0;
    size_t j = 0;
    for (; j + SOFTMAX_PARTS <= n; j += SOFTMAX_PARTS)
        for (size_t i = 0; i < SOFTMAX_PARTS; i++)
            part[i] += x[j + i];
    for (; j < n; j++)
        sum += x[j];
    for (size_t i = 0; i < SOFTMAX_PARTS; i++)
        sum += part[i];
    return sum;
}

static void one_row(const struct softmax_shape *s, float *x)
{
    size_t n = (size_t)s->length;
    float scale = (float)s->scale, largest;
    for (size_t j = 0; j < n; j++)
        x[j] *= scale;
    largest = largest_of(x, n);
    for (size_t j = 0; j < n; j++)
        x[j] = own_exp(x[j] - largest);
    float share = 1.0F / sum_of(x, n);
    for (size_t j = 0; j < n; j++)
        x[j] *= share;
    for (size_t j = n; j < (size_t)s->columns; j++)
        x[j] = 0;
}

void softmax_float(const struct softmax_shape *s, float *x)
{
    check(s);
    assert(x);
    for (int32_t r = 0; r < s->rows; r++)
        one_row(s, x + (size_t)r * s->columns);
}
