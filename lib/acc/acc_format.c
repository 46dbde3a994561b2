/* Results of accumulators in a format that is chosen at run time, and second moments about means,
 * which are quotients of integers of a few thousand bits. */
#include "acc/acc_view.h"
#include "acc/exact_integer.h"
#include "core/arith/quotient.h"
#include "core/fpenv.h"

enum { MOMENT_LIMBS = 72 }; /* see bigint.h */

static exb_format format_of(int n_bits)
{
    return n_bits == EXBLAS_HALF     ? exb_format_h()
           : n_bits == EXBLAS_SINGLE ? exb_format_s()
                                     : exb_format_d();
}

static EXB_NOINLINE double round_in(exb_format f, exblas_acc *a)
{
    exb_superacc view = exb_acc_view(a);
    return exb_superacc_round(f, &view);
}

static EXB_NOINLINE double root_in(exb_format f, exblas_acc *a)
{
    exb_superacc view = exb_acc_view(a);
    if (exb_superacc_sign(&view) == -1)
        view.special |= EXB_HAS_NAN;
    return exb_superacc_root(f, &view);
}

static EXB_NOINLINE double quotient_in(exb_format f, exblas_acc *a, double d)
{
    exb_superacc view = exb_acc_view(a);
    return exb_quotient(f, &view, d);
}

double exblas_acc_to_format(const exblas_acc *a, int format)
{
    exblas_acc copy = *a;
    double result;
    EXB_GUARDED(result = round_in(format_of(format), &copy));
    return result;
}

double exblas_acc_root_to_format(const exblas_acc *a, int format)
{
    exblas_acc copy = *a;
    double result;
    EXB_GUARDED(result = root_in(format_of(format), &copy));
    return result;
}

double exblas_acc_quotient_to_format(const exblas_acc *a, double d, int format)
{
    exblas_acc copy = *a;
    double result;
    EXB_GUARDED(result = quotient_in(format_of(format), &copy, d));
    return result;
}

/* *r = M; false if a sum is not finite or M has more bits than those of vectors. */
static bool moment_of(exb_integer *r, const exblas_moment *m)
{
    bool is_finite = !m->xy->special;
    exb_integer n = exb_integer_of((uint64_t)m->n), xy = exb_integer_of_sum(m->xy);
    *r = exb_integer_product(&n, &xy);
    for (int i = 0; i < m->n_pairs; i++) {
        exb_integer x = exb_integer_of_sum(m->x[i]), y = exb_integer_of_sum(m->y[i]);
        exb_integer product = exb_integer_product(&x, &y);
        is_finite = is_finite && !m->x[i]->special && !m->y[i]->special;
        *r = exb_integer_difference(r, &product);
    }
    return is_finite && r->magnitude.n_limbs <= MOMENT_LIMBS;
}

static EXB_NOINLINE double moment_in(exb_format f, const exblas_moment *m, int64_t d, bool is_root)
{
    exb_integer moment;
    const double nan = exb_from_bits(EXB_CANONICAL_NAN);
    if (m->n <= 0 || !moment_of(&moment, m))
        return nan;
    bool is_zero = exb_integer_is_zero(&moment);
    if (d <= 0)
        return is_zero ? nan : exb_signed_d(exb_format_d().infinity, moment.negative && !is_root);
    if (is_zero || (is_root && moment.negative))
        return 0;
    exb_integer divisor = exb_integer_of((exb_u128)m->n * (uint64_t)d);
    double r = exb_ratio_of_bigs(f, is_root, &moment.magnitude, &divisor.magnitude);
    return moment.negative ? -r : r;
}

static EXB_NOINLINE double moment_ratio_in(exb_format f, const exblas_moment *const m[3])
{
    exb_integer moment[3];
    for (int i = 0; i < 3; i++)
        if (m[i]->n <= 0 || !moment_of(&moment[i], m[i]))
            return exb_from_bits(EXB_CANONICAL_NAN);
    exb_integer square = exb_integer_product(&moment[0], &moment[0]),
                divisor = exb_integer_product(&moment[1], &moment[2]);
    if (exb_integer_is_zero(&divisor))
        return exb_from_bits(EXB_CANONICAL_NAN);
    if (exb_integer_is_zero(&square))
        return 0;
    double r = exb_ratio_of_bigs(f, true, &square.magnitude, &divisor.magnitude);
    return moment[0].negative ? -r : r;
}

double exblas_moment_to_format(const exblas_moment *m, int64_t d, int format)
{
    double result;
    EXB_GUARDED(result = moment_in(format_of(format), m, d, false));
    return result;
}

double exblas_moment_root_to_format(const exblas_moment *m, int64_t d, int format)
{
    double result;
    EXB_GUARDED(result = moment_in(format_of(format), m, d, true));
    return result;
}

double exblas_moment_ratio_to_format(const exblas_moment *xy, const exblas_moment *xx,
                                     const exblas_moment *yy, int format)
{
    const exblas_moment *const m[3] = {xy, xx, yy};
    double result;
    EXB_GUARDED(result = moment_ratio_in(format_of(format), m));
    return result;
}
