/* Kernels of chains (chain.h): tiles of sums in registers, one chain of FMAs each, or one anchored
 * pair, or against two anchors. The anchored pair's L is added up in runs, so that its own rounding
 * errors stay those of a short sum. */
#include "level3/kernels/chain_kernel.h"

#include "core/kernels/tile.h"
#include "core/simd/compensated_simd.h"
#include "level3/kernels/chain_simd.h"
#include "level3/chain.h"
#include "core/partition.h"

/* Shapes of tiles: of anchored pairs, or of plain chains. */
typedef exb_v tile_vectors[EXB_CHAIN_MOST_COLS][EXB_CHAIN_VECTORS];
_Static_assert((int)EXB_PAIR_COLS <= (int)EXB_CHAIN_MOST_COLS &&
                   (int)EXB_PAIR_VECTORS <= (int)EXB_CHAIN_VECTORS,
               "room for both");

EXB_INLINE int vectors_of(bool anchored)
{
    return anchored ? EXB_PAIR_VECTORS : EXB_CHAIN_VECTORS;
}

EXB_INLINE int cols_of(bool anchored)
{
    return anchored ? EXB_PAIR_COLS : EXB_CHAIN_COLS;
}

/* What strip t of p asks for, after `done` of its products. */
EXB_INLINE const double *ahead_of(const exb_chain_panels *p, int64_t t, int cols, int64_t done)
{
    return (t < cols ? p->ahead + t * p->k : p->b) + done;
}

/* k products of each element to its sum and its corrections; ahead[0] ... ahead[k - 1] are asked
 * for. */
EXB_INLINE void add_products(bool anchored, int64_t k, const double *a, const double *b,
                             const double *ahead, tile_vectors sum, tile_vectors low)
{
    const int vectors = vectors_of(anchored), cols = cols_of(anchored);
    for (int64_t t = 0; t < k; t++, a += vectors * EXB_LANES, b += cols) {
        exb_v x[EXB_CHAIN_VECTORS];
#pragma GCC unroll 8
        for (int i = 0; i < vectors; i++)
            x[i] = v_load(a + i * EXB_LANES);
        __builtin_prefetch(ahead + t);
#pragma GCC unroll 8
        for (int j = 0; j < cols; j++) {
            exb_v y = v_set1(b[j]);
#pragma GCC unroll 8
            for (int i = 0; i < vectors; i++)
                v_chain_add(anchored, x[i], y, &sum[j][i], &low[j][i]);
        }
    }
}

/* Anchored sums go on from where they are in memory, or start at the anchor; plain ones, and
 * corrections, start at 0. */
EXB_INLINE void begin_run(bool anchored, bool resume, const double *s, int64_t ld, tile_vectors sum,
                          tile_vectors low)
{
#pragma GCC unroll 8
    for (int j = 0; j < cols_of(anchored); j++)
#pragma GCC unroll 8
        for (int i = 0; i < vectors_of(anchored); i++) {
            low[j][i] = v_zero();
            sum[j][i] = !anchored ? v_zero()
                        : resume  ? v_load(s + j * ld + i * EXB_LANES)
                                  : v_set1(EXB_CHAIN_ANCHOR);
        }
}

/* One run of products: plain sums are added to s, corrections to l. */
EXB_INLINE void add_run(bool anchored, int64_t k, const double *a, const double *b,
                        const double *ahead, bool resume, double *s, double *l, int64_t ld)
{
    tile_vectors sum, low;
    begin_run(anchored, resume, s, ld, sum, low);
    add_products(anchored, k, a, b, ahead, sum, low);
#pragma GCC unroll 8
    for (int j = 0; j < cols_of(anchored); j++)
#pragma GCC unroll 8
        for (int i = 0; i < vectors_of(anchored); i++) {
            double *to = (anchored ? l : s) + j * ld + i * EXB_LANES;
            exb_v run = anchored ? low[j][i] : sum[j][i];
            if (anchored)
                v_store(s + j * ld + i * EXB_LANES, sum[j][i]);
            v_store(to, resume ? v_add(v_load(to), run) : run);
        }
}

/* The first k products of strip t. */
EXB_INLINE void add_runs(bool anchored, const exb_chain_panels *p, int64_t t, int64_t k,
                         bool resume, double *s, double *l, int64_t ld)
{
    enum { RUN = EXB_CHAIN_RUN, SHORT_RUN = EXB_CHAIN_SHORT_RUN };
    const int64_t run = anchored ? RUN : SHORT_RUN;
    const double *a = p->a + t * p->a_step;
    for (int64_t i = 0; i < k; i += run)
        add_run(anchored, exb_least(k - i, run), a + i * vectors_of(anchored) * EXB_LANES,
                p->b + i * cols_of(anchored), ahead_of(p, t, cols_of(anchored), i), resume || i > 0,
                s, l, ld);
}

