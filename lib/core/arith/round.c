#include "core/arith/round.h"

bool exb_superacc_leading(exb_superacc *a, exb_leading *out)
{
    bool negative = exb_superacc_make_positive(a);
    bool found = exb_leading_of_words(a->word, a->n_words, exb_superacc_exp2(a), out);
    out->negative = negative;
    exb_superacc_negate_if(a, negative);
    return found;
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
uint64_t exb_superacc_round_in(exb_format f, uint64_t nan, exb_superacc *a, bool *negative)
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
    return exb_encode_leading(f, &leading);
}

double exb_superacc_round_d(exb_superacc *a)
{
    bool negative;
    uint64_t b = exb_superacc_round_in(exb_format_d(), EXB_CANONICAL_NAN, a, &negative);
    return exb_signed_d(b, negative);
}

float exb_superacc_round_s(exb_superacc *a)
{
    bool negative;
    uint64_t b = exb_superacc_round_in(exb_format_s(), EXB_CANONICAL_NAN_F, a, &negative);
    return exb_signed_s(b, negative);
}
