/* C -= A B in plain arithmetic, with the caller's threads: the work of an elimination in blocks. */
#ifndef EXB_PLAIN_UPDATE_H
#define EXB_PLAIN_UPDATE_H

#include "core/arith/compiler.h"

/* C has m rows of n, A m rows of k, B k rows of n; lda, ldb, ldc elements from a row to the next.
 * C overlaps neither A nor B. */
void exb_plain_update(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                      const double *b, int64_t ldb, double *c, int64_t ldc);

#endif
