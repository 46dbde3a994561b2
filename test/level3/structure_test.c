/* Operands with structure: zero rows, columns and blocks, leading and trailing zeros, permuted
 * identities, of both signs of zero; Inf and NaN behind zeros, subnormal numbers, special alpha and
 * beta; all sizes around the limits of blocks. Bits against the model, in many modes, with little
 * working memory and with plenty. And what the statistics say of such calls. */
#include "level3_run.h"
#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <complex.h>
#include <exblas/exblas.h>
#include <math.h>
#include <string.h>

enum { MOST = 140, MOST_ELEMENTS = MOST * MOST };

typedef struct {
    level2_number a[MOST_ELEMENTS], b[MOST_ELEMENTS], c[MOST_ELEMENTS], want[MOST_ELEMENTS],
        got[MOST_ELEMENTS];
} numbers;

static double zero(test_random *r)
{
    return random_chance(r, 2) ? -0.0 : 0.0;
}

/* --- matrices ------------------------------------------------------------------ */

typedef struct {
    int64_t begin, end;
} range;

static range random_range(test_random *r, int64_t n)
{
    int64_t begin = random_between(r, 0, n), end = random_between(r, begin, n);
    if (random_chance(r, 2)) { /* at the limits of blocks */
        begin = begin / 32 * 32;
        end = end / 64 * 64;
    }
    if (random_chance(r, 4))
        begin = 0;
    if (random_chance(r, 4))
        end = n;
    return (range){begin, end};
}

static bool in_range(range x, int64_t i)
{
    return i >= x.begin && i < x.end;
}

/* Zeroes what lies outside of ranges of the lines, which are columns or rows; or whole lines. */
static void cut_lines(test_random *r, int64_t rows, int64_t cols, bool by_columns, bool whole,
                      level2_number *x)
{
    int64_t n_lines = by_columns ? cols : rows, length = by_columns ? rows : cols;
    for (int64_t line = 0; line < n_lines; line++) {
        range kept = random_range(r, length);
        if (whole)
            kept = random_chance(r, 2) ? (range){0, 0} : (range){0, length};
        for (int64_t i = 0; i < length; i++)
            if (!in_range(kept, i))
                x[by_columns ? line * rows + i : i * rows + line] =
                    (level2_number){zero(r), zero(r)};
    }
}

static void zero_block(test_random *r, int64_t rows, int64_t cols, level2_number *x)
{
    range i = random_range(r, rows), j = random_range(r, cols);
    for (int64_t at = 0; at < rows * cols; at++)
        if (in_range(i, at % rows) && in_range(j, at / rows))
            x[at] = (level2_number){zero(r), zero(r)};
}

/* One element of each column, where there is a row for it. */
static void permuted(test_random *r, int64_t rows, int64_t cols, level2_number *x)
{
    double place[MOST];
    for (int64_t i = 0; i < MOST; i++)
        place[i] = (double)i;
    shuffle(r, rows, place, NULL);
    for (int64_t at = 0; at < rows * cols; at++)
        if (!(at / rows < rows && at % rows == (int64_t)place[at / rows]))
            x[at] = (level2_number){zero(r), zero(r)};
        else if (random_chance(r, 2))
            x[at] = (level2_number){1, 0};
}

static void fill_structured(test_random *r, number_format f, int64_t rows, int64_t cols,
                            level2_number *x)
{
    int exp2 = random_chance(r, 6) ? limits_of(f).min_exp2 + (int)random_between(r, 0, 30)
                                   : (int)random_between(r, -8, 8);
    for (int64_t i = 0; i < rows * cols; i++)
        x[i] = (level2_number){random_number(r, f, exp2), random_number(r, f, exp2)};
    switch (random_between(r, 0, 6)) {
    case 0:
        break;
    case 1:
        permuted(r, rows, cols, x);
        break;
    case 2:
        zero_block(r, rows, cols, x);
        zero_block(r, rows, cols, x);
        break;
    default:
        cut_lines(r, rows, cols, random_chance(r, 2), random_chance(r, 2), x);
    }
    static const double hidden[] = {INFINITY, -INFINITY, NAN};
    if (rows * cols > 0 && random_chance(r, 4))
        x[random_between(r, 0, rows * cols - 1)].re = hidden[random_between(r, 0, 2)];
}

/* --- problems ------------------------------------------------------------------ */

static level2_number scalar(test_random *r, number_format f, bool is_real)
{
    static const double kinds[] = {1, 1, 1, 1, -1, 0, -0.0, 0.5, INFINITY, NAN, 0x1p-140, 0x1p120};
    level2_number a = {round_to(f, kinds[random_between(r, 0, 11)]), 0};
    if (!is_real && random_chance(r, 3))
        a.im = kinds[random_between(r, 0, 11)];
    return a;
}

static int64_t size(test_random *r, int64_t most)
{
    static const int64_t limits[] = {1, 8, 24, 31, 32, 33, 63, 64, 65, 96, 97, 128, 129};
    int64_t n = random_chance(r, 2) ? limits[random_between(r, 0, 12)] : random_between(r, 1, most);
    return n < most ? n : most;
}

