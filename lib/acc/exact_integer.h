/* Exact sums as integers times powers of two, with a sign: what statistics are made of before they
 * are rounded once. The room is bigint.h's: callers bound their numbers. */
#pragma once

#include "core/arith/quotient.h"
#include "exblas/accumulator.h"

typedef struct {
    exb_big magnitude;
    bool negative; /* 0 has either sign */
} exb_integer;

/* The sum of the finite terms. */
exb_integer exb_integer_of_sum(const exblas_acc *a);

exb_integer exb_integer_of(exb_u128 n);
exb_integer exb_integer_product(const exb_integer *a, const exb_integer *b);
exb_integer exb_integer_difference(const exb_integer *a, const exb_integer *b);

/* RN(n / d), or of the root of |n| / d with the sign of n; d > 0, and 0 has no sign. */
double exb_integer_ratio(exb_format f, bool is_root, const exb_integer *n, const exb_integer *d);

EXB_INLINE bool exb_integer_is_zero(const exb_integer *a)
{
    return a->magnitude.n_limbs == 0;
}
