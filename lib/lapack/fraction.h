/* Rational numbers z = N / D with |N| < 2^n_bits, 0 < D <= 2^d_bits, from z modulo P > 2^(n_bits +
 * d_bits + 1), and their rounding. There is one such number for a residue: N D' = N' D modulo P
 * makes both sides equal, since they differ by less than P.
 *
 * The components of a solution have a common denominator. exb_fraction_find keeps the least common
 * multiple of those that it has seen, so that most components need one product.
 *
 * Source: Wang, Guy, Davenport, "P-adic reconstruction of rational numbers", SIGSAM Bull. 16
 * (1982). */
#pragma once

#include "core/arith/quotient.h"

enum { EXB_FRACTION_NATURALS = 8 };

typedef struct {
    int64_t n_bits;
    exb_natural modulus;     /* P */
    exb_natural denominator; /* the common one so far, D */
    exb_natural numerator;   /* |N| of the last fraction, over D */
    bool negative;           /* its sign */
    exb_natural part[EXB_FRACTION_NATURALS];
    uint64_t *storage;
} exb_fraction;

/* P = p^n_digits, D = 1. False without memory. */
bool exb_fraction_init(exb_fraction *f, uint64_t p, int64_t n_digits, int64_t n_bits);
void exb_fraction_free(exb_fraction *f);

/* The fraction whose residue is (digit[0] + digit[stride] p + ...) 2^k, into numerator, negative
 * and denominator. */
void exb_fraction_find(exb_fraction *f, uint64_t p, int64_t n_digits, const uint64_t *digit,
                       int64_t stride, int64_t k);

/* RN(+-|N| / D 2^exp2) in a format. */
double exb_fraction_round(exb_fraction *f, exb_format format, int64_t exp2);
