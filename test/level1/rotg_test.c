/* rotg of all types against its formulas on exact sums. */
#include "hostile_env.h"
#include "rotg_model.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <math.h>

enum { N_RANDOM_CASES = 4000 };

/* r, z, c, s */
static bool rotate_real(number_format f, int environment, double a, double b, double out[4])
{
    float v[4] = {(float)a, (float)b};
    out[0] = a;
    out[1] = b;
    hostile_env_enter(environment);
    if (f == FORMAT_S)
        excblas_srotg(&v[0], &v[1], &v[2], &v[3]);
    else
        exdrotg_64_(&out[0], &out[1], &out[2], &out[3]);
    bool intact = hostile_env_leave();
    for (int i = 0; f == FORMAT_S && i < 4; i++)
        out[i] = v[i];
    return intact;
}

/* r, c, s; b is not written. */
static bool rotate_complex(number_format f, int environment, const double *a, const double *b,
                           double out[5])
{
    float v[5] = {(float)a[0], (float)a[1]}, w[2] = {(float)b[0], (float)b[1]};
    memcpy(out, a, 2 * sizeof *a);
    hostile_env_enter(environment);
    if (f == FORMAT_S)
        excrotg_(v, w, v + 2, v + 3);
    else
        excblas_zrotg_64(out, b, out + 2, out + 3);
    bool intact = hostile_env_leave();
    for (int i = 0; f == FORMAT_S && i < 5; i++)
        out[i] = v[i];
    return intact;
}

static void compare(int n, const double *got, const double *expected, const double *a,
                    const double *b, bool intact)
{
    for (int i = 0; i < n; i++)
        if (!same_bits(got[i], expected[i]))
            fail_msg("a %a %a b %a %a: output %d is %a, not %a, seed %llu", a[0], a[1], b[0], b[1],
                     i, got[i], expected[i], (unsigned long long)test_seed());
    assert_true(intact);
}

/* A finite number that is not 0: ordinary, from the whole range, around the limits, or a
 * small integer, so that roots are exact or ties. */
static double finite_number(test_random *r, number_format f)
{
    format_limits l = limits_of(f);
    switch (random_between(r, 0, 4)) {
    case 0:
        return random_number(r, f, (int)random_between(r, -2, 2));
    case 1:
        return random_number(r, f, (int)random_between(r, l.min_exp2, l.max_exp2));
    case 2:
        return random_number(r, f, (int)random_between(r, l.min_exp2, l.min_exp2 + 40));
    case 3:
        return random_number(r, f, (int)random_between(r, l.max_exp2 - 20, l.max_exp2));
    default:
        return random_sign(r) * (double)random_between(r, 1, 40);
    }
}

static void random_rotations(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "rotg");
    double got[5], expected[5];
    for (int i = 0; i < N_RANDOM_CASES; i++) {
        number_format f = i % 2 ? FORMAT_S : FORMAT_D;
        int environment = i % hostile_env_count();
        double a[] = {finite_number(&r, f), finite_number(&r, f)};
        double b[] = {finite_number(&r, f), finite_number(&r, f)};
        bool intact = rotate_real(f, environment, a[0], b[0], got);
        rotg_model_real(a[0], b[0], f, expected);
        compare(4, got, expected, a, b, intact);
        if (random_chance(&r, 4))
            (random_chance(&r, 2) ? a : b)[random_between(&r, 0, 1)] = 0.0 * random_sign(&r);
        intact = rotate_complex(f, environment, a, b, got);
        rotg_model_complex(a, b, f, expected);
        compare(5, got, expected, a, b, intact);
    }
}

