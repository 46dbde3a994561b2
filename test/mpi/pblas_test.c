/* PBLAS on grids of four processes: all routines in all types, block sizes and offsets have the
 * bits of the serial routines; bad arguments; no memory; gsum2d. */
#include "grid_call.h"

#include "mpi_testing.h"

#include "mpi/pblas/pblas_operands.h"

#include <exblas/exblas.h>
#include <exblas/pblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of ScaLAPACK, and of the drop-in object. */
void blacs_gridmap_(int *, const int *, const int *, const int *, const int *);
void pxerbla_(const int *, const char *, const int *, size_t);
void dgsum2d_(const int *, const char *, const char *, const int *, const int *, double *,
              const int *, const int *, const int *);
void cgsum2d_(const int *, const char *, const char *, const int *, const int *, float *,
              const int *, const int *, const int *);

/* The drop-in object's reports come here. */
static int reported;
static char reporter[8];

void pxerbla_(const int *context, const char *routine, const int *info, size_t length)
{
    (void)context;
    reported = *info;
    snprintf(reporter, sizeof reporter, "%.*s", (int)length, routine);
}

/* Large blocks are refused on one process while this is set. */
static bool refuses_memory;
void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (refuses_memory && world_rank() == world_size() - 1)
        return NULL;
    return posix_memalign(&p, alignment, size) ? NULL : p;
}

static bool open_grid(int n_rows, int n_cols, grid *g)
{
    int any = -1, what = 0, map[MOST_PROCESSES];
    *g = (grid){-1, n_rows, n_cols, -1, -1};
    if (n_rows * n_cols > world_size())
        return false;
    for (int i = 0; i < n_rows * n_cols; i++) /* others than the world's ranks */
        map[i % n_cols * n_rows + i / n_cols] = world_size() - 1 - i;
    blacs_get_(&any, &what, &g->context);
    blacs_gridmap_(&g->context, map, &n_rows, &n_rows, &n_cols);
    if (world_rank() < world_size() - n_rows * n_cols)
        return false;
    blacs_gridinfo_(&g->context, &g->n_rows, &g->n_cols, &g->row, &g->col);
    return true;
}

static const int shapes[][2] = {{1, 4}, {4, 1}, {2, 2}, {1, 3}, {3, 1}, {1, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void all_routines(void)
{
    for (int i = 0; i < 4 * N_SHAPES; i++) {
        grid g;
        if (!open_grid(shapes[i % N_SHAPES][0], shapes[i % N_SHAPES][1], &g))
            continue;
        for (int block = 8; block <= 64; block += block == 8 ? 24 : 32) {
            exb_pblas_set_workspace(block == 8 ? 700 : 0); /* in windows, in one */
            check_routines("sdcz"[i / N_SHAPES], &g, block, test_rounds(1));
        }
        blacs_gridexit_(&g.context);
    }
}

/* --- places of factors --------------------------------------------------------- */

static void check_small_product(test_random *r, const grid *g)
{
    enum { ORDER = 10, SMALL_BLOCK = 4 };
    const double one = 1;
    const int n = ORDER;
    matrix v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = make_matrix(r, g, sizeof one, n, SMALL_BLOCK);
        fill_matrix(r, g, &v[i], false, false);
    }
    expdgemm_("N", "N", &n, &n, &n, &one, (void *)v[0].local, &v[0].i, &v[0].j, v[0].desc,
              (void *)v[1].local, &v[1].i, &v[1].j, v[1].desc, &one, (void *)v[2].local, &v[2].i,
              &v[2].j, v[2].desc);
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1,
                  serial_start(&v[0]), v[0].m, serial_start(&v[1]), v[1].m, 1, serial_start(&v[2]),
                  v[2].m);
    check(is_same(g, &v[2]));
    for (int i = 0; i < 3; i++)
        free_matrix(&v[i]);
}

/* So many that factors lie as C does, or nearly so. */
static void places_of_factors(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        grid g;
        test_random r = test_random_start(test_seed(), "places of factors");
        if (!open_grid(shapes[i][0], shapes[i][1], &g))
            continue;
        for (int round = 0; round < test_rounds(200); round++)
            check_small_product(&r, &g);
        blacs_gridexit_(&g.context);
    }
}

/* --- bad arguments ------------------------------------------------------------ */

