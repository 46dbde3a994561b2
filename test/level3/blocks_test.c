/* Triangles of several blocks: rank updates whose blocks lie on one side of the diagonal, across it
 * or on the other, and solves whose sums grow block by block; and every routine with working memory
 * for a fraction of its product: blocks of rows and of columns, panels of terms, groups of
 * right-hand sides. Every engine against the exact method, which knows no blocks. */
#include "problem.h"
#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

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
static void strengthen(const level3_problem *p)
{
    level3_matrix t = level3_matrix_of(p, MATRIX_A);
    for (int64_t i = 0; i < t.rows; i++)
        a[i * t.rows + i].re = (double)(1024 + i % 7);
}

static level3_problem shaped(level3_family family, char type, int64_t m, int64_t n, int64_t k)
{
    level3_problem p = {.family = family, .type = type, .side = 'l', .uplo = 'l', .diag = 'n'};
    p.transa = p.transb = 'n';
    p.m = m;
    p.n = n;
    p.k = k;
    p.alpha = (level2_number){0.75, 0};
    p.beta = (level2_number){-2, 0};
    p.a = a;
    p.b = b;
    p.c = c;
    return p;
}

static void fill_all(test_random *r, const level3_problem *p)
{
    fill(r, p, MOST, a);
    fill(r, p, MOST, b);
    fill(r, p, MOST, c);
    if (p->family == L3_TRSM)
        strengthen(p);
}

static level3_problem problem(test_random *r, level3_family family, char type, char uplo,
                              char trans)
{
    level3_problem p = shaped(family, type, N, family == L3_TRSM ? SIDES : N, K);
    p.uplo = uplo;
    p.transa = trans;
    fill_all(r, &p);
    return p;
}

static bool by_rows;

static placement set_up(const char *method, int threads, size_t workspace)
{
    placement q = plain_placement();
    q.row_major = by_rows;
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    exblas_set_num_threads(threads);
    exblas_set_workspace(workspace);
    return q;
}

/* By the exact method. */
static void find_expected(const level3_problem *p, int threads)
{
    placement q = set_up("superacc", threads, 0);
    assert_null(level3_run_problem(p, &q, expected));
}

static void compare(const level3_problem *p, const char *method, int threads, size_t workspace)
{
    placement q = set_up(method, threads, workspace);
    const char *wrong = level3_difference(p, &q, expected, got);
    if (wrong)
        fail_msg("%s, %d threads, workspace %zu: %s", method, threads, workspace, wrong);
}

static void check(test_random *r, level3_family family, char type, char uplo, char trans)
{
    static const char *const methods[] = {"auto", "anchor", "residue", "general"};
    level3_problem p = problem(r, family, type, uplo, trans);
    find_expected(&p, 2);
    for (int m = 0; m < 4; m++)
        compare(&p, methods[m], m % 2 ? 3 : 1, m % 3 ? (size_t)1 << 19 : 0);
    compare(&p, "residue", 1, 0);
}

static void restore(void)
{
    by_rows = false;
    mode_restore();
}

static void rank_updates(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "rank updates in blocks");
    check(&r, L3_SYRK, 'd', 'l', 'n');
    check(&r, L3_SYRK, 's', 'u', 't');
    check(&r, L3_GEMMT, 'd', 'u', 't');
    check(&r, L3_SYR2K, 's', 'l', 'n');
    check(&r, L3_HERK, 'z', 'u', 'c');
    check(&r, L3_SYRK, 'c', 'l', 'n');
    restore();
}

static void solves(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "solves in blocks");
    check(&r, L3_TRSM, 'd', 'l', 'n');
    check(&r, L3_TRSM, 'd', 'u', 't');
    check(&r, L3_TRSM, 's', 'u', 'n');
    check(&r, L3_TRSM, 'z', 'l', 'n');
    check(&r, L3_TRSM, 'c', 'l', 'c');
    restore();
}

/* The residue engine needs a megabyte for a part of 192 x 192, chains a third of one for a block of
 * 96 x 96 with what is put aside; more than 64 sides of 300 unknowns take several groups. */
static const struct {
    const char *method;
    int threads;
    size_t workspace;
} settings[] = {
    {"residue", 1, 1200000}, {"residue", 3, 600000}, {"anchor", 1, 330000}, {"anchor", 3, 140000},
    {"general", 3, 100000},  {"auto", 1, 200000},    {"auto", 3, 200000},
};

/* A few infinities and NaN, which concern some rows, columns or sides only. */
static void sprinkle(test_random *r, const level3_problem *p)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, -0.0};
    for (int i = 0; i < 4; i++) {
        level3_matrix all[] = {level3_matrix_of(p, MATRIX_A), level3_matrix_of(p, MATRIX_B),
                               level3_matrix_of(p, MATRIX_C)};
        level2_number *x[] = {a, b, c};
        for (int k = p->family == L3_TRSM ? 2 : 0; k < 3; k++)
            if (all[k].rows > 0)
                x[k][random_between(r, 0, all[k].rows * all[k].cols - 1)].re = specials[i];
    }
}

static void cross(test_random *r, level3_problem p, int way)
{
    const level3_traits *t = &level3_family_traits[p.family];
    const char *transposes = level3_transposes(p.family, p.type);
    p.side = way & 1 ? 'r' : 'l';
    p.uplo = way & 2 ? 'u' : 'l';
    p.transa = transposes[(size_t)way % strlen(transposes)];
    p.transb = "ntc"[(way + 1) % 3];
    p.diag = way % 5 == 3 ? 'u' : 'n';
    by_rows = way & 4;
    if (level2_is_complex(p.type) && !t->real_alpha && way % 2)
        p.alpha.im = -0.5;
    fill_all(r, &p);
    if (way % 4 == 1)
        sprinkle(r, &p);
    find_expected(&p, 3);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        compare(&p, settings[i].method, settings[i].threads, settings[i].workspace);
}

