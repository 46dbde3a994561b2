/* Sums of other libraries, where they are installed when the benchmarks are built. */
#ifndef EXB_PERF_RIVALS_H
#define EXB_PERF_RIVALS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const bool rivals_have_mpfr, rivals_have_tbb;

/* Keeps x as MPFR's numbers, then adds the first n of them with mpfr_sum. Not to be called where
 * there is no MPFR; without memory the sum is NaN. */
void rivals_mpfr_set(int64_t n, const double *x);
double rivals_mpfr(int64_t n);
void rivals_mpfr_free(void);

/* tbb::parallel_deterministic_reduce with pieces of 1024 terms; not where there is no TBB. */
double rivals_tbb(int64_t n, const double *x);

#ifdef __cplusplus
}
#endif

#endif
