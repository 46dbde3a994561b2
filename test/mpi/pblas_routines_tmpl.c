/* Every routine of PBLAS in one type: the same bits as the serial routine's on the gathered
 * matrices. Compiled with TYPE_s, TYPE_d, TYPE_c or TYPE_z. */
#include "pblas_routines.h"
#include "type_names.h"

#include <exblas/exblas.h>
#include <exblas/pblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if IS_FLOAT
#define ALPHA p->falpha
#define BETA p->fbeta
#else
#define ALPHA p->alpha
#define BETA p->beta
#endif
#define ON_GRID(name) PASTE(exp, TYPE, name, _)

/* Arguments: of a matrix and of a vector on the grid, and serially. */
#define M(v) (void *)p->v.local, &p->v.i, &p->v.j, p->v.desc
#define V(v) M(v), &p->v.inc
#define SM(v) serial_start(&p->v), p->v.m
#define SV(v) serial_start(&p->v), serial_step(&p->v)
#define COL EXBLAS_COL_MAJOR

static int option(char c)
{
    switch (c) {
    case 'N':
        return EXBLAS_NO_TRANS;
    case 'T':
        return EXBLAS_TRANS;
    case 'C':
        return EXBLAS_CONJ_TRANS;
    case 'U':
        return EXBLAS_UPPER;
    case 'L':
        return EXBLAS_LOWER;
    default:
        return EXBLAS_RIGHT;
    }
}

#define SIDE (p->side == 'L' ? EXBLAS_LEFT : EXBLAS_RIGHT)
#define UPLO option(p->uplo)
#define TRANS option(p->transa)
#define DIAG (p->diag == 'U' ? EXBLAS_UNIT : EXBLAS_NON_UNIT)

static void check_result(const problem *p, const matrix *v, const void *got, const void *wanted,
                         size_t size)
{
    if (is_in_scope(p->g, v, p->n))
        check(memcmp(got, wanted, size) == 0);
}

/* --- level 1 ---------------------------------------------------------------- */

static void scal(problem *p)
{
    ON_GRID(scal)(&p->n, ALPHA, V(x));
    SERIAL(scal)(p->n, S(ALPHA), SV(x));
}

static void copy(problem *p)
{
    ON_GRID(copy)(&p->n, V(x), V(y));
    SERIAL(copy)(p->n, SV(x), SV(y));
}

static void swap(problem *p)
{
    ON_GRID(swap)(&p->n, V(x), V(y));
    SERIAL(swap)(p->n, SV(x), SV(y));
}

static void axpy(problem *p)
{
    ON_GRID(axpy)(&p->n, ALPHA, V(x), V(y));
    SERIAL(axpy)(p->n, S(ALPHA), SV(x), SV(y));
}

static void check_dot(problem *p, const real *got, const real *wanted)
{
    check_result(p, &p->x, got, wanted, PARTS * sizeof *got);
    check_result(p, &p->y, got, wanted, PARTS * sizeof *got);
}

#if IS_COMPLEX
static void real_scal(problem *p)
{
    PASTE(exp, TYPE, PART, scal_)(&p->n, ALPHA, V(x));
    PASTE(excblas_, TYPE, PART, scal)(p->n, *ALPHA, SV(x));
}

static void dotu(problem *p)
{
    real got[2], wanted[2] = {0, 0};
    ON_GRID(dotu)(&p->n, got, V(x), V(y));
    SERIAL(dotu_sub)(p->n, SV(x), SV(y), wanted);
    check_dot(p, got, wanted);
}

static void dotc(problem *p)
{
    real got[2], wanted[2] = {0, 0};
    ON_GRID(dotc)(&p->n, got, V(x), V(y));
    SERIAL(dotc_sub)(p->n, SV(x), SV(y), wanted);
    check_dot(p, got, wanted);
}
#else
static void dot(problem *p)
{
    real got[2], wanted[2] = {0, 0};
    ON_GRID(dot)(&p->n, got, V(x), V(y));
    *wanted = SERIAL(dot)(p->n, SV(x), SV(y));
    check_dot(p, got, wanted);
}
#endif

#if IS_COMPLEX
#define NORM_ON_GRID(name) PASTE(exp, PART, TYPE, name##_)
#define NORM(name) PASTE(excblas_, PART, TYPE, name)
#else
#define NORM_ON_GRID(name) ON_GRID(name)
#define NORM(name) SERIAL(name)
#endif

static void nrm2(problem *p)
{
    real got, wanted = NORM(nrm2)(p->n, SV(x));
    NORM_ON_GRID(nrm2)(&p->n, &got, V(x));
    check_result(p, &p->x, &got, &wanted, sizeof got);
}

