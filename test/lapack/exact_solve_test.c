/* Solutions by p-adic lifting alone, and whether a matrix is definite by its blocks. */
#include "lapack/definite.h"
#include "lapack/exact_solve.h"
#include "system_case.h"
#include "testing.h"

#include <time.h>

static system_case c;

static void copy_rows(double *a)
{
    for (int i = 0; i < c.n; i++)
        for (int j = 0; j < c.n; j++)
            a[i * c.n + j] = c.a[i][j];
}

static bool solves(void)
{
    double a[SYSTEM_MOST * SYSTEM_MOST], x[SYSTEM_MOST][SYSTEM_MOST_RIGHT], b[SYSTEM_MOST],
        y[SYSTEM_MOST];
    bool wanted[SYSTEM_MOST];
    exb_exact e;
    copy_rows(a);
    exblas_status status = system_model(&c, x);
    if (exb_exact_init(&e, c.n, a) != status)
        return false;
    bool same = true;
    for (int k = 0; k < c.nrhs && status == EXBLAS_OK; k++) {
        for (int j = 0; j < c.n; j++) {
            wanted[j] = (j + k) % 3 != 0;
            b[j] = c.b[j][k];
            y[j] = 77;
        }
        exb_format f = c.format == FORMAT_S ? exb_format_s() : exb_format_d();
        assert_int_equal(exb_exact_solve(&e, b, f, wanted, NULL, y), EXBLAS_OK);
        for (int j = 0; j < c.n; j++)
            same = same && same_bits(y[j], wanted[j] ? x[j][k] : 77);
    }
    if (status == EXBLAS_OK)
        exb_exact_free(&e);
    return same;
}

static void every_kind(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "exact solutions");
    for (int round = 0; round < 20; round++)
        for (size_t kind = 0; kind < system_kinds(); kind++) {
            c.routine = SYSTEM_GESV;
            c.format = round % 2 ? FORMAT_S : FORMAT_D;
            c.n = (int)random_between(&r, 1, 9);
            c.nrhs = SYSTEM_MOST_RIGHT;
            system_fill(&c, kind, &r);
            if (!solves())
                fail_msg("kind: %s", system_kind_name(kind));
        }
}

static void set(int n, const double *a, const double *b)
{
    system_set_square(&c, n, a, b);
    c.nrhs = 3;
    for (int i = 0; i < n; i++)
        for (int k = 1; k < 3; k++)
            c.b[i][k] = b[(i + k) % n];
}

/* x = 2^53 + 1 + a last bit that is far away, or 3 - 2^-52 and the like: the quotient's first 64
 * bits are those of a tie, or of a double. */
static void far_last_bits(NO_STATE)
{
    const double a[] = {1, 0, -0x1p53, 0, 3, 1, 0, 0, 1};
    const double beside[] = {1, 1 + 0x1p-52, 1 - 0x1p-53, 3 - 0x1p-51, -1 - 0x1p-52, 0x1p-500};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            set(3, a, (const double[]){2, 1, 2});
            c.b[0][k] = beside[i];
            c.b[1][k] = k;
            c.b[2][k] = 1;
            assert_true(solves());
        }
}

/* The first prime divides the determinant, or all elements: the matrices are singular modulo it,
 * and not singular, or singular as well. */
static void unlucky_primes(NO_STATE)
{
    double p = (double)exb_field_below((uint64_t)1 << 52).p;
    double q = (double)exb_field_below((uint64_t)p).p;
    assert_true(p == 0x1p52 - 47 && q == 0x1p52 - 143);
    const double b[] = {1, 2, 3};
    set(2, (const double[]){p, 0, 0, 3}, b);
    assert_true(solves());
    set(2, (const double[]){p, q, 2 * p, 3 * q}, b);
    assert_true(solves());
    set(2, (const double[]){1, p + 1, 1, 1}, b);
    assert_true(solves());
    set(2, (const double[]){p, q, p, q}, b);
    assert_true(solves());
    set(3, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, b);
    c.a[2][2] += 2 * p;
    assert_true(solves());
}

