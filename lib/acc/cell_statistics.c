/* Statistics of cells (exblas/cell.h): ratios of exact sums, and roots of them, in big integers.
 *
 * With n < 2^62 terms, Sx is a multiple of 2^-1074 below 2^1086, and Sxy one of 2^-2148 below
 * 2^2110. So M = n Sxy - Sx Sy is a multiple of 2^-2148 below 2^2173, and Sy Sxx, the longest
 * product in an intercept, one of 2^-3222 below 2^3196: bigint.h has the room that they need. */
#include "acc/exact_cell.h"
#include "acc/acc_view.h"
#include "core/arith/enclosure.h"
#include "core/arith/quotient.h"
#include "core/fpenv.h"

static exb_big sum_of(const exblas_cell *c)
{
    exblas_acc sum;
    exb_cell_finite_sum(c, &sum);
    return exb_acc_value(&sum);
}

static exb_big count_times(const exblas_cell *c, int64_t d)
{
    return exb_big_of((exb_u128)exb_cell_count(c) * (uint64_t)d);
}

/* n Sab - Sa Sb. */
static exb_big moment_of(const exblas_cell *sa, const exblas_cell *sb, const exblas_cell *sab)
{
    exb_big n = count_times(sa, 1), ab = sum_of(sab), a = sum_of(sa), b = sum_of(sb);
    exb_big left = exb_big_multiply(&n, &ab), right = exb_big_multiply(&a, &b);
    return exb_big_subtract(&left, &right);
}

/* M(x, x), or 0 if that is negative. */
static exb_big square_moment(const exblas_cell *sx, const exblas_cell *sxx)
{
    exb_big m = moment_of(sx, sx, sxx);
    return m.negative ? exb_big_of(0) : m;
}

static exblas_status set_undefined(double *r)
{
    *r = exb_from_bits(EXB_CANONICAL_NAN);
    return EXBLAS_EINVAL;
}

/* n / d, or the root with the sign of n. */
static exblas_status set_ratio(const exb_big *n, const exb_big *d, bool is_root, double *r)
{
    if (d->n_limbs == 0)
        return set_undefined(r);
    EXB_GUARDED(*r = exb_ratio_of_bigs(exb_format_d(), is_root, n, d));
    return EXBLAS_OK;
}

/* False, with NaN in *r, if one of the sums is not finite; b and c may be NULL. */
static bool all_finite(const exblas_cell *a, const exblas_cell *b, const exblas_cell *c, double *r)
{
    *r = exb_from_bits(EXB_CANONICAL_NAN);
    return exblas_cell_is_finite(a) && (!b || exblas_cell_is_finite(b)) &&
           (!c || exblas_cell_is_finite(c));
}

/* A sum of one or two doubles by a number below 2^53, if that can be decided. */
static EXB_NOINLINE bool divide_fast(const exblas_cell *sx, double *r)
{
    if (exb_cell_wide(sx) || sx->term[2] != 0 || exb_cell_count(sx) > (int64_t)1 << 53)
        return false;
    exb_enclosure v = {0, 0, 0, true};
    v.h = exb_two_sum(sx->term[0], sx->term[1], &v.l);
    return exb_enclosure_round_d(exb_ratio_of(v, exb_enclosure_exact((double)exb_cell_count(sx))),
                                 r);
}

exblas_status exblas_cell_mean(const exblas_cell *sx, double *r)
{
    if (exb_cell_count(sx) < 1)
        return set_undefined(r);
    *r = exb_cell_special(sx);
    if (*r != 0)
        return EXBLAS_OK;
    bool done;
    EXB_GUARDED(done = divide_fast(sx, r));
    if (done)
        return EXBLAS_OK;
    exb_big n = count_times(sx, 1), sum = sum_of(sx);
    return set_ratio(&sum, &n, false, r);
}