/* Pythagorean triples and numbers chosen so that a result lies on or next to a midpoint. */
static const struct {
    double a, b, r, z, c, s;
} rotations[] = {
    {3, 4, 5, 0x1.aaaaaaaaaaaabp0, 0x1.3333333333333p-1, 0x1.999999999999ap-1},
    {-4, 3, -5, -0x1.3333333333333p-1, 0x1.999999999999ap-1, -0x1.3333333333333p-1},
    {1, 1, 0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bccp0, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1},
    {1, 0x1p-27, 1, 0x1p-27, 1, 0x1p-27},
    {0x1p1023, 0x1p1023, 0x1.6a09e667f3bcdp1023, 0x1.6a09e667f3bccp0, 0x1.6a09e667f3bcdp-1,
     0x1.6a09e667f3bcdp-1},
    {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, INFINITY, 0x1.6a09e667f3bccp0,
     0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1},
    {0x1p-1074, 0x1p-1074, 0x1p-1074, 0x1.6a09e667f3bccp0, 0x1.6a09e667f3bcdp-1,
     0x1.6a09e667f3bcdp-1},
    {0x1p-1074, 0x1p1023, 0x1p1023, 1, 0, 1}, /* c underflows */
    {-7, 0.0, -7, 0, 1, 0},
    {-0.0, 0.0, -0.0, 0, 1, 0},
    {0.0, -7, -7, 1, 0, 1},
    {NAN, 0, NAN, 0, 1, 0},
    {0, NAN, NAN, 1, 0, 1},
    {1, NAN, NAN, NAN, NAN, NAN},
    {INFINITY, NAN, NAN, NAN, NAN, NAN},
    {-INFINITY, 2, -INFINITY, -0.0, NAN, -0.0},
    {-2, INFINITY, INFINITY, 1, -0.0, NAN},
    {INFINITY, INFINITY, INFINITY, NAN, NAN, NAN},
};

static void real_edges(NO_STATE)
{
    for (size_t i = 0; i < sizeof rotations / sizeof *rotations; i++) {
        const double *p = &rotations[i].a, pair[][2] = {{p[0], 0}, {p[1], 0}};
        double got[4];
        bool intact = rotate_real(FORMAT_D, 0, p[0], p[1], got);
        compare(4, got, p + 2, pair[0], pair[1], intact);
    }
}

static const struct {
    double a[2], b[2], out[5]; /* r, c, s */
} complex_rotations[] = {
    {{3, 0}, {4, 0}, {5, 0, 0x1.3333333333333p-1, 0x1.999999999999ap-1, 0.0}},
    {{0, 3}, {4, 0}, {0, 5, 0x1.3333333333333p-1, 0.0, 0x1.999999999999ap-1}},
    {{1, -2}, {0.0, -0.0}, {1, -2, 1, 0, 0}},
    {{NAN, -2}, {0, 0}, {NAN, -2, 1, 0, 0}},
    {{0, -0.0}, {3, -4}, {5, 0, 0, 0x1.3333333333333p-1, 0x1.999999999999ap-1}},
    {{0, 0}, {0, 0x1p-1074}, {0x1p-1074, 0, 0, 0, -1}},
    {{0, 0}, {INFINITY, -4}, {INFINITY, 0, 0, NAN, 0.0}},
    {{0, 0}, {NAN, 1}, {NAN, NAN, 0, NAN, NAN}},
    {{1, 0}, {INFINITY, 1}, {INFINITY, NAN, 0, NAN, NAN}},
    {{INFINITY, 1}, {1, 1}, {NAN, NAN, NAN, NAN, NAN}},
    {{1, NAN}, {1, 1}, {NAN, NAN, NAN, NAN, NAN}},
};

static void complex_edges(NO_STATE)
{
    double got[5];
    for (size_t i = 0; i < sizeof complex_rotations / sizeof *complex_rotations; i++) {
        const double *a = complex_rotations[i].a, *b = complex_rotations[i].b;
        bool intact = rotate_complex(FORMAT_D, 0, a, b, got);
        compare(5, got, complex_rotations[i].out, a, b, intact);
    }
}

TESTS(real_edges, complex_edges, random_rotations)
