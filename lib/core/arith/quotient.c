#include "core/arith/quotient.h"

#include <math.h>

double exb_ratio_of_naturals(exb_format f, bool is_root, exb_natural *n, exb_natural *d,
                             int64_t exp2)
{
    enum { FAR = 1 << 14 /* beyond all formats, and their squares */ };
    uint64_t limb[4];
    exb_natural q = {0, limb};
    int64_t shift = 128 + exb_natural_bits(d) - exb_natural_bits(n);
    if (n->n == 0)
        return 0;
    exb_natural_shift_left(shift > 0 ? n : d, shift > 0 ? shift : -shift);
    exb_natural_divide(&q, n, d);
    int64_t n_dropped = exb_natural_bits(&q) - 128, unit = exp2 - shift;
    n_dropped += is_root ? (unit + n_dropped) & 1 : 0;
    bool is_whole = true, rest = n->n > 0 || (limb[0] & (((uint64_t)1 << n_dropped) - 1)) != 0;
    exb_natural_shift_right(&q, n_dropped);
    unit += n_dropped;
    unit = unit > FAR ? FAR : unit < -FAR ? -FAR : unit;
    exb_leading m = {.significand = limb[1], .exp2 = (int)unit + 64};
    if (is_root) {
        m.significand = exb_integer_root(limb[1], limb[0], &is_whole);
        m.exp2 = (int)unit / 2;
    }
    m.inexact = rest || (is_root ? !is_whole : limb[0] != 0);
    return exb_number_in(f, exb_encode_leading(f, &m), false);
}

EXB_NOINLINE double exb_ratio_of_bigs(exb_format f, bool is_root, const exb_big *n,
                                      const exb_big *d)
{
    uint64_t limb[2][EXB_BIG_LIMBS + EXB_RATIO_LIMBS];
    exb_natural x = {n->n_limbs, limb[0]}, y = {d->n_limbs, limb[1]};
    memcpy(x.limb, n->limb, (size_t)x.n * sizeof *x.limb);
    memcpy(y.limb, d->limb, (size_t)y.n * sizeof *y.limb);
    double r = exb_ratio_of_naturals(f, is_root, &x, &y, n->exp2 - d->exp2);
    return n->negative && n->n_limbs > 0 ? -r : r;
}

double exb_ratio(exb_format f, exb_superacc *n, exb_superacc *d)
{
    int sign = exb_superacc_sign(n), divisor = exb_superacc_sign(d); /* 2: NaN */
    bool is_infinite = n->special != 0, by_infinity = d->special != 0;
    if (sign == 2 || divisor == 2 || (sign == 0 && divisor == 0) || (is_infinite && by_infinity))
        return exb_from_bits(EXB_CANONICAL_NAN);
    if (sign == 0 || by_infinity)
        return 0;
    if (is_infinite || divisor == 0)
        return exb_number_in(f, f.infinity, sign < 0);
    exb_big numerator = exb_big_of_sum(n), denominator = exb_big_of_sum(d);
    return exb_ratio_of_bigs(f, false, &numerator, &denominator);
}

/* The ratio of v and |d|, with d's sign. */
double exb_quotient(exb_format f, exb_superacc *v, double d)
{
    exb_product_acc storage;
    exb_superacc *divisor = exb_product_acc_init(&storage);
    exb_superacc_add(divisor, __builtin_fabs(d));
    double q = exb_ratio(f, v, divisor);
    /* A quotient that is not 0 but rounds to 0 has a sign, an exact 0 has none. */
    bool has_sign = q == q && exb_superacc_sign(v) != 0 && !isinf(d);
    return has_sign && signbit(d) ? -q : q;
}
