/* The matrices of a call as operands of a real product: general, symmetric, Hermitian or triangular
 * ones in full storage, one or two side by side, of any type.
 *
 * A complex product is a real one of twice the terms and n_sums = 2 columns for one:
 *
 *   row i of A       re a(i, 0), -im a(i, 0), re a(i, 1), ...
 *   column 2j of B   re b(0, j),  im b(0, j), ...        gives the real part of C(i, j)
 *   column 2j + 1    im b(0, j), -re b(0, j), ...        gives the imaginary part
 *
 * so that every part is one sum of real products, with no intermediate rounding. With n_sums = 4,
 * columns 4j + 2 and 4j + 3 are the same with the second of two matrices negated. */
#ifndef EXB_SOURCE_H
#define EXB_SOURCE_H

#include "level2/pattern.h"
#include "level3/operand.h"

typedef struct {
    const exb_real *p;
    exb_pattern pattern; /* in full storage: no view grows */
} exb_t(stored);

typedef enum { EXB_AS_ROWS, EXB_AS_COLUMNS } exb_role;

/* Vector i is row i of matrix[0], followed by that of matrix[1] if n_matrices = 2. */
typedef struct {
    int n_matrices, n_sums;
    exb_role role;
    exb_t(stored) matrix[2];
} exb_t(source);

/* The operand, which refers to s unless it can be read in place. */
exb_p(operand) exb_t(operand_of)(const exb_t(source) * s);

/* All m x k elements of a view. */
EXB_INLINE exb_t(stored)
    exb_t(stored_general)(const exb_real *p, exb_view v, int64_t m, int64_t k, bool conjugate)
{
    return (exb_t(stored)){p, exb_pattern_band(v, m, k, m, k, conjugate && EXB_IS_COMPLEX)};
}

EXB_INLINE exb_t(source) exb_t(source_of)(exb_t(stored) a)
{
    return (exb_t(source)){.n_matrices = 1, .matrix = {a}};
}

#endif
