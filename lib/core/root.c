#include "core/root.h"

exb_enclosure exb_enclosure_root(exb_enclosure a)
{
    double l;
    double h = exb_two_sum(a.h, a.l, &l);
    if (!(h >= 0x1p-900 && h <= 0x1p1000) || !(a.e <= 0x1p-50 * h))
        return exb_enclosure_unknown();
    double r = sqrt(h);
    double rem = exb_remainder(h, r, r);
    double inverse = 0.5 / r; /* beside the chain to rem; one division for both */
    double w = (rem + l) * inverse;
    double scaled = a.exact ? 0 : (a.e + 0x1p-1020) * inverse; /* slack: as in affine */
    exb_enclosure s = {r, w, 0, a.exact && l == 0 && rem == 0};
    if (!s.exact)
        s.e = exb_bound_up(scaled + 0x1p-50 * __builtin_fabs(w));
    return s;
}

/* Sign of a - ((n + half / 2) * 2^exp2)^2 for n < 2^54: the square is
 * (n^2 + half * (n + 1/4)) * 2^(2 exp2), three exact deposits. */
static int compare_square(void *a, uint64_t n, int half, int exp2)
{
    exb_product_acc copy;
    exb_superacc *b = exb_product_acc_init(&copy);
    exb_superacc_merge(b, a);
    exb_superacc_deposit(b, true, (exb_u128)n * n, 2 * exp2);
    if (half) {
        exb_superacc_deposit(b, true, n, 2 * exp2);
        exb_superacc_deposit(b, true, 1, 2 * exp2 - 2);
    }
    return exb_superacc_sign(b);
}

/* Encoding of RN(sqrt(a)) from the leading bits of a. 2^e <= a < 2^(e+1) gives
 * floor(log2 sqrt(a)) = floor(e / 2). Ties occur: a may be the square of a midpoint. */
static uint64_t root_of(exb_format f, exb_superacc *a, const exb_leading *m)
{
    int e = m->exp2 + 63;
    int exponent = e >= 0 ? e / 2 : -((1 - e) / 2);
    double square = ldexp((double)m->significand, -63 + (e - 2 * exponent)); /* in [1, 4] */
    return exb_round_compared(f, compare_square, a, exponent, sqrt(square));
}

static uint64_t root(exb_format f, uint64_t nan, exb_superacc *a)
{
    exb_leading m;
    if (exb_superacc_is_nan(a))
        return nan;
    if (a->special)
        return f.infinity;
    return exb_superacc_leading(a, &m) ? root_of(f, a, &m) : 0;
}

double exb_root_d(exb_superacc *a)
{
    return exb_from_bits(root(exb_format_d(), EXB_CANONICAL_NAN, a));
}

float exb_root_s(exb_superacc *a)
{
    return exb_from_bits_f((uint32_t)root(exb_format_s(), EXB_CANONICAL_NAN_F, a));
}
