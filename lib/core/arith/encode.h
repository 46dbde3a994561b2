/* From exact bits to a format, for processors and kernels alike: round to nearest, ties to
 * even, once, also into the subnormal range. */
#pragma once

#include "core/arith/eft.h"
#include "core/arith/words.h"

/* The leading bits of |a|, a finite and not zero:
 * 2^63 <= significand < 2^64, |a| = (significand + t) * 2^exp2, 0 <= t < 1,
 * t > 0 exactly if `inexact`. */
typedef struct {
    exb_u64 significand;
    int exp2;
    bool negative;
    bool inexact;
} exb_leading;

/* Leading bits of normalised words that are not negative; the value is
 * sum of word[i] * 2^(exp2 + 53 i). False if it is zero. */
EXB_INLINE bool exb_leading_of_words(const exb_i64 *word, int n_words, int exp2, exb_leading *out)
{
    int at = exb_words_top(word, n_words) - (EXB_STORED_BITS - 1);
    if (at < -(EXB_STORED_BITS - 1))
        return false;
    out->significand = exb_words_bits(word, n_words, at);
    out->exp2 = exp2 + at;
    out->negative = false;
    out->inexact = exb_words_below(word, at);
    return true;
}

/* floor(sqrt(high * 2^64 + low)), high >= 2^62. A root in floating point, less 2^-50 of it, is
 * below by no more than 11 * 2^11 + 6; the last bits follow one after the other. */
EXB_INLINE exb_u64 exb_integer_root(exb_u64 high, exb_u64 low, bool *exact)
{
    exb_u64 root = (exb_u64)(exb_sqrt((double)high) * (0x1p32 * (1 - 0x1p-50)));
    for (int i = 14; i >= 0; i--) {
        exb_u64 r = root + ((exb_u64)1 << i), h = exb_mul_high(r, r);
        bool fits = h < high || (h == high && r * r <= low);
        root = r > root && fits ? r : root;
    }
    *exact = exb_mul_high(root, root) == high && root * root == low;
    return root;
}

/* Leading bits of the square root of such words. With N the upper 127 or 128 bits, so that the
 * exponent 2q of its last bit is even, and a tail below it: sqrt(N + tail) and sqrt(N) have the
 * same integer part, 64 bits of it, and the root is that integer only if N is its square and the
 * tail 0. False if the value is zero. */
EXB_INLINE bool exb_leading_of_root(const exb_i64 *word, int n_words, int exp2, exb_leading *out)
{
    int top = exb_words_top(word, n_words);
    int at = top - 127;
    bool exact;
    if (top < 0)
        return false;
    at += (exp2 + at) & 1;
    out->significand = exb_integer_root(exb_words_bits(word, n_words, at + 64),
                                        exb_words_bits(word, n_words, at), &exact);
    out->exp2 = (exp2 + at) / 2;
    out->negative = false;
    out->inexact = !exact || exb_words_below(word, at);
    return true;
}

/* Magnitude of the leading bits rounded to a format, as its encoding. */
EXB_INLINE exb_u64 exb_encode_leading(exb_format f, const exb_leading *a)
{
    int exp2 = a->exp2 + EXB_STORED_BITS - f.n_bits; /* of the last kept bit */
    if (exp2 < f.min_exp2)
        exp2 = f.min_exp2;
    int n_dropped = exp2 - a->exp2; /* >= 11 */
    if (n_dropped > EXB_STORED_BITS)
        return 0; /* below half of the smallest positive number */
    if (exp2 + f.n_bits - 1 > exb_max_exponent(f))
        return f.infinity;
    exb_u64 kept = n_dropped < EXB_STORED_BITS ? a->significand >> n_dropped : 0;
    exb_u64 round = a->significand >> (n_dropped - 1) & 1;
    bool sticky = a->inexact || (a->significand & (((exb_u64)1 << (n_dropped - 1)) - 1)) != 0;
    kept += round & ((exb_u64)sticky | (kept & 1));
    return exb_encode(f, kept, exp2);
}

/* h + l rounded to odd: the result is h + l if that is a double, else the one
 * of the two neighbours whose last bit is 1. Rounding it once more to a format
 * of at most 51 bits gives RN(h + l) (Boldo, Melquiond, IEEE TC 57 (2008)).
 * |h + l| < 2^1023. */
EXB_INLINE double exb_add_to_odd(double h, double l)
{
    double err;
    double s = exb_two_sum(h, l, &err);
    exb_u64 b = exb_bits(s);
    if (err == 0 || (b & 1))
        return s;
    /* s is even and not exact: the odd neighbour lies on the side of err. */
    return exb_from_bits((err > 0) == (s > 0) ? b + 1 : b - 1);
}
