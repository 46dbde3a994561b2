/* C -= A B in plain arithmetic: the work of an elimination. Products are summed from 0 on in runs
 * of at most EXB_UPDATE_RUN terms, term by term, with or without fused multiply-adds; the sums of
 * at most EXB_UPDATE_RUNS runs are added up one after the other, and what comes out is subtracted
 * from C. So a product goes through at most EXB_UPDATE_RUN + EXB_UPDATE_RUNS roundings before. */
#pragma once

#include "lapack/kernels/elimination_tiles.h"

/* Doubles that `work` must have for matrices of up to n rows and columns. */
int64_t exb_plain_update_room(int64_t n);

/* C has m rows of n, A m rows of k, B k rows of n; lda, ldb, ldc elements from a row to the next.
 * C overlaps neither A nor B. */
void exb_plain_update(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                      const double *b, int64_t ldb, double *c, int64_t ldc, double *work);
