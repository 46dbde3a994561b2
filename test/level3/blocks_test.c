/* Triangles of several blocks: rank updates whose blocks lie on one side of the diagonal, across it
 * or on the other, and solves whose sums grow block by block; and every routine with working memory
 * for a fraction of its product: blocks of rows and of columns, panels of terms, groups of
 * right-hand sides, of which every tenth row of some is so near to rounding boundaries that it is
 * computed otherwise. Every engine against the exact method, which knows no blocks. */
#include "core/kernels.h"
#include "gemm_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdlib.h>

enum {
    N = 420,
    SIDES = 21,
    K = 33,
    BATCH = 7 /* two products or more for each of three threads */
};

static void fill(test_random *r, fuzz_case *c)
{
    fuzz_allocate(c);
    for (int w = 0; w <= OPERAND_C; w++)
        for (int64_t i = 0; i < c->operand[w].rows * c->operand[w].cols; i++) {
            double re = random_number(r, fuzz_format(c), (int)random_between(r, -6, 6));
            double im = random_number(r, fuzz_format(c), (int)random_between(r, -6, 6));
            c->operand[w].v[i] = (test_number){re, fuzz_parts(c) == 2 ? im : 0};
        }
    /* Diagonals as large as the rows' sums, so that unknowns keep their size. */
    const fuzz_operand *a = &c->operand[OPERAND_A];
    for (int64_t i = 0; i < a->rows && c->t.solves; i++)
        a->v[i * a->rows + i].re = (double)(1024 + i % 7);
}

static fuzz_case shaped(const char *name, int64_t m, int64_t n, int64_t k)
{
    fuzz_case c = fuzz_case_named(name);
    c.m = m;
    c.n = n;
    c.k = k;
    c.alpha.re = 0.75;
    c.beta.re = -2;
    c.batch = fuzz_has(c.routine, "batch") ? BATCH : 1;
    c.padding[OPERAND_B] = 1;
    c.padding[OPERAND_C] = 2;
    c.set.isa = exb_isa_current();
    return c;
}

/* The result by the exact method. */
static test_number *find_expected(fuzz_case *c, int threads)
{
    c->set.method = "superacc";
    c->set.threads = threads;
    c->set.workspace = 0;
    fuzz_settle(&c->set);
    return fuzz_computed(c);
}

static void compare(fuzz_case *c, const test_number *expected, const char *method, int threads,
                    size_t workspace)
{
    c->set.method = method;
    c->set.threads = threads;
    c->set.workspace = workspace;
    fuzz_verdict v = fuzz_try(c, expected);
    if (v.differs) {
        fuzz_print(stderr, c, &v);
        fail_msg("TEST_SEED=%llu", (unsigned long long)test_seed());
    }
}

static void check(test_random *r, const char *name, char uplo, char trans)
{
    static const char *const methods[] = {"auto", "anchor", "residue", "general", "residue"};
    fuzz_case c = shaped(name, N, N, K);
    c.n = c.t.solves ? SIDES : N;
    c.uplo = uplo;
    c.transa = trans;
    fill(r, &c);
    test_number *expected = find_expected(&c, 2);
    for (int m = 0; m < 5; m++)
        compare(&c, expected, methods[m], m % 2 ? 3 : 1, m % 3 && m < 4 ? (size_t)1 << 19 : 0);
    free(expected);
    fuzz_case_free(&c);
}

static void rank_updates(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "rank updates in blocks");
    check(&r, "dsyrk", 'l', 'n');
    check(&r, "ssyrk", 'u', 't');
    check(&r, "dgemmt", 'u', 't');
    check(&r, "ssyr2k", 'l', 'n');
    check(&r, "zherk", 'u', 'c');
    check(&r, "csyrk", 'l', 'n');
    mode_restore();
}

static void solves(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "solves in blocks");
    check(&r, "dtrsm", 'l', 'n');
    check(&r, "dtrsm", 'u', 't');
    check(&r, "strsm", 'u', 'n');
    check(&r, "ztrsm", 'l', 'n');
    check(&r, "ctrsm", 'l', 'c');
    mode_restore();
}

/* The residue engine needs a megabyte for a part of 192 x 192, chains a fifth of one for a block of
 * 96 x 96; more than 64 sides of 300 unknowns take several groups. */
static const struct {
    const char *method;
    int threads;
    size_t workspace;
} settings[] = {
    {"residue", 1, 1070000}, {"residue", 3, 556000}, {"anchor", 1, 199000}, {"anchor", 3, 96000},
    {"general", 3, 100000},  {"auto", 1, 69000},     {"auto", 3, 156000},
};

/* A few infinities and NaN, which concern some rows, columns or sides only. */
static void sprinkle(test_random *r, const fuzz_case *c)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, -0.0};
    for (int i = 0; i < 4; i++)
        for (int w = c->t.solves ? OPERAND_C : OPERAND_A; w <= OPERAND_C; w++) {
            int64_t n = c->operand[w].rows * c->operand[w].cols;
            if (n > 0)
                c->operand[w].v[random_between(r, 0, n - 1)].re = specials[i];
        }
}