EXB_INLINE void add_strips(bool anchored, const exb_chain_panels *p, bool resume, double *s,
                           double *l, int64_t ld)
{
    for (int64_t t = 0; t < p->n_strips; t++) {
        int64_t row = t * vectors_of(anchored) * EXB_LANES;
        add_runs(anchored, p, t, p->k, resume, s + row, anchored ? l + row : l, ld);
    }
}

static void chain_plain(const exb_chain_panels *p, bool resume, double *s, double *l, int64_t ld)
{
    add_strips(false, p, resume, s, l, ld);
}

/* x y to a sum against two anchors (chain.h). Half of the additions are the units' of products. */
EXB_INLINE exb_vcomp add_twice(exb_vcomp a, exb_v x, exb_v y)
{
    exb_v r, p = v_two_prod(x, y, &r), s = v_add(a.s, p);
    exb_v e = v_sub(p, v_sub(s, a.s)), m = v_add(a.c, e);
    exb_v lost = v_sub_by_fma(e, v_sub_by_fma(m, a.c)), next = v_add(m, r);
    lost = v_add(lost, v_sub_by_fma(r, v_sub_by_fma(next, m)));
    return (exb_vcomp){s, next, v_add(a.w, lost)};
}

/* As many columns as registers hold the sums of: of 32 with long vectors, or of 16. */
enum { TWICE_COLS = EXB_LANES == 8 || EXB_PAIR_COLS < 4 ? EXB_PAIR_COLS : EXB_PAIR_COLS / 2 };
_Static_assert(EXB_PAIR_COLS % TWICE_COLS == 0, "whole groups of columns");

/* Some columns of a vector of rows. */
EXB_INLINE void twice_columns(int64_t k, const double *a, const double *b, double anchor, double *s,
                              double *m, double *low, int64_t ld)
{
    exb_vcomp acc[TWICE_COLS];
    for (int j = 0; j < TWICE_COLS; j++)
        acc[j] = (exb_vcomp){v_set1(EXB_CHAIN_ANCHOR), v_set1(anchor), v_zero()};
    for (int64_t t = 0; t < k; t++, a += EXB_PAIR_ROWS, b += EXB_PAIR_COLS) {
        exb_v column = v_load(a);
        for (int j = 0; j < TWICE_COLS; j++)
            acc[j] = add_twice(acc[j], column, v_set1(b[j]));
    }
    for (int j = 0; j < TWICE_COLS; j++)
        v_comp_store(acc[j], s + j * ld, m + j * ld, low + j * ld);
}

static void chain_twice(int64_t k, const double *a, const double *b, double anchor, double *s,
                        double *m, double *low, int64_t ld)
{
    for (int j = 0; j < EXB_PAIR_COLS; j += TWICE_COLS)
        for (int i = 0; i < EXB_PAIR_ROWS; i += EXB_LANES) {
            int64_t at = j * ld + i;
            twice_columns(k, a + i, b + j, anchor, s + at, m + at, low + at, ld);
        }
}

#if EXB_HAVE_FMA
static void chain_anchored(const exb_chain_panels *p, bool resume, double *s, double *l, int64_t ld)
{
    add_strips(true, p, resume, s, l, ld);
}

/* The lanes of a vector of sums that are certified, rounded to *r. Derived as the e2 of
 * certify.h is, u = 2^-53: (S - 3) scale is exact, what follows adds old numbers exactly, and l
 * has one rounding. With B = bound (1 + 2^-48), rounded, and e the exact scale * bound, what is
 * computed is
 *
 *   e2 >= (4u |l| + e (1 + 2^-49) + 2^-1010) (1 - 2u) >= e + u |l| + u (|l| + e2)
 *
 * since u e2 <= u |l| / 2 + 2u e + 2^-1062, with 2^-1011 to spare for some thirty operations that
 * lose less than 2^-1022 each where subnormal numbers count as zero. h needs no limits: of |h| <
 * 2^-960 e2 alone keeps lo and hi apart, and |(S - 3) scale| <= 2^801, so h overflows only with
 * old numbers of that size, and then l is NaN. If both ends round to Inf the sum does. */
EXB_INLINE unsigned end_vector(bool adds, exb_v scale, exb_v bound, exb_v sum, exb_v low,
                               const double *c, exb_v *r)
{
    exb_v off = v_sub(sum, v_set1(EXB_CHAIN_ANCHOR)), h, l;
    exb_v e = v_fma(scale, bound, v_set1(0x1p-1010));
    if (adds) { /* two_sum; off * scale is exact, so an FMA of it rounds what that would */
        exb_v old = v_load(c);
        h = v_fma(off, scale, old);
        exb_v came = v_sub(h, old), kept = v_sub(h, came);
        exb_v rest = v_add(v_sub(old, kept), v_fms(off, scale, came));
        l = v_fma(low, scale, rest);
    } else {
        h = v_mul(off, scale);
        l = v_mul(low, scale);
    }
    e = v_fma(v_abs(l), v_set1(0x1p-51), e);
    exb_v hi = v_add_by_fma(v_add(l, e), h);
    *r = v_add_by_fma(v_sub(l, e), h);
    return v_equal(*r, hi);
}

