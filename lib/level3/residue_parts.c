/* Parts of a block of the residue engine: one modulus after the other, the product of bytes; then
 * the residues, still in cache, are put together column by column. Compiled for doubles.
 * Types: d. */
#include "level3/residue_work.h"

#include "core/thread.h"

enum { TAKE_COLUMNS = 4 };

typedef struct {
    int64_t i, j; /* in the block */
    int m, n;
} part;

static part part_at(const exb_residue_work *w, int64_t t)
{
    int64_t n_row_parts = exb_tasks_of(w->m, EXB_RESIDUE_PART_ROWS);
    part q = {t % n_row_parts * EXB_RESIDUE_PART_ROWS, t / n_row_parts * EXB_RESIDUE_PART_COLUMNS,
              EXB_RESIDUE_PART_ROWS, EXB_RESIDUE_PART_COLUMNS};
    q.m = (int)(w->m - q.i < q.m ? w->m - q.i : q.m);
    q.n = (int)(w->n - q.j < q.n ? w->n - q.j : q.n);
    return q;
}

/* The t-th strip of the part in the residues of modulus i, rows first; any address if there is
 * none: what the t-th tile of the modulus before it fetches. */
static const uint8_t *strip_of(const exb_residue_work *w, part q, int i, int64_t t)
{
    int64_t stride = EXB_STRIP * w->panel, n_rows = exb_tasks_of(q.m, EXB_STRIP);
    if (i >= w->system->n_moduli || t < 0 || t >= n_rows + exb_tasks_of(q.n, EXB_STRIP))
        return w->a;
    if (t < n_rows)
        return w->a + i * w->plane_a + (q.i / EXB_STRIP + t) * stride;
    return w->b + i * w->plane_b + (q.j / EXB_STRIP + t - n_rows) * stride;
}

static void multiply_modulus(const exb_residue_work *w, part q, int i, int8_t *residues)
{
    int64_t kq = exb_tasks_of(w->k, 4), stride = EXB_STRIP * w->panel;
    /* The last tiles fetch the next modulus: later would be too late, earlier would drive out what
     * is still in use. */
    int64_t n_tiles = exb_tasks_of(q.n, EXB_RESIDUE_COLS) * exb_tasks_of(q.m, EXB_RESIDUE_ROWS);
    int64_t t = exb_tasks_of(q.m, EXB_STRIP) + exb_tasks_of(q.n, EXB_STRIP) - n_tiles;
    const uint8_t *a = w->a + i * w->plane_a + q.i / EXB_STRIP * stride;
    const int8_t *b = (const int8_t *)w->b + i * w->plane_b + q.j / EXB_STRIP * stride;
    for (int c = 0; c < q.n; c += EXB_RESIDUE_COLS)
        for (int r = 0; r < q.m; r += EXB_RESIDUE_ROWS) {
            int64_t n_strips = exb_least(exb_tasks_of(q.m - r, EXB_STRIP), 3);
            w->kernels->multiply(
                &w->system->modulus[i], kq, (int)n_strips, a + r / EXB_STRIP * stride, stride,
                b + c / EXB_STRIP * stride + c % EXB_STRIP * 4, strip_of(w, q, i + 1, t++),
                w->l0 > 0, residues + c * EXB_RESIDUE_PART_ROWS + r, EXB_RESIDUE_PART_ROWS);
        }
}

static void multiply(const exb_residue_work *w, part q, int8_t *residues)
{
    for (int i = 0; i < w->system->n_moduli; i++)
        multiply_modulus(w, q, i, residues + (int64_t)i * EXB_RESIDUE_PLANE);
}

static void finish(const exb_residue_work *w, part q, const int8_t *residues)
{
    _Alignas(64) double h[TAKE_COLUMNS * EXB_RESIDUE_PART_ROWS],
        l[TAKE_COLUMNS * EXB_RESIDUE_PART_ROWS], e[TAKE_COLUMNS * EXB_RESIDUE_PART_ROWS];
    for (int c = 0; c < q.n; c += TAKE_COLUMNS) {
        int n = q.n - c < TAKE_COLUMNS ? q.n - c : TAKE_COLUMNS;
        int64_t since = exb_stats_now(w->p->stats);
        for (int j = 0; j < n; j++) {
            int64_t at = (int64_t)j * EXB_RESIDUE_PART_ROWS, column = q.j + c + j;
            w->kernels->reconstruct(w->system, q.m,
                                    residues + (int64_t)(c + j) * EXB_RESIDUE_PART_ROWS,
                                    EXB_RESIDUE_PLANE, h + at, l + at, e + at);
            exb_residue_side s = exb_residue_side_from(w->columns, column);
            exb_residue_norms row = exb_residue_side_from(w->rows, q.i).norms;
            w->kernels->add_bounds(q.m, &row, *s.norms.inf + (*s.norms.lost_1 != 0 ? 0.5 : 0),
                                   *s.norms.two + *s.norms.lost_2, *s.norms.lost_1, *s.norms.lost_2,
                                   e + at);
        }
        exb_stats_phase(w->p->stats, EXB_PHASE_RECONSTRUCT, &since);
        _Static_assert(EXB_FITS_BLOCK(EXB_RESIDUE_PART_ROWS, TAKE_COLUMNS), "one block");
        exb_block b = {.i0 = w->i0 + q.i,
                       .j0 = w->j0 + q.j + c,
                       .m = q.m,
                       .n = n,
                       .ld = EXB_RESIDUE_PART_ROWS};
        b.deferred = w->deferred;
        b.h = h;
        b.l = l;
        b.e = e;
        b.row_scale = w->rows.scale + q.i;
        b.col_scale = w->columns.scale + q.j + c;
        w->p->take(w->p->output, &b);
    }
}

/* A worker takes parts until none is left. */
static void multiply_worker(void *ctx, int64_t worker)
{
    exb_residue_work *w = ctx;
    for (;;) {
        int64_t t = atomic_fetch_add(&w->next, 1);
        if (t >= w->n_parts)
            return;
        part q = part_at(w, t);
        if (w->p->wanted && !w->p->wanted(w->p->output, w->i0 + q.i, q.m, w->j0 + q.j, q.n))
            continue;
        int64_t size = (int64_t)w->system->n_moduli * EXB_RESIDUE_PLANE;
        int8_t *residues = w->kept ? w->kept + t * size : w->scratch + worker * size;
        int64_t since = exb_stats_now(w->p->stats);
        multiply(w, q, residues);
        exb_stats_phase(w->p->stats, EXB_PHASE_PRODUCT, &since);
        if (w->l0 + w->k == w->p->k)
            finish(w, q, residues);
    }
}

void exb_residue_multiply(exb_residue_work *w)
{
    w->n_parts =
        exb_tasks_of(w->m, EXB_RESIDUE_PART_ROWS) * exb_tasks_of(w->n, EXB_RESIDUE_PART_COLUMNS);
    atomic_store(&w->next, 0);
    exb_parallel_for(w->n_threads, w->n_threads, multiply_worker, w);
}
