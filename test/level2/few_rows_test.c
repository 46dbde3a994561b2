/* Small matrices times vectors by the routines' names: complex rows next to midpoints at distances
 * about the bound, rows that are not certified, and long or tall ones. (few_triangles_test has the
 * real rows that are certified.) */
#include "core/arith/anchor.h"
#include "core/kernels.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

enum { MOST_TERMS = 1 << EXB_ANCHOR_NU /* of a lane */ };

static void fill(double *x, int64_t n, test_random *r, int spread)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = random_number(r, FORMAT_D, -(int)random_between(r, 0, spread));
}

/* --- complex ones -------------------------------------------------------------- */

enum { MOST_COMPLEX = 40 };

typedef struct {
    int m, n, trans;
    double elements[2 * MOST_COMPLEX * MOST_COMPLEX], x[2 * MOST_COMPLEX];
} complex_problem;

static double *complex_at(complex_problem *p, int i, int j)
{
    return &p->elements[2 * (p->trans == EXBLAS_NO_TRANS ? i + j * p->m : i * p->n + j)];
}

/* The first n terms of part k of row i. */
static void add_complex_terms(oracle *o, complex_problem *p, int i, int n, int k, double sign)
{
    double conjugate = p->trans == EXBLAS_CONJ_TRANS ? -1 : 1;
    for (int j = 0; j < n; j++) {
        const double *a = complex_at(p, i, j), *x = p->x + 2 * j;
        oracle_add_product(o, sign * a[0], x[k]);
        oracle_add_product(o, sign * conjugate * (k == 0 ? -1 : 1) * a[1], x[1 - k]);
    }
}

/* Part k of row i is `delta` from a midpoint of rounding, by its last two terms, which are
 * multiplied by 2^-20. */
static void put_part_near_midpoint(complex_problem *p, int i, int k, double delta)
{
    double sign = k == 1 && p->trans == EXBLAS_CONJ_TRANS ? -1 : 1;
    ORACLE(o);
    add_complex_terms(&o, p, i, p->n - 2, k, -1);
    double near = oracle_round(&o, FORMAT_D);
    oracle_add(&o, -near);
    oracle_add(&o, -half_ulp(near, FORMAT_D));
    oracle_add(&o, delta);
    for (int j = p->n - 2; j < p->n; j++) {
        double *a = complex_at(p, i, j);
        a[k] = sign * oracle_round(&o, FORMAT_D) * 0x1p20;
        oracle_add_product(&o, -sign * a[k], p->x[2 * j]);
    }
}

static void fill_complex_problem(complex_problem *p, test_random *r)
{
    const int ways[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS};
    bool is_equal = random_chance(r, 2);
    p->m = (int)random_between(r, EXB_ROW_GROUP, MOST_COMPLEX);
    p->n = (int)random_between(r, 3, MOST_COMPLEX);
    p->trans = ways[random_between(r, 0, 2)];
    fill(p->elements, 2 * MOST_COMPLEX * MOST_COMPLEX, r, is_equal ? 0 : 6);
    fill(p->x, 2 * MOST_COMPLEX, r, is_equal ? 0 : 6);
    for (int j = 1; j < p->n && is_equal; j++) {
        memcpy(p->x + 2 * j, p->x, 2 * sizeof *p->x);
        for (int i = 0; i < p->m; i++)
            memcpy(complex_at(p, i, j), complex_at(p, i, 0), 2 * sizeof *p->x);
    }
    for (int j = p->n - 2; j < p->n; j++) {
        p->x[2 * j] = 0x1p-20;
        p->x[2 * j + 1] = 0;
    }
    for (int i = 0; i < p->m; i++)
        for (int k = 0; k < 2; k++)
            put_part_near_midpoint(p, i, k,
                                   random_sign(r) * ldexp(1, -(int)random_between(r, 70, 90)));
}

static void complex_rows_are_right(NO_STATE)
{
    static complex_problem p;
    const double one[] = {1, 0}, zero[] = {0, 0};
    test_random r = test_random_start(test_seed(), "complex rows");
    ORACLE(o);
    for (int round = 0; round < 300; round++) {
        double y[2 * MOST_COMPLEX];
        fill_complex_problem(&p, &r);
        bool by_rows = p.trans != EXBLAS_NO_TRANS;
        int m = by_rows ? p.n : p.m, n = by_rows ? p.m : p.n;
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            excblas_zgemv(EXBLAS_COL_MAJOR, p.trans, m, n, one, p.elements, m, p.x, 1, zero, y, 1);
            for (int i = 0; i < 2 * p.m; i++) {
                oracle_reset(&o);
                add_complex_terms(&o, &p, i / 2, p.n, i % 2, 1);
                assert_same_bits(y[i], oracle_round(&o, FORMAT_D));
            }
        }
    }
}

/* --- rows that are not certified --------------------------------------------- */

static void multiply(const char *method, int trans, int n, const double *a, const double *x,
                     double *y)
{
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < n; i++)
        y[2 * i] = 1;
    excblas_dgemv(EXBLAS_COL_MAJOR, trans, n, n, 1, a, n, x, -1, 0.5, y, 2);
    exblas_set_method(NULL);
}

