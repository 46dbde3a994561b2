/* rotmg against the identities that define it, and against known numbers: all flags, none to
 * many passes of both scaling loops, the bounds of the loops. */
#include "hostile_env.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <math.h>
#include <mpfr.h>

/* --- identities ------------------------------------------------------------ */

enum { N_RANDOM = 20000, N_BITS = 5000 }; /* products of three doubles and their sums are exact */

typedef struct {
    bool is_float;
    double in[4];                /* d1, d2, x1, y1 */
    double d1, d2, x1, param[5]; /* as returned */
} rotation;

/* The entries as rotm takes them. */
typedef struct {
    double h11, h21, h12, h22;
} matrix;

static void make_rotation(rotation *r)
{
    double v[8] = {r->in[0], r->in[1], r->in[2], 7, 7, 7, 7, 7};
    float w[8];
    for (int i = 0; i < 8; i++)
        w[i] = (float)v[i];
    if (r->is_float)
        excblas_srotmg(&w[0], &w[1], &w[2], (float)r->in[3], &w[3]);
    else
        excblas_drotmg(&v[0], &v[1], &v[2], r->in[3], &v[3]);
    for (int i = 0; i < 8; i++)
        v[i] = r->is_float ? (double)w[i] : v[i];
    r->d1 = v[0];
    r->d2 = v[1];
    r->x1 = v[2];
    memcpy(r->param, v + 3, sizeof r->param);
}

static matrix matrix_of(const double *param)
{
    double flag = param[0];
    if (flag == -2)
        return (matrix){1, 0, 0, 1};
    return (matrix){flag == 0 ? 1 : param[1], flag == 1 ? -1 : param[2], flag == 1 ? 1 : param[3],
                    flag == 0 ? 1 : param[4]};
}

