#include "format.h"

#include <math.h>
#include <string.h>

const fprev_format fprev_formats[4] = {
    [FPREV_DOUBLE] = {'d', 8, 53, -1022, 1023},
    [FPREV_FLOAT] = {'s', 4, 24, -126, 127},
    [FPREV_HALF] = {'h', 2, 11, -14, 15},
    [FPREV_BFLOAT16] = {'b', 2, 8, -126, 127},
};

/* Bits of a number of a 16-bit format. */
static uint16_t encode(const fprev_format *f, double value)
{
    int fraction = f->precision - 1;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double x = fabs(value);
    if (isinf(x))
        return (uint16_t)(sign | (f->max_exp - f->min_exp + 2) << fraction);
    if (x < ldexp(1, f->min_exp))
        return (uint16_t)(sign | (int)ldexp(x, fraction - f->min_exp));
    int e = ilogb(x);
    int biased = e - f->min_exp; /* the hidden bit adds the missing 1 */
    return (uint16_t)(sign | ((biased << fraction) + (int)ldexp(x, fraction - e)));
}

static double decode(const fprev_format *f, uint16_t bits)
{
    int fraction = f->precision - 1, mask = (1 << fraction) - 1;
    int biased = (bits & 0x7fff) >> fraction, m = bits & mask;
    double x;
    if (biased == f->max_exp - f->min_exp + 2)
        x = m ? NAN : INFINITY;
    else if (biased == 0)
        x = ldexp(m, f->min_exp - fraction);
    else
        x = ldexp(m | 1 << fraction, f->min_exp - fraction + biased - 1);
    return bits & 0x8000 ? -x : x;
}

void fprev_store(fprev_type type, void *buffer, int64_t i, double value)
{
    if (type == FPREV_DOUBLE)
        ((double *)buffer)[i] = value;
    else if (type == FPREV_FLOAT)
        ((float *)buffer)[i] = (float)value;
    else
        ((uint16_t *)buffer)[i] = encode(&fprev_formats[type], value);
}

double fprev_load(fprev_type type, const void *buffer, int64_t i)
{
    if (type == FPREV_DOUBLE)
        return ((const double *)buffer)[i];
    if (type == FPREV_FLOAT)
        return ((const float *)buffer)[i];
    return decode(&fprev_formats[type], ((const uint16_t *)buffer)[i]);
}

static double round_short(const fprev_format *f, double x)
{
    int e = ilogb(x);
    int quantum = (e < f->min_exp ? f->min_exp : e) - f->precision + 1;
    double y = ldexp(rint(ldexp(x, -quantum)), quantum);
    return fabs(y) >= ldexp(1, f->max_exp + 1) ? copysign(INFINITY, x) : y;
}

double fprev_round(fprev_type type, double x)
{
    if (type == FPREV_DOUBLE)
        return x;
    if (type == FPREV_FLOAT)
        return (float)x;
    return round_short(&fprev_formats[type], x);
}

/* Rounding first to double and then to precision p is harmless for sums and products of
 * numbers of precision p if 53 >= 2p + 2, which holds for 24, 11 and 8. */
double fprev_add(fprev_type type, double x, double y)
{
    return fprev_round(type, x + y);
}

double fprev_mul(fprev_type type, double x, double y)
{
    return fprev_round(type, x * y);
}

/* x + y rounded to odd: rounding the result once more, to at most 51 bits, is the same as
 * rounding x + y. |x + y| is far from overflow and underflow here. */
static double add_to_odd(double x, double y)
{
    double s = x + y, t = s - x;
    double error = (x - (s - t)) + (y - t);
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    if (error == 0 || bits & 1)
        return s;
    return nextafter(s, error > 0 ? INFINITY : -INFINITY);
}

double fprev_fma(fprev_type type, double x, double y, double z)
{
    if (type == FPREV_DOUBLE)
        return fma(x, y, z);
    if (type == FPREV_FLOAT)
        return fmaf((float)x, (float)y, (float)z);
    return fprev_round(type, add_to_odd(x * y, z)); /* the product of 11 bits each is exact */
}
