#include "hard_numbers.h"

#include <math.h>

double small_integer(test_random *r)
{
    double x = (double)random_between(r, -3, 3);
    return x == 0 && random_chance(r, 2) ? -0.0 : x;
}

level2_number hard_scalar(test_random *r, char type, bool is_real)
{
    static const double kinds[] = {1, 0, -1, 0.5};
    number_format f = level2_format(type);
    level2_number a = {random_chance(r, 4) ? random_scalar(r, f) : random_number(r, f, 0), 0};
    if (random_chance(r, 2))
        a.re = kinds[random_between(r, 0, 3)];
    if (!is_real && random_chance(r, 2))
        a.im = random_chance(r, 4) ? random_scalar(r, f) : random_number(r, f, 0);
    return a;
}

double to_midpoint(double value, double rest, number_format f)
{
    double x = half_ulp(value, f) - rest;
    return isfinite(x) ? round_to(f, x) : 1;
}