static void fractions_of_triangles(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fractions of triangles");
    int way = 0;
    for (int round = 0; round < 2; round++) {
        cross(&r, shaped(L3_SYRK, 'd', 310, 310, 150), way++);
        cross(&r, shaped(L3_SYR2K, "ds"[round], 310, 310, 80), way++);
        cross(&r, shaped(L3_HERK, 'z', 210, 210, 80), way++);
        cross(&r, shaped(L3_HER2K, "zc"[round], 210, 210, 50), way++);
        cross(&r, shaped(L3_GEMMT, "dz"[round], 250, 250, 140), way++);
    }
    restore();
}

static void fractions_of_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fractions of products");
    int way = 0;
    for (int round = 0; round < 2; round++) {
        cross(&r, shaped(L3_SYMM, 'd', 260, 230, 0), way++);
        cross(&r, shaped(L3_HEMM, "zc"[round], 160, 210, 0), way++);
        cross(&r, shaped(L3_BATCH, 'd', 230, 120, 170), way++);
        cross(&r, shaped(L3_TRMM, 'd', 270, 220, 0), way++);
        cross(&r, shaped(L3_TRMM, "sz"[round], 130, 220, 0), way++);
    }
    restore();
}

static void groups_of_sides(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "groups of sides");
    for (int way = 0; way < 8; way++) {
        bool left = !(way & 1);
        cross(&r, shaped(L3_TRSM, 'd', left ? 300 : 150, left ? 150 : 300, 0), way);
        cross(&r, shaped(L3_TRSM, "szc"[way % 3], left ? 100 : 170, left ? 170 : 100, 0), way);
    }
    restore();
}

/* --- one matrix for both operands -------------------------------------------- */

/* op(A) op(A), in blocks of rows and columns, by chains; with a copy of A in the second place they
 * are operands like any others. The scale of a row is not that of a column, nor that of a row of
 * another block. */
static void one_operand_twice(NO_STATE)
{
    enum { ORDER = 300 };
    static double x[ORDER * ORDER], copy[ORDER * ORDER], twice[ORDER * ORDER], right[ORDER * ORDER];
    test_random r = test_random_start(test_seed(), "one operand twice");
    for (int i = 0; i < ORDER * ORDER; i++)
        copy[i] = x[i] =
            random_number(&r, FORMAT_D, (int)random_between(&r, -3, 3) + i % ORDER / 100 * 40);
    for (int way = 0; way < 16; way++) {
        int transa = way & 1 ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
        int transb = way & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
        exblas_set_num_threads(way & 4 ? 3 : 1);
        assert_int_equal(exblas_set_method("anchor"), EXBLAS_OK);
        assert_int_equal(exblas_set_workspace(way & 8 ? 1 << 19 : 0), EXBLAS_OK);
        excblas_dgemm(EXBLAS_COL_MAJOR, transa, transb, ORDER, ORDER, ORDER, 1, x, ORDER, x, ORDER,
                      0, twice, ORDER);
        excblas_dgemm(EXBLAS_COL_MAJOR, transa, transb, ORDER, ORDER, ORDER, 1, x, ORDER, copy,
                      ORDER, 0, right, ORDER);
        assert_memory_equal(twice, right, sizeof twice);
    }
    restore();
}

/* One place, two leading dimensions: a column of B whose norm is 2^60, from terms that cancel in
 * its product with the first row of A. That column's place is not in the row of the same number. */
static void one_place_for_two_operands(NO_STATE)
{
    enum { ORDER = 36, TERMS = 30, LONG = 40, AT = 20 };
    static double x[LONG * LONG], twice[ORDER * ORDER], right[ORDER * ORDER];
    for (int way = 0; way < 4; way++) {
        int lda = way & 1 ? ORDER : LONG, ldb = way & 1 ? LONG : ORDER;
        bool along = way & 2;
        for (int i = 0; i < LONG * LONG; i++)
            x[i] = (i * 37 % 101 - 50) / 64.0;
        for (int l = 1; l < 3; l++) {
            x[along ? AT * ldb + l : l * ldb + AT] = 0x1p60;
            x[along ? l : l * lda] = l == 1 ? 1 : -1;
        }
        assert_int_equal(exblas_set_method("anchor"), EXBLAS_OK);
        excblas_dgemm(EXBLAS_COL_MAJOR, along ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                      along ? EXBLAS_NO_TRANS : EXBLAS_TRANS, ORDER, ORDER, TERMS, 1, x, lda, x,
                      ldb, 0, twice, ORDER);
        assert_int_equal(exblas_set_method("superacc"), EXBLAS_OK);
        excblas_dgemm(EXBLAS_COL_MAJOR, along ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                      along ? EXBLAS_NO_TRANS : EXBLAS_TRANS, ORDER, ORDER, TERMS, 1, x, lda, x,
                      ldb, 0, right, ORDER);
        assert_memory_equal(twice, right, sizeof twice);
    }
    restore();
}

TESTS(rank_updates, solves, fractions_of_triangles, fractions_of_products, groups_of_sides,
      one_operand_twice, one_place_for_two_operands)