/* Those of a column. */
static EXB_NOINLINE void store_certified(uint64_t done, const exb_v *r, double *c)
{
    double lane[EXB_PAIR_ROWS];
    for (int i = 0; i < EXB_PAIR_VECTORS; i++)
        v_store(lane + i * EXB_LANES, r[i]);
    for (int i = 0; i < EXB_PAIR_ROWS; i++)
        if (done >> i & 1)
            c[i] = lane[i];
}

/* Column j of the tile. */
EXB_INLINE uint64_t end_column(bool adds, const exb_chain_ending *q, int j, const exb_v *sum,
                               const exb_v *low, double *s, double *l)
{
    double *c = q->c + j * q->ldc;
    exb_v r[EXB_PAIR_VECTORS], column = v_set1(q->sign * q->col_scale[j]);
    exb_v bound = v_set1(q->sign * (q->bound * (1 + 0x1p-48)));
    const uint64_t all = ((uint64_t)1 << EXB_PAIR_ROWS) - 1;
    uint64_t done = 0;
#pragma GCC unroll 8
    for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
        exb_v scale = v_mul(v_load(q->row_scale + i * EXB_LANES), column);
        uint64_t same = end_vector(adds, scale, bound, sum[i], low[i], c + i * EXB_LANES, &r[i]);
        done |= same << (i * EXB_LANES);
    }
    if (EXB_LIKELY(done == all)) {
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++)
            v_store(c + i * EXB_LANES, r[i]);
        return 0;
    }
    if (done)
        store_certified(done, r, c);
#pragma GCC unroll 8
    for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
        v_store(s + i * EXB_LANES, sum[i]);
        v_store(l + i * EXB_LANES, low[i]);
    }
    return all & ~done;
}

/* The corrections of the runs before, l, are added to those of the last one. */
EXB_INLINE void join_lows(const double *l, int64_t ld, tile_vectors low)
{
#pragma GCC unroll 8
    for (int j = 0; j < EXB_PAIR_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++)
            low[j][i] = v_add(v_load(l + j * ld + i * EXB_LANES), low[j][i]);
}

/* The products of strip t but the first `before`, the last run, which rounds. */
EXB_INLINE void end_tile(bool resume, const exb_chain_panels *p, int64_t t, int64_t before,
                         exb_chain_ending q, double *s, double *l, int64_t ld, uint64_t *open)
{
    tile_vectors sum, low;
    begin_run(true, resume, s, ld, sum, low);
    add_products(true, p->k - before, p->a + t * p->a_step + before * EXB_PAIR_ROWS,
                 p->b + before * EXB_PAIR_COLS, ahead_of(p, t, EXB_PAIR_COLS, before), sum, low);
    if (resume)
        join_lows(l, ld, low);
#pragma GCC unroll 8
    for (int j = 0; j < EXB_PAIR_COLS; j++)
        open[j] = end_column(q.adds, &q, j, sum[j], low[j], s + j * ld, l + j * ld);
}

/* Sums of more than one run. */
static EXB_NOINLINE void end_runs(const exb_chain_panels *p, int64_t t, const exb_chain_ending *q,
                                  double *s, double *l, int64_t ld, uint64_t *open)
{
    int64_t before = (p->k - 1) / EXB_CHAIN_RUN * EXB_CHAIN_RUN;
    add_runs(true, p, t, before, q->resumes, s, l, ld);
    end_tile(true, p, t, before, *q, s, l, ld, open);
}

static void chain_ended(const exb_chain_panels *p, const exb_chain_ending *q, double *s, double *l,
                        int64_t ld, uint64_t *open)
{
    exb_chain_ending strip = *q;
    for (int64_t t = 0; t < p->n_strips; t++) {
        if (q->resumes || p->k > EXB_CHAIN_RUN)
            end_runs(p, t, &strip, s, l, ld, open);
        else
            end_tile(false, p, t, 0, strip, s, l, ld, open);
        strip.c += EXB_PAIR_ROWS;
        strip.row_scale += EXB_PAIR_ROWS;
        s += EXB_PAIR_ROWS;
        l += EXB_PAIR_ROWS;
        open += EXB_PAIR_COLS;
    }
}
#endif

const exb_chain_kernel exb_isa(plain_chain) = {
    .rows = EXB_CHAIN_ROWS,
    .cols = EXB_CHAIN_COLS,
    .run = chain_plain,
};

const exb_chain_kernel exb_isa(anchored_chain) = {
    .rows = EXB_PAIR_ROWS,
    .cols = EXB_PAIR_COLS,
    .twice = chain_twice,
#if EXB_HAVE_FMA
    .run = chain_anchored,
    .end = chain_ended,
#endif
};
