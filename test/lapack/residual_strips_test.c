/* The sums of residual_strips.h, which proofs rest on, against those of P S' X_U - L rounded once.
 */
#include "lapack/residual_strips.h"

#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 330 };

static double s[MOST * MOST], w[MOST * MOST], exact[MOST], bound[MOST], products[MOST];

/* The sums of the columns of |W|, and those of |S'| |X_U|. */
static void set_exact(const exb_plain_factors *f)
{
    int n = (int)f->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[f->order[i] * n + j] = i > j ? f->lu[i * n + j] : i == j;
    excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, s, n, f->upper, n,
                  -1, w, n);
    memset(exact, 0, sizeof exact);
    memset(products, 0, sizeof products);
    for (int i = 0; i < n * n; i++)
        exact[i % n] += fabs(w[i]);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = k; j < n; j++)
                products[j] += fabs(s[k * n + i]) * fabs(f->upper[k * n + j]);
}

static void set_bounds(const exb_residual_strips *r, int n, int width, double *sums)
{
    for (int j = 0; j < n; j += width)
        exb_residual_strips_sum(r, (exb_range){j, j + width < n ? j + width : n}, sums + j);
}

/* What products lose would be hundreds of u times these: sums exceed W's by 2^-15 n of that. */
static void check(int n, int width)
{
    exb_plain_factors f;
    exb_residual_strips r;
    assert_true(exb_plain_factors_init(&f, n, s));
    set_exact(&f);
    assert_true(exb_residual_strips_init(&r, &f, s));
    set_bounds(&r, n, width, bound);
    for (int j = 0; j < n; j++) {
        assert_true(bound[j] >= exact[j] * (1 - 0x1p-40));
        assert_true(bound[j] <= exact[j] * (1 + 0x1p-40) + n * 0x1p-60 * products[j]);
    }
    exb_residual_strips_free(&r);
    exb_plain_factors_free(&f);
}

/* For conditions of about 2^bits. */
static void set_matrix(test_random *random, int n, int bits)
{
    for (int i = 0; i < n * n; i++)
        s[i] = random_number(random, FORMAT_D, (int)random_between(random, -9, -1));
    for (int j = 0; j < n && n > 1; j++)
        s[(n - 1) * n + j] = s[j] + ldexp(random_number(random, FORMAT_D, -1), -bits);
}

static void sums_are_bounds(NO_STATE)
{
    static const int size[] = {1, 2, 7, 65, 140}, width[] = {EXB_RESIDUAL_WIDTH, 24, 17};
    test_random random = test_random_start(test_seed(), "strips of residuals");
    const call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            mode_select(&modes[m]);
            set_matrix(&random, size[k], 8 * (int)k);
            check(size[k], width[k % 3]);
        }
    mode_restore();
    set_matrix(&random, MOST, 40);
    check(MOST, EXB_RESIDUAL_WIDTH);
}

/* All of W is what one product loses, or what one part of a factor does: diagonal matrices, of
 * which S has one element that X_U does not know. */
static void single_elements(NO_STATE)
{
    enum { N = 9 };
    exb_plain_factors f;
    for (int bits = 1; bits < 52; bits++) {
        memset(s, 0, sizeof s);
        for (int i = 0; i < N; i++)
            s[i * N + i] = 1.5 + ldexp(1, -bits);
        assert_true(exb_plain_factors_init(&f, N, s));
        s[2 * N + 7] = ldexp(1, -bits);
        set_exact(&f);
        exb_residual_strips r;
        assert_true(exb_residual_strips_init(&r, &f, s));
        set_bounds(&r, N, N, bound);
        for (int j = 0; j < N; j++)
            assert_true(bound[j] >= exact[j] * (1 - 0x1p-50));
        exb_residual_strips_free(&r);
        exb_plain_factors_free(&f);
    }
}

/* One element of L is a sum of products whose high parts take all bits of a double, rounded once: W
 * is what that lost. */
static void full_sums(NO_STATE)
{
    test_random random = test_random_start(test_seed(), "full sums");
    for (int round = 0; round < 100; round++) {
        int n = round % 2 ? 8 : 4, last = n - 2;
        exb_plain_factors f;
        exb_residual_strips r;
        memset(s, 0, sizeof s);
        for (int i = 0; i < n; i++)
            s[i * n + i] = 1;
        assert_true(exb_plain_factors_init(&f, n, s));
        memset(f.upper, 0, (size_t)(n * n) * sizeof *f.upper);
        for (int k = 0; k <= last; k++) {
            s[k * n + k] = k == last;
            s[k * n + last + 1] = 2 - ldexp((double)random_between(&random, 1, 99), -28);
            f.upper[k * n + last] =
                k == last ? 1 : 2 - ldexp((double)random_between(&random, 1, 99), -28);
        }
        f.lu[(last + 1) * n + last] = excblas_ddot(last + 1, s + last + 1, n, f.upper + last, n);
        set_exact(&f);
        assert_true(exb_residual_strips_init(&r, &f, s));
        set_bounds(&r, n, n, bound);
        assert_true(exact[last] < 0x1p-48 && bound[last] >= exact[last] * (1 - 0x1p-50));
        exb_residual_strips_free(&r);
        exb_plain_factors_free(&f);
    }
}

TESTS(sums_are_bounds, single_elements, full_sums)
