/* Integers of a few thousand bits times powers of two, for decisions that must be exact and are
 * rare: value = +-(sum of limb[i] 2^(64 i)) 2^exp2.
 *
 * EXB_BIG_BITS bounds every n_limbs that occurs. The largest numbers are those of a correlation
 * (lib/acc/acc_format.c, cell_statistics.c): a moment n Sxy - Sx Sy of n < 2^63 doubles is a
 * multiple of 2^-2148 below 2^2175, kept in up to 72 limbs; the product of two moments has 144. The
 * complex rotg needs 8504 bits. */
#pragma once

#include "core/arith/superacc.h"

enum { EXB_BIG_BITS = 64 * 148, EXB_BIG_LIMBS = EXB_BIG_BITS / 64, EXB_MOMENT_LIMBS = 72 };

typedef struct {
    bool negative; /* 0 has either sign */
    int exp2;
    int n_limbs; /* the top one is not 0; zero has none */
    uint64_t limb[EXB_BIG_LIMBS];
} exb_big;

exb_big exb_big_of(exb_u128 n);

/* The sum, flags of Inf and NaN left aside. a is normalised, its value unchanged. */
exb_big exb_big_of_sum(exb_superacc *a);

/* x y for finite doubles, with the sign that IEEE gives a zero. */
exb_big exb_big_of_product(double x, double y);

exb_big exb_big_add(const exb_big *a, const exb_big *b);
exb_big exb_big_subtract(const exb_big *a, const exb_big *b);
exb_big exb_big_multiply(const exb_big *a, const exb_big *b);
