/* Fixed-point numbers of n 64-bit words, k of them behind the point: sums that are exact and
 * do not depend on their order, cheap where the range of the data is known.
 *
 * w[0] is the least significant word; together they are a two's complement integer W
 * of 64 n bits, and the number is W * 2^(-64 k). So -2^(64 (n - k) - 1) <= v < 2^(64 (n - k)
 * - 1), in steps of 2^(-64 k); 1 <= n, 0 <= k <= n.
 *
 *   uint64_t sum[3] = {0}, t[3] = {0};       HP(3, 2): 63 bits before the point, 128 behind
 *   exblas_hp_from_double(t, 3, 2, x);       OK, or what did not fit
 *   exblas_hp_add(sum, t, 3);
 *   exblas_hp_to_double(sum, 3, 2, &result);
 *
 * A number can be too large at three points, and each reports it: conversion from double,
 * addition, conversion to double. Words of different numbers must not overlap, except where a
 * function says so. Integer operations only: the caller's rounding mode, FTZ and DAZ do not matter,
 * and no exception flag is raised.
 *
 * This header is C11, C++17, CUDA C++ (host and device) and OpenCL C 1.2 with cl_khr_fp64.
 * In OpenCL words are private memory, and exblas_hp_atomic_add works on
 * EXBLAS_HP_SHARED, `volatile __global` unless it is defined before.
 *
 * Source: Small, Kalia, Nakano, Vashishta, "Order-invariant real number summation" (IPDPS
 * 2016), with rounding, truncation and overflow made strict. */
#ifndef EXBLAS_FIXED_H
#define EXBLAS_FIXED_H

#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef ulong exblas_hp_word;
typedef int exblas_status;
enum { EXBLAS_OK = 0, EXBLAS_EINVAL = 1, EXBLAS_ERANGE = 3, EXBLAS_EUNDERFLOW = 4 }; /* types.h */
#define EXBLAS_HP_FN static inline
#ifndef EXBLAS_HP_SHARED
#define EXBLAS_HP_SHARED volatile __global
#endif
#else
#include "exblas/types.h"
#include <string.h>
typedef uint64_t exblas_hp_word;
#define EXBLAS_HP_SHARED
#if defined(__CUDACC__)
#define EXBLAS_HP_FN static inline __host__ __device__
#else
#define EXBLAS_HP_FN static inline
#endif
#endif

#define EXBLAS_HP_SIGN ((exblas_hp_word)1 << 63)

/* The bits of a double. */
EXBLAS_HP_FN exblas_hp_word exblas_hp_bits(double x)
{
#if defined(__OPENCL_VERSION__)
    return as_ulong(x);
#else
    exblas_hp_word b;
    memcpy(&b, &x, sizeof b);
    return b;
#endif
}

/* The inverse. */
EXBLAS_HP_FN double exblas_hp_from_bits(exblas_hp_word b)
{
#if defined(__OPENCL_VERSION__)
    return as_double(b);
#else
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
#endif
}

/* |x| * 2^(64 k), truncated to an integer: low * 2^(64 index) + high * 2^(64 (index + 1)). True
 * if nothing was cut off. x is finite. */
EXBLAS_HP_FN int exblas_hp_place(int k, double x, int *index, exblas_hp_word *low,
                                 exblas_hp_word *high)
{
    exblas_hp_word b = exblas_hp_bits(x), m = b & 0xfffffffffffffu, cut = 0;
    int field = (int)(b >> 52) & 0x7ff;
    int shift = (field ? field : 1) - 1075 + 64 * k; /* of the last bit of m */
    if (field)
        m |= (exblas_hp_word)1 << 52;
    if (shift < 0) {
        exblas_hp_word kept = shift > -64 ? m >> -shift : 0;
        cut = shift > -64 ? m ^ (kept << -shift) : m;
        m = kept;
        shift = 0;
    }
    *index = shift / 64;
    *low = m << shift % 64;
    *high = shift % 64 ? m >> (64 - shift % 64) : 0;
    return cut == 0;
}

/* w = x. ERANGE, and w is not written: too large, Inf or NaN. EUNDERFLOW: bits of x below
 * the last word were cut off, w is x truncated toward zero. EINVAL: no such n, k. */
