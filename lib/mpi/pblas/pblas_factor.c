#include "mpi/pblas/pblas_factor.h"

#include <string.h>

exb_factor exb_factor_symmetric(const exb_pblas_call *q, bool transposed, size_t size)
{
    exb_spread a = exb_pblas_op(exb_pblas_stored(q, EXB_A, size), transposed ? 'T' : 'N');
    return (exb_factor){.source = a,
                        .symmetric = true,
                        .lower = (q->uplo == 'L') != transposed,
                        .hermitian = q->conjugate};
}

/* Buffers for these windows of vectors of k terms, if they are needed. */
static void take_factor(exb_pblas_call *q, exb_factor *f, exb_windows w, int64_t k, bool may_stay)
{
    const exb_spread *s = &f->source;
    exb_axis terms = exb_axis_whole(f->is_pair ? 2 * k : k);
    f->windows = w;
    f->k = k;
    f->in_place = may_stay && (s->row_stride == 1 || s->col_stride == 1) && !s->conjugate &&
                  exb_axis_is_same(&s->layout.row, &w.axis) &&
                  exb_axis_is_same(&s->layout.col, &terms);
    if (f->in_place)
        return;
    f->here = exb_pblas_take_windows(q, w, terms, s->size);
    if (f->symmetric)
        f->mirrored = exb_pblas_take_windows(q, w, terms, s->size);
}

/* Completes what is here by what is mirrored. Vector i is row first + i of the matrix. */
static void merge_triangles(const exb_pblas_call *q, const exb_factor *f, int64_t first)
{
    const exb_spread *s = &f->here;
    int64_t m = exb_pblas_rows(q, s);
    for (int64_t j = 0; j < f->k; j++) {
        int64_t above = exb_pblas_before(q, &s->layout.row, j - first);
        int64_t upto = exb_pblas_before(q, &s->layout.row, j - first + 1);
        int64_t begin = f->lower ? 0 : upto, n = f->lower ? above : m - upto;
        memcpy(exb_spread_at(s, begin, j), exb_spread_at(&f->mirrored, begin, j),
               (size_t)n * s->size);
        if (f->hermitian && upto > above)
            memset((char *)exb_spread_at(s, above, j) + s->size / 2, 0, s->size / 2);
    }
}

/* Brings some vectors, at most as many as a window has, to `here`. */
static void move_factor(exb_pblas_call *q, exb_factor *f, exb_range vectors)
{
    int64_t n = vectors.end - vectors.begin;
    exb_range terms = {0, f->k};
    exb_spread from = exb_pblas_cut(q, &f->source, vectors, terms);
    if (f->in_place) {
        f->here = from;
        return;
    }
    exb_axis row = exb_axis_cut(f->windows.axis, vectors.begin, n);
    f->here.layout = f->mirrored.layout = (exb_layout){row, exb_axis_whole(f->k)};
    f->here.col_stride = f->mirrored.col_stride = exb_most(exb_pblas_rows(q, &f->here), 1);
    exb_pblas_move(q, &from, &f->here);
    if (f->symmetric) {
        exb_spread mirror = exb_pblas_op(f->source, f->hermitian ? 'C' : 'T');
        from = exb_pblas_cut(q, &mirror, vectors, terms);
        exb_pblas_move(q, &from, &f->mirrored);
        merge_triangles(q, f, vectors.begin);
    }
    if (f->is_pair) {
        exb_spread behind = f->here;
        behind.data = exb_spread_at(&f->here, 0, f->k);
        from = exb_pblas_cut(q, &f->second, vectors, terms);
        exb_pblas_move(q, &from, &behind);
    }
}

static exb_range window_at(const exb_windows *w, int64_t begin)
{
    return (exb_range){begin, exb_least(begin + w->length, w->axis.n)};
}

/* The part of C in these rows, whose vectors are there. */
static void compute_rows(exb_pblas_call *q, exb_factors *p, exb_range rows)
{
    const exb_windows *w = &p->b.windows;
    for (int64_t j = 0; j < w->axis.n; j += w->length) {
        exb_range cols = window_at(w, j);
        if ((p->triangle == 'L' && rows.end <= cols.begin) ||
            (p->triangle == 'U' && cols.end <= rows.begin))
            continue;
        exb_spread c = exb_pblas_cut(q, &p->c, rows, cols);
        move_factor(q, &p->b, cols);
        p->compute(q, p, &c, rows, cols);
    }
}

/* As many elements as the workspace has, or half of what each process has of the operands, about.
 * The same number on all. */
static int64_t elements_for(const exb_pblas_call *q, const exb_layout *c, int64_t k)
{
    int64_t n_processes = (int64_t)q->grid.n_rows * q->grid.n_cols;
    int64_t operands = (c->row.n * c->col.n + k * (c->row.n + c->col.n)) / n_processes;
    return exb_most(exb_pblas_workspace(), operands / 2);
}

/* Windows of an axis with vectors of k elements, of which as many are had at once as `elements`
 * hold, but at least a few and one round of blocks: so that all processes work. */
static exb_windows windows_of(exb_axis x, int64_t elements, int64_t k)
{
    enum { LEAST_VECTORS = 8 };
    int64_t own = exb_most(elements / exb_most(k, 1), LEAST_VECTORS);
    int64_t round = x.n_parts * x.block;
    return (exb_windows){x, exb_most(own * x.n_parts / round, 1) * round};
}

bool exb_factors_take(exb_pblas_call *q, exb_factors *p, bool scales, bool may_stay)
{
    const exb_layout *c = &p->c.layout;
    int64_t k = scales ? 0 : p->a.source.layout.col.n, n_terms = p->a.is_pair ? 2 * k : k;
    bool symmetric = p->a.symmetric || p->b.symmetric;
    int64_t elements = elements_for(q, c, n_terms) / (symmetric ? 8 : 4);
    take_factor(q, &p->a, windows_of(c->row, 3 * elements, n_terms), k, may_stay);
    take_factor(q, &p->b, windows_of(c->col, elements, n_terms), k, may_stay);
    return exb_pblas_ready(q);
}

void exb_factors_compute(exb_pblas_call *q, exb_factors *p)
{
    const exb_windows *w = &p->a.windows;
    for (int64_t i = 0; i < w->axis.n; i += w->length) {
        exb_range rows = window_at(w, i);
        move_factor(q, &p->a, rows);
        compute_rows(q, p, rows);
    }
}
