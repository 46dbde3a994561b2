/* The rounding test: whatever passes is right, for values that lie at the very end of the interval
 * next to a rounding boundary. */
#include "core/arith/enclosure.h"

#include "oracle.h"
#include "test_random.h"
#include "testing.h"

static size_t n_passed, n_refused;

/* RN of the exact h + l + s, three doubles. */
static double rounded(double h, double l, double s, number_format f)
{
    ORACLE(o);
    oracle_add(&o, h);
    oracle_add(&o, l);
    oracle_add(&o, s);
    return oracle_round(&o, f);
}

/* Both ends of the interval must round as certified. */
static void check(double h, double l, double e)
{
    double d;
    float s;
    if (exb_certify_d(h, l, e, &d)) {
        n_passed++;
        assert_same_bits(d, rounded(h, l, e, FORMAT_D));
        assert_same_bits(d, rounded(h, l, -e, FORMAT_D));
    } else {
        n_refused++;
    }
    if (exb_certify_s(h, l, e, &s)) {
        assert_same_bits((double)s, rounded(h, l, e, FORMAT_S));
        assert_same_bits((double)s, rounded(h, l, -e, FORMAT_S));
    }
}

/* h + l about as far from a midpoint of doubles (or floats) as e. */
static void near_midpoints(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "certify");
    for (int i = 0; i < 60000; i++) {
        number_format f = i & 1 ? FORMAT_D : FORMAT_S;
        int exp2 = (int)random_between(&r, f == FORMAT_D ? -300 : -100, f == FORMAT_D ? 300 : 100);
        double h = random_chance(&r, 3) ? random_sign(&r) * power_of_two(exp2)
                                        : random_number(&r, f, exp2);
        double half = half_ulp(h, f) * (random_chance(&r, 4) ? -0.5 : random_sign(&r));
        double e = scale_if_exact(fabs(half), -(int)random_between(&r, 1, 60), FORMAT_D);
        double nudge = random_sign(&r) * e * (1 + (double)random_between(&r, -4, 4) * 0x1p-52);
        if (f == FORMAT_D)
            check(h, half + nudge, e);
        else
            check(h + half, nudge, e);
    }
    assert_true(n_passed > 1000 && n_refused > 1000);
}

/* The naive test h + (l - e) == h + (l + e), rounding inwards, would pass here. */
static void inward_rounding_is_refused(NO_STATE)
{
    size_t naive = 0, ours = 0;
    double d;
    test_random r = test_random_start(test_seed(), "inward");
    for (int i = 0; i < 100000; i++) {
        double h = random_number(&r, FORMAT_D, 0), half = half_ulp(h, FORMAT_D);
        double e = half * power_of_two(-(int)random_between(&r, 53, 56));
        double l = half - e * (1 + (double)random_between(&r, -8, 8) * 0x1p-3);
        bool same = same_bits(rounded(h, l, e, FORMAT_D), rounded(h, l, -e, FORMAT_D));
        naive += !same && h + (l - e) == h + (l + e);
        ours += !same && exb_certify_d(h, l, e, &d);
    }
    assert_true(naive > 0); /* the attack hits what it aims at */
    assert_int_equal(ours, 0);
}

static void range(NO_STATE)
{
    double d;
    float s;
    assert_true(exb_certify_d(1, 0x1p-60, 0x1p-80, &d));
    assert_same_bits(d, 1);
    assert_false(exb_certify_d(0x1p-901, 0, 0, &d));
    assert_false(exb_certify_d(0x1p1001, 0, 0, &d));
    assert_false(exb_certify_d((double)NAN, 0, 0, &d));
    assert_false(exb_certify_d((double)INFINITY, 0, 0, &d));
    assert_false(exb_certify_d(1, 0, (double)INFINITY, &d));
    assert_false(exb_certify_d(1, (double)NAN, 0, &d));
    assert_false(exb_certify_s(0x1p-200, 0, 0x1p-200, &s)); /* -0 or +0? */
    assert_false(exb_enclosure_round_d(exb_enclosure_unknown(), &d));
}

static void exactness(NO_STATE)
{
    double d;
    exb_enclosure tie = {1, 0x1p-53, 0, true};
    assert_true(exb_enclosure_round_d(tie, &d));
    assert_same_bits(d, 1);
    assert_true(exb_enclosure_add(exb_enclosure_exact(1), exb_enclosure_exact(0x1p-53)).exact);
    exb_enclosure three = exb_enclosure_add(tie, exb_enclosure_exact(0x1p-120));
    assert_false(three.exact); /* 1 + 2^-53 + 2^-120 is not h + l */
    assert_true(exb_ratio_of(exb_enclosure_exact(6), exb_enclosure_exact(3)).exact);
    assert_false(exb_ratio_of(exb_enclosure_exact(1), exb_enclosure_exact(3)).exact);
    assert_true(exb_root_of(exb_enclosure_exact(9)).exact);
    assert_false(exb_root_of(exb_enclosure_exact(2)).exact);
    exb_enclosure zero = exb_affine_of(-1, exb_enclosure_exact(0), 0, 0);
    assert_true(exb_enclosure_round_d(zero, &d));
    assert_same_bits(d, 0.0);
}

TESTS(near_midpoints, inward_rounding_is_refused, range, exactness)
