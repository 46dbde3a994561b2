#include "lapack/exact_solve.h"

#include "core/arith/round.h"
#include "core/partition.h"
#include "lapack/exponents.h"
#include "lapack/fraction.h"
#include "lapack/lifting.h"

#include <stdlib.h>

/* Half the bits of n, from above: log2 sqrt(n) <= this. */
static double half_bits(int64_t n)
{
    return 0.5 * (64 - exb_leading_zeros((uint64_t)n));
}

static void choose_exponents(const exb_exact *e, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        e->column[j] = EXB_NO_BITS;
    for (int64_t i = 0; i < n; i++) {
        e->row[i] = EXB_NO_BITS;
        for (int64_t j = 0; j < n; j++)
            e->row[i] = (int)exb_least(e->row[i], exb_lowest_exp2(e->a[i * n + j]));
        e->row[i] = e->row[i] == EXB_NO_BITS ? 0 : e->row[i];
        for (int64_t j = 0; j < n; j++)
            e->column[j] =
                (int)exb_least(e->column[j], exb_lowest_exp2(e->a[i * n + j]) - e->row[i]);
    }
    for (int64_t j = 0; j < n; j++)
        e->column[j] = e->column[j] > EXB_NO_BITS / 2 ? 0 : e->column[j];
}

static void measure_elements(exb_exact *e, int64_t n, int *column_top)
{
    memset(column_top, 0, (size_t)n * sizeof *column_top);
    for (int64_t i = 0; i < n; i++) {
        e->row_top[i] = 0;
        for (int64_t j = 0; j < n; j++) {
            int top = exb_top_exp2(e->a[i * n + j]) - e->row[i] - e->column[j];
            e->row_top[i] = (int)exb_most(e->row_top[i], top);
            column_top[j] = (int)exb_most(column_top[j], top);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        e->row_bits += e->row_top[i] + half_bits(n);
        e->column_bits += column_top[i] + half_bits(n);
    }
}

/* Bits of the determinant of A' and of every part of it. */
static int64_t determinant_bits(const exb_exact *e)
{
    return (int64_t)ceil(fmin(e->row_bits, e->column_bits));
}

/* Bits of all N_j for a right-hand side that is not 0, and `right`. By columns: b' takes the place
 * of one, whose length is at least 1. By rows: an element of b' takes the place of one in each. */
static int64_t numerator_bits(const exb_exact *e, const double *b, int *right)
{
    int64_t n = e->inverse.n;
    int top = 0;
    double by_rows = 0;
    *right = EXB_NO_BITS;
    for (int64_t i = 0; i < n; i++)
        *right = (int)exb_least(*right, exb_lowest_exp2(b[i]) - e->row[i]);
    for (int64_t i = 0; i < n; i++) {
        int own = exb_top_exp2(b[i]) - e->row[i] - *right;
        top = (int)exb_most(top, own);
        by_rows += (int)exb_most(e->row_top[i], own) + half_bits(n);
    }
    return (int64_t)ceil(fmin(by_rows, e->column_bits + top + half_bits(n)));
}

/* The first column outside J, n if there is none. */
static int64_t missing_column(const exb_elimination *e)
{
    int64_t j = 0;
    while (j < e->rank && e->column[j] == j)
        j++;
    return j;
}

/* Is column c of A a combination of the columns J? With A_IJ x = A_Ic, the determinant of A_IJ with
 * row i and column c added is det(A_IJ) (a_ic - A_iJ x), an integer in the scaling of the bounds.
 * It is 0 modulo p^n_digits if the rows outside I agree, hence 0, for every i. */
static exb_lift_result prove_dependent(const exb_exact *e, int64_t c)
{
    int64_t n_digits = exb_primes_for(determinant_bits(e) + 1);
    size_t n = (size_t)(n_digits * e->inverse.n);
    uint64_t *digit = malloc(n * sizeof *digit);
    exb_lift_result r = EXB_LIFT_NO_MEMORY;
    if (digit)
        r = exb_lift(&e->inverse, e->a, e->a + c, e->inverse.n, n_digits, digit);
    free(digit);
    return r;
}

/* Primes until one of them shows that there is an inverse, or that there is none. Only those that
 * divide a determinant show neither, and a determinant has few. */
static exblas_status find_prime(exb_exact *e, int64_t n)
{
    exb_field field = exb_field_below((uint64_t)1 << 52);
    for (;; field = exb_field_below(field.p)) {
        if (!exb_eliminate(&e->inverse, field, n, e->a))
            return EXBLAS_ENOMEM;
        if (e->inverse.rank == n)
            return EXBLAS_OK;
        exb_lift_result r = prove_dependent(e, missing_column(&e->inverse));
        exb_elimination_free(&e->inverse);
        if (r != EXB_NOT_A_SOLUTION)
            return r == EXB_LIFTED ? EXBLAS_ESINGULAR : EXBLAS_ENOMEM;
    }
}

exblas_status exb_exact_init(exb_exact *e, int64_t n, const double *a)
{
    *e = (exb_exact){.a = a, .row = malloc(4 * (size_t)n * sizeof *e->row)};
    if (!e->row)
        return EXBLAS_ENOMEM;
    e->column = e->row + n;
    e->row_top = e->column + n;
    choose_exponents(e, n);
    measure_elements(e, n, e->row_top + n);
    exblas_status status = find_prime(e, n);
    if (status != EXBLAS_OK)
        exb_exact_free(e);
    return status;
}

void exb_exact_free(exb_exact *e)
{
    exb_elimination_free(&e->inverse);
    free(e->row);
    *e = (exb_exact){.a = NULL};
}

/* y_j = x_j 2^k is the fraction of the bounds. */
static void round_components(const exb_exact *e, exb_fraction *f, int64_t n_digits,
                             const uint64_t *digit, int right, exb_format format,
                             const bool *wanted, const int *exp2, double *x)
{
    int64_t n = e->inverse.n;
    for (int64_t j = 0; j < n; j++) {
        int k = e->column[j] - right;
        if (!wanted[j])
            continue;
        exb_fraction_find(f, e->inverse.field.p, n_digits, digit + j, n, k);
        x[j] = exb_fraction_round(f, format, (exp2 ? exp2[j] : 0) - k);
    }
}

exblas_status exb_exact_solve(const exb_exact *e, const double *b, exb_format format,
                              const bool *wanted, const int *exp2, double *x)
{
    int64_t n = e->inverse.n;
    int right;
    int64_t n_bits = numerator_bits(e, b, &right);
    if (right > EXB_NO_BITS / 2) { /* b = 0 */
        for (int64_t j = 0; j < n; j++)
            x[j] = wanted[j] ? 0 : x[j];
        return EXBLAS_OK;
    }
    int64_t n_digits = exb_primes_for(n_bits + determinant_bits(e) + 1);
    uint64_t *digit = malloc((size_t)n_digits * (size_t)n * sizeof *digit);
    exb_fraction f = {.n_bits = 0};
    exblas_status status = EXBLAS_ENOMEM;
    if (digit && exb_lift(&e->inverse, e->a, b, 1, n_digits, digit) == EXB_LIFTED &&
        exb_fraction_init(&f, e->inverse.field.p, n_digits, n_bits)) {
        round_components(e, &f, n_digits, digit, right, format, wanted, exp2, x);
        status = EXBLAS_OK;
    }
    exb_fraction_free(&f);
    free(digit);
    return status;
}
