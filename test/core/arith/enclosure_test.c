/* Operations on enclosures against MPFR, at the ends of what they are told: the true
 * operand lies at an end of its interval, or in the slack that the rounding test grants
 * (2^-1020; here operands use 2^-1030 of it), and factors are as tiny or huge as doubles
 * can be. The result must hold the true value, must be exact if it says so, and what
 * the rounding test then lets pass must be right. */
#include "core/arith/enclosure.h"

#include "scoped.h"
#include "test_random.h"
#include "testing.h"

enum { N_BITS = 9000 };

typedef struct {
    mpfr_t v, t, distance, bound;
} numbers;

static void start(numbers *k)
{
    mpfr_inits2(N_BITS, k->v, k->t, k->distance, k->bound, (mpfr_ptr)0);
}

static void stop(numbers *k)
{
    mpfr_clears(k->v, k->t, k->distance, k->bound, (mpfr_ptr)0);
}

static bool is_known(exb_enclosure v)
{
    return isfinite(v.h) && isfinite(v.l) && isfinite(v.e);
}

/* An enclosure and, in value, a number at an end of it. */
static exb_enclosure random_operand(test_random *r, int exp2, mpfr_t value)
{
    exb_enclosure v = {random_number(r, FORMAT_D, exp2), 0, 0, random_chance(r, 3)};
    int room = exp2 < -1000 ? 0 : exp2 + 1000;
    if (random_chance(r, 2))
        v.l = random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, room < 130 ? room : 130));
    if (!v.exact && !random_chance(r, 5))
        v.e = fabs(
            random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, room < 140 ? room : 140)));
    mpfr_set_d(value, v.h, MPFR_RNDN);
    mpfr_add_d(value, value, v.l, MPFR_RNDN);
    double sign = random_sign(r);
    if (!v.exact) {
        mpfr_add_d(value, value, sign * v.e, MPFR_RNDN);
        assert_int_equal(mpfr_add_d(value, value, sign * 0x1p-1030, MPFR_RNDN), 0);
    }
    return v;
}

/* |d value - d (h + l)| <= |d| (e + 2^-1020), in k->v the number d value. */
static void assert_holds(numbers *k, exb_enclosure v, double d)
{
    mpfr_set_d(k->t, v.h, MPFR_RNDN);
    mpfr_add_d(k->t, k->t, v.l, MPFR_RNDN);
    mpfr_mul_d(k->t, k->t, d, MPFR_RNDN);
    assert_int_equal(mpfr_sub(k->distance, k->v, k->t, MPFR_RNDN), 0);
    if (v.exact) {
        assert_same_bits(v.e, 0);
        assert_true(mpfr_zero_p(k->distance));
        return;
    }
    mpfr_set_d(k->bound, v.e, MPFR_RNDN);
    mpfr_add_d(k->bound, k->bound, 0x1p-1020, MPFR_RNDN);
    mpfr_mul_d(k->bound, k->bound, fabs(d), MPFR_RNDN);
    assert_true(mpfr_cmpabs(k->distance, k->bound) <= 0);
}

static size_t n_certified;

/* What passes for RN(k->v) is. */
static void assert_rounds(numbers *k, exb_enclosure v)
{
    double d = 0;
    float s = 0;
    if (exb_enclosure_round_d(v, &d)) {
        n_certified++;
        assert_same_bits(d, mpfr_zero_p(k->v) ? 0 : mpfr_get_d(k->v, MPFR_RNDN));
    }
    if (exb_enclosure_round_s(v, &s))
        assert_same_bits((double)s, mpfr_zero_p(k->v) ? 0 : (double)mpfr_get_flt(k->v, MPFR_RNDN));
}

