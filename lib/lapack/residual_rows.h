/* How far R S is from the identity: for each row the sum of |(R S - I)_ij|. */
#ifndef EXB_RESIDUAL_ROWS_H
#define EXB_RESIDUAL_ROWS_H

#include "core/arith/compiler.h"

/* Sums that are at least those, but for roundings of relative size n 2^-52 and 2^-750. r, s: n rows
 * of n finite doubles. False without memory.
 *
 * The elements cancel, so that none of them is rounded correctly: with as many moduli as leave
 * about EXB_RESIDUAL_LOST of a sum open the residue engine encloses them, and its bounds are added.
 * Where it does not pay, or leaves more open, this library's gemm rounds each of them once. */
bool exb_residual_rows(int64_t n, const double *r, const double *s, double *sums);

#define EXB_RESIDUAL_LOST 0.05

#endif
