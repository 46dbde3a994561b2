/* From operands to packed vectors: norms, which decide how vectors are scaled, and strips. */
#ifndef EXB_STRIPS_H
#define EXB_STRIPS_H

#include "level3/operand.h"

/* The sum of the squares of a vector is sumsq * 4^shift, with a relative error below 2^-21 for up
 * to 2^28 elements, and sumsq is 0 or a normal number; NaN or Inf if an element is. largest: the
 * largest magnitude (if all are finite). */
typedef struct {
    double *sumsq, *largest;
    int *shift;
} exb_norms;

/* Entries 0 ... n - 1 for vectors v0 ... v0 + n - 1 of k elements. */
void exb_p(norms)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t k, exb_norms out);

/* Where packed vectors go: strips of `width` <= EXB_MOST_WIDTH vectors, `stride` apart (kernel
 * pack, kernels.h), each vector times its factor. */
enum { EXB_MOST_WIDTH = 24 };

typedef struct {
    int width;
    int64_t stride;
    double *p;
    const double *factor;
    double *lost;
} exb_strips;

/* Elements l0 ... l0 + k - 1 of vectors v0 ... v0 + n - 1. */
void exb_p(pack_strips)(const exb_p(operand) *o, int64_t v0, int64_t n, int64_t l0, int64_t k,
                        exb_strips out);

#endif
