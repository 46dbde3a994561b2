#include "gpu/complex_calls.h"

#include <exblas/cblas.h>
#include <math.h>

const char *const routine_names[N_ROUTINES] = {
    "sum",  "asum", "nrm2", "dotu", "dotc", "gemv", "gemm", "gemm_batch_strided",
    "symm", "hemm", "syrk", "herk", "trsv", "trsm", "trmm"};

double complex_call_number(test_random *r, int kind, int most_exp2)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0};
    double sign = random_between(r, 0, 1) ? 1 : -1;
    double mantissa = 1 + (double)random_between(r, 0, (1 << 23) - 1) * 0x1p-23;
    switch (kind) {
    case INTEGERS:
        return (double)random_between(r, -9, 9);
    case MODERATE:
        return sign * ldexp(mantissa, (int)random_between(r, -3, 3));
    case WIDE:
        return sign * ldexp(mantissa, (int)random_between(r, -most_exp2, most_exp2));
    case SPECIAL:
        return random_between(r, 0, 15) ? (double)random_between(r, -3, 3)
                                        : specials[random_between(r, 0, 4)];
    default:
        return sign * ldexp(1, (int)random_between(r, -1, 1));
    }
}

static int either(test_random *r, int a, int b)
{
    return random_between(r, 0, 1) ? a : b;
}

/* Scalars 0 and 1, real ones, and others. */
static void draw_scalar(test_random *r, double to[2])
{
    static const double values[] = {0, 1, -1.5, 0.75};
    to[0] = values[random_between(r, 0, 3)];
    to[1] = random_between(r, 0, 1) ? 0 : values[random_between(r, 0, 3)];
}

complex_call complex_call_draw(test_random *r, routine which, int most, size_t n_methods,
                               const char *const *methods)
{
    static const int transposes[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS};
    complex_call c = {.routine = which,
                      .type = (char)either(r, 'c', 'z'),
                      .method = methods[random_between(r, 0, (int64_t)n_methods - 1)],
                      .kind = (int)random_between(r, 0, N_KINDS - 1),
                      .layout = either(r, EXBLAS_ROW_MAJOR, EXBLAS_COL_MAJOR),
                      .side = either(r, EXBLAS_LEFT, EXBLAS_RIGHT),
                      .uplo = either(r, EXBLAS_UPPER, EXBLAS_LOWER),
                      .transa = transposes[random_between(r, 0, 2)],
                      .transb = transposes[random_between(r, 0, 2)],
                      .diag = either(r, EXBLAS_UNIT, EXBLAS_NON_UNIT),
                      .m = (int)random_between(r, 0, most),
                      .n = (int)random_between(r, 0, most),
                      .k = (int)random_between(r, 0, most),
                      .ld = most + (int)random_between(r, 0, 2),
                      .offset = (int)random_between(r, 0, 4)};
    do {
        c.incx = (int)random_between(r, -3, 3);
        c.incy = (int)random_between(r, -3, 3);
    } while (which > DOTC && (c.incx == 0 || c.incy == 0));
    draw_scalar(r, c.alpha);
    draw_scalar(r, c.beta);
    return c;
}
