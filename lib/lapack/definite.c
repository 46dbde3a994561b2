/* Types: d. */
#include "lapack/definite.h"

#include "lapack/exact_solve.h"
#include "lapack/exponents.h"
#include "lapack/plain_dot.h"
#include "level1/reduce.h"

#include <float.h>
#include <stdlib.h>

typedef enum { DEFINITE, INDEFINITE, UNDECIDED } verdict;

typedef struct {
    int64_t n, n_definite; /* that is the order of a leading block which is definite */
    double *s; /* D A D, n rows of n, D of powers of two that bring the diagonal near 1 */
    double *l; /* its factor */
    double *v; /* n */
} cholesky;

/* Powers of two whose squares divide the diagonal to between 1 and 4; false for one that is not
 * positive. */
static bool choose_factors(int64_t n, const double *a, int *exp2)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(a[i * n + i] > 0))
            return false;
        exp2[i] = 1024 - (exb_top_exp2(a[i * n + i]) + 2047) / 2;
    }
    return true;
}

/* INDEFINITE if an element is more than 4, as those of the diagonal are less; UNDECIDED if one
 * loses bits: 2^-1075 at most, which the shift covers. */
static verdict scale_matrix(cholesky *c, const double *a, const int *exp2)
{
    verdict result = DEFINITE;
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t j = 0; j < c->n; j++) {
            double x = a[i * c->n + j], y = ldexp(x, exp2[i] + exp2[j]);
            if (exb_fabs(y) > 4)
                return INDEFINITE;
            if (ldexp(y, -exp2[i] - exp2[j]) != x)
                result = UNDECIDED;
            c->s[i * c->n + j] = y;
        }
    return result;
}

/* The factorisation of S - shift I, by rows; the row that has no positive pivot, or n. */
static int64_t factor_shifted(const cholesky *c, double shift)
{
    int64_t n = c->n;
    for (int64_t i = 0; i < n; i++) {
        double *row = c->l + i * n;
        for (int64_t j = 0; j < i; j++)
            row[j] = (c->s[i * n + j] - exb_plain_dot(j, row, c->l + j * n)) / c->l[j * n + j];
        double pivot = c->s[i * n + i] - shift - exb_plain_dot(i, row, row);
        if (!(pivot > 0))
            return i;
        row[i] = sqrt(pivot);
    }
    return n;
}

/* The theorem's bound is the sum over j of (j + 1) u / (1 - 2 (j + 1) u) s_jj; the trace, at least
 * the largest element of the diagonal, also covers the rounding of s_jj - shift and of the trace,
 * and 2^-900 the underflow of n^3 operations on numbers up to 4. */
static double shift_of(const cholesky *c)
{
    double trace = 0;
    for (int64_t i = 0; i < c->n; i++)
        trace += c->s[i * c->n + i];
    return (2 * (double)c->n + 8) * 0x1p-53 * (1 + 0x1p-20) * trace + 0x1p-900;
}

/* v = (-L^-T row k of L, 1, 0, ...), for which v' (L L' with that row) v is the pivot. False if it
 * overflows. */
static bool set_direction(const cholesky *c, int64_t k)
{
    int64_t n = c->n;
    for (int64_t i = 0; i < n; i++)
        c->v[i] = i < k ? -c->l[k * n + i] : i == k;
    for (int64_t i = k - 1; i >= 0; i--) {
        c->v[i] /= c->l[i * n + i];
        for (int64_t j = 0; j < i; j++)
            c->v[j] -= c->l[i * n + j] * c->v[i];
    }
    bool is_finite = true;
    for (int64_t i = 0; i < n; i++)
        is_finite &= exb_fabs(c->v[i]) <= DBL_MAX;
    return is_finite;
}

static double exact_dot(int64_t n, const double *x, const double *y)
{
    exb_product_acc sum;
    exb_dreduction dot = exb_ddot_of(n, x, 1, y, 1);
    exb_dreduce_exact(&dot, exb_method_current(), exb_product_acc_init(&sum));
    exb_superacc_normalize(&sum.acc);
    return exb_superacc_round_d(&sum.acc);
}

