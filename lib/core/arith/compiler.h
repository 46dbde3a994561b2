/* What differs between compilers, in one place. Kernels for GPUs have gpu/device.h instead,
 * which defines the same names: headers that use only those are read by both (EXB_DEVICE). */
#pragma once

#ifndef EXB_DEVICE

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int32_t exb_i32;
typedef int64_t exb_i64;
typedef uint32_t exb_u32;
typedef uint64_t exb_u64;

/* Processors without the instruction: the fma of musl goes wrong next to zero, that of Zig for
 * Windows also next to powers of two. */
#if defined(__x86_64__) && !defined(__FMA__) && !defined(__GLIBC__)
#include "core/arith/fma.h"

#define exb_fma(a, b, c) exb_fma_emulated(a, b, c)
#else
#define exb_fma(a, b, c) __builtin_fma(a, b, c)
#endif

#define exb_fabs(x) __builtin_fabs(x)
#define exb_sqrt(x) sqrt(x)

/* Functions that only prefetch have to be inline: GCC 12 leaves out calls of them, as of functions
 * without effect. */
#define EXB_INLINE static inline __attribute__((always_inline, unused))
#define EXB_NOINLINE __attribute__((noinline))
#define EXB_LIKELY(c) __builtin_expect(!!(c), 1)
#define EXB_UNLIKELY(c) __builtin_expect(!!(c), 0)
#define EXB_FOR for /* gpu/device.h */
/* Number of zero bits above the highest bit of w > 0. */
#define exb_leading_zeros(w) __builtin_clzll(w)

/* 128-bit integers hold the exact product of two significands. Every 64-bit
 * target of GCC and Clang has them; kernels do without. */
__extension__ typedef unsigned __int128 exb_u128;
__extension__ typedef __int128 exb_i128;

/* The upper half of a 128-bit product. */
#define exb_mul_high(a, b) ((exb_u64)((exb_u128)(a) * (b) >> 64))

#endif

/* Token pasting after expansion. */
#define EXB_PASTE2_(a, b) a##b
#define EXB_PASTE2(a, b) EXB_PASTE2_(a, b)
#define EXB_PASTE3_(a, b, c) a##b##c
#define EXB_PASTE3(a, b, c) EXB_PASTE3_(a, b, c)
#define EXB_PASTE4_(a, b, c, d) a##b##c##d
#define EXB_PASTE4(a, b, c, d) EXB_PASTE4_(a, b, c, d)
#define EXB_STRING_(a) #a
#define EXB_STRING(a) EXB_STRING_(a)
