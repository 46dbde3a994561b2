/* A product as the kernel `small_product` takes it. */
#pragma once

#include "core/kernels.h"

/* Where terms of sums lie: a(i, l) = a[i * a_vs + l * a_ls], b(l, j) = b[j * b_vs + l * b_ls]. */
typedef struct {
    const void *a, *b;
    int64_t a_vs, a_ls, b_vs, b_ls;
} exb_small_factors;

/* A product of a few elements, alpha sum + beta c(i, j) with sums of a(i, l) b(l, j) for i < m,
 * j < n, l < k, all positive, m and n at most EXB_SMALL_MOST, k at most EXB_SMALL_TERMS: n_halves =
 * 1 or 2 matrices side by side have so many of the terms each; c(i, j) = c[j * ldc + i]. `peak` >=
 * all |a b|, and 2^-800 <= 2 k peak <= 2^800. beta = 0: c is not read. is_lower, is_upper: only
 * elements with i >= j + diagonal, with i <= j + diagonal are wanted (i of elements, not of parts).
 * is_exact, of floats: no sum rounds in double.
 *
 * is_complex: m counts the parts of rows, which lie side by side, k the terms of their sums, two
 * for each element; strides are of reals, and elements of a or b may be conjugates. is_hermitian:
 * imaginary parts of elements (j + diagonal, j) mean nothing. alpha_im, beta_im: of the scalars. */
struct exb_small {
    bool is_lower, is_upper, is_exact, is_complex, is_hermitian, conjugate_a, conjugate_b;
    int m, n, k, n_halves, diagonal;
    exb_small_factors half[2];
    int64_t ldc;
    double peak, alpha, beta, alpha_im, beta_im;
};

enum { EXB_SMALL_MOST = 64, EXB_SMALL_TERMS = 448 };

#define EXB_SMALL_LEAST_PEAK 0x1p-800
#define EXB_SMALL_MOST_PEAK 0x1p800
