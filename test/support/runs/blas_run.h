/* Runs a case in memory that shows every access it should not make. */
#pragma once

#include "blas_case.h"
#include "routine_call.h"

typedef struct {
    call_form form;
    bool row_major;  /* CBLAS forms only */
    int incx, incy;  /* asum takes |incx|: BLAS returns 0 for a negative one */
    int padding;     /* added to leading dimensions, see below */
    int offset;      /* elements by which every buffer is misaligned */
    int environment; /* of hostile_env.h */
} placement;

/* The plain call: CBLAS, row-major, unit strides, default environment. */
placement plain_placement(void);

/* What the leading dimensions of A, B and C, operands 0, 1 and 2, have beyond the least: `padding`
 * and 0, 1 and 2 in an order that depends on it. Matrices of one shape then differ in them, so
 * that a call that takes one for another is noticed. */
int padding_of(const placement *p, int operand);

/* Lays the vectors out with gaps filled with a NaN of its own, calls the routine in the placement's
 * environment and stores the number that comes out.
 *
 * Returns NULL, or what was wrong besides the number: an input, a gap or the environment was
 * changed. incx or incy = 0: the operand's elements must all be equal. */
const char *blas_run(const blas_case *c, const placement *p, double *result);

/* The value that fills the gaps. */
double poison(number_format f);
