#include "core/arith/bigint.h"

#include <assert.h>
#include <math.h>

static void trim(exb_big *r)
{
    while (r->n_limbs > 0 && r->limb[r->n_limbs - 1] == 0)
        r->n_limbs--;
}

void exb_big_set(exb_big *r, exb_u128 significand, int exp2)
{
    r->exp2 = exp2;
    r->n_limbs = 2;
    r->limb[0] = (uint64_t)significand;
    r->limb[1] = (uint64_t)(significand >> 64);
    trim(r);
}

void exb_big_set_product(exb_big *r, double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    exb_big_set(r, (exb_u128)p.significand * q.significand, p.exp2 + q.exp2);
}

/* One past the exponent of the top bit; a > 0. */
static int top(const exb_big *a)
{
    return a->exp2 + 64 * a->n_limbs - __builtin_clzll(a->limb[a->n_limbs - 1]);
}

/* r = a, written as a multiple of 2^exp2, exp2 <= a->exp2. */
static void align(exb_big *r, const exb_big *a, int exp2)
{
    int n_bits = a->exp2 - exp2;
    int n_whole = n_bits / 64, shift = n_bits % 64;
    r->exp2 = exp2;
    r->n_limbs = a->n_limbs ? a->n_limbs + n_whole + 1 : 0;
    assert(n_bits >= 0 && r->n_limbs <= EXB_BIG_LIMBS);
    if (r->n_limbs == 0)
        return;
    for (int i = 0; i < n_whole; i++)
        r->limb[i] = 0;
    uint64_t carry = 0;
    for (int i = 0; i < a->n_limbs; i++) {
        r->limb[n_whole + i] = a->limb[i] << shift | carry;
        carry = shift ? a->limb[i] >> (64 - shift) : 0;
    }
    r->limb[r->n_limbs - 1] = carry;
    trim(r);
}

/* Both as multiples of the smaller of the two units. */
static void align_both(exb_big *x, exb_big *y, const exb_big *a, const exb_big *b)
{
    int exp2 = a->exp2 < b->exp2 ? a->exp2 : b->exp2;
    align(x, a->n_limbs ? a : b, exp2);
    align(y, b->n_limbs ? b : a, exp2);
    if (a->n_limbs == 0)
        x->n_limbs = 0;
    if (b->n_limbs == 0)
        y->n_limbs = 0;
}

static uint64_t limb_or_zero(const exb_big *a, int i)
{
    return i < a->n_limbs ? a->limb[i] : 0;
}

void exb_big_add(exb_big *r, const exb_big *a, const exb_big *b)
{
    exb_big x, y;
    exb_u128 carry = 0;
    align_both(&x, &y, a, b);
    r->exp2 = x.exp2;
    r->n_limbs = (x.n_limbs > y.n_limbs ? x.n_limbs : y.n_limbs) + 1;
    assert(r->n_limbs <= EXB_BIG_LIMBS);
    for (int i = 0; i < r->n_limbs; i++) {
        carry += (exb_u128)limb_or_zero(&x, i) + limb_or_zero(&y, i);
        r->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    trim(r);
}

/* Of aligned numbers. */
static int compare_limbs(const exb_big *x, const exb_big *y)
{
    if (x->n_limbs != y->n_limbs)
        return x->n_limbs < y->n_limbs ? -1 : 1;
    for (int i = x->n_limbs - 1; i >= 0; i--)
        if (x->limb[i] != y->limb[i])
            return x->limb[i] < y->limb[i] ? -1 : 1;
    return 0;
}

/* r = x - y for aligned x >= y. */
static void subtract(exb_big *r, const exb_big *x, const exb_big *y)
{
    uint64_t borrow = 0;
    r->exp2 = x->exp2;
    r->n_limbs = x->n_limbs;
    for (int i = 0; i < x->n_limbs; i++) {
        exb_u128 d = (exb_u128)x->limb[i] - limb_or_zero(y, i) - borrow;
        r->limb[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    trim(r);
}

void exb_big_distance(exb_big *r, const exb_big *a, const exb_big *b)
{
    exb_big x, y;
    align_both(&x, &y, a, b);
    if (compare_limbs(&x, &y) >= 0)
        subtract(r, &x, &y);
    else
        subtract(r, &y, &x);
}

void exb_big_multiply(exb_big *r, const exb_big *a, const exb_big *b)
{
    r->exp2 = a->exp2 + b->exp2;
    r->n_limbs = a->n_limbs + b->n_limbs;
    assert(r->n_limbs <= EXB_BIG_LIMBS);
    memset(r->limb, 0, (size_t)r->n_limbs * sizeof *r->limb);
    for (int i = 0; i < a->n_limbs; i++) {
        exb_u128 carry = 0;
        for (int j = 0; j < b->n_limbs; j++) {
            carry += (exb_u128)a->limb[i] * b->limb[j] + r->limb[i + j];
            r->limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        r->limb[i + b->n_limbs] = (uint64_t)carry;
    }
    trim(r);
}

int exb_big_compare(const exb_big *a, const exb_big *b)
{
    exb_big x, y;
    if (a->n_limbs == 0 || b->n_limbs == 0)
        return (a->n_limbs != 0) - (b->n_limbs != 0);
    if (top(a) != top(b))
        return top(a) < top(b) ? -1 : 1;
    align_both(&x, &y, a, b);
    return compare_limbs(&x, &y);
}

int exb_big_log2(const exb_big *a, double *m)
{
    int i = a->n_limbs - 1;
    int shift = __builtin_clzll(a->limb[i]);
    uint64_t leading = a->limb[i] << shift;
    if (i > 0 && shift > 0)
        leading |= a->limb[i - 1] >> (64 - shift);
    *m = ldexp((double)leading, -63);
    return top(a) - 1;
}
