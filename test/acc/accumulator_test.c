/* Accumulators against the oracle, byte by byte: every verb, order, split and merge. */
#include "acc_support.h"
#include "adversarial.h"
#include "testing.h"

#include <float.h>
#include <math.h>

enum { MOST = 700 };

typedef struct {
    exblas_acc a;
    oracle o;
} pair;

static void start(pair *p)
{
    exblas_acc_init(&p->a);
    oracle_init(&p->o);
}

static void stop(pair *p)
{
    assert_sum(&p->a, &p->o);
    oracle_clear(&p->o);
}

/* Edges: what makes sums hard, in an order in which partial sums leave the doubles. */
static const double edges[] = {0,          -0.0,     1,          0x1p-53,  0x1p-1074,
                               -0x1p-1074, DBL_MAX,  DBL_MAX,    -DBL_MAX, 0x1p-1022,
                               -0x1p52,    0x1p1023, -0x1p-1060, 3,        -3,
                               0x1p-200,   1e16,     -1e16,      0x1.8p-1, DBL_MIN};
enum { N_EDGES = sizeof edges / sizeof *edges };

static void single_terms(NO_STATE)
{
    pair p;
    start(&p);
    for (int i = 0; i < N_EDGES; i++) {
        exblas_acc_add(&p.a, edges[i]);
        oracle_add(&p.o, edges[i]);
        assert_sum(&p.a, &p.o);
        exblas_acc_sub(&p.a, edges[N_EDGES - 1 - i]);
        oracle_add(&p.o, -edges[N_EDGES - 1 - i]);
        assert_sum(&p.a, &p.o);
    }
    stop(&p);
}

static void products(NO_STATE)
{
    pair p;
    start(&p);
    for (int i = 0; i < N_EDGES; i++)
        for (int j = 0; j < N_EDGES; j++) {
            exblas_acc_add_product(&p.a, edges[i], edges[j]);
            oracle_add_product(&p.o, edges[i], edges[j]);
            exblas_acc_sub_product(&p.a, edges[j], edges[(i + j) % N_EDGES]);
            oracle_add_product(&p.o, -edges[j], edges[(i + j) % N_EDGES]);
            assert_sum(&p.a, &p.o);
        }
    stop(&p);
}

/* All bytes zero is zero; carries come and go. */
static void zero_bytes(NO_STATE)
{
    pair p;
    start(&p);
    memset(&p.a, 0, sizeof p.a);
    assert_sum(&p.a, &p.o);
    for (int i = 0; i < 3000; i++) {
        exblas_acc_add(&p.a, 0x1.fffffffffffffp52);
        oracle_add(&p.o, 0x1.fffffffffffffp52);
    }
    assert_sum(&p.a, &p.o);
    exblas_acc_normalize(&p.a);
    stop(&p);
}

static void narrow(int64_t n, const double *x, float *f)
{
    for (int64_t i = 0; i < n; i++)
        f[i] = (float)x[i];
}

/* x over all strides and both formats. */
static void vectors(NO_STATE)
{
    static double x[MOST], y[MOST];
    static float fx[MOST], fy[MOST];
    static const int strides[] = {1, 2, -1, -3, 0};
    test_random r = test_random_start(test_seed(), "vectors");
    for (size_t kind = 0; kind < factors_kinds(); kind++) {
        int64_t n = random_between(&r, 0, 200);
        int incx = strides[kind % 5], incy = strides[(kind + kind / 5) % 5];
        factors_fill(kind, &r, FORMAT_S, MOST, x, y);
        narrow(MOST, x, fx);
        narrow(MOST, y, fy);
        factors_fill(kind, &r, FORMAT_D, MOST, x, y);
        pair p;
        start(&p);
        exblas_acc_add_vector(&p.a, n, x, incx);
        exblas_acc_add_dot(&p.a, n, x, incx, y, incy);
        exblas_acc_add_magnitudes(&p.a, n, y, incy);
        exblas_acc_add_vector_f(&p.a, n, fy, incx);
        exblas_acc_add_dot_f(&p.a, n, fx, incy, fy, incx);
        exblas_acc_add_magnitudes_f(&p.a, n, fx, incx);
        for (int64_t i = 0; i < n; i++) {
            int64_t ix = incx < 0 ? (i - n + 1) * incx : i * incx;
            int64_t iy = incy < 0 ? (i - n + 1) * incy : i * incy;
            oracle_add(&p.o, x[ix]);
            oracle_add_product(&p.o, x[ix], y[iy]);
            oracle_add(&p.o, fabs(y[iy]));
            oracle_add(&p.o, (double)fy[ix]);
            oracle_add_product(&p.o, (double)fx[iy], (double)fy[ix]);
            oracle_add(&p.o, fabs((double)fx[ix]));
        }
        stop(&p);
    }
}