/* n_zeros rows are -1/2 by cancellation, so that y is exactly 0. Of the others, numbers about
 * `scale`, those that are not sampled have two large terms that cancel, if `large` is not 0: beyond
 * the anchor that the samples suggest. */
static void check_fallback(int trans, int n, int n_zeros, double scale, double large)
{
    static double a[64 * 64], x[64], y[128], right[128];
    test_random r = test_random_start(test_seed(), "fallback");
    bool by_rows = trans == EXBLAS_TRANS;
    for (int j = 0; j < n; j++) {
        x[n - 1 - j] = j < 3 ? 1 : random_number(&r, FORMAT_D, 0);
        for (int i = 0; i < n; i++) {
            double *at = &a[by_rows ? i * n + j : i + j * n];
            *at = scale * random_number(&r, FORMAT_D, 0);
            if (i < n_zeros)
                *at = (j == 0) * 0.25 - (j == 1) * 0.75;
            else if (large != 0 && i > 0 && i < n - 1 && (j == 0 || j == 2))
                *at = j == 0 ? large : -large;
        }
    }
    exblas_stats stats;
    exblas_stats_enable(1);
    multiply("auto", trans, n, a, x, y);
    exblas_stats_enable(0);
    assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
    assert_true(n_zeros != 1 || stats.fallbacks == 1);
    multiply("superacc", trans, n, a, x, right);
    for (int i = 0; i < n; i++)
        assert_same_bits(y[2 * i], right[2 * i]);
}

static void other_rows_are_computed(NO_STATE)
{
    const int ways[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS};
    for (int n = 4; n <= 64; n += n < 12 ? 1 : 13)
        for (int way = 0; way < 2; way++) {
            check_fallback(ways[way], n, 0, 1, 0);
            check_fallback(ways[way], n, 1, 1, 0);
            check_fallback(ways[way], n, n, 1, 0);
            check_fallback(ways[way], n, 0, 1, 0x1p200);
            check_fallback(ways[way], n, 0, 1, 0x1p1000);
            check_fallback(ways[way], n, 0, 0x1p1000, 0);
            check_fallback(ways[way], n, 0, 0x1p-1000, 0);
            check_fallback(ways[way], n, 0, 0, 0);
            check_fallback(ways[way], n, 0, 1, INFINITY);
            check_fallback(ways[way], n, 0, 1, (double)NAN);
        }
}

/* Rows whose products are zeros, by either factor, are known at once: some, and those of many that
 * the columns are read for, up to their ends. */
static void zero_rows_are_known(NO_STATE)
{
    enum { M = 80, N = 10 };
    double a[M * (N + 1)], x[N + 1], y[M];
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int n_zeros = 3; n_zeros < 20; n_zeros += 14) {
            exblas_stats stats;
            for (int j = 0; j <= N; j++) {
                x[j] = j == N || j % 2;
                for (int i = 0; i < M; i++)
                    a[by_rows ? i * N + j : i + j * M] = i < n_zeros && j < N ? j % 2 == 0 : 0.1;
            }
            exblas_stats_enable(1);
            excblas_dgemv(EXBLAS_COL_MAJOR, by_rows ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                          by_rows ? N : M, by_rows ? M : N, 1, a, by_rows ? N : M, x, 1, 0, y, 1);
            exblas_stats_enable(0);
            assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
            assert_int_equal(stats.fallbacks, 0);
            assert_true(y[0] == 0 && y[M - 1] != 0);
        }
}

/* Rows as long as a lane, or longer, of products that are as large as an anchor holds but for those
 * that are sampled; and x has a stride. */
static void check_long_rows(int trans, int n, int sign)
{
    enum { M = 6, MOST = 3 * MOST_TERMS / 2, N_SAMPLES = 4 };
    static double a[M * MOST], x[2 * MOST], y[M], right[M];
    int step = n / N_SAMPLES;
    bool by_rows = trans == EXBLAS_TRANS;
    for (int j = 0; j < n; j++) {
        x[2 * j] = j == 0 ? 1 + 0x1p-52 : 1; /* the largest is sampled */
        for (int i = 0; i < M; i++) {
            bool is_sampled = by_rows ? i % (M - 1) == 0 : j == 0 || j % step == step / 2;
            a[by_rows ? i * n + j : i + j * M] =
                sign * (is_sampled ? 1 : 8 - 0x1p-49 - 0x1p-50 * (i * j % 3));
        }
    }
    for (int exact = 0; exact < 2; exact++) {
        exblas_set_method(exact ? "superacc" : "auto");
        excblas_dgemv(EXBLAS_COL_MAJOR, trans, by_rows ? n : M, by_rows ? M : n, 1, a,
                      by_rows ? n : M, x, 2, 0, exact ? right : y, 1);
    }
    exblas_set_method(NULL);
    for (int i = 0; i < M; i++)
        assert_same_bits(y[i], right[i]);
}

