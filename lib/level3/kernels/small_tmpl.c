/* Products of a few elements in one pass: kernel small_product (kernels.h).
 *
 * All sums have one anchor, so nothing is scaled, and operands are read where they lie. Let 2^E be
 * a power of two above x = 2 k peak, computed with two roundings: sum |a b| <= k peak, hence every
 * prefix of a sum, is below 2^(E - 1) (1 + 2^-51). Divided by 2^E that is what chain.h asks for,
 * and its argument holds for one run of k products.
 *
 * Doubles: S from 3 2^E and corrections L, with |S - 3 2^E + L - sum| at most
 * exb_chain_bound_anchored(k, k) 2^E. Floats: products are exact, one chain, |S - sum| at most
 * exb_chain_bound_plain(k) 2^E, of which k roundings are used.
 *
 * Nothing is flushed. A correction below the normal range is off by 2^-1075 at most, which is below
 * 2^-106 2^E, since E >= -800. NaN and Inf make S NaN, which is not certified.
 * Types: s d. */
#include "core/arith/anchor.h"
#include "core/kernel.h"
#include "core/partition.h"
#include "level3/chain.h"
#include "level3/kernels/chain_simd.h"
#include "level3/kernels/round_simd.h"

enum { ROWS = EXB_PAIR_VECTORS * EXB_LANES, COLS = EXB_PAIR_COLS };

typedef struct {
    const exb_small *q;
    const exb_real *b, *c;
    exb_real *r;
    uint64_t *uncertified;
    double anchor, bound;
    bool is_sum; /* |alpha| = 1, beta is 0 or 1 */
} product_work;

/* Rows of A that are computed at once: those of term l from p + l * step on. */
typedef struct {
    const exb_real *p;
    int64_t step;
} strip;

/* Rows i ... i + n - 1, in place or copied, to `width` rows. */
static strip strip_at(const exb_small *q, const exb_real *a, int i, int n, int width,
                      exb_real *buffer)
{
    const exb_real *from = a + i * q->a_vs;
    if (q->a_vs == 1 && n == width)
        return (strip){from, q->a_ls};
    for (int l = 0; l < q->k; l++)
        for (int v = 0; v < width; v++)
            buffer[l * width + v] = v < n ? from[v * q->a_vs + l * q->a_ls] : 0;
    return (strip){buffer, width};
}

/* Rounds a vector of enclosures and old values to r, whatever alpha and beta are. */
static EXB_NOINLINE unsigned round_any(const exb_small *q, enclosures v, exb_v old, exb_real *r)
{
    if (q->alpha != 1 || q->beta != 0)
        v = affine(q->alpha, v, q->beta, old);
    return decide(v, r);
}

/* The same where |alpha| = 1 and beta is 0 or 1: two_sum is exact, of the low parts' addition
 * decide_inexact knows. */
EXB_INLINE unsigned round_sum(const exb_small *q, enclosures v, exb_v old, exb_real *r)
{
    if (q->alpha < 0) {
        v.h = v_sub(v_zero(), v.h);
        v.l = v_sub(v_zero(), v.l);
    }
    if (q->beta != 0) {
        exb_v rest;
        v.h = v_two_sum(v.h, old, &rest);
        v.l = v_add(rest, v.l);
    }
    return decide_inexact(v.h, v.l, v.e, r);
}

/* Rounds rows i ... i + n - 1, one vector, of column j. */
EXB_INLINE void round_rows(const product_work *w, exb_v sum, exb_v low, int i, int n, int j)
{
    const exb_small *q = w->q;
    const exb_real *c = w->c + j * q->ldc + i;
    exb_real *r = w->r + j * EXB_SMALL_MOST + i;
    enclosures v = {v_sub(sum, v_set1(w->anchor)), low, v_set1(w->bound), 0, 0};
    exb_v old = q->beta == 0 ? v_zero() : n < EXB_LANES ? v_load_few_real(c, n) : v_load_real(c);
    unsigned lanes = (1u << n) - 1, bad = lanes;
    if (w->is_sum)
        bad &= round_sum(q, v, old, r);
    if (bad) /* all lanes anew: their r are overwritten */
        bad = lanes & round_any(q, v, old, r);
    w->uncertified[j] |= (uint64_t)bad << i;
}

