/* Numbers modulo a prime p < 2^52, as they are or in Montgomery's form x 2^64 mod p, in which
 * products need no division.
 *
 * Source: Montgomery, Math. Comp. 44 (1985). */
#pragma once

#include "core/arith/bits.h"

typedef struct {
    uint64_t p;
    uint64_t inverse;      /* -1 / p mod 2^64 */
    uint64_t one, squared; /* 2^64 mod p, 2^128 mod p */
} exb_field;

/* -1 / p mod 2^64 of an odd p: Newton's iteration doubles the right bits of 1 / p, from 3 to 96. */
EXB_INLINE uint64_t exb_negative_inverse(uint64_t p)
{
    uint64_t x = p;
    for (int i = 0; i < 5; i++)
        x *= 2 - p * x;
    return 0 - x;
}

/* The field of the largest prime below p; 2^52 - 2^22 < p <= 2^52, and there are primes below. */
exb_field exb_field_below(uint64_t p);

/* a b / 2^64 mod p, for a b < 2^64 p. t + m p < 2^65 p < 2^117, and the quotient is below 2 p. */
EXB_INLINE uint64_t exb_field_multiply(const exb_field *f, uint64_t a, uint64_t b)
{
    exb_u128 t = (exb_u128)a * b;
    uint64_t m = (uint64_t)t * f->inverse;
    uint64_t r = (uint64_t)((t + (exb_u128)m * f->p) >> 64);
    return r >= f->p ? r - f->p : r;
}

/* Primes, or digits base one of them, whose product is above 2^bits: they are between 2^51.9 and
 * 2^52, some thousand in every interval of 2^17 there. */
EXB_INLINE int64_t exb_primes_for(int64_t bits)
{
    return bits * 10 / 519 + 1;
}

/* Into Montgomery's form (any a < 2^64), and back. */
EXB_INLINE uint64_t exb_field_enter(const exb_field *f, uint64_t a)
{
    return exb_field_multiply(f, a, f->squared);
}

EXB_INLINE uint64_t exb_field_leave(const exb_field *f, uint64_t a)
{
    return exb_field_multiply(f, a, 1);
}

/* In Montgomery's form: 1 / a for a not 0, and n finite doubles. */
uint64_t exb_field_invert(const exb_field *f, uint64_t a);
void exb_field_reduce(const exb_field *f, int64_t n, const double *x, uint64_t *m);
