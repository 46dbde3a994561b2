/* Triangular systems of some hundred unknowns, by the routines' names, beside the accumulator: with
 * quotients next to midpoints at distances about the kernel's bound, and with rows that it leaves.
 */
#include "core/kernels.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>
#ifndef _WIN32
#include <sys/mman.h>
#endif

enum { MOST = 140, PAD = 2, PAGE = 1 << 16 };

/* Matrices end where a page begins that nobody may read. */
static char memory[7 * PAGE], *matrix_end;

/* The lower triangle in the order in which unknowns become known, and how BLAS is given it; the
 * second parts are of complex numbers. */
typedef struct {
    int parts, n, lda, uplo, trans, diag;
    double t[MOST][MOST][2], b[MOST][2], *a;
} equations;

static bool is_from_end(const equations *q)
{
    return (q->uplo == EXBLAS_LOWER) != (q->trans == EXBLAS_NO_TRANS);
}

/* Where element (i, j) of the triangle lies. */
static double *a_at(equations *q, int i, int j)
{
    int row = is_from_end(q) ? q->n - 1 - i : i, column = is_from_end(q) ? q->n - 1 - j : j;
    int at = q->trans == EXBLAS_NO_TRANS ? row + column * q->lda : column + row * q->lda;
    return &q->a[q->parts * at];
}

static double *x_at(const equations *q, double *x, int i)
{
    return &x[q->parts * (is_from_end(q) ? q->n - 1 - i : i)];
}

static void store(equations *q)
{
    int n = q->parts * ((q->n - 1) * q->lda + q->n);
    q->a = (double *)(void *)matrix_end - n;
    for (int k = 0; k < n; k++)
        q->a[k] = (double)NAN;
    for (int i = 0; i < q->n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < q->parts && (j < i || q->diag == EXBLAS_NON_UNIT); k++)
                a_at(q, i, j)[k] =
                    k == 1 && q->trans == EXBLAS_CONJ_TRANS ? -q->t[i][j][k] : q->t[i][j][k];
}

static void solve(const char *method, const equations *q, double *x)
{
    for (int i = 0; i < q->n; i++)
        memcpy(x_at(q, x, i), q->b[i], (size_t)q->parts * sizeof *x);
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    if (q->parts == 1)
        excblas_dtrsv(EXBLAS_COL_MAJOR, q->uplo, q->trans, q->diag, q->n, q->a, q->lda, x, 1);
    else
        excblas_ztrsv(EXBLAS_COL_MAJOR, q->uplo, q->trans, q->diag, q->n, q->a, q->lda, x, 1);
    exblas_set_method(NULL);
}

/* Every instruction set's unknowns are the accumulator's. */
static void check(equations *q, const char *what)
{
    double right[2 * MOST], got[2 * MOST];
    store(q);
    solve("superacc", q, right);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        solve("auto", q, got);
        for (int i = 0; i < q->parts * q->n; i++)
            if (!same_bits(got[i], right[i]))
                fail_msg("%s, %s, %d parts, order %d, uplo %d, trans %d, diag %d, part %d: %a, not "
                         "%a; TEST_SEED=%llu",
                         what, exb_isa_current(), q->parts, q->n, q->uplo, q->trans, q->diag, i,
                         got[i], right[i], (unsigned long long)test_seed());
    }
}

static void choose_form(equations *q, test_random *r, int n)
{
    q->parts = random_chance(r, 2) ? 1 : 2;
    q->n = q->parts == 1 ? n : n / 2 + 1;
    q->lda = q->n + (int)random_between(r, 0, PAD);
    q->uplo = random_chance(r, 2) ? EXBLAS_LOWER : EXBLAS_UPPER;
    q->trans = random_chance(r, 2)   ? EXBLAS_NO_TRANS
               : random_chance(r, 2) ? EXBLAS_TRANS
                                     : EXBLAS_CONJ_TRANS;
    q->diag = random_chance(r, 4) ? EXBLAS_UNIT : EXBLAS_NON_UNIT;
}

/* Adds sign times part k of a x. */
static void add_part(oracle *o, int parts, double sign, const double *a, const double *x, int k)
{
    oracle_add_product(o, sign * a[0], x[k]);
    if (parts == 2)
        oracle_add_product(o, k == 0 ? -sign * a[1] : sign * a[1], x[1 - k]);
}

/* Unknown i, a part of which is next to the midpoint above `near`: its right side less all products
 * is that times the divisor, but for `distance` of itself. The products with the first two
 * unknowns, 2^-20, see to it. */
static void put_near_midpoint(equations *q, double (*x)[2], int i, int part, double distance)
{
    const double *d = q->t[i][i];
    double near = x[i][part], half = half_ulp(near, FORMAT_D);
    double beside[2] = {0}, beyond[2] = {0};
    beside[part] = half;
    beyond[part] = distance * near;
    for (int k = 0; k < q->parts; k++) {
        ORACLE(o);
        oracle_add(&o, q->b[i][k]);
        for (int j = 2; j < i; j++)
            add_part(&o, q->parts, -1, q->t[i][j], x[j], k);
        add_part(&o, q->parts, -1, d, x[i], k);
        add_part(&o, q->parts, -1, d, beside, k);
        add_part(&o, q->parts, -1, d, beyond, k);
        for (int j = 0; j < 2; j++) {
            q->t[i][j][k] = oracle_round(&o, FORMAT_D) * 0x1p20;
            oracle_add_product(&o, -q->t[i][j][k], 0x1p-20);
        }
    }
    if (distance * near * half > 0)
        x[i][part] += 2 * half;
}

