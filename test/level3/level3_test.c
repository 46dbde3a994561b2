/* The routines of Level 3: triangles and strips, what the statistics say of calls, and any calls
 * (fuzz/differential) against the model. */
#include "fuzz/differential/run.h"
#include "testing.h"

#include <complex.h>
#include <exblas/exblas.h>
#include <math.h>

/* --- triangles ------------------------------------------------------------------- */

/* A triangle of alpha A B + beta C by a method, n x n with k terms. */
static void fill_triangle(const char *method, int uplo, int n, int k, double alpha, double beta,
                          const double *a, const double *b, double *c)
{
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < n * n; i++)
        c[i] = (i * 37 % 101 - 50) * 0x1.123456789abcdp-5;
    excblas_dgemmt(EXBLAS_COL_MAJOR, uplo, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, k, alpha, a, n, b,
                   k, beta, c, n);
    exblas_set_method(NULL);
}

/* Large enough for packed strips, some of which lie across the diagonal; the other triangle stays
 * as it was. */
static void triangles_of_strips(NO_STATE)
{
    enum { MOST_N = 250, K = 70 };
    static double a[MOST_N * K], b[K * MOST_N], c[MOST_N * MOST_N], right[MOST_N * MOST_N];
    static const double scalars[][2] = {{1, 0}, {-1, 1}, {1, 1}, {-1, 0}};
    test_random r = test_random_start(test_seed(), "triangles of strips");
    for (int n = 193; n <= MOST_N; n += 19) {
        for (int i = 0; i < n * K; i++) {
            a[i] = random_number(&r, FORMAT_D, 0);
            b[i] = random_number(&r, FORMAT_D, 0);
        }
        for (int way = 0; way < 8; way++) {
            int uplo = way % 2 ? EXBLAS_UPPER : EXBLAS_LOWER;
            const double *s = scalars[way / 2];
            fill_triangle("anchor", uplo, n, K, s[0], s[1], a, b, c);
            fill_triangle("fpe4", uplo, n, K, s[0], s[1], a, b, right);
            for (int i = 0; i < n * n; i++)
                assert_true(same_bits(c[i], right[i]));
        }
    }
}

/* --- statistics ------------------------------------------------------------------ */

/* Row i of A has zeros before and behind some terms, of every 32 rows others. */
static void multiply_cut(const char *method, int seed, int m, int n, int k, double *c)
{
    enum { M = 224, N = 60, K = 60 };
    static double a[M * K], b[K * N];
    test_random r = test_random_start((uint64_t)seed, "cut strips");
    for (int i = 0; i < m; i++) {
        bool is_cut = i / 32 % 3 == seed % 3;
        int64_t begin = is_cut ? random_between(&r, 4, 12) : 0;
        int64_t end = is_cut ? k - random_between(&r, 4, 12) : k;
        for (int l = 0; l < k; l++)
            a[l * m + i] = l >= begin && l < end ? random_number(&r, FORMAT_D, 0) : 0;
    }
    for (int i = 0; i < k * n; i++)
        b[i] = random_number(&r, FORMAT_D, 0);
    for (int i = 0; i < m * n; i++)
        c[i] = random_number(&r, FORMAT_D, 0);
    exblas_set_method(method);
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, k, 1, a, m, b, k, 1, c,
                  m);
    exblas_set_method(NULL);
}

/* Neighbouring strips of the rows whose terms begin and end elsewhere. */
static void cut_strips(NO_STATE)
{
    enum { M = 224, N = 60, K = 60 };
    static double c[M * N], want[M * N];
    for (int seed = 0; seed < 12; seed++) {
        multiply_cut("superacc", seed, M, N, K, want);
        multiply_cut(NULL, seed, M, N, K, c);
        assert_memory_equal(c, want, sizeof c);
    }
}

/* Of the only call since statistics are on. */
static exblas_stats stats_of_call(void)
{
    exblas_stats s;
    assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
    exblas_stats_enable(0);
    return s;
}

/* The inverse of a triangle: most of what is solved for is 0, and none of it is not certified. */
static void zeros_are_certified(NO_STATE)
{
    enum { N = 200 };
    static double t[N * N], x[N * N];
    double place[N];
    test_random r = test_random_start(test_seed(), "permuted identity");
    for (int i = 0; i < N; i++)
        place[i] = i;
    shuffle(&r, N, place, NULL);
    memset(x, 0, sizeof x);
    for (int i = 0; i < N; i++)
        x[i * N + (int)place[i]] = 1;
    for (int i = 0; i < N * N; i++)
        t[i] = random_number(&r, FORMAT_D, -3);
    exblas_stats_enable(1);
    excblas_dtrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT, N, N,
                  1, t, N, x, N);
    exblas_stats s = stats_of_call();
    assert_int_equal(s.elements, N * N);
    if (s.fallbacks > 5)
        fail_msg("%d of %d unknowns are not certified", (int)s.fallbacks, (int)s.elements);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < (int)place[j]; i++)
            assert_true(same_bits(x[j * N + i], 0.0));
}

