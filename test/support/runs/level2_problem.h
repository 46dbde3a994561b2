/* A call of Level 2 as plain mathematics. */
#pragma once

#include "level2_call.h"
#include "test_bits.h"

typedef struct {
    double re, im;
} level2_number;

/* A call on plain mathematics: A m x n (n x n unless general) with element (i, j) at
 * a[j * m + i], of which the named triangle and band count; x and y without strides. */
typedef struct {
    level2_family family;
    char type, trans, uplo, diag;
    int64_t m, n, kl, ku;
    level2_number alpha, beta;
    const level2_number *a, *x, *y;
} level2_problem;

/* Whether (i, j) of A is stored, and read where alpha is not 0. */
bool level2_is_stored(const level2_problem *p, int64_t i, int64_t j);
bool level2_is_diagonal_of_hermitian(const level2_problem *p, int64_t i, int64_t j);
int64_t level2_x_length(const level2_problem *p);
int64_t level2_y_length(const level2_problem *p);
/* Nothing is written, whatever the numbers: n = 0 and alpha = 0 of updates. */
bool level2_returns_quickly(const level2_problem *p);

number_format level2_format(char type);
bool level2_number_is_zero(level2_number a);
/* Whether a call reads (i, j), apart from quick returns. */
bool level2_is_read(const level2_problem *p, int64_t i, int64_t j);
/* How many numbers come out: stored ones of n x n or m x n, or a vector. */
int64_t level2_result_length(const level2_problem *p);