EXBLAS_HP_FN exblas_status exblas_hp_from_double(exblas_hp_word *w, int n, int k, double x)
{
    exblas_hp_word low, high, carry, top;
    int index, i, is_whole, is_negative = (int)(exblas_hp_bits(x) >> 63);
    if (n < 1 || k < 0 || k > n)
        return EXBLAS_EINVAL;
    if ((exblas_hp_bits(x) >> 52 & 0x7ff) == 0x7ff)
        return EXBLAS_ERANGE;
    is_whole = exblas_hp_place(k, x, &index, &low, &high);
    if ((low && index >= n) || (high && index + 1 >= n))
        return EXBLAS_ERANGE;
    top = index == n - 1 ? low : index == n - 2 ? high : 0;
    /* The sign bit is free, or all there is is -2^(64 n - 1). */
    if (top >= EXBLAS_HP_SIGN &&
        !(is_negative && top == EXBLAS_HP_SIGN && (index == n - 1 || low == 0)))
        return EXBLAS_ERANGE;
    carry = (exblas_hp_word)is_negative; /* -W = ~W + 1, the carry through all words */
    for (i = 0; i < n; i++) {
        exblas_hp_word v = i == index ? low : i == index + 1 ? high : 0;
        v = (is_negative ? ~v : v) + carry;
        carry = carry && v == 0;
        w[i] = v;
    }
    return is_whole ? EXBLAS_OK : EXBLAS_EUNDERFLOW;
}

/* Overflow of old + v + carry = sum in a top word: operands of one sign, a sum of the other. */
EXBLAS_HP_FN exblas_status exblas_hp_overflow(exblas_hp_word old, exblas_hp_word v,
                                              exblas_hp_word sum)
{
    return ~(old ^ v) & (old ^ sum) & EXBLAS_HP_SIGN ? EXBLAS_ERANGE : EXBLAS_OK;
}

/* w += v, both of n words; v may be w. ERANGE: overflow; w is then the sum modulo 2^(64 n), so that
 * adding what brings it back into range gives the right number. */
EXBLAS_HP_FN exblas_status exblas_hp_add(exblas_hp_word *w, const exblas_hp_word *v, int n)
{
    exblas_hp_word old = 0, added = 0, carry = 0;
    int i;
    for (i = 0; i < n; i++) {
        exblas_hp_word t;
        old = w[i];
        added = v[i];
        t = added + carry;
        carry = t < carry; /* v[i] was all ones: then t = 0 and no second carry */
        w[i] = old + t;
        carry += w[i] < t;
    }
    return exblas_hp_overflow(old, added, w[n - 1]);
}

/* -1, 0, 1 as a < b, a = b, a > b; both with the same n and k. */
EXBLAS_HP_FN int exblas_hp_compare(const exblas_hp_word *a, const exblas_hp_word *b, int n)
{
    int i;
    exblas_hp_word flip = EXBLAS_HP_SIGN; /* the top word is signed */
    for (i = n - 1; i >= 0; i--) {
        if (a[i] != b[i])
            return (a[i] ^ flip) < (b[i] ^ flip) ? -1 : 1;
        flip = 0;
    }
    return 0;
}

/* Word i of |W|, where the lowest word that is not 0 is `lowest`. */
EXBLAS_HP_FN exblas_hp_word exblas_hp_magnitude(const exblas_hp_word *w, int n, int lowest, int i)
{
    int is_negative = (int)(w[n - 1] >> 63);
    if (i < lowest)
        return 0;
    return !is_negative ? w[i] : i == lowest ? 0 - w[i] : ~w[i];
}

/* m * 2^shift, 2^63 <= m < 2^64, and a bit below it if is_more, rounded to nearest even: its
 * bits, those of Inf if it overflows. */
EXBLAS_HP_FN exblas_hp_word exblas_hp_round(exblas_hp_word m, int shift, int is_more)
{
    int exp2 = shift + 11; /* of the last bit that is kept */
    exblas_hp_word kept, rest, midpoint;
    int n_cut;
    if (exp2 < -1074)
        exp2 = -1074;
    n_cut = exp2 - shift; /* >= 11 */
    if (n_cut > 64)
        return 0;
    if (exp2 > 971)
        return (exblas_hp_word)0x7ff << 52;
    kept = n_cut < 64 ? m >> n_cut : 0;
    rest = n_cut < 64 ? m & (((exblas_hp_word)1 << n_cut) - 1) : m;
    midpoint = (exblas_hp_word)1 << (n_cut - 1);
    kept += rest > midpoint || (rest == midpoint && (is_more || (kept & 1)));
    /* The leading bit of `kept`, if there, adds 1 to the exponent field. */
    return ((exblas_hp_word)(exp2 + 1074) << 52) + kept;
}

/* *x = the number, rounded to nearest, ties to even. ERANGE: it rounds to Inf, *x is not
 * written. EINVAL: no such n, k. */
