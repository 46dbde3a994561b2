/* The bounds of inverse_bound.h, which proofs rest on, against R = P' X_L' X_U' and I - R S in
 * exact arithmetic: numbers of 2000 bits, in which sums of products of three of these doubles fit.
 */
#include "lapack/inverse_bound.h"

#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <gmp.h>
#include <math.h>

enum { N = 24, BITS = 2000 };

static double s[N][N];
static mpf_t r[N][N], t;

static void random_rows(test_random *random, int bits)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s[i][j] = random_number(random, FORMAT_D, -(int)random_between(random, 0, 1)) +
                      (i == N - 1 && bits ? ldexp(s[0][j], bits) : 0);
}

static void kahan(test_random *random, int bits)
{
    double angle = 1.2 - 0.01 * bits, size = 1;
    (void)random;
    for (int i = 0; i < N; i++, size *= sin(angle))
        for (int j = 0; j < N; j++)
            s[i][j] = j < i ? 0 : j == i ? size : -size * cos(angle);
}

static void vandermonde(test_random *random, int bits)
{
    (void)random;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s[i][j] = pow((1.0 + i) / N, j * bits / 50.0);
}

/* By rows and by columns. */
static void graded(test_random *random, int bits)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s[i][j] = ldexp(random_number(random, FORMAT_D, 0), -bits * (i + 2 * j) / (3 * N));
}

/* Singular values from 1 to 2^-bits. */
static void spread_values(test_random *random, int bits)
{
    (void)random;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            s[i][j] = 0;
            for (int k = 0; k < N; k++)
                s[i][j] += cos(1.0 + i * (k + 1)) * cos(2.0 + j * (k + 1)) *
                           exp2(-(double)bits * k / (N - 1));
        }
}

static void add_product(mpf_t sum, double x, double y)
{
    mpf_set_d(t, x);
    mpf_t u;
    mpf_init2(u, BITS);
    mpf_set_d(u, y);
    mpf_mul(u, u, t);
    mpf_add(sum, sum, u);
    mpf_clear(u);
}

static void set_inverse(const exb_inverse_bound *v)
{
    const exb_plain_factors *f = &v->factors;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            mpf_ptr sum = r[f->order[i]][j];
            mpf_set_ui(sum, 0);
            for (int k = 0; k < N; k++)
                add_product(sum, f->lower[k * N + i], f->upper[j * N + k]);
        }
}

/* sum_i = (|I - R S| e)_i to the last bits; returns the largest. */
static double residual_sums(double *sum)
{
    double most = 0;
    mpf_t e;
    mpf_init2(e, BITS);
    for (int i = 0; i < N; i++) {
        sum[i] = 0;
        for (int j = 0; j < N; j++) {
            mpf_set_si(e, i == j ? -1 : 0);
            for (int k = 0; k < N; k++) {
                mpf_set_d(t, s[k][j]);
                mpf_mul(t, t, r[i][k]);
                mpf_add(e, e, t);
            }
            sum[i] += fabs(mpf_get_d(e));
        }
        most = fmax(most, sum[i]);
    }
    mpf_clear(e);
    return most;
}

/* exb_inverse_apply is within its bound. */
static void check_product(const exb_inverse_bound *v, test_random *random)
{
    double x[N], y[N], work[N], most = 0;
    for (int i = 0; i < N; i++) {
        x[i] = random_number(random, FORMAT_D, 0);
        most = fmax(most, fabs(x[i]));
    }
    exb_inverse_apply(v, x, y, work);
    mpf_t sum;
    mpf_init2(sum, BITS);
    for (int i = 0; i < N; i++) {
        mpf_set_d(sum, -y[i]);
        for (int j = 0; j < N; j++) {
            mpf_set_d(t, x[j]);
            mpf_mul(t, t, r[i][j]);
            mpf_add(sum, sum, t);
        }
        assert_true(fabs(mpf_get_d(sum)) <= exb_inverse_product_error(v, i) * most);
    }
    mpf_clear(sum);
}

static bool check(test_random *random)
{
    exb_inverse_bound v;
    double sum[N];
    if (!exb_inverse_bound_init(&v, N, s[0]))
        return false;
    set_inverse(&v);
    double norm = residual_sums(sum);
    assert_true(norm < 0.9);
    for (int i = 0; i < N; i++)
        assert_true(v.rest[i] >= sum[i] / (1 - norm) * (1 - 0x1p-40));
    check_product(&v, random);
    exb_inverse_bound_free(&v);
    return true;
}

/* Proved up to conditions of 2^40 or so, not beyond 2^60. */
static void bounds_hold(void **state)
{
    (void)state;
    static void (*const kind[])(test_random *, int) = {random_rows, kahan, vandermonde, graded,
                                                       spread_values};
    test_random random = test_random_start(test_seed(), "inverses");
    int n_proved = 0, n_not = 0;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (int bits = 0; bits <= 100; bits += 5) {
            kind[k](&random, bits);
            if (check(&random))
                n_proved++;
            else
                n_not++;
        }
    assert_true(n_proved > 40 && n_not > 10);
}

/* A matrix without inverse has none that could be proved. */
static void singular(void **state)
{
    (void)state;
    exb_inverse_bound v;
    test_random random = test_random_start(test_seed(), "no inverse");
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                s[i][j] = (double)random_between(&random, -99, 99);
        for (int j = 0; j < N; j++)
            s[N - 1][j] = s[0][j] + 3 * s[1][j];
        assert_false(exb_inverse_bound_init(&v, N, s[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold), cmocka_unit_test(singular)};
    mpf_set_default_prec(BITS);
    mpf_init(t);
    for (int i = 0; i < N * N; i++)
        mpf_init(r[i / N][i % N]);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < N * N; i++)
        mpf_clear(r[i / N][i % N]);
    mpf_clear(t);
    return failed;
}
