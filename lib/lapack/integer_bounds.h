/* Sizes of the integers behind a linear system of doubles. Powers of two for rows and columns make
 * A and b integers,
 *
 *   A'_ij = a_ij 2^-(row_i + column_j),   b'_i = b_i 2^-(row_i + right),
 *
 * and A' y = b' for y_j = x_j 2^(column_j - right) = N_j / D by Cramer's rule. Hadamard's bound of
 * a determinant is the product of its rows' or its columns' lengths; each of these is 0 or at
 * least 1, so that a determinant of part of A' has the same bound. */
#ifndef EXB_INTEGER_BOUNDS_H
#define EXB_INTEGER_BOUNDS_H

#include "core/arith/bits.h"

typedef struct {
    int64_t n;
    int *row, *column;  /* exponents, as above */
    int *row_top;       /* |A'_ij| < 2^row_top_i */
    double row_bits;    /* log2 of the product of the rows' lengths, from above */
    double column_bits; /* the same of the columns */
} exb_integer_bounds;

/* a: n rows of n finite doubles. False without memory. */
bool exb_integer_bounds_init(exb_integer_bounds *v, int64_t n, const double *a);
void exb_integer_bounds_free(exb_integer_bounds *v);

/* Bits of the determinant of A' and of every part of it. */
int64_t exb_determinant_bits(const exb_integer_bounds *v);

/* Bits of all N_j for a right-hand side that is not 0, element i at b[i incb], and `right`. */
int64_t exb_numerator_bits(const exb_integer_bounds *v, const double *b, int64_t incb, int *right);

/* Exponent of the lowest bit that is set in a finite double; EXB_NO_BITS of 0. */
enum { EXB_NO_BITS = 1 << 20 };
int exb_lowest_exp2(double x);

/* |x| < 2^this, for x not 0. */
int exb_top_exp2(double x);

#endif