/* -0 is 0 modulo every prime, also as a pivot. */
static void negative_zeros(NO_STATE)
{
    const double b[] = {1, 2, 3}, x[] = {-0.0, 0, -1, 0x1p-1074};
    exb_field f = exb_field_below((uint64_t)1 << 52);
    uint64_t m[4];
    exb_field_reduce(&f, 4, x, m);
    assert_true(m[0] == 0 && m[1] == 0 && m[2] == f.p - f.one && m[3] < f.p);
    set(2, (const double[]){-0.0, 1, 1, -0.0}, b);
    assert_true(solves());
    set(3, (const double[]){-0.0, 2, -1, 3, -0.0, 1, 1, 1, -0.0}, b);
    assert_true(solves());
    set(2, (const double[]){-0.0, 1, -0.0, 2}, b);
    assert_true(solves());
}

static void blocks_have_signs(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "minors");
    double a[SYSTEM_MOST * SYSTEM_MOST], x[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
    int n_of[EXBLAS_EINDEFINITE + 1] = {0};
    for (int round = 0; round < 60; round++)
        for (size_t kind = 0; kind < system_kinds(); kind++) {
            c.routine = SYSTEM_POSV;
            c.format = round % 2 ? FORMAT_S : FORMAT_D;
            c.n = (int)random_between(&r, 1, 6);
            c.nrhs = 1;
            system_fill(&c, kind, &r);
            copy_rows(a);
            exblas_status status = system_model(&c, x);
            assert_int_equal(exb_check_blocks(c.n, a, 0), status);
            n_of[status]++;
        }
    assert_true(n_of[EXBLAS_OK] > 50 && n_of[EXBLAS_EINDEFINITE] > 50);
    /* The second block, singular but for a bit, stops the factorisation. Scaling loses bits. */
    const double tiny = 0x1p-1074, open[] = {1, 1, tiny, 1, 1 - 0x1p-53, 0, tiny, 0, 0x1p1000};
    const double definite[] = {1, 1, tiny, 1, 1 + 0x1p-52, 0, tiny, 0, 0x1p1000};
    assert_int_equal(exb_check_definite(3, open), EXBLAS_EINDEFINITE);
    assert_int_equal(exb_check_definite(3, definite), EXBLAS_OK);
    /* A negative trace would shift the second block, of a negative determinant as the third. */
    const double bent[] = {1, 1 + 0x1p-52, 1, 1 + 0x1p-52, 1, -1, 1, -1, -3.5};
    assert_int_equal(exb_check_definite(3, bent), EXBLAS_EINDEFINITE);
}

/* Processor time for the blocks from `first` on. */
static double seconds_for(int n, const double *a, int first, exblas_status expected)
{
    clock_t before = clock();
    assert_int_equal(exb_check_blocks(n, a, first - 1), expected);
    return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* A diagonal of blocks of order 2, so that most components are zeros among fractions, takes about
 * the time of a full matrix: the first block is nearly singular, or the last one indefinite. */
static void zeros_cost_nothing(NO_STATE)
{
    static double a[600 * 600], full[600 * 600];
    test_random r = test_random_start(test_seed(), "reducible matrices");
    for (int near = 0; near < 2; near++) {
        int n = near ? 200 : 600, first = near ? 2 : n;
        for (int i = 0; i < n * n; i++) {
            double x = random_number(&r, FORMAT_D, -1);
            a[i] = i / n == i % n ? 3 + x : (i / n ^ 1) == i % n;
            full[i] = i / n == i % n ? n + x : 1;
        }
        a[n * n - 1] = near ? a[n * n - 1] : 0.25;
        a[0] = near ? 1 : a[0];
        a[n + 1] = near ? 1 + 0x1p-50 : a[n + 1];
        double usual = seconds_for(n, full, first, EXBLAS_OK);
        double zeros = seconds_for(n, a, first, near ? EXBLAS_OK : EXBLAS_EINDEFINITE);
        print_message("# order %d: %.3f s, of a full matrix %.3f s\n", n, zeros, usual);
        assert_true(zeros < 8 * usual + 0.05);
    }
}

TESTS(every_kind, far_last_bits, unlucky_primes, negative_zeros, blocks_have_signs,
      zeros_cost_nothing)
