/* Tiles of products in registers: their shapes on an instruction set, and the kernels that compute
 * them (exb_tile_kernel, exb_chain_kernel in kernels.h); lines and steps of eliminations beside
 * them (exb_line_kernels, exb_elimination_kernels). */
#ifndef EXB_TILE_H
#define EXB_TILE_H

#include "core/kernels.h"
#include "core/simd/simd.h"

enum {
    EXB_TILE_COLS = EXB_UNROLL,
    EXB_CHAIN_ROWS = EXB_CHAIN_VECTORS * EXB_LANES,
    EXB_PAIR_ROWS = EXB_PAIR_VECTORS * EXB_LANES,
    EXB_NARROW_COLS = 2 /* what 32 columns, of LAPACK's panels, are more than whole sixes */
};

exb_tile_kernel exb_isa(tile_products), exb_isa(tile_exact);
void exb_isa(chain_plain)(const exb_chain_panels *p, bool resume, double *s, double *l, int64_t ld);
void exb_isa(line_add_magnitudes)(int64_t n, const double *m, int64_t ld, const double *x,
                                  double *y);
void exb_isa(line_add_products)(int64_t n, const double *m, int64_t ld, const double *x, double *y);
void exb_isa(line_swap)(int64_t n, double *x, double *y);
void exb_isa(line_pack_columns)(int64_t k, const double *b, int64_t ldb, double *out);
void exb_isa(tile_update)(int64_t m, int vectors, int64_t k, const double *a, int64_t lda,
                          const double *b, int64_t ldb, double *c, int64_t ldc);
void exb_isa(tile_solve_lower)(int64_t n, int vectors, const double *l, int64_t ldl, double *x,
                               int64_t ldx);
void exb_isa(tile_solve_upper)(int64_t n, int vectors, const double *u, int64_t ldu,
                               const double *reciprocal, double *x, int64_t ldx);
bool exb_isa(tile_factor)(int64_t m, int n, double *a, int64_t lda, double *work, int64_t *pivot);
#if EXB_HAVE_FMA
exb_tile_kernel exb_isa(tile_twice);
void exb_isa(chain_anchored)(const exb_chain_panels *p, bool resume, double *s, double *l,
                             int64_t ld);
void exb_isa(chain_narrow)(const exb_chain_panels *p, bool resume, double *s, double *l,
                           int64_t ld);
void exb_isa(chain_ended)(const exb_chain_panels *p, const exb_chain_ending *q, double *s,
                          double *l, int64_t ld, uint64_t *open);
void exb_isa(chain_twice)(int64_t k, const double *a, const double *b, double anchor, double *s,
                          double *m, double *low, int64_t ld);
#endif

#endif
