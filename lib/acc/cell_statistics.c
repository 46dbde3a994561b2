/* Statistics of cells (exblas/cell.h): ratios of exact sums, and roots of them, in big integers.
 *
 * With n <= 2^62 terms, Sx is a multiple of 2^-1074 below 2^1086, and Sxy one of 2^-2148 below
 * 2^2110. So M = n Sxy - Sx Sy is a multiple of 2^-2148 below 2^2173, and Sy Sxx, the longest
 * product in an intercept, one of 2^-3222 below 2^3196: bigint.h has the room that they need. */
#include "acc/acc_view.h"
#include "acc/exact_cell.h"
#include "core/arith/quotient.h"
#include "core/arith/root_of_ratio.h"
#include "core/fpenv.h"

typedef struct {
    exb_big magnitude;
    bool negative;
} integer;

/* The words of a normalised accumulator that is not negative, from the lowest bit that is set. */
static void set_of_words(exb_big *r, const exb_superacc *a)
{
    int top = exb_words_top(a->word, a->n_words), i = 0;
    r->n_limbs = 0;
    r->exp2 = 0;
    if (top < 0)
        return;
    while (a->word[i] == 0)
        i++;
    int lowest = EXB_WORD_BITS * i + __builtin_ctzll((unsigned long long)a->word[i]);
    r->exp2 = exb_superacc_exp2(a) + lowest;
    for (int at = lowest; at <= top; at += 64)
        r->limb[r->n_limbs++] = exb_words_bits(a->word, a->n_words, at);
}

static integer sum_of(const exblas_cell *c)
{
    integer r;
    exblas_acc sum;
    exb_cell_finite_sum(c, &sum);
    r.negative = exblas_acc_sign(&sum) < 0;
    if (r.negative)
        exblas_acc_negate(&sum);
    exblas_acc_normalize(&sum);
    exb_superacc view = exb_acc_view(&sum);
    set_of_words(&r.magnitude, &view);
    return r;
}

static integer product(const integer *a, const integer *b)
{
    integer r;
    exb_big_multiply(&r.magnitude, &a->magnitude, &b->magnitude);
    r.negative = a->negative != b->negative;
    return r;
}

static integer difference(const integer *a, const integer *b)
{
    integer r;
    if (a->negative != b->negative) {
        exb_big_add(&r.magnitude, &a->magnitude, &b->magnitude);
        r.negative = a->negative;
    } else {
        exb_big_distance(&r.magnitude, &a->magnitude, &b->magnitude);
        bool is_less = exb_big_compare(&a->magnitude, &b->magnitude) < 0;
        r.negative = is_less != a->negative;
    }
    return r;
}

static integer whole(int64_t n)
{
    integer r = {.negative = false};
    exb_big_set(&r.magnitude, (exb_u128)(uint64_t)n, 0);
    return r;
}

/* n Sab - Sa Sb. */
static integer moment(const exblas_cell *sa, const exblas_cell *sb, const exblas_cell *sab)
{
    integer n = whole(sa->n), ab = sum_of(sab), a = sum_of(sa), b = sum_of(sb);
    integer left = product(&n, &ab), right = product(&a, &b);
    return difference(&left, &right);
}

/* M(x, x), or 0 if that is negative. */
static integer square_moment(const exblas_cell *sx, const exblas_cell *sxx)
{
    integer m = moment(sx, sx, sxx);
    return m.negative ? whole(0) : m;
}

static bool is_zero(const integer *a)
{
    return a->magnitude.n_limbs == 0;
}

/* What a result is rounded from: n / d, or the root with the sign of n. */
typedef enum { RATIO, ROOT } form;

static EXB_NOINLINE double rounded(const integer *n, const integer *d, form f)
{
    double r = f == ROOT ? exb_root_of_ratio_d(&n->magnitude, &d->magnitude)
                         : exb_ratio_of_big_d(&n->magnitude, &d->magnitude);
    return n->negative && !is_zero(n) ? -r : r;
}

static exblas_status undefined(double *r)
{
    *r = exb_from_bits(EXB_CANONICAL_NAN);
    return EXBLAS_EINVAL;
}

