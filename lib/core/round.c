#include "core/round.h"

#include "core/eft.h"

/* Position of the top bit of w > 0. */
static int top_bit(uint64_t w)
{
    return 63 - __builtin_clzll(w);
}

/* Leading bits of normalised words that are not negative; the value is
 * sum of word[i] * 2^(exp2 + 53 i). */
static bool leading_of_words(const int64_t *word, int n_words, int exp2, exb_leading *out)
{
    int i = n_words - 1;
    while (i >= 0 && word[i] == 0)
        i--;
    if (i < 0)
        return false;
    /* Three words below the top hold the 64 bits and more; the rest is sticky. */
    uint64_t w0 = (uint64_t)word[i];
    uint64_t w1 = i >= 1 ? (uint64_t)word[i - 1] : 0;
    uint64_t w2 = i >= 2 ? (uint64_t)word[i - 2] : 0;
    int n_bits = top_bit(w0) + 1; /* at most 63: the top word may exceed 53 bits */
    exb_u128 lower = (exb_u128)w1 << EXB_WORD_BITS | w2;
    int n_missing = 64 - n_bits; /* 1 .. 63 bits come from the 106 bits of `lower` */
    out->significand = w0 << n_missing | (uint64_t)(lower >> (2 * EXB_WORD_BITS - n_missing));
    out->exp2 = exp2 + EXB_WORD_BITS * i - n_missing;
    out->inexact = (lower & (((exb_u128)1 << (2 * EXB_WORD_BITS - n_missing)) - 1)) != 0;
    for (int j = i - 3; j >= 0 && !out->inexact; j--)
        out->inexact = word[j] != 0;
    return true;
}

bool exb_superacc_leading(exb_superacc *a, exb_leading *out)
{
    exb_superacc_normalize(a);
    bool negative = a->word[a->n_words - 1] < 0;
    if (negative) {
        exb_superacc_negate(a);
        exb_superacc_normalize(a);
    }
    bool found = leading_of_words(a->word, a->n_words, exb_superacc_exp2(a), out);
    out->negative = negative;
    if (negative) {
        exb_superacc_negate(a);
        exb_superacc_normalize(a);
    }
    return found;
}

uint64_t exb_round_leading(exb_format f, const exb_leading *a)
{
    int exp2 = a->exp2 + 64 - f.n_bits; /* of the last kept bit */
    if (exp2 < f.min_exp2)
        exp2 = f.min_exp2;
    int n_dropped = exp2 - a->exp2; /* >= 11 */
    if (n_dropped > 64)
        return 0; /* below half of the smallest positive number */
    if (exp2 + f.n_bits - 1 > exb_max_exponent(f))
        return f.infinity;
    uint64_t kept = n_dropped < 64 ? a->significand >> n_dropped : 0;
    uint64_t round = a->significand >> (n_dropped - 1) & 1;
    bool sticky = a->inexact || (a->significand & (((uint64_t)1 << (n_dropped - 1)) - 1)) != 0;
    kept += round & (sticky | (kept & 1));
    return exb_encode(f, kept, exp2);
}

/* The n that x / 2^exp2 rounds to, ties to even, from an estimate. */
static uint64_t nearest(exb_comparison *compare, void *x, uint64_t n, int exp2)
{
    for (;;) {
        int above = compare(x, n, 1, exp2);
        int below = n == 0 ? 1 : compare(x, n - 1, 1, exp2);
        if (above > 0 || (above == 0 && (n & 1)))
            n++;
        else if (below < 0 || (below == 0 && (n & 1)))
            n--;
        else
            return n;
    }
}

uint64_t exb_round_compared(exb_format f, exb_comparison *compare, void *x, int exponent,
                            double leading)
{
    if (exponent > exb_max_exponent(f))
        return f.infinity;
    if (exponent < f.min_exp2 - 2)
        return 0; /* below half of the smallest positive number */
    int exp2 = exponent - (f.n_bits - 1);
    if (exp2 < f.min_exp2)
        exp2 = f.min_exp2;
    uint64_t estimate = (uint64_t)ldexp(leading, exponent - exp2);
    return exb_encode(f, nearest(compare, x, estimate, exp2), exp2);
}

/* Encoding and sign of RN(a). Zero and special values included. */
static uint64_t round_to(exb_format f, uint64_t nan, exb_superacc *a, bool *negative)
{
    exb_leading leading;
    *negative = false;
    if (exb_superacc_is_nan(a))
        return nan;
    if (a->special) {
        *negative = a->special & EXB_HAS_NEG_INF;
        return f.infinity;
    }
    if (!exb_superacc_leading(a, &leading))
        return 0;
    *negative = leading.negative;
    return exb_round_leading(f, &leading);
}

double exb_superacc_round_d(exb_superacc *a)
{
    bool negative;
    uint64_t b = round_to(exb_format_d(), EXB_CANONICAL_NAN, a, &negative);
    return exb_signed_d(b, negative);
}

float exb_superacc_round_s(exb_superacc *a)
{
    bool negative;
    uint64_t b = round_to(exb_format_s(), EXB_CANONICAL_NAN_F, a, &negative);
    return exb_signed_s(b, negative);
}

double exb_add_round_to_odd(double h, double l)
{
    double err;
    double s = exb_two_sum(h, l, &err);
    uint64_t b = exb_bits(s);
    if (err == 0 || (b & 1))
        return s;
    /* s is even and not exact: the odd neighbour lies on the side of err. */
    return exb_from_bits((err > 0) == (s > 0) ? b + 1 : b - 1);
}
