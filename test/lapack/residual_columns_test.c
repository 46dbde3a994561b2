/* The sums of residual_columns.h, which proofs rest on, against those of B A - C rounded once. */
#include "lapack/residual_columns.h"

#include "lapack/plain_factors.h"
#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

#define LOST 0.05

enum { MOST = 500 };

static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], s[MOST * MOST], e[MOST * MOST],
    sums[MOST], known[MOST], exact[MOST];

/* Of what is known of the sums: nothing, much too little, nearly all; 0: nothing. */
static const double known_factor[] = {0, 0x1p30, 1 + 0x1p-40};

/* sums_i is at least the sum of the column, and little more: roundings to a unit lose up to sqrt(3)
 * times what they lose if they are spread evenly, and the elements are rounded besides. Those
 * before `first` are left alone. */
static void check_sums(int n, int first, double factor, double lost)
{
    for (int i = 0; i < n; i++) {
        known[i] = factor == 0 ? INFINITY : exact[i] * factor + 0x1p-900;
        sums[i] = -1;
    }
    assert_true(exb_residual_columns(n, first, b, a, c, known, lost, sums));
    for (int i = 0; i < n; i++) {
        if (i < first) {
            assert_true(sums[i] == -1);
            continue;
        }
        assert_true(sums[i] >= exact[i] * (1 - 0x1p-40));
        assert_true(sums[i] <= exact[i] * (1 + 0x1p-40) + 2.3 * lost);
    }
}

/* With as much left open as proofs have room for, and with a small part of the largest sum, but
 * more than roundings of C's elements. */
static void check(int n)
{
    double most = 0x1p-900;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            e[j * n + i] = j > i ? c[j * n + i] : j == i;
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, b, n, a, n, -1, e,
                  n);
    for (int i = 0; i < n; i++) {
        exact[i] = 0;
        for (int j = 0; j < n; j++)
            exact[i] += fabs(e[j * n + i]);
        most = fmax(most, exact[i]);
    }
    for (size_t k = 0; k < sizeof known_factor / sizeof *known_factor; k++) {
        check_sums(n, 0, known_factor[k], LOST);
        check_sums(n, n / 2, known_factor[k], LOST);
        check_sums(n, 0, known_factor[k], fmax(most * 0x1p-28, n * 0x1p-49));
    }
}

/* P S', X_U and L of s: what is summed cancels as far as it can. */
static void set_from_factors(int n)
{
    exb_plain_factors f;
    assert_true(exb_plain_factors_init(&f, n, s));
    memcpy(a, f.upper, (size_t)(n * n) * sizeof *a);
    memcpy(c, f.lu, (size_t)(n * n) * sizeof *c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] = s[j * n + f.order[i]];
    exb_plain_factors_free(&f);
}

/* For conditions of about 2^bits. */
static void set_inverse(test_random *random, int n, int bits)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = i < n - 1 || n == 1
                               ? random_number(random, FORMAT_D, (int)random_between(random, -8, 0))
                               : ldexp(random_number(random, FORMAT_D, 0), -bits) + s[j];
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

/* No inverse at all, rows and columns of any scale, zeros. */
static void any_matrices(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "residual columns of any");
    for (int n = 1; n < 200; n += 48) {
        for (int i = 0; i < n * n; i++) {
            a[i] = i / n > i % n
                       ? 0
                       : random_number(&random, FORMAT_D, (int)random_between(&random, -20, 20));
            b[i] = random_number(&random, FORMAT_D, (int)random_between(&random, -20, 0));
            c[i] = random_number(&random, FORMAT_D, (int)random_between(&random, -20, 20));
        }
        check(n);
        memset(a, 0, sizeof a);
        check(n);
    }
}

/* Tiles of a column go to several tasks, and columns to several blocks. */
static void several_tasks(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "residual columns in tasks");
    set_inverse(&random, MOST, 40);
    exblas_set_num_threads(4);
    check(MOST);
    exblas_set_num_threads(0);
}

/* What overflows is not small. */
static void overflow(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = i / 8 > i % 8 ? 0 : 0x1p1000, b[i] = 0x1p600, known[i] = INFINITY;
    assert_true(exb_residual_columns(8, 0, b, a, c, known, LOST, sums));
    for (int i = 0; i < 8; i++)
        assert_false(sums[i] < 0x1p1000);
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
 * nothing of the column's other rows may be taken for a multiple of P. */
static void one_large_element(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "one residual");
    for (int bits = -30; bits <= 30; bits += 10) {
        set_inverse(&random, 140, 40);
        for (int i = 0; i < 139; i++)
            c[(i + 1 + i * 7 % (139 - i)) * 140 + i] += ldexp(i % 2 ? 1 : -1, bits);
        check(140);
    }
}

/* Columns whose squares underflow have no part in the choice of the range, and what is known of
 * them is no reason to believe what residues say. */
static void norms_that_underflow(void **state)
{
    (void)state;
    test_random random = test_random_start(test_seed(), "underflowing columns");
    set_inverse(&random, 140, 40);
    for (int j = 0; j < 140; j++)
        for (int i = 5; i < 140; i += 20)
            a[j * 140 + i] *= 0x1p-600;
    check(140);
}

/* Rows of B whose squares underflow have no part in the choice of the range, either. The first
 * one's is swept through the place from which on elements of W, of either sign, are not told apart
 * from others modulo P: half of P. Sums of columns are these elements alone. */
static void end_of_the_range(void **state)
{
    (void)state;
    enum { N = 24, FIRST = 2 };
    test_random random = test_random_start(test_seed(), "the end of the range");
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int i = 0; i < N; i++) {
        a[i * N + i] = 0x1p500;
        for (int j = 0; j <= i && i >= FIRST; j++) {
            c[i * N + j] = j == i ? 1 : random_number(&random, FORMAT_D, -1);
            b[i * N + j] = c[i * N + j] * 0x1p-500;
        }
    }
    b[N + 1] = 0x1p-536;
    for (int k = 0; k < 128; k++) {
        double element = exp2(-k % 16 / 16.0) * 0x1p-60;
        b[0] = ldexp(1, -538 - k / 16);
        for (int j = FIRST; j < N; j++) {
            b[j] = element * (j % 2 ? -0x1p-500 : 0x1p-500);
            exact[j] = element;
        }
        check_sums(N, FIRST, 1 + 0x1p-40, 0x1p-62);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_bounds),  cmocka_unit_test(any_matrices),
        cmocka_unit_test(several_tasks),    cmocka_unit_test(one_large_element),
        cmocka_unit_test(structured),       cmocka_unit_test(norms_that_underflow),
        cmocka_unit_test(end_of_the_range), cmocka_unit_test(overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
