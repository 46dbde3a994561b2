/* Products and systems with a triangular matrix. The columns of B (its rows, if A stands on the
 * right) are independent: each process gets a share of them whole, and the triangle. A single
 * vector is one column. Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

/* The triangle where it is needed, and this process's share of B. */
typedef struct {
    exb_spread a, b, triangle, share;
} operands;

static bool fetch(exb_pblas_call *q, operands *o, bool needs_a)
{
    if (!exb_pblas_ready(q))
        return false;
    if (needs_a)
        exb_pblas_move(q, &o->a, &o->triangle);
    exb_pblas_move(q, &o->b, &o->share);
    return true;
}

static void compute_matrix(exb_pblas_call *q, bool solves)
{
    if (!exb_pblas_begin(q, false))
        return;
    bool left = q->side == 'L', needs_a = !exb_pblas_is_zero(q->alpha, EXB_PARTS);
    int64_t order = left ? q->m : q->n;
    operands o = {.a = exb_pblas_stored(q, EXB_A, EXB_SIZE),
                  .b = exb_pblas_stored(q, EXB_B, EXB_SIZE)};
    exb_axis along = exb_axis_whole(order), others = exb_pblas_shared(q, left ? q->n : q->m);
    o.triangle = exb_pblas_take(q, exb_axis_whole(order), exb_axis_whole(order), EXB_SIZE);
    o.share = exb_pblas_take(q, left ? along : others, left ? others : along, EXB_SIZE);
    if (fetch(q, &o, needs_a)) {
        int64_t m = exb_pblas_rows(q, &o.share), n = exb_pblas_cols(q, &o.share);
        (solves ? serial(trsm) : serial(trmm))(
            EXBLAS_COL_MAJOR, exb_pblas_side(q), exb_pblas_uplo(q), exb_pblas_trans(q),
            exb_pblas_diag(q), m, n, exb_pblas_scalar(q->alpha), o.triangle.data,
            o.triangle.col_stride, o.share.data, o.share.col_stride);
        exb_pblas_move(q, &o.share, &o.b);
    }
    exb_pblas_end(q);
}

void driver(trmm)(exb_pblas_call *q)
{
    compute_matrix(q, false);
}

void driver(trsm)(exb_pblas_call *q)
{
    compute_matrix(q, true);
}

static void compute_vector(exb_pblas_call *q, bool solves)
{
    if (!exb_pblas_begin(q, false))
        return;
    exb_axis n = exb_pblas_on_first(q, q->n), whole = exb_axis_whole(q->n);
    operands o = {.a = exb_pblas_stored(q, EXB_A, EXB_SIZE),
                  .b = exb_pblas_column(q, EXB_X, EXB_SIZE)};
    o.triangle = exb_pblas_take(q, n, whole, EXB_SIZE);
    o.share = exb_pblas_take(q, n, exb_axis_whole(1), EXB_SIZE);
    if (fetch(q, &o, true)) {
        (solves ? serial(trsv) : serial(trmv))(
            EXBLAS_COL_MAJOR, exb_pblas_uplo(q), exb_pblas_trans(q), exb_pblas_diag(q),
            exb_pblas_rows(q, &o.share), o.triangle.data, o.triangle.col_stride, o.share.data, 1);
        exb_pblas_move(q, &o.share, &o.b);
    }
    exb_pblas_end(q);
}

void driver(trmv)(exb_pblas_call *q)
{
    compute_vector(q, false);
}

void driver(trsv)(exb_pblas_call *q)
{
    compute_vector(q, true);
}
