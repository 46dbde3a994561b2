/* Cells: exact sums that are small, one for each group of a table, say.
 *
 *   exblas_cell c = {0};                        an empty sum
 *   exblas_cell_wide room = {0};
 *   while (exblas_cell_add(&c, x) == EXBLAS_ENOMEM)
 *       exblas_cell_widen(&c, &room);           seldom; malloc would do
 *   double r = exblas_cell_to_double(&c);       RN(the exact sum)
 *
 * A cell holds a sum of doubles and of products of two doubles exactly, as three doubles: all that
 * most data need. A term whose bits they cannot hold goes to a long accumulator, and so do Inf and
 * NaN, which are counted. The memory for that is the caller's: functions return EXBLAS_ENOMEM,
 * having changed nothing, and exblas_cell_widen gives the cell its one exblas_cell_wide. A cell
 * thus takes sizeof(exblas_cell) bytes, at most sizeof(exblas_cell_wide) more, and never again
 * more. The library allocates nothing.
 *
 * The order of additions, how terms are split over cells, the order in which cells are combined,
 * and what was added and subtracted again never show in results nor in exported bytes. Even Inf
 * and NaN can be subtracted: windows may move over them.
 *
 * All bytes zero is an empty cell. Members are the library's business. A cell may be
 * moved, not copied: two cells must not share one wide part. Two threads may not use one cell at
 * the same time. Results do not depend on the caller's floating-point environment, which is left
 * as it was. Pointers must not be NULL unless it says so.
 *
 * A sum has fewer than 2^62 terms; no function tests it.
 *
 * Sources: Shewchuk, "Adaptive precision floating-point arithmetic" (1997), for the doubles;
 * exblas/accumulator.h for the rest. */
#ifndef EXBLAS_CELL_H
#define EXBLAS_CELL_H

#include "exblas/accumulator.h"

EXBLAS_BEGIN_C

enum { EXBLAS_CELL_BYTES = 592 /* at most, of an exported cell */ };

/* What a cell needs for hard data. All bytes zero is its start. */
typedef struct exblas_cell_wide {
    exblas_acc acc;
    int64_t n, n_pos_inf, n_neg_inf, n_nan;
} exblas_cell_wide;

typedef struct exblas_cell {
    double term[3];
    int64_t n_or_wide; /* twice the number of terms, or 1 + the address of the wide part */
} exblas_cell;

/* Gives the cell its wide part, whose contents are overwritten. The memory stays the caller's, to
 * be freed with the cell. Does nothing if the cell has one. */
EXBLAS_API void exblas_cell_widen(exblas_cell *c, exblas_cell_wide *room);

/* The cell's wide part, NULL if it has none. */
EXBLAS_API exblas_cell_wide *exblas_cell_wide_part(const exblas_cell *c);

/* How many terms were added, less those subtracted. */
EXBLAS_API int64_t exblas_cell_count(const exblas_cell *c);

/* c = 0, which keeps its wide part. */
EXBLAS_API void exblas_cell_clear(exblas_cell *c);

/* c += x, c -= x, c += x y, c -= x y. ENOMEM: see above. About 3 ns. */
EXBLAS_API exblas_status exblas_cell_add(exblas_cell *c, double x);
EXBLAS_API exblas_status exblas_cell_sub(exblas_cell *c, double x);
EXBLAS_API exblas_status exblas_cell_add_product(exblas_cell *c, double x, double y);
EXBLAS_API exblas_status exblas_cell_sub_product(exblas_cell *c, double x, double y);

/* c += x_0 + ... + x_(n-1); c += x_0 y_0 + .... Return how many terms were added: if less than n,
 * the cell must be widened, and the call repeated with the rest. A batch of some hundred numbers
 * takes 1 ns a number. */
EXBLAS_API int64_t exblas_cell_add_vector(exblas_cell *c, int64_t n, const double *x);
EXBLAS_API int64_t exblas_cell_add_dot(exblas_cell *c, int64_t n, const double *x, const double *y);

/* cell_i += x_i, cell_i += x_i y_i, i = 0 ... n - 1; cells may be the same. state has n elements:
 * cell_i is `offset` bytes behind the address state_i. Return how many terms were added, as above:
 * if less than n, the cell of the next one must be widened. */
EXBLAS_API int64_t exblas_cell_add_each(int64_t n, void *const *state, size_t offset,
                                        const double *x);
EXBLAS_API int64_t exblas_cell_add_each_product(int64_t n, void *const *state, size_t offset,
                                                const double *x, const double *y);

/* a += b, a -= b; a and b may be the same. ENOMEM: a must be widened; nothing was changed. */
EXBLAS_API exblas_status exblas_cell_combine(exblas_cell *a, const exblas_cell *b);
EXBLAS_API exblas_status exblas_cell_subtract(exblas_cell *a, const exblas_cell *b);

