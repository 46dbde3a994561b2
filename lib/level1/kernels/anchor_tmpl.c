/* The anchored filter's kernels (anchor.h): one chunk against one anchor, and the largest
 * term of a chunk, which chooses the anchor.
 * Types: s d. */
#include "core/kernel.h"
#include "level1/kernels/anchored_steps.h"

enum {
    CHAINS = 4, /* vectors in flight, EXB_UNROLL where each has crossed ones to it */
    STEP = CHAINS * EXB_LANES,
    PREFETCH = 4096 / sizeof(exb_real) /* elements: 4 KiB ahead */
};

/* Elements before x is aligned to a cache line: loads that straddle lines cost
 * double in the caches. */
EXB_INLINE int64_t n_before_line(const exb_real *x)
{
    return (int64_t)(-(uintptr_t)x % 64 / sizeof *x);
}

/* Terms of the longest lane: a share of the whole steps, and either the vectors before the first
 * line or those after the last add_term, which go to different lanes. */
EXB_INLINE int64_t longest_lane(int chains, int64_t n, int64_t n_before)
{
    _Static_assert(EXB_CHUNK / EXB_UNROLL / EXB_LANES + 64 / sizeof(exb_real) <= 1 << EXB_ANCHOR_NU,
                   "the lane stays in its binade");
    const int step = chains * EXB_LANES;
    int64_t left = (n - n_before) % step, most = n_before > left ? n_before : left;
    return (n - n_before) / step + (most + EXB_LANES - 1) / EXB_LANES;
}

/* At most a vector of terms to the lanes at a; if `crossed`, with those of y in pairs exchanged to
 * the ones EXB_UNROLL further on. */
EXB_INLINE void add_vector(exb_term term, bool crossed, anchored_lanes *a, int64_t n,
                           const exb_real *x, const exb_real *y)
{
    exb_v xv = v_load_up_to_real(x, n);
    exb_v yv = term == EXB_TERM_XY ? v_load_up_to_real(y, n) : v_zero();
    *a = add_anchored(term, *a, xv, yv);
    if (crossed)
        a[EXB_UNROLL] = add_anchored(term, a[EXB_UNROLL], xv, v_swap(yv, 1));
}

/* Adds the terms to CHAINS or, if crossed, EXB_UNROLL vectors of lanes, of which those before the
 * first line go to the second and those after the last step to the first. If n_before is even,
 * elements of even and of odd number are in lanes of that parity. */
EXB_INLINE void add_terms(exb_term term, bool crossed, int64_t n, int64_t n_before,
                          const exb_real *x, const exb_real *y, anchored_lanes *a)
{
    const int chains = crossed ? EXB_UNROLL : CHAINS, step = chains * EXB_LANES;
    int64_t i;
    for (i = 0; i < n_before; i += EXB_LANES)
        add_vector(term, crossed, a + 1, n_before - i, x + i, y + i);
    for (i = n_before; i + step <= n; i += step)
        for (int j = 0; j < chains; j++) {
            int64_t at = i + j * EXB_LANES;
            __builtin_prefetch(x + at + PREFETCH);
            if (term == EXB_TERM_XY)
                __builtin_prefetch(y + at + PREFETCH);
            add_vector(term, crossed, a + j, EXB_LANES, x + at, y + at);
        }
    for (; i < n; i += EXB_LANES)
        add_vector(term, crossed, a, n - i, x + i, y + i);
}

