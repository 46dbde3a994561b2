#include "level3/complex_operand.h"

void exb_t(gather_rows)(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                        exb_real *out)
{
    const exb_t(complex_source) *s = source;
    exb_real sign = s->conjugate ? 1 : -1;
    for (int64_t v = v0; v < v0 + nv; v++)
        for (int64_t l = l0; l < l0 + nl; l += 2, out += 2) {
            const exb_real *x = s->p + 2 * (v * s->vs + l / 2 * s->ls);
            out[0] = x[0];
            out[1] = sign * x[1];
        }
}

void exb_t(gather_columns)(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                           exb_real *out)
{
    const exb_t(complex_source) *s = source;
    exb_real sign = s->conjugate ? -1 : 1;
    for (int64_t v = v0; v < v0 + nv; v++) {
        bool imaginary = v % 2;
        for (int64_t l = l0; l < l0 + nl; l += 2, out += 2) {
            const exb_real *x = s->p + 2 * (v / 2 * s->vs + l / 2 * s->ls);
            exb_real im = sign * x[1];
            out[0] = imaginary ? im : x[0];
            out[1] = imaginary ? -x[0] : im;
        }
    }
}
