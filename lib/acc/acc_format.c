/* Results of accumulators in a format that is chosen at run time, and second moments about means,
 * which are quotients of integers of a few thousand bits. */
#include "acc/acc_view.h"
#include "core/arith/quotient.h"
#include "core/fpenv.h"

enum { MOMENT_LIMBS = 72 }; /* see bigint.h */

static exb_format format_of(int n_bits)
{
    return n_bits == EXBLAS_HALF     ? exb_format_h()
           : n_bits == EXBLAS_SINGLE ? exb_format_s()
                                     : exb_format_d();
}

double exblas_acc_to_format(const exblas_acc *a, int format)
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    double result;
    EXB_GUARDED(result = exb_superacc_round(format_of(format), &view));
    return result;
}

double exblas_acc_root_to_format(const exblas_acc *a, int format)
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    double result;
    if (exb_superacc_sign(&view) == -1)
        view.special |= EXB_HAS_NAN;
    EXB_GUARDED(result = exb_superacc_root(format_of(format), &view));
    return result;
}

double exblas_acc_quotient_to_format(const exblas_acc *a, double d, int format)
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    double result;
    EXB_GUARDED(result = exb_quotient(format_of(format), &view, d));
    return result;
}

/* *r = M; false if a sum is not finite or M has more bits than those of vectors. */
static bool moment_of(exb_big *r, const exblas_moment *m)
{
    bool is_finite = !m->xy->special;
    exb_big n = exb_big_of((uint64_t)m->n), xy = exb_acc_value(m->xy);
    *r = exb_big_multiply(&n, &xy);
    for (int i = 0; i < m->n_pairs; i++) {
        exb_big x = exb_acc_value(m->x[i]), y = exb_acc_value(m->y[i]);
        exb_big product = exb_big_multiply(&x, &y);
        is_finite = is_finite && !m->x[i]->special && !m->y[i]->special;
        *r = exb_big_subtract(r, &product);
    }
    return is_finite && r->n_limbs <= MOMENT_LIMBS;
}

static EXB_NOINLINE double moment_in(exb_format f, const exblas_moment *m, int64_t d, bool is_root)
{
    exb_big moment;
    const double nan = exb_from_bits(EXB_CANONICAL_NAN);
    if (m->n <= 0 || !moment_of(&moment, m))
        return nan;
    bool is_zero = moment.n_limbs == 0;
    if (d <= 0)
        return is_zero ? nan : exb_signed_d(exb_format_d().infinity, moment.negative && !is_root);
    if (is_root && moment.negative)
        return 0;
    exb_big divisor = exb_big_of((exb_u128)m->n * (uint64_t)d);
    return exb_ratio_of_bigs(f, is_root, &moment, &divisor);
}

static EXB_NOINLINE double moment_ratio_in(exb_format f, const exblas_moment *const m[3])
{
    exb_big moment[3];
    for (int i = 0; i < 3; i++)
        if (m[i]->n <= 0 || !moment_of(&moment[i], m[i]))
            return exb_from_bits(EXB_CANONICAL_NAN);
    exb_big square = exb_big_multiply(&moment[0], &moment[0]),
            divisor = exb_big_multiply(&moment[1], &moment[2]);
    if (divisor.n_limbs == 0)
        return exb_from_bits(EXB_CANONICAL_NAN);
    square.negative = moment[0].negative;
    return exb_ratio_of_bigs(f, true, &square, &divisor);
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