static void add(NO_STATE)
{
    numbers k;
    start(&k);
    MPFR(y, N_BITS);
    test_random r = test_random_start(test_seed(), "enclosure add");
    for (int i = 0; i < 10000; i++) {
        int e = (int)random_between(&r, -900, 1000);
        exb_enclosure a = random_operand(&r, e, k.v);
        int near = e - (int)random_between(&r, 0, e + 1000 < 200 ? e + 1000 : 200);
        exb_enclosure b = random_operand(&r, near, y);
        if (random_chance(&r, 10)) { /* heads that cancel */
            mpfr_sub_d(y, y, b.h, MPFR_RNDN);
            b.h = -a.h;
            mpfr_add_d(y, y, b.h, MPFR_RNDN);
        }
        mpfr_add(k.v, k.v, y, MPFR_RNDN);
        exb_enclosure s = exb_enclosure_add(a, b);
        assert_holds(&k, s, 1);
        assert_rounds(&k, s);
    }
    stop(&k);
}

static double random_factor(test_random *r)
{
    switch (random_between(r, 0, 5)) {
    case 0:
        return power_of_two((int)random_between(r, -1074, 1023));
    case 1:
        return random_sign(r) * (double)random_between(r, 1, 9);
    case 2:
        return random_number(r, FORMAT_D, (int)random_between(r, -1074, -1000));
    default:
        return random_number(r, FORMAT_D, (int)random_between(r, -1074, 1023));
    }
}

static void affine(NO_STATE)
{
    numbers k;
    size_t n_known = 0;
    start(&k);
    test_random r = test_random_start(test_seed(), "affine");
    for (int i = 0; i < 20000; i++) {
        exb_enclosure a = random_operand(&r, (int)random_between(&r, -1000, 1000), k.v);
        double alpha = random_factor(&r), beta = random_chance(&r, 3) ? 0 : random_factor(&r);
        double c = random_factor(&r);
        exb_enclosure s = exb_affine_of(alpha, a, beta, c);
        mpfr_mul_d(k.v, k.v, alpha, MPFR_RNDN);
        mpfr_set_d(k.t, beta, MPFR_RNDN);
        mpfr_mul_d(k.t, k.t, c, MPFR_RNDN);
        assert_int_equal(mpfr_add(k.v, k.v, k.t, MPFR_RNDN), 0);
        if (!is_known(s))
            continue;
        n_known++;
        assert_holds(&k, s, 1);
        assert_rounds(&k, s);
    }
    assert_true(n_known > 1000);
    stop(&k);
}

/* The slack of the rounding test, scaled up: nothing but the slack is wrong with the
 * operand, and alpha makes it large. */
static void slack_is_scaled(NO_STATE)
{
    numbers k;
    start(&k);
    for (int e = -900; e <= 0; e += 9)
        for (int up = 0; up <= 1000 && up + e <= 940; up += 50) {
            exb_enclosure a = {power_of_two(e), 0, 0, false};
            mpfr_set_d(k.v, a.h, MPFR_RNDN);
            mpfr_add_d(k.v, k.v, 0x1p-1030, MPFR_RNDN);
            mpfr_mul_d(k.v, k.v, power_of_two(up), MPFR_RNDN);
            exb_enclosure s = exb_affine_of(power_of_two(up), a, 0, 0);
            if (is_known(s) && up > 0)
                assert_holds(&k, s, 1);
            s = exb_ratio_of(a, exb_enclosure_exact(power_of_two(-up)));
            if (is_known(s))
                assert_holds(&k, s, 1);
        }
    stop(&k);
}

