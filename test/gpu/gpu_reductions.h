/* A reduction as mathematics, run on the device and on the CPU. */
#ifndef GPU_REDUCTIONS_H
#define GPU_REDUCTIONS_H

#include "gpu_testing.h"

typedef enum { RED_SUM, RED_ASUM, RED_NRM2, RED_DOT, N_REDUCTIONS } reduction_op;

typedef struct {
    reduction_op op;
    char type; /* 's' or 'd' */
    int64_t n;
    const double *x, *y; /* y of dot only */
} reduction;

/* How it is run. queue: 0 in order, 1 out of order, PLACE_HOST: the form for host memory. */
enum { PLACE_HOST = 9 };
typedef struct {
    const char *method;
    int group;
    int64_t incx, incy; /* 0: the first element counts n times */
    int queue;
} reduction_place;

const char *reduction_name(reduction_op op); /* "dot" */

/* True if the device gives these bits; otherwise says what it gives. With an increment of 0, or an
 * asum whose increment is not positive, the CPU's answer to the same call counts instead. */
bool reduction_gives(const reduction *r, const reduction_place *p, double wanted,
                     const char *label);

double reduction_on_cpu(const reduction *r);
double reduction_on_device(const reduction *r, const reduction_place *p);

#endif