typedef struct {
    char transa, transb;
    int m, n, k, ia, ja, desca[11], ib, jb, descb[11], ic, jc, descc[11];
} gemm_arguments;

static gemm_arguments legal_arguments(const grid *g)
{
    const int desc[11] = {2, g->context, 20, 20, 4, 4, 4, 4, 0, 0, 20};
    gemm_arguments q = {'N', 'N', 9, 8, 7, 2, 3, {0}, 1, 4, {0}, 5, 1, {0}};
    memcpy(q.desca, desc, sizeof desc);
    memcpy(q.descb, desc, sizeof desc);
    memcpy(q.descc, desc, sizeof desc);
    return q;
}

static int info_of(const gemm_arguments *q)
{
    static double a[400], b[400], c[400], zero[400];
    const double one = 1;
    reported = 0;
    expdgemm_(&q->transa, &q->transb, &q->m, &q->n, &q->k, &one, a, &q->ia, &q->ja, q->desca, b,
              &q->ib, &q->jb, q->descb, &one, c, &q->ic, &q->jc, q->descc);
    check(memcmp(c, zero, sizeof c) == 0);
    return reported;
}

static void illegal_arguments(void)
{
    grid g;
    if (!open_grid(2, 2, &g))
        return;
    gemm_arguments q = legal_arguments(&g);
    check(info_of(&q) == 0);
    struct {
        int *field, value, info;
    } c[] = {{&q.m, -1, 3},           {&q.n, -1, 4},           {&q.k, -1, 5},
             {&q.ia, 0, 8},           {&q.ja, 0, 9},           {&q.ia, 13, 8},
             {&q.ja, 15, 9},          {&q.desca[0], 3, 1001},  {&q.desca[2], 0, 1003},
             {&q.desca[4], 0, 1005},  {&q.desca[5], 0, 1006},  {&q.desca[6], 0, 1007},
             {&q.desca[7], -1, 1008}, {&q.desca[8], 2, 1009},  {&q.desca[9], -2, 1010},
             {&q.desca[10], 0, 1011}, {&q.desca[10], 7, 1011}, {&q.ib, 0, 12},
             {&q.jb, 0, 13},          {&q.descb[1], -7, 1402}, {&q.descb[8], 5, 1409},
             {&q.ic, 13, 17},         {&q.jc, 14, 18},         {&q.descc[10], 3, 1911}};
    for (int i = 0; i < (int)(sizeof c / sizeof *c); i++) {
        int old = *c[i].field;
        *c[i].field = c[i].value;
        check(info_of(&q) == c[i].info);
        check(strcmp(reporter, "PDGEMM") == 0);
        *c[i].field = old;
    }
    q.transa = 'X';
    check(info_of(&q) == 1);
    q.transa = 't', q.transb = 0;
    check(info_of(&q) == 2);
    q.transb = 'c';
    check(info_of(&q) == 0);
    blacs_gridexit_(&g.context);
}

/* --- no memory ---------------------------------------------------------------- */

static void no_memory(void)
{
    enum { N = 256, LOCAL = N / 2 };
    static double a[LOCAL * LOCAL], c[LOCAL * LOCAL];
    grid g;
    if (!open_grid(2, 2, &g))
        return;
    int n = N, i = 1, desc[9] = {1, g.context, N, N, LOCAL, LOCAL, 0, 0, LOCAL};
    double one = 1;
    for (int k = 0; k < LOCAL * LOCAL; k++)
        a[k] = 1, c[k] = 2;
    for (int round = 0; round < 2; round++) {
        refuses_memory = round == 0;
        expdgemm_("N", "N", &n, &n, &n, &one, a, &i, &i, desc, a, &i, &i, desc, &one, c, &i, &i,
                  desc);
        for (int k = 0; k < LOCAL * LOCAL; k++)
            check(c[k] == (round == 0 ? 2 : 2 + N));
    }
    /* Nothing is written by the others either, and they work when there is memory. */
    for (int round = 0; round < 2; round++) {
        refuses_memory = round == 0;
        for (int k = 0; k < LOCAL * LOCAL; k++)
            c[k] = 2;
        expdsyrk_("L", "N", &n, &n, &one, a, &i, &i, desc, &one, c, &i, &i, desc);
        expdtrmm_("L", "L", "N", "N", &n, &n, &one, a, &i, &i, desc, c, &i, &i, desc);
        expdtrsm_("R", "U", "T", "U", &n, &n, &one, a, &i, &i, desc, c, &i, &i, desc);
        int n_same = 0;
        for (int k = 0; k < LOCAL * LOCAL; k++)
            n_same += c[k] == 2;
        check(round == 0 ? n_same == LOCAL * LOCAL : n_same < LOCAL * LOCAL);
    }
    refuses_memory = false;
    blacs_gridexit_(&g.context);
}

