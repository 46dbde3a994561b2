/* ExBLAS: correctly rounded, reproducible basic linear algebra.
 *
 * This header: version, settings, errors; it includes the CBLAS-style interface
 * (exblas/cblas.h) and accumulators (exblas/accumulator.h). The Fortran names are in
 * exblas/fortran.h.
 *
 * Every function here may be called from any thread at any time. */
#ifndef EXBLAS_EXBLAS_H
#define EXBLAS_EXBLAS_H

#include "exblas/accumulator.h"
#include "exblas/cblas.h"
#include "exblas/types.h"
#include "exblas/version.h"

#include <stddef.h>

EXBLAS_BEGIN_C

/* Version of the library that is running, "major.minor.patch". */
EXBLAS_API const char *exblas_version(void);

/* A fact about the running library: "version", "isa" (kernels in use), "isas"
 * (kernels in the build), "threads", "method", "compiler". NULL for another key.
 * The text of "threads" is valid until the thread's next call. */
EXBLAS_API const char *exblas_info(const char *key);

/* How sums are computed. All methods give the same bits; they are there to be
 * compared with each other:
 *   auto                     the fastest: a certified filter, then exactly (default)
 *   superacc                 every term into a long accumulator
 *   fpe2 ... fpe8            expansions of that many terms, then the accumulator
 *   fpe4ee fpe6ee fpe8ee     the same with early exit
 *   filter anchor residue general   by name, as far as a routine has them, else auto
 * NULL means auto. EINVAL for another name; the method stays. Process-wide.
 * Environment: EXBLAS_METHOD. */
EXBLAS_API exblas_status exblas_set_method(const char *name);
EXBLAS_API const char *exblas_get_method(void);

/* Most threads that a call may use; n < 1: as in the environment
 * (EXBLAS_NUM_THREADS, else OMP_NUM_THREADS, else the CPUs the process may run
 * on). Process-wide. Results do not depend on it. Calls made inside an OpenMP
 * parallel region use one. */
EXBLAS_API void exblas_set_num_threads(int n);
EXBLAS_API int exblas_get_num_threads(void);

/* Most bytes of working memory that a call may use for each of its threads; 0: the default, 256
 * MiB. Results do not depend on it; long calls may be slower with less. What is kept between calls
 * is freed. Environment: EXBLAS_WORKSPACE = 256M. */
EXBLAS_API exblas_status exblas_set_workspace(size_t bytes_per_thread);

/* Called when a BLAS-named routine finds an illegal argument, before it has
 * written anything: with BLAS's name of the routine ("DGEMM" for exdgemm_,
 * "cblas_dgemm" for excblas_dgemm) and the argument's number in the call that
 * was made, from 1. The routine returns when the handler returns (a function
 * value is 0). The default prints one line on stderr. NULL restores the default;
 * returns the previous handler. */
typedef void exblas_xerbla_fn(const char *routine, int info);
EXBLAS_API exblas_xerbla_fn *exblas_set_xerbla(exblas_xerbla_fn *handler);

/* What calls did, while statistics are on: number of calls, elements of the result (of C, of A or
 * y; of x where the result is a number) and seconds of the call; of Level 3 also
 * elements that the first engine did not certify, and seconds, added up over its threads, in
 * converting or packing the operands, in products, in putting residues together, in rounding and
 * certifying, and in computing those elements by other means. engine, of the latest call, is what
 * computed it first: "residue" with n_moduli, "anchor" (chains of fused multiply-adds) or "general"
 * (compensated sums or, for methods without a filter, long accumulators), which methods of these
 * names choose; "small" (blocks of a small product) or "filter" (few elements with many terms, each
 * a filtered dot). */
typedef struct {
    uint64_t calls, elements, fallbacks;
    double seconds, convert, product, reconstruct, certify, fallback;
    int n_moduli;
    char engine[16];
} exblas_stats;

/* Off by default. Switching on forgets what was counted before. Process-wide. */
EXBLAS_API void exblas_stats_enable(int on);

/* Of the call that ended last, and the totals of one routine ("dgemm"). EINVAL if there was none.
 */
EXBLAS_API exblas_status exblas_stats_last(exblas_stats *out);
EXBLAS_API exblas_status exblas_stats_total(const char *routine, exblas_stats *out);

EXBLAS_END_C

#endif