/* a_i += b_i, i = 0 ... n - 1, the cells `offset` bytes behind the addresses. Returns how many were
 * combined: if less than n, the next a_i must be widened. */
EXBLAS_API int64_t exblas_cell_combine_each(int64_t n, void *const *a, void *const *b,
                                            size_t offset);

/* RN(c), to nearest, ties to even, once; an exact zero is +0, NaN the canonical quiet one. A NaN,
 * Inf * 0, or +Inf and -Inf together make the sum NaN, otherwise Inf wins. */
EXBLAS_API double exblas_cell_to_double(const exblas_cell *c);

/* Is the sum finite, before it is rounded? */
EXBLAS_API int exblas_cell_is_finite(const exblas_cell *c);

/* a += c. */
EXBLAS_API void exblas_cell_add_to(const exblas_cell *c, exblas_acc *a);

/* Statistics from sums over n pairs (x, y): the exact value of the formula, rounded once. Sx is
 * the sum of x, Sxy that of x y, and so on; all cells must have the same n, counted by the first.
 *
 *   M(a, b) = n Sab - Sa Sb
 *
 *   mean            Sx / n
 *   covariance      M(x, y) / (n d)            d = n: of a population; n - 1: of a sample;
 *                                              1: the sum of products of deviations
 *   deviation       sqrt(M(x, x) / (n d))
 *   slope           M(x, y) / M(x, x)
 *   intercept       (Sy Sxx - Sx Sxy) / M(x, x)
 *   correlation     M(x, y) / sqrt(M(x, x) M(y, y))
 *   determination   M(x, y)^2 / (M(x, x) M(y, y)), the correlation's square
 *
 * A variance is the covariance of x with itself. Return EXBLAS_EINVAL, with *r = NaN, if n or d is
 * less than 1 or the denominator 0, and where no doubles have such moments of correlations; NaN and
 * OK if a sum is not finite. A negative M(x, x), which no numbers have, counts as 0. About 1 us. */
EXBLAS_API exblas_status exblas_cell_mean(const exblas_cell *sx, double *r);
EXBLAS_API exblas_status exblas_cell_covariance(const exblas_cell *sx, const exblas_cell *sy,
                                                const exblas_cell *sxy, int64_t d, double *r);
EXBLAS_API exblas_status exblas_cell_deviation(const exblas_cell *sx, const exblas_cell *sxx,
                                               int64_t d, double *r);
EXBLAS_API exblas_status exblas_cell_slope(const exblas_cell *sx, const exblas_cell *sy,
                                           const exblas_cell *sxx, const exblas_cell *sxy,
                                           double *r);
EXBLAS_API exblas_status exblas_cell_intercept(const exblas_cell *sx, const exblas_cell *sy,
                                               const exblas_cell *sxx, const exblas_cell *sxy,
                                               double *r);
EXBLAS_API exblas_status exblas_cell_correlation(const exblas_cell *sx, const exblas_cell *sy,
                                                 const exblas_cell *sxx, const exblas_cell *syy,
                                                 const exblas_cell *sxy, double *r);
EXBLAS_API exblas_status exblas_cell_determination(const exblas_cell *sx, const exblas_cell *sy,
                                                   const exblas_cell *sxx, const exblas_cell *syy,
                                                   const exblas_cell *sxy, double *r);

/* Canonical bytes: equal sums of equally many terms give equal bytes, on machines of either
 * endianness. Returns their number, 24 to EXBLAS_CELL_BYTES. All integers are little-endian:
 *
 *   byte 0    "ExCe"
 *   byte 4    format version, 1
 *   byte 5    1 if the counts of Inf and NaN are there, because one is not 0; else 0
 *   byte 6    16 bits: bytes of the number
 *   byte 8    32 bits: CRC-32 (ISO 3309, as zlib's) of bytes 4 to 7 and 12 to the end
 *   byte 12   16 bits: k, place of the number
 *   byte 14   16 bits, 0
 *   byte 16   64 bits: n
 *             64 bits each, if they are there: terms +Inf, -Inf, NaN
 *             the number, two's complement, in units of 2^(8 k - 2148), of the fewest bytes: its
 *             first byte is not 0, and its last one is needed for the sign; 0 has no bytes */
EXBLAS_API size_t exblas_cell_export(const exblas_cell *c, unsigned char bytes[EXBLAS_CELL_BYTES]);

/* c = what was exported. EFORMAT if the bytes are damaged, foreign or of another version; ENOMEM
 * if c must be widened first. c is unchanged then. */
EXBLAS_API exblas_status exblas_cell_import(exblas_cell *c, const unsigned char *bytes,
                                            size_t n_bytes);

EXBLAS_END_C

#endif
