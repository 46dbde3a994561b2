/* Random calls of complex routines, for devices of all kinds: options, sizes, scalars, and what
 * their numbers are like. */
#ifndef COMPLEX_CALLS_H
#define COMPLEX_CALLS_H

#include "test_random.h"

#include <stddef.h>

typedef enum {
    SUM,
    ASUM,
    NRM2,
    DOTU,
    DOTC,
    GEMV,
    GEMM,
    BATCH,
    SYMM,
    HEMM,
    SYRK,
    HERK,
    TRSV,
    TRSM,
    TRMM,
    N_ROUTINES
} routine;

extern const char *const routine_names[N_ROUTINES];

/* Of the type 'c' or 'z'. ld serves every matrix; operands may begin `offset` elements behind the
 * start of their memory. */
typedef struct {
    char type;
    routine routine;
    const char *method;
    int kind, layout, side, uplo, transa, transb, diag, m, n, k, ld, incx, incy, offset;
    double alpha[2], beta[2];
} complex_call;

/* INTEGERS: sums that tie and cancel; WIDE: of all exponents, so that sums overflow, underflow, and
 * are decided by accumulators alone; SPECIAL: integers, few of them not finite; EQUAL: powers of
 * two, among which quotients are exact, and signs. */
enum { INTEGERS, MODERATE, WIDE, SPECIAL, EQUAL, N_KINDS };

/* A number of a kind, in WIDE of magnitudes up to 2^most_exp2. */
double complex_call_number(test_random *r, int kind, int most_exp2);

/* m, n and k are 0 ... most, ld at least that and at most two more; increments are 0 where routines
 * permit it. The method is one of these. */
complex_call complex_call_draw(test_random *r, routine which, int most, size_t n_methods,
                               const char *const *methods);

#endif
