/* Triangular systems of some hundred unknowns, by the routines' names, beside the accumulator: with
 * quotients next to midpoints at distances about the kernel's bound, and with rows that it leaves.
 */
#include "core/kernels.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 140, PAD = 2 };

/* The lower triangle in the order in which unknowns become known, and how BLAS is given it. */
typedef struct {
    int n, lda, uplo, trans, diag;
    double t[MOST][MOST], b[MOST], a[MOST * (MOST + PAD)];
} equations;

/* Where element (i, j) of the triangle lies. */
static double *a_at(equations *q, int i, int j)
{
    bool from_end = (q->uplo == EXBLAS_LOWER) != (q->trans == EXBLAS_NO_TRANS);
    int row = from_end ? q->n - 1 - i : i, column = from_end ? q->n - 1 - j : j;
    return q->trans == EXBLAS_NO_TRANS ? &q->a[row + column * q->lda]
                                       : &q->a[column + row * q->lda];
}

static double *x_at(const equations *q, double *x, int i)
{
    bool from_end = (q->uplo == EXBLAS_LOWER) != (q->trans == EXBLAS_NO_TRANS);
    return &x[from_end ? q->n - 1 - i : i];
}

static void store(equations *q)
{
    for (int k = 0; k < q->n * q->lda; k++)
        q->a[k] = (double)NAN;
    for (int i = 0; i < q->n; i++)
        for (int j = 0; j <= i; j++)
            if (j < i || q->diag == EXBLAS_NON_UNIT)
                *a_at(q, i, j) = q->t[i][j];
}

static void solve(const char *method, const equations *q, double *x)
{
    for (int i = 0; i < q->n; i++)
        *x_at(q, x, i) = q->b[i];
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    excblas_dtrsv(EXBLAS_COL_MAJOR, q->uplo, q->trans, q->diag, q->n, q->a, q->lda, x, 1);
    exblas_set_method(NULL);
}

/* Every instruction set's unknowns are the accumulator's. */
static void check(equations *q, const char *what)
{
    double right[MOST], got[MOST];
    store(q);
    solve("superacc", q, right);
    for (int isa = 0; isa < exb_isa_count(); isa++) {
        if (exb_isa_select(exb_isa_name(isa)) != 0)
            continue;
        solve("auto", q, got);
        for (int i = 0; i < q->n; i++)
            if (!same_bits(*x_at(q, got, i), *x_at(q, right, i)))
                fail_msg("%s, %s, order %d, uplo %d, trans %d, diag %d, unknown %d: %a, not %a; "
                         "TEST_SEED=%llu",
                         what, exb_isa_current(), q->n, q->uplo, q->trans, q->diag, i,
                         *x_at(q, got, i), *x_at(q, right, i), (unsigned long long)test_seed());
    }
}

static void choose_form(equations *q, test_random *r, int n)
{
    q->n = n;
    q->lda = n + (int)random_between(r, 0, PAD);
    q->uplo = random_chance(r, 2) ? EXBLAS_LOWER : EXBLAS_UPPER;
    q->trans = random_chance(r, 2) ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
    q->diag = random_chance(r, 4) ? EXBLAS_UNIT : EXBLAS_NON_UNIT;
}

/* Unknown i, which is next to the midpoint above `near`: its right side less all products is that
 * times the divisor, but for `distance` of itself. The products with the first two unknowns, 2^-20,
 * see to it. */
static double put_near_midpoint(equations *q, const double *x, int i, double near, double distance)
{
    double d = q->t[i][i], half = half_ulp(near, FORMAT_D);
    oracle o;
    oracle_init(&o);
    oracle_add(&o, q->b[i]);
    for (int j = 2; j < i; j++)
        oracle_add_product(&o, -q->t[i][j], x[j]);
    oracle_add_product(&o, -near, d);
    oracle_add_product(&o, -half, d);
    oracle_add(&o, -distance * near * d);
    for (int j = 0; j < 2; j++) {
        q->t[i][j] = oracle_round(&o, FORMAT_D) * 0x1p20;
        oracle_add_product(&o, -q->t[i][j], x[j]);
    }
    oracle_add(&o, distance * near * d);
    double beyond = oracle_round(&o, FORMAT_D) / d;
    oracle_clear(&o);
    return beyond * half > 0 ? near + 2 * half : near;
}

