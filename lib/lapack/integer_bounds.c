#include "lapack/integer_bounds.h"

#include "core/partition.h"

#include <stdlib.h>

int exb_lowest_exp2(double x)
{
    exb_decomposed d = exb_split(x);
    return d.significand ? d.exp2 + __builtin_ctzll(d.significand) : EXB_NO_BITS;
}

int exb_top_exp2(double x)
{
    exb_decomposed d = exb_split(x);
    return d.exp2 + 64 - exb_leading_zeros(d.significand);
}

/* Half the bits of n, from above: log2 sqrt(n) <= this. */
static double half_bits(int64_t n)
{
    return 0.5 * (64 - exb_leading_zeros((uint64_t)n));
}

static void choose_exponents(exb_integer_bounds *v, const double *a)
{
    for (int64_t j = 0; j < v->n; j++)
        v->column[j] = EXB_NO_BITS;
    for (int64_t i = 0; i < v->n; i++) {
        v->row[i] = EXB_NO_BITS;
        for (int64_t j = 0; j < v->n; j++)
            v->row[i] = (int)exb_least(v->row[i], exb_lowest_exp2(a[i * v->n + j]));
        if (v->row[i] == EXB_NO_BITS)
            v->row[i] = 0;
        for (int64_t j = 0; j < v->n; j++)
            v->column[j] =
                (int)exb_least(v->column[j], exb_lowest_exp2(a[i * v->n + j]) - v->row[i]);
    }
    for (int64_t j = 0; j < v->n; j++)
        if (v->column[j] > EXB_NO_BITS / 2)
            v->column[j] = 0;
}

static void measure_elements(exb_integer_bounds *v, const double *a, int *column_top)
{
    for (int64_t j = 0; j < v->n; j++)
        column_top[j] = 0;
    for (int64_t i = 0; i < v->n; i++) {
        v->row_top[i] = 0;
        for (int64_t j = 0; j < v->n; j++) {
            double x = a[i * v->n + j];
            int top = x == 0 ? 0 : exb_top_exp2(x) - v->row[i] - v->column[j];
            v->row_top[i] = (int)exb_most(v->row_top[i], top);
            column_top[j] = (int)exb_most(column_top[j], top);
        }
    }
    v->row_bits = v->column_bits = 0;
    for (int64_t i = 0; i < v->n; i++) {
        v->row_bits += v->row_top[i] + half_bits(v->n);
        v->column_bits += column_top[i] + half_bits(v->n);
    }
}

bool exb_integer_bounds_init(exb_integer_bounds *v, int64_t n, const double *a)
{
    int *storage = malloc(4 * (size_t)n * sizeof *storage);
    *v = (exb_integer_bounds){.n = n, .row = storage};
    if (!storage)
        return false;
    v->column = storage + n;
    v->row_top = storage + 2 * n;
    choose_exponents(v, a);
    measure_elements(v, a, storage + 3 * n);
    return true;
}

void exb_integer_bounds_free(exb_integer_bounds *v)
{
    free(v->row);
    v->row = NULL;
}

int64_t exb_determinant_bits(const exb_integer_bounds *v)
{
    return (int64_t)ceil(v->row_bits < v->column_bits ? v->row_bits : v->column_bits);
}

/* By columns: b' takes the place of one, whose length is at least 1. By rows: an element of b'
 * takes the place of one in each. */
int64_t exb_numerator_bits(const exb_integer_bounds *v, const double *b, int64_t incb, int *right)
{
    int top = 0;
    double by_rows = 0;
    *right = EXB_NO_BITS;
    for (int64_t i = 0; i < v->n; i++)
        if (b[i * incb] != 0)
            *right = (int)exb_least(*right, exb_lowest_exp2(b[i * incb]) - v->row[i]);
    for (int64_t i = 0; i < v->n; i++) {
        double x = b[i * incb];
        int own = x == 0 ? 0 : exb_top_exp2(x) - v->row[i] - *right;
        top = (int)exb_most(top, own);
        by_rows += (int)exb_most(v->row_top[i], own) + half_bits(v->n);
    }
    double by_columns = v->column_bits + top + half_bits(v->n);
    return (int64_t)ceil(by_rows < by_columns ? by_rows : by_columns);
}
