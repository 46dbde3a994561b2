#include "lapack/exact_solve.h"

#include "lapack/fraction.h"
#include "lapack/lifting.h"

#include <stdlib.h>

/* The number in a format that has the encoding. */
static double decode_number(exb_format f, uint64_t code, bool negative)
{
    return f.n_bits == 24 ? (double)exb_signed_s(code, negative) : exb_signed_d(code, negative);
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
    int64_t n_digits = exb_primes_for(exb_determinant_bits(&e->bounds) + 1);
    size_t n = (size_t)(n_digits * (e->inverse.rank + 1));
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
    *e = (exb_exact){.a = a};
    if (!exb_integer_bounds_init(&e->bounds, n, a))
        return EXBLAS_ENOMEM;
    exblas_status status = find_prime(e, n);
    if (status != EXBLAS_OK)
        exb_exact_free(e);
    return status;
}

void exb_exact_free(exb_exact *e)
{
    exb_elimination_free(&e->inverse);
    exb_integer_bounds_free(&e->bounds);
}

static bool is_zero(int64_t n, const double *b, int64_t incb)
{
    for (int64_t i = 0; i < n; i++)
        if (b[i * incb] != 0)
            return false;
    return true;
}

/* y_j = x_j 2^k is the fraction of the bounds; unknown column[l] has the digits l. */
static void round_components(const exb_exact *e, exb_fraction *f, int64_t n_digits,
                             const uint64_t *digit, int right, exb_format format,
                             const bool *wanted, const int *exp2, double *x)
{
    for (int64_t l = 0; l < e->inverse.rank; l++) {
        int64_t j = e->inverse.column[l];
        if (!wanted[j])
            continue;
        int k = e->bounds.column[j] - right;
        exb_fraction_find(f, e->inverse.field.p, n_digits, digit + l, e->inverse.rank, k);
        x[j] = decode_number(format, exb_fraction_round(f, format, (exp2 ? exp2[j] : 0) - k),
                             f->negative);
    }
}

exblas_status exb_exact_solve(const exb_exact *e, const double *b, int64_t incb, exb_format format,
                              const bool *wanted, const int *exp2, double *x)
{
    int64_t n = e->inverse.n;
    int right;
    if (is_zero(n, b, incb)) {
        for (int64_t j = 0; j < n; j++)
            x[j] = wanted[j] ? 0 : x[j];
        return EXBLAS_OK;
    }
    int64_t n_bits = exb_numerator_bits(&e->bounds, b, incb, &right);
    int64_t n_digits = exb_primes_for(n_bits + exb_determinant_bits(&e->bounds) + 1);
    uint64_t *digit = malloc((size_t)n_digits * (size_t)n * sizeof *digit);
    exb_fraction f = {.n_bits = 0};
    exblas_status status = EXBLAS_ENOMEM;
    if (digit && exb_lift(&e->inverse, e->a, b, incb, n_digits, digit) == EXB_LIFTED &&
        exb_fraction_init(&f, e->inverse.field.p, n_digits, n_bits)) {
        round_components(e, &f, n_digits, digit, right, format, wanted, exp2, x);
        status = EXBLAS_OK;
    }
    exb_fraction_free(&f);
    free(digit);
    return status;
}
