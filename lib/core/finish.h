/* The exact finish of every linear routine: one rounding of a short linear combination. */
#ifndef EXB_FINISH_H
#define EXB_FINISH_H

#include "core/type.h"

/* RN(alpha_1 v_1 + ... + beta_1 c_1 + ...), n_sums exact sums in PRODUCT windows and n_values
 * numbers, in the extended reals: a factor 0 counts. */
EXB_INLINE exb_real exb_t(finish_exact)(int n_sums, const double *alpha, exb_superacc *const *v,
                                        int n_values, const double *beta, const double *c)
{
    if (n_sums == 1 && alpha[0] == 1 && n_values == 0)
        return exb_round_superacc(v[0]);
    exb_finish_acc storage;
    exb_superacc *total = exb_finish_acc_init(&storage);
    for (int i = 0; i < n_sums; i++)
        exb_superacc_add_scaled(total, alpha[i], v[i]);
    for (int i = 0; i < n_values; i++)
        exb_superacc_add_product(total, beta[i], c[i]);
    return exb_round_superacc(total);
}

#endif