/* Factors without elements may have the leading dimension 1. */
static void no_terms(void)
{
    enum { N = 4 };
    grid g;
    if (!open_grid(1, 1, &g))
        return;
    int n = N, k = 0, i = 1, desc[9] = {1, g.context, N, N, 2, 2, 0, 0, N};
    int none[9] = {1, g.context, 0, 0, 2, 2, 0, 0, 1};
    double one = 1, three = 3, a[1] = {0}, c[N * N];
    for (int l = 0; l < N * N; l++)
        c[l] = l;
    expdgemm_("N", "N", &n, &n, &k, &one, a, &i, &i, none, a, &i, &i, none, &three, c, &i, &i,
              desc);
    expdsyrk_("L", "N", &n, &k, &one, a, &i, &i, none, &three, c, &i, &i, desc);
    expdtrsm_("L", "L", "N", "N", &n, &k, &one, c, &i, &i, desc, a, &i, &i, none);
    for (int l = 0; l < N * N; l++)
        check(c[l] == (l % N >= l / N ? 9 : 3) * l);
    blacs_gridexit_(&g.context);
}

/* --- gsum2d ------------------------------------------------------------------- */

enum { ROWS = 5, COLS = 3, LD = 7 };

/* Element k of what process i gives: sums that cancel, and whose rounding depends on the order. */
static double given(int i, int k)
{
    static const double value[] = {0x1p60, 1, -0x1p60, 0x1p-50};
    return value[(i + k) % 4] * (1 + k);
}

static void check_sums(const grid *g, const char *scope, int row, int col)
{
    double a[LD * COLS], sum;
    int m = ROWS, n = COLS, ld = LD, me = g->row * g->n_cols + g->col;
    for (int k = 0; k < LD * COLS; k++)
        a[k] = given(me, k);
    dgsum2d_(&g->context, scope, " ", &m, &n, a, &ld, &row, &col);
    int to_row = *scope == 'R' ? g->row : row, to_col = *scope == 'C' ? g->col : col;
    for (int k = 0; k < LD * COLS; k++) {
        exblas_acc acc;
        exblas_acc_init(&acc);
        for (int i = 0; i < g->n_rows * g->n_cols; i++)
            if ((*scope != 'R' || i / g->n_cols == g->row) &&
                (*scope != 'C' || i % g->n_cols == g->col))
                exblas_acc_add(&acc, given(i, k));
        sum = exblas_acc_to_double(&acc);
        if (k % LD >= ROWS)
            check_same_bits(a[k], given(me, k));
        else if (row == -1 || (g->row == to_row && g->col == to_col))
            check_same_bits(a[k], sum);
    }
}

static void sums_of_processes(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        grid g;
        if (!open_grid(shapes[i][0], shapes[i][1], &g))
            continue;
        const char *scopes[] = {"Row", "Column", "All"};
        for (int s = 0; s < 3; s++) {
            check_sums(&g, scopes[s], -1, -1);
            check_sums(&g, scopes[s], 0, 0);
            check_sums(&g, scopes[s], g.n_rows - 1, g.n_cols - 1);
        }
        float z[2] = {(g.row * g.n_cols + g.col) % 2 ? -0x1p30f : 0x1p30f, 1};
        int one = 1, all = -1, odd = g.n_rows * g.n_cols % 2;
        cgsum2d_(&g.context, "All", " ", &one, &one, z, &one, &all, &all);
        check(z[0] == (odd ? 0x1p30f : 0) && z[1] == (float)(g.n_rows * g.n_cols));
        blacs_gridexit_(&g.context);
    }
}

MPI_TESTS(all_routines, places_of_factors, illegal_arguments, no_memory, no_terms,
          sums_of_processes)
