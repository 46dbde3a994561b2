/* Correctly rounded solutions against rational arithmetic. */
#include "system_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

static system_case c;

static void every_kind_in_all_modes(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "solutions");
    print_message("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    exblas_solution info;
    exblas_status status;
    int n_of[SYSTEM_ROUTINES][EXBLAS_EINDEFINITE + 1] = {{0}};
    for (int round = 0; round < 12; round++)
        for (size_t kind = 0; kind < system_kinds(); kind++)
            for (system_routine routine = 0; routine < SYSTEM_ROUTINES; routine++) {
                c.routine = routine;
                c.format = round % 2 ? FORMAT_S : FORMAT_D;
                c.m = c.n = (int)random_between(&r, 1, round ? 9 : 16);
                c.nrhs = (int)random_between(&r, 1, SYSTEM_MOST_RIGHT);
                if (routine == SYSTEM_GELS && strchr("gs", *system_kind_name(kind)))
                    c.n = 1 + c.n % 3; /* graded, scattered: of many words */
                system_fill(&c, kind, &r);
                if (!system_holds(&c, mode_next(), &info, &status))
                    fail_msg("kind: %s", system_kind_name(kind));
                n_of[routine][status]++;
            }
    mode_restore();
    for (system_routine routine = 0; routine < SYSTEM_ROUTINES; routine++)
        assert_true(n_of[routine][EXBLAS_OK] > 10);
    assert_true(n_of[SYSTEM_GESV][EXBLAS_ESINGULAR] > 3);
    assert_true(n_of[SYSTEM_GELS][EXBLAS_ESINGULAR] > 3);
    assert_true(n_of[SYSTEM_POSV][EXBLAS_EINDEFINITE] > 10);
}

static bool holds(exblas_solution *info)
{
    static const call_mode plain;
    exblas_status status;
    bool right = system_holds(&c, &plain, info, &status);
    mode_restore();
    return right;
}

/* x_1 = 2^53 + 1 lies halfway between two doubles, and x_2 = 1/3 keeps the residual from becoming
 * 0: only exact arithmetic decides. A little beside the tie, the sum of terms does. */
static void ties(NO_STATE)
{
    const double a[] = {1, 0, -0x1p53, 0, 3, 1, 0, 0, 1};
    const double beside[] = {1, 3, 5, 1 + 0x1p-52, 1 - 0x1p-53, -1 + 0x1p-53, 1 - 0x1p-30};
    exblas_solution info;
    for (int i = 0; i < 7; i++) {
        const double b[] = {beside[i], 2, 1};
        system_set_square(&c, 3, a, b);
        assert_true(holds(&info));
        assert_int_equal(info.n_exact, i < 3);
    }
}

/* Of all right-hand sides together: what each of them leaves is added. */
static void exact_components_are_counted(NO_STATE)
{
    const double a[] = {1, 0, -0x1p53, 0, 3, 1, 0, 0, 1}, beside[] = {1, 3, 1 + 0x1p-52};
    exblas_solution info;
    for (int last = 0; last < 3; last++) {
        system_set_square(&c, 3, a, (const double[]){1, 2, 1});
        c.nrhs = 3;
        for (int k = 1; k < 3; k++) {
            c.b[0][k] = beside[k == 2 ? last : 1];
            c.b[1][k] = 2;
            c.b[2][k] = 1;
        }
        assert_true(holds(&info));
        assert_int_equal(info.n_exact, last == 2 ? 2 : 3);
    }
}

/* The third component is 0 and the others are no doubles, so that no residual is ever 0. */
static void zero_among_fractions(NO_STATE)
{
    const double a[] = {3, 2, 5, 1, 3, -2, 5, 1, 9}, b[] = {1, 1, 1};
    exblas_solution info;
    system_set_square(&c, 3, a, b);
    assert_true(holds(&info));
    assert_true(info.n_exact >= 1);
}

/* Residuals that sums of three parts do not know well enough, but accumulators do: of a component
 * far below the others, and of a solution that is its terms exactly, a zero among them. */
static void residuals_become_exact(NO_STATE)
{
    const double thirds[] = {3, 0, 0, 3}, b[] = {1, 0x1p-300};
    const double integers[] = {3, 2, 5, 1, 3, -2, 5, 1, 9}, right[] = {2, 3, 1};
    exblas_solution info;
    system_set_square(&c, 2, thirds, b);
    assert_true(holds(&info));
    assert_true(info.n_exact == 0 && info.n_terms > 4);
    system_set_square(&c, 3, integers, right);
    assert_true(holds(&info));
    assert_int_equal(info.n_exact, 0);
}

