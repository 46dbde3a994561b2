/* Results of accumulators in a format that is chosen at run time, and second moments about means,
 * which are quotients of integers of a few thousand bits. */
#include "acc/acc_view.h"

#include "core/arith/quotient.h"
#include "core/arith/root.h"
#include "core/arith/root_of_ratio.h"
#include "core/fpenv.h"

enum { MOMENT_LIMBS = 72 }; /* see bigint.h */

static exb_format format_of(int n_bits)
{
    return n_bits == EXBLAS_HALF     ? exb_format_h()
           : n_bits == EXBLAS_SINGLE ? exb_format_s()
                                     : exb_format_d();
}

/* The number with that encoding: a double, exactly. NaN for EXB_CANONICAL_NAN, which is no
 * encoding of a magnitude in any format. */
static double number_in(exb_format f, uint64_t b, bool negative)
{
    if (b == EXB_CANONICAL_NAN)
        return exb_from_bits(b);
    if (b == f.infinity)
        return exb_signed_d(exb_format_d().infinity, negative);
    int n_fraction = f.n_bits - 1, field = (int)(b >> n_fraction);
    uint64_t significand = b & (((uint64_t)1 << n_fraction) - 1);
    if (field)
        significand |= (uint64_t)1 << n_fraction;
    double value = ldexp((double)significand, f.min_exp2 + (field ? field - 1 : 0));
    return negative ? -value : value;
}

static EXB_NOINLINE double round_in(exb_format f, exblas_acc *a)
{
    exb_superacc view = exb_acc_view(a);
    bool negative;
    uint64_t b = exb_superacc_round_in(f, EXB_CANONICAL_NAN, &view, &negative);
    return number_in(f, b, negative);
}

static EXB_NOINLINE double root_in(exb_format f, exblas_acc *a)
{
    exb_superacc view = exb_acc_view(a);
    if (exb_superacc_sign(&view) == -1)
        view.special |= EXB_HAS_NAN;
    return number_in(f, exb_root_in(f, EXB_CANONICAL_NAN, &view), false);
}

static EXB_NOINLINE double quotient_in(exb_format f, exblas_acc *a, double d)
{
    exb_superacc view = exb_acc_view(a);
    bool negative;
    uint64_t b = exb_quotient_in(f, EXB_CANONICAL_NAN, &view, d, &negative);
    return number_in(f, b, negative);
}

double exblas_acc_to_format(const exblas_acc *a, int format)
{
    exblas_acc copy = *a;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    double result = round_in(format_of(format), &copy);
    exb_fpenv_leave(&env);
    return result;
}

double exblas_acc_root_to_format(const exblas_acc *a, int format)
{
    exblas_acc copy = *a;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    double result = root_in(format_of(format), &copy);
    exb_fpenv_leave(&env);
    return result;
}

double exblas_acc_quotient_to_format(const exblas_acc *a, double d, int format)
{
    exblas_acc copy = *a;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    double result = quotient_in(format_of(format), &copy, d);
    exb_fpenv_leave(&env);
    return result;
}

/* An integer with its sign. */
typedef struct {
    bool negative;
    exb_big magnitude;
} number;

/* Drops limbs that are 0 at the lower end. */
static void drop_zeros(exb_big *a)
{
    int n = 0;
    while (n < a->n_limbs && a->limb[n] == 0)
        n++;
    a->n_limbs -= n;
    a->exp2 += 64 * n;
    memmove(a->limb, a->limb + n, (size_t)a->n_limbs * sizeof *a->limb);
}

/* r = normalised words that are not negative: word i has its last bit at 53 i. The top one may
 * have 63 bits. */
static void big_of_words(exb_big *r, const exb_superacc *a)
{
    int top_bit = (a->n_words - 1) * EXB_WORD_BITS;
    memset(r, 0, sizeof *r);
    r->exp2 = exb_superacc_exp2(a);
    r->n_limbs = top_bit / 64 + 2;
    for (int i = 0; i < a->n_words; i++) {
        int at = i * EXB_WORD_BITS / 64, shift = i * EXB_WORD_BITS % 64;
        uint64_t word = (uint64_t)a->word[i];
        r->limb[at] |= word << shift;
        if (shift)
            r->limb[at + 1] |= word >> (64 - shift);
    }
    while (r->n_limbs > 0 && r->limb[r->n_limbs - 1] == 0)
        r->n_limbs--;
    drop_zeros(r);
}

