#include "numbers.h"

#include <math.h>

double fuzz_power(number_format f, int exp2)
{
    format_limits l = limits_of(f);
    exp2 = exp2 < l.min_exp2 ? l.min_exp2 : exp2 > l.max_exp2 ? l.max_exp2 : exp2;
    return power_of_two(exp2);
}

static int clamp(const fuzz_source *s, int exp2)
{
    format_limits l = limits_of(s->format);
    return exp2 < l.min_exp2 ? l.min_exp2 : exp2 > l.max_exp2 ? l.max_exp2 : exp2;
}

static int base_exponent(test_random *r, number_format f)
{
    format_limits l = limits_of(f);
    switch (random_between(r, 0, 7)) {
    case 0:
        return (int)random_between(r, l.min_exp2, l.max_exp2);
    case 1: /* squares and products near the end of the normal or of the whole range */
        return l.min_exp2 / 2 + (int)random_between(r, -30, 60);
    case 2:
        return l.max_exp2 / 2 + (int)random_between(r, -3, 3);
    default:
        return (int)random_between(r, -4, 4);
    }
}

fuzz_source fuzz_source_of(test_random *r, number_format f)
{
    static const int spreads[] = {3, 12, 60, 110, 300, 1000};
    fuzz_source s = {.style = (fuzz_style)random_between(r, 0, N_STYLES - 1), .format = f};
    s.exp2 = base_exponent(r, f);
    s.spread = spreads[random_between(r, 0, 5)];
    s.value = random_chance(r, 3) ? fuzz_power(f, s.exp2) : random_number(r, f, clamp(&s, s.exp2));
    s.above = (int)random_between(r, 0, random_chance(r, 2) ? 150 : 2100);
    s.n_lanes = (int64_t)1 << random_between(r, 0, 6);
    s.lane = random_between(r, 0, s.n_lanes - 1);
    return s;
}

static double near_power(test_random *r, const fuzz_source *s)
{
    double p = fuzz_power(s->format, s->exp2 + (int)random_between(r, -1, 1));
    double ulps = (double)random_between(r, -2, 2), least = fuzz_power(s->format, -2000);
    double half = half_ulp(p, s->format), step = ulps > 0 ? 2 * half : half;
    return random_sign(r) * (p + ulps * (step > least ? step : least));
}

static double subnormal(test_random *r, const fuzz_source *s)
{
    format_limits l = limits_of(s->format);
    int e = random_chance(r, 2) ? l.min_exp2 / 2 + (int)random_between(r, -30, 30)
                                : l.min_exp2 + (int)random_between(r, 0, l.n_bits);
    return random_number(r, s->format, clamp(s, e));
}

static double hidden(test_random *r, const fuzz_source *s)
{
    static const int far[] = {0, 0, 0, 0, 1, 23, 24, 25, 52, 53, 54, 105, 106, 107, 200, 480, 960};
    int down = far[random_between(r, 0, 16)];
    if (s->format == FORMAT_S && down > 140)
        down /= 8;
    double x = random_sign(r) * fuzz_power(s->format, s->exp2 - down);
    switch (random_between(r, 0, 7)) {
    case 0:
        return 0.0 * x;
    case 1: /* two bits */
        return round_to(s->format, x + ldexp(x, -(int)random_between(r, 1, 52)));
    default:
        return x;
    }
}

/* The compensated sums' bound at 1, 2^-54, 2^-54 + 60 2^-105, and then -2^-106 (1 - 2^-10) again
 * and again: none of these is seen by the correction. */
static double tail(const fuzz_source *s, int64_t i)
{
    int bits = limits_of(s->format).n_bits;
    double one = fuzz_power(s->format, s->exp2), unit = ldexp(one, -2 * bits);
    double half = ldexp(one, -bits - 1);
    if (i == 0)
        return one;
    if (i < 3)
        return round_to(s->format, half + (i == 2 ? s->above * unit : 0));
    return round_to(s->format, -unit * (1 - 0x1p-10));
}

double fuzz_number(test_random *r, const fuzz_source *s, int64_t i)
{
    switch (s->style) {
    case STYLE_WIDE:
        return random_number(r, s->format,
                             clamp(s, s->exp2 + (int)random_between(r, -s->spread, s->spread)));
    case STYLE_INTEGER:
        return (double)random_between(r, -8, 8);
    case STYLE_SPARSE:
        if (!random_chance(r, 4))
            return random_sign(r) * 0.0;
        return random_number(r, s->format, clamp(s, s->exp2));
    case STYLE_NEIGHBOUR:
        return near_power(r, s);
    case STYLE_SUBNORMAL:
        return subnormal(r, s);
    case STYLE_HIDDEN:
        return hidden(r, s);
    case STYLE_CONSTANT:
        return s->value;
    case STYLE_LANE:
        return i % s->n_lanes == s->lane ? s->value : 0.0;
    case STYLE_TAIL:
        return tail(s, i);
    default:
        return random_number(r, s->format, clamp(s, s->exp2 + (int)random_between(r, -2, 2)));
    }
}

double fuzz_scalar(test_random *r, number_format f, bool may_be_special)
{
    format_limits l = limits_of(f);
    switch (random_between(r, 0, may_be_special ? 13 : 11)) {
    case 0:
        return 0.0;
    case 1:
        return -0.0;
    case 2:
    case 3:
        return 1;
    case 4:
        return -1;
    case 5:
        return random_sign(r) * fuzz_power(f, (int)random_between(r, l.min_exp2, l.max_exp2));
    case 6:
        return random_number(r, f, l.min_exp2 + (int)random_between(r, 0, l.n_bits - 2));
    case 7:
        return random_number(r, f, l.max_exp2);
    case 8:
        return (double)random_between(r, -5, 5);
    case 9:
        return random_sign(r) * fuzz_power(f, f == FORMAT_S ? -60 : -480);
    case 12:
        return (double)NAN;
    case 13:
        return random_sign(r) * (double)INFINITY;
    default:
        return random_number(r, f, (int)random_between(r, -2, 2));
    }
}
