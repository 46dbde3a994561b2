/* What becomes of the elements of a product: C = RN(alpha A B + beta C), one rounding.
 *
 * C lies in full storage. The columns of the product are sums
 * that its elements are made of, n_sums for each (call.h), with factors
 *
 *   n_sums = 1, real         c = alpha s0 + beta c
 *   n_sums = 2, complex      c = alpha (s0 + i s1) + beta c
 *   n_sums = 4, her2k        c = re(alpha) (s0 + i s1) + i im(alpha) (s2 + i s3) + beta c
 *
 * by the four-product formula; a scalar that is marked as real has no imaginary part, not even 0.
 * Hermitian: the imaginary parts of the diagonal are not read, and become +0. beta = 0: C is not
 * read. C does not overlap A or B. */
#pragma once

#include "level2/stored_matrix.h"
#include "level3/product.h"

enum { EXB_MOST_SUMS = EXB_IS_COMPLEX ? 4 : 1 };

typedef struct {
    exb_complex alpha, beta;
    bool real_alpha, real_beta, hermitian;
    int n_sums;
    exb_t(target) c;
    exb_p(product) product; /* set by exb_t(output_run) except for its operands and sizes */
} exb_t(output);

/* Fills C. m, n, k count elements of the type. In the default floating-point environment. */
void exb_t(output_run)(exb_t(output) *o, int64_t m, int64_t n, int64_t k);

/* The same by single elements, each column from its last or first row on or, not by_columns, each
 * row from its last or first column on: so that C may be the operand that a triangle
 * multiplies. Slow, and needs no memory. */
void exb_t(output_run_in_place)(exb_t(output) *o, int64_t m, int64_t n, int64_t k, bool by_columns,
                                bool backwards);