/* x_2 = alpha b_2 - (b a - b a) is 1 + 2^-53 times 1 or 1 + i, a tie that only the exact sum knows:
 * ba has a rounding error, so that sums leave a bound. */
static void uncertified_unknowns_are_counted(NO_STATE)
{
    const double a = 1 + 0x1p-40, b = 1 + 0x1p-41, third = 3002399751580331 * 0x1p-53;
    const double complex alpha[] = {3, 3 + 3 * I}, t[9] = {1, 0, b, 0, 1, -b, 0, 0, 1};
    for (int k = 0; k < 2; k++) {
        double complex x[3] = {a / 3, a / 3, third};
        exblas_stats_enable(1);
        excblas_ztrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT, 3,
                      1, &alpha[k], t, 3, x, 3);
        exblas_stats s = stats_of_call();
        assert_true(x[0] == x[1] && fma(b, creal(x[0]), -(b * creal(x[0]))) != 0);
        assert_true(x[2] == alpha[k] / 3);
        assert_int_equal(s.elements, 3);
        assert_int_equal(s.fallbacks, 1);
    }
}

/* Row r's divisor is too small for the kernel, x_r-2 is large, and what row r + 1 takes of it is
 * all but what was there. */
static void rows_after_small_divisors(NO_STATE)
{
    enum { N = 32, SIDES = 21 };
    static double t[N * N], b[N * SIDES], x[2][N * SIDES];
    test_random random = test_random_start(test_seed(), "small divisors");
    for (int i = 0; i < N * N; i++)
        t[i] = random_number(&random, FORMAT_D, -3);
    for (int i = 0; i < N * SIDES; i++)
        b[i] = random_number(&random, FORMAT_D, 0);
    for (int r = 3; r + 1 < N; r += 4) {
        double *large = t + (r - 2) * N, product = large[r + 1];
        for (int i = r - 1; i < N; i++)
            large[i] = i == r + 1 ? product : 0;
        for (int j = 0; j <= r; j++)
            t[j * N + r] = j < r ? 0 : 0x1p-950;
        large[r - 2] = 1;
        for (int j = 0; j < r - 2; j++)
            t[j * N + r - 2] = 0;
        for (int v = 0; v < SIDES; v++) {
            b[v * N + r - 2] *= 0x1p60;
            b[v * N + r] = 0x1p-950;
            b[v * N + r + 1] = product * b[v * N + r - 2];
        }
    }
    for (int method = 0; method < 2; method++) {
        memcpy(x[method], b, sizeof b);
        exblas_set_method(method ? "superacc" : NULL);
        excblas_dtrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_NON_UNIT,
                      N, SIDES, 1, t, N, x[method], N);
    }
    exblas_set_method(NULL);
    for (int i = 0; i < N * SIDES; i++)
        assert_same_bits(x[0][i], x[1][i]);
}

/* One element of 3000 terms, which only the exact sum decides, and one like it that a filter does.
 */
static void uncertified_dots_are_counted(NO_STATE)
{
    enum { K = 3000 };
    static double a[K], b[K];
    for (int tie = 0; tie < 2; tie++) {
        double c;
        for (int l = 0; l < K; l++) { /* (1 + 2^-40) (1 + 2^-41) (1 - 1 + ...) */
            a[l] = l % 2 ? -1 - 0x1p-40 : 1 + 0x1p-40;
            b[l] = 1 + 0x1p-41;
        }
        a[1000] = a[1001] = b[1000] = b[1001] = 1;
        b[1001] = tie ? 0x1p-53 : 0x1p-54;
        a[1002] = b[1002] = a[1003] = b[1003] = 0;
        exblas_stats_enable(1);
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_TRANS, EXBLAS_NO_TRANS, 1, 1, K, 1, a, K, b, K, 0,
                      &c, 1);
        exblas_stats s = stats_of_call();
        assert_true(c == 1);
        assert_int_equal(s.elements, 1);
        assert_int_equal(s.fallbacks, tie);
    }
}

static void any_calls(NO_STATE)
{
    assert_int_equal(fuzz_some("level3", 4000), 0);
}

TESTS(triangles_of_strips, cut_strips, zeros_are_certified, uncertified_unknowns_are_counted,
      rows_after_small_divisors, uncertified_dots_are_counted, any_calls)
