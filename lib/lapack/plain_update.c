#include "lapack/plain_update.h"

#include "core/partition.h"
#include "core/thread.h"

/* COLUMNS of B at a time, whole panels, stay in the second-level cache. MOST_TILE: doubles of a
 * tile. */
enum {
    ROWS = EXB_SMALL_COLUMNS,
    COLUMNS = 384,
    MOST_TILE = 256,
    MOST_PANELS = COLUMNS / 4 /* of two vectors of two doubles */
};

typedef struct {
    int64_t m, n, k, lda, ldb, ldc;
    const double *a, *b;
    double *c;
    const exb_elimination_kernels *kernel;
    int64_t width;              /* of a panel */
    double *packed;             /* panels [k][width] */
    int64_t first[MOST_PANELS]; /* rows of a panel, from that one on: zeros stand before */
    int n_ranges;
} update;

/* Panel `p` of B: columns side by side, missing ones 0. */
static void pack_panel(const update *u, int64_t p)
{
    int64_t n = exb_least(u->width, u->n - p * u->width);
    double *out = u->packed + p * u->k * u->width;
    const double *b = u->b + p * u->width;
    for (int64_t l = 0; l < u->k; l++, b += u->ldb, out += u->width) {
        memcpy(out, b, (size_t)n * sizeof *out);
        memset(out + n, 0, (size_t)(u->width - n) * sizeof *out);
    }
}

/* The first row of packed panel p that is not all 0, k if there is none. */
static int64_t first_row(const update *u, int64_t p)
{
    const double *x = u->packed + p * u->k * u->width;
    int64_t i = 0;
    while (i < u->k * u->width && x[i] == 0)
        i++;
    return i / u->width;
}

/* m rows of C with the products of panel p. */
static void update_tile(const update *u, int64_t p, int64_t m, const double *a, double *c)
{
    int64_t n = exb_least(u->width, u->n - p * u->width), lanes = u->kernel->lanes;
    int64_t first = u->first[p], k = u->k - first;
    int vectors = (int)exb_tasks_of(n, lanes);
    const double *b = u->packed + (p * u->k + first) * u->width;
    if (k == 0)
        return;
    if (n % lanes == 0) {
        u->kernel->update(m, vectors, k, a + first, u->lda, b, u->width, c, u->ldc);
        return;
    }
    _Alignas(64) double edge[MOST_TILE] = {0};
    for (int64_t r = 0; r < m; r++)
        memcpy(edge + r * u->width, c + r * u->ldc, (size_t)n * sizeof *c);
    u->kernel->update(m, vectors, k, a + first, u->lda, b, u->width, edge, u->width);
    for (int64_t r = 0; r < m; r++)
        memcpy(c + r * u->ldc, edge + r * u->width, (size_t)n * sizeof *c);
}

/* ROWS rows of A from row i on through all panels. */
static void update_rows(const update *u, int64_t i)
{
    for (int64_t p = 0; p < exb_tasks_of(u->n, u->width); p++)
        update_tile(u, p, exb_least(ROWS, u->m - i), u->a + i * u->lda,
                    u->c + i * u->ldc + p * u->width);
}

static void update_range(void *ctx, int64_t range)
{
    const update *u = ctx;
    exb_range p = exb_partition_range(exb_tasks_of(u->m, ROWS), u->n_ranges, (int)range);
    for (int64_t i = p.begin * ROWS; i < exb_least(p.end * ROWS, u->m); i += ROWS)
        update_rows(u, i);
}

/* Columns whose panels are packed at once. */
static void update_columns(update *u)
{
    for (int64_t p = 0; p < exb_tasks_of(u->n, u->width); p++) {
        pack_panel(u, p);
        u->first[p] = first_row(u, p);
    }
    u->n_ranges = exb_partition_count((double)u->m * (double)u->n * (double)u->k / 4,
                                      exb_tasks_of(u->m, ROWS));
    exb_parallel_for(u->n_ranges, u->n_ranges, update_range, u);
}

static int64_t width_of(const exb_elimination_kernels *kernel)
{
    return kernel->lanes * kernel->most_vectors;
}

int64_t exb_plain_update_room(int64_t n)
{
    int64_t n_columns = exb_round_up(n, width_of(exb_kernels_current()->elimination));
    return exb_least(n, EXB_UPDATE_TERMS) * exb_least(n_columns, COLUMNS);
}

void exb_plain_update(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                      const double *b, int64_t ldb, double *c, int64_t ldc, double *work)
{
    const exb_elimination_kernels *kernel = exb_kernels_current()->elimination;
    update u; /* of which `first` is set where there are panels */
    u.m = m;
    u.lda = lda;
    u.ldb = ldb;
    u.ldc = ldc;
    u.kernel = kernel;
    u.packed = work;
    u.width = width_of(kernel);
    if (m <= 0 || n <= 0)
        return;
    for (int64_t begin = 0; begin < k; begin += EXB_UPDATE_TERMS)
        for (int64_t j = 0; j < n; j += COLUMNS) {
            u.n = exb_least(COLUMNS, n - j);
            u.k = exb_least(EXB_UPDATE_TERMS, k - begin);
            u.a = a + begin;
            u.b = b + begin * ldb + j;
            u.c = c + j;
            update_columns(&u);
        }
}