/* v' S v < 0? With t_i = RN((S v)_i) it is RN(v' t) within 2^-53 of itself and of sum |v_i t_i|,
 * which is at most n max |v_i t_i|; 2^-51 has room for the roundings of the bound, and the last
 * term for 2^-1074 that each t_i and product may lose. */
static bool is_negative(const cholesky *c, double *t)
{
    double most = 0, largest = 0;
    for (int64_t i = 0; i < c->n; i++) {
        t[i] = exact_dot(c->n, c->s + i * c->n, c->v);
        double m = exb_fabs(t[i] * c->v[i]);
        most = m > most ? m : most;
        largest = exb_fabs(c->v[i]) > largest ? exb_fabs(c->v[i]) : largest;
    }
    double value = exact_dot(c->n, c->v, t);
    return value + exb_fabs(value) * 0x1p-51 + (double)c->n * most * 0x1p-51 +
               (double)c->n * (largest + 1) * 0x1p-1070 <
           0;
}

/* A direction proves something of S, which is A's only if no bit was lost. */
static verdict judge_factors(cholesky *c, bool is_exact)
{
    c->n_definite = factor_shifted(c, shift_of(c));
    if (c->n_definite == c->n)
        return DEFINITE;
    bool is_indefinite = is_exact && set_direction(c, c->n_definite) && is_negative(c, c->l);
    return is_indefinite ? INDEFINITE : UNDECIDED;
}

static verdict judge_plainly(int64_t n, const double *a, int64_t *n_definite)
{
    size_t size = (size_t)n;
    cholesky c = {.n = n};
    int *exp2 = malloc(size * sizeof *exp2);
    c.s = malloc((2 * size * size + size) * sizeof *c.s);
    verdict result = UNDECIDED;
    if (exp2 && c.s) {
        c.l = c.s + size * size;
        c.v = c.l + size * size;
        result = choose_factors(n, a, exp2) ? scale_matrix(&c, a, exp2) : INDEFINITE;
        if (result != INDEFINITE)
            result = judge_factors(&c, result == DEFINITE);
    }
    free(exp2);
    free(c.s);
    *n_definite = c.n_definite;
    return result;
}

/* The leading block of order k, if the one before is definite: the sign of its determinant is that
 * of x_k in A_k x = (0, ..., 0, 1). Of a definite block x_k >= 1 / a_kk, which does not round to 0.
 */
static exblas_status check_block(int64_t n, int64_t k, const double *a, double *block, bool *wanted)
{
    exb_exact e;
    double *x = block + k * k, *right = x + k;
    for (int64_t i = 0; i < k; i++) {
        memcpy(block + i * k, a + i * n, (size_t)k * sizeof *block);
        right[i] = wanted[i] = i == k - 1;
    }
    exblas_status status = exb_exact_init(&e, k, block);
    if (status == EXBLAS_OK) {
        status = exb_exact_solve(&e, right, exb_format_d(), wanted, NULL, x);
        exb_exact_free(&e);
    }
    bool is_indefinite = status == EXBLAS_ESINGULAR || (status == EXBLAS_OK && !(x[k - 1] > 0));
    return is_indefinite ? EXBLAS_EINDEFINITE : status;
}

exblas_status exb_check_blocks(int64_t n, const double *a, int64_t n_definite)
{
    size_t size = (size_t)n;
    double *block = malloc((size + 2) * size * sizeof *block);
    bool *wanted = malloc(size * sizeof *wanted);
    exblas_status status = block && wanted ? EXBLAS_OK : EXBLAS_ENOMEM;
    for (int64_t k = n_definite + 1; k <= n && status == EXBLAS_OK; k++)
        status = check_block(n, k, a, block, wanted);
    free(block);
    free(wanted);
    return status;
}

exblas_status exb_check_definite(int64_t n, const double *a)
{
    int64_t n_definite;
    verdict v = judge_plainly(n, a, &n_definite);
    return v == DEFINITE     ? EXBLAS_OK
           : v == INDEFINITE ? EXBLAS_EINDEFINITE
                             : exb_check_blocks(n, a, n_definite);
}
