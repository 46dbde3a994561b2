#include "lapack/definite.h"

#include "lapack/exponents.h"
#include "lapack/linear_problem.h"
#include "lapack/plain_sums.h"

#include <stdlib.h>

/* The lower triangle of S = D A D with D of powers of two that bring the diagonal to between 1 and
 * 4; false if A is not definite because of an element of the diagonal that is not positive, or of
 * another that is larger than S allows. An element may lose bits: 2^-1075 at most. */
static bool scale_matrix(int64_t n, const double *a, double *s, int *exp2)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(a[i * n + i] > 0))
            return false;
        exp2[i] = 1024 - (exb_top_exp2(a[i * n + i]) + 2047) / 2;
        for (int64_t j = 0; j <= i; j++) {
            s[i * n + j] = ldexp(a[i * n + j], exp2[i] + exp2[j]);
            if (exb_fabs(s[i * n + j]) > 4)
                return false;
        }
    }
    return true;
}

/* The theorem's bound is the sum over j of (j + 1) u / (1 - 2 (j + 1) u) s_jj; the trace, at least
 * the largest element of the diagonal, also covers the rounding of s_jj - shift and of the trace,
 * and 2^-900 the underflow of n^3 operations on numbers up to 4, and of elements of S. */
static double shift_of(int64_t n, const double *s)
{
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += s[i * n + i];
    return (2 * (double)n + 8) * 0x1p-53 * (1 + 0x1p-20) * trace + 0x1p-900;
}

/* The factorisation of S - shift I, by rows in place; the row that has no positive pivot, or n. */
static int64_t factor_shifted(int64_t n, double *s, double shift)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = s + i * n;
        for (int64_t j = 0; j < i; j++)
            row[j] = (row[j] - exb_plain_dot(j, row, s + j * n)) / s[j * n + j];
        double pivot = row[i] - shift - exb_plain_dot(i, row, row);
        if (!(pivot > 0))
            return i;
        row[i] = sqrt(pivot);
    }
    return n;
}

/* The leading block of order k, if the one before is definite: the sign of its determinant is that
 * of x_k in A_k x = (0, ..., 0, 1). Of a definite block x_k >= 1 / a_kk, which does not round to 0.
 */
static exblas_status check_block(int64_t n, int64_t k, const double *a, double *block)
{
    double *x = block + k * k, *right = x + k;
    exblas_solution info = {.condition = 0};
    exb_problem p = {.m = k,
                     .n = k,
                     .n_right = 1,
                     .first = k - 1,
                     .format = exb_format_d(),
                     .a = block,
                     .b = right};
    for (int64_t i = 0; i < k; i++) {
        memcpy(block + i * k, a + i * n, (size_t)k * sizeof *block);
        right[i] = i == k - 1;
    }
    exblas_status status = exb_solve(&p, x, &info);
    bool is_indefinite = status == EXBLAS_ESINGULAR || (status == EXBLAS_OK && !(x[k - 1] > 0));
    return is_indefinite ? EXBLAS_EINDEFINITE : status;
}

exblas_status exb_check_blocks(int64_t n, const double *a, int64_t n_definite)
{
    size_t size = (size_t)n;
    double *block = malloc((size + 2) * size * sizeof *block);
    exblas_status status = block ? EXBLAS_OK : EXBLAS_ENOMEM;
    for (int64_t k = n_definite + 1; k <= n && status == EXBLAS_OK; k++)
        status = check_block(n, k, a, block);
    free(block);
    return status;
}

exblas_status exb_check_definite(int64_t n, const double *a)
{
    size_t size = (size_t)n;
    double *s = malloc(size * size * sizeof *s);
    int *exp2 = malloc(size * sizeof *exp2);
    int64_t n_definite = n;
    exblas_status status = EXBLAS_ENOMEM;
    if (s && exp2)
        status = scale_matrix(n, a, s, exp2) ? EXBLAS_OK : EXBLAS_EINDEFINITE;
    if (status == EXBLAS_OK)
        n_definite = factor_shifted(n, s, shift_of(n, s));
    free(s);
    free(exp2);
    return n_definite < n ? exb_check_blocks(n, a, n_definite) : status;
}
