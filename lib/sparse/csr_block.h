/* A block of short rows: all products against one anchor, all rows finished together.
 *
 * The products x of a block are split at sigma = 1.5 * 2^e, e = g + NU + 1, with the unit U =
 * 2^(e-52) (anchor.h, one term a lane): q = fl(x + sigma) - sigma is exact and a multiple of U, and
 * r = x - q is at most U/2, rounded by at most u U/2, u = 2^-53, and 2^-1075. That holds if all
 * |x| <= 2^g, which follows as far as it is needed from the largest |q| <= 2^g (lemma B there).
 *
 * A row of n <= 2^(NU+1) products: all sums of its q are multiples of U and at most n 2^g <= 2^e =
 * 2^52 U, so adding them up in any order is exact. Its r, added up in any order, have n - 1 partial
 * sums of k terms, each at most k U/2 and rounded by at most u k U/2; the k of a tree of sums are
 * together at most those of the sums one after the other, n (n + 1) / 2. Together
 *
 *   n u U / 2 + u U n (n + 1) / 4  <=  exb_anchor_bound(U, n, n),
 *
 * which is taken with the products of the block for n.
 *
 * Ties, zeros and sums of integers need the exact sum. Coefficients of few bits, as stencils have
 * them, are multiples of a unit A. If |x| >= m for all x that are not 0, x is a multiple of its
 * last place, at least 2^-53 m, and the products are multiples of W = 2^-53 m A. So is x a - q,
 * since U is (or U < W, and x a = q). With n U <= 2^54 W, that is n U <= 2 m A, |x a - q| <= U/2 is
 * at most 2^53 W and thus a double: r is exact. So are all sums of n of them, at most n U/2 <= 2^53
 * W, and the row's sum is that of its q plus that of its r. Nothing underflows: m A >= n U / 2 >
 * 2^-954, since no anchor is below EXB_ANCHOR_MIN_G, so products that are not 0 are above
 * EXB_PRODUCT_LEAST. Without FMA, p = fl(x a) is a multiple of W, too, or x a itself (|p| >= 2^53
 * W: its last place is a multiple of W), hence so is its error e, p - q is the error of an
 * addition, hence exact, and r = fl(p - q + e) = x a - q.
 *
 * The anchor of a block is that of the one before, as long as it fits: enclosures 2^10 times as
 * coarse as need be still certify most rows. */
#pragma once

#include "sparse/csr.h"

enum {
    EXB_CSR_REALS = 1024, /* products of a block */
    EXB_CSR_LANES = 64,   /* sums of a block: as many as the finish kernel takes */
    EXB_CSR_ROWS = EXB_CSR_LANES / EXB_PARTS,
    EXB_CSR_GROUP = 8,                        /* rows that a kernel may take at a time */
    EXB_CSR_SHORT = EXB_CSR_REALS / EXB_PARTS /* entries of a row that goes into blocks */
};

/* Rows first ... first + n_rows - 1 with n entries from `begin` on; start counts products of a part
 * from 0, EXB_PARTS an entry. */
typedef struct {
    int64_t first, begin;
    int n_rows, n;
    int32_t start[EXB_CSR_ROWS + 1];
} exb_t(csr_block);

/* As many rows from `first` on as a block holds, whole groups but for the last, before `end`: none
 * if the row `first` is longer than EXB_CSR_SHORT. */
void exb_t(csr_block_at)(const exb_t(csr) *a, int64_t first, int64_t end, exb_t(csr_block) *b);

/* The rows' sums times a vector, part k of row i as h + l +- bound_k at [EXB_PARTS * i + k]. x:
 * what each part's values are multiplied by; least_k, of these, the least magnitude that is not 0;
 * unit_k: that of the anchor. */
typedef struct {
    double h[EXB_CSR_LANES], l[EXB_CSR_LANES];
    double bound, least[EXB_PARTS], unit[EXB_PARTS];
    _Alignas(64) exb_real x[EXB_PARTS][EXB_CSR_REALS];
} exb_t(csr_sums);

/* Times vector j. *g: the anchor's exponent, for this block and the next. False if no anchor
 * fits. */
bool exb_t(csr_block_sums)(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int64_t j,
                           int *g, exb_t(csr_sums) *s);

/* Whether all h + l are exact. */
bool exb_t(csr_block_is_exact)(const exb_t(csr_product) *p, const exb_t(csr_block) *b,
                               const exb_t(csr_sums) *s);

/* The elements of vector j that n entries from `begin` on are multiplied by, for part k of the
 * result: the sum of EXB_PARTS * n products of the values' reals with out's is that part. */
void exb_t(csr_gather)(const exb_t(csr_product) *p, int64_t j, int k, int64_t begin, int64_t n,
                       exb_real *out);
