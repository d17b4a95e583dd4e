/* peak: the best of some repetitions of OpenBLAS' own loops. */
#include "kernels/peak.h"

#include "kernels/stopwatch.h"

#include <cblas.h>
#include <stddef.h>
#include <stdlib.h>

#define PEAK_REPEATS 5
#define PEAK_PRODUCT 1536

static float *filled(size_t n)
{
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; x && i < n; i++)
        x[i] = (float)(i % 7) * 0.125F;
    return x;
}

static double best_product_s(float *a, float *b, float *c, double until_s)
{
    double best = 1e300;
    for (int i = 0; i == 0 || (i < PEAK_REPEATS && stopwatch_now_s() < until_s); i++) {
        double before = stopwatch_now_s();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, PEAK_PRODUCT, PEAK_PRODUCT,
                    PEAK_PRODUCT, 1.0F, a, PEAK_PRODUCT, b, PEAK_PRODUCT, 0.0F, c, PEAK_PRODUCT);
        double time = stopwatch_now_s() - before;
        best = time < best ? time : best;
    }
    return best;
}

static double best_axpy_s(size_t n, float *x, float *y, double until_s)
{
    double best = 1e300;
    for (int i = 0; i == 0 || (i < PEAK_REPEATS && stopwatch_now_s() < until_s); i++) {
        double before = stopwatch_now_s();
        cblas_saxpy((int)n, 0.5F, x, 1, y, 1);
        double time = stopwatch_now_s() - before;
        best = time < best ? time : best;
    }
    return best;
}

void peak_raise(struct peak *p, double gflops, double gb_per_s)
{
    p->gflops = gflops > p->gflops ? gflops : p->gflops;
    p->gb_per_s = gb_per_s > p->gb_per_s ? gb_per_s : p->gb_per_s;
}

/* Seconds that filling took. */
static double measure_products(double until_s, struct peak *out, struct err *e)
{
    size_t n = (size_t)PEAK_PRODUCT * PEAK_PRODUCT;
    double before_s = stopwatch_now_s();
    float *x = filled(n), *y = filled(n), *z = filled(n);
    double filling_s = stopwatch_now_s() - before_s;
    if (x && y && z)
        out->gflops = 2.0 * PEAK_PRODUCT * (double)n / best_product_s(x, y, z, until_s) * 1e-9;
    else
        err_set(e, ERR_SYSTEM, NULL, "out of memory for measuring the processor's peak");
    free(x);
    free(y);
    free(z);
    return filling_s;
}

static int measure_memory(size_t n, double until_s, struct peak *out, struct err *e)
{
    float *x = filled(n), *y = filled(n);
    if (x && y)
        out->gb_per_s = 3 * (double)n * sizeof(float) / best_axpy_s(n, x, y, until_s) * 1e-9;
    else
        err_set(e, ERR_SYSTEM, NULL, "out of memory for measuring the memory's speed");
    free(x);
    free(y);
    return out->gb_per_s > 0 ? 0 : -1;
}

int peak_measure(int64_t cache_bytes, double most_s, struct peak *out, struct err *e)
{
    double until_s = stopwatch_now_s() + most_s;
    size_t n = (cache_bytes > 8 << 20 ? (size_t)cache_bytes : (size_t)8 << 20) * 4 / sizeof(float);
    n = n < (size_t)1 << 28 ? n : (size_t)1 << 28;
    *out = (struct peak){.cache_bytes = cache_bytes};
    double filling_s = measure_products(stopwatch_now_s() + most_s / 2, out, e);
    if (out->gflops <= 0)
        return -1;
    /* the vectors are filled as fast as the matrices were, and read about as fast */
    filling_s *= 2.0 * (double)n / (3.0 * PEAK_PRODUCT * PEAK_PRODUCT);
    return stopwatch_now_s() + 2 * filling_s < until_s ? measure_memory(n, until_s, out, e) : 0;
}
