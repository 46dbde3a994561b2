/* The oracle: every routine's answer from its definition, with MPFR numbers
 * wide enough that no operation on the way rounds (each ternary value is
 * checked), rounded once at the end. It shares nothing with the library. */
#pragma once

#include "scoped.h"
#include "test_bits.h"

/* A sum in the extended reals: exact, or Inf, or NaN. Of its terms: whether one is not 0, and
 * whether one has either sign, which zeros have, too. */
typedef struct {
    mpfr_t sum;
    bool has_pos_inf, has_neg_inf, has_nan, has_nonzero, has_positive, has_negative;
} oracle;

void oracle_init(oracle *o);
void oracle_clear(oracle *o);

/* A declaration: zero, and cleared at the end of the block. */
#define ORACLE(name)                                                                               \
    __attribute__((cleanup(oracle_clear))) oracle name;                                            \
    oracle_init(&name)

void oracle_reset(oracle *o); /* to zero */
void oracle_add(oracle *o, double x);
void oracle_add_product(oracle *o, double a, double b);

/* o += a s in the extended reals: 0 times Inf is NaN. */
void oracle_add_scaled(oracle *o, double a, const oracle *s);

/* RN(n / d) for sums of products of up to three doubles; n / 0 is Inf with n's sign, 0 / 0 and
 * Inf / Inf NaN, an exact zero +0. */
double oracle_ratio(const oracle *n, const oracle *d, number_format f);

/* RN(S), RN(sqrt(S)) for S >= 0, RN(S / d), RN(alpha S + beta c), where
 * S is what was added. An exact zero is +0, a NaN is the canonical one; a zero
 * divisor gives Inf with the sign of S times its own, 0 / 0 and Inf / Inf NaN.
 * beta = 0 leaves c out. Floats come back as doubles. */
double oracle_round(const oracle *o, number_format f);
/* The same, but for an exact zero that has IEEE's sign: -0 if every term is -0. */
double oracle_round_signed(const oracle *o, number_format f);
double oracle_root(const oracle *o, number_format f);
double oracle_quotient(const oracle *o, double d, number_format f);
double oracle_scaled(const oracle *o, double alpha, double beta, double c, number_format f);

/* A finite number that is exact, or the truncation to oracle_guard_bits of one
 * that is not (`inexact`), rounded to nearest even in the format. */
double oracle_round_exact(const mpfr_t value, bool inexact, number_format f);
enum { ORACLE_GUARD_BITS = 128 };
