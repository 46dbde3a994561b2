/* Calls of the element-wise Level 1 routines as data: every form and type of a routine is
 * called from the same description. */
#pragma once

#include "routine_call.h"
#include "test_random.h"

typedef enum {
    LEVEL1_AXPY,
    LEVEL1_AXPBY,
    LEVEL1_SCAL,
    LEVEL1_REAL_SCAL, /* csscal, zdscal; of real types scal */
    LEVEL1_ROT,       /* csrot, zdrot of complex types; c = alpha, s = beta */
    LEVEL1_ROTM,      /* of real types */
    LEVEL1_COPY,
    LEVEL1_SWAP,
    LEVEL1_IAMAX,
    N_LEVEL1
} level1_op;

enum { LEVEL1_MAX_REALS = 2400 };

/* Vectors and scalars hold reals, pairs re, im of complex types; every number is one of
 * the type. x and y are whole arrays, gaps included. */
typedef struct {
    level1_op op;
    char type;
    int64_t n, incx, incy;
    double alpha[2], beta[2], param[5];
    size_t n_x, n_y; /* reals */
    double x[LEVEL1_MAX_REALS], y[LEVEL1_MAX_REALS];
    int64_t index; /* what iamax returned, as Fortran's: from 1, 0 for none */
} level1_case;

const char *level1_op_name(level1_op op);
int level1_parts(char type);
number_format level1_format(char type);

/* Calls the library in an environment of hostile_env.h; x, y and index change as it does.
 * False if the environment was not as before on return. */
bool level1_call(call_form form, int environment, level1_case *c);

/* The same by the definition of the routine: the loop of the reference implementation,
 * each element from exact numbers, rounded once. */
void level1_model(level1_case *c);
