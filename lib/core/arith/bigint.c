#include "core/arith/bigint.h"

#include "core/arith/natural.h"

#include <assert.h>

/* The limbs of a, to be read. */
static exb_natural natural_of(const exb_big *a)
{
    return (exb_natural){a->n_limbs, (uint64_t *)(uintptr_t)a->limb};
}

static exb_big big_of(bool negative, exb_u128 significand, int exp2)
{
    exb_big r; /* whose other limbs stay as they are */
    r.negative = negative;
    r.exp2 = exp2;
    r.limb[0] = (uint64_t)significand;
    r.limb[1] = (uint64_t)(significand >> 64);
    r.n_limbs = r.limb[1] ? 2 : r.limb[0] != 0;
    return r;
}

exb_big exb_big_of(exb_u128 n)
{
    return big_of(false, n, 0);
}

exb_big exb_big_of_product(double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    return big_of(p.negative != q.negative, (exb_u128)p.significand * q.significand,
                  p.exp2 + q.exp2);
}

exb_big exb_big_of_sum(exb_superacc *a)
{
    exb_big r = big_of(exb_superacc_make_positive(a), 0, 0);
    int top = exb_words_top(a->word, a->n_words), i = 0;
    while (a->word[i] == 0 && i < a->n_words - 1)
        i++;
    int lowest = EXB_WORD_BITS * i + (top < 0 ? 0 : __builtin_ctzll((uint64_t)a->word[i]));
    r.exp2 = exb_superacc_exp2(a) + lowest;
    for (int at = lowest; at <= top; at += 64)
        r.limb[r.n_limbs++] = exb_words_bits(a->word, a->n_words, at);
    exb_superacc_negate_if(a, r.negative);
    return r;
}

/* |a|, written to limb as a multiple of 2^exp2, exp2 <= a->exp2 unless a is 0. */
static exb_natural aligned_natural(uint64_t *limb, const exb_big *a, int exp2)
{
    exb_natural m = {0, limb}, from = natural_of(a);
    assert(a->n_limbs == 0 || a->n_limbs + (a->exp2 - exp2) / 64 + 1 <= EXB_BIG_LIMBS);
    exb_natural_copy(&m, &from);
    exb_natural_shift_left(&m, a->exp2 - exp2);
    return m;
}

/* a + b or a - b, in the smaller of the two units; 0 has none. */
static exb_big add(const exb_big *a, const exb_big *b, bool subtract)
{
    exb_big sum;
    uint64_t other[EXB_BIG_LIMBS];
    bool is_a = b->n_limbs == 0 || (a->n_limbs > 0 && a->exp2 < b->exp2);
    bool minus = b->negative != subtract;
    sum.exp2 = is_a ? a->exp2 : b->exp2;
    sum.negative = a->negative;
    exb_natural x = aligned_natural(sum.limb, a, sum.exp2);
    exb_natural y = aligned_natural(other, b, sum.exp2);
    assert(x.n < EXB_BIG_LIMBS && y.n < EXB_BIG_LIMBS);
    if (a->negative == minus) {
        exb_natural_add_product(&x, &y, 1);
    } else if (exb_natural_compare(&x, &y) >= 0) {
        exb_natural_subtract(&x, &y);
    } else {
        exb_natural_subtract(&y, &x);
        exb_natural_copy(&x, &y);
        sum.negative = minus;
    }
    sum.n_limbs = (int)x.n;
    return sum;
}

exb_big exb_big_add(const exb_big *a, const exb_big *b)
{
    return add(a, b, false);
}

exb_big exb_big_subtract(const exb_big *a, const exb_big *b)
{
    return add(a, b, true);
}

exb_big exb_big_multiply(const exb_big *a, const exb_big *b)
{
    exb_big r;
    exb_natural m = {0, r.limb}, x = natural_of(a), y = natural_of(b);
    assert(x.n + y.n <= EXB_BIG_LIMBS);
    exb_natural_multiply(&m, &x, &y);
    r.n_limbs = (int)m.n;
    r.exp2 = a->exp2 + b->exp2;
    r.negative = a->negative != b->negative;
    return r;
}