static void long_rows(NO_STATE)
{
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int way = 0; way < 4 && exb_isa_select(exb_isa_name(isa)) == 0; way++)
            for (int n = MOST_TERMS - 1; n <= 3 * MOST_TERMS / 2; n += n <= MOST_TERMS ? 1 : 511)
                check_long_rows(way & 1 ? EXBLAS_TRANS : EXBLAS_NO_TRANS, n, way & 2 ? 1 : -1);
}

/* --- tall matrices with short columns ------------------------------------------ */

enum { MOST_ROWS = 2500, MOST_COLUMNS = 120 };

/* Each row is a tie of floats, 1 + 2^-24, and terms so small that sums in double lose them all. */
static void floats_beside_ties(NO_STATE)
{
    static float a[MOST_ROWS * MOST_COLUMNS], x[MOST_COLUMNS], y[MOST_ROWS];
    static const int heights[] = {4, 5, 63, 64, 65, 255, 257, 300, MOST_ROWS};
    for (int j = 0; j < MOST_COLUMNS; j++)
        x[j] = 1;
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (size_t k = 0; k < sizeof heights / sizeof *heights; k++) {
            int m = heights[k], n = 3 + (int)k * 14;
            if (exb_isa_select(exb_isa_name(isa)) != 0)
                continue;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++)
                    a[i + j * m] = j == 0 ? 1 : j == 1 ? 0x1p-24f : i % 2 ? 0x1p-54f : -0x1p-54f;
            excblas_sgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, n, 1, a, m, x, 1, 0, y, 1);
            for (int i = 0; i < m; i++)
                assert_true(y[i] == (i % 2 ? 1 + 0x1p-23f : 1));
        }
}

/* Rows of m x n numbers by themselves, by the method of that name. */
static void multiply_tall(const char *method, int m, int n, const double *a, const double *x,
                          double beta, double *y)
{
    static float as[MOST_ROWS * MOST_COLUMNS], xs[MOST_COLUMNS], ys[MOST_ROWS];
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < m; i++)
        y[i] = ys[i] = 1;
    for (int i = 0; i < m * n; i++)
        as[i] = (float)a[i];
    for (int j = 0; j < n; j++)
        xs[j] = (float)x[j];
    excblas_dgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, n, 1, a, m, x, 1, beta, y, 1);
    excblas_sgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, n, 1, as, m, xs, 1, (float)beta, ys, 1);
    for (int i = 0; i < m; i++)
        y[m + i] = ys[i];
    exblas_set_method(NULL);
}

/* Ordinary numbers; rows of every magnitude, which one anchor does not decide; short integers,
 * whose sums are ties; cancellation in some rows; and numbers that are not finite. */
static double tall_element(test_random *r, int kind, int i, int j)
{
    double x = random_number(r, FORMAT_D, kind == 1 ? i % 200 - 100 : 0);
    if (kind == 2)
        return (double)random_between(r, -9, 9) + (j == 0 ? 0x1p54 : 0);
    if (kind == 5) /* 4 + 2^-51 + 2^-200: beside a tie, by what two doubles do not hold */
        return j < 3 && i % 3 == 0 ? (j == 0 ? 2 : ldexp(1, j == 1 ? -51 : -200)) : 0;
    if (kind == 3 && i % 7 == 0)
        return j % 2 ? -3 : 3;
    return kind == 4 && i % 90 == 0 && j == 2 ? (i % 4 ? HUGE_VAL : NAN) : x;
}

static void tall_matrices(NO_STATE)
{
    static double a[MOST_ROWS * MOST_COLUMNS], x[MOST_COLUMNS], y[2 * MOST_ROWS],
        right[2 * MOST_ROWS];
    test_random r = test_random_start(test_seed(), "tall");
    for (int kind = 0; kind < 6; kind++)
        for (int m = 250; m <= MOST_ROWS; m += 450)
            for (int n = 2; n <= MOST_COLUMNS; n += n < 20 ? 4 : 49) {
                for (int j = 0; j < n; j++) {
                    x[j] = j % 3 ? 1 : 2;
                    for (int i = 0; i < m; i++)
                        a[i + j * m] = tall_element(&r, kind, i, j);
                }
                multiply_tall("auto", m, n, a, x, kind == 5 ? 0 : -1, y);
                multiply_tall("superacc", m, n, a, x, kind == 5 ? 0 : -1, right);
                for (int i = 0; i < 2 * m; i++)
                    assert_same_bits(y[i], right[i]);
            }
}

/* Zeros where nothing is stored are no zeros of the matrix, even if all products underflow. */
static void mirrored_elements(NO_STATE)
{
    const double a[] = {0, 0x1p-600, 0, 0}, x[] = {0, 0x1p-480};
    double y[2];
    excblas_dsymv(EXBLAS_COL_MAJOR, EXBLAS_LOWER, 2, 0x1p200, a, 2, x, 1, 0, y, 1);
    assert_true(y[0] == 0x1p-880 && y[1] == 0);
}

TESTS(complex_rows_are_right, other_rows_are_computed, zero_rows_are_known, long_rows,
      floats_beside_ties, tall_matrices, mirrored_elements)