static void asum(problem *p)
{
    real got, wanted = NORM(asum)(p->n, SV(x));
    NORM_ON_GRID(asum)(&p->n, &got, V(x));
    check_result(p, &p->x, &got, &wanted, sizeof got);
}

static void amax(problem *p)
{
    real got[PARTS];
    int index, at = (int)PASTE(excblas_i, TYPE, amax, )(p->n, SV(x));
    const real *element = (const real *)serial_start(&p->x) + at * serial_step(&p->x) * PARTS;
    int first = p->x.inc == p->x.m ? p->x.j : p->x.i;
    ON_GRID(amax)(&p->n, got, &index, V(x));
    if (p->n > 0) {
        check_result(p, &p->x, got, element, sizeof got);
        check(!is_in_scope(p->g, &p->x, p->n) || index == first + at);
    }
}

/* --- level 2 ---------------------------------------------------------------- */

static void gemv(problem *p)
{
    ON_GRID(gemv)(&p->transa, &p->m, &p->n, ALPHA, M(a), V(x), BETA, V(y));
    SERIAL(gemv)(COL, TRANS, p->m, p->n, S(ALPHA), SM(a), SV(x), S(BETA), SV(y));
}

#if IS_COMPLEX
static void hemv(problem *p)
{
    ON_GRID(hemv)(&p->uplo, &p->n, ALPHA, M(a), V(x), BETA, V(y));
    SERIAL(hemv)(COL, UPLO, p->n, S(ALPHA), SM(a), SV(x), S(BETA), SV(y));
}
#else
static void symv(problem *p)
{
    ON_GRID(symv)(&p->uplo, &p->n, ALPHA, M(a), V(x), BETA, V(y));
    SERIAL(symv)(COL, UPLO, p->n, S(ALPHA), SM(a), SV(x), S(BETA), SV(y));
}
#endif

static void trmv(problem *p)
{
    ON_GRID(trmv)(&p->uplo, &p->transa, &p->diag, &p->n, M(a), V(x));
    SERIAL(trmv)(COL, UPLO, TRANS, DIAG, p->n, SM(a), SV(x));
}

static void trsv(problem *p)
{
    ON_GRID(trsv)(&p->uplo, &p->transa, &p->diag, &p->n, M(a), V(x));
    SERIAL(trsv)(COL, UPLO, TRANS, DIAG, p->n, SM(a), SV(x));
}

#if IS_COMPLEX
static void geru(problem *p)
{
    ON_GRID(geru)(&p->m, &p->n, ALPHA, V(x), V(y), M(a));
    SERIAL(geru)(COL, p->m, p->n, S(ALPHA), SV(x), SV(y), SM(a));
}

static void gerc(problem *p)
{
    ON_GRID(gerc)(&p->m, &p->n, ALPHA, V(x), V(y), M(a));
    SERIAL(gerc)(COL, p->m, p->n, S(ALPHA), SV(x), SV(y), SM(a));
}

static void her(problem *p)
{
    ON_GRID(her)(&p->uplo, &p->n, ALPHA, V(x), M(a));
    SERIAL(her)(COL, UPLO, p->n, *ALPHA, SV(x), SM(a));
}

static void her2(problem *p)
{
    ON_GRID(her2)(&p->uplo, &p->n, ALPHA, V(x), V(y), M(a));
    SERIAL(her2)(COL, UPLO, p->n, S(ALPHA), SV(x), SV(y), SM(a));
}
#else
static void ger(problem *p)
{
    ON_GRID(ger)(&p->m, &p->n, ALPHA, V(x), V(y), M(a));
    SERIAL(ger)(COL, p->m, p->n, S(ALPHA), SV(x), SV(y), SM(a));
}

static void syr(problem *p)
{
    ON_GRID(syr)(&p->uplo, &p->n, ALPHA, V(x), M(a));
    SERIAL(syr)(COL, UPLO, p->n, S(ALPHA), SV(x), SM(a));
}

static void syr2(problem *p)
{
    ON_GRID(syr2)(&p->uplo, &p->n, ALPHA, V(x), V(y), M(a));
    SERIAL(syr2)(COL, UPLO, p->n, S(ALPHA), SV(x), SV(y), SM(a));
}
#endif