static void number_of(number *r, const exblas_acc *a)
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    r->negative = exb_superacc_sign(&view) < 0;
    if (r->negative)
        exb_superacc_negate(&view);
    exb_superacc_normalize(&view);
    big_of_words(&r->magnitude, &view);
}

/* r += x, or r -= x. */
static void add(number *r, const number *x, bool subtract)
{
    exb_big old = r->magnitude;
    bool negative = x->negative != subtract;
    if (negative == r->negative) {
        exb_big_add(&r->magnitude, &old, &x->magnitude);
    } else {
        if (exb_big_compare(&old, &x->magnitude) < 0)
            r->negative = negative;
        exb_big_distance(&r->magnitude, &old, &x->magnitude);
    }
    drop_zeros(&r->magnitude);
}

static void multiply(number *r, const number *x, const number *y)
{
    r->negative = x->negative != y->negative;
    exb_big_multiply(&r->magnitude, &x->magnitude, &y->magnitude);
    drop_zeros(&r->magnitude);
}

/* *r = M; false if a sum is not finite or M has more bits than those of vectors. */
static bool moment_of(number *r, const exblas_moment *m)
{
    number x, y, product;
    bool is_finite = !m->xy->special;
    number_of(&x, m->xy);
    exb_big_set(&y.magnitude, (uint64_t)m->n, 0);
    y.negative = false;
    multiply(r, &x, &y);
    for (int i = 0; i < m->n_pairs; i++) {
        is_finite = is_finite && !m->x[i]->special && !m->y[i]->special;
        number_of(&x, m->x[i]);
        number_of(&y, m->y[i]);
        multiply(&product, &x, &y);
        add(r, &product, true);
    }
    return is_finite && r->magnitude.n_limbs <= MOMENT_LIMBS;
}

static EXB_NOINLINE double moment_in(exb_format f, const exblas_moment *m, int64_t d, bool is_root)
{
    number moment;
    exb_big divisor;
    const double nan = exb_from_bits(EXB_CANONICAL_NAN);
    if (m->n <= 0 || !moment_of(&moment, m))
        return nan;
    bool is_zero = moment.magnitude.n_limbs == 0;
    if (d <= 0)
        return is_zero ? nan : exb_signed_d(exb_format_d().infinity, moment.negative && !is_root);
    if (is_zero || (is_root && moment.negative))
        return 0;
    exb_big_set(&divisor, (exb_u128)m->n * (exb_u128)d, 0);
    return number_in(f, exb_ratio_of_bigs(f, is_root, &moment.magnitude, &divisor),
                     moment.negative);
}

static EXB_NOINLINE double moment_ratio_in(exb_format f, const exblas_moment *const m[3])
{
    number moment[3], square, divisor;
    for (int i = 0; i < 3; i++)
        if (m[i]->n <= 0 || !moment_of(&moment[i], m[i]))
            return exb_from_bits(EXB_CANONICAL_NAN);
    multiply(&square, &moment[0], &moment[0]);
    multiply(&divisor, &moment[1], &moment[2]);
    if (divisor.magnitude.n_limbs == 0)
        return exb_from_bits(EXB_CANONICAL_NAN);
    if (square.magnitude.n_limbs == 0)
        return 0;
    return number_in(f, exb_ratio_of_bigs(f, true, &square.magnitude, &divisor.magnitude),
                     moment[0].negative);
}

double exblas_moment_to_format(const exblas_moment *m, int64_t d, int format)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    double result = moment_in(format_of(format), m, d, false);
    exb_fpenv_leave(&env);
    return result;
}

double exblas_moment_root_to_format(const exblas_moment *m, int64_t d, int format)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    double result = moment_in(format_of(format), m, d, true);
    exb_fpenv_leave(&env);
    return result;
}

double exblas_moment_ratio_to_format(const exblas_moment *xy, const exblas_moment *xx,
                                     const exblas_moment *yy, int format)
{
    const exblas_moment *const m[3] = {xy, xx, yy};
    exb_fpenv env;
    exb_fpenv_enter(&env);
    double result = moment_ratio_in(format_of(format), m);
    exb_fpenv_leave(&env);
    return result;
}
