/* rotmg against known numbers: all flags, none to many passes of both scaling loops, the bounds of
 * the loops. The differential fuzzer has random ones. */
#include "hostile_env.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <math.h>

/* What BLAS's formulas give: d1, d2, x1, y1, the new d1, d2, x1, and param, of which 7 is what
 * was there before. In the last line, which would never end in the reference implementation, Inf
 * is left as it is. */
typedef struct {
    double in[4], out[3], param[5];
} modified;

static const modified modified_d[] = {
    {{0x1.8p1, 0x1p0, 0x1p1, 0x1p-1},
     {0x1.7829cbc14e5e1p1, 0x1.f58d0fac687d7p-1, 0x1.0555555555555p1},
     {0, 7, -0x1p-2, 0x1.5555555555555p-4, 7}},
    {{0x1p0, 0x1.8p1, 0x1p-1, 0x1p1},
     {0x1.7829cbc14e5e1p1, 0x1.f58d0fac687d7p-1, 0x1.0555555555555p1},
     {0x1p0, 0x1.5555555555555p-4, 7, 7, 0x1p-2}},
    {{-0x1p0, 0x1p0, 0x1p0, 0x1p0}, {0, 0, 0}, {-0x1p0, 0, 0, 0, 0}},
    {{0x1p0, 0, 0x1p0, 0x1p0}, {0x1p0, 0, 0x1p0}, {-0x1p1, 7, 7, 7, 7}},
    {{0x1p0, -0x1p0, 0x1p0, 0x1p1}, {0, 0, 0}, {-0x1p0, 0, 0, 0, 0}},
    {{0x1p1, -0x1p0, 0x1.8p1, 0x1.6666666666666p-1},
     {0x1.0729f5c40e9edp1, -0x1.0729f5c40e9edp0, 0x1.758bf258bf258p1},
     {0, 7, -0x1.dddddddddddddp-3, -0x1.dddddddddddddp-4, 7}},
    {{0x1.d1a94a2p39, 0x1.19799812dea11p-40, 0x1p0, 0x1.f4p9},
     {0x1.d1a94a2p15, 0x1.19799812dea11p-16, 0x1p12},
     {-1, 0x1p12, -0x1.f4p-3, 0x1.2e3b40a0e9b5p-58, 0x1p-12}},
    {{0x1.000000102f4fdp-24, 0x1p0, 0x1p0, 0x1p0},
     {0x1.fffffe000001ep-1, 0x1.fffffe205ea16p-1, 0x1.0000010000001p0},
     {-0x1p0, 0x1.000000102f4fdp-24, -0x1p-12, 0x1p0, 0x1p-12}},
    {{0x1.ffffffffffffcp-25, 0x1.8p1, 0x1p0, 0x1p0},
     {0x1.7fffff8000003p1, 0x1.ffffff5555556p-1, 0x1.0000005555555p0},
     {-0x1p0, 0x1.5555555555553p-26, -0x1p-12, 0x1p0, 0x1p-12}},
    {{0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-996, 7, 0x1.2p3},
     {0x1.0741862bcb5fbp-12, 0x1.0741862bcb5fbp-13, 0x1.771c71c71c71cp-489},
     {-1, 0x1.8e38e38e38e39p-494, -0x1p-492, 0x1p-492, 0x1.8e38e38e38e39p-493}},
    {{0x1p0, 0x1.79ca10c924223p-67, 0x1p0, 0x1.3333333333333p-2},
     {0x1p0, 0x1.79ca10c924223p-19, 0x1p0},
     {-1, 1, -0x1.3333333333333p-26, 0x1.c558e0f15e8f7p-69, 0x1p-24}},
    {{0x1.4484bfeebc2ap-100, 0x1.93e5939a08ceap99, 0x1.2a05f2p33, 0x1.b7cdfd9d7bdbbp-34},
     {0x1.93e5939a08ceap3, 0x1.4484bfeebc2ap-4, 0x1.b7cdfd9d7bdbbp14},
     {-1, 0x1.16c262777579dp-85, -0x1p-48, 0x1p48, 0x1.5af1d78b58c4p18}},
    {{0x1.999999999999ap-4, 0x1.999999999999ap-3, 0x1.3333333333333p-2, 0x1.999999999999ap-2},
     {0x1.3fb013fb013fbp-3, 0x1.3fb013fb013fbp-4, 0x1.0666666666667p-1},
     {0x1p0, 0x1.7fffffffffffep-2, 7, 7, 0x1.7ffffffffffffp-1}},
    {{1.6e9, 8e8, 8, 7},
     {0x1.13dd780b92144p6, 0x1.13dd780b92144p5, 45312},
     {-1, 0x1p12, -0x1.cp11, 0x1.cp10, 0x1p12}},
    /* d2 y1^2 is negative and underflows */
    {{1, -1, 1e-300, 1e-200}, {0, 0, 0}, {-1, 0, 0, 0, 0}},
    {{INFINITY, 1, 1, 2}, {INFINITY, 1, 1}, {0, 7, -2, 0, 7}},
};