/* Results that are subnormal, vanish or leave the range. */
static void ends_of_the_range(NO_STATE)
{
    const double scale[] = {0x1p-1074, 0x1p-1022, 0x1.8p-1000, 0x1p-30, 1, 0x1p1000, 0x1.8p1023};
    exblas_solution info;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++) {
            const double a[] = {3 * (i ? scale[i] / 4 : scale[i]), 0, scale[i], scale[k]};
            const double b[] = {scale[k], scale[6 - i]};
            system_set_square(&c, 2, a, b);
            assert_true(holds(&info));
        }
}

/* x_1 lies 2^-2060 beside a tie because of an element that no scaling can keep. */
static void an_element_far_below(NO_STATE)
{
    exblas_solution info;
    for (int sign = -1; sign <= 1; sign++) {
        const double a[] = {0x1p1000, 0x1p-1060, 0x1p947, 0, 1, 0, 0, 0, 1};
        const double b[] = {0x1.0000000000001p1000, sign, 1};
        system_set_square(&c, 3, a, b);
        assert_true(holds(&info));
    }
}

/* One column has a scale of its own. */
static void one_small_column(NO_STATE)
{
    enum { SIZE = 33 };
    exblas_solution info;
    for (int small = 0; small < SIZE; small++) {
        c = (system_case){.format = FORMAT_D, .m = SIZE, .n = SIZE, .nrhs = 1};
        for (int i = 0; i < SIZE; i++) {
            int next = (i + 1) % SIZE;
            c.a[i][i] = i == small ? 3 * 0x1p-30 : 3;
            c.a[i][next] = next == small ? 0x1p-30 : 1;
            c.b[i][0] = i;
        }
        assert_true(holds(&info));
        assert_int_equal(info.n_exact, 0);
    }
}

/* Conditions of 10^14 to 10^24, n = 24. */
static void conditions(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "conditions");
    exblas_solution info;
    for (int digits = 4; digits <= 24; digits += 4) {
        c = (system_case){.format = FORMAT_D, .m = 24, .n = 24, .nrhs = 1};
        for (int i = 0; i < c.n; i++) {
            c.b[i][0] = random_number(&r, FORMAT_D, 0);
            for (int j = 0; j < c.n; j++)
                for (int k = 0; k < c.n; k++)
                    c.a[i][j] += cos(1.0 + i * (k + 1)) * cos(2.0 + j * (k + 1)) *
                                 pow(10, -(double)digits * k / (c.n - 1));
        }
        assert_true(holds(&info));
        assert_true(digits > 8 || info.n_exact == 0);
        assert_true(digits < 20 || info.n_exact == c.n);
    }
}

static void what_info_says(NO_STATE)
{
    const double a[] = {2, 0, 0, 0.5}, b[] = {1, 1};
    const double singular[][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}};
    exblas_solution info;
    system_set_square(&c, 2, a, b);
    assert_true(holds(&info));
    assert_same_bits(info.condition, 4);
    assert_int_equal(info.n_exact, 0);
    for (int i = 0; i < 2; i++) {
        system_set_square(&c, 2, singular[i], b);
        assert_true(holds(&info));
        assert_true(isinf(info.condition) && info.n_exact == 0);
    }
}

static int reported;

static void note(const char *routine, int position)
{
    assert_string_equal(routine, "exblas_dgesv");
    reported = position;
}

static void note_any(const char *routine, int position)
{
    (void)routine;
    reported = position;
}

static int position_of(int n, int nrhs, int lda, int ldb, int ldx)
{
    const double a[4] = {1, 0, 0, 1}, b[2] = {1, 1};
    double x[2] = {7, 7};
    reported = 0;
    exblas_status status = exblas_dgesv(n, nrhs, a, lda, b, ldb, x, ldx, NULL);
    assert_int_equal(status, reported ? EXBLAS_EINVAL : EXBLAS_OK);
    assert_true(x[0] == 7 && x[1] == 7);
    return reported;
}

static void bad_arguments(NO_STATE)
{
    exblas_xerbla_fn *old = exblas_set_xerbla(note);
    assert_int_equal(position_of(-1, -1, 0, 0, 0), 1);
    assert_int_equal(position_of(2, -1, 0, 0, 0), 2);
    assert_int_equal(position_of(2, 1, 1, 1, 1), 4);
    assert_int_equal(position_of(2, 1, 2, 1, 1), 6);
    assert_int_equal(position_of(2, 1, 2, 2, 1), 8);
    assert_int_equal(position_of(0, 1, 0, 1, 1), 4);
    assert_int_equal(position_of(0, 1, 1, 1, 1), 0);
    assert_int_equal(position_of(2, 0, 2, 2, 2), 0);
    const double special[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        double a[4] = {1, 0, 0, 1}, b[2] = {1, 1}, x[2] = {7, 7};
        b[1] = special[i];
        assert_int_equal(exblas_dgesv(2, 1, a, 2, b, 2, x, 2, NULL), EXBLAS_EINVAL);
        assert_int_equal(reported, 5);
        a[2] = special[i];
        assert_int_equal(exblas_dgesv(2, 1, a, 2, b, 2, x, 2, NULL), EXBLAS_EINVAL);
        assert_int_equal(reported, 3);
        assert_true(x[0] == 7 && x[1] == 7);
    }
    exblas_set_xerbla(old);
}