/* Rows, and right sides with their unknowns, are multiplied by powers of two. */
static void scale(equations *q, test_random *r)
{
    int of_sides = random_chance(r, 2) ? -800 : (int)random_between(r, -800, 300);
    for (int i = 0; i < q->n; i++) {
        int of_row = random_chance(r, 8) ? -510 : (int)random_between(r, -90, 90);
        if (q->diag == EXBLAS_UNIT)
            of_row = 0;
        for (int k = 0; k < q->parts; k++) {
            q->b[i][k] = ldexp(q->b[i][k], of_row + of_sides);
            for (int j = 0; j <= i; j++)
                q->t[i][j][k] = ldexp(q->t[i][j][k], of_row);
        }
    }
}

static void fill_near_midpoints(equations *q, test_random *r)
{
    double x[MOST][2] = {{0x1p-20}, {0x1p-20}};
    bool equal = random_chance(r, 3);
    int exp2 = (int)random_between(r, 0, 16); /* of elements: as much is cancelled */
    choose_form(q, r, (int)random_between(r, 3, random_chance(r, 4) ? MOST : 30));
    for (int i = 0; i < q->n; i++) {
        bool is_one = i < 2 || q->diag == EXBLAS_UNIT;
        for (int k = 0; k < q->parts; k++) {
            int spread = q->parts == 2 && random_chance(r, 2) ? 30 : 3;
            q->t[i][i][k] =
                is_one ? k == 0 : random_number(r, FORMAT_D, (int)random_between(r, -spread, 3));
            q->b[i][k] = i < 2 ? k == 0 ? 0x1p-20 : 0 : random_number(r, FORMAT_D, 0);
            for (int j = 0; j < i; j++)
                q->t[i][j][k] = i == 1           ? 0
                                : equal && j > 2 ? q->t[i][2][k]
                                                 : random_number(r, FORMAT_D, exp2);
            if (i >= 2)
                x[i][k] = random_number(r, FORMAT_D, 0);
        }
        if (i >= 2)
            put_near_midpoint(q, x, i, (int)random_between(r, 0, q->parts - 1),
                              random_sign(r) * ldexp(1, exp2 - (int)random_between(r, 94, 108)));
    }
    if (random_chance(r, 2))
        scale(q, r);
}

static void unknowns_next_to_midpoints(NO_STATE)
{
    static equations q;
    test_random r = test_random_start(test_seed(), "solve rows");
    for (int round = 0; round < 600; round++) {
        fill_near_midpoints(&q, &r);
        check(&q, "midpoints");
    }
}

/* --- rows that the kernel leaves ----------------------------------------------- */

static void fill_plainly(equations *q, test_random *r, int n)
{
    choose_form(q, r, n);
    for (int i = 0; i < q->n; i++)
        for (int k = 0; k < q->parts; k++) {
            q->b[i][k] = random_number(r, FORMAT_D, 0);
            for (int j = 0; j < i; j++)
                q->t[i][j][k] = random_number(r, FORMAT_D, -6);
            q->t[i][i][k] = random_number(r, FORMAT_D, 0);
        }
}

/* Some row has another divisor, right side, or element. */
static void check_with(equations *q, test_random *r, const char *what, double divisor, double side,
                       double element)
{
    int i = (int)random_between(r, 0, q->n - 1), j = (int)random_between(r, 0, i);
    static equations changed;
    changed = *q;
    for (int k = (int)random_between(r, 0, 1); k < 2; k++) {
        changed.t[i][i][k] *= divisor;
        changed.b[i][k] *= side;
        if (j < i)
            changed.t[i][j][k] *= element;
    }
    check(&changed, what);
}

static void other_unknowns_are_computed(NO_STATE)
{
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
            check_with(&q, &r, "small side and divisor", 0x1p-190, 0x1p-880, 1);
            check_with(&q, &r, "large side", 1, 0x1p1020, 1);
            check_with(&q, &r, "infinite side", 1, INFINITY, 1);
            check_with(&q, &r, "NaN", 1, 1, (double)NAN);
            check_with(&q, &r, "small element", 1, 1, 0x1p-1040);
            check_with(&q, &r, "large element", 1, 1, 0x1p1020);
            for (int i = 0; i < q.n; i++) {
                q.b[i][0] = i == q.n / 2;
                q.b[i][1] = 0;
            }
            check(&q, "unit vector");
            for (int i = 0; i < q.n; i++)
                for (int k = 0; k < 2; k++) {
                    q.b[i][k] = (double)random_between(&r, -4, 4);
                    q.t[i][i][k] = ldexp(1, (int)random_between(&r, -1, 1));
                    for (int j = 0; j < i; j++)
                        q.t[i][j][k] = i - j > 3 ? 0 : (double)random_between(&r, -1, 1);
                }
            check(&q, "integers");
        }
}

/* The end of the program reads all memory where leaks are looked for. */
static void guard_end(bool on)
{
    (void)on;
#ifndef _WIN32
    assert_int_equal(mprotect(matrix_end, PAGE, on ? PROT_NONE : PROT_READ), 0);
#endif
}

int main(void)
{
    matrix_end = memory + 6 * PAGE - (uintptr_t)memory % PAGE;
    guard_end(true);
    int n_failed = run_each(unknowns_next_to_midpoints, other_unknowns_are_computed);
    guard_end(false);
    return n_failed;
}
