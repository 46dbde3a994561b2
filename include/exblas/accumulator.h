/* Accumulators: exact sums to keep, send and merge.
 *
 *   exblas_acc a;
 *   exblas_acc_init(&a);
 *   exblas_acc_add(&a, 1e300);
 *   exblas_acc_add_product(&a, 1e-300, 1e-300);
 *   exblas_acc_add(&a, -1e300);
 *   double r = exblas_acc_to_double(&a);        RN(the exact sum)
 *
 * An accumulator holds a sum of doubles and of products of two doubles, exactly: a multiple
 * of 2^-2148 of magnitude below 2^2139. Nothing is rounded before exblas_acc_to_double. The
 * order of additions, how terms are split over accumulators and the order in which those are
 * merged never show, neither in results nor in exported bytes.
 *
 * Limits. Any number of terms up to 2^63, as long as the sum stays below 2^2139: room for
 * 2^91 products of the largest doubles. A sum that leaves the range wraps around modulo
 * 2^2140; only merging, scaling and importing can bring it near.
 *
 * Inf and NaN: a NaN term, Inf * 0, or +Inf and -Inf together make the sum NaN, otherwise Inf
 * wins; what came before stays in force, whatever is added later.
 *
 * exblas_acc is plain data without pointers: copy it by assignment, keep it on the stack, in
 * arrays, in shared memory. All bytes zero is an accumulator that holds 0. Its members are the
 * library's business; to store one or send it to another program, export it.
 *
 * Two threads may not use one accumulator at the same time, except that any number may call
 * exblas_acc_add_atomic. Results do not depend on the caller's floating-point environment,
 * which is left as it was. (Converting a float argument to double is the caller's: under
 * denormals-are-zero use exblas_acc_add_vector_f.) Pointers must not be NULL.
 *
 * Source: Neal, "Fast exact summation using small and large superaccumulators" (2015). */
#ifndef EXBLAS_ACCUMULATOR_H
#define EXBLAS_ACCUMULATOR_H

#include "exblas/types.h"

EXBLAS_BEGIN_C

enum {
    EXBLAS_ACC_WORDS = 81,
    EXBLAS_ACC_BYTES = 552 /* of an exported accumulator */
};

typedef struct exblas_acc {
    int64_t word[EXBLAS_ACC_WORDS];
    int32_t n_free;
    uint32_t special;
} exblas_acc;

/* a = 0. */
EXBLAS_API void exblas_acc_init(exblas_acc *a);

/* a += x, a -= x, a += x y, a -= x y. About 10 ns. */
EXBLAS_API void exblas_acc_add(exblas_acc *a, double x);
EXBLAS_API void exblas_acc_sub(exblas_acc *a, double x);
EXBLAS_API void exblas_acc_add_product(exblas_acc *a, double x, double y);
EXBLAS_API void exblas_acc_sub_product(exblas_acc *a, double x, double y);

/* a += x from any number of threads at once, without locks: each word changes by
 * compare-and-swap. Read the accumulator, or use another function on it, when all of them are
 * done and their writes are visible (after joining them, say). */
EXBLAS_API void exblas_acc_add_atomic(exblas_acc *a, double x);

/* a += sum of x, of |x|, of x y over n elements; increments as in BLAS (a negative one walks
 * backwards from the far end). n <= 0 does nothing. Up to 1 ns an element; long
 * vectors use threads. */
EXBLAS_API void exblas_acc_add_vector(exblas_acc *a, int64_t n, const double *x, int64_t incx);
EXBLAS_API void exblas_acc_add_magnitudes(exblas_acc *a, int64_t n, const double *x, int64_t incx);
EXBLAS_API void exblas_acc_add_dot(exblas_acc *a, int64_t n, const double *x, int64_t incx,
                                   const double *y, int64_t incy);
EXBLAS_API void exblas_acc_add_vector_f(exblas_acc *a, int64_t n, const float *x, int64_t incx);
EXBLAS_API void exblas_acc_add_magnitudes_f(exblas_acc *a, int64_t n, const float *x, int64_t incx);
EXBLAS_API void exblas_acc_add_dot_f(exblas_acc *a, int64_t n, const float *x, int64_t incx,
                                     const float *y, int64_t incy);

/* a += b; a and b may be the same. a = -a. */
EXBLAS_API void exblas_acc_merge(exblas_acc *a, const exblas_acc *b);
EXBLAS_API void exblas_acc_negate(exblas_acc *a);

/* a = a f exactly. ERANGE if the product is not a multiple of 2^-2148 or not below
 * 2^2139 in magnitude; a is unchanged then. In the extended reals: Inf * 0 is NaN. */
EXBLAS_API exblas_status exblas_acc_scale(exblas_acc *a, double f);