/* y = |alpha| |A| |x| + |beta y| for a full A of m rows and n columns, from its elements. */
static void add_magnitudes(problem *p, int m, int n, const real *a, int row, int column)
{
    real *x = serial_start(&p->x), *y = serial_start(&p->real_y);
    real factors[2][PARTS * PARTS * MOST_ORDER];
    int step = serial_step(&p->real_y);
    for (int i = 0; i < m; i++) {
        int n_terms = 0;
        for (int j = 0; j < n; j++)
            for (int u = 0; u < PARTS; u++)
                for (int v = 0; v < PARTS; v++, n_terms++) {
                    factors[0][n_terms] = (real)fabs((double)a[(i * row + j * column) * PARTS + u]);
                    factors[1][n_terms] = (real)fabs((double)x[j * serial_step(&p->x) * PARTS + v]);
                }
        y[i * step] = (real)fabs((double)y[i * step]);
        REAL_SERIAL(gemv)
        (COL, EXBLAS_NO_TRANS, 1, n_terms, (real)fabs((double)*ALPHA), factors[0], 1, factors[1], 1,
         (real)fabs((double)*BETA), y + i * step, 1);
    }
}

static void agemv(problem *p)
{
    bool plain = p->transa == 'N';
    ON_GRID(agemv)(&p->transa, &p->m, &p->n, ALPHA, M(a), V(x), BETA, V(real_y));
    if (p->m > 0 && p->n > 0)
        add_magnitudes(p, plain ? p->m : p->n, plain ? p->n : p->m, serial_start(&p->a),
                       plain ? 1 : p->a.m, plain ? p->a.m : 1);
}

/* The elements of op(A) that a triangular or symmetric routine means; 0 outside of a triangle. */
static void expand(problem *p, real *full, bool symmetric)
{
    const real *a = serial_start(&p->a);
    bool transposed = !symmetric && p->transa != 'N';
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++) {
            int u = transposed ? j : i, v = transposed ? i : j;
            bool stored = p->uplo == 'L' ? u >= v : u <= v;
            int from = stored ? u + v * p->a.m : v + u * p->a.m;
            for (int k = 0; k < PARTS; k++) {
                real r = a[from * PARTS + k];
                if (!symmetric && p->diag == 'U' && i == j)
                    r = k == 0;
                if ((!symmetric && !stored) || (symmetric && i == j && k == 1))
                    r = 0;
                full[(i + j * p->n) * PARTS + k] = r;
            }
        }
}

static void expanded_magnitudes(problem *p, bool symmetric)
{
    real *full = malloc((size_t)(p->n * p->n + 1) * PARTS * sizeof *full);
    expand(p, full, symmetric);
    add_magnitudes(p, p->n, p->n, full, 1, p->n);
    free(full);
}

#if IS_COMPLEX
static void ahemv(problem *p)
{
    ON_GRID(ahemv)(&p->uplo, &p->n, ALPHA, M(a), V(x), BETA, V(real_y));
    expanded_magnitudes(p, true);
}
#else
static void asymv(problem *p)
{
    ON_GRID(asymv)(&p->uplo, &p->n, ALPHA, M(a), V(x), BETA, V(real_y));
    expanded_magnitudes(p, true);
}
#endif

/* With zeros outside of the triangle; not with Inf, which zeros would turn into NaN. */
static void atrmv(problem *p)
{
    if (p->specials)
        return;
    ON_GRID(atrmv)(&p->uplo, &p->transa, &p->diag, &p->n, ALPHA, M(a), V(x), BETA, V(real_y));
    expanded_magnitudes(p, false);
}

/* --- level 3 ---------------------------------------------------------------- */

static void gemm(problem *p)
{
    ON_GRID(gemm)(&p->transa, &p->transb, &p->m, &p->n, &p->k, ALPHA, M(a), M(b), BETA, M(c));
    SERIAL(gemm)
    (COL, TRANS, option(p->transb), p->m, p->n, p->k, S(ALPHA), SM(a), SM(b), S(BETA), SM(c));
}

static void symm(problem *p)
{
    ON_GRID(symm)(&p->side, &p->uplo, &p->m, &p->n, ALPHA, M(a), M(b), BETA, M(c));
    SERIAL(symm)(COL, SIDE, UPLO, p->m, p->n, S(ALPHA), SM(a), SM(b), S(BETA), SM(c));
}

static void syrk(problem *p)
{
    char trans = p->transa == 'C' && IS_COMPLEX ? 'T' : p->transa;
    ON_GRID(syrk)(&p->uplo, &trans, &p->n, &p->k, ALPHA, M(a), BETA, M(c));
    SERIAL(syrk)(COL, UPLO, option(trans), p->n, p->k, S(ALPHA), SM(a), S(BETA), SM(c));
}

