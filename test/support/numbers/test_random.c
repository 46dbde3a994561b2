#include "test_random.h"

#include <math.h>
#include <stdlib.h>

format_limits limits_of(number_format f)
{
    return f == FORMAT_S ? (format_limits){24, -126, 127, -149}
                         : (format_limits){53, -1022, 1023, -1074};
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
    return f == FORMAT_S ? (double)(float)x : x;
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
