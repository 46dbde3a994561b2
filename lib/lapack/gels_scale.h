/* A power of two near the least singular value of a matrix of full rank. */
#ifndef EXB_GELS_SCALE_H
#define EXB_GELS_SCALE_H

#include "core/arith/compiler.h"

/* a: m rows of n finite doubles, lda elements apart. 1 if there is no such number in reach: any
 * power will do, a good one makes the work shorter. */
double exb_gels_scale(int64_t m, int64_t n, const double *a, int64_t lda);

#endif