static void not_finite_or_out_of_range(NO_STATE)
{
    static const double x[] = {INFINITY, -INFINITY, NAN, DBL_MAX, 0x1p-1074};
    double d = 0;
    float s = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            exb_enclosure a = exb_affine_of(x[i], exb_enclosure_exact(x[j]), 0, 0);
            exb_enclosure b = exb_affine_of(1.5, exb_enclosure_exact(1), x[i], x[j]);
            if (i != j && i + j == 7) { /* the largest times the least: in range, exact with FMA */
                assert_true(!exb_enclosure_round_d(a, &d) || same_bits(d, DBL_MAX * 0x1p-1074));
                assert_true(!exb_enclosure_round_s(a, &s) || same_bits((double)s, 0x1p-50));
                assert_true(!exb_enclosure_round_d(b, &d) || same_bits(d, 1.5 + 0x1p-50));
                continue;
            }
            assert_false(exb_enclosure_round_d(a, &d));
            assert_false(exb_enclosure_round_s(a, &s));
            assert_false(exb_enclosure_round_d(b, &d));
        }
    for (int i = 0; i < 3; i++)
        for (int place = 0; place < 3; place++) {
            exb_enclosure a = {place == 0 ? x[i] : 1, place == 1 ? x[i] : 0,
                               place == 2 ? fabs(x[i]) : 0x1p-80, false};
            assert_false(exb_enclosure_round_d(a, &d));
            assert_false(exb_enclosure_round_s(a, &s));
            assert_false(exb_enclosure_round_d(exb_enclosure_add(a, exb_enclosure_exact(1)), &d));
            assert_false(exb_enclosure_round_d(exb_ratio_of(a, exb_enclosure_exact(3)), &d));
            assert_false(exb_enclosure_round_d(exb_root_of(a), &d));
        }
    assert_false(exb_enclosure_round_d(exb_enclosure_exact(INFINITY), &d));
    assert_false(
        exb_enclosure_round_d(exb_ratio_of(exb_enclosure_exact(1), exb_enclosure_exact(0)), &d));
    const exb_enclosure far = {3, 0x1p-30, 0, true}, near = {3, 0x1p-60, 0, true};
    assert_false(exb_enclosure_round_d(exb_ratio_of(exb_enclosure_exact(1), far), &d));
    assert_true(exb_enclosure_round_d(exb_ratio_of(exb_enclosure_exact(1), near), &d));
    for (int sign = -1; sign <= 1; sign += 2) { /* an exact zero has an exact quotient, +0 */
        assert_true(exb_enclosure_round_d(
            exb_ratio_of(exb_enclosure_exact(0), exb_enclosure_exact(3 * sign)), &d));
        assert_int_equal(exb_bits(d), 0);
    }
    assert_false(exb_enclosure_round_d(exb_root_of(exb_enclosure_exact(-4)), &d));
}

/* The quotient to N_BITS bits rounds as the exact one does: it is on a boundary, or further
 * from it than its own error. */
static void divide(NO_STATE)
{
    numbers k;
    size_t n_known = 0;
    start(&k);
    test_random r = test_random_start(test_seed(), "divide");
    for (int i = 0; i < 20000; i++) {
        exb_enclosure a = random_operand(&r, (int)random_between(&r, -950, 1000), k.v);
        double d = random_factor(&r);
        if (random_chance(&r, 4)) { /* quotients that are exact */
            double q = (double)random_between(&r, 1, 1 << 26);
            d = (double)random_between(&r, 1, 1 << 26);
            a = exb_enclosure_exact(q * d);
            mpfr_set_d(k.v, q * d, MPFR_RNDN);
        }
        exb_enclosure s = exb_ratio_of(a, exb_enclosure_exact(d));
        if (!is_known(s))
            continue;
        n_known++;
        assert_holds(&k, s, d);
        mpfr_div_d(k.v, k.v, d, MPFR_RNDN);
        assert_rounds(&k, s);
    }
    assert_true(n_known > 1000);
    stop(&k);
}

/* sqrt(a) in [h + l - E, h + l + E], decided by squares. */
static void assert_holds_root(numbers *k, exb_enclosure v)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        mpfr_set_d(k->t, v.h, MPFR_RNDN);
        mpfr_add_d(k->t, k->t, v.l, MPFR_RNDN);
        if (!v.exact) {
            mpfr_add_d(k->t, k->t, sign * v.e, MPFR_RNDN);
            mpfr_add_d(k->t, k->t, sign * 0x1p-1020, MPFR_RNDN);
        }
        if (mpfr_sgn(k->t) < 0 && sign < 0)
            continue;
        assert_int_equal(mpfr_sqr(k->bound, k->t, MPFR_RNDN), 0);
        assert_true(v.exact ? mpfr_equal_p(k->v, k->bound) : sign * mpfr_cmp(k->bound, k->v) >= 0);
    }
}