/* |sum of the products| <= bound times the sum of their magnitudes. */
static bool cancel(int n, const double factor[][3], double bound)
{
    mpfr_t sum, magnitudes, term;
    mpfr_inits2(N_BITS, sum, magnitudes, term, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(magnitudes, 1);
    for (int i = 0; i < n; i++) {
        mpfr_set_d(term, factor[i][0], MPFR_RNDN);
        mpfr_mul_d(term, term, factor[i][1], MPFR_RNDN);
        mpfr_mul_d(term, term, factor[i][2], MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        mpfr_abs(term, term, MPFR_RNDN);
        mpfr_add(magnitudes, magnitudes, term, MPFR_RNDN);
    }
    mpfr_mul_d(magnitudes, magnitudes, bound, MPFR_RNDN);
    bool ok = mpfr_cmpabs(sum, magnitudes) <= 0;
    mpfr_clears(sum, magnitudes, term, (mpfr_ptr)0);
    return ok;
}

static bool in_bounds(const rotation *r, double d)
{
    double lower = r->is_float ? (double)5.96046e-8f : 5.9604645e-8;
    double upper = r->is_float ? (double)1.67772e7f : 16777216;
    return d == 0 || (fabs(d) > lower && fabs(d) < upper);
}

/* H = 0 and d = 0 are right where no real rotation exists, d1 x1^2 + d2 y1^2 <= 0, or where
 * rounding cannot tell. */
static bool annihilates_all(const rotation *r, double u)
{
    const double *v = r->in;
    matrix h = matrix_of(r->param);
    bool zero = r->d1 == 0 && r->d2 == 0 && r->x1 == 0 && h.h11 == 0 && h.h21 == 0 && h.h12 == 0 &&
                h.h22 == 0;
    const double norm[][3] = {{v[0] * v[2], v[2], 1}, {v[1] * v[3], v[3], 1}};
    return r->param[0] == -1 && zero &&
           (v[0] < 0 || v[0] * v[2] * v[2] + v[1] * v[3] * v[3] < 0 || cancel(2, norm, 16 * u));
}

/* H takes (x1, y1) to (x1', 0), and H^T D' H = D. Each output has at most ten roundings, of
 * which none takes away digits without the magnitudes below being as large. */
static bool is_modified_rotation(const rotation *r)
{
    double u = r->is_float ? 0x1p-24 : 0x1p-53, bound = 32 * u, x1 = r->in[2], y1 = r->in[3];
    matrix h = matrix_of(r->param);
    if (annihilates_all(r, u))
        return true;
    if (r->param[0] == -2)
        return r->in[1] == 0 || y1 == 0;
    const double second[][3] = {{h.h21, x1, 1}, {h.h22, y1, 1}},
                 first[][3] = {{h.h11, x1, 1}, {h.h12, y1, 1}, {-r->x1, 1, 1}},
                 d1[][3] = {{h.h11, h.h11, r->d1}, {h.h21, h.h21, r->d2}, {-r->in[0], 1, 1}},
                 d2[][3] = {{h.h12, h.h12, r->d1}, {h.h22, h.h22, r->d2}, {-r->in[1], 1, 1}},
                 apart[][3] = {{h.h11, h.h12, r->d1}, {h.h21, h.h22, r->d2}};
    return cancel(2, second, bound) && cancel(3, first, bound) && cancel(3, d1, bound) &&
           cancel(3, d2, bound) && cancel(2, apart, bound) && in_bounds(r, r->d1) &&
           in_bounds(r, r->d2);
}

/* No product of BLAS's formulas leaves the range of normal numbers. A fourth of the second
 * weights are negative, and of these some nearly as large as can be. */
static rotation random_rotation(test_random *g, bool is_float)
{
    number_format f = is_float ? FORMAT_S : FORMAT_D;
    int wide = is_float ? 15 : 100, e = random_chance(g, 3) ? 2 : wide;
    rotation r = {.is_float = is_float};
    r.in[0] = fabs(random_number(g, f, (int)random_between(g, -2 * e, 2 * e)));
    r.in[1] = fabs(random_number(g, f, (int)random_between(g, -2 * e, 2 * e)));
    r.in[2] = random_number(g, f, (int)random_between(g, -e, e));
    r.in[3] = random_number(g, f, (int)random_between(g, -e, e));
    if (random_chance(g, 8))
        r.in[1] = round_to(f, r.in[0] * (1 + ldexp(1, -(int)random_between(g, 0, 30))));
    if (random_chance(g, 8))
        r.in[2] = -r.in[3];
    if (random_chance(g, 4))
        r.in[1] = -r.in[1];
    if (random_chance(g, 30))
        r.in[random_between(g, 0, 3)] = 0;
    if (random_chance(g, 30))
        r.in[0] = -r.in[0];
    return r;
}

/* Which case it is: flag -2, -1 with zeros, 0, 1, and with the loops' passes flag -1 from 0 or
 * 1, one or both weights scaled. */
static int kind_of(const rotation *r)
{
    matrix h = matrix_of(r->param);
    bool from_0 = fabs(r->in[0] * r->in[2] * r->in[2]) > fabs(r->in[1] * r->in[3] * r->in[3]);
    if (r->param[0] > -1)
        return r->param[0] == 0;
    if (r->param[0] == -2 || (h.h11 == 0 && h.h12 == 0))
        return r->param[0] == -2 ? 2 : 3;
    bool first = from_0 ? h.h11 != 1 : h.h12 != 1, second = from_0 ? h.h22 != 1 : h.h21 != -1;
    return 3 + 3 * from_0 + first + 2 * second;
}

static void identities(void **state)
{
    (void)state;
    test_random g = test_random_start(test_seed(), "rotmg");
    for (int is_float = 0; is_float < 2; is_float++) {
        int n_of[10] = {0};
        for (int i = 0; i < N_RANDOM; i++) {
            rotation r = random_rotation(&g, is_float);
            make_rotation(&r);
            n_of[kind_of(&r)]++;
            if (is_modified_rotation(&r))
                continue;
            print_error("%a %a %a %a: %a %a %a, %g %a %a %a %a (seed %#llx)\n", r.in[0], r.in[1],
                        r.in[2], r.in[3], r.d1, r.d2, r.x1, r.param[0], r.param[1], r.param[2],
                        r.param[3], r.param[4], (unsigned long long)test_seed());
            fail();
        }
        for (int kind = 0; kind < 10; kind++)
            assert_in_range(n_of[kind], 20, N_RANDOM);
    }
}

/* --- known numbers --------------------------------------------------------- */

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

static void known_numbers(void **state)
{
    (void)state;
    for (int e = 0; e < hostile_env_count(); e++) {
        for (size_t i = 0; i < sizeof modified_d / sizeof *modified_d; i++)
            check_modified(&modified_d[i], false, e);
        for (size_t i = 0; i < sizeof modified_s / sizeof *modified_s; i++)
            check_modified(&modified_s[i], true, e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities),
        cmocka_unit_test(known_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
