/* Results of accumulators in a format that is chosen at run time, and second moments about means,
 * which are quotients of integers of a few thousand bits. */
#include "acc/acc_view.h"
#include "core/arith/quotient.h"
#include "core/fpenv.h"

static exb_format format_of(int n_bits)
{
    return n_bits == EXBLAS_HALF     ? exb_format_h()
           : n_bits == EXBLAS_SINGLE ? exb_format_s()
                                     : exb_format_d();
}

typedef enum { SUM, ROOT, QUOTIENT } form;

static EXB_NOINLINE double finish(form what, exb_format f, exblas_acc *a, double d)
{
    exb_superacc view = exb_acc_view(a);
    if (what == SUM)
        return exb_superacc_round(f, &view);
    if (what == QUOTIENT)
        return exb_quotient(f, &view, d);
    if (exb_superacc_sign(&view) == -1)
        view.special |= EXB_HAS_NAN;
    return exb_superacc_root(f, &view);
}

static double finish_guarded(form what, int format, const exblas_acc *a, double d)
{
    exblas_acc copy = *a;
    double result;
    EXB_GUARDED(result = finish(what, format_of(format), &copy, d));
    return result;
}

/* Conversions depend on the floating-point environment. */
static EXB_NOINLINE float finish_float(form what, exblas_acc *a)
{
    return (float)finish(what, exb_format_s(), a, 1);
}

static float finish_float_guarded(form what, const exblas_acc *a)
{
    exblas_acc copy = *a;
    float result;
    EXB_GUARDED(result = finish_float(what, &copy));
    return result;
}

double exblas_acc_to_double(const exblas_acc *a)
{
    return finish_guarded(SUM, EXBLAS_DOUBLE, a, 1);
}

float exblas_acc_to_float(const exblas_acc *a)
{
    return finish_float_guarded(SUM, a);
}

double exblas_acc_root_to_double(const exblas_acc *a)
{
    return finish_guarded(ROOT, EXBLAS_DOUBLE, a, 1);
}

float exblas_acc_root_to_float(const exblas_acc *a)
{
    return finish_float_guarded(ROOT, a);
}

double exblas_acc_to_format(const exblas_acc *a, int format)
{
    return finish_guarded(SUM, format, a, 1);
}

double exblas_acc_root_to_format(const exblas_acc *a, int format)
{
    return finish_guarded(ROOT, format, a, 1);
}

double exblas_acc_quotient_to_format(const exblas_acc *a, double d, int format)
{
    return finish_guarded(QUOTIENT, format, a, d);
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
    return is_finite && r->n_limbs <= EXB_MOMENT_LIMBS;
}

static EXB_NOINLINE double moment_in(exb_format f, const exblas_moment *m, int64_t d, bool is_root)
{
    exb_big moment;
    if (m->n <= 0 || !moment_of(&moment, m) || (d <= 0 && moment.n_limbs == 0))
        return exb_from_bits(EXB_CANONICAL_NAN);
    if (d <= 0)
        return exb_signed_d(exb_format_d().infinity, moment.negative && !is_root);
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

static double moment_guarded(int format, const exblas_moment *m, int64_t d, bool is_root)
{
    double result;
    EXB_GUARDED(result = moment_in(format_of(format), m, d, is_root));
    return result;
}

double exblas_moment_to_format(const exblas_moment *m, int64_t d, int format)
{
    return moment_guarded(format, m, d, false);
}

double exblas_moment_root_to_format(const exblas_moment *m, int64_t d, int format)
{
    return moment_guarded(format, m, d, true);
}

double exblas_moment_ratio_to_format(const exblas_moment *xy, const exblas_moment *xx,
                                     const exblas_moment *yy, int format)
{
    const exblas_moment *const m[3] = {xy, xx, yy};
    double result;
    EXB_GUARDED(result = moment_ratio_in(format_of(format), m));
    return result;
}