static exblas_status finish(const integer *n, const integer *d, form f, double *r)
{
    exb_fpenv env;
    if (is_zero(d))
        return undefined(r);
    exb_fpenv_enter(&env);
    *r = rounded(n, d, f);
    exb_fpenv_leave(&env);
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
    if (sx->wide || sx->term[2] != 0 || sx->n > (int64_t)1 << 53)
        return false;
    exb_enclosure v = {0, 0, 0, true};
    v.h = exb_two_sum(sx->term[0], sx->term[1], &v.l);
    return exb_enclosure_round_d(exb_enclosure_divide(v, (double)sx->n), r);
}

exblas_status exblas_cell_mean(const exblas_cell *sx, double *r)
{
    exb_fpenv env;
    if (sx->n < 1)
        return undefined(r);
    *r = exb_cell_special(sx);
    if (*r != 0)
        return EXBLAS_OK;
    exb_fpenv_enter(&env);
    bool done = divide_fast(sx, r);
    exb_fpenv_leave(&env);
    if (done)
        return EXBLAS_OK;
    integer n = whole(sx->n), sum = sum_of(sx);
    return finish(&sum, &n, RATIO, r);
}

exblas_status exblas_cell_covariance(const exblas_cell *sx, const exblas_cell *sy,
                                     const exblas_cell *sxy, int64_t d, double *r)
{
    if (sx->n < 1 || d < 1)
        return undefined(r);
    if (!all_finite(sx, sy, sxy, r))
        return EXBLAS_OK;
    integer m = moment(sx, sy, sxy), n = whole(sx->n), by = whole(d);
    integer divisor = product(&n, &by);
    return finish(&m, &divisor, RATIO, r);
}

exblas_status exblas_cell_deviation(const exblas_cell *sx, const exblas_cell *sxx, int64_t d,
                                    double *r)
{
    if (sx->n < 1 || d < 1)
        return undefined(r);
    if (!all_finite(sx, sxx, NULL, r))
        return EXBLAS_OK;
    integer m = square_moment(sx, sxx), n = whole(sx->n), by = whole(d);
    integer divisor = product(&n, &by);
    return finish(&m, &divisor, ROOT, r);
}

exblas_status exblas_cell_slope(const exblas_cell *sx, const exblas_cell *sy,
                                const exblas_cell *sxx, const exblas_cell *sxy, double *r)
{
    if (sx->n < 1)
        return undefined(r);
    if (!all_finite(sx, sy, sxy, r) || !exblas_cell_is_finite(sxx))
        return EXBLAS_OK;
    integer m = moment(sx, sy, sxy), square = square_moment(sx, sxx);
    return finish(&m, &square, RATIO, r);
}

exblas_status exblas_cell_intercept(const exblas_cell *sx, const exblas_cell *sy,
                                    const exblas_cell *sxx, const exblas_cell *sxy, double *r)
{
    if (sx->n < 1)
        return undefined(r);
    if (!all_finite(sx, sy, sxy, r) || !exblas_cell_is_finite(sxx))
        return EXBLAS_OK;
    integer x = sum_of(sx), y = sum_of(sy), xx = sum_of(sxx), xy = sum_of(sxy);
    integer left = product(&y, &xx), right = product(&x, &xy);
    integer m = difference(&left, &right), square = square_moment(sx, sxx);
    return finish(&m, &square, RATIO, r);
}

/* M(x, y)^2 / (M(x, x) M(y, y)), or its root with the sign of M(x, y). */
static exblas_status determine(const exblas_cell *sx, const exblas_cell *sy, const exblas_cell *sxx,
                               const exblas_cell *syy, const exblas_cell *sxy, form f, double *r)
{
    if (sx->n < 1)
        return undefined(r);
    if (!all_finite(sx, sy, sxy, r) || !all_finite(sxx, syy, NULL, r))
        return EXBLAS_OK;
    integer m = moment(sx, sy, sxy), x = square_moment(sx, sxx), y = square_moment(sy, syy);
    integer square = product(&m, &m), d = product(&x, &y);
    square.negative = f == ROOT && m.negative;
    return finish(&square, &d, f, r);
}

exblas_status exblas_cell_correlation(const exblas_cell *sx, const exblas_cell *sy,
                                      const exblas_cell *sxx, const exblas_cell *syy,
                                      const exblas_cell *sxy, double *r)
{
    return determine(sx, sy, sxx, syy, sxy, ROOT, r);
}

exblas_status exblas_cell_determination(const exblas_cell *sx, const exblas_cell *sy,
                                        const exblas_cell *sxx, const exblas_cell *syy,
                                        const exblas_cell *sxy, double *r)
{
    return determine(sx, sy, sxx, syy, sxy, RATIO, r);
}