static void syr2k(problem *p)
{
    char trans = p->transa == 'C' && IS_COMPLEX ? 'T' : p->transa;
    ON_GRID(syr2k)(&p->uplo, &trans, &p->n, &p->k, ALPHA, M(a), M(b), BETA, M(c));
    SERIAL(syr2k)(COL, UPLO, option(trans), p->n, p->k, S(ALPHA), SM(a), SM(b), S(BETA), SM(c));
}

#if IS_COMPLEX
static void hemm(problem *p)
{
    ON_GRID(hemm)(&p->side, &p->uplo, &p->m, &p->n, ALPHA, M(a), M(b), BETA, M(c));
    SERIAL(hemm)(COL, SIDE, UPLO, p->m, p->n, S(ALPHA), SM(a), SM(b), S(BETA), SM(c));
}

static void herk(problem *p)
{
    char trans = p->transa == 'T' ? 'C' : p->transa;
    ON_GRID(herk)(&p->uplo, &trans, &p->n, &p->k, ALPHA, M(a), BETA, M(c));
    SERIAL(herk)(COL, UPLO, option(trans), p->n, p->k, *ALPHA, SM(a), *BETA, SM(c));
}

static void her2k(problem *p)
{
    char trans = p->transa == 'T' ? 'C' : p->transa;
    ON_GRID(her2k)(&p->uplo, &trans, &p->n, &p->k, ALPHA, M(a), M(b), BETA, M(c));
    SERIAL(her2k)(COL, UPLO, option(trans), p->n, p->k, S(ALPHA), SM(a), SM(b), *BETA, SM(c));
}
#endif

static void trmm(problem *p)
{
    ON_GRID(trmm)(&p->side, &p->uplo, &p->transa, &p->diag, &p->m, &p->n, ALPHA, M(a), M(b));
    SERIAL(trmm)(COL, SIDE, UPLO, TRANS, DIAG, p->m, p->n, S(ALPHA), SM(a), SM(b));
}

static void trsm(problem *p)
{
    ON_GRID(trsm)(&p->side, &p->uplo, &p->transa, &p->diag, &p->m, &p->n, ALPHA, M(a), M(b));
    SERIAL(trsm)(COL, SIDE, UPLO, TRANS, DIAG, p->m, p->n, S(ALPHA), SM(a), SM(b));
}

/* C = RN(alpha op(A) + beta C) by one axpby for each element that counts. */
static void add_serially(problem *p, char op, bool triangle)
{
    real *a = serial_start(&p->a), *c = serial_start(&p->c);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            real *from = a + (op == 'N' ? i + j * p->a.m : j + i * p->a.m) * PARTS;
            real element[2] = {from[0], PARTS == 2 ? (op == 'C' ? -from[1] : from[1]) : 0};
            if (!triangle || (p->uplo == 'L' ? i >= j : i <= j))
                SERIAL(axpby)(1, S(ALPHA), element, 1, S(BETA), c + (i + j * p->c.m) * PARTS, 1);
        }
}

static void geadd(problem *p)
{
    ON_GRID(geadd)(&p->transa, &p->m, &p->n, ALPHA, M(a), BETA, M(c));
    add_serially(p, p->transa, false);
}

static void tradd(problem *p)
{
    ON_GRID(tradd)(&p->uplo, &p->transa, &p->m, &p->n, ALPHA, M(a), BETA, M(c));
    add_serially(p, p->transa, true);
}

#if IS_COMPLEX
static void tranu(problem *p)
{
    ON_GRID(tranu)(&p->m, &p->n, ALPHA, M(a), BETA, M(c));
    add_serially(p, 'T', false);
}

static void tranc(problem *p)
{
    ON_GRID(tranc)(&p->m, &p->n, ALPHA, M(a), BETA, M(c));
    add_serially(p, 'C', false);
}
#else
static void tran(problem *p)
{
    ON_GRID(tran)(&p->m, &p->n, ALPHA, M(a), BETA, M(c));
    add_serially(p, 'T', false);
}
#endif

/* --- problems --------------------------------------------------------------- */

/* `operands` are those that it has: r is a real y. Those of `everywhere` are checked for all block
 * sizes, others for one. */
