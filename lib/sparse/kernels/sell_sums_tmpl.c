/* Sums of the rows of slices (sell.h), a lane each: products are split at an anchor (csr_block.h
 * has the bounds), entries that fill a slice are products with 0.
 * Types: s d. */
#include "core/kernel.h"
#include "sparse/kernels/anchored_terms.h"

/* Rows lane ... lane + EXB_LANES - 1 of a slice; `value` and `column` are at the first entry of row
 * `lane`, `x` at element `lane`. */
EXB_INLINE sums add_slice(bool diagonal, int width, const exb_real *value, const int32_t *column,
                          const exb_real *x, exb_v sigma, extremes *e)
{
    sums s = {v_zero(), v_zero()};
    for (int k = 0; k < width; k++) {
        exb_v a = v_load_real(value + EXB_SELL_ROWS * k);
        exb_v y = diagonal ? v_load_real(x + column[k]) : v_gather_real(x, column);
        s = add_term(s, a, y, sigma, e);
        column += diagonal ? 0 : EXB_SELL_ROWS;
    }
    return s;
}

double exb_ti(sell_sums)(int n, const uint16_t *width, unsigned diagonal, const exb_real *value,
                         const int32_t *column, const exb_real *x, double sigma, double *h,
                         double *l, double *least)
{
    extremes e = no_extremes();
    exb_v anchor = v_set1(sigma);
    for (int i = 0; i < n; i++) {
        bool is_diagonal = diagonal >> i & 1;
        for (int j = 0; j < EXB_SELL_ROWS; j += EXB_LANES) {
            sums s = is_diagonal ? add_slice(true, width[i], value + j, column, x + j, anchor, &e)
                                 : add_slice(false, width[i], value + j, column + j, x, anchor, &e);
            v_store(h + EXB_SELL_ROWS * i + j, s.q);
            v_store(l + EXB_SELL_ROWS * i + j, s.r);
        }
        value += EXB_SELL_ROWS * width[i];
        column += is_diagonal ? width[i] : EXB_SELL_ROWS * width[i];
    }
    *least = v_least(e.least);
    return v_largest(e.most);
}
