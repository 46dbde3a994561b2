/* rotg of complex numbers: with A = |a|^2, B = |b|^2, for each part
 *
 *   c = RN(sqrt(A / (A + B)))
 *   r = RN(a sqrt((A + B) / A))                  = +-sqrt(a_part^2 (A + B) / A)
 *   s = RN(a conj(b) / sqrt(A (A + B)))          = +-sqrt(P^2 / (A (A + B)))
 *
 * with P the part of a conj(b), all roots of ratios of exact integers. Formulas: reference
 * BLAS 3.10; Anderson, "Algorithm 978: Safe scaling in the level 1 BLAS" (2017).
 * Types: c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "element/line.h"

static exb_big norm_of(exb_complex a)
{
    exb_big re = exb_big_of_product(a.re, a.re), im = exb_big_of_product(a.im, a.im);
    return exb_big_add(&re, &im);
}

/* RN(x sqrt(n / d)); a zero x keeps its sign. */
static exb_real scaled_root(double x, const exb_big *n, const exb_big *d)
{
    exb_big square = exb_big_of_product(x, x), product = exb_big_multiply(&square, n);
    exb_real r = exb_round_root_of_ratio(&product, d);
    return signbit(x) ? -r : r;
}

/* RN((x y + u v) / sqrt(d)); an exact zero is -0 if both products are. */
static exb_real part_of_product(double x, double y, double u, double v, const exb_big *d)
{
    exb_big xy = exb_big_of_product(x, y), uv = exb_big_of_product(u, v);
    exb_big sum = exb_big_add(&xy, &uv), square = exb_big_multiply(&sum, &sum);
    square.negative = sum.negative;
    if (sum.n_limbs == 0)
        return xy.negative && uv.negative ? -(exb_real)0 : 0;
    return exb_round_root_of_ratio(&square, d);
}

typedef struct {
    exb_real r[2], c, s[2];
} rotation;

static rotation finite_rotation(exb_complex a, exb_complex b)
{
    exb_big na = norm_of(a), nb = norm_of(b);
    exb_big sum = exb_big_add(&na, &nb), product = exb_big_multiply(&na, &sum);
    rotation q;
    q.c = exb_round_root_of_ratio(&na, &sum);
    q.r[0] = scaled_root(a.re, &sum, &na);
    q.r[1] = scaled_root(a.im, &sum, &na);
    q.s[0] = part_of_product(a.re, b.re, a.im, b.im, &product);
    q.s[1] = part_of_product(a.im, b.re, -a.re, b.im, &product);
    return q;
}

/* a = 0: c = 0, s = conj(b) / |b|, r = |b|. */
static rotation finite_swap(exb_complex b)
{
    exb_big one = exb_big_of(1), norm = norm_of(b);
    return (rotation){{exb_round_root_of_ratio(&norm, &one), 0},
                      0,
                      {scaled_root(b.re, &one, &norm), scaled_root(-b.im, &one, &norm)}};
}

static bool is_finite(exb_complex a)
{
    return isfinite(a.re) && isfinite(a.im);
}

/* Inf if a part is Inf, NaN if one is NaN, else 1: a number that takes |a|'s place beside
 * an infinite norm. */
static double modulus(exb_complex a)
{
    return is_finite(a) ? 1 : fabs(a.re) + fabs(a.im);
}

static exb_real canonical(double x)
{
    return exb_canonical((exb_real)x);
}

/* The formulas in the extended reals, with an Inf or a NaN among a and b. Then so are both
 * parts of a conj(b), to which all four parts contribute: s = Inf / Inf. */
static rotation infinite_rotation(exb_complex a, exb_complex b)
{
    double na = modulus(a), root = modulus(a) + modulus(b);
    exb_real nan = canonical(NAN);
    return (rotation){{canonical(a.re * root / na), canonical(a.im * root / na)},
                      canonical(na / root),
                      {nan, nan}};
}

static rotation infinite_swap(exb_complex b)
{
    double norm = modulus(b);
    exb_real im = isnan(norm) ? canonical(NAN) : 0;
    return (rotation){{canonical(norm), im}, 0, {canonical(b.re / norm), canonical(-b.im / norm)}};
}

static rotation rotation_of(exb_complex a, exb_complex b)
{
    if (exb_is_zero(b))
        return (rotation){{canonical(a.re), canonical(a.im)}, 1, {0, 0}};
    if (exb_is_zero(a))
        return is_finite(b) ? finite_swap(b) : infinite_swap(b);
    return is_finite(a) && is_finite(b) ? finite_rotation(a, b) : infinite_rotation(a, b);
}

static EXB_NOINLINE void make_rotation(exb_real *a, const exb_real *b, exb_real *c, exb_real *s)
{
    rotation q = rotation_of((exb_complex){a[0], a[1]}, (exb_complex){b[0], b[1]});
    memcpy(a, q.r, sizeof q.r);
    memcpy(s, q.s, sizeof q.s);
    *c = q.c;
}

void exb_entry(rotg)(exb_real *a, const exb_real *b, exb_real *c, exb_real *s)
{
    EXB_GUARDED(make_rotation(a, b, c, s));
}
