/* The bounds of plain_factors.h, which proofs rest on, with exact products: every residual, rounded
 * once, against g times the product of the magnitudes. */
#include "lapack/plain_factors.h"

#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 530 };

static double s[MOST * MOST], l[MOST * MOST], u[MOST * MOST], x[MOST * MOST], y[MOST * MOST];

/* z = alpha a b + beta z, rounded once, with rows of n. */
static void product(int n, const double *a, const double *b, double beta, double *z)
{
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, a, n, b, n, beta,
                  z, n);
}

static void magnitudes(int n, double *a)
{
    for (int i = 0; i < n * n; i++)
        a[i] = fabs(a[i]);
}

/* |a b - c| <= g |a| |b|; a and b become their magnitudes, c the difference. Returns the largest
 * part of the bound that is used. */
static double used(int n, double *a, double *b, double *c)
{
    double g = exb_plain_factors_error(n), most = 0;
    product(n, a, b, -1, c);
    magnitudes(n, a);
    magnitudes(n, b);
    product(n, a, b, 0, y);
    for (int i = 0; i < n * n; i++) {
        double part = c[i] == 0 ? 0 : fabs(c[i]) / (g * y[i]);
        most = part > most ? part : most;
    }
    return most;
}

static void set_factors(const exb_plain_factors *f)
{
    int n = (int)f->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            l[i * n + j] = i > j ? f->lu[i * n + j] : i == j;
            assert_true(fabs(l[i * n + j]) <= 1);
            u[i * n + j] = i > j ? 0 : f->lu[i * n + j];
        }
}

static void set_identity(int n)
{
    for (int i = 0; i < n * n; i++)
        x[i] = i / n == i % n;
}

/* Returns the largest part that P S' = L U uses. */
static double check(int n)
{
    exb_plain_factors f;
    assert_true(exb_plain_factors_init(&f, n, s));
    set_factors(&f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i * n + j] = s[j * n + f.order[i]];
    double factors = used(n, l, u, x);
    set_factors(&f);
    set_identity(n);
    double lower = used(n, l, f.lower, x);
    set_identity(n);
    double upper = used(n, u, f.upper, x);
    exb_plain_factors_free(&f);
    assert_true(factors <= 1 && lower <= 1 && upper <= 1);
    return factors;
}

static void bounds_hold(NO_STATE)
{
    static const int size[] = {1, 2, 7, 8, 9, 17, 25, 64, 65, 130};
    test_random r = test_random_start(test_seed(), "factors");
    const call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            int n = size[k];
            for (int i = 0; i < n * n; i++)
                s[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -4, 0));
            mode_select(&modes[m]);
            check(n);
        }
    mode_restore();
}

/* Half of the rows are more than an update takes at once. */
static void several_panels(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "large factors");
    for (int i = 0; i < MOST * MOST; i++)
        s[i] = random_number(&r, FORMAT_D, 0);
    check(MOST);
}

/* Systems of least squares, of whose panels many are zeros, with single elements between them. */
static void blocks_of_zeros(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "zeros");
    const call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (int n = 50; n <= 130; n += 80) {
            int border = n / 5;
            memset(s, 0, sizeof s);
            for (int i = 0; i < n - border; i++) {
                s[i * n + i] = 2;
                s[(i * 31 % (n - border)) * n + i] += random_number(&r, FORMAT_D, -1);
                for (int j = n - border; j < n; j++)
                    s[i * n + j] = s[j * n + i] = random_number(&r, FORMAT_D, 0);
            }
            mode_select(&modes[m]);
            check(n);
        }
    mode_restore();
}

/* Elements that are nearly equal, with little cancellation. */
static void singular_or_not(NO_STATE)
{
    exb_plain_factors f;
    for (int i = 0; i < 9; i++)
        s[i] = i % 3;
    assert_false(exb_plain_factors_init(&f, 3, s));
    for (int n = 2; n <= 210; n += 104) {
        for (int i = 0; i < n * n; i++)
            s[i] = 1 / (1.0 + 0x1p-30 * (i / n + 1) * (i % n) + (i / n == i % n));
        check(n);
    }
}

/* The first of the largest elements, none of which is 0, Inf or, of a column of nothing else, NaN;
 * quotients where its reciprocal is Inf. */
static void pivots(NO_STATE)
{
    enum { N = 40 };
    const double tiny[] = {0x1p-1059, 0x1p-1060, 0x1p-1060, 0x1p-1059},
                 wrong[] = {0, INFINITY, NAN};
    const call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    exb_plain_factors f;
    for (size_t m = 0; m < n_modes; m++) {
        mode_select(&modes[m]);
        for (int at = 0; at < N; at++) {
            for (int i = 0; i < N * N; i++)
                s[i] = i < N ? (i < at ? 1 : i == at ? -2 : 2) : i / N == i % N ? 100 : 1;
            assert_true(exb_plain_factors_init(&f, N, s));
            assert_int_equal(f.order[0], at);
            exb_plain_factors_free(&f);
        }
        for (int i = 0; i < 3; i++)
            assert_false(exb_plain_factors_init(&f, 1, &wrong[i]));
        assert_true(exb_plain_factors_init(&f, 2, tiny));
        assert_true(f.lu[2] == 0.5 && f.lu[3] == 0x1.8p-1060);
        exb_plain_factors_free(&f);
    }
    mode_restore();
}

/* Elements of the lower right block are sums of two runs of an update: each is 1 and 31 products
 * just below 2^-53, added up to 1, and each of these additions loses nearly all that it can. */
static void additions_that_lose_all(NO_STATE)
{
    enum { N = 128, HALF = N / 2, RUN = 32 };
    const call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    memset(s, 0, sizeof s);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s[i * N + j] = i < HALF && j < HALF ? i == j
                           : i < HALF           ? i % RUN == 0 ? 1 : 0x1.fap-27
                           : j < HALF           ? j % RUN == 0 ? 1 : 0x1p-27
                                                : 2 + 62 * 0x1.fap-54 + (i == j);
    for (size_t m = 0; m < n_modes; m++) {
        mode_select(&modes[m]);
        assert_true(check(N) > 0.6);
    }
    mode_restore();
}

/* g has room for all roundings on the longest way through the halves, counted for tiles of eight
 * rows: those of the largest update's sums, and a subtraction for each update and for each single
 * product. No matrix was found whose errors come near all of them. */
static void roundings_are_counted(NO_STATE)
{
    static const struct {
        int n, roundings;
    } longest[] = {{8, 39}, {25, 41}, {97, 44}, {300, 48}, {497, 52}, {1000, 54}, {4096, 68}};
    for (size_t k = 0; k < sizeof longest / sizeof *longest; k++)
        assert_true(exb_plain_factors_error(longest[k].n) >= longest[k].roundings * 0x1p-53);
}

TESTS(bounds_hold, several_panels, blocks_of_zeros, singular_or_not, pivots,
      additions_that_lose_all, roundings_are_counted)
