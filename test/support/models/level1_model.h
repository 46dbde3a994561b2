/* The element-wise routines of Level 1 as their definitions read: the loop of the reference
 * implementation, each element from exact numbers, rounded once. */
#pragma once

#include <stdint.h>

typedef enum {
    LEVEL1_AXPY,
    LEVEL1_AXPBY,
    LEVEL1_SCAL,
    LEVEL1_REAL_SCAL, /* csscal, zdscal; of real types scal */
    LEVEL1_ROT,       /* csrot, zdrot of complex types; c = alpha, s = beta */
    LEVEL1_ROTM,      /* of real types */
    LEVEL1_COPY,
    LEVEL1_SWAP,
    LEVEL1_IAMAX
} level1_op;

/* Vectors and scalars hold reals, pairs re, im of complex types; every number is one of
 * the type. x and y are whole arrays, gaps included. */
typedef struct {
    level1_op op;
    char type;
    int64_t n, incx, incy;
    double alpha[2], beta[2], param[5], *x, *y;
    int64_t index; /* iamax's, as Fortran's: from 1, 0 for none */
} level1_case;

void level1_model(level1_case *c);
