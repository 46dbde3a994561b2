/* What scatter-add keeps of a bin: a compensated sum with a running bound, three doubles.
 *
 *   (s, q) = two_sum(s, x);   c = fl(c + q);   w = fl(w + |c|)
 *
 * The exact sum is s + sum q_i. An addition to c errs by at most u|c|, u = 2^-53, and the
 * computed w is at least (1 - nu) sum |c_i| after n terms, so
 *
 *   |exact - (s + c)| <= u w (1 + 2^-12)   for n <= 2^40.
 *
 * The bound grows with |c|, not with n times its terms as in compensated.h, and needs
 * no number of terms. Overflow, Inf and NaN make s or w not finite and stay.
 *
 * If all x are multiples of some 2^g, so are s, q and c, and a c up to 2^(g+53) is a double.
 * The first addition to c that rounds has a larger exact result, hence |c| >= 2^(g+53) and
 * w >= 2^(g+53) from then on: as long as w < 2^(g+53) the sum is exactly s + c. That decides
 * ties, which are common among decimals, integers and random numbers on a grid. If w = 0
 * every c was 0, hence every q, and the sum is s: that needs no g.
 *
 * w starts at -0, which any term turns into something else: fl(-0 + |c|) >= +0.
 * That tells an empty cell from one whose terms were zeros. */
#pragma once

#include "core/arith/enclosure.h"

typedef struct {
    union {
        double s;
        int64_t rank; /* in the end: of an uncertified bin among all such, else -1 */
    };
    double c, w;
} exb_cell;

#define EXB_CELL_MAX_TERMS ((int64_t)1 << 40)

EXB_INLINE exb_cell exb_cell_empty(void)
{
    return (exb_cell){.s = 0, .c = 0, .w = -0.0};
}

EXB_INLINE bool exb_cell_is_empty(const exb_cell *a)
{
    return exb_bits(a->w) == exb_bits(-0.0);
}

EXB_INLINE void exb_cell_add(exb_cell *a, double x)
{
    double q;
    a->s = exb_two_sum(a->s, x, &q);
    a->c += q;
    a->w += __builtin_fabs(a->c);
}

/* exact_to: 2^(g+53) or less; 0 if no g is known. */
EXB_INLINE exb_enclosure exb_cell_enclosure(const exb_cell *a, double exact_to)
{
    bool is_exact = (a->w < exact_to || a->w == 0) && a->w <= EXB_CERTIFIED_MOST &&
                    __builtin_fabs(a->s) <= DBL_MAX;
    exb_enclosure v = {a->s, a->c, 0, is_exact};
    if (!v.exact)
        v.e = exb_bound_up(0x1p-53 * a->w * (1 + 0x1p-12));
    return v;
}

/* 2^(g+53) for numbers of n_bits bits, 24 or 53, whose smallest, zeros left out, has the
 * magnitude m: its leading bit is 2^e and g = e - n_bits + 1. 0 if m is subnormal. */
EXB_INLINE double exb_cell_exact_to(double m, int n_bits)
{
    double leading = exb_from_bits(exb_bits(m) & 0x7ff0000000000000u);
    return leading * (n_bits == 24 ? 0x1p30 : 0x1p1);
}
