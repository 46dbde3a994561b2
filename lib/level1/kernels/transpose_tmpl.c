/* The transpose of a square matrix, as doubles: transpose in kernel_slots.h.
 * Types: s d. */
#include "core/kernel.h"
#include "core/simd/element_simd.h"

/* By squares in registers; then the columns and rows behind them. */
void exb_ti(transpose)(int64_t n, const exb_real *s, int64_t lds, double *t)
{
    int64_t whole = n / EXB_LANES * EXB_LANES;
    for (int64_t i = 0; i < whole; i += EXB_LANES)
        for (int64_t j = 0; j < whole; j += EXB_LANES) {
            exb_v x[EXB_LANES];
            for (int r = 0; r < EXB_LANES; r++)
                x[r] = v_load_real(s + (j + r) * lds + i);
            v_transpose(x);
            for (int r = 0; r < EXB_LANES; r++)
                v_store(t + (i + r) * n + j, x[r]);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i < whole ? whole : 0; j < n; j++)
            t[i * n + j] = s[j * lds + i];
}
