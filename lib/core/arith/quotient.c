#include "core/arith/quotient.h"

#include "core/arith/enclosure.h"

/* The problem |n| / d = x, decided by signs of exact differences. */
typedef struct {
    exb_superacc *n, *d; /* normalised, d > 0 */
    bool negative;       /* sign of n */
} division;

/* Sign of |n| - (c + half / 2) * 2^exp2 * d for c < 2^54. d has few words other than 0. */
static int compare_candidate(void *x, uint64_t c, int half, int exp2)
{
    const division *q = x;
    exb_finish_acc copy;
    exb_superacc *a = exb_finish_acc_init(&copy);
    exb_superacc_merge(a, q->n);
    exb_superacc_add_multiple(a, !q->negative, 2 * c + (uint64_t)half, exp2 - 1, q->d);
    int sign = exb_superacc_sign(a);
    return q->negative ? -sign : sign;
}

/* floor(log2 x), exactly: x = (m / d) 2^k with both leading bits aligned, so it
 * is k or k - 1 after one comparison. Out of the formats' range the comparison
 * could leave the window and k alone decides. */
static int floor_log2(division *q, int k)
{
    if (k > 1025 || k < -1080)
        return k;
    return compare_candidate(q, 1, 0, k) >= 0 ? k : k - 1;
}

/* Encoding of RN(|n| / d), n and d finite and not zero. */
static uint64_t divide_sums(exb_format f, exb_superacc *n, exb_superacc *d, bool *negative)
{
    exb_leading m, l;
    exb_superacc_leading(n, &m);
    exb_superacc_leading(d, &l);
    *negative = m.negative;
    division q = {n, d, m.negative};
    int k = m.exp2 - l.exp2, exponent = floor_log2(&q, k);
    double ratio = (double)m.significand / (double)l.significand;
    return exb_round_compared(f, compare_candidate, &q, exponent, ldexp(ratio, k - exponent));
}

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
    return is_infinite || divisor == 0 ? f.infinity : divide_sums(f, n, d, negative);
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