/* Every split of a sum over two accumulators, forwards and backwards, merged both ways. */
static void every_split(NO_STATE)
{
    enum { N = 24 };
    double x[N];
    test_random r = test_random_start(test_seed(), "split");
    for (size_t kind = 0; kind < terms_kinds(); kind++) {
        pair p;
        start(&p);
        terms_fill(kind, &r, FORMAT_D, N, x);
        for (int i = 0; i < N; i++)
            oracle_add(&p.o, x[i]);
        for (int split = 0; split <= N; split++) {
            exblas_acc a, b;
            exblas_acc_init(&a);
            exblas_acc_init(&b);
            exblas_acc_add_vector(&a, split, x, 1);
            for (int i = N - 1; i >= split; i--)
                exblas_acc_add(&b, x[i]);
            exblas_acc merged = a;
            exblas_acc_merge(&merged, &b);
            assert_sum(&merged, &p.o);
            exblas_acc_merge(&b, &a);
            assert_sum(&b, &p.o);
        }
        exblas_acc_add_vector(&p.a, N, x, 1);
        stop(&p);
    }
}

static void many_merges(NO_STATE)
{
    pair p;
    start(&p);
    exblas_acc part;
    exblas_acc_init(&part);
    exblas_acc_add(&part, -DBL_MAX);
    exblas_acc_add(&part, 0x1.fffffffffffffp-1022);
    for (int i = 0; i < 2500; i++) {
        exblas_acc_merge(&p.a, &part);
        oracle_add(&p.o, -DBL_MAX);
        oracle_add(&p.o, 0x1.fffffffffffffp-1022);
    }
    assert_sum(&p.a, &p.o);
    for (int i = 0; i < 20; i++) { /* with itself: twice as much */
        exblas_acc_merge(&p.a, &p.a);
        mpfr_mul_2si(p.o.sum, p.o.sum, 1, MPFR_RNDN);
        assert_sum(&p.a, &p.o);
    }
    exblas_acc_negate(&p.a);
    mpfr_neg(p.o.sum, p.o.sum, MPFR_RNDN);
    stop(&p);
}

static void sign_and_compare(NO_STATE)
{
    static const double value[] = {-HUGE_VAL, -DBL_MAX, -1,      -0x1p-1074, 0,
                                   0x1p-1074, 1,        DBL_MAX, HUGE_VAL};
    enum { N = sizeof value / sizeof *value };
    exblas_acc a, b, nan;
    exblas_acc_init(&nan);
    exblas_acc_add(&nan, NAN);
    assert_int_equal(exblas_acc_sign(&nan), 2);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            exblas_acc_init(&a);
            exblas_acc_init(&b);
            exblas_acc_add(&a, value[i]);
            exblas_acc_add(&b, DBL_MAX); /* the same by another way: words differ */
            exblas_acc_add(&b, value[j]);
            exblas_acc_sub(&b, DBL_MAX);
            assert_int_equal(exblas_acc_sign(&a), (value[i] > 0) - (value[i] < 0));
            assert_int_equal(exblas_acc_compare(&a, &b), (i > j) - (i < j));
            assert_int_equal(exblas_acc_compare(&a, &nan), 2);
            assert_int_equal(exblas_acc_compare(&nan, &b), 2);
        }
}

