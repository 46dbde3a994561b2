/* Where alpha and beta * c enter gemv and gemm. */
#ifndef FPREV_SCALE_H
#define FPREV_SCALE_H

#include "fprev.h"

typedef enum {
    FPREV_ALPHA_UNKNOWN,
    FPREV_ALPHA_A,       /* every element of the matrix (gemm: of op(A)) */
    FPREV_ALPHA_B,       /* every element of the vector (gemm: of op(B)) */
    FPREV_ALPHA_SUM,     /* the whole sum */
    FPREV_ALPHA_PARTIAL, /* sums of fewer terms, which are then added */
} fprev_alpha_place;

typedef struct {
    bool asked;
    fprev_alpha_place alpha;
    int64_t beta_joins; /* beta * c is added to a sum of so many terms; 0 if it does not show */
    int64_t beta_term;  /* one of them */
} fprev_scaling;

/* f: started by fprev_blas_start for gemv or gemm; t its tree of this element. alpha and
 * beta are 1 and 0 afterwards. n_terms + some calls. */
fprev_status fprev_find_scaling(fprev_function *f, int64_t element, const fprev_tree *t,
                                uint64_t seed, volatile int64_t *count, fprev_scaling *scaling);

#endif