/* `rows` vectors of rows from row i on, of which n exist, of columns j ... j + cols - 1. */
EXB_INLINE void tile(int rows, int cols, const product_work *w, strip a, int i, int n, int j)
{
    const exb_small *q = w->q;
    const exb_real *b = w->b + j * q->b_vs;
    exb_v sum[COLS][EXB_PAIR_VECTORS], low[COLS][EXB_PAIR_VECTORS];
#pragma GCC unroll 8
    for (int c = 0; c < cols; c++)
#pragma GCC unroll 8
        for (int v = 0; v < rows; v++) {
            sum[c][v] = v_set1(w->anchor);
            low[c][v] = v_zero();
        }
    for (int l = 0; l < q->k; l++, a.p += a.step, b += q->b_ls) {
        exb_v x[EXB_PAIR_VECTORS];
#pragma GCC unroll 8
        for (int v = 0; v < rows; v++)
            x[v] = v_load_real(a.p + v * EXB_LANES);
#pragma GCC unroll 8
        for (int c = 0; c < cols; c++) {
            exb_v y = v_set1((double)b[c * q->b_vs]);
#pragma GCC unroll 8
            for (int v = 0; v < rows; v++)
                v_chain_add(x[v], y, &sum[c][v], &low[c][v]);
        }
    }
#pragma GCC unroll 8
    for (int c = 0; c < cols; c++)
#pragma GCC unroll 8
        for (int v = 0; v < rows; v++)
            round_rows(w, sum[c][v], low[c][v], i + v * EXB_LANES,
                       (int)exb_least(n - v * EXB_LANES, EXB_LANES), j + c);
}

/* All columns of a strip that have wanted rows. Eight are two fours, not a six and a two. */
EXB_INLINE void sweep_strip(int rows, const product_work *w, strip a, int i, int n)
{
    const exb_small *q = w->q;
    int left, n_columns = q->is_lower ? (int)exb_least(i + n, q->n) : q->n;
    for (int j = q->is_upper ? i : 0; j < n_columns;) {
        left = n_columns - j;
        if (left >= COLS && left != 8) {
            tile(rows, COLS, w, a, i, n, j);
            j += COLS;
        } else if (left >= 4) {
            tile(rows, 4, w, a, i, n, j);
            j += 4;
        } else if (left >= 2) {
            tile(rows, 2, w, a, i, n, j);
            j += 2;
        } else {
            tile(rows, 1, w, a, i, n, j);
            j++;
        }
    }
}

int exb_ti(small_product)(const exb_small *q, const exb_real *a, const exb_real *b,
                          const exb_real *c, exb_real *r, uint64_t *uncertified)
{
    exb_real buffer[EXB_SMALL_MOST * ROWS];
    double scale = exb_pow2(exb_anchor_exponent(2 * q->k * q->peak) + 1);
    product_work w = {.q = q, .b = b, .c = c, .r = r, .uncertified = uncertified};
    w.is_sum = fabs(q->alpha) == 1 && (q->beta == 0 || q->beta == 1);
    w.anchor = EXB_IS_S ? 0 : EXB_CHAIN_ANCHOR * scale;
    w.bound =
        scale * (EXB_IS_S ? exb_chain_bound_plain(q->k) : exb_chain_bound_anchored(q->k, q->k));
    int i = 0, count = 0;
    memset(uncertified, 0, (size_t)q->n * sizeof *uncertified);
    for (; i + ROWS <= q->m; i += ROWS)
        sweep_strip(EXB_PAIR_VECTORS, &w, strip_at(q, a, i, ROWS, ROWS, buffer), i, ROWS);
    for (; i < q->m; i += EXB_LANES) {
        int n = (int)exb_least(q->m - i, EXB_LANES);
        sweep_strip(1, &w, strip_at(q, a, i, n, EXB_LANES, buffer), i, n);
    }
    for (int j = 0; j < q->n; j++)
        count += uncertified[j] ? __builtin_popcountll(uncertified[j]) : 0;
    return count;
}
