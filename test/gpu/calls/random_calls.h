/* Random calls of all routines that devices have, in all types: on a device and on the processor,
 * with the same operands, they give the same bits. */
#pragma once

#include "gpu/calls/device_call.h"
#include "test_random.h"

typedef enum {
    SUM,
    ASUM,
    NRM2,
    DOT,
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

/* INTEGERS: sums that tie and cancel; WIDE: of all exponents, so that sums overflow, underflow, and
 * are decided by accumulators alone; TINY: zeros, and numbers whose products lose bits; SPECIAL:
 * integers, few of them not finite; EQUAL: powers of two, among which quotients are exact, and
 * signs. */
enum { INTEGERS, MODERATE, WIDE, TINY, SPECIAL, EQUAL, N_KINDS };

/* Of the type 's', 'd', 'c' or 'z'. ld serves every matrix; operands may begin `offset` elements
 * behind the start of their memory. */
typedef struct {
    char type;
    routine routine;
    const char *method;
    int kind, layout, side, uplo, transa, transb, diag, m, n, k, ld, incx, incy, offset;
    double alpha[2], beta[2];
} random_call;

/* m, n and k are 0 ... most, ld at least that and at most two more; increments are 0 where routines
 * permit it. The method is one of these. */
random_call random_call_draw(test_random *r, routine which, int most, size_t n_methods,
                             const char *const *methods);

/* A device's memory, and calls there. run_host, unless NULL, is of the host's memory. */
typedef struct {
    void *(*upload)(size_t bytes, const void *data);
    void (*download)(void *from, size_t bytes, void *to);
    void (*release)(void *);
    exblas_status (*run)(const device_call *c);
    exblas_status (*run_host)(const device_call *c);
    const char *(*last_error)(void);
} random_device;

/* Fails the test unless all of the output has the processor's bits, gaps included. */
void random_call_check(test_random *r, const random_call *c, const random_device *d);
