/* A call of Level 3 as plain mathematics. */
#pragma once

#include "level2_problem.h"
#include "level3_call.h"

/* A matrix as it is stored, element (i, j) at p[j * rows + i]. */
typedef struct {
    int64_t rows, cols;
    const level2_number *p;
} level3_matrix;

typedef enum { MATRIX_A, MATRIX_B, MATRIX_C } level3_which;

typedef struct {
    level3_family family;
    char type, side, uplo, transa, transb, diag;
    int64_t m, n, k;
    level2_number alpha, beta;
    const level2_number *a, *b, *c; /* trmm, trsm: what is written is c */
} level3_problem;

/* Sizes as stored; what a routine does not have is empty. */
level3_matrix level3_matrix_of(const level3_problem *p, level3_which which);
/* Whether (i, j) lies in the named triangle, if there is one. */
bool level3_is_stored(const level3_problem *p, level3_which which, int64_t i, int64_t j);
/* A diagonal whose imaginary part does not exist. */
bool level3_is_real(const level3_problem *p, level3_which which, int64_t i, int64_t j);
/* Nothing is written, whatever the numbers. */
bool level3_returns_quickly(const level3_problem *p);
/* Whether element (i, j) of the matrix as stored is read. */
bool level3_is_read(const level3_problem *p, level3_which which, int64_t i, int64_t j);
/* Neither A nor B is read. */
bool level3_is_without_product(const level3_problem *p);

/* The new C, of which stored elements count; as it was on quick returns. From the definitions
 * on dense matrices and the oracle's exact sums: slow, and nothing shared with the library. */
void level3_model(const level3_problem *p, level2_number *result);
