/* The sums of residual_columns.h, which proofs rest on, against those of B A - C rounded once.
 * Where residues do not pay there are none. */
#include "lapack/residual_columns.h"

#include "lapack/plain_factors.h"
#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 300 };

/* given: A as it was. */
static double a[MOST * MOST], c[MOST * MOST], s[MOST * MOST], e[MOST * MOST], given[MOST * MOST],
    sums[MOST], known[MOST], exact[MOST], most[MOST], given_most[MOST];
static int64_t order[MOST];
static int n_rounded; /* calls that rounded A */

/* W, the sums of its columns and their largest elements. */
static void set_exact(int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            e[order[j] * n + i] = j > i ? c[j * n + i] : j == i;
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, s, n, a, n, -1, e,
                  n);
    for (int i = 0; i < n; i++) {
        exact[i] = most[i] = 0;
        for (int j = 0; j < n; j++) {
            exact[i] += fabs(e[j * n + i]);
            most[i] = fmax(most[i], fabs(e[j * n + i]));
        }
    }
}

/* A is what it is now. */
static void set_given(int n)
{
    memcpy(given, a, (size_t)(n * n) * sizeof *a);
    set_exact(n);
    memcpy(given_most, most, sizeof most);
}

/* Elements of A are multiples of at most 2^-20 / n of the largest of a column, or of 1. Returns the
 * largest. */
static double check_rounding(int n, int i)
{
    double largest = 0;
    for (int k = 0; k < n; k++)
        largest = fmax(largest, fabs(given[k * n + i]));
    for (int k = 0; k < n; k++)
        assert_true(fabs(a[k * n + i] - given[k * n + i]) * n <= 0x1p-20 * fmax(largest, 1));
    return largest;
}

/* sums_i is at least the sum of the column, and little more: what elements of S lose is at most
 * 2^-n_bits / 2 each, roundings lose what is added for them, and a range is at most 5 times what is
 * known. Columns before `first` are
 * left alone. */
static void check_sums(int n, int first, double factor, exb_residual_room room)
{
    bool was_rounded = memcmp(a, given, (size_t)(n * n) * sizeof *a) != 0;
    memcpy(a, given, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++) {
        known[i] = factor == 0 ? INFINITY : given_most[i] * factor + 0x1p-900;
        sums[i] = -1;
    }
    exb_residual_problem p = {n, first, s, order, a, c, known};
    bool done = exb_residual_columns(&p, room, sums);
    bool is_rounded = memcmp(a, given, (size_t)(n * n) * sizeof *a) != 0;
    n_rounded += is_rounded;
    if (was_rounded || is_rounded)
        set_exact(n);
    for (int i = 0; i < n; i++) {
        double largest = check_rounding(n, i);
        if (i < first || !done) {
            assert_true(sums[i] == -1);
            continue;
        }
        double lost = n * ldexp(n, -room.n_bits) * largest,
               range = 5 * fmax(known[i], 0x1p-31) + ldexp(largest, -20);
        assert_true(known[i] >= most[i]);
        assert_true(sums[i] >= exact[i] * (1 - 0x1p-40));
        assert_true(sums[i] <= exact[i] * (1 + 0x1p-40) + lost + n * 0x1p-50 * (range + 1));
    }
}

/* Of what is known of elements: nothing, the largest one, much too little. */
static void check(int n)
{
    static const double known_factor[] = {0, 1, 0x1p30};
    static const exb_residual_room room[] = {{58, 0x1p-6}, {86, 0x1p-12}};
    set_given(n);
    for (size_t k = 0; k < sizeof known_factor / sizeof *known_factor; k++)
        for (size_t r = 0; r < sizeof room / sizeof *room; r++) {
            check_sums(n, 0, known_factor[k], room[r]);
            check_sums(n, n / 2, known_factor[k], room[r]);
        }
}

/* S', X_U and L of s: what is summed cancels as far as it can. */
static void set_from_factors(int n)
{
    exb_plain_factors f;
    assert_true(exb_plain_factors_init(&f, n, s));
    memcpy(a, f.upper, (size_t)(n * n) * sizeof *a);
    memcpy(c, f.lu, (size_t)(n * n) * sizeof *c);
    memcpy(order, f.order, (size_t)n * sizeof *order);
    exb_plain_factors_free(&f);
}

/* For conditions of about 2^bits. */
static void set_inverse(test_random *random, int n, int bits)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] =
                i < n - 1 || n == 1
                    ? random_number(random, FORMAT_D, (int)random_between(random, -9, -1))
                    : ldexp(random_number(random, FORMAT_D, -1), -bits) + s[j];
    set_from_factors(n);
}

static void sums_are_bounds(void **state)
{
    (void)state;
    static const int size[] = {1, 7, 140}, bits[] = {1, 48};
    test_random random = test_random_start(test_seed(), "residual columns");
    call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++)
            for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
                mode_select(&modes[m]);
                set_inverse(&random, size[k], bits[b]);
                check(size[k]);
            }
    mode_restore();
    free(modes);
}

static void set_order(int n)
{
    for (int i = 0; i < n; i++)
        order[i] = n - 1 - i;
}

