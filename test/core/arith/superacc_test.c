/* The long accumulator against the oracle: deposits everywhere, carries, merging,
 * scaling, special values. */
#include "core/arith/round.h"

#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <float.h>
#include <math.h>

/* The same terms in an accumulator and in the oracle. */
typedef struct {
    exb_product_acc storage;
    exb_superacc *a;
    oracle o;
} pair;

static void start(pair *p)
{
    p->a = exb_product_acc_init(&p->storage);
    oracle_init(&p->o);
}

static void add(pair *p, double x)
{
    exb_superacc_add(p->a, x);
    oracle_add(&p->o, x);
}

static void add_product(pair *p, double x, double y)
{
    exb_superacc_add_product(p->a, x, y);
    oracle_add_product(&p->o, x, y);
}

static void check(pair *p)
{
    assert_same_bits(exb_superacc_round_d(p->a), oracle_round(&p->o, FORMAT_D));
    assert_same_bits((double)exb_superacc_round_s(p->a), oracle_round(&p->o, FORMAT_S));
}

static void stop(pair *p)
{
    check(p);
    oracle_clear(&p->o);
}

static void word_index(void **state)
{
    (void)state;
    for (int n = 0; n < 54272; n++)
        assert_int_equal(exb_word_index(n), n / 53);
}

/* 2^e alone, and with a bit at the far other end that must stick. */
static void every_exponent(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; e++) {
        pair p;
        start(&p);
        add(&p, power_of_two(e));
        check(&p);
        add(&p, -0x1p-1074);
        add_product(&p, power_of_two(e > 0 ? 1023 : e), power_of_two(e > 0 ? e : -1074));
        stop(&p);
    }
}

static void products_of_all_sizes(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "products");
    for (int e = -1074; e <= 1023; e += 3)
        for (int f = -1074; f <= 1023; f += 97) {
            pair p;
            start(&p);
            double x = random_number(&r, FORMAT_D, e), y = random_number(&r, FORMAT_D, f);
            add_product(&p, x, y);
            check(&p);
            add_product(&p, -x, y);
            add(&p, y);
            stop(&p);
        }
}

/* More deposits than fit between carries, of one sign, of both, and with a
 * sum that overflows on the way. */
static void many_deposits(void **state)
{
    static const double terms[] = {0x1.fffffffffffffp0, -0x1.fffffffffffffp0, DBL_MAX, -DBL_MAX,
                                   0x0.fffffffffffffp-1022};
    (void)state;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        pair p;
        start(&p);
        for (int k = 0; k < 5000; k++)
            add(&p, terms[i]);
        check(&p);
        for (int k = 0; k < 5001; k++)
            add(&p, -terms[i]);
        for (int k = 0; k < 3000; k++)
            add_product(&p, terms[i], k & 1 ? 0x1.fffffffffffffp100 : -0x1p100);
        stop(&p);
    }
}

static void random_sums(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "sums");
    for (int round = 0; round < 400; round++) {
        pair p;
        start(&p);
        for (int k = 0; k < 40; k++) {
            double x = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023));
            double y = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023));
            if (k & 1)
                add(&p, x);
            else
                add_product(&p, x, y);
        }
        stop(&p);
    }
}

/* Splitting a sum, merging windows, subtracting and negating do not show. */
static void merge_subtract_negate(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "merge");
    for (int round = 0; round < 300; round++) {
        pair p;
        exb_sum_acc part, removed;
        exb_superacc *a = exb_sum_acc_init(&part), *b = exb_sum_acc_init(&removed);
        start(&p);
        for (int k = 0; k < 30; k++) {
            double x = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023));
            oracle_add(&p.o, x);
            exb_superacc_add(k % 3 == 0 ? p.a : a, x);
            oracle_add(&p.o, -2 * (x / 4));
            exb_superacc_add(b, 2 * (x / 4));
        }
        exb_superacc_merge(p.a, a);
        exb_superacc_subtract(p.a, b);
        check(&p);
        exb_superacc_negate(p.a);
        exb_superacc_negate(p.a);
        stop(&p);
    }
}

static void add_scaled(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "scaled");
    for (int round = 0; round < 2000; round++) {
        pair p;
        start(&p);
        for (int k = 0; k < 3; k++)
            add_product(&p, random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)),
                        random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)));
        double alpha = random_scalar(&r, FORMAT_D), beta = random_scalar(&r, FORMAT_D);
        double c = random_scalar(&r, FORMAT_D);
        exb_finish_acc storage;
        exb_superacc *total = exb_finish_acc_init(&storage);
        exb_superacc_add_scaled(total, alpha, p.a);
        if (beta != 0)
            exb_superacc_add_product(total, beta, c);
        assert_same_bits(exb_superacc_round_d(total),
                         oracle_scaled(&p.o, alpha, beta, c, FORMAT_D));
        stop(&p);
    }
}

/* The extremes of the finishing window. */
static void add_scaled_extremes(void **state)
{
    static const double x[] = {0x1p-1074, -DBL_MAX, DBL_MAX, -0x1p-1074};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) {
                pair p;
                exb_finish_acc storage;
                exb_superacc *total = exb_finish_acc_init(&storage);
                start(&p);
                add_product(&p, x[i], x[j]);
                exb_superacc_add_scaled(total, x[k], p.a);
                exb_superacc_add_product(total, 0x1p-1074, -0x1p-1074);
                assert_same_bits(exb_superacc_round_d(total),
                                 oracle_scaled(&p.o, x[k], 0x1p-1074, -0x1p-1074, FORMAT_D));
                stop(&p);
            }
}

static void special_values(void **state)
{
    static const double x[] = {0, -0.0, 1, INFINITY, -INFINITY, NAN};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++) {
                pair p;
                start(&p);
                add(&p, x[i]);
                add_product(&p, x[j], x[k]);
                stop(&p);
            }
}

static void sign_and_compare(void **state)
{
    static const double x[] = {-INFINITY, -DBL_MAX, -1, -0x1p-1074, 0, 0x1p-1074, 1, INFINITY};
    (void)state;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            exb_sum_acc sa, sb;
            exb_superacc *a = exb_sum_acc_init(&sa), *b = exb_sum_acc_init(&sb);
            exb_superacc_add(a, x[i]);
            exb_superacc_add(b, x[j]);
            assert_int_equal(exb_superacc_sign(a), (x[i] > 0) - (x[i] < 0));
            assert_int_equal(exb_superacc_compare(a, b), (i > j) - (i < j));
            exb_superacc_add(a, (double)NAN);
            assert_int_equal(exb_superacc_sign(a), 2);
            assert_int_equal(exb_superacc_compare(a, b), 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_index),
        cmocka_unit_test(every_exponent),
        cmocka_unit_test(products_of_all_sizes),
        cmocka_unit_test(many_deposits),
        cmocka_unit_test(random_sums),
        cmocka_unit_test(merge_subtract_negate),
        cmocka_unit_test(add_scaled),
        cmocka_unit_test(add_scaled_extremes),
        cmocka_unit_test(special_values),
        cmocka_unit_test(sign_and_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
