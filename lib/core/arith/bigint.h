/* Integers of a few thousand bits times powers of two, for decisions that must be exact and are
 * rare: magnitude = (sum of limb[i] 2^(64 i)) 2^exp2.
 *
 * EXB_BIG_BITS bounds every n_limbs that occurs. The largest numbers are those of a correlation
 * (lib/acc/acc_format.c, cell_statistics.c): a moment n Sxy - Sx Sy of n < 2^63 doubles is a
 * multiple of 2^-2148 below 2^2175, kept in up to 72 limbs; the product of two moments has 144,
 * times the square of a 55-bit candidate 146; aligning two numbers with equal top bits for a
 * comparison makes none of them longer than the longer one and a limb. The complex rotg needs 8504
 * bits. */
#pragma once

#include "core/arith/superacc.h"

enum { EXB_BIG_BITS = 64 * 148, EXB_BIG_LIMBS = EXB_BIG_BITS / 64 };

typedef struct {
    int exp2;
    int n_limbs;   /* the top one is not 0; zero has none */
    bool negative; /* 0 has either sign */
    uint64_t limb[EXB_BIG_LIMBS];
} exb_big;

/* r = significand * 2^exp2. */
void exb_big_set(exb_big *r, exb_u128 significand, int exp2);

/* r = a, flags of Inf and NaN left aside. a is normalised, its value unchanged. */
void exb_big_set_sum(exb_big *r, exb_superacc *a);

/* r = x y for finite doubles. */
void exb_big_set_product(exb_big *r, double x, double y);

/* r = a + b, r = a b; r is neither a nor b. */
void exb_big_add(exb_big *r, const exb_big *a, const exb_big *b);
void exb_big_multiply(exb_big *r, const exb_big *a, const exb_big *b);

/* -1, 0, 1 as |a| < |b|, |a| = |b|, |a| > |b|. */
int exb_big_compare(const exb_big *a, const exb_big *b);

/* floor(log2 |a|) and, in *m, |a| / 2^that in [1, 2], within 2^-52; a is not 0. */
int exb_big_log2(const exb_big *a, double *m);
