/* The anchored filter's kernels (anchor.h): one chunk against one anchor, and the largest
 * term of a chunk, which chooses the anchor.
 * Types: s d. */
#include "core/kernel.h"
#include "level1/kernels/anchored_steps.h"

enum {
    STEP = EXB_UNROLL * EXB_LANES,
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
EXB_INLINE int64_t longest_lane(int64_t n, int64_t n_before)
{
    _Static_assert(EXB_CHUNK / STEP + 64 / sizeof(exb_real) <= 1 << EXB_ANCHOR_NU,
                   "the lane stays in its binade");
    _Static_assert(EXB_CHUNK <= 2 << EXB_ANCHOR_NU, "the sum of all lanes is exact");
    int64_t left = (n - n_before) % STEP, most = n_before > left ? n_before : left;
    return (n - n_before) / STEP + (most + EXB_LANES - 1) / EXB_LANES;
}

/* Adds up the lanes. */
EXB_INLINE void join_lanes(const anchored_lanes *a, exb_v sigma, exb_anchored *out)
{
    exb_v sum = v_sub(a[0].s, sigma), c = a[0].c, m = a[0].m;
    for (int j = 1; j < EXB_UNROLL; j++) {
        sum = v_add(sum, v_sub(a[j].s, sigma));
        c = v_add(c, a[j].c);
        m = v_max_abs(m, a[j].m);
    }
    out->sum = v_sum(sum);
    out->c = v_sum(c);
    out->m = v_largest(m);
    out->valid = out->c - out->c == 0;
}

/* At most a vector of terms to the lanes at a; if `crossed`, with those of y in pairs exchanged to
 * the ones EXB_UNROLL further on, whose largest are noted with the former. */
EXB_INLINE void add_vector(exb_term term, bool crossed, anchored_lanes *a, int64_t n,
                           const exb_real *x, const exb_real *y)
{
    exb_v xv = v_load_up_to_real(x, n);
    exb_v yv = term == EXB_TERM_XY ? v_load_up_to_real(y, n) : v_zero();
    *a = add_anchored(term, *a, xv, yv);
    if (crossed) {
        anchored_lanes *b = a + EXB_UNROLL;
        a->m = v_max_abs(a->m, add_anchored_product(&b->s, &b->c, v_keep(xv), v_swap(yv, 1)));
    }
}

/* Adds the terms to EXB_UNROLL vectors of lanes, of which those before the first line go to the
 * second and those after the last step to the first. If n_before is even, elements of even and of
 * odd number are in lanes of that parity. */
EXB_INLINE void add_terms(exb_term term, bool crossed, int64_t n, int64_t n_before,
                          const exb_real *x, const exb_real *y, anchored_lanes *a)
{
    bool two_streams = term == EXB_TERM_XY && x != y;
    int64_t i;
    for (i = 0; i < n_before; i += EXB_LANES)
        add_vector(term, crossed, a + 1, n_before - i, x + i, y + i);
    for (i = n_before; i + STEP <= n; i += STEP)
        for (int j = 0; j < EXB_UNROLL; j++) {
            int64_t at = i + j * EXB_LANES;
            __builtin_prefetch(x + at + PREFETCH);
            if (two_streams)
                __builtin_prefetch(y + at + PREFETCH);
            add_vector(term, crossed, a + j, EXB_LANES, x + at, y + at);
        }
    for (; i < n; i += EXB_LANES)
        add_vector(term, crossed, a, n - i, x + i, y + i);
}

EXB_INLINE void start_lanes(int n_vectors, anchored_lanes *a, double sigma)
{
    for (int j = 0; j < n_vectors; j++)
        a[j] = (anchored_lanes){v_set1(sigma), v_zero(), v_zero()};
}

EXB_INLINE void anchor(exb_term term, int64_t n, const exb_real *x, const exb_real *y, double sigma,
                       exb_anchored *out)
{
    anchored_lanes a[EXB_UNROLL];
    int64_t n_before = n_before_line(x);
    if (n_before > n)
        n_before = n;
    start_lanes(EXB_UNROLL, a, sigma);
    out->n_lane = longest_lane(n, n_before);
    add_terms(term, false, n, n_before, x, y ? y : x, a);
    join_lanes(a, v_set1(sigma), out);
}

/* As join_lanes, for the lanes of either parity. */
EXB_INLINE void join_parts(anchored_lanes *a, exb_v sigma, int64_t n_lane, exb_anchored out[2])
{
    _Static_assert(EXB_UNROLL + EXB_LANES <= EXB_ANCHOR_DEPTH, "the depth of sums of c");
    for (int j = 0; j < EXB_UNROLL; j++)
        a[j].s = v_sub(a[j].s, sigma);
    for (int j = 1; j < EXB_UNROLL; j++)
        a[0] = (anchored_lanes){v_add(a[0].s, a[j].s), v_add(a[0].c, a[j].c),
                                v_max_abs(a[0].m, a[j].m)};
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

void exb_ti(anchor_parts)(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                          double sigma, exb_anchored out[4])
{
    anchored_lanes a[2 * EXB_UNROLL];
    int64_t n_before = n_before_line(x);
    if (n_before > n || n_before % 2 != 0)
        n_before = 0;
    start_lanes(2 * EXB_UNROLL, a, sigma);
    if (term == EXB_TERM_XY) {
        add_terms(EXB_TERM_XY, true, n, n_before, x, y, a);
        join_parts(a + EXB_UNROLL, v_set1(sigma), longest_lane(n, n_before), out + 2);
    } else {
        add_terms(EXB_TERM_X, false, n, n_before, x, x, a);
    }
    join_parts(a, v_set1(sigma), longest_lane(n, n_before), out);
}

void exb_ti(anchor)(exb_term term, int64_t n, const exb_real *x, const exb_real *y, double sigma,
                    exb_anchored *out)
{
    EXB_FOR_TERM(anchor, term, n, x, y, sigma, out);
}

EXB_INLINE exb_v larger(exb_term term, exb_v m, exb_v x, exb_v y)
{
    return v_max_abs(m, term == EXB_TERM_XY ? v_mul(x, y) : x);
}

EXB_INLINE double largest(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    bool has_y = term == EXB_TERM_XY;
    exb_v m[EXB_UNROLL] = {v_zero()};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < EXB_UNROLL; j++) {
            int64_t at = i + j * EXB_LANES;
            m[j] = larger(term, m[j], v_load_real(x + at), has_y ? v_load_real(y + at) : v_zero());
        }
    for (; i < n; i += EXB_LANES)
        m[0] = larger(term, m[0], v_load_up_to_real(x + i, n - i),
                      has_y ? v_load_up_to_real(y + i, n - i) : v_zero());
    for (int j = 1; j < EXB_UNROLL; j++)
        m[0] = v_max_abs(m[0], m[j]);
    return v_largest(m[0]);
}

double exb_ti(largest)(exb_term term, int64_t n, const exb_real *x, const exb_real *y)
{
    return term == EXB_TERM_XY ? largest(EXB_TERM_XY, n, x, y) : largest(EXB_TERM_X, n, x, y);
}
