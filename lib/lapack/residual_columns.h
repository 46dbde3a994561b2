/* How far a matrix times an upper triangle is from a lower one: W = B A - C, for each column the
 * sum of |W_ji| over the rows j. Row i of B is column order[i] of S.
 *
 * Residues. Elements of S are rounded to multiples of u = 2^-n_bits; s' is what that loses in
 * column i of S, in sum. Columns of A are rounded to multiples of powers of two, their units, for
 * good: they stay so, and W is that of the rounded A. So B A is a matrix of integers times u unit_i
 * in column i, but for t, |t| <= s' max_k |A_ki| in a row. Of these integers only what they are
 * modulo P is computed, that is x = W - t - q range_i with some integer q, range_i = P u unit_i. If
 * |W| <= 0.49 range_i then, in any case,
 *
 *   |W| <= |x| + |t|,   for q = 0 because W = x + t,   else |x| + |t| >= range_i - |W| > |W|.
 *
 * Of all q the one is taken that makes |x| least, which is 0 where |W| and |t| are small. `known`
 * bounds |W|; rounding A adds at most n unit_i to that, because elements of S are below 2. So the
 * unit of a column is the least power of two with
 *
 *   known_i + n unit_i <= 0.49 P u unit_i,
 *
 * but large enough that integers fit their digits, which are more than those of doubles.
 *
 * What that does to W. A column of A is off by at most unit / 2 each, in the mean sqrt(n / 12) unit
 * in the 2-norm, and elements of S by about 1/3; so a sum of n elements of W grows by n sqrt(n /
 * 12) unit / 3, about 0.2 n^(3/2) known / (P u). P is chosen so that this is at most `room` times
 * known: that decides on speed and success alone.
 *
 * The product modulo P, as a double h, less C, less q range, errs by at most 2^-51 (range + 1):
 * 2^-54 range for h, 2^-53 (range / 2 + 1) for the first difference, and with q range <= 1.02 range
 * + 1 twice 2^-53 of that for the rounded P and the product, and 2^-54 range for the last
 * difference. known is taken for at least 2^-31, so that q stays far below 2^51. */
#ifndef EXB_RESIDUAL_COLUMNS_H
#define EXB_RESIDUAL_COLUMNS_H

#include "core/arith/compiler.h"

typedef struct {
    int64_t n, first;
    const double *s;      /* n rows of n doubles, below 2 */
    const int64_t *order; /* n, a permutation */
    double *a;            /* n rows of n, those below the diagonal 0 */
    const double *c;      /* n rows of n: below the diagonal C, at most 1 or two roundings
                             more, whose diagonal is 1 */
    double *known;        /* n: bounds on |W_ji| for all j, or INFINITY */
} exb_residual_problem;

/* How closely: bits of S behind the point, 88 at most, and by what part of `known` sums may grow.
 */
typedef struct {
    int n_bits;
    double room;
} exb_residual_room;

/* Sums of the columns from `first` on that are at least those, but for roundings of relative size n
 * 2^-52 and 2^-750. Columns of A may be rounded, by less than 2^-20 / n of their largest element or
 * of 1 an element; `known` is of the rounded ones then. False where residues do not pay, or nothing
 * is known of W, and without memory. */
bool exb_residual_columns(const exb_residual_problem *p, exb_residual_room room, double *sums);

#endif
