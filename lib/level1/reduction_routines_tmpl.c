/* sum, asum, nrm2 and dot: filter, certify, exact.
 * Types: s d. */
#include "entry.h"

#include "core/fpenv.h"
#include "level1/reduce.h"

/* The two ways in which a reduction ends. */
typedef enum { FINISH_SUM, FINISH_ROOT } finish;

/* Inlined, and without a copy: a load of two numbers that were just stored one by one waits for the
 * stores to end. */
EXB_INLINE bool certified(const exb_enclosure *v, finish f, exb_real *result)
{
    if (f == FINISH_ROOT)
        return exb_round_enclosure(exb_enclosure_root(*v), result);
    return exb_round_enclosure(*v, result);
}

/* Sums that end in a tie are exact as they are, if nothing small is among the numbers. */
static bool is_exact_sum(const exb_t(reduction) *r, const exb_enclosure *v)
{
    return r->n <= EXB_CHUNK && v->e < (double)INFINITY &&
           exb_sum_lost_nothing(v->e, exb_t_kernels()->least(r->n, r->x));
}

/* One vector is all zeros, the other finite: a filter of products, which may underflow, does not
 * know that its 0 is exact. */
static bool is_zero_product(const exb_t(reduction) *r, const exb_enclosure *v)
{
    if (r->term != EXB_TERM_XY || v->h != 0 || v->l != 0)
        return false;
    int64_t x = exb_t_kernels()->peak(1, r->n, r->x), y = exb_t_kernels()->peak(1, r->n, r->y);
    return (x == 0 && y < EXB_KEY_INF) || (y == 0 && x < EXB_KEY_INF);
}

static bool is_in_place(const exb_t(reduction) *r)
{
    return r->incx == 1 && (r->term != EXB_TERM_XY || r->incy == 1);
}

/* Short vectors go straight to the kernel: the way through threads and chunks would
 * cost as much as the sum. */
static exb_enclosure first_filter(const exb_t(reduction) *r)
{
    if (r->n < EXB_ANCHOR_LENGTH && is_in_place(r))
        return exb_t_kernels()->filter(r->term, r->n, r->x, r->y);
    return exb_t(reduce_filter_threads)(r);
}

/* What the first filter, which found v, leaves open. */
static bool certified_otherwise(const exb_t(reduction) *r, exb_enclosure v, finish f,
                                exb_real *result)
{
    if (is_in_place(r) && r->term != EXB_TERM_XY && is_exact_sum(r, &v)) {
        v.e = 0;
        v.exact = true;
        if (certified(&v, f, result))
            return true;
    }
    if (is_in_place(r) && is_zero_product(r, &v)) {
        *result = 0;
        return true;
    }
    v = exb_t(reduce_triple)(r);
    return certified(&v, f, result) || (f == FINISH_ROOT && exb_t(scaled_norm)(r, result));
}

static bool is_few(const exb_t(reduction) *r, finish f)
{
    return f == FINISH_SUM && is_in_place(r) &&
           r->n <= (r->term == EXB_TERM_XY ? EXB_FEW_PRODUCTS : EXB_FEW);
}

/* No flag but that of inexact results is raised where a sum is rounded to r, whose parts are 0 or
 * at least 2^-904 (kernels.h). The ends of its bracket do not overflow; a float is not next to
 * numbers that are subnormal or overflow: what is rounded up to FLT_MIN may underflow. */
static bool is_rounded_quietly(exb_real r)
{
    double m = fabs((double)r);
    return EXB_IS_S ? m > FLT_MIN && m <= FLT_MAX : m <= EXB_CERTIFIED_MOST;
}

/* quiet: no flag but that of inexact results was raised, neither by the kernel nor by rounding. */
static bool certified_by_filters(const exb_t(reduction) *r, finish f, exb_real *result, bool *quiet)
{
    if (!is_few(r, f)) {
        exb_enclosure v = first_filter(r);
        return certified(&v, f, result) || certified_otherwise(r, v, f, result);
    }
    exb_few s = exb_t_kernels()->few(r->term, r->n, r->x, r->y);
    if (!certified(&s.v, FINISH_SUM, result))
        return certified_otherwise(r, s.v, f, result);
    *quiet = s.quiet && is_rounded_quietly(*result);
    return true;
}

static EXB_NOINLINE exb_real reduce_vectors(const exb_t(reduction) *r, finish f, bool *quiet)
{
    const exb_method *method = exb_method_current();
    exb_real result;
    *quiet = false;
    if (method->filter && certified_by_filters(r, f, &result, quiet))
        return result;
    exb_product_acc acc;
    exb_superacc *a = exb_product_acc_init(&acc);
    exb_t(reduce_exact_threads)(r, method, a);
    return f == FINISH_ROOT ? exb_round_root(a) : exb_round_superacc(a);
}

/* Of few terms reading the exception flags would be a fifth of the call. */
static exb_real guarded(const exb_t(reduction) *r, finish f)
{
    exb_fpenv env;
    bool quiet;
    exb_fpenv_enter(&env);
    exb_real result = reduce_vectors(r, f, &quiet);
    if (quiet)
        exb_fpenv_leave_quiet(&env);
    else
        exb_fpenv_leave(&env);
    return result;
}

exb_real exb_entry(sum)(int64_t n, const exb_real *x, int64_t incx)
{
    exb_t(reduction) r = {EXB_TERM_X, n, exb_t(first)(x, n, incx), incx, NULL, 0};
    return n <= 0 ? 0 : guarded(&r, FINISH_SUM);
}

exb_real exb_entry(asum)(int64_t n, const exb_real *x, int64_t incx)
{
    exb_t(reduction) r = {EXB_TERM_ABS_X, n, x, incx, NULL, 0};
    return n <= 0 || incx <= 0 ? 0 : guarded(&r, FINISH_SUM);
}

/* As netlib 3.10 and later: a negative increment walks backwards, increment 0
 * counts the first element n times. */
exb_real exb_entry(nrm2)(int64_t n, const exb_real *x, int64_t incx)
{
    const exb_real *first = exb_t(first)(x, n, incx);
    exb_t(reduction) r = exb_t(dot_of)(n, first, incx, first, incx);
    return n <= 0 ? 0 : guarded(&r, FINISH_ROOT);
}

exb_real exb_entry(dot)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y, int64_t incy)
{
    exb_t(reduction) r =
        exb_t(dot_of)(n, exb_t(first)(x, n, incx), incx, exb_t(first)(y, n, incy), incy);
    return n <= 0 ? 0 : guarded(&r, FINISH_SUM);
}
