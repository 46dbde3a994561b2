/* Plain vectorised loops (x86-64). */
#ifndef EXB_PERF_PLAIN_H
#define EXB_PERF_PLAIN_H

#include <stdint.h>

double plain_sum_avx2(int64_t n, const double *x);
double plain_sum_avx512(int64_t n, const double *x);
double plain_asum_avx2(int64_t n, const double *x);
double plain_asum_avx512(int64_t n, const double *x);
double plain_sumsq_avx2(int64_t n, const double *x);
double plain_sumsq_avx512(int64_t n, const double *x);

#endif
