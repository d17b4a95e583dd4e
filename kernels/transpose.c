/* transpose: transposition, cell by cell and in tiles. */
#include "kernels/transpose.h"

#include <assert.h>
#include <stddef.h>

#define TRANSPOSE_TILE 16 /* a tile's lines are one cache line of float */

static void check(const struct transpose_shape *s)
{
    assert(s->count >= 1 && s->rows >= 1 && s->columns >= 1 && s->precision == PRECISION_FP32);
}

void transpose_reference(const struct transpose_shape *s, const double *x, double *y)
{
    size_t rows = (size_t)s->rows, columns = (size_t)s->columns;
    check(s);
    for (size_t k = 0; k < (size_t)s->count; k++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                y[(k * columns + j) * rows + i] = x[(k * rows + i) * columns + j];
}

static void one_tile(const struct transpose_shape *s, const size_t at[2], const float *x, float *y)
{
    size_t rows = (size_t)s->rows, columns = (size_t)s->columns;
    size_t bottom = at[0] + TRANSPOSE_TILE, right = at[1] + TRANSPOSE_TILE;
    for (size_t j = at[1]; j < right && j < columns; j++)
        for (size_t i = at[0]; i < bottom && i < rows; i++)
            y[j * rows + i] = x[i * columns + j];
}

void transpose_float(const struct transpose_shape *s, const float *x, float *y)
{
    size_t rows = (size_t)s->rows, columns = (size_t)s->columns;
    check(s);
    assert(x && y && x != y);
    for (size_t k = 0; k < (size_t)s->count; k++)
        for (size_t i = 0; i < rows; i += TRANSPOSE_TILE)
            for (size_t j = 0; j < columns; j += TRANSPOSE_TILE)
                one_tile(s, (const size_t[2]){i, j}, x + k * rows * columns,
                         y + k * rows * columns);
}
