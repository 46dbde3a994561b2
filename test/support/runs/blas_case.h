/* A sum, norm or dot product of real numbers as plain mathematics: vectors without strides, every
 * number a double (floats for type 's' are doubles that are floats). How it lies in memory and
 * which entry is called is a placement (blas_run.h). */
#pragma once

#include "test_bits.h"

typedef enum {
    OP_SUM,
    OP_ASUM,
    OP_NRM2,
    OP_DOT,
    OP_DSDOT,  /* type 's' only, answer in double */
    OP_SDSDOT, /* type 's' only, alpha is sb */
    N_OPS
} blas_op;

typedef struct {
    blas_op op;
    char type; /* 's' or 'd' */
    int64_t n;
    double alpha;
    const double *x, *y; /* as the operation needs them */
} blas_case;

void blas_case_name(const blas_case *c, char name[8]); /* "ddot" */
number_format blas_input_format(const blas_case *c);
number_format blas_output_format(const blas_case *c);
bool blas_op_has_y(blas_op op);
