#include "lapack/prime_field.h"

static exb_field field_of(uint64_t p)
{
    exb_field f = {.p = p, .inverse = exb_negative_inverse(p)};
    f.one = (uint64_t)(((exb_u128)1 << 64) % p);
    f.squared = (uint64_t)((exb_u128)f.one * f.one % p);
    return f;
}

/* a^k in Montgomery's form. */
static uint64_t power(const exb_field *f, uint64_t a, uint64_t k)
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
    return power(f, a, f->p - 2);
}

/* Fermat's test: of the odd numbers from 2^52 - 2^22 on, some 10^5 primes, no others pass it, by
 * computation. */
static bool is_prime(const exb_field *f)
{
    return power(f, exb_field_enter(f, 2), f->p - 1) == f->one;
}

exb_field exb_field_below(uint64_t p)
{
    exb_field f;
    p = p & 1 ? p - 2 : p - 1;
    for (f = field_of(p); !is_prime(&f); f = field_of(p))
        p -= 2;
    return f;
}

void exb_field_reduce(const exb_field *f, int64_t n, const double *x, uint64_t *m)
{
    uint64_t two = exb_field_enter(f, 2), half = exb_field_enter(f, (f->p + 1) / 2);
    for (int64_t i = 0; i < n; i++) {
        exb_decomposed d = exb_split(x[i]);
        uint64_t r = exb_field_enter(f, d.significand);
        r = exb_field_multiply(
            f, r, d.exp2 < 0 ? power(f, half, (uint64_t)-d.exp2) : power(f, two, (uint64_t)d.exp2));
        m[i] = d.negative && r ? f->p - r : r;
    }
}
