/* Exact sums of products, in fixed point over the whole range of products of doubles. */
#pragma once

#include "fprev.h"

enum {
    FPREV_EXACT_LOW = -2208, /* exponent of limb 0: products are multiples of 2^-2148 */
    FPREV_EXACT_LIMBS = 136, /* of 32 bits: up to 2^2144, 2^96 times the largest product */
    FPREV_NO_CUT = FPREV_EXACT_LOW
};

/* Value: sum of limb[i] * 2^(32 i + FPREV_EXACT_LOW). A term adds less than 2^33 to a
 * limb, so 2^30 terms need no carry. */
typedef struct {
    int64_t limb[FPREV_EXACT_LIMBS];
} fprev_exact;

void fprev_exact_clear(fprev_exact *e);

/* Adds a * b, both finite, without the bits below 2^cut (cut toward zero). */
void fprev_exact_add(fprev_exact *e, double a, double b, int cut);

/* The sum rounded to the type, to nearest even or toward zero. */
double fprev_exact_round(const fprev_exact *e, fprev_type type, bool nearest);

/* A fused addition of n products with a running sum. exponents: see fprev_adder; those of
 * products are the sums of their factors' exponents. */
double fprev_fused_add(fprev_type type, const fprev_adder *adder, int n, const double *a,
                       const double *b);
