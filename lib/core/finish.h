/* The finish of every linear routine: RN(alpha * sum + beta * c), one rounding. */
#ifndef EXB_FINISH_H
#define EXB_FINISH_H

#include "core/type.h"

/* From an enclosure of the sum; false if it does not decide the rounding. */
EXB_INLINE bool exb_t(finish)(double alpha, exb_enclosure sum, double beta, double c, exb_real *r)
{
    return exb_round_enclosure(exb_enclosure_affine(alpha, sum, beta, c), r);
}

/* From the exact sum in a PRODUCT window. beta = 0: c counts as 0. */
EXB_INLINE exb_real exb_t(finish_exact)(double alpha, exb_superacc *sum, double beta, double c)
{
    if (alpha == 1 && beta == 0)
        return exb_round_superacc(sum);
    exb_finish_acc storage;
    exb_superacc *total = exb_finish_acc_init(&storage);
    exb_superacc_add_scaled(total, alpha, sum);
    if (beta != 0)
        exb_superacc_add_product(total, beta, c);
    return exb_round_superacc(total);
}

#endif