static void cross(test_random *r, const char *name, int64_t m, int64_t n, int64_t k, int way)
{
    fuzz_case c = shaped(name, m, n, k);
    const char *transposes = fuzz_transposes(&c);
    c.side = way & 1 ? 'r' : 'l';
    c.uplo = way & 2 ? 'u' : 'l';
    c.transa = transposes[(size_t)way % strlen(transposes)];
    c.transb = "ntc"[(way + 1) % 3];
    c.diag = way % 5 == 3 ? 'u' : 'n';
    c.layout = way & 4 ? 'r' : 'c';
    if (fuzz_parts(&c) == 2 && !c.t.real_alpha && way % 2)
        c.alpha.im = -0.5;
    fill(r, &c);
    if (way % 4 == 1)
        sprinkle(r, &c);
    test_number *expected = find_expected(&c, 3);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        compare(&c, expected, settings[i].method, settings[i].threads, settings[i].workspace);
    free(expected);
    fuzz_case_free(&c);
}

static void fractions_of_triangles(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fractions of triangles");
    int way = 0;
    for (int round = 0; round < 2; round++) {
        cross(&r, "dsyrk", 310, 310, 150, way++);
        cross(&r, round ? "ssyr2k" : "dsyr2k", 310, 310, 80, way++);
        cross(&r, "zherk", 210, 210, 80, way++);
        cross(&r, round ? "cher2k" : "zher2k", 210, 210, 50, way++);
        cross(&r, round ? "zgemmt" : "dgemmt", 250, 250, 140, way++);
        cross(&r, "dskewsyr2k", 170, 170, 5, way++);
    }
    mode_restore();
}

static void fractions_of_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "fractions of products");
    int way = 0;
    for (int round = 0; round < 2; round++) {
        cross(&r, "dsymm", 260, 230, 0, way++);
        cross(&r, "dskewsymm", 170, 170, 0, way++);
        cross(&r, round ? "chemm" : "zhemm", 160, 210, 0, way++);
        cross(&r, "dgemm_batch_strided", 230, 120, 170, way++);
        cross(&r, "dtrmm", 270, 220, 0, way++);
        cross(&r, round ? "ztrmm" : "strmm", 130, 220, 0, way++);
    }
    mode_restore();
}

static void groups_of_sides(NO_STATE)
{
    static const char *const names[] = {"strsm", "ztrsm", "ctrsm"};
    test_random r = test_random_start(test_seed(), "groups of sides");
    for (int way = 0; way < 8; way++) {
        bool left = !(way & 1);
        cross(&r, "dtrsm", left ? 300 : 150, left ? 150 : 300, 0, way);
        cross(&r, names[way % 3], left ? 100 : 170, left ? 170 : 100, 0, way);
    }
    mode_restore();
}

/* --- several blocks and panels at once ------------------------------------------------- */

/* The residue engine holds a part of 192 x 192 in about a megabyte; at 1.2 to 1.7 k goes in panels.
 * A block of chains takes a fifth of one. */
static void multiply(test_random *r, char type, const char *kind, int way, int64_t m, int64_t n,
                     int64_t k)
{
    static const struct {
        const char *method;
        int threads;
        size_t workspace;
    } fractions[] = {
        {"residue", 1, 1020000}, {"residue", 1, 1170000},  {"residue", 3, 456000},
        {"residue", 1, 1670000}, {"residue", 3, 656000},   {"residue", 1, 3870000},
        {"anchor", 1, 270000},   {"anchor", 1, 430000},    {"anchor", 3, 156000},
        {"anchor", 1, 870000},   {"anchor", 3, 286000},    {"general", 3, 100000},
        {"residue", 1, 0},       {"residue", 1, 11870000},
    };
    fuzz_case c = gemm_plain(r, type, gemm_kind(kind), way, m, n, k);
    c.set.isa = exb_isa_current();
    test_number *expected = find_expected(&c, 3);
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
        compare(&c, expected, fractions[i].method, fractions[i].threads, fractions[i].workspace);
    free(expected);
    fuzz_case_free(&c);
}

/* Residues: blocks of rows, of columns and panels; the chains' panels are longer. */
static void blocks_and_panels(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "blocks and panels");
    for (int i = 0; i < 4; i++) {
        multiply(&r, 'd', "some boundaries", i, i % 2 ? 400 : 200, i % 2 ? 200 : 400, 200);
        multiply(&r, "szcs"[i], "some boundaries", i + 4, 230, 210, 150);
    }
    multiply(&r, 'd', "wide", 6, 400, 390, 131);
    multiply(&r, 'd', "integers", 3, 210, 590, 260);
    multiply(&r, 'z', "wide", 5, 250, 230, 100);
    multiply(&r, 'd', "specials", 1, 390, 230, 140);
    multiply(&r, 'c', "specials", 2, 130, 120, 150);
    multiply(&r, 'd', "graded", 4, 230, 390, 140);
    multiply(&r, 'd', "zero sums", 2, 230, 210, 150);
    multiply(&r, 'c', "zero sums", 7, 130, 220, 150);
    multiply(&r, 'd', "zero sums", 1, 60, 50, 4100); /* whose sets some workspaces do not hold */
    /* Several parts of one block go through two panels only beyond 4096 terms. */
    multiply(&r, 'd', "uniform", 0, 200, 197, 4100);
    mode_restore();
}

/* Products that are halved once, whole and in panels. */
static void halves(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "halves");
    multiply(&r, 'd', "some boundaries", 0, 530, 520, 515);
    multiply(&r, 'd', "integers", 5, 512, 577, 543);
    mode_restore();
}

TESTS(rank_updates, solves, fractions_of_triangles, fractions_of_products, groups_of_sides,
      blocks_and_panels, halves)
