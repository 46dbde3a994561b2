/* The kernels of axpy and iamax (kernel_slots.h): loops without branches that the compiler turns
 * into vectors.
 * Types: s d. */
#include "core/arith/eft.h"
#include "core/kernel.h"
#include "core/type.h"

/* RN(a x + y). Without FMA the product of floats is exact in double, and the sum
 * rounded to odd is rounded to float once. */
EXB_INLINE exb_real fused(exb_real a, exb_real x, exb_real y)
{
#if EXB_IS_S
    if (EXB_HAVE_FMA)
        return __builtin_fmaf(a, x, y);
    double p = (double)a * x, s = p + y;
    return (float)(__builtin_fabs(s) <= DBL_MAX ? exb_add_to_odd(p, y) : s);
#else
    return exb_fma(a, x, y);
#endif
}

void exb_ti(axpy)(int64_t n, exb_real alpha, const exb_real *x, exb_real *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = exb_canonical(fused(alpha, x[i], y[i]));
}

/* The bits of non-negative numbers are ordered as the numbers, NaN above Inf. */
EXB_INLINE int64_t key(double magnitude)
{
    int64_t b = (int64_t)exb_bits(magnitude);
    return b < EXB_KEY_NAN ? b : EXB_KEY_NAN;
}

int64_t exb_ti(peak)(int n_parts, int64_t n, const exb_real *x)
{
    int64_t most = 0;
    if (n_parts == 1)
        for (int64_t i = 0; i < n; i++) {
            int64_t k = key(__builtin_fabs((double)x[i]));
            most = k > most ? k : most;
        }
    else
        for (int64_t i = 0; i < n; i++) {
            double re = x[2 * i], im = x[2 * i + 1];
            int64_t k = key(__builtin_fabs(re) + __builtin_fabs(im));
            most = k > most ? k : most;
        }
    return most;
}