/* At every place of the arrays. */
static void one_that_is_not_finite(NO_STATE)
{
    enum { N = 5 };
    double a[N * N] = {0}, b[N] = {1, 2, 3, 4, 5}, x[N];
    exblas_xerbla_fn *old = exblas_set_xerbla(note_any);
    for (int i = 0; i < N * N; i++)
        a[i] = i / N == i % N;
    for (int i = 0; i < N * N + N; i++) {
        double *at = i < N * N ? a + i : b + (i - N * N), before = *at;
        *at = i % 2 ? INFINITY : NAN;
        reported = 0;
        assert_int_equal(exblas_dgesv(N, 1, a, N, b, N, x, N, NULL), EXBLAS_EINVAL);
        assert_int_equal(reported, i < N * N ? 3 : 5);
        *at = before;
    }
    assert_int_equal(exblas_dgesv(N, 1, a, N, b, N, x, N, NULL), EXBLAS_OK);
    exblas_set_xerbla(old);
}

/* Of the other two, whose numbers are one higher. */
static void bad_arguments_of_the_others(NO_STATE)
{
    static const struct {
        int uplo, m, n, nrhs, lda, ldb, ldx, posv, gels;
    } bad[] = {{0, -1, -1, -1, 0, 0, 0, 1, 1}, {121, 2, -1, -1, 0, 0, 0, 2, 2},
               {122, 2, 2, -1, 0, 0, 0, 3, 3}, {122, 2, 2, 1, 1, 1, 1, 5, 5},
               {122, 2, 2, 1, 2, 1, 1, 7, 7},  {122, 2, 2, 1, 2, 2, 1, 9, 9},
               {122, 2, 0, 1, 2, 2, 1, 0, 0},  {122, 0, 0, 1, 1, 1, 0, 9, 9}};
    const double a[4] = {1, 0, 0, 1}, b[2] = {1, 1}, special[4] = {1, NAN, INFINITY, 1};
    double x[2] = {7, 7};
    exblas_xerbla_fn *old = exblas_set_xerbla(note_any);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reported = 0;
        exblas_dposv(bad[i].uplo, bad[i].n, bad[i].nrhs, a, bad[i].lda, b, bad[i].ldb, x,
                     bad[i].ldx, NULL);
        assert_int_equal(reported, bad[i].posv);
        reported = 0;
        exblas_dgels(bad[i].m, bad[i].n, bad[i].nrhs, a, bad[i].lda, b, bad[i].ldb, x, bad[i].ldx,
                     NULL);
        assert_int_equal(reported, bad[i].gels);
    }
    assert_int_equal(exblas_dposv(121, 2, 1, special, 2, b, 2, x, 2, NULL), EXBLAS_EINVAL);
    assert_int_equal(reported, 4);
    assert_int_equal(exblas_dgels(2, 1, 1, a, 2, special, 2, x, 2, NULL), EXBLAS_EINVAL);
    assert_int_equal(reported, 6);
    assert_true(x[0] == 7 && x[1] == 7);
    exblas_set_xerbla(old);
}

/* The solution of least length of no equations. */
static void no_equations(NO_STATE)
{
    double none[1] = {1}, x[2] = {7, 7};
    assert_int_equal(exblas_dgels(0, 2, 1, none, 1, none, 1, x, 2, NULL), EXBLAS_OK);
    assert_same_bits(x[0], 0);
    assert_same_bits(x[1], 0);
}

/* x may be b. */
static void in_place(NO_STATE)
{
    const double a[4] = {2, 0, 1, 4};
    double b[2] = {1, 2};
    assert_int_equal(exblas_dgesv(2, 1, a, 2, b, 2, b, 2, NULL), EXBLAS_OK);
    assert_same_bits(b[0], 0.25);
    assert_same_bits(b[1], 0.5);
}

TESTS(every_kind_in_all_modes, ties, exact_components_are_counted, zero_among_fractions,
      residuals_become_exact, ends_of_the_range, an_element_far_below, one_small_column, conditions,
      what_info_says, bad_arguments, in_place, one_that_is_not_finite, bad_arguments_of_the_others,
      no_equations)
