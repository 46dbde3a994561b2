#include "lapack/fraction.h"

#include "lapack/prime_field.h"

#include <stdlib.h>

/* Products of two numbers below P, one shifted by up to 4300 bits, and a limb for a carry. */
static int64_t limbs_for(int64_t n_digits)
{
    return 2 * (52 * n_digits / 64 + 2) + 4300 / 64 + 4;
}

bool exb_fraction_init(exb_fraction *f, uint64_t p, int64_t n_digits, int64_t n_bits)
{
    size_t n = (size_t)limbs_for(n_digits);
    *f = (exb_fraction){.n_bits = n_bits};
    f->storage = malloc((EXB_FRACTION_NATURALS + 3) * n * sizeof *f->storage);
    if (!f->storage)
        return false;
    f->modulus.limb = f->storage;
    f->denominator.limb = f->storage + n;
    f->numerator.limb = f->storage + 2 * n;
    for (size_t i = 0; i < EXB_FRACTION_NATURALS; i++)
        f->part[i].limb = f->storage + (3 + i) * n;
    exb_natural_set(&f->modulus, 1);
    for (int64_t k = 0; k < n_digits; k++)
        exb_natural_multiply_word(&f->modulus, p, 0);
    exb_natural_set(&f->denominator, 1);
    return true;
}

void exb_fraction_free(exb_fraction *f)
{
    free(f->storage);
    f->storage = NULL;
}

/* z / 2^k mod P: a multiple of P makes the last bits 0, 32 at a time. */
static void divide_by_power(const exb_fraction *f, exb_natural *z, int64_t k)
{
    uint64_t minus_inverse = exb_negative_inverse(f->modulus.limb[0]);
    for (; k > 0 && z->n > 0; k -= 32) {
        int step = k < 32 ? (int)k : 32;
        uint64_t mask = ((uint64_t)1 << step) - 1;
        exb_natural_add_product(z, &f->modulus, z->limb[0] * minus_inverse & mask);
        exb_natural_shift_right(z, step);
    }
}

/* z = (digits) 2^k modulo P, for k > 0 not reduced. */
static void take_residue(const exb_fraction *f, exb_natural *z, uint64_t p, int64_t n_digits,
                         const uint64_t *digit, int64_t stride, int64_t k)
{
    exb_natural_set(z, 0);
    for (int64_t i = n_digits - 1; i >= 0; i--)
        exb_natural_multiply_word(z, p, digit[i * stride]);
    if (k < 0)
        divide_by_power(f, z, -k);
    else
        exb_natural_shift_left(z, k);
}

/* The residue of least magnitude. */
static void take_sign(exb_fraction *f, const exb_natural *z)
{
    exb_natural_copy(&f->numerator, &f->modulus);
    exb_natural_subtract(&f->numerator, z);
    f->negative = exb_natural_compare(z, &f->numerator) > 0;
    if (!f->negative)
        exb_natural_copy(&f->numerator, z);
}

static void swap_naturals(exb_natural *a, exb_natural *b)
{
    exb_natural t = *a;
    *a = *b;
    *b = t;
}

/* numerator = N, denominator *= d for N / d = numerator modulo P. Euclid's algorithm on P and the
 * residue: remainders r and cofactors s with r = +-s residue mod P, whose signs alternate. The
 * first remainder below 2^n_bits is N (Wang, Guy, Davenport). */
static void reconstruct_fraction(exb_fraction *f)
{
    exb_natural *high = &f->part[2], *low = &f->part[3], *q = &f->part[4];
    exb_natural *before = &f->part[5], *cofactor = &f->part[6], *product = &f->part[7];
    bool minus = false;
    exb_natural_copy(high, &f->modulus);
    exb_natural_copy(low, &f->numerator);
    exb_natural_set(before, 0);
    exb_natural_set(cofactor, 1);
    while (exb_natural_bits(low) > f->n_bits) {
        exb_natural_divide(q, high, low);
        swap_naturals(high, low);
        exb_natural_multiply(product, q, cofactor);
        exb_natural_add_product(product, before, 1);
        swap_naturals(before, cofactor);
        swap_naturals(cofactor, product);
        minus = !minus;
    }
    exb_natural_copy(&f->numerator, low);
    f->negative = f->negative != minus;
    exb_natural_multiply(product, &f->denominator, cofactor);
    exb_natural_copy(&f->denominator, product);
}

void exb_fraction_find(exb_fraction *f, uint64_t p, int64_t n_digits, const uint64_t *digit,
                       int64_t stride, int64_t k)
{
    exb_natural *z = &f->part[0], *product = &f->part[1];
    take_residue(f, z, p, n_digits, digit, stride, k);
    exb_natural_multiply(product, z, &f->denominator);
    exb_natural_divide(&f->part[2], product, &f->modulus);
    take_sign(f, product);
    if (exb_natural_bits(&f->numerator) > f->n_bits)
        reconstruct_fraction(f);
}

double exb_fraction_round(exb_fraction *f, exb_format format, int64_t exp2)
{
    exb_natural *n = &f->part[0], *d = &f->part[1];
    exb_natural_copy(n, &f->numerator);
    exb_natural_copy(d, &f->denominator);
    double r = exb_ratio_of_naturals(format, false, n, d, exp2);
    return f->negative ? -r : r;
}
