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

int peak_measure(int64_t cache_bytes, double most_s, struct peak *out, struct err *e)
{
    double until_s = stopwatch_now_s() + most_s;
    size_t product = (size_t)PEAK_PRODUCT * PEAK_PRODUCT;
    size_t n = (cache_bytes > 8 << 20 ? (size_t)cache_bytes : (size_t)8 << 20) * 4 / sizeof(float);
    n = n < (size_t)1 << 28 ? n : (size_t)1 << 28;
    float *x = filled(n > product ? n : product), *y = filled(n > product ? n : product);
    float *z = filled(product);
    int rc = 0;
    if (x && y && z) {
        out->cache_bytes = cache_bytes;
        out->gb_per_s = 3 * (double)n * sizeof(float) / best_axpy_s(n, x, y, until_s) * 1e-9;
        out->gflops =
            2.0 * PEAK_PRODUCT * (double)product / best_product_s(x, y, z, until_s) * 1e-9;
    } else {
        rc = err_set(e, ERR_SYSTEM, NULL, "out of memory for measuring the processor's peak");
    }
    free(x);
    free(y);
    free(z);
    return rc;
}