/* No inverse at all, columns of any scale, zeros. */
static void any_matrices(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "residual columns of any");
    for (int n = 1; n < 200; n += 48) {
        for (int i = 0; i < n * n; i++) {
            a[i] = i / n > i % n
                       ? 0
                       : random_number(&random, FORMAT_D, (int)random_between(&random, -20, 20));
            s[i] = random_number(&random, FORMAT_D, (int)random_between(&random, -20, 0));
            c[i] = random_number(&random, FORMAT_D, (int)random_between(&random, -20, -1));
        }
        set_order(n);
        check(n);
        memset(a, 0, sizeof a);
        check(n);
    }
}

/* Tiles go to several tasks. */
static void several_tasks(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "residual columns in tasks");
    set_inverse(&random, MOST, 40);
    exblas_set_num_threads(4);
    check(MOST);
    exblas_set_num_threads(0);
}

/* What overflows is not small, and not for residues. */
static void overflow(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = i / 8 > i % 8 ? 0 : 0x1p1000, s[i] = 1, known[i % 8] = 0x1p1010;
    set_order(8);
    exb_residual_problem p = {8, 0, s, order, a, c, known};
    assert_false(exb_residual_columns(&p, (exb_residual_room){58, 0x1p-6}, sums));
}

static double hilbert(int i, int j)
{
    return 1.0 / (i + j + 1);
}

static double signs(int i, int j)
{
    return (__builtin_parity((unsigned)(i & j)) ? -1 : 1) + (i == j ? 0x1p-30 : 0);
}

static double graded(int i, int j)
{
    return ldexp(1 + 0.5 * sin(1.0 + 31 * i + 17 * j), -(i + j) / 2);
}

static double small_rows(int i, int j)
{
    return ldexp(sin(1.0 + 31 * i + 17 * j * j), i % 3 == 1 ? -80 : 0);
}

/* Columns of U that fall off, with elements below the normal range. */
static double falling(int i, int j)
{
    return (i == j) + ldexp(sin(3.0 + i * j), -8 * j);
}

static void structured(void **state)
{
    (void)state;
    static const struct {
        double (*element)(int, int);
        int n;
    } kind[] = {{hilbert, 12}, {signs, 64}, {graded, 100}, {small_rows, 65}, {falling, 130}};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        int n = kind[k].n;
        for (int i = 0; i < n * n; i++)
            s[i] = kind[k].element(i / n, i % n);
        set_from_factors(n);
        check(n);
    }
}

/* One element of W is all of what is known of its column, of either sign, and far above the others;
 * nothing of the column's other rows may be taken for a multiple of the range. */
static void one_large_element(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "one residual");
    for (int bits = -30; bits <= -1; bits += 7) {
        set_inverse(&random, 140, 40);
        for (int i = 0; i < 139; i++)
            c[(i + 1 + i * 7 % (139 - i)) * 140 + i] = ldexp(i % 2 ? 1 : -1, bits);
        check(140);
    }
}

/* A is what `diagonal` says, and B differs from C over A in one element of each column. */
static void set_one_each(test_random *random, int n, double diagonal, double element)
{
    memset(a, 0, sizeof a);
    memset(s, 0, sizeof s);
    set_order(n);
    for (int i = 0; i < n; i++) {
        a[i * n + i] = diagonal;
        for (int j = i; j < n; j++) {
            c[j * n + i] = j == i ? 1 : random_number(random, FORMAT_D, -1);
            s[i * n + order[j]] = c[j * n + i] / diagonal;
        }
    }
    for (int i = 1; i < n; i++)
        s[i * n + order[i - 1]] = (i % 2 ? element : -element) / diagonal;
}

/* An element of W goes through all places of the range where it could be taken for another one,
 * which are beyond half of it. */
static void end_of_the_range(void **state)
{
    (void)state;
    enum { N = 24 };
    test_random random = test_random_start(test_seed(), "the end of the range");
    for (int k = 0; k < 600; k++) {
        set_one_each(&random, N, 1, exp2(-k % 300 / 300.0) * (k < 300 ? 0x1p-6 : 0x1p-20));
        set_given(N);
        check_sums(N, 0, 1, (exb_residual_room){58, 0x1p-8});
    }
}

/* All of W is what elements of S lose. */
static void lost_elements(void **state)
{
    (void)state;
    enum { N = 24 };
    test_random random = test_random_start(test_seed(), "lost elements");
    for (int bits = 5; bits < 30; bits += 3) {
        set_one_each(&random, N, 0x1p40, ldexp(1.25, -bits));
        for (int j = 0; j < N; j++)
            for (int i = 0; i < j; i++)
                c[j * N + i] = s[i * N + order[j]] = 0;
        set_given(N);
        check_sums(N, 0, 1, (exb_residual_room){58, 0x1p-8});
        check_sums(N, 0, 1, (exb_residual_room){40, 0x1p-8});
    }
}

/* Columns that underflow when they are scaled, or nearly. */
static void small_columns(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "underflowing columns");
    set_inverse(&random, 140, 40);
    for (int j = 0; j < 140; j++)
        for (int i = 5; i < 140; i += 20)
            a[j * 140 + i] *= 0x1p-600;
    check(140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_bounds),  cmocka_unit_test(any_matrices),
        cmocka_unit_test(several_tasks),    cmocka_unit_test(one_large_element),
        cmocka_unit_test(structured),       cmocka_unit_test(small_columns),
        cmocka_unit_test(end_of_the_range), cmocka_unit_test(lost_elements),
        cmocka_unit_test(overflow)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("# %d calls by residues\n", n_rounded);
    return failed;
}