/* Adds up the lanes, those of even and of odd number by themselves. */
EXB_INLINE void join_lanes(exb_term term, int chains, anchored_lanes *a, exb_v sigma,
                           int64_t n_lane, exb_anchored out[2])
{
    _Static_assert(CHAINS + EXB_LANES <= EXB_ANCHOR_DEPTH, "the depth of sums of c");
    bool rises = exb_term_rises(term);
    exb_v fall = v_zero();
    for (int j = 0; j < chains; j++) {
        fall = larger_fall(fall, sigma, a[j].s);
        a[j].s = v_sub(a[j].s, sigma);
        a[j].m = rises ? a[j].s : a[j].m;
    }
    for (int j = 1; j < chains; j++)
        a[0] = (anchored_lanes){v_add(a[0].s, a[j].s), v_add(a[0].c, a[j].c),
                                rises ? v_max_abs(a[0].m, a[j].m) : v_max_upper(a[0].m, a[j].m)};
    if (!rises)
        a[0].m = reach_of_lanes(a[0].m, fall, n_lane, chains * EXB_LANES);
    for (int half = EXB_LANES / 2; half > 1; half /= 2)
        a[0] = (anchored_lanes){v_add(a[0].s, v_swap(a[0].s, half)),
                                v_add(a[0].c, v_swap(a[0].c, half)),
                                v_max_abs(a[0].m, v_swap(a[0].m, half))};
    for (int k = 0; k < 2; k++) {
        double c = v_first(a[0].c);
        out[k] = (exb_anchored){v_first(a[0].s), c, v_first(a[0].m), n_lane, c - c == 0};
        a[0] = (anchored_lanes){v_swap(a[0].s, 1), v_swap(a[0].c, 1), v_swap(a[0].m, 1)};
    }
}

EXB_INLINE void anchor(exb_term term, bool crossed, int parts, int64_t n, const exb_real *x,
                       const exb_real *y, double sigma, exb_anchored *out)
{
    _Static_assert((int)EXB_UNROLL <= (int)CHAINS, "room for the crossed ones");
    const int chains = crossed ? EXB_UNROLL : CHAINS;
    anchored_lanes a[2 * CHAINS];
    int64_t n_before = n_before_line(x);
    if (n_before > n || (parts == 2 && n_before % 2 != 0))
        n_before = parts == 2 ? 0 : n;
    int64_t n_lane = longest_lane(chains, n, n_before);
    for (int j = 0; j < (crossed ? 2 : 1) * chains; j++)
        a[j] = (anchored_lanes){v_set1(sigma), v_zero(), v_zero()};
    add_terms(term, crossed, n, n_before, x, y, a);
    if (crossed)
        join_lanes(term, chains, a + chains, v_set1(sigma), n_lane, out + 2);
    join_lanes(term, chains, a, v_set1(sigma), n_lane, out);
    if (parts == 2)
        return;
    out->sum += out[1].sum;
    out->c += out[1].c;
    out->m = out[1].m > out->m ? out[1].m : out->m;
    if (exb_term_rises(term))
        out->m = exb_anchored_most(out->m, out->sum);
    out->valid = out->c - out->c == 0;
}

void exb_ti(anchor)(exb_term term, int parts, int64_t n, const exb_real *x, const exb_real *y,
                    double sigma, exb_anchored out[4])
{
    if (term == EXB_TERM_XY && parts == 2)
        anchor(EXB_TERM_XY, true, 2, n, x, y, sigma, out);
    else if (term == EXB_TERM_XY && x == y)
        anchor(EXB_TERM_XX, false, 1, n, x, x, sigma, out);
    else
        EXB_FOR_TERM(anchor, term, false, parts, n, x, y ? y : x, sigma, out);
}

EXB_INLINE exb_v larger(exb_term term, exb_v m, exb_v x, exb_v y)
{
    return v_max_abs(m, term == EXB_TERM_XY ? v_mul(x, y) : x);
}

EXB_INLINE double largest(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool has_y = term == EXB_TERM_XY;
    exb_v m[CHAINS] = {v_zero()};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < CHAINS; j++) {
            int64_t at = i + j * EXB_LANES;
            m[j] = larger(term, m[j], v_load_real(x + at), has_y ? v_load_real(y + at) : v_zero());
        }
    for (; i < n; i += EXB_LANES)
        m[0] = larger(term, m[0], v_load_up_to_real(x + i, n - i),
                      has_y ? v_load_up_to_real(y + i, n - i) : v_zero());
    for (int j = 1; j < CHAINS; j++)
        m[0] = v_max_abs(m[0], m[j]);
    return v_largest(m[0]);
}

double exb_ti(largest)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    return term == EXB_TERM_XY ? largest(EXB_TERM_XY, n, x, y) : largest(EXB_TERM_X, n, x, y);
}
