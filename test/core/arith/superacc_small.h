/* The source text of the long accumulator and of its rounding with words of 5 bits stored in 8
 * instead of 53 in 64, deposits of 16 bits instead of 128 and numbers of 5 bits instead of 53: few
 * enough that a test can try all of them. Everything else is the library's own text. */
#pragma once

#include "core/arith/bits.h"
#include "core/arith/eft.h"

#include <assert.h>
#include <math.h>

#define EXB_WORD_BITS 5
#define EXB_STORED_BITS 8

/* Before a carry, at most k deposits: (k + 1) 2^5 and the carry that moves up fit into 7 bits. */
enum { SMALL_MAX_DEPOSITS = 2, SMALL_GRID_EXP2 = -3277 };

/* Integers n 2^e, n < 2^5, e >= 0 as small as can be, in units of the grid. */
static inline exb_decomposed small_split(double x)
{
    int e;
    exb_decomposed p = {0, SMALL_GRID_EXP2, x < 0, true};
    frexp(x, &e);
    e = e > EXB_WORD_BITS ? e - EXB_WORD_BITS : 0;
    p.significand = (unsigned)ldexp(fabs(x), -e);
    p.exp2 += e;
    return p;
}

#undef exb_leading_zeros
#define exb_leading_zeros(w) (__builtin_clz((unsigned)(w)&0xff) - 24)
#undef exb_mul_high
#define exb_mul_high(a, b) ((exb_u64)((a) * (b) >> EXB_STORED_BITS))
#define exb_u64 uint8_t
#define exb_i64 int8_t
#define exb_u128 uint16_t
#define uint64_t uint8_t
#define int64_t int8_t
#define exb_split small_split

#define EXB_MAX_DEPOSITS OF_WORDS_OF_53_BITS
#include "core/arith/superacc.h"
#undef EXB_MAX_DEPOSITS
#define EXB_MAX_DEPOSITS SMALL_MAX_DEPOSITS

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverflow" /* encodings of doubles, which are not used */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wconstant-conversion"
#pragma GCC diagnostic ignored "-Wtautological-constant-out-of-range-compare"
#include "core/arith/round.c"
#include "core/arith/superacc.c"
#pragma GCC diagnostic pop

#undef exb_u64
#undef exb_i64
#undef exb_u128
#undef uint64_t
#undef int64_t
#undef exb_split
