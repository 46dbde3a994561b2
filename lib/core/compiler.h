/* What differs between compilers, in one place. */
#ifndef EXB_COMPILER_H
#define EXB_COMPILER_H

#define EXB_INLINE static inline __attribute__((always_inline, unused))
#define EXB_NOINLINE __attribute__((noinline))
#define EXB_LIKELY(c) __builtin_expect(!!(c), 1)
#define EXB_UNLIKELY(c) __builtin_expect(!!(c), 0)

/* Token pasting after expansion. */
#define EXB_PASTE2_(a, b) a##b
#define EXB_PASTE2(a, b) EXB_PASTE2_(a, b)
#define EXB_PASTE3_(a, b, c) a##b##c
#define EXB_PASTE3(a, b, c) EXB_PASTE3_(a, b, c)
#define EXB_PASTE4_(a, b, c, d) a##b##c##d
#define EXB_PASTE4(a, b, c, d) EXB_PASTE4_(a, b, c, d)
#define EXB_STRING_(a) #a
#define EXB_STRING(a) EXB_STRING_(a)

/* 128-bit integers hold the exact product of two significands. Every 64-bit
 * target of GCC and Clang has them. */
__extension__ typedef unsigned __int128 exb_u128;
__extension__ typedef __int128 exb_i128;

#endif
