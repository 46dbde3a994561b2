#include "core/quotient.h"

static bool in_range(double x)
{
    double m = __builtin_fabs(x);
    return m >= 0x1p-900 && m <= 0x1p1000;
}

exb_enclosure exb_enclosure_divide(exb_enclosure v, double d)
{
    double q = v.h / d;
    if (!in_range(v.h) || !in_range(q) || !in_range(d))
        return exb_enclosure_unknown();
    double r = exb_remainder(v.h, q, d);
    double w = (r + v.l) / d;
    /* As in exb_enclosure_affine: the slack of the rounding test is scaled too. */
    double scaled = v.exact ? 0 : (v.e + 0x1p-1020) / __builtin_fabs(d);
    exb_enclosure s = {q, w, 0, v.exact && v.l == 0 && r == 0};
    if (!s.exact)
        s.e = exb_bound_up(scaled + 0x1p-51 * __builtin_fabs(w));
    return s;
}

/* The problem |v| / |d| = x, decided by signs of exact differences. */
typedef struct {
    exb_superacc *v; /* normalised */
    bool negative;   /* sign of v */
    uint64_t d;      /* |d| = d * 2^d_exp2 */
    int d_exp2;
} division;

/* Sign of |v| - (n + half / 2) * 2^exp2 * |d| for n < 2^54. */
static int compare_candidate(void *x, uint64_t n, int half, int exp2)
{
    const division *q = x;
    exb_product_acc copy;
    exb_superacc *a = exb_product_acc_init(&copy);
    exb_superacc_merge(a, q->v);
    exb_superacc_deposit(a, !q->negative, (exb_u128)n * q->d, exp2 + q->d_exp2);
    if (half)
        exb_superacc_deposit(a, !q->negative, q->d, exp2 - 1 + q->d_exp2);
    int sign = exb_superacc_sign(a);
    return q->negative ? -sign : sign;
}

/* floor(log2 x), exactly: x = (m / d) 2^k with both leading bits aligned, so it
 * is k or k - 1 after one comparison. Out of the formats' range the comparison
 * could leave the window and k alone decides. */
static int floor_log2(division *q, const exb_leading *m, int *k)
{
    int shift = __builtin_clzll(q->d);
    *k = m->exp2 - (q->d_exp2 - shift);
    if (*k > 1025 || *k < -1080)
        return *k;
    return compare_candidate(q, 1, 0, *k) >= 0 ? *k : *k - 1;
}

/* Encoding of RN(|v| / |d|), v finite and not zero. */
static uint64_t divide(exb_format f, division *q, const exb_leading *m)
{
    int k;
    int exponent = floor_log2(q, m, &k);
    double ratio = (double)m->significand / (double)(q->d << __builtin_clzll(q->d));
    return exb_round_compared(f, compare_candidate, q, exponent, ldexp(ratio, k - exponent));
}

static uint64_t quotient(exb_format f, uint64_t nan, exb_superacc *v, double d, bool *negative)
{
    exb_parts p = exb_split(d);
    exb_leading m;
    int sign = exb_superacc_sign(v); /* 2: NaN */
    bool v_is_infinite = v->special != 0;
    *negative = false;
    if (sign == 2 || isnan(d) || (sign == 0 && d == 0) || (v_is_infinite && !p.is_finite))
        return nan;
    if (sign == 0 || !p.is_finite)
        return 0;
    *negative = p.negative != (sign < 0);
    if (v_is_infinite || d == 0)
        return f.infinity;
    exb_superacc_leading(v, &m);
    division q = {v, m.negative, p.significand, p.exp2};
    return divide(f, &q, &m);
}

double exb_quotient_d(exb_superacc *v, double d)
{
    bool negative;
    uint64_t b = quotient(exb_format_d(), EXB_CANONICAL_NAN, v, d, &negative);
    return exb_signed_d(b, negative);
}

float exb_quotient_s(exb_superacc *v, double d)
{
    bool negative;
    uint64_t b = quotient(exb_format_s(), EXB_CANONICAL_NAN_F, v, d, &negative);
    return exb_signed_s(b, negative);
}
