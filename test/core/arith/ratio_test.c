/* Ratios of sums: the enclosure of a ratio holds the exact one, and exact ratios are rounded
 * right at, just below and just above midpoints, into the subnormal range and beyond the
 * largest number. */
#include "core/arith/quotient.h"

#include "enclosing.h"
#include "test_random.h"

#include <math.h>

enum { BITS = 9000 };

/* A number and an enclosure of it that is off by as much as it says. */
static exb_enclosure random_enclosure(test_random *r, int exp2, mpfr_t exact)
{
    exb_enclosure v = {random_number(r, FORMAT_D, exp2), 0, 0, false};
    int gap = (int)random_between(r, 53, 60);
    v.l = random_number(r, FORMAT_D, exp2 - gap);
    v.e = random_chance(r, 3) ? 0 : fabs(random_number(r, FORMAT_D, exp2 - 56));
    mpfr_set_d(exact, v.h, MPFR_RNDN);
    mpfr_add_d(exact, exact, v.l, MPFR_RNDN);
    mpfr_add_d(exact, exact, random_sign(r) * v.e, MPFR_RNDN);
    return v;
}

static void encloses(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "ratio");
    MPFR(n, BITS);
    MPFR(d, BITS);
    for (int i = 0; i < 30000; i++) {
        exb_enclosure vn = random_enclosure(&r, (int)random_between(&r, -300, 300), n);
        exb_enclosure vd = random_enclosure(&r, (int)random_between(&r, -300, 300), d);
        exb_enclosure q = exb_ratio_of(vn, vd);
        assert_true(isfinite(q.h) && isfinite(q.l) && isfinite(q.e));
        mpfr_div(n, n, d, MPFR_RNDN);
        assert_inside(n, q);
    }
}

/* An exact accumulator beside the oracle's sum. */
typedef struct {
    exb_finish_acc storage;
    exb_superacc *acc;
    oracle sum;
} both;

static void start(both *b)
{
    b->acc = exb_finish_acc_init(&b->storage);
    oracle_init(&b->sum);
}

static void add(both *b, double x, double y)
{
    exb_superacc_add_product(b->acc, x, y);
    oracle_add_product(&b->sum, x, y);
}

static void check(both *n, exb_superacc *d, const oracle *divisor)
{
    exb_superacc_normalize(n->acc);
    exb_superacc_normalize(d);
    assert_same_bits(exb_ratio(exb_format_d(), n->acc, d),
                     oracle_ratio(&n->sum, divisor, FORMAT_D));
    float s = exb_ratio(exb_format_s(), n->acc, d);
    assert_same_bits(s, oracle_ratio(&n->sum, divisor, FORMAT_S));
}

/* n = (m + a bit far below) d for numbers m with one bit more than the format, d a sum of
 * two squares of few bits so that md is a sum of products. */
static void at_midpoints(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "midpoints");
    for (int i = 0; i < 3000; i++) {
        exb_product_acc storage;
        exb_superacc *d = exb_product_acc_init(&storage);
        both n;
        start(&n);
        ORACLE(divisor);
        int n_bits = random_chance(&r, 2) ? 53 : 24;
        int exp2 = (int)random_between(&r, -1085, 1030);
        double sign = random_sign(&r), m = (double)(random_bits(&r) >> (64 - n_bits)) * 2 + 1;
        for (int k = 0; k < 2; k++) {
            double p = (double)random_between(&r, 0, 2000);
            int scale = (int)random_between(&r, -30, 30);
            p = ldexp(p, scale);
            exb_superacc_add_product(d, p, p);
            oracle_add_product(&divisor, p, p);
            /* m - 1 and 1, since m may have 54 bits. */
            add(&n, sign * ldexp(m - 1, exp2 / 2), ldexp(p * p, exp2 - exp2 / 2 - 52));
            add(&n, sign * ldexp(1, exp2 / 2), ldexp(p * p, exp2 - exp2 / 2 - 52));
        }
        int nudge = (int)random_between(&r, -1, 1);
        if (nudge)
            add(&n, nudge * ldexp(1, exp2 / 2 - 200), ldexp(1, exp2 - exp2 / 2 - 200));
        check(&n, d, &divisor);
        oracle_clear(&n.sum);
    }
}

static void special_values(NO_STATE)
{
    static const double values[] = {0, 1, -1, 0x1p-1074, DBL_MAX, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            exb_product_acc storage;
            exb_superacc *d = exb_product_acc_init(&storage);
            both n;
            start(&n);
            ORACLE(divisor);
            add(&n, values[i], 1);
            exb_superacc_add_product(d, values[j], values[j]);
            oracle_add_product(&divisor, values[j], values[j]);
            check(&n, d, &divisor);
            oracle_clear(&n.sum);
        }
}

TESTS(encloses, at_midpoints, special_values)
