/* Triangles of several blocks: rank updates whose blocks lie on one side of the diagonal, across it
 * or on the other, and solves whose sums grow block by block. Every engine, with working memory
 * for all of the product and for a part of it, against the exact method, which knows no blocks. */
#include "core/partition.h"
#include "level3_run.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>

enum { N = 420, SIDES = 21, K = 33, MOST = N * N };

static level2_number a[MOST], b[MOST], c[MOST], expected[MOST], got[MOST];

static void fill(test_random *r, const level3_problem *p, int64_t n, level2_number *x)
{
    number_format f = level2_format(p->type);
    bool is_complex = level2_is_complex(p->type);
    for (int64_t i = 0; i < n; i++) {
        double re = random_number(r, f, (int)random_between(r, -6, 6));
        double im = random_number(r, f, (int)random_between(r, -6, 6));
        x[i] = (level2_number){re, is_complex ? im : 0};
    }
}

/* Diagonals as large as the rows' sums, so that unknowns keep their size. */
static void strengthen(level3_problem *p)
{
    level3_matrix t = level3_matrix_of(p, MATRIX_A);
    for (int64_t i = 0; i < t.rows; i++)
        a[i * t.rows + i].re = (double)(1024 + i % 7);
}

static level3_problem problem(test_random *r, level3_family family, char type, char uplo,
                              char trans)
{
    bool solves = family == L3_TRSM;
    level3_problem p = {.family = family, .type = type, .side = 'l', .uplo = uplo, .diag = 'n'};
    p.transa = trans;
    p.transb = 'n';
    p.m = N;
    p.n = solves ? SIDES : N;
    p.k = K;
    p.alpha = (level2_number){0.75, 0};
    p.beta = (level2_number){-2, 0};
    p.a = a;
    p.b = b;
    p.c = c;
    fill(r, &p, MOST, a);
    fill(r, &p, (int64_t)N * K, b);
    fill(r, &p, MOST, c);
    if (solves)
        strengthen(&p);
    return p;
}

static void run(const level3_problem *p, const char *method, int threads, size_t workspace,
                level2_number *result)
{
    placement q = {.form = plain_placement().form, .incx = 1, .incy = 1};
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    exblas_set_num_threads(threads);
    exblas_set_workspace(workspace);
    const char *wrong = level3_run_problem(p, &q, result);
    if (wrong)
        fail_msg("%s, %s: %s", level3_name(p->family, p->type), method, wrong);
}

static void compare(const level3_problem *p, const char *method)
{
    level3_matrix m = level3_matrix_of(p, MATRIX_C);
    for (int64_t i = 0; i < m.rows * m.cols; i++)
        if (level3_is_stored(p, MATRIX_C, i % m.rows, i / m.rows) &&
            (!same_bits(got[i].re, expected[i].re) || !same_bits(got[i].im, expected[i].im)))
            fail_msg("%s uplo %c trans %c, %s: %a,%a at (%d, %d), not %a,%a",
                     level3_name(p->family, p->type), p->uplo, p->transa, method, got[i].re,
                     got[i].im, (int)(i % m.rows), (int)(i / m.rows), expected[i].re,
                     expected[i].im);
}

static void check(test_random *r, level3_family family, char type, char uplo, char trans)
{
    static const char *const methods[] = {"auto", "anchor", "residue", "general"};
    level3_problem p = problem(r, family, type, uplo, trans);
    run(&p, "superacc", 2, 0, expected);
    for (int m = 0; m < 4; m++) {
        run(&p, methods[m], m % 2 ? 3 : 1, m % 3 ? (size_t)1 << 19 : 0, got);
        compare(&p, methods[m]);
    }
    run(&p, "residue", 1, 0, got);
    compare(&p, "residue");
}

static void restore(void)
{
    exblas_set_method(NULL);
    exblas_set_num_threads(0);
    exblas_set_workspace(0);
}

static void rank_updates(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "rank updates in blocks");
    check(&r, L3_SYRK, 'd', 'l', 'n');
    check(&r, L3_SYRK, 's', 'u', 't');
    check(&r, L3_GEMMT, 'd', 'u', 't');
    check(&r, L3_SYR2K, 's', 'l', 'n');
    check(&r, L3_HERK, 'z', 'u', 'c');
    check(&r, L3_SYRK, 'c', 'l', 'n');
    restore();
}

static void solves(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "solves in blocks");
    check(&r, L3_TRSM, 'd', 'l', 'n');
    check(&r, L3_TRSM, 'd', 'u', 't');
    check(&r, L3_TRSM, 's', 'u', 'n');
    check(&r, L3_TRSM, 'z', 'l', 'n');
    check(&r, L3_TRSM, 'c', 'l', 'c');
    restore();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rank_updates), cmocka_unit_test(solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