static level3_problem random_problem(test_random *r, level3_family family, char type, numbers *o)
{
    const level3_traits *t = &level3_family_traits[family];
    number_format f = level2_format(type);
    bool is_complex = level2_is_complex(type), is_triangle = family == L3_TRMM || family == L3_TRSM;
    level3_problem p = {.family = family, .type = type, .a = o->a, .b = o->b, .c = o->c};
    p.transa = random_letter(r, level3_transposes(family, type));
    p.transb = random_letter(r, "ntc");
    p.side = random_letter(r, "lr");
    p.uplo = random_letter(r, "lu");
    p.diag = random_letter(r, "nu");
    int64_t order = size(r, is_triangle ? 130 : 70), other = size(r, is_complex ? 12 : 24);
    p.m = !t->has_m || p.side == 'l' ? order : other;
    p.n = !t->has_m || p.side == 'r' ? order : other;
    p.k = size(r, t->has_m ? 100 : 40);
    if (!t->has_m)
        p.m = p.n;
    p.alpha = scalar(r, f, !is_complex || t->real_alpha);
    p.beta = t->has_beta ? scalar(r, f, !is_complex || t->real_beta) : (level2_number){0, 0};
    level3_matrix a = level3_matrix_of(&p, MATRIX_A), b = level3_matrix_of(&p, MATRIX_B),
                  c = level3_matrix_of(&p, MATRIX_C);
    fill_structured(r, f, a.rows, a.cols, o->a);
    fill_structured(r, f, b.rows, b.cols, o->b);
    fill_structured(r, f, c.rows, c.cols, o->c);
    for (int64_t i = 0; family == L3_TRSM && i < a.rows * a.cols; i++) {
        bool is_diagonal = i % a.rows == i / a.rows;
        if (is_diagonal && !random_chance(r, 40))
            o->a[i] = (level2_number){random_number(r, f, 2), random_number(r, f, -1)};
        else if (isfinite(o->a[i].re) && fabs(o->a[i].re) > 1) /* solutions of moderate size */
            o->a[i].re = round_to(f, o->a[i].re * 0x1p-12);
    }
    for (int64_t i = 0; i < MOST_ELEMENTS && !is_complex; i++)
        o->a[i].im = o->b[i].im = o->c[i].im = 0; /* what a real type does not have */
    return p;
}

static void check(const level3_problem *p, const call_mode *m, const numbers *o, level2_number *got)
{
    char how[200];
    placement q = mode_placement(m);
    const char *wrong = level3_difference(p, &q, o->want, got);
    mode_text(m, how);
    if (wrong)
        fail_msg("%s; %s, seed %llu", wrong, how, (unsigned long long)test_seed());
}

/* Each problem in a random mode with any method, and in another by the library's own choice. */
static void same_bits_as_the_model(void **state)
{
    static const level3_family families[] = {L3_GEMM, L3_GEMMT, L3_SYMM, L3_SYRK,
                                             L3_TRMM, L3_TRSM,  L3_TRSM, L3_TRMM};
    static const size_t workspaces[] = {0, 0, 8 << 10, 200 << 10};
    const char *type = *state;
    numbers *o = calloc(1, sizeof *o);
    assert_non_null(o);
    test_random r = test_random_start(test_seed(), type);
    for (int i = 0; i < 10 * (int)(sizeof families / sizeof *families); i++) {
        level3_problem p = random_problem(&r, families[i % 8], *type, o);
        level3_model(&p, o->want);
        for (int again = 0; again < 2; again++) {
            const call_mode *m = mode_random(&r);
            mode_select(m);
            if (again)
                exblas_set_method("auto");
            exblas_set_workspace(workspaces[random_between(&r, 0, 3)]);
            check(&p, m, o, o->got);
        }
    }
    mode_restore();
    free(o);
}

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
        range kept = {0, k};
        if (i / 32 % 3 == seed % 3)
            kept = (range){random_between(&r, 4, 12), k - random_between(&r, 4, 12)};
        for (int l = 0; l < k; l++)
            a[l * m + i] = in_range(kept, l) ? random_number(&r, FORMAT_D, 0) : 0;
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

/* x_2 = alpha b_2 - (b a - b a) is 1 + 2^-53 times 1 or i, a tie that only the exact sum knows: ba
 * has a rounding error, so that compensated sums leave a bound. There are no kernels for i. */
static void uncertified_unknowns_are_counted(NO_STATE)
{
    const double a = 1 + 0x1p-40, b = 1 + 0x1p-41, third = 3002399751580331 * 0x1p-53;
    const double complex alpha[] = {3, 3 * I}, t[9] = {1, 0, b, 0, 1, -b, 0, 0, 1};
    for (int k = 0; k < 2; k++) {
        double complex x[3] = {a / 3, a / 3, third};
        exblas_stats_enable(1);
        excblas_ztrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT, 3,
                      1, &alpha[k], t, 3, x, 3);
        exblas_stats s = stats_of_call();
        double first = creal(x[0]) + cimag(x[0]);
        assert_true(x[0] == x[1] && fma(b, first, -(b * first)) != 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOR_ALL_TYPES(same_bits_as_the_model),
        cmocka_unit_test(triangles_of_strips),
        cmocka_unit_test(cut_strips),
        cmocka_unit_test(zeros_are_certified),
        cmocka_unit_test(uncertified_unknowns_are_counted),
        cmocka_unit_test(rows_after_small_divisors),
        cmocka_unit_test(uncertified_dots_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
