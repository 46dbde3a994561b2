#include "core/arith/quotient.h"

#include "core/arith/root_of_ratio.h"

static uint64_t ratio_of_sums(exb_format f, uint64_t nan, exb_superacc *n, exb_superacc *d,
                              bool *negative)
{
    int sign = exb_superacc_sign(n), divisor = exb_superacc_sign(d); /* 2: NaN */
    bool is_infinite = n->special != 0, by_infinity = d->special != 0;
    *negative = false;
    if (sign == 2 || divisor == 2 || (sign == 0 && divisor == 0) || (is_infinite && by_infinity))
        return nan;
    if (sign == 0 || by_infinity)
        return 0;
    *negative = sign < 0;
    if (is_infinite || divisor == 0)
        return f.infinity;
    exb_big numerator, denominator;
    exb_big_set_sum(&numerator, n);
    exb_big_set_sum(&denominator, d);
    return exb_ratio_of_bigs(f, false, &numerator, &denominator);
}

double exb_ratio_d(exb_superacc *n, exb_superacc *d)
{
    bool negative;
    uint64_t b = ratio_of_sums(exb_format_d(), EXB_CANONICAL_NAN, n, d, &negative);
    return exb_signed_d(b, negative);
}

float exb_ratio_s(exb_superacc *n, exb_superacc *d)
{
    bool negative;
    uint64_t b = ratio_of_sums(exb_format_s(), EXB_CANONICAL_NAN_F, n, d, &negative);
    return exb_signed_s(b, negative);
}

/* The ratio of v and |d|, with d's sign. */
uint64_t exb_quotient_in(exb_format f, uint64_t nan, exb_superacc *v, double d, bool *negative)
{
    exb_product_acc storage;
    exb_superacc *divisor = exb_product_acc_init(&storage);
    exb_superacc_add(divisor, __builtin_fabs(d));
    uint64_t b = ratio_of_sums(f, nan, v, divisor, negative);
    /* A quotient that is not 0 but rounds to 0 has a sign, an exact 0 has none. */
    if (b != nan && exb_superacc_sign(v) != 0 && !isinf(d))
        *negative = *negative != (exb_bits(d) >> 63);
    return b;
}

double exb_quotient_d(exb_superacc *v, double d)
{
    bool negative;
    uint64_t b = exb_quotient_in(exb_format_d(), EXB_CANONICAL_NAN, v, d, &negative);
    return exb_signed_d(b, negative);
}

float exb_quotient_s(exb_superacc *v, double d)
{
    bool negative;
    uint64_t b = exb_quotient_in(exb_format_s(), EXB_CANONICAL_NAN_F, v, d, &negative);
    return exb_signed_s(b, negative);
}
