/* Matrix calls whose every element is hard to round: rows and columns that carry
 * the same hostile sum at different scales, added matrices chosen with the oracle
 * so that they cancel or complete a tie, and triangular systems whose residuals
 * cancel or whose quotients are ties. */
#ifndef HARD_CASE_H
#define HARD_CASE_H

#include "adversarial.h"
#include "blas_case.h"

enum { HARD_MAX_SIDE = 48, HARD_MAX_TERMS = 700 };

typedef struct {
    blas_case call; /* points into the arrays below */
    const char *kind;
    double *x, *y, *a, *b, *c;
} hard_case;

void hard_case_init(hard_case *h);
void hard_case_clear(hard_case *h);

/* gemv, gemm or syrk with all options at random, `side` the largest number of rows
 * and columns, n_terms that of products in a sum. */
void hard_product(hard_case *h, test_random *r, blas_op op, char type, size_t kind, int side,
                  int n_terms);

size_t hard_systems(void); /* number of kinds of triangular systems */
void hard_system(hard_case *h, test_random *r, char type, size_t kind, int side);

#endif
