/* The product of matrices, block by block.
 *
 * C is cut into blocks of EXB_BLOCK x EXB_BLOCK, the unit of work for threads.
 * For each, k goes by in panels of EXB_PANEL: the rows of A and the columns of
 * B are packed as doubles and the tile kernel adds their products to compensated
 * sums. The finish certifies every element; those it cannot decide are
 * computed again exactly. All of it lies on the stack (about 90 KiB): no
 * allocation that could fail.
 *
 *   block size 32, m = 70, n = 40:   rows [0,32) [32,64) [64,70)  x  columns [0,32) [32,40)
 */
#include "level3/gemm.h"

#include "core/compensated.h"
#include "core/finish.h"
#include "core/partition.h"
#include "core/thread.h"

enum { EXB_BLOCK = 32, EXB_PANEL = 128 };

/* compensated.h's bound holds for 2^25 terms; more go the exact way. */
static const int64_t most_terms = (int64_t)1 << 25;

typedef struct {
    const exb_t(product) * p;
    const exb_method *method;
    const exb_kernels *kernels;
    int64_t block_rows, block_cols;
} problem;

/* One block of C: its place, its packed operands and its sums. */
typedef struct {
    int64_t i0, j0;
    int m, n;
    double a[EXB_PANEL * EXB_BLOCK], b[EXB_PANEL * EXB_BLOCK];
    double s[EXB_BLOCK * EXB_BLOCK], c[EXB_BLOCK * EXB_BLOCK], w[EXB_BLOCK * EXB_BLOCK];
    double row_min[EXB_BLOCK], col_min[EXB_BLOCK]; /* least magnitudes that are not 0 */
} block;

/* Packs n vectors of k elements in groups of `width`: group g at
 * out[g * width * k], element l of its vectors side by side, missing vectors 0.
 * Element l of vector v is x[v * stride + l * step]. Updates the least
 * magnitudes other than 0. */
static void pack(double *out, int width, int n, int k, const exb_real *x, int64_t stride,
                 int64_t step, double *least)
{
    for (int v = 0; v < (n + width - 1) / width * width; v++) {
        double *to = out + (int64_t)(v / width) * width * k + v % width;
        for (int l = 0; l < k; l++) {
            double e = v < n ? (double)x[v * stride + l * step] : 0;
            to[l * width] = e;
            double m = fabs(e);
            if (v < n && m < least[v] && m > 0)
                least[v] = m;
        }
    }
}

/* Sums of tile (g, h) stand at its own place, tile_cols runs of tile_rows. */
static int64_t tile_offset(const exb_kernels *k, int g, int h)
{
    return ((int64_t)h * (EXB_BLOCK / k->tile_rows) + g) * k->tile_rows * k->tile_cols;
}

static void multiply_panel(const problem *q, block *b, int64_t l0, int k)
{
    const exb_t(product) *p = q->p;
    const exb_kernels *kn = q->kernels;
    exb_t(matrix) pa = exb_t(submatrix)(p->a, b->i0, l0);
    exb_t(matrix) pb = exb_t(submatrix)(p->b, l0, b->j0);
    exb_tile_kernel *tile = EXB_IS_S ? kn->tile_exact : kn->tile;
    pack(b->a, kn->tile_rows, b->m, k, pa.p, pa.rs, pa.cs, b->row_min);
    pack(b->b, kn->tile_cols, b->n, k, pb.p, pb.cs, pb.rs, b->col_min);
    for (int h = 0; h * kn->tile_cols < b->n; h++)
        for (int g = 0; g * kn->tile_rows < b->m; g++) {
            int64_t at = tile_offset(kn, g, h);
            tile(k, b->a + (int64_t)g * kn->tile_rows * k, b->b + (int64_t)h * kn->tile_cols * k,
                 b->s + at, b->c + at, b->w + at);
        }
}

