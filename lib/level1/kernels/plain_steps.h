/* The steps of plain sums of floats or of their products (plain.h), two operations a vector.
 *
 * Of N terms a lane rounds N - 1 sums, as the first is exact, and loses u times its largest each.
 * The lanes are added up over up to 3 levels of chains, 3 of a vector and one of two runs, each of
 * which loses u times `most`, the sum of the lanes' largest. Together
 *
 *   E = (N + 6) u most (1 + 7u),
 *
 * of which EXB_BOUND_UP covers the last factor and the roundings of `most` and E. */
#pragma once

#include "core/kernels.h"
#include "core/simd/element_simd.h"

enum {
    PLAIN_CHAINS = 4,       /* as many as hide how long additions take */
    PLAIN_RISING_CHAINS = 8 /* the same without a look at each sum */
};

/* Sums, and the largest magnitude that each had, in the end E: the last of sums that rise. */
typedef struct {
    exb_v s, m;
} plain_lanes;

EXB_INLINE plain_lanes add_plain(exb_term term, plain_lanes l, exb_v x, exb_v y)
{
    if (term == EXB_TERM_XY || term == EXB_TERM_XX)
        l.s = v_add_product(x, term == EXB_TERM_XX ? x : y, l.s);
    else
        l.s = v_add(l.s, term == EXB_TERM_X ? x : v_abs(x));
    l.m = exb_term_rises(term) ? l.s : v_max_abs(l.m, l.s);
    return l;
}

/* At most a vector of terms to *l and, if crossed, of products with y in pairs exchanged to the
 * lanes half of all chains further on. */
EXB_INLINE void add_plain_vector(exb_term term, bool crossed, plain_lanes *l, int64_t n,
                                 const exb_real *x, const exb_real *y)
{
    exb_v xv = v_load_up_to_real(x, n);
    exb_v yv = term == EXB_TERM_XY ? v_load_up_to_real(y, n) : v_zero();
    *l = add_plain(term, *l, xv, yv);
    if (crossed)
        l[PLAIN_CHAINS / 2] = add_plain(term, l[PLAIN_CHAINS / 2], xv, v_swap(yv, 1));
}

/* The sums of all terms in the lanes of l[0], elements of even and of odd number apart, and the
 * crossed ones in l[1]. */
EXB_INLINE void add_plainly(exb_term term, bool crossed, int chains, int64_t n, const exb_real *x,
                            const exb_real *y, plain_lanes *l)
{
    const int step = chains * EXB_LANES;
    int64_t i = 0;
    for (int j = 0; j < (crossed ? 2 : 1) * chains; j++)
        l[j] = (plain_lanes){v_zero(), v_zero()};
    for (; i + step <= n; i += step)
        for (int j = 0; j < chains; j++)
            add_plain_vector(term, crossed, l + j, EXB_LANES, x + i + j * EXB_LANES,
                             y + i + j * EXB_LANES);
    for (; i < n; i += EXB_LANES) /* to the longest lanes */
        add_plain_vector(term, crossed, l, n - i, x + i, y + i);
    for (int left = crossed ? PLAIN_CHAINS / 2 : chains / 2; left >= (crossed ? 2 : 1); left /= 2)
        for (int j = 0; j < left; j++) /* of crossed ones two remain */
            l[j] =
                (plain_lanes){v_add(l[2 * j].s, l[2 * j + 1].s), v_add(l[2 * j].m, l[2 * j + 1].m)};
    exb_v losses = v_set1((double)(n / step + chains + 6) * 0x1p-53); /* exactly: short_sums */
    for (int k = 0; k < 2; k++)
        l[k].m = v_mul(v_mul(l[k].m, losses), v_set1(EXB_BOUND_UP));
}
