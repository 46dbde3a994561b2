/* The product driver of Level 3. */
#ifndef EXB_GEMM_H
#define EXB_GEMM_H

#include "core/method.h"
#include "level2/rows.h"

/* Which elements of C are computed. */
typedef enum { EXB_REGION_ALL, EXB_REGION_LOWER, EXB_REGION_UPPER } exb_region;

/* c(i, j) = RN(alpha sum over l of a(i, l) b(l, j) + beta c(i, j)), i < m, j < n,
 * l < k, in the region. C does not overlap A or B. beta = 0: C is not read. */
typedef struct {
    int64_t m, n, k;
    exb_real alpha, beta;
    exb_t(matrix) a, b;
    exb_real *c;
    int64_t c_rs, c_cs;
    exb_region region;
} exb_t(product);

/* With as many threads as pay off, in the default floating-point environment. */
void exb_t(multiply)(const exb_t(product) * p);

#endif