static const struct {
    const char *name;
    void (*run)(problem *p);
    const char *operands;
    bool everywhere;
} routines[] = {
    {"scal", scal, "x", false},     {"copy", copy, "xy", false},
    {"swap", swap, "xy", false},    {"axpy", axpy, "xy", false},
    {"nrm2", nrm2, "x", true},      {"asum", asum, "x", false},
    {"amax", amax, "x", false},     {"gemv", gemv, "axy", true},
    {"trmv", trmv, "ax", false},    {"trsv", trsv, "ax", false},
    {"agemv", agemv, "axr", false}, {"atrmv", atrmv, "axr", false},
    {"gemm", gemm, "abc", true},    {"symm", symm, "abc", false},
    {"syrk", syrk, "ac", true},     {"syr2k", syr2k, "abc", false},
    {"trmm", trmm, "ab", false},    {"trsm", trsm, "ab", true},
    {"geadd", geadd, "ac", false},  {"tradd", tradd, "ac", false},
#if IS_COMPLEX
    {"dotu", dotu, "xy", true},     {"dotc", dotc, "xy", true},
    {"hemv", hemv, "axy", true},    {"geru", geru, "axy", false},
    {"gerc", gerc, "axy", false},   {"her", her, "ax", false},
    {"her2", her2, "axy", false},   {"ahemv", ahemv, "axr", false},
    {"hemm", hemm, "abc", true},    {"herk", herk, "ac", true},
    {"her2k", her2k, "abc", false}, {"tranu", tranu, "ac", false},
    {"tranc", tranc, "ac", false},  {"real scal", real_scal, "x", false},
#else
    {"dot", dot, "xy", true},       {"symv", symv, "axy", false},   {"ger", ger, "axy", false},
    {"syr", syr, "ax", false},      {"syr2", syr2, "axy", false},   {"asymv", asymv, "axr", false},
    {"tran", tran, "ac", false},
#endif
};

static void random_scalar_of(test_random *r, double *wide, float *narrow)
{
    static const double plain[] = {1, 0, -1, 2, -0.75};
    for (int i = 0; i < 2; i++) {
        wide[i] =
            random_chance(r, 4) ? random_number(r, FORMAT_S, 0) : plain[random_between(r, 0, 4)];
        narrow[i] = (float)wide[i];
    }
}

enum { N_OPERANDS = 6 };

/* Operand i of a problem, or NULL if the routine has none. */
static matrix *operand(problem *p, int i, int routine)
{
    matrix *all[N_OPERANDS] = {&p->a, &p->b, &p->c, &p->x, &p->y, &p->real_y};
    return strchr(routines[routine].operands, "abcxyr"[i]) ? all[i] : NULL;
}

static problem make_problem(test_random *r, const grid *g, int block, int routine)
{
    const int order = MOST_ORDER - 30;
    const size_t size = PARTS * sizeof(real);
    problem p = {.g = g,
                 .side = "LR"[random_between(r, 0, 1)],
                 .uplo = "LU"[random_between(r, 0, 1)],
                 .transa = "NTC"[random_between(r, 0, 2)],
                 .transb = "NTC"[random_between(r, 0, 2)],
                 .diag = "NU"[random_between(r, 0, 1)],
                 .m = (int)random_between(r, random_chance(r, 9) ? 0 : 1, order),
                 .n = (int)random_between(r, random_chance(r, 9) ? 0 : 1, order),
                 .k = (int)random_between(r, random_chance(r, 9) ? 0 : 1, order),
                 .specials = random_chance(r, 4)};
    random_scalar_of(r, p.alpha, p.falpha);
    random_scalar_of(r, p.beta, p.fbeta);
    for (int i = 0; i < N_OPERANDS; i++) {
        matrix *v = operand(&p, i, routine);
        if (!v)
            continue;
        *v = make_matrix(r, g, i < 5 ? size : sizeof(real), order, block);
        if (i >= 3)
            make_vector(r, v);
        fill_matrix(r, g, v, IS_FLOAT, p.specials);
    }
    return p;
}

static void check_problem(problem *p, int routine)
{
    routines[routine].run(p);
    for (int i = 0; i < N_OPERANDS; i++) {
        matrix *v = operand(p, i, routine);
        if (!v)
            continue;
        bool same = is_same(p->g, v);
        if (!same)
            fprintf(stderr, "%s: operand %d on a grid of %d x %d: %c%c%c%c%c m=%d n=%d k=%d%s\n",
                    routines[routine].name, i, p->g->n_rows, p->g->n_cols, p->side, p->uplo,
                    p->transa, p->transb, p->diag, p->m, p->n, p->k, p->specials ? " Inf" : "");
        check(same);
        free_matrix(v);
    }
}

void PASTE(check_routines_, TYPE, , )(const grid *g, int block, int rounds)
{
    test_random r = test_random_start(test_seed() + (uint64_t)(block + 100 * g->n_rows), "pblas");
    for (int i = 0; i < (int)(sizeof routines / sizeof *routines); i++)
        for (int round = 0; round < rounds; round++) {
            if (!routines[i].everywhere && block / 32 != (i + round + g->n_rows) % 3)
                continue;
            problem p = make_problem(&r, g, block, i);
            check_problem(&p, i);
        }
}
