/* Conversions between floats and 16-bit numbers. Types: s. */
#include "entry.h"

#include "core/fpenv.h"
#include "half/half_product.h"
#include "level1/reduce.h"

static EXB_NOINLINE void narrow(int64_t n, const float *in, int64_t incin, uint16_t *out,
                                int64_t incout)
{
    in = exb_sfirst(in, n, incin);
    out += incout < 0 ? (1 - n) * incout : 0;
    for (int64_t i = 0; i < n; i++)
        out[i * incout] = exb_narrow_bf16(in[i * incin]);
}

/* x rounded to float, to odd: to the upper 24 bits of what is finite, and the last of them is 1 if
 * there are others. What that is rounded to is RN(x), of a format with two bits less. */
static float odd_float(double x)
{
    float f = (float)x;
    double rest = x - (double)f;
    uint32_t b = exb_bits_f(f);
    if (exb_fabs(x) > FLT_MAX && exb_fabs(x) <= DBL_MAX)
        return x > 0 ? FLT_MAX : -FLT_MAX;
    if (x != x || rest == 0 || rest != rest || (b & 1))
        return f;
    return exb_from_bits_f((rest > 0) == (x > 0) ? b + 1 : b - 1);
}

static EXB_NOINLINE void narrow_doubles(int64_t n, const double *in, int64_t incin, uint16_t *out,
                                        int64_t incout)
{
    in += incin < 0 ? (1 - n) * incin : 0;
    out += incout < 0 ? (1 - n) * incout : 0;
    for (int64_t i = 0; i < n; i++)
        out[i * incout] = exb_narrow_bf16(odd_float(in[i * incin]));
}

void exb_entry_sbstobf16(int64_t n, const float *in, int64_t incin, uint16_t *out, int64_t incout)
{
    if (n > 0)
        EXB_GUARDED(narrow(n, in, incin, out, incout));
}

void exb_entry_sbdtobf16(int64_t n, const double *in, int64_t incin, uint16_t *out, int64_t incout)
{
    if (n > 0)
        EXB_GUARDED(narrow_doubles(n, in, incin, out, incout));
}

void exb_entry_sbf16tos(int64_t n, const uint16_t *in, int64_t incin, float *out, int64_t incout)
{
    if (n > 0)
        exb_half_widen(EXB_BF16, n, in + (incin < 0 ? (1 - n) * incin : 0), incin,
                       out + (incout < 0 ? (1 - n) * incout : 0), incout);
}

static EXB_NOINLINE void widen_to_double(int64_t n, const uint16_t *in, int64_t incin, double *out,
                                         int64_t incout)
{
    in = in + (incin < 0 ? (1 - n) * incin : 0);
    out += incout < 0 ? (1 - n) * incout : 0;
    for (int64_t i = 0; i < n; i++)
        out[i * incout] = exb_widen_bf16(in[i * incin]);
}

void exb_entry_dbf16tod(int64_t n, const uint16_t *in, int64_t incin, double *out, int64_t incout)
{
    if (n > 0)
        EXB_GUARDED(widen_to_double(n, in, incin, out, incout));
}
