/* The filter for norms whose squares overflow or underflow. With 2^k the order of the
 * largest element,
 *
 *   sqrt(S x_i^2) = 2^k sqrt(S (2^-k x_i)^2).
 *
 * Scaling is exact but for elements that underflow: each loses at most 2^-1074 where all are
 * at most 2, so that the squares lose n 2^-1072 together, which the 2^-1020 of the
 * rounding test covers. The scaled root is certified as a double and multiplied by 2^k,
 * which is exact: k > -1000, and what overflows is Inf, as the root itself rounded once.
 *
 * Squares of floats are in range: this is for doubles only.
 * Types: s d. */
#include "level1/reduce.h"

#include <math.h>

/* Exponent of the largest magnitude; false if that is 0, Inf or NaN, or one whose square
 * needs no scaling. */
static bool needs_scaling(const exb_t(reduction) *r, int *k)
{
    double m = 0;
    for (int64_t i = 0; i < r->n; i++) {
        double x = fabs((double)r->x[i * r->incx]);
        m = x > m ? x : m;
    }
    if (m == 0 || !(m <= DBL_MAX))
        return false;
    frexp(m, k);
    /* Arithmetic on subnormal numbers is slower than the exact path. */
    return (*k < -440 && *k > -1000) || *k > 440;
}

/* 2^-k as a product of two numbers: 2^1074 is none. */
static void scale_chunk(int k, int64_t n, const exb_real *x, int64_t incx, exb_real *out)
{
    double half = exb_pow2(-k / 2), rest = exb_pow2(-k - -k / 2);
    for (int64_t i = 0; i < n; i++)
        out[i] = (exb_real)(x[i * incx] * half * rest);
}

bool exb_t(scaled_norm)(const exb_t(reduction) *r, exb_real *result)
{
    exb_real chunk[EXB_GATHER];
    exb_enclosure v = exb_enclosure_exact(0);
    double root;
    int k;
    if (EXB_IS_S || !needs_scaling(r, &k))
        return false;
    for (int64_t i = 0; i < r->n; i += EXB_GATHER) {
        int64_t n = r->n - i < EXB_GATHER ? r->n - i : EXB_GATHER;
        scale_chunk(k, n, r->x + i * r->incx, r->incx, chunk);
        v = exb_enclosure_add(v, exb_t_kernels()->filter(EXB_TERM_XY, n, chunk, chunk));
    }
    v.exact = false; /* what underflowed is not known */
    if (!exb_enclosure_round_d(exb_root_of(v), &root))
        return false;
    *result = (exb_real)ldexp(root, k);
    return true;
}
