/* Sums and dot products to compare with, written from the papers; none is exact. Preconditions: n <
 * 2^30, finite numbers, no overflow on the way; binned sums also need |x| < 2^959.
 *
 * - pairwise: halves down to 128 terms
 * - neumaier: a compensation beside the sum, in lanes: W. Kahan; I. Babuska; A. Neumaier,
 *   "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974)
 * - two_pass: the maximum, then two slices of each term that add without error: the same bits for
 * any order. J. Demmel, H. D. Nguyen, "Fast reproducible floating-point summation", ARITH 2013
 * - binned: slices at fixed exponents, the highest 2 or 3 that the data reach, in one sweep: the
 * same bits for any order and split. J. Demmel, H. D. Nguyen, "Parallel reproducible summation",
 * IEEE TC 64 (2015)
 * - dot2: as if in twice the precision. T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot
 *   product", SISC 26 (2005) */
#pragma once

#include <stdint.h>

typedef struct {
    double (*sum)(int64_t n, const double *x);
    double (*asum)(int64_t n, const double *x);
    double (*sumsq)(int64_t n, const double *x);
    double (*dot)(int64_t n, const double *x, const double *y);
    double (*peak)(int64_t n); /* n multiply-adds in registers, as fast as they can be issued */
} plain_loops;

typedef struct {
    double (*pairwise)(int64_t n, const double *x);
    double (*neumaier)(int64_t n, const double *x);
    double (*two_pass)(int64_t n, const double *x);
    double (*binned2)(int64_t n, const double *x);
    double (*binned3)(int64_t n, const double *x);
    double (*dot2)(int64_t n, const double *x, const double *y);
} comparators;

extern const plain_loops plain_generic, plain_avx2, plain_avx512;
extern const comparators comparators_generic, comparators_avx2, comparators_avx512;

/* Of the vectors that our instruction set has: 0 two doubles, 1 four, 2 eight. */
int comparators_width(void);

/* The fastest with such vectors. */
const comparators *comparators_best(void);
const plain_loops *plain_best(void);
