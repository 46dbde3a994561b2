/* Scaling an accumulator: exactly, or not at all. */
#include "acc_support.h"
#include "test_random.h"
#include "testing.h"

#include <float.h>
#include <gmp.h>
#include <math.h>

/* Is v a multiple of 2^-2148 of magnitude below 2^2139? */
static bool fits(const mpfr_t v)
{
    if (mpfr_zero_p(v))
        return true;
    mpz_t significand;
    mpz_init(significand);
    long exp2 = (long)mpfr_get_z_2exp(significand, v);
    long lowest = exp2 + (long)mpz_scan1(significand, 0);
    mpz_clear(significand);
    return lowest >= -2148 && mpfr_get_exp(v) <= 2139;
}

/* Scales by f and says whether that was possible; the accumulator or its bytes tell. */
static bool check_scale(exblas_acc *a, oracle *o, double f)
{
    exblas_acc before = *a;
    ORACLE(product);
    assert_int_equal(mpfr_mul_d(product.sum, o->sum, f, MPFR_RNDN), 0);
    bool possible = fits(product.sum);
    assert_int_equal(exblas_acc_scale(a, f), possible ? EXBLAS_OK : EXBLAS_ERANGE);
    if (possible) {
        assert_sum(a, &product);
        mpfr_set(o->sum, product.sum, MPFR_RNDN);
    } else {
        assert_memory_equal(a, &before, sizeof before);
    }
    return possible;
}

/* Up and down through the whole range, to both ends and past them. */
static void both_ends(NO_STATE)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        exblas_acc a;
        ORACLE(o);
        exblas_acc_init(&a);
        exblas_acc_add(&a, sign * 0x1.0000000000001p0);
        oracle_add(&o, sign * 0x1.0000000000001p0);
        int n_up = 0, n_down = 0;
        while (check_scale(&a, &o, -0x1p31))
            n_up++;
        assert_int_equal(n_up, 68); /* 31 * 68 = 2108 < 2139 <= 31 * 69 */
        while (check_scale(&a, &o, 2))
            n_up++;
        assert_int_equal(n_up, 68 + 30);
        while (check_scale(&a, &o, 0x1p-40))
            n_down++;
        while (check_scale(&a, &o, -0.5))
            n_down++;
        assert_int_equal(n_down, (2138 + 2148 - 52) / 40 + (2138 + 2148 - 52) % 40);
        assert_false(check_scale(&a, &o, 0.5));
        assert_true(check_scale(&a, &o, 0));
        assert_true(check_scale(&a, &o, DBL_MAX));
    }
}

/* The top of the range, where the exponents of the factors do not tell: 2^2138 a b. */
static void last_binade(NO_STATE)
{
    static const double factor[] = {1, -1, 1.25, -1.5, 0x1.fffffffffffffp0};
    for (int i = 0; i < 25; i++) {
        exblas_acc a;
        ORACLE(o);
        exblas_acc_init(&a);
        exblas_acc_add_product(&a, factor[i / 5] * 0x1p1000, 0x1p1000);
        oracle_add_product(&o, factor[i / 5] * 0x1p1000, 0x1p1000);
        assert_true(check_scale(&a, &o, 0x1p138));
        bool possible = check_scale(&a, &o, factor[i % 5]);
        assert_int_equal(possible, fabs(factor[i / 5] * factor[i % 5]) < 2);
    }
}

static void random_factors(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "scale");
    int n_possible = 0, n_rounds = 2000;
    for (int i = 0; i < n_rounds; i++) {
        exblas_acc a;
        ORACLE(o);
        exblas_acc_init(&a);
        for (int k = 0; k < 3; k++) {
            double x = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 400));
            double y = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 400));
            exblas_acc_add_product(&a, x, y);
            oracle_add_product(&o, x, y);
        }
        n_possible +=
            check_scale(&a, &o, random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 700)));
    }
    assert_in_range(n_possible, n_rounds / 10, n_rounds * 9 / 10);
}

static void special_values(NO_STATE)
{
    static const double value[] = {0, -1, 3, HUGE_VAL, -HUGE_VAL, NAN};
    for (int i = 0; i < 36; i++) {
        exblas_acc a;
        exblas_acc_init(&a);
        exblas_acc_add(&a, value[i / 6]);
        assert_int_equal(exblas_acc_scale(&a, value[i % 6]), EXBLAS_OK);
        double wanted = value[i / 6] * value[i % 6];
        if (wanted != wanted)
            wanted = from_bits(TEST_CANONICAL_NAN);
        assert_same_bits(exblas_acc_to_double(&a), wanted == 0 ? 0 : wanted);
    }
}

TESTS(both_ends, last_binade, random_factors, special_values)
