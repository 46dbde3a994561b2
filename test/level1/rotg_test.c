/* rotg: bits that are easy to get wrong. (level1_test has any numbers, against the model.) */
#include "testing.h"

#include <exblas/cblas.h>
#include <math.h>

static void check(int n, const double *got, const double *expected, const double *a)
{
    for (int i = 0; i < n; i++)
        if (!same_bits(got[i], expected[i]))
            fail_msg("%a, %a: output %d is %a, not %a", a[0], a[1], i, got[i], expected[i]);
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
        double got[4] = {rotations[i].a, rotations[i].b};
        excblas_drotg(&got[0], &got[1], &got[2], &got[3]);
        check(4, got, &rotations[i].r, &rotations[i].a);
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
    for (size_t i = 0; i < sizeof complex_rotations / sizeof *complex_rotations; i++) {
        const double *a = complex_rotations[i].a;
        double got[5] = {a[0], a[1]};
        excblas_zrotg(got, complex_rotations[i].b, got + 2, got + 3);
        check(5, got, complex_rotations[i].out, a);
    }
}

TESTS(real_edges, complex_edges)
