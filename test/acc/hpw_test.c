/* The widening number: exact for any doubles, in any order, merged at any point. */
#include "adversarial.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/fixed.h>
#include <float.h>
#include <math.h>

enum { LONGEST = 300 };

static exblas_hpw *created(int n, int k)
{
    exblas_hpw *a = exblas_hpw_create(n, k);
    assert_non_null(a);
    return a;
}

static void check_value(const exblas_hpw *a, const oracle *o)
{
    double x = 77, expected = oracle_round(o, FORMAT_D);
    exblas_status status = exblas_hpw_to_double(a, &x);
    assert_int_equal(status, isinf(expected) ? EXBLAS_ERANGE : EXBLAS_OK);
    assert_same_bits(x, isinf(expected) ? 77 : expected);
}

static void adversarial_sums(NO_STATE)
{
    static double x[LONGEST];
    static const int formats[][2] = {{1, 0}, {1, 1}, {3, 2}, {36, 17}};
    test_random r = test_random_start(test_seed(), "hpw");
    print_message("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    ORACLE(o);
    for (int round = 0; round < 1500; round++) {
        const int *f = formats[round % 4], *g = formats[round / 4 % 4];
        exblas_hpw *a = created(f[0], f[1]), *b = created(g[0], g[1]);
        int n = (int)random_between(&r, 1, LONGEST);
        terms_fill((size_t)round % terms_kinds(), &r, FORMAT_D, n, x);
        oracle_reset(&o);
        for (int i = 0; i < n; i++) {
            exblas_status status = exblas_hpw_add(random_chance(&r, 2) ? a : b, x[i]);
            assert_int_equal(status, isfinite(x[i]) ? EXBLAS_OK : EXBLAS_ERANGE);
            if (isfinite(x[i]))
                oracle_add(&o, x[i]);
        }
        assert_int_equal(exblas_hpw_merge(a, b), EXBLAS_OK);
        check_value(a, &o);
        exblas_hpw_free(a);
        exblas_hpw_free(b);
    }
}

/* Past both ends of one word, with both signs. */
static void widens_where_it_must(NO_STATE)
{
    static const struct {
        double x[3];
        int n, k;
    } cases[] = {
        {{1, 2, 3}, 1, 0},
        {{0x1p62, 0x1p62, 0}, 2, 0},   /* 2^63 needs another word */
        {{-0x1p62, -0x1p62, 0}, 1, 0}, /* -2^63 does not */
        {{-0x1p62, -0x1p62, -1}, 2, 0},
        {{0x1p-1, 0, 0}, 2, 1},
        {{-0x1p-65, 0x1p63, 0}, 4, 2},
        {{0x1p-1074, DBL_MAX, DBL_MAX}, 34, 17},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n, k;
        ORACLE(o);
        exblas_hpw *a = created(1, 0);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(exblas_hpw_add(a, cases[i].x[j]), EXBLAS_OK);
            oracle_add(&o, cases[i].x[j]);
        }
        assert_non_null(exblas_hpw_words(a, &n, &k));
        assert_int_equal(n, cases[i].n);
        assert_int_equal(k, cases[i].k);
        check_value(a, &o);
        exblas_hpw_free(a);
    }
}

/* Doubled again and again, it ends with an error and its value, not with memory overrun. */
static void grows_to_its_end(NO_STATE)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        exblas_hpw *a = created(1, 0);
        int n_doublings = 0, n, k;
        assert_int_equal(exblas_hpw_add(a, sign * 0x1p-1074), EXBLAS_OK);
        assert_int_equal(exblas_hpw_add(a, sign), EXBLAS_OK);
        while (exblas_hpw_merge(a, a) == EXBLAS_OK)
            n_doublings++;
        assert_int_equal(n_doublings, 64 * 19 - 2);
        assert_int_equal(exblas_hpw_merge(a, a), EXBLAS_ERANGE);
        const uint64_t *w = exblas_hpw_words(a, &n, &k);
        assert_int_equal(n, 36);
        assert_int_equal(k, 17);
        for (int i = 0; i < n; i++) { /* 2^1214 + 2^140 or its negative */
            uint64_t bits = i == 35 ? (uint64_t)1 << 62 : i == 19 ? 1 << 12 : 0;
            assert_true(w[i] == (sign > 0 || i < 19 ? bits : i == 19 ? 0 - bits : ~bits));
        }
        exblas_hpw_free(a);
    }
}

static void bad_formats(NO_STATE)
{
    static const int formats[][2] = {{0, 0}, {-1, 0}, {2, 3}, {2, -1}, {20, 0}, {18, 18}, {37, 17}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_null(exblas_hpw_create(formats[i][0], formats[i][1]));
    exblas_hpw_free(NULL);
}

TESTS(bad_formats, widens_where_it_must, grows_to_its_end, adversarial_sums)
