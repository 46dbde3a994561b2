#include "lapack/plain_update.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"

/* A tile of the kernel has `rows` columns of C and `cols` rows of it. COLUMNS of B at a time stay
 * in the second-level cache. */
enum { MOST_TILE = 1024, COLUMNS = 256 };

typedef struct {
    int64_t m, n, k, lda, ldb, ldc;
    const double *a, *b;
    double *c;
    const exb_chain_kernel *kernel;
    const exb_line_kernels *lines;
    double *packed_a, *packed_b; /* panels [k][cols] of -A's rows, [k][rows] of B's columns */
    int64_t a_stride, b_stride;  /* from panel to panel */
    double *a_used, *b_used;     /* 0 for panels of zeros, of which products need no time */
    int n_ranges;
} update;

/* 1 if one is not 0. */
static double is_used(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return 1;
    return 0;
}

/* Panel `p` of B: width columns side by side, missing ones 0. */
static void pack_columns(const update *u, int64_t p)
{
    int64_t width = u->kernel->rows, first = p * width, n = exb_least(width, u->n - first);
    double *out = u->packed_b + p * u->b_stride;
    if (n == width) {
        u->lines->pack_columns(u->k, u->b + first, u->ldb, out);
        return;
    }
    for (int64_t l = 0; l < u->k; l++, out += width) {
        memcpy(out, u->b + l * u->ldb + first, (size_t)n * sizeof *out);
        for (int64_t j = n; j < width; j++)
            out[j] = 0;
    }
}

/* Panel `p` of -A: width rows, transposed, missing ones 0. */
static void pack_rows(const update *u, int64_t p)
{
    int64_t width = u->kernel->cols, first = p * width;
    double *out = u->packed_a + p * u->a_stride;
    if (first + width <= u->m) {
        u->lines->pack_rows(u->k, u->a + first * u->lda, u->lda, out);
        return;
    }
    for (int64_t i = 0; i < width; i++) {
        const double *row = u->a + (first + i) * u->lda;
        for (int64_t l = 0; l < u->k; l++)
            out[l * width + i] = first + i < u->m ? -row[l] : 0;
    }
}

/* A tile of C from row i and column j on. */
static void add_tile(const update *u, const double *b, const double *a, int64_t i, int64_t j)
{
    _Alignas(64) double tile[MOST_TILE];
    int64_t rows = u->kernel->rows, cols = u->kernel->cols;
    int64_t m = exb_least(cols, u->m - i), n = exb_least(rows, u->n - j);
    for (int64_t l = 0; l < u->k; l += EXB_UPDATE_RUN)
        u->kernel->run(exb_least(EXB_UPDATE_RUN, u->k - l), b + l * rows, a + l * cols, l > 0, tile,
                       NULL, rows);
    if (m == cols && n == rows) {
        u->lines->add_tile(tile, u->c + i * u->ldc + j, u->ldc);
        return;
    }
    for (int64_t r = 0; r < m; r++) {
        double *c = u->c + (i + r) * u->ldc + j;
        for (int64_t q = 0; q < n; q++)
            c[q] += tile[r * rows + q];
    }
}

/* A tile of C comes into the cache while its products are summed. */
static void prefetch_tile(const update *u, const double *c)
{
    enum { LINE = 8 };
    for (int64_t i = 0; i < u->kernel->cols; i++)
        for (int64_t j = 0; j < u->kernel->rows; j += LINE)
            __builtin_prefetch(c + i * u->ldc + j, 1);
}

/* Panels of A through some of B. A run's sums start at 0 and are added to what is there: to C, if
 * it is the only run. */
static void update_tiles(const update *u, exb_range p, exb_range q)
{
    int64_t rows = u->kernel->rows, cols = u->kernel->cols;
    for (int64_t i = p.begin; i < p.end; i++)
        for (int64_t j = q.begin; j < q.end; j++) {
            const double *a = u->packed_a + i * u->a_stride, *b = u->packed_b + j * u->b_stride;
            if (u->a_used[i] == 0 || u->b_used[j] == 0)
                continue;
            bool whole = (i + 1) * cols <= u->m && (j + 1) * rows <= u->n;
            if (whole)
                prefetch_tile(u, u->c + i * cols * u->ldc + j * rows);
            if (whole && u->k <= EXB_UPDATE_RUN)
                u->kernel->run(u->k, b, a, true, u->c + i * cols * u->ldc + j * rows, NULL, u->ldc);
            else
                add_tile(u, b, a, i * cols, j * rows);
        }
}

static void update_range(void *ctx, int64_t range)
{
    const update *u = ctx;
    exb_range p = exb_partition_range(exb_tasks_of(u->m, u->kernel->cols), u->n_ranges, (int)range);
    int64_t n_panels = exb_tasks_of(u->n, u->kernel->rows), step = COLUMNS / u->kernel->rows;
    for (int64_t i = p.begin; i < p.end; i++) {
        pack_rows(u, i);
        u->a_used[i] = is_used(u->a_stride, u->packed_a + i * u->a_stride);
    }
    for (int64_t q = 0; q < n_panels; q += step)
        update_tiles(u, p, (exb_range){q, exb_least(n_panels, q + step)});
}

static void update_part(update *u)
{
    u->a_stride = u->k * u->kernel->cols;
    u->b_stride = u->k * u->kernel->rows;
    for (int64_t q = 0; q < exb_tasks_of(u->n, u->kernel->rows); q++) {
        pack_columns(u, q);
        u->b_used[q] = is_used(u->b_stride, u->packed_b + q * u->b_stride);
    }
    u->n_ranges = exb_partition_count((double)u->m * (double)u->n * (double)u->k / 4,
                                      exb_tasks_of(u->m, u->kernel->cols));
    exb_parallel_for(u->n_ranges, u->n_ranges, update_range, u);
}

int64_t exb_plain_update_room(int64_t n)
{
    const exb_chain_kernel *kernel = &exb_kernels_current()->plain;
    int64_t n_panels = exb_tasks_of(n, kernel->rows) + exb_tasks_of(n, kernel->cols);
    return EXB_UPDATE_TERMS * (2 * n + kernel->rows + kernel->cols) + n_panels;
}

void exb_plain_update(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                      const double *b, int64_t ldb, double *c, int64_t ldc, double *work)
{
    update u = {.m = m,
                .n = n,
                .lda = lda,
                .ldb = ldb,
                .ldc = ldc,
                .c = c,
                .kernel = &exb_kernels_current()->plain,
                .lines = &exb_kernels_current()->lines};
    int64_t n_columns = exb_round_up(n, u.kernel->rows);
    u.packed_b = work;
    u.packed_a = work + EXB_UPDATE_TERMS * n_columns;
    u.a_used = u.packed_a + EXB_UPDATE_TERMS * exb_round_up(m, u.kernel->cols);
    u.b_used = u.a_used + exb_tasks_of(m, u.kernel->cols);
    if (m <= 0 || n <= 0)
        return;
    for (int64_t begin = 0; begin < k; begin += EXB_UPDATE_TERMS) {
        u.k = exb_least(EXB_UPDATE_TERMS, k - begin);
        u.a = a + begin;
        u.b = b + begin * ldb;
        update_part(&u);
    }
}
