#include "core/arith/natural.h"

static void trim_limbs(exb_natural *r)
{
    while (r->n > 0 && r->limb[r->n - 1] == 0)
        r->n--;
}

static void append_limb(exb_natural *r, uint64_t limb)
{
    if (limb)
        r->limb[r->n++] = limb;
}

void exb_natural_set(exb_natural *r, uint64_t word)
{
    r->n = 0;
    append_limb(r, word);
}

void exb_natural_copy(exb_natural *r, const exb_natural *a)
{
    memcpy(r->limb, a->limb, (size_t)a->n * sizeof *r->limb);
    r->n = a->n;
}

int64_t exb_natural_bits(const exb_natural *a)
{
    return a->n == 0 ? 0 : 64 * a->n - exb_leading_zeros(a->limb[a->n - 1]);
}

int exb_natural_compare(const exb_natural *a, const exb_natural *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int64_t i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

void exb_natural_multiply_word(exb_natural *r, uint64_t w, uint64_t c)
{
    for (int64_t i = 0; i < r->n; i++) {
        exb_u128 t = (exb_u128)r->limb[i] * w + c;
        r->limb[i] = (uint64_t)t;
        c = (uint64_t)(t >> 64);
    }
    append_limb(r, c);
    trim_limbs(r);
}

/* limb[0 .. n) += a[0 .. n) w; returns the carry. */
static uint64_t add_row(uint64_t *limb, const uint64_t *a, int64_t n, uint64_t w)
{
    uint64_t carry = 0;
    for (int64_t i = 0; i < n; i++) {
        exb_u128 t = (exb_u128)a[i] * w + limb[i] + carry;
        limb[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    return carry;
}

/* limb[0 .. n) -= a[0 .. n) w; returns the borrow. */
static uint64_t subtract_row(uint64_t *limb, const uint64_t *a, int64_t n, uint64_t w)
{
    uint64_t borrow = 0;
    for (int64_t i = 0; i < n; i++) {
        exb_u128 t = (exb_u128)a[i] * w + borrow;
        borrow = (uint64_t)(t >> 64) + (limb[i] < (uint64_t)t);
        limb[i] -= (uint64_t)t;
    }
    return borrow;
}

void exb_natural_add_product(exb_natural *r, const exb_natural *a, uint64_t w)
{
    while (r->n < a->n)
        r->limb[r->n++] = 0;
    uint64_t carry = add_row(r->limb, a->limb, a->n, w);
    for (int64_t i = a->n; i < r->n && carry; i++) {
        r->limb[i] += carry;
        carry = r->limb[i] < carry;
    }
    append_limb(r, carry);
    trim_limbs(r);
}

void exb_natural_subtract(exb_natural *r, const exb_natural *a)
{
    uint64_t borrow = subtract_row(r->limb, a->limb, a->n, 1);
    for (int64_t i = a->n; i < r->n && borrow; i++) {
        uint64_t old = r->limb[i];
        r->limb[i] -= borrow;
        borrow = old < borrow;
    }
    trim_limbs(r);
}

void exb_natural_multiply(exb_natural *r, const exb_natural *a, const exb_natural *b)
{
    memset(r->limb, 0, (size_t)(a->n + b->n) * sizeof *r->limb);
    for (int64_t i = 0; i < b->n; i++)
        r->limb[i + a->n] = add_row(r->limb + i, a->limb, a->n, b->limb[i]);
    r->n = a->n + b->n;
    trim_limbs(r);
}

void exb_natural_shift_left(exb_natural *r, int64_t k)
{
    if (r->n == 0)
        return;
    memmove(r->limb + k / 64, r->limb, (size_t)r->n * sizeof *r->limb);
    memset(r->limb, 0, (size_t)(k / 64) * sizeof *r->limb);
    r->n += k / 64;
    if (k % 64)
        exb_natural_multiply_word(r, (uint64_t)1 << k % 64, 0);
}

void exb_natural_shift_right(exb_natural *r, int64_t k)
{
    int64_t whole = k / 64 < r->n ? k / 64 : r->n;
    int shift = (int)(k % 64);
    r->n -= whole;
    for (int64_t i = 0; i < r->n; i++) {
        uint64_t above = i + 1 < r->n ? r->limb[whole + i + 1] : 0;
        r->limb[i] =
            shift ? r->limb[whole + i] >> shift | above << (64 - shift) : r->limb[whole + i];
    }
    trim_limbs(r);
}

/* The digit of the quotient of (top, u[n - 1], ...) by d of n limbs whose top bit is set: the
 * estimate from two limbs by one is at most two too large (Knuth, theorem B), which the borrow
 * shows. u becomes the remainder. */
static uint64_t quotient_digit(uint64_t *u, const exb_natural *d)
{
    int64_t n = d->n;
    uint64_t top = u[n], lead = d->limb[n - 1];
    uint64_t q = top >= lead ? UINT64_MAX : (uint64_t)(((exb_u128)top << 64 | u[n - 1]) / lead);
    uint64_t borrow = subtract_row(u, d->limb, n, q);
    bool negative = top < borrow;
    u[n] = top - borrow;
    while (negative) {
        q--;
        uint64_t carry = add_row(u, d->limb, n, 1);
        u[n] += carry;
        negative = !(carry && u[n] == 0);
    }
    return q;
}

void exb_natural_divide(exb_natural *q, exb_natural *r, exb_natural *d)
{
    int shift = exb_leading_zeros(d->limb[d->n - 1]);
    q->n = 0;
    if (exb_natural_compare(r, d) < 0)
        return;
    exb_natural_shift_left(r, shift);
    exb_natural_shift_left(d, shift);
    r->limb[r->n] = 0;
    q->n = r->n - d->n + 1;
    for (int64_t i = q->n - 1; i >= 0; i--)
        q->limb[i] = quotient_digit(r->limb + i, d);
    r->n = d->n;
    trim_limbs(q);
    trim_limbs(r);
    exb_natural_shift_right(r, shift);
    exb_natural_shift_right(d, shift);
}
