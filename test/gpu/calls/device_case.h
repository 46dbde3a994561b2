/* Random calls of all routines that devices have, in all types, and their operands. */
#pragma once

#include "test_random.h"

#include <exblas/types.h>

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
    SCATTER,
    N_ROUTINES
} routine;

/* HARD: sums, and sums of products, that are hard to round; otherwise as MODERATE. INTEGERS: sums
 * that tie and cancel; WIDE: of all exponents, so that sums overflow, underflow, and are decided by
 * accumulators alone; TINY: zeros, and numbers whose products lose bits; SPECIAL: integers, few of
 * them not finite; EQUAL: powers of two, among which quotients are exact, and signs. */
enum { HARD, INTEGERS, MODERATE, WIDE, TINY, SPECIAL, EQUAL, N_KINDS };

/* Of the type 's', 'd', 'c' or 'z'. ld serves every matrix; operands begin `offset` elements behind
 * the start of their memory. method: NULL for the process's. */
typedef struct {
    char type;
    routine routine;
    const char *method;
    int kind, layout, side, uplo, transa, transb, diag, m, n, k, ld, incx, incy, offset;
    bool wide; /* indices of 64 bits */
    double alpha[2], beta[2];
} device_case;

/* m, n and k are 0 ... most; increments are 0 where routines permit it. The method is any one, or
 * what EXBLAS_METHOD says. */
device_case device_case_draw(test_random *r, routine which, int most);

/* Another size. */
void device_case_resize(device_case *c, int m, int n, int k);

/* Sets parameters, so that groups have that size and, unless groups_alone, slices, blocks and
 * panels are small. */
exblas_status device_case_set(int group, bool groups_alone,
                              exblas_status (*set)(const char *routine, const char *name,
                                                   int value));

/* How many it adds up. */
double device_case_products(const device_case *c);

/* "dgemm", "scnrm2". */
void device_case_name(const device_case *c, char name[24]);

static inline int case_parts(const device_case *c)
{
    return c->type == 'c' || c->type == 'z' ? 2 : 1;
}

static inline number_format case_format(const device_case *c)
{
    return c->type == 's' || c->type == 'c' ? FORMAT_S : FORMAT_D;
}

static inline size_t case_element(const device_case *c)
{
    return number_size(case_format(c)) * (size_t)case_parts(c);
}

/* Where an operand begins. */
static inline char *case_place(const device_case *c, char *x)
{
    return x + (size_t)c->offset * case_element(c);
}

/* Of the operands a, b and what is written: the bytes up to their last element, of the output some
 * elements more; their numbers, and n indices. */
enum { CASE_GUARDS = 3 };
void device_case_sizes(const device_case *c, size_t bytes[3]);
void device_case_fill(test_random *r, const device_case *c, const size_t bytes[3], char *x[3],
                      int32_t *index);
