/* How far a matrix times an upper triangle is from a lower one: for each column the sum of |(B A -
 * C)_ji| over the rows j. */
#ifndef EXB_RESIDUAL_COLUMNS_H
#define EXB_RESIDUAL_COLUMNS_H

#include "core/arith/compiler.h"

/* Sums of the columns from `first` on that are at least those, but for roundings of relative size n
 * 2^-52 and 2^-750. b, a: n rows of n finite doubles, those of A below the diagonal 0; c: n rows of
 * n, of which the elements below the diagonal are C's, whose diagonal is 1. known: bounds on these
 * sums, or INFINITY. False without memory.
 *
 * Residues need to tell apart no more than what is known leaves possible, so that the range of
 * moduli is that of B A - C, not of B A. The elements cancel, so that none of them is rounded
 * correctly: with as many moduli as leave about `lost` of a sum open the residue engine encloses
 * them, and its bounds are added. Where it does not pay, or leaves more open, this library's gemm
 * rounds each of them once. */
bool exb_residual_columns(int64_t n, int64_t first, const double *b, const double *a,
                          const double *c, const double *known, double lost, double *sums);

#endif
