#include "core/arith/root.h"

uint64_t exb_root_in(exb_format f, uint64_t nan, exb_superacc *a)
{
    exb_leading m;
    if (exb_superacc_is_nan(a))
        return nan;
    if (a->special)
        return f.infinity;
    exb_superacc_normalize(a);
    bool found = exb_leading_of_root(a->word, a->n_words, exb_superacc_exp2(a), &m);
    return found ? exb_encode_leading(f, &m) : 0;
}

double exb_root_d(exb_superacc *a)
{
    return exb_from_bits(exb_root_in(exb_format_d(), EXB_CANONICAL_NAN, a));
}

float exb_root_s(exb_superacc *a)
{
    return exb_from_bits_f((uint32_t)exb_root_in(exb_format_s(), EXB_CANONICAL_NAN_F, a));
}
