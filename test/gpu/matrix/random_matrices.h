/* Matrices and vectors of hard numbers for the three routines. */
#ifndef RANDOM_MATRICES_H
#define RANDOM_MATRICES_H

#include "blas_case.h"
#include "test_random.h"

/* A case with the numbers that it points to; release frees them. The sizes, letters, scalars and
 * type are the caller's; numbers come from a kind of factors (adversarial.h), or, past the last,
 * plain ones. */
typedef struct {
    blas_case call;
    double *a, *in, *out;
} random_matrices;

size_t random_matrices_kinds(void);
random_matrices random_matrices_make(test_random *r, const blas_case *shape, size_t kind);
void random_matrices_free(random_matrices *m);

#endif