/* Infinities and NaN, in either order, by every verb that adds, merged and negated. */
static void special_values(NO_STATE)
{
    static const double term[] = {1, HUGE_VAL, -HUGE_VAL, NAN};
    for (int i = 0; i < 64; i++) {
        pair p;
        exblas_acc part;
        start(&p);
        exblas_acc_init(&part);
        double x = term[i % 4], y = term[i / 4 % 4], z = term[i / 16];
        exblas_acc_add(&p.a, x);
        exblas_acc_add_product(&part, y, i & 1 ? -2.0 : 0.0);
        exblas_acc_merge(&p.a, &part);
        exblas_acc_add_vector(&p.a, 1, &z, 1);
        oracle_add(&p.o, x);
        oracle_add(&p.o, y * (i & 1 ? -2.0 : 0.0));
        oracle_add(&p.o, z);
        assert_sum(&p.a, &p.o);
        exblas_acc_negate(&p.a);
        exblas_acc_sub(&p.a, x);
        bool had_pos = p.o.has_pos_inf;
        p.o.has_pos_inf = p.o.has_neg_inf;
        p.o.has_neg_inf = had_pos;
        mpfr_neg(p.o.sum, p.o.sum, MPFR_RNDN);
        oracle_add(&p.o, -x);
        stop(&p);
    }
}

/* sqrt and alpha a + beta y. */
static void roots_and_affine(NO_STATE)
{
    static double x[MOST], y[MOST];
    test_random r = test_random_start(test_seed(), "affine");
    for (size_t kind = 0; kind < 3 * factors_kinds(); kind++) {
        pair p;
        start(&p);
        factors_fill(kind % factors_kinds(), &r, FORMAT_D, 20, x, y);
        exblas_acc_add_dot(&p.a, 20, x, 1, x, 1);
        for (int i = 0; i < 20; i++)
            oracle_add_product(&p.o, x[i], x[i]);
        assert_same_bits(exblas_acc_root_to_double(&p.a), oracle_root(&p.o, FORMAT_D));
        assert_same_bits((double)exblas_acc_root_to_float(&p.a), oracle_root(&p.o, FORMAT_S));
        for (int i = 0; i < 8; i++) {
            double alpha = random_scalar(&r, FORMAT_D),
                   beta = i == 0 ? 0 : random_scalar(&r, FORMAT_D);
            double wanted = oracle_scaled(&p.o, alpha, beta, y[i], FORMAT_D);
            assert_same_bits(exblas_acc_affine_to_double(&p.a, alpha, beta, y[i]), wanted);
            float falpha = (float)alpha, fbeta = (float)beta, fy = (float)y[i];
            wanted = oracle_scaled(&p.o, (double)falpha, (double)fbeta, (double)fy, FORMAT_S);
            assert_same_bits((double)exblas_acc_affine_to_float(&p.a, falpha, fbeta, fy), wanted);
        }
        stop(&p);
    }
    exblas_acc negative;
    exblas_acc_init(&negative);
    exblas_acc_add_product(&negative, -0x1p-1074, 0x1p-1074);
    assert_true(bits_of(exblas_acc_root_to_double(&negative)) == TEST_CANONICAL_NAN);
}

/* Sums too large for alpha times them: they decide, but not against Inf and NaN. */
static void affine_of_huge_sums(NO_STATE)
{
    exblas_acc a;
    exblas_acc_init(&a);
    exblas_acc_add_product(&a, -0x1p1023, 0x1p1023);
    assert_int_equal(exblas_acc_scale(&a, 0x1p92), EXBLAS_OK);
    assert_same_bits(exblas_acc_affine_to_double(&a, 0x1p1023, DBL_MAX, DBL_MAX), -HUGE_VAL);
    assert_same_bits(exblas_acc_affine_to_double(&a, -0x1p1023, -DBL_MAX, DBL_MAX), HUGE_VAL);
    assert_same_bits(exblas_acc_affine_to_double(&a, -0x1p1023, 1, HUGE_VAL), HUGE_VAL);
    assert_same_bits(exblas_acc_affine_to_double(&a, 0, 1, 7), 7);
    assert_true(isnan(exblas_acc_affine_to_double(&a, 0x1p1023, 1, HUGE_VAL) - HUGE_VAL));
    /* -2^2138 * 2^-90 + 2^1024 * 2^1024 = 0 */
    assert_same_bits(exblas_acc_affine_to_double(&a, 0x1p-92, 0x1p1023, 0x1p1023), 0);
}

TESTS(single_terms, products, zero_bytes, vectors, every_split, many_merges, sign_and_compare,
      special_values, roots_and_affine, affine_of_huge_sums)
