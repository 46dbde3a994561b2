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

/* The test of Miller and Rabin for one base. */
static bool passes_test(const exb_field *f, uint64_t base)
{
    uint64_t odd = f->p - 1, minus_one = f->p - f->one;
    int n_twos = __builtin_ctzll(odd);
    uint64_t x = power(f, exb_field_enter(f, base), odd >> n_twos);
    bool passes = x == f->one || x == minus_one;
    for (; !passes && n_twos > 1; n_twos--) {
        x = exb_field_multiply(f, x, x);
        passes = x == minus_one;
    }
    return passes;
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
