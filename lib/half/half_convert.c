/* Conversions between floats and 16-bit numbers. Types: s. */
#include "entry.h"

#include "core/fpenv.h"
#include "half/half_product.h"

static EXB_NOINLINE void narrow_doubles(int64_t n, const double *in, int64_t incin, uint16_t *out,
                                        int64_t incout)
{
    in += exb_first(n, incin);
    out += exb_first(n, incout);
    for (int64_t i = 0; i < n; i++)
        out[i * incout] = exb_narrow_bf16_d(in[i * incin]);
}

void exb_entry_sbstobf16(int64_t n, const float *in, int64_t incin, uint16_t *out, int64_t incout)
{
    if (n > 0)
        EXB_GUARDED(exb_half_narrow(EXB_BF16, n, in + exb_first(n, incin), incin,
                                    out + exb_first(n, incout), incout));
}

void exb_entry_sbdtobf16(int64_t n, const double *in, int64_t incin, uint16_t *out, int64_t incout)
{
    if (n > 0)
        EXB_GUARDED(narrow_doubles(n, in, incin, out, incout));
}

void exb_entry_sbf16tos(int64_t n, const uint16_t *in, int64_t incin, float *out, int64_t incout)
{
    if (n > 0) /* guarded: a compiler may compute fp16's numbers, too, which raises flags */
        EXB_GUARDED(exb_half_widen(EXB_BF16, n, in + exb_first(n, incin), incin,
                                   out + exb_first(n, incout), incout));
}

static EXB_NOINLINE void widen_to_double(int64_t n, const uint16_t *in, int64_t incin, double *out,
                                         int64_t incout)
{
    in += exb_first(n, incin);
    out += exb_first(n, incout);
    for (int64_t i = 0; i < n; i++)
        out[i * incout] = exb_widen_bf16(in[i * incin]);
}

void exb_entry_dbf16tod(int64_t n, const uint16_t *in, int64_t incin, double *out, int64_t incout)
{
    if (n > 0)
        EXB_GUARDED(widen_to_double(n, in, incin, out, incout));
}
