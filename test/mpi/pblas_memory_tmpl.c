/* One type of pblas_memory_test.c. Compiled with TYPE_s, TYPE_d, TYPE_c or TYPE_z. */
#include "pblas_memory.h"
#include "type_names.h"

#include <exblas/pblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ON_GRID(name) PASTE(exp, TYPE, name, _)
#define NAME_(type) #type
#define NAME(type) NAME_(type)

static const int n = ORDER, one = 1;
static real *a, *b, *c;
static int desc[9], n_rows, n_cols;
static const real alpha[] = {1, 0}, beta[] = {-1, 0};

#define A a, &one, &one, desc
#define B b, &one, &one, desc
#define C c, &one, &one, desc

static void gemm(void)
{
    ON_GRID(gemm)("N", "N", &n, &n, &n, alpha, A, B, beta, C);
}

static void gemm_transposed(void)
{
    ON_GRID(gemm)("T", "T", &n, &n, &n, alpha, A, B, beta, C);
}

static void symm(void)
{
    ON_GRID(symm)("L", "U", &n, &n, alpha, A, B, beta, C);
}

static void symm_right(void)
{
    ON_GRID(symm)("R", "L", &n, &n, alpha, A, B, beta, C);
}

static void syrk(void)
{
    ON_GRID(syrk)("L", "N", &n, &n, alpha, A, beta, C);
}

static void syr2k(void)
{
    ON_GRID(syr2k)("U", "T", &n, &n, alpha, A, B, beta, C);
}

static void trmm(void)
{
    ON_GRID(trmm)("L", "L", "N", "N", &n, &n, alpha, A, B);
}

static void trmm_right(void)
{
    ON_GRID(trmm)("R", "U", "N", "U", &n, &n, alpha, A, B);
}

static void trsm(void)
{
    ON_GRID(trsm)("L", "L", "N", "U", &n, &n, alpha, A, B);
}

static void trsm_right(void)
{
    ON_GRID(trsm)("R", "U", "T", "U", &n, &n, alpha, A, B);
}

#if IS_COMPLEX
static void hemm(void)
{
    ON_GRID(hemm)("L", "U", &n, &n, alpha, A, B, beta, C);
}

static void hemm_special(void)
{
    b[0] = (real)INFINITY;
    ON_GRID(hemm)("R", "L", &n, &n, alpha, A, B, beta, C);
}

static void herk(void)
{
    ON_GRID(herk)("L", "N", &n, &n, alpha, A, beta, C);
}

static void her2k(void)
{
    ON_GRID(her2k)("U", "C", &n, &n, alpha, A, B, beta, C);
}
#endif

/* Floats take the same ways: those that differ most are measured. */
static const struct {
    const char *name;
    void (*run)(void);
    int n_operands;
    bool for_floats;
} routines[] = {
    {"gemm NN", gemm, 3, true},   {"gemm TT", gemm_transposed, 3, false},
    {"symm LU", symm, 3, false},  {"symm RL", symm_right, 3, false},
    {"syrk LN", syrk, 2, true},   {"syr2k UT", syr2k, 3, false},
    {"trmm LLNN", trmm, 2, true}, {"trmm RUNU", trmm_right, 2, false},
    {"trsm LLNU", trsm, 2, true}, {"trsm RUTU", trsm_right, 2, false},
#if IS_COMPLEX
    {"hemm LU", hemm, 3, false},  {"hemm RL Inf", hemm_special, 3, true},
    {"herk LN", herk, 2, true},   {"her2k UC", her2k, 3, false},
#endif
};

static void fill(test_random *r, real *x)
{
    for (int i = 0; i < PARTS * n_rows * n_cols; i++)
        x[i] = (real)random_number(r, FORMAT_S, -9);
}

void PASTE(measure_routines_, TYPE, , )(const grid *g, int rows, int cols)
{
    const int of_grid[9] = {1, g->context, n, n, BLOCK, BLOCK, 0, 0, rows};
    const size_t bytes = (size_t)rows * (size_t)cols * PARTS * sizeof(real);
    test_random r = test_random_start(test_seed() + (uint64_t)world_rank(), "pblas memory");
    memcpy(desc, of_grid, sizeof desc);
    n_rows = rows;
    n_cols = cols;
    real **all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++)
        *all[i] = malloc(bytes);
    for (int i = 0; i < (int)(sizeof routines / sizeof *routines); i++) {
        char name[32];
        if (IS_FLOAT && !routines[i].for_floats)
            continue;
        for (int k = 0; k < 3; k++)
            fill(&r, *all[k]);
        count_start();
        routines[i].run();
        double kept = count_end();
        snprintf(name, sizeof name, NAME(TYPE) "%s", routines[i].name);
        check_memory(name, routines[i].n_operands * (double)bytes, PARTS * sizeof(real), kept);
    }
    for (int i = 0; i < 3; i++)
        free(*all[i]);
}