static void fill_near_midpoints(equations *q, test_random *r)
{
    double x[MOST] = {0x1p-20, 0x1p-20};
    bool equal = random_chance(r, 3);
    int exp2 = (int)random_between(r, 0, 16); /* of elements: as much is cancelled */
    choose_form(q, r, (int)random_between(r, 3, random_chance(r, 4) ? MOST : 30));
    for (int i = 0; i < q->n; i++) {
        bool is_one = i < 2 || q->diag == EXBLAS_UNIT;
        q->t[i][i] = is_one ? 1 : random_number(r, FORMAT_D, (int)random_between(r, -3, 3));
        q->b[i] = i < 2 ? 0x1p-20 : random_number(r, FORMAT_D, 0);
        for (int j = 0; j < i; j++)
            q->t[i][j] = equal && j > 2 ? q->t[i][2] : random_number(r, FORMAT_D, exp2);
        if (i == 1)
            q->t[1][0] = 0;
        if (i >= 2)
            x[i] = put_near_midpoint(q, x, i, random_number(r, FORMAT_D, 0),
                                     random_sign(r) *
                                         ldexp(1, exp2 - (int)random_between(r, 94, 108)));
    }
}

static void unknowns_next_to_midpoints(void **state)
{
    (void)state;
    static equations q;
    test_random r = test_random_start(test_seed(), "solve rows");
    for (int round = 0; round < 500; round++) {
        fill_near_midpoints(&q, &r);
        check(&q, "midpoints");
    }
}

/* --- rows that the kernel leaves ----------------------------------------------- */

static void fill_plainly(equations *q, test_random *r, int n)
{
    choose_form(q, r, n);
    for (int i = 0; i < n; i++) {
        q->b[i] = random_number(r, FORMAT_D, 0);
        for (int j = 0; j < i; j++)
            q->t[i][j] = random_number(r, FORMAT_D, -6);
        q->t[i][i] = random_number(r, FORMAT_D, 0);
    }
}

/* Some row has another divisor, right side, or element. */
static void check_with(equations *q, test_random *r, const char *what, double divisor, double side,
                       double element)
{
    int i = (int)random_between(r, 0, q->n - 1), j = (int)random_between(r, 0, i);
    equations changed = *q;
    changed.t[i][i] *= divisor;
    changed.b[i] *= side;
    if (j < i)
        changed.t[i][j] *= element;
    check(&changed, what);
}

static void other_unknowns_are_computed(void **state)
{
    (void)state;
    static equations q;
    test_random r = test_random_start(test_seed(), "fallback");
    for (int n = 1; n <= MOST; n += n < 20 ? 1 : 23)
        for (int round = 0; round < 4; round++) {
            fill_plainly(&q, &r, n);
            check(&q, "plain");
            check_with(&q, &r, "no divisor", 0, 1, 1);
            check_with(&q, &r, "small divisor", 0x1p-950, 1, 1);
            check_with(&q, &r, "large divisor", 0x1p950, 1, 1);
            check_with(&q, &r, "infinite divisor", INFINITY, 1, 1);
            check_with(&q, &r, "small side", 1, 0x1p-1040, 1);
            check_with(&q, &r, "large side", 1, 0x1p1020, 1);
            check_with(&q, &r, "infinite side", 1, INFINITY, 1);
            check_with(&q, &r, "NaN", 1, 1, (double)NAN);
            check_with(&q, &r, "small element", 1, 1, 0x1p-1040);
            check_with(&q, &r, "large element", 1, 1, 0x1p1020);
            for (int i = 0; i < n; i++)
                q.b[i] = i == n / 2;
            check(&q, "unit vector");
            for (int i = 0; i < n; i++) {
                q.b[i] = (double)random_between(&r, -4, 4);
                q.t[i][i] = ldexp(1, (int)random_between(&r, -1, 1));
                for (int j = 0; j < i; j++)
                    q.t[i][j] = i - j > 3 ? 0 : (double)random_between(&r, -1, 1);
            }
            check(&q, "integers");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknowns_next_to_midpoints),
        cmocka_unit_test(other_unknowns_are_computed),
    };
    return cmocka_run_group_tests_name("solve_rows", tests, NULL, NULL);
}
