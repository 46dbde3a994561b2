#include "core/arith/round.h"

bool exb_superacc_leading(exb_superacc *a, exb_leading *out)
{
    bool negative = exb_superacc_make_positive(a);
    bool found = exb_leading_of_words(a->word, a->n_words, exb_superacc_exp2(a), out);
    out->negative = negative;
    exb_superacc_negate_if(a, negative);
    return found;
}

double exb_number_in(exb_format f, uint64_t b, bool negative)
{
    if (b == EXB_CANONICAL_NAN)
        return exb_from_bits(b);
    if (b == f.infinity)
        return exb_signed_d(exb_format_d().infinity, negative);
    if (f.n_bits == 53)
        return exb_signed_d(b, negative);
    int n_fraction = f.n_bits - 1, field = (int)(b >> n_fraction);
    uint64_t significand = b & (((uint64_t)1 << n_fraction) - 1);
    if (field)
        significand |= (uint64_t)1 << n_fraction;
    double value = ldexp((double)significand, f.min_exp2 + (field ? field - 1 : 0));
    return negative ? -value : value;
}

double exb_superacc_round(exb_format f, exb_superacc *a)
{
    exb_leading leading;
    if (exb_superacc_is_nan(a))
        return exb_from_bits(EXB_CANONICAL_NAN);
    if (a->special)
        return exb_number_in(f, f.infinity, a->special & EXB_HAS_NEG_INF);
    if (!exb_superacc_leading(a, &leading))
        return 0;
    return exb_number_in(f, exb_encode_leading(f, &leading), leading.negative);
}

double exb_superacc_root(exb_format f, exb_superacc *a)
{
    exb_leading m;
    if (a->special)
        return exb_superacc_round(f, a);
    exb_superacc_normalize(a);
    bool found = exb_leading_of_root(a->word, a->n_words, exb_superacc_exp2(a), &m);
    return found ? exb_number_in(f, exb_encode_leading(f, &m), false) : 0;
}