static void multiply_block(const problem *q, block *b)
{
    memset(b->s, 0, sizeof b->s);
    memset(b->c, 0, sizeof b->c);
    memset(b->w, 0, sizeof b->w);
    for (int i = 0; i < EXB_BLOCK; i++)
        b->row_min[i] = b->col_min[i] = DBL_MAX;
    for (int64_t l = 0; l < q->p->k; l += EXB_PANEL)
        multiply_panel(q, b, l, (int)(q->p->k - l < EXB_PANEL ? q->p->k - l : EXB_PANEL));
}

/* No product of row i and column j is below the range of two_prod. */
static bool products_exact(const block *b, int i, int j)
{
    return EXB_IS_S || b->row_min[i] * b->col_min[j] >= 0x1p-960;
}

static exb_enclosure element(const problem *q, const block *b, int i, int j)
{
    const exb_kernels *kn = q->kernels;
    int64_t at = tile_offset(kn, i / kn->tile_rows, j / kn->tile_cols) +
                 (int64_t)(j % kn->tile_cols) * kn->tile_rows + i % kn->tile_rows;
    return exb_compensated_enclosure(b->s[at], b->c[at], b->w[at], q->p->k,
                                     products_exact(b, i, j));
}

static exb_real exact_element(const problem *q, int64_t i, int64_t j, double c)
{
    const exb_t(product) *p = q->p;
    exb_product_acc storage;
    exb_superacc *acc = exb_product_acc_init(&storage);
    exb_t(row_exact)(i, p->k, p->a, p->b.p + j * p->b.cs, p->b.rs, q->method, acc);
    return exb_t(finish_exact)(p->alpha, acc, p->beta, c);
}

static bool in_region(exb_region region, int64_t i, int64_t j)
{
    return region == EXB_REGION_ALL || (region == EXB_REGION_LOWER ? i >= j : i <= j);
}

static void finish_element(const problem *q, const block *b, bool filtered, int i, int j)
{
    const exb_t(product) *p = q->p;
    exb_real *c = p->c + (b->i0 + i) * p->c_rs + (b->j0 + j) * p->c_cs;
    double c_old = p->beta != 0 ? *c : 0;
    exb_real r;
    if (filtered && exb_t(finish)(p->alpha, element(q, b, i, j), p->beta, c_old, &r))
        *c = r;
    else
        *c = exact_element(q, b->i0 + i, b->j0 + j, c_old);
}

static bool block_in_region(exb_region region, const block *b)
{
    return region == EXB_REGION_ALL ||
           (region == EXB_REGION_LOWER ? b->i0 + b->m > b->j0 : b->i0 < b->j0 + b->n);
}

static EXB_NOINLINE void compute_block(void *ctx, int64_t index)
{
    const problem *q = ctx;
    const exb_t(product) *p = q->p;
    block b;
    b.i0 = index % q->block_rows * EXB_BLOCK;
    b.j0 = index / q->block_rows * EXB_BLOCK;
    b.m = (int)(p->m - b.i0 < EXB_BLOCK ? p->m - b.i0 : EXB_BLOCK);
    b.n = (int)(p->n - b.j0 < EXB_BLOCK ? p->n - b.j0 : EXB_BLOCK);
    bool filtered = q->method->filter && p->k <= most_terms;
    if (!block_in_region(p->region, &b))
        return;
    if (filtered)
        multiply_block(q, &b);
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < b.m; i++)
            if (in_region(p->region, b.i0 + i, b.j0 + j))
                finish_element(q, &b, filtered, i, j);
}

void exb_t(multiply)(const exb_t(product) * p)
{
    problem q = {.p = p, .method = exb_method_current(), .kernels = exb_kernels_current()};
    q.block_rows = (p->m + EXB_BLOCK - 1) / EXB_BLOCK;
    q.block_cols = (p->n + EXB_BLOCK - 1) / EXB_BLOCK;
    int64_t n_blocks = q.block_rows * q.block_cols;
    double work = (double)p->m * (double)p->n * (double)(p->k + 1);
    exb_parallel_for(exb_partition_count(work, n_blocks), n_blocks, compute_block, &q);
}
