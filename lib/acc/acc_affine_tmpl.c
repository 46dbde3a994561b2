/* The finishing accumulator holds |alpha| < 2^1024 times sums below 2^63 2^2048 = 2^2111.
 * Types: c z. */
#include "acc/acc_affine_entry.h"
#include "acc/acc_view.h"

#include "core/fpenv.h"
#include "element/line.h"

static EXB_NOINLINE void affine(const exblas_acc *sum, exb_complex alpha, exb_complex beta,
                                exb_real *y)
{
    exblas_acc copy[EXB_PARTS] = {sum[0], sum[1]};
    exb_superacc view[EXB_PARTS] = {exb_acc_view(&copy[0]), exb_acc_view(&copy[1])};
    exb_superacc *const sums[EXB_PARTS] = {&view[0], &view[1]};
    const exb_line line = exb_t(line)(alpha, beta);
    exb_complex old = {0, 0};
    if (!exb_is_zero(beta))
        old = (exb_complex){y[0], y[1]};
    for (int k = 0; k < EXB_PARTS; k++)
        y[k] = exb_t(line_exactly)(&line, k, sums, old);
}

void exb_entry(affine_sums)(const exblas_acc *sum, exb_scalar alpha, exb_scalar beta, exb_real *y)
{
    EXB_GUARDED(affine(sum, exb_scalar_value(alpha), exb_scalar_value(beta), y));
}
