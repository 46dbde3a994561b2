#include "core/arith/bigint.h"

#include "core/arith/natural.h"

#include <assert.h>
#include <math.h>

/* The limbs of a, to be read or, of a number that is being made, to be written. */
static exb_natural natural_of(const exb_big *a)
{
    return (exb_natural){a->n_limbs, (uint64_t *)(uintptr_t)a->limb};
}

static void set_natural(exb_big *r, const exb_natural *m, int exp2)
{
    assert(m->n <= EXB_BIG_LIMBS);
    r->n_limbs = (int)m->n;
    r->exp2 = exp2;
}

void exb_big_set(exb_big *r, exb_u128 significand, int exp2)
{
    uint64_t high = (uint64_t)(significand >> 64);
    r->exp2 = exp2;
    r->negative = false;
    r->limb[0] = (uint64_t)significand;
    r->limb[1] = high;
    r->n_limbs = high ? 2 : r->limb[0] != 0;
}

void exb_big_set_product(exb_big *r, double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    exb_big_set(r, (exb_u128)p.significand * q.significand, p.exp2 + q.exp2);
    r->negative = p.negative != q.negative;
}

void exb_big_set_sum(exb_big *r, exb_superacc *a)
{
    r->negative = exb_superacc_make_positive(a);
    int top = exb_words_top(a->word, a->n_words), i = 0;
    while (a->word[i] == 0 && i < a->n_words - 1)
        i++;
    int lowest = EXB_WORD_BITS * i + (top < 0 ? 0 : __builtin_ctzll((uint64_t)a->word[i]));
    r->n_limbs = 0;
    r->exp2 = exb_superacc_exp2(a) + lowest;
    for (int at = lowest; at <= top; at += 64)
        r->limb[r->n_limbs++] = exb_words_bits(a->word, a->n_words, at);
    exb_superacc_negate_if(a, r->negative);
}

/* r = a, written as a multiple of 2^exp2, exp2 <= a->exp2 unless a is 0. */
static exb_natural aligned_natural(exb_big *r, const exb_big *a, int exp2)
{
    exb_natural m = natural_of(r), from = natural_of(a);
    assert(a->n_limbs == 0 || a->n_limbs + (a->exp2 - exp2) / 64 + 1 <= EXB_BIG_LIMBS);
    exb_natural_copy(&m, &from);
    exb_natural_shift_left(&m, a->exp2 - exp2);
    set_natural(r, &m, exp2);
    return m;
}

/* The smaller of the two units; 0 has none. */
static int common_exp2(const exb_big *a, const exb_big *b)
{
    bool is_a = b->n_limbs == 0 || (a->n_limbs > 0 && a->exp2 < b->exp2);
    return is_a ? a->exp2 : b->exp2;
}

void exb_big_add(exb_big *r, const exb_big *a, const exb_big *b)
{
    exb_big other;
    bool is_less = exb_big_compare(a, b) < 0;
    int exp2 = common_exp2(a, b);
    exb_natural x = aligned_natural(r, is_less ? b : a, exp2),
                y = aligned_natural(&other, is_less ? a : b, exp2);
    assert(x.n < EXB_BIG_LIMBS);
    if (a->negative == b->negative)
        exb_natural_add_product(&x, &y, 1);
    else
        exb_natural_subtract(&x, &y);
    set_natural(r, &x, exp2);
    r->negative = is_less ? b->negative : a->negative;
}

void exb_big_multiply(exb_big *r, const exb_big *a, const exb_big *b)
{
    exb_natural m = natural_of(r), x = natural_of(a), y = natural_of(b);
    assert(x.n + y.n <= EXB_BIG_LIMBS);
    exb_natural_multiply(&m, &x, &y);
    set_natural(r, &m, a->exp2 + b->exp2);
    r->negative = a->negative != b->negative;
}

/* One past the exponent of the top bit; a > 0. */
static int64_t top_exponent(const exb_big *a)
{
    exb_natural m = natural_of(a);
    return a->exp2 + exb_natural_bits(&m);
}

int exb_big_compare(const exb_big *a, const exb_big *b)
{
    exb_big x, y;
    if (a->n_limbs == 0 || b->n_limbs == 0)
        return (a->n_limbs != 0) - (b->n_limbs != 0);
    if (top_exponent(a) != top_exponent(b))
        return top_exponent(a) < top_exponent(b) ? -1 : 1;
    int exp2 = common_exp2(a, b);
    exb_natural m = aligned_natural(&x, a, exp2), n = aligned_natural(&y, b, exp2);
    return exb_natural_compare(&m, &n);
}

int exb_big_log2(const exb_big *a, double *m)
{
    exb_natural n = natural_of(a);
    *m = ldexp((double)exb_natural_leading(&n), -63);
    return (int)top_exponent(a) - 1;
}
