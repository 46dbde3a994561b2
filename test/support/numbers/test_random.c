#include "test_random.h"

#include <math.h>
#include <stdlib.h>

format_limits limits_of(number_format f)
{
    static const format_limits limits[] = {[FORMAT_S] = {24, -126, 127, -149},
                                           [FORMAT_D] = {53, -1022, 1023, -1074},
                                           [FORMAT_B] = {8, -126, 127, -133},
                                           [FORMAT_H] = {11, -14, 15, -24}};
    return limits[f];
}

uint64_t test_seed(void)
{
    const char *text = getenv("TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : 20240607u;
}

/* splitmix64: Steele, Lea, Flood, OOPSLA 2014. */
uint64_t random_bits(test_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

test_random test_random_start(uint64_t seed, const char *name)
{
    test_random r = {seed};
    for (; *name; name++)
        r.state = r.state * 31 + (unsigned char)*name;
    random_bits(&r);
    return r;
}

int64_t random_between(test_random *r, int64_t low, int64_t high)
{
    return low + (int64_t)(random_bits(r) % (uint64_t)(high - low + 1));
}

bool random_chance(test_random *r, int one_in)
{
    return random_between(r, 1, one_in) == 1;
}

char random_letter(test_random *r, const char *letters)
{
    return letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
}

double random_sign(test_random *r)
{
    return random_chance(r, 2) ? 1 : -1;
}

double random_number(test_random *r, number_format f, int exp2)
{
    format_limits l = limits_of(f);
    uint64_t significand = random_bits(r) >> (64 - l.n_bits) | (uint64_t)1 << (l.n_bits - 1);
    int last = exp2 - l.n_bits + 1;
    if (last < l.min_exp2) {
        int n_lost = l.min_exp2 - last;
        significand = n_lost < 64 ? significand >> n_lost : 0;
        last = l.min_exp2;
    }
    return random_sign(r) * ldexp((double)significand, last);
}

int middle_exponent(test_random *r, number_format f)
{
    int reach = f == FORMAT_S ? 30 : 600;
    return (int)random_between(r, -reach, reach);
}

double round_to(number_format f, double x)
{
    format_limits l = limits_of(f);
    if (f == FORMAT_D || x == 0 || (f != FORMAT_S && isinf(x)))
        return x;
    if (f == FORMAT_S || isnan(x))
        return f == FORMAT_S ? (double)(float)x : from_bits(TEST_CANONICAL_NAN);
    int e = exponent_of(x), last = (e < l.min_normal ? l.min_normal : e) - l.n_bits + 1;
    double y = ldexp(rint(ldexp(x, -last)), last);
    return fabs(y) < ldexp(1, l.max_exp2 + 1) ? y : copysign((double)INFINITY, x);
}

size_t number_size(number_format f)
{
    return f == FORMAT_D ? sizeof(double) : f == FORMAT_S ? sizeof(float) : sizeof(uint16_t);
}

static uint16_t encode(format_limits l, double x)
{
    int n = l.n_bits - 1, e = x == 0 ? l.min_normal : exponent_of(x);
    uint64_t sign = bits_of(x) >> 48 & 0x8000;
    uint64_t infinity = (uint64_t)(l.max_exp2 - l.min_normal + 2) << n;
    if (x - x != 0)
        return (uint16_t)(sign | infinity | (bits_of(x) << 12 >> (64 - n)));
    e = e < l.min_normal ? l.min_normal : e;
    uint64_t significand =
        (uint64_t)ldexp(fabs(x), n - e); /* the leading bit adds 1 to the field */
    return (uint16_t)(sign | (((uint64_t)(e - l.min_normal) << n) + significand));
}

static double decode(format_limits l, uint16_t b)
{
    int n = l.n_bits - 1, field = (b & 0x7fff) >> n, fraction = b & ((1 << n) - 1);
    uint64_t sign = (uint64_t)(b >> 15) << 63;
    if (field == l.max_exp2 - l.min_normal + 2)
        return from_bits(sign | (uint64_t)0x7ff << 52 | (uint64_t)fraction << (52 - n));
    double x = ldexp(fraction + (field > 0 ? 1 << n : 0), l.min_exp2 + (field > 0 ? field - 1 : 0));
    return sign ? -x : x;
}

void store_number(number_format f, void *p, int64_t i, double x)
{
    if (f == FORMAT_D)
        ((double *)p)[i] = x;
    else if (f == FORMAT_S)
        ((float *)p)[i] = (float)x;
    else
        ((uint16_t *)p)[i] = encode(limits_of(f), x);
}

double load_number(number_format f, const void *p, int64_t i)
{
    if (f == FORMAT_D)
        return ((const double *)p)[i];
    return f == FORMAT_S ? (double)((const float *)p)[i]
                         : decode(limits_of(f), ((const uint16_t *)p)[i]);
}

bool is_zero_number(test_number a)
{
    return a.re == 0 && a.im == 0;
}

bool is_complex_type(char type)
{
    return type == 'c' || type == 'z';
}

number_format format_of_type(char type)
{
    return type == 'b'                  ? FORMAT_B
           : type == 'h'                ? FORMAT_H
           : type == 's' || type == 'c' ? FORMAT_S
                                        : FORMAT_D;
}

double scale_if_exact(double x, int exp2, number_format f)
{
    double y = ldexp(x, exp2);
    bool is_number = same_bits(round_to(f, y), y);
    return is_number && y - y == 0 && same_bits(ldexp(y, -exp2), x) ? y : x;
}

int exponent_of(double x)
{
    int e;
    frexp(x, &e);
    return e - 1;
}

double half_ulp(double x, number_format f)
{
    format_limits l = limits_of(f);
    if (x - x != 0 || x == 0)
        return 0;
    int e = exponent_of(x) - l.n_bits;
    return e < l.min_exp2 ? 0 : ldexp(1, e);
}

static void swap(double *x, int64_t i, int64_t j)
{
    double t = x[i];
    x[i] = x[j];
    x[j] = t;
}

void shuffle(test_random *r, int64_t n, double *x, double *y)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = random_between(r, 0, i);
        swap(x, i, j);
        if (y)
            swap(y, i, j);
    }
}

/* NaNs with a payload and either sign: what comes out must be the canonical one. */
static double special_value(test_random *r)
{
    static const uint64_t patterns[] = {0x7ff0000000000000u, 0xfff0000000000000u,
                                        0x7ff8123460000000u, 0xfff8000000000000u};
    return from_bits(patterns[random_between(r, 0, 3)]);
}

void sprinkle_specials(test_random *r, int64_t n, double *x)
{
    double first = special_value(r);
    bool only_one_kind = random_chance(r, 2);
    for (int64_t i = 0, n_specials = random_between(r, 1, 3); n > 0 && i < n_specials; i++)
        x[random_between(r, 0, n - 1)] = only_one_kind ? first : special_value(r);
}

double random_scalar(test_random *r, number_format f)
{
    format_limits l = limits_of(f);
    switch (random_between(r, 0, 11)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return 1;
    case 3:
        return -1;
    case 4: {
        double sign = random_sign(r); /* the order of the draws is part of the data */
        return ldexp(sign, (int)random_between(r, -30, 30));
    }
    case 5:
        return random_number(r, f, (int)random_between(r, l.min_exp2, l.min_normal));
    case 6:
        return random_number(r, f, l.max_exp2);
    case 7:
        return random_chance(r, 2) ? special_value(r) : -0.0;
    default:
        return random_number(r, f, (int)random_between(r, -2, 2));
    }
}
