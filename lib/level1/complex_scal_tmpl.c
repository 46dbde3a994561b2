/* scal by a complex number.
 * Types: c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level1/linear.h"

static EXB_NOINLINE void scale_vector(int64_t n, exb_scalar alpha, exb_real *x, int64_t incx)
{
    exb_p(linear) l = {.n = n};
    int ix = exb_t(linear_operand)(&l, x, incx);
    exb_t(linear_output)(&l, ix, x);
    exb_t(linear_scaled)(&l, ix, exb_scalar_value(alpha), ix);
    exb_p(linear_apply)(&l);
}

void exb_entry(scal)(int64_t n, exb_scalar alpha, exb_real *x, int64_t incx)
{
    if (n <= 0 || incx <= 0)
        return;
    EXB_GUARDED(scale_vector(n, alpha, x, incx));
}
