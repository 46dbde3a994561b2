#include "lapack/prime_field.h"

#include <stdlib.h>

enum { LEAST_EXP2 = -1074, N_EXPONENTS = 2046 }; /* of doubles */

/* Newton's iteration doubles the right bits of 1 / p: from 3 to 96. */
static uint64_t negative_inverse(uint64_t p)
{
    uint64_t x = p;
    for (int i = 0; i < 5; i++)
        x *= 2 - p * x;
    return 0 - x;
}

static exb_field field_of(uint64_t p)
{
    exb_field f = {.p = p, .inverse = negative_inverse(p)};
    f.one = (uint64_t)(((exb_u128)1 << 64) % p);
    f.squared = (uint64_t)((exb_u128)f.one * f.one % p);
    return f;
}

uint64_t exb_field_power(const exb_field *f, uint64_t a, uint64_t k)
{
    uint64_t r = f->one;
    for (; k; k >>= 1) {
        if (k & 1)
            r = exb_field_multiply(f, r, a);
        a = exb_field_multiply(f, a, a);
    }
    return r;
}

uint64_t exb_field_invert(const exb_field *f, uint64_t a)
{
    return exb_field_power(f, a, f->p - 2);
}

uint64_t exb_field_power_of_two(const exb_field *f, int k)
{
    uint64_t two = exb_field_enter(f, 2);
    return k >= 0 ? exb_field_power(f, two, (uint64_t)k)
                  : exb_field_invert(f, exb_field_power(f, two, (uint64_t)-k));
}

/* The test of Miller and Rabin for one base. */
static bool passes_test(const exb_field *f, uint64_t base)
{
    uint64_t odd = f->p - 1, minus_one = f->p - f->one;
    int n_twos = __builtin_ctzll(odd);
    uint64_t x = exb_field_power(f, exb_field_enter(f, base), odd >> n_twos);
    if (x == f->one || x == minus_one)
        return true;
    for (int i = 1; i < n_twos; i++) {
        x = exb_field_multiply(f, x, x);
        if (x == minus_one)
            return true;
    }
    return false;
}

/* Right for odd numbers below 2^64 with these bases (Sorenson, Webster, Math. Comp. 86 (2017)). */
static bool is_prime(const exb_field *f)
{
    static const unsigned char base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (unsigned i = 0; i < sizeof base; i++)
        if (!passes_test(f, base[i]))
            return false;
    return true;
}

exb_field exb_field_below(uint64_t p)
{
    exb_field f;
    p = p & 1 ? p - 2 : p - 1;
    for (f = field_of(p); !is_prime(&f); f = field_of(p))
        p -= 2;
    return f;
}

bool exb_field_reduce(const exb_field *f, int64_t n, const double *x, uint64_t *m)
{
    uint64_t *power = malloc(N_EXPONENTS * sizeof *power);
    if (!power)
        return false;
    uint64_t next = exb_field_power_of_two(f, LEAST_EXP2), two = exb_field_enter(f, 2);
    for (int i = 0; i < N_EXPONENTS; i++, next = exb_field_multiply(f, next, two))
        power[i] = exb_field_multiply(f, next, f->squared);
    for (int64_t i = 0; i < n; i++) {
        exb_decomposed d = exb_split(x[i]);
        uint64_t r = exb_field_multiply(f, d.significand, power[d.exp2 - LEAST_EXP2]);
        m[i] = d.negative && r ? f->p - r : r;
    }
    free(power);
    return true;
}