static void root(NO_STATE)
{
    numbers k;
    size_t n_known = 0;
    start(&k);
    test_random r = test_random_start(test_seed(), "root");
    for (int i = 0; i < 20000; i++) {
        exb_enclosure a = random_operand(&r, (int)random_between(&r, -950, 1000), k.v);
        if (random_chance(&r, 4)) { /* squares */
            double q = (double)random_between(&r, 1, 1 << 26) *
                       power_of_two((int)random_between(&r, -400, 400));
            a = exb_enclosure_exact(q * q);
            mpfr_set_d(k.v, q * q, MPFR_RNDN);
        }
        exb_enclosure s = exb_root_of(a);
        if (!is_known(s) || mpfr_sgn(k.v) < 0)
            continue;
        n_known++;
        assert_holds_root(&k, s);
        mpfr_sqrt(k.v, k.v, MPFR_RNDN);
        assert_rounds(&k, s);
    }
    assert_true(n_known > 1000 && n_certified > 1000);
    stop(&k);
}

/* Exact operands of few bits stay exact, so that ties are decided without the slow path. */
static void exact_stays_exact(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "stays exact");
    for (int i = 0; i < 5000; i++) {
        double q = (double)random_between(&r, 1, 1 << 20),
               d = (double)random_between(&r, 1, 1 << 20);
        double result = 0;
        assert_true(
            exb_enclosure_add(exb_enclosure_exact(q), exb_enclosure_exact(0x1p-53 * d)).exact);
        assert_true(exb_affine_of(q, exb_enclosure_exact(d), -3, q).exact);
        exb_enclosure v = exb_ratio_of(exb_enclosure_exact(q * d), exb_enclosure_exact(d));
        assert_true(v.exact && exb_enclosure_round_d(v, &result));
        assert_same_bits(result, q);
        v = exb_root_of(exb_enclosure_exact(d * d));
        assert_true(v.exact && exb_enclosure_round_d(v, &result));
        assert_same_bits(result, d);
    }
}

/* Intervals well inside a rounding cell must pass: a test that refuses everything would
 * be right, and useless. */
static void safe_intervals_pass(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "safe");
    for (int i = 0; i < 50000; i++) {
        double d = 0, h = random_number(&r, FORMAT_D, (int)random_between(&r, -899, 999));
        double ulp = 2 * half_ulp(h, FORMAT_D);
        double l = random_sign(&r) * ulp * 0x1p-4, e = ulp * 0x1p-4 * (1 - 0x1p-30);
        assert_true(exb_certify_d(h, l, e, &d)); /* a quarter ulp below a power of two */
        assert_same_bits(d, h);
        float s = 0;
        double f = random_number(&r, FORMAT_S, (int)random_between(&r, -120, 126));
        double ulp_s = 2 * half_ulp(f, FORMAT_S);
        h = f + random_sign(&r) * ulp_s * 0x1p-4;
        assert_true(exb_certify_s(h, l / ulp * ulp_s * 0x1p-10, ulp_s * 0x1p-4, &s));
        assert_same_bits((double)s, f);
    }
}

/* Both ends of the interval round to the double that is a midpoint of floats: only the step
 * outwards shows that v may lie on either side of it. */
static void beside_midpoints_of_floats(NO_STATE)
{
    numbers k;
    start(&k);
    test_random r = test_random_start(test_seed(), "float midpoints");
    for (int i = 0; i < 20000; i++) {
        double f = random_number(&r, FORMAT_S, (int)random_between(&r, -126, 126));
        double h = f + half_ulp(f, FORMAT_S);
        double l = random_sign(&r) * half_ulp(f, FORMAT_S) *
                   power_of_two(-(int)random_between(&r, 29, 120));
        exb_enclosure v = {h, l, fabs(l) * 0x1p-2, false};
        for (int end = -1; end <= 1; end++) {
            mpfr_set_d(k.v, h, MPFR_RNDN);
            mpfr_add_d(k.v, k.v, l, MPFR_RNDN);
            mpfr_add_d(k.v, k.v, end * v.e, MPFR_RNDN);
            assert_rounds(&k, v);
        }
    }
    stop(&k);
}

TESTS(add, affine, slack_is_scaled, not_finite_or_out_of_range, divide, root, exact_stays_exact,
      safe_intervals_pass, beside_midpoints_of_floats)