exblas_status exblas_cell_covariance(const exblas_cell *sx, const exblas_cell *sy,
                                     const exblas_cell *sxy, int64_t d, double *r)
{
    if (exb_cell_count(sx) < 1 || d < 1)
        return set_undefined(r);
    if (!all_finite(sx, sy, sxy, r))
        return EXBLAS_OK;
    exb_big m = moment_of(sx, sy, sxy), divisor = count_times(sx, d);
    return set_ratio(&m, &divisor, false, r);
}

exblas_status exblas_cell_deviation(const exblas_cell *sx, const exblas_cell *sxx, int64_t d,
                                    double *r)
{
    if (exb_cell_count(sx) < 1 || d < 1)
        return set_undefined(r);
    if (!all_finite(sx, sxx, NULL, r))
        return EXBLAS_OK;
    exb_big m = square_moment(sx, sxx), divisor = count_times(sx, d);
    return set_ratio(&m, &divisor, true, r);
}

exblas_status exblas_cell_slope(const exblas_cell *sx, const exblas_cell *sy,
                                const exblas_cell *sxx, const exblas_cell *sxy, double *r)
{
    if (exb_cell_count(sx) < 1)
        return set_undefined(r);
    if (!all_finite(sx, sy, sxy, r) || !exblas_cell_is_finite(sxx))
        return EXBLAS_OK;
    exb_big m = moment_of(sx, sy, sxy), square = square_moment(sx, sxx);
    return set_ratio(&m, &square, false, r);
}

exblas_status exblas_cell_intercept(const exblas_cell *sx, const exblas_cell *sy,
                                    const exblas_cell *sxx, const exblas_cell *sxy, double *r)
{
    if (exb_cell_count(sx) < 1)
        return set_undefined(r);
    if (!all_finite(sx, sy, sxy, r) || !exblas_cell_is_finite(sxx))
        return EXBLAS_OK;
    exb_big x = sum_of(sx), y = sum_of(sy), xx = sum_of(sxx), xy = sum_of(sxy);
    exb_big left = exb_big_multiply(&y, &xx), right = exb_big_multiply(&x, &xy);
    exb_big m = exb_big_subtract(&left, &right), square = square_moment(sx, sxx);
    return set_ratio(&m, &square, false, r);
}

/* M(x, y)^2 / (M(x, x) M(y, y)), or its root with the sign of M(x, y). */
static exblas_status find_determination(const exblas_cell *sx, const exblas_cell *sy,
                                        const exblas_cell *sxx, const exblas_cell *syy,
                                        const exblas_cell *sxy, bool is_root, double *r)
{
    if (exb_cell_count(sx) < 1)
        return set_undefined(r);
    if (!all_finite(sx, sy, sxy, r) || !all_finite(sxx, syy, NULL, r))
        return EXBLAS_OK;
    exb_big m = moment_of(sx, sy, sxy), x = square_moment(sx, sxx), y = square_moment(sy, syy);
    if (m.n_limbs > EXB_MOMENT_LIMBS || x.n_limbs > EXB_MOMENT_LIMBS ||
        y.n_limbs > EXB_MOMENT_LIMBS)
        return set_undefined(r); /* no moments of doubles */
    exb_big square = exb_big_multiply(&m, &m), d = exb_big_multiply(&x, &y);
    square.negative = is_root && m.negative;
    return set_ratio(&square, &d, is_root, r);
}

exblas_status exblas_cell_correlation(const exblas_cell *sx, const exblas_cell *sy,
                                      const exblas_cell *sxx, const exblas_cell *syy,
                                      const exblas_cell *sxy, double *r)
{
    return find_determination(sx, sy, sxx, syy, sxy, true, r);
}

exblas_status exblas_cell_determination(const exblas_cell *sx, const exblas_cell *sy,
                                        const exblas_cell *sxx, const exblas_cell *syy,
                                        const exblas_cell *sxy, double *r)
{
    return find_determination(sx, sy, sxx, syy, sxy, false, r);
}
