#include "exact.h"

#include "format.h"

#include <limits.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

void fprev_exact_clear(fprev_exact *e)
{
    memset(e, 0, sizeof *e);
}

/* |x| = *m * 2^result, *m < 2^53 */
static int split(double x, uint64_t *m)
{
    int exp2;
    *m = (uint64_t)ldexp(frexp(fabs(x), &exp2), 53);
    return exp2 - 53;
}

void fprev_exact_add(fprev_exact *e, double a, double b, int cut)
{
    uint64_t ma, mb;
    int exp2 = split(a, &ma) + split(b, &mb);
    uint128 m = (uint128)ma * mb;
    if (m == 0)
        return;
    while (exp2 < -2148) { /* only zeros: the product is a multiple of 2^-2148 */
        m >>= 1;
        exp2++;
    }
    if (cut > exp2)
        m = cut - exp2 > 127 ? 0 : m >> (cut - exp2) << (cut - exp2);
    int position = exp2 - FPREV_EXACT_LOW;
    int64_t *limb = &e->limb[position / 32];
    int64_t sign = signbit(a) != signbit(b) ? -1 : 1;
    uint128 low = m << 64 >> 64 << position % 32, high = m >> 64 << position % 32;
    for (int i = 0; i < 3; i++, low >>= 32, high >>= 32) {
        limb[i] += sign * (int64_t)(uint32_t)low;
        limb[i + 2] += sign * (int64_t)(uint32_t)high;
    }
}

/* Makes all limbs 0 ... 2^32 - 1 and returns the sign of the value. */
static int carry(fprev_exact *e)
{
    int64_t carry = 0;
    for (int i = 0; i < FPREV_EXACT_LIMBS; i++) {
        int64_t x = e->limb[i] + carry;
        e->limb[i] = x & 0xffffffff;
        carry = (x - e->limb[i]) / ((int64_t)1 << 32);
    }
    return carry < 0 ? -1 : 1;
}

static void negate(fprev_exact *e)
{
    for (int i = 0; i < FPREV_EXACT_LIMBS; i++)
        e->limb[i] = -e->limb[i];
}

static int bit(const fprev_exact *e, int exp2)
{
    int position = exp2 - FPREV_EXACT_LOW;
    return (int)(e->limb[position / 32] >> position % 32 & 1);
}

/* Exponent of the leading bit; INT_MIN of zero. */
static int leading(const fprev_exact *e)
{
    for (int i = FPREV_EXACT_LIMBS - 1; i >= 0; i--)
        if (e->limb[i])
            return ilogb((double)e->limb[i]) + 32 * i + FPREV_EXACT_LOW;
    return INT_MIN;
}

static bool any_below(const fprev_exact *e, int exp2)
{
    int position = exp2 - FPREV_EXACT_LOW;
    for (int i = 0; i < position / 32; i++)
        if (e->limb[i])
            return true;
    return e->limb[position / 32] & (((int64_t)1 << position % 32) - 1);
}

double fprev_exact_round(const fprev_exact *sum, fprev_type type, bool nearest)
{
    const fprev_format *f = &fprev_formats[type];
    fprev_exact e = *sum;
    int sign = carry(&e);
    if (sign < 0) {
        e = *sum;
        negate(&e);
        carry(&e);
    }
    int top = leading(&e);
    if (top == INT_MIN)
        return 0;
    int unit = (top < f->min_exp ? f->min_exp : top) - f->precision + 1;
    uint64_t m = 0;
    for (int i = top; i >= unit; i--)
        m = m << 1 | (uint64_t)bit(&e, i);
    if (nearest && bit(&e, unit - 1) && (m & 1 || any_below(&e, unit - 1)))
        m++;
    double value = ldexp((double)m, unit);
    if (value >= ldexp(1, f->max_exp) * 2)
        value = nearest ? INFINITY : ldexp(2 - ldexp(1, 1 - f->precision), f->max_exp);
    return sign * value;
}

double fprev_fused_add(fprev_type type, const fprev_adder *adder, int n, const double *a,
                       const double *b)
{
    int top = INT_MIN;
    for (int i = 0; i < n; i++)
        if (a[i] != 0 && b[i] != 0 && ilogb(a[i]) + ilogb(b[i]) > top)
            top = ilogb(a[i]) + ilogb(b[i]);
    if (top == INT_MIN)
        return 0;
    int cut = top + 1 - fprev_formats[type].precision - adder->extra_bits;
    if (adder->extra_bits == FPREV_UNCUT || cut < FPREV_NO_CUT)
        cut = FPREV_NO_CUT;
    fprev_exact e;
    fprev_exact_clear(&e);
    for (int i = 0; i < n; i++)
        fprev_exact_add(&e, a[i], b[i], cut);
    return fprev_exact_round(&e, type, adder->nearest);
}
