/* stopwatch: medians and quartiles of repeated work. */
#include "kernels/stopwatch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct stopwatch_rule stopwatch_usual = {
    .min_s = 0.3, .max_s = 3.0, .min_samples = 10, .spread = 0.03};

double stopwatch_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void read(const double *samples, size_t n, struct stopwatch_reading *out)
{
    double sorted[STOPWATCH_MAX_SAMPLES];
    for (size_t i = 0; i < n; i++)
        sorted[i] = samples[i];
    qsort(sorted, n, sizeof sorted[0], by_value);
    out->samples = n;
    out->best_s = sorted[0];
    out->low_s = sorted[n / 4];
    out->median_s = sorted[n / 2];
    out->high_s = sorted[n - 1 - n / 4];
}

void stopwatch_measure(const struct stopwatch_rule *rule, stopwatch_work *work, void *self,
                       struct stopwatch_reading *out)
{
    double samples[STOPWATCH_MAX_SAMPLES], start, before;
    size_t n = 0;
    assert(rule->min_samples >= 1 && rule->max_s >= rule->min_s);
    work(self);
    start = before = stopwatch_now_s();
    do {
        work(self);
        double after = stopwatch_now_s();
        samples[n++] = after - before;
        before = after;
        read(samples, n, out);
        out->stable = (out->high_s - out->low_s) <= rule->spread * out->median_s;
    } while (n < STOPWATCH_MAX_SAMPLES && before - start < rule->max_s &&
             (n < rule->min_samples || before - start < rule->min_s || !out->stable));
    if (rule->kept)
        memcpy(rule->kept, samples, n * sizeof *samples);
}
