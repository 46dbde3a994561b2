/* Rank-k and rank-2k updates of a triangle, and those of vectors (k = 1, beta = 1):
 *
 *   C = alpha U U' + beta C,  C = alpha U V' + alpha V U' + beta C,
 *
 * with U = op(A), V = op(B) and ' the transpose or the conjugate transpose; then the second alpha
 * is conjugated. The factors are U, or [U V] and [V U]. Each process's part of the triangle in a
 * window is cut into rectangles, and elements of the diagonal if that is real. Types: s d c z. */
#include "level3/rows_entry.h"
#include "mpi/pblas/pblas_factor.h"
#include "mpi/pblas/pblas_type.h"

/* A window of C, whose rows and columns begin at these of the whole. */
typedef struct {
    const exb_pblas_call *call;
    const exb_factors *factors;
    const exb_spread *c;
    int64_t first_row, first_col;
} window;

/* Own rows before row i of C. */
static int64_t rows_before(const window *p, int64_t i)
{
    return exb_pblas_before(p->call, &p->c->layout.row, i - p->first_row);
}

static int64_t column_at(const window *p, int64_t j)
{
    return p->first_col + exb_pblas_index(p->call, &p->c->layout.col, j);
}

/* Own rows r and own columns c of the window, none of them or all one element of a real diagonal.
 */
static void update_block(const window *p, exb_range r, exb_range c, bool is_diagonal)
{
    const exb_pblas_call *q = p->call;
    const exb_factor *a = &p->factors->a, *b = &p->factors->b;
    if (r.begin >= r.end || c.begin >= c.end)
        return;
    const exb_t(update) u = {q->conjugate,
                             a->is_pair,
                             is_diagonal,
                             r.end - r.begin,
                             c.end - c.begin,
                             a->k,
                             q->alpha,
                             exb_spread_at(&a->here, r.begin, 0),
                             a->here.col_stride,
                             exb_spread_at(&b->here, c.begin, 0),
                             b->here.col_stride,
                             q->beta,
                             exb_spread_at(p->c, r.begin, c.begin),
                             p->c->col_stride};
    exb_entry(update_rectangle)(&u);
}

/* The part of the triangle in the own columns c and the own rows r, which has no other rows there:
 * the rows that all these columns have are a rectangle; the rest is two smaller parts. */
static void update_part(const window *p, exb_range r, exb_range c)
{
    if (r.begin >= r.end || c.begin >= c.end)
        return;
    int64_t first = column_at(p, c.begin), last = column_at(p, c.end - 1);
    bool lower = p->factors->triangle == 'L';
    int diagonal = p->call->conjugate ? 0 : 1;
    int64_t full = rows_before(p, lower ? last + 1 - diagonal : first + diagonal);
    exb_range before = {r.begin, exb_least(full, r.end)}, behind = {exb_most(full, r.begin), r.end};
    int64_t middle = c.begin + (c.end - c.begin) / 2;
    update_block(p, lower ? behind : before, c, false);
    if (c.end - c.begin > 1) {
        exb_range rest = lower ? before : behind;
        update_part(p, rest, (exb_range){c.begin, middle});
        update_part(p, rest, (exb_range){middle, c.end});
    }
}

static void update_window(exb_pblas_call *q, const exb_factors *factors, const exb_spread *c,
                          exb_range rows, exb_range cols)
{
    const window p = {q, factors, c, rows.begin, cols.begin};
    exb_range r = {0, exb_pblas_rows(q, c)}, all = {0, exb_pblas_cols(q, c)};
    update_part(&p, r, all);
    for (int64_t j = 0; j < all.end && q->conjugate; j++) {
        int64_t column = column_at(&p, j);
        exb_range diagonal = {rows_before(&p, column), rows_before(&p, column + 1)};
        update_block(&p, diagonal, (exb_range){j, j + 1}, true);
    }
}

static exb_spread factor_of(const exb_pblas_call *q, bool is_vector, exb_operand_name name)
{
    return is_vector ? exb_pblas_column(q, name, EXB_SIZE)
                     : exb_pblas_op(exb_pblas_stored(q, name, EXB_SIZE), q->trans);
}

void driver(update)(exb_pblas_call *q)
{
    bool by_vectors = exb_pblas_has(q, EXB_X);
    bool has_v = exb_pblas_has(q, by_vectors ? EXB_Y : EXB_B);
    exb_factor u = {.source = factor_of(q, by_vectors, by_vectors ? EXB_X : EXB_A)}, v = u;
    if (has_v) {
        v.source = u.second = factor_of(q, by_vectors, by_vectors ? EXB_Y : EXB_B);
        v.second = u.source;
        u.is_pair = v.is_pair = true;
    }
    exb_factors p = {u, v, exb_pblas_stored(q, by_vectors ? EXB_A : EXB_C, EXB_SIZE), q->uplo,
                     update_window};
    bool real_alpha = q->conjugate && !has_v;
    if (exb_factors_take(q, &p, exb_mpi_is_zero(q->alpha, real_alpha ? 1 : EXB_PARTS), false))
        exb_factors_compute(q, &p);
}
