/* A complex product as a real one of twice the terms and twice the columns:
 *
 *   row i of A       re a(i, 0), -im a(i, 0), re a(i, 1), ...
 *   column 2j of B   re b(0, j),  im b(0, j), ...        gives the real part of C(i, j)
 *   column 2j + 1    im b(0, j), -re b(0, j), ...        gives the imaginary part
 *
 * so that every part is one sum of real products, with no intermediate rounding. */
#ifndef EXB_COMPLEX_OPERAND_H
#define EXB_COMPLEX_OPERAND_H

#include "level3/operand.h"

/* Element (v, l) is the pair at p[2 * (v * vs + l * ls)], conjugated if so. */
typedef struct {
    const exb_real *p;
    int64_t vs, ls;
    bool conjugate;
} exb_t(complex_source);

void exb_t(gather_rows)(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                        exb_real *out);
void exb_t(gather_columns)(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                           exb_real *out);

#endif
