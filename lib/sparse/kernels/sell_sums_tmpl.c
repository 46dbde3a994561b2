/* Sums of the rows of slices (sell.h), a lane each: products are split at an anchor (csr_block.h
 * has the bounds), entries that fill a slice are products with 0.
 * Types: s d. */
#include "core/kernel.h"
#include "sparse/kernels/anchored_terms.h"

double exb_ti(sell_sums)(int n, const uint16_t *width, const exb_real *value, const int32_t *column,
                         const exb_real *x, double sigma, double *h, double *l, double *least)
{
    extremes e = no_extremes();
    exb_v anchor = v_set1(sigma);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < EXB_SELL_ROWS; j += EXB_LANES) {
            sums s = {v_zero(), v_zero()};
            for (int64_t k = j; k < EXB_SELL_ROWS * width[i]; k += EXB_SELL_ROWS)
                s = add_term(s, v_load_real(value + k), v_gather_real(x, column + k), anchor, &e);
            v_store(h + EXB_SELL_ROWS * i + j, s.q);
            v_store(l + EXB_SELL_ROWS * i + j, s.r);
        }
        value += EXB_SELL_ROWS * width[i];
        column += EXB_SELL_ROWS * width[i];
    }
    *least = v_least(e.least);
    return v_largest(e.most);
}
