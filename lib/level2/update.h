/* Rank-1 and rank-2 updates of matrices in any storage. */
#pragma once

#include "element/line.h"
#include "level2/stored_matrix.h"
#include "level2/vectors.h"
#include "core/stats.h"

/* alpha u_i w_j; the vectors conjugated if so marked. alpha_is_real: two products, not four. */
typedef struct {
    exb_complex alpha;
    bool alpha_is_real;
    exb_t(vector) u, w;
    bool conjugate_u, conjugate_w;
} exb_t(rank1);

enum { EXB_RANK_TERMS = 2 };

/* a(i, j) = RN(a(i, j) + sum of n_terms terms), one rounding, i < m, j < n in the region. The
 * view has contiguous columns (rs = 1, drs = 0). Hermitian: the imaginary parts of the
 * diagonal are not read and become +0. An exact zero is -0 only if a and all products of the
 * parts are. */
typedef struct {
    int64_t m, n;
    exb_t(target) a;
    bool is_hermitian;
    int n_terms;
    exb_t(rank1) term[EXB_RANK_TERMS];
    bool by_filter;        /* set by apply_update from the method in force */
    exb_call_stats *stats; /* likewise */
} exb_t(rank_update);

/* Does nothing if alpha = 0. With as many threads as pay off, in the default floating-point
 * environment. */
void exb_t(apply_update)(exb_t(rank_update) *p);
