/* Plain sums of floats or of their products, elements of even and of odd number apart: plain_parts
 * in kernel_slots.h. Types: s. */
#include "level1/kernels/plain_steps.h"
#include "core/kernel.h"

/* Lanes of the same parity added up, by halves. */
EXB_INLINE void join_lanes(exb_v a, double out[2])
{
    for (int half = EXB_LANES / 2; half > 1; half /= 2)
        a = v_add(a, v_swap(a, half));
    out[0] = v_first(a);
    out[1] = v_first(v_swap(a, 1));
}

EXB_INLINE void plain_parts(exb_term term, bool crossed, int64_t n, const float *x, const float *y,
                            double sum[4], double e[4])
{
    plain_lanes l[PLAIN_RISING_CHAINS];
    int chains = exb_term_rises(term) ? PLAIN_RISING_CHAINS : PLAIN_CHAINS / (crossed ? 2 : 1);
    add_plainly(term, crossed, chains, n, x, y, l);
    for (int k = 0; k < (crossed ? 2 : 1); k++) {
        join_lanes(l[k].s, sum + 2 * k);
        join_lanes(l[k].m, e + 2 * k);
    }
}

void exb_ti(plain_parts)(exb_term term, bool crossed, int64_t n, const float *x, const float *y,
                         double sum[4], double e[4])
{
    if (crossed)
        plain_parts(EXB_TERM_XY, true, n, x, y, sum, e);
    else if (term == EXB_TERM_XY && x == y)
        plain_parts(EXB_TERM_XX, false, n, x, x, sum, e);
    else
        EXB_FOR_TERM(plain_parts, term, false, n, x, y ? y : x, sum, e);
}