EXBLAS_HP_FN exblas_status exblas_hp_to_double(const exblas_hp_word *w, int n, int k, double *x)
{
    exblas_hp_word top, next, m, b;
    int i, lowest = 0, n_zeros = 0, is_more;
    if (n < 1 || k < 0 || k > n)
        return EXBLAS_EINVAL;
    while (lowest < n && w[lowest] == 0)
        lowest++;
    i = n - 1;
    while (i >= 0 && exblas_hp_magnitude(w, n, lowest, i) == 0)
        i--;
    if (i < 0) {
        *x = 0;
        return EXBLAS_OK;
    }
    top = exblas_hp_magnitude(w, n, lowest, i);
    next = i > 0 ? exblas_hp_magnitude(w, n, lowest, i - 1) : 0;
    while (!(top << n_zeros & EXBLAS_HP_SIGN))
        n_zeros++;
    m = top << n_zeros | (n_zeros ? next >> (64 - n_zeros) : 0);
    is_more = next << n_zeros != 0 || lowest < i - 1;
    b = exblas_hp_round(m, 64 * (i - k) - n_zeros, is_more);
    if (b == (exblas_hp_word)0x7ff << 52)
        return EXBLAS_ERANGE;
    *x = exblas_hp_from_bits(b | (w[n - 1] & EXBLAS_HP_SIGN));
    return EXBLAS_OK;
}

#if !defined(__OPENCL_VERSION__) || defined(cl_khr_int64_base_atomics)

#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

/* *p = desired if *p is `expected`; returns what *p was. */
EXBLAS_HP_FN exblas_hp_word exblas_hp_exchange(EXBLAS_HP_SHARED exblas_hp_word *p,
                                               exblas_hp_word expected, exblas_hp_word desired)
{
#if defined(__OPENCL_VERSION__)
    return atom_cmpxchg(p, expected, desired);
#elif defined(__CUDA_ARCH__)
    return atomicCAS((unsigned long long *)p, expected, desired);
#else
    __atomic_compare_exchange_n(p, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}

/* *p += v; returns what *p was. */
EXBLAS_HP_FN exblas_hp_word exblas_hp_fetch_add(EXBLAS_HP_SHARED exblas_hp_word *p,
                                                exblas_hp_word v)
{
    exblas_hp_word seen, expected = 0; /* a guess: the first exchange tells */
    while ((seen = exblas_hp_exchange(p, expected, expected + v)) != expected)
        expected = seen;
    return seen;
}

/* shared += v, word by word by compare-and-swap: any number of threads may add at once, none
 * waits for a lock. Words are only meaningful when all additions have ended and the
 * threads have been synchronised; then the sum is right in any order.
 *
 * ERANGE: this addition took the top word out of its range. No overflow of the final sum
 * goes unreported; a sum within one step per concurrent addition (2^(64 (n - 1 - k))
 * each) of the limits may be reported although it ends in range. */
EXBLAS_HP_FN exblas_status exblas_hp_atomic_add(EXBLAS_HP_SHARED exblas_hp_word *shared,
                                                const exblas_hp_word *v, int n)
{
    exblas_hp_word carry = 0;
    int i;
    for (i = 0; i < n; i++) {
        exblas_hp_word t = v[i] + carry, old;
        if (t == 0)
            continue; /* nothing to add; a carry into all ones moves on */
        old = exblas_hp_fetch_add(&shared[i], t);
        carry = old + t < old;
        if (i == n - 1)
            return exblas_hp_overflow(old, v[i], old + t);
    }
    return EXBLAS_OK;
}

#endif

#if !defined(__OPENCL_VERSION__)

EXBLAS_BEGIN_C

/* A fixed-point number that widens instead of overflowing or underflowing: the exact sum of
 * any doubles, in as many words as they have needed. Not for several threads at once. */
typedef struct exblas_hpw exblas_hpw;

/* 0, with n words to begin with, k behind the point; 0 <= k <= 17, k <= n, 1 <= n <= k + 19. NULL:
 * no such n, k, or no memory, which nothing after this needs. */
EXBLAS_API exblas_hpw *exblas_hpw_create(int n, int k);
EXBLAS_API void exblas_hpw_free(exblas_hpw *a);

/* a += x. ERANGE, and a is as it was: x is Inf or NaN, or the sum exceeds 2^1215, for which
 * it takes more than 2^190 terms. */
EXBLAS_API exblas_status exblas_hpw_add(exblas_hpw *a, double x);

/* a += b; b keeps its value, a may be b. ERANGE as for add. */
EXBLAS_API exblas_status exblas_hpw_merge(exblas_hpw *a, const exblas_hpw *b);

/* The number rounded to nearest, ties to even. ERANGE: it rounds to Inf, *x is not written. */
EXBLAS_API exblas_status exblas_hpw_to_double(const exblas_hpw *a, double *x);

/* The words it has now, least significant first, valid until it is changed, and how many
 * of them there are and are behind the point. */
EXBLAS_API const exblas_hp_word *exblas_hpw_words(const exblas_hpw *a, int *n, int *k);

EXBLAS_END_C

#endif

#endif
