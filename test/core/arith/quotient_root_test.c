/* The exact quotient and square root: ties, subnormal results, overflow, operands far
 * outside the range of doubles, special values; in both formats. */
#include "core/arith/quotient.h"
#include "core/arith/root.h"

#include "oracle.h"
#include "test_random.h"
#include "testing.h"

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

static void add_product(pair *p, double x, double y)
{
    exb_superacc_add_product(p->a, x, y);
    oracle_add_product(&p->o, x, y);
}

static void check_quotient(pair *p, double d)
{
    assert_same_bits(exb_quotient_d(p->a, d), oracle_quotient(&p->o, d, FORMAT_D));
    assert_same_bits((double)exb_quotient_s(p->a, d), oracle_quotient(&p->o, d, FORMAT_S));
}

static void check_root(pair *p)
{
    assert_same_bits(exb_root_d(p->a), oracle_root(&p->o, FORMAT_D));
    assert_same_bits((double)exb_root_s(p->a), oracle_root(&p->o, FORMAT_S));
}

/* v = (q + half an ulp) d exactly, plus nothing or the smallest product. */
static void quotient_ties(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "quotient ties");
    for (int i = 0; i < 6000; i++) {
        number_format f = i & 1 ? FORMAT_S : FORMAT_D;
        format_limits l = limits_of(f);
        double q = random_number(&r, f, (int)random_between(&r, l.min_exp2, l.max_exp2));
        double d = random_number(&r, f, (int)random_between(&r, l.min_exp2, l.max_exp2));
        pair p;
        start(&p);
        add_product(&p, q, d);
        add_product(&p, half_ulp(q, f), d);
        check_quotient(&p, d);
        add_product(&p, random_sign(&r) * 0x1p-1074, 0x1p-1074);
        check_quotient(&p, d);
        oracle_clear(&p.o);
    }
}

/* v anywhere between the smallest and the largest product, any d. */
static void quotients_of_all_sizes(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "quotients");
    for (int i = 0; i < 6000; i++) {
        pair p;
        start(&p);
        for (int k = 0; k < 3; k++)
            add_product(&p, random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)),
                        random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)));
        check_quotient(&p, random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)));
        oracle_clear(&p.o);
    }
}

static void quotient_borders(void **state)
{
    static const double d[] = {1, -3, 0x1p-1074, DBL_MAX, -0x1p-1022, 0x1.fffffffffffffp-1};
    static const double x[] = {DBL_MAX, 0x1p-1074, 0x1p-1022, 1, 0x1p-149, 0x1.fffffep127};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++) {
                pair p;
                start(&p);
                add_product(&p, x[i], x[j]);
                check_quotient(&p, d[k]);
                add_product(&p, x[i], 1);
                check_quotient(&p, -d[k]);
                oracle_clear(&p.o);
            }
}

static void special_quotients(void **state)
{
    static const double x[] = {0, -0.0, 1, -2, INFINITY, -INFINITY, NAN};
    (void)state;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            pair p;
            start(&p);
            add_product(&p, x[i], 1);
            check_quotient(&p, x[j]);
            oracle_clear(&p.o);
        }
}

/* Squares of midpoints, and one smallest product above or below. */
static void root_ties(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "root ties");
    for (int i = 0; i < 6000; i++) {
        number_format f = i & 1 ? FORMAT_S : FORMAT_D;
        format_limits l = limits_of(f);
        double x = fabs(random_number(&r, f, (int)random_between(&r, l.min_normal, l.max_exp2)));
        double half = half_ulp(x, f);
        pair p;
        start(&p);
        add_product(&p, x, x);
        add_product(&p, 2 * half, x);
        add_product(&p, half, half);
        check_root(&p);
        add_product(&p, random_sign(&r) * 0x1p-1074, 0x1p-1074);
        check_root(&p);
        oracle_clear(&p.o);
    }
}

static void roots_of_all_sizes(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "roots");
    for (int e = -1074; e <= 1023; e++) {
        pair p;
        start(&p);
        double x = random_number(&r, FORMAT_D, e);
        add_product(&p, x, x);
        check_root(&p);
        double y = random_number(&r, FORMAT_D, (int)random_between(&r, -1074, e));
        add_product(&p, y, y);
        check_root(&p);
        oracle_clear(&p.o);
    }
}

static void special_roots(void **state)
{
    static const double x[] = {0, -0.0, 0x1p-1074, DBL_MAX, INFINITY, NAN};
    (void)state;
    for (int i = 0; i < 6; i++) {
        pair p;
        start(&p);
        add_product(&p, x[i], x[i]);
        check_root(&p);
        add_product(&p, DBL_MAX, DBL_MAX);
        check_root(&p);
        oracle_clear(&p.o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotient_ties),    cmocka_unit_test(quotients_of_all_sizes),
        cmocka_unit_test(quotient_borders), cmocka_unit_test(special_quotients),
        cmocka_unit_test(root_ties),        cmocka_unit_test(roots_of_all_sizes),
        cmocka_unit_test(special_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