/* Moves the carries that additions leave behind: the same value in a unique form, so that
 * finite sums are equal exactly if their words are. Never needed before another call. */
EXBLAS_API void exblas_acc_normalize(exblas_acc *a);

/* RN(a), to nearest, ties to even, once; an exact zero is +0, NaN the canonical quiet one. */
EXBLAS_API double exblas_acc_to_double(const exblas_acc *a);
EXBLAS_API float exblas_acc_to_float(const exblas_acc *a);

/* RN(sqrt(a)), the end of a norm; NaN for a negative a. */
EXBLAS_API double exblas_acc_root_to_double(const exblas_acc *a);
EXBLAS_API float exblas_acc_root_to_float(const exblas_acc *a);

/* RN(alpha a + beta y), the end of an element of gemv; beta = 0 leaves y out. */
EXBLAS_API double exblas_acc_affine_to_double(const exblas_acc *a, double alpha, double beta,
                                              double y);
EXBLAS_API float exblas_acc_affine_to_float(const exblas_acc *a, float alpha, float beta, float y);

/* A format by the bits of its significand; a number in it is returned as the double that equals
 * it. half is IEEE 754 binary16. Another value counts as EXBLAS_DOUBLE. */
enum { EXBLAS_HALF = 11, EXBLAS_SINGLE = 24, EXBLAS_DOUBLE = 53 };

/* RN(a), RN(sqrt(a)), RN(a / d) in a format, in the extended reals: a / 0 is Inf with the sign of
 * a times that of d, 0 / 0 and Inf / Inf are NaN; an exact zero is +0. */
EXBLAS_API double exblas_acc_to_format(const exblas_acc *a, int format);
EXBLAS_API double exblas_acc_root_to_format(const exblas_acc *a, int format);
EXBLAS_API double exblas_acc_quotient_to_format(const exblas_acc *a, double d, int format);

/* A second moment about the means of n pairs, times n:
 *
 *   M = n xy - x_0 y_0 - ... - x_{n_pairs - 1} y_{n_pairs - 1}
 *
 * for xy the sum of products and x_i, y_i the sums of what was multiplied: one pair for reals, two
 * for a part of complex numbers. 1 <= n_pairs <= 2, 0 <= n. The sums are those of fewer than 2^53
 * doubles. */
typedef struct exblas_moment {
    int64_t n;
    int n_pairs;
    const exblas_acc *xy, *x[2], *y[2];
} exblas_moment;

/* RN(M / (n d)), a covariance: d = n of a population, n - 1 of a sample; and its root, a standard
 * deviation (0 for a negative M). NaN if a sum is not finite, or n = 0; d <= 0 counts as 0: Inf
 * with the sign of M, NaN for M = 0. About 2 us. */
EXBLAS_API double exblas_moment_to_format(const exblas_moment *m, int64_t d, int format);
EXBLAS_API double exblas_moment_root_to_format(const exblas_moment *m, int64_t d, int format);

/* RN(M_xy / sqrt(M_xx M_yy)), a correlation; NaN if the divisor is 0 or a sum not finite. */
EXBLAS_API double exblas_moment_ratio_to_format(const exblas_moment *xy, const exblas_moment *xx,
                                                const exblas_moment *yy, int format);

/* -1, 0, 1; 2 for NaN. */
EXBLAS_API int exblas_acc_sign(const exblas_acc *a);

/* -1, 0, 1 as a < b, a = b, a > b; 2 if one is NaN. */
EXBLAS_API int exblas_acc_compare(const exblas_acc *a, const exblas_acc *b);

/* Canonical bytes: equal sums give equal bytes, on machines of either endianness, in all
 * versions that write format version 1. All integers are little-endian:
 *
 *   byte 0    "ExAc"
 *   byte 4    format version, 1
 *   byte 5    kind: 0 finite, 1 +Inf, 2 -Inf, 3 NaN
 *   byte 6    16 bits, 0
 *   byte 8    32 bits: CRC-32 (ISO 3309, as zlib's) of the payload, exclusive-or kind
 *   byte 12   32 bits: length of the payload, 536
 *   byte 16   payload: the sum in units of 2^-2148 as a 4288-bit two's complement number;
 *             0 unless finite */
EXBLAS_API void exblas_acc_export(const exblas_acc *a, unsigned char bytes[EXBLAS_ACC_BYTES]);

/* a = what was exported. EFORMAT if n_bytes is not EXBLAS_ACC_BYTES or the bytes are damaged,
 * foreign or of another version; a is unchanged then. */
EXBLAS_API exblas_status exblas_acc_import(exblas_acc *a, const unsigned char *bytes,
                                           size_t n_bytes);

EXBLAS_END_C

#endif