static const modified modified_s[] = {
    {{0x1.99999ap-4, 0x1.99999ap-3, 0x1.333334p-2, 0x1.99999ap-2},
     {0x1.3fb014p-3, 0x1.3fb014p-4, 0x1.066666p-1},
     {0x1p0, 0x1.8p-2, 7, 7, 0x1.8p-1}},
    {{0x1.12e0bep-30, 0x1.12e0bep-30, 0x1.8p1, 0x1p0},
     {0x1.eec7bap-7, 0x1.eec7bap-7, 0x1.aaaaacp-11},
     {-1, 0x1p-12, -0x1.555556p-14, 0x1.555556p-14, 0x1p-12}},
    {{0x1.ffffep23, 0x1p0, 0x1p0, 0x1.99999ap-4},
     {0x1.ffffep-1, 0x1p0, 0x1p12},
     {-0x1p0, 0x1p12, -0x1.99999ap-4, 0x1.9999b4p-16, 0x1p0}},
    {{0x1p24, 0x1p0, 0x1p0, 0x1.99999ap-4},
     {0x1p0, 0x1p0, 0x1p12},
     {-0x1p0, 0x1p12, -0x1.99999ap-4, 0x1.99999ap-16, 0x1p0}},
    {{0x1.ffffe6p-25, 0x1p0, 0x1p0, 0x1.0624dep-10},
     {0x1.e332f8p-1, 0x1.e332ep-1, 0x1.15c4dep-10},
     {-0x1p0, 0x1.f3ffe6p-15, -0x1p-12, 0x1p0, 0x1.f3fffep-3}},
    {{0x1.4484cp-100, 0x1.93e594p99, 0x1.2a05f2p33, 0x1.b7cdfep-34},
     {0x1.93e594p3, 0x1.4484cp-4, 0x1.b7cdfep14},
     {-1, 0x1.16c2p-85, -0x1p-48, 0x1p48, 0x1.5af1d8p18}},
    {{0x1.2ced32p126, 0x1p0, 0x1.666666p-1, 0x1.86ap16},
     {0x1.2ced32p6, 0x1p0, 0x1.666666p59},
     {-1, 0x1p60, -0x1.170492p17, 0x1.dab96cp-50, 1}},
};

static void check_modified(const modified *m, bool is_float, int environment)
{
    double v[8] = {m->in[0], m->in[1], m->in[2], 7, 7, 7, 7, 7};
    float w[8];
    for (int i = 0; i < 8; i++)
        w[i] = (float)v[i];
    hostile_env_enter(environment);
    if (is_float)
        excblas_srotmg(&w[0], &w[1], &w[2], (float)m->in[3], &w[3]);
    else
        exdrotmg_(&v[0], &v[1], &v[2], &m->in[3], &v[3]);
    assert_true(hostile_env_leave());
    for (int i = 0; i < 8; i++) {
        double got = is_float ? (double)w[i] : v[i];
        assert_same_bits(got, i < 3 ? m->out[i] : m->param[i - 3]);
    }
}

static void known_numbers(NO_STATE)
{
    for (int e = 0; e < hostile_env_count(); e++) {
        for (size_t i = 0; i < sizeof modified_d / sizeof *modified_d; i++)
            check_modified(&modified_d[i], false, e);
        for (size_t i = 0; i < sizeof modified_s / sizeof *modified_s; i++)
            check_modified(&modified_s[i], true, e);
    }
}

/* H takes (x1, y1) to (x1', 0) and keeps d1 x1^2 + d2 y1^2, for every flag, scaled or not. */
static void identities(NO_STATE)
{
    test_random g = test_random_start(test_seed(), "rotmg");
    int n_of[3] = {0}; /* flags -1, 0, 1 */
    for (int i = 0; i < 20000; i++) {
        float d1 = fabsf((float)random_number(&g, FORMAT_S, (int)random_between(&g, -30, 30)));
        float d2 = fabsf((float)random_number(&g, FORMAT_S, (int)random_between(&g, -30, 30)));
        float x = (float)random_number(&g, FORMAT_S, (int)random_between(&g, -15, 15)), p[5];
        float y = (float)random_number(&g, FORMAT_S, (int)random_between(&g, -15, 15));
        double in = (double)d1 * x * x + (double)d2 * y * y, x1 = x, y1 = y;
        excblas_srotmg(&d1, &d2, &x, y, p);
        double h11 = p[0] == 0 ? 1 : p[1], h21 = p[0] == 1 ? -1 : p[2];
        double h12 = p[0] == 1 ? 1 : p[3], h22 = p[0] == 0 ? 1 : p[4];
        n_of[(int)p[0] + 1]++;
        assert_true(fabs(h21 * x1 + h22 * y1) <= 0x1p-19 * (fabs(h21 * x1) + fabs(h22 * y1)));
        assert_true(fabs(h11 * x1 + h12 * y1 - x) <=
                    0x1p-19 * (fabs(h11 * x1) + fabs(h12 * y1) + fabs((double)x)));
        assert_true(fabs((double)d1 * x * x - in) <= 0x1p-18 * in);
    }
    for (int k = 0; k < 3; k++)
        assert_in_range(n_of[k], 20, 20000);
}

TESTS(known_numbers, identities)
