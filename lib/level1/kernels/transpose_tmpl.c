/* The transpose of a matrix, as doubles: transpose in kernel_slots.h.
 * Types: s d. */
#include "core/kernel.h"
#include "core/simd/element_simd.h"

/* By squares in registers; then the columns and rows behind them. */
void exb_ti(transpose)(int64_t m, int64_t n, const exb_real *s, int64_t lds, double *t, int64_t ldt)
{
    int64_t whole_m = m / EXB_LANES * EXB_LANES, whole_n = n / EXB_LANES * EXB_LANES;
    for (int64_t i = 0; i < whole_m; i += EXB_LANES)
        for (int64_t j = 0; j < whole_n; j += EXB_LANES) {
            exb_v x[EXB_LANES];
            for (int r = 0; r < EXB_LANES; r++)
                x[r] = v_load_real(s + (j + r) * lds + i);
            v_transpose(x);
            for (int r = 0; r < EXB_LANES; r++)
                v_store(t + (i + r) * ldt + j, x[r]);
        }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = i < whole_m ? whole_n : 0; j < n; j++)
            t[i * ldt + j] = s[j * lds + i];
}
