/* C = alpha op(A) + beta C, whole or one triangle: op(A) goes to where C lies, and each column is
 * one axpby. Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

/* The rows that this process has of its column j: all of them, or those in the triangle. */
static exb_range rows_of(const exb_pblas_call *q, const exb_spread *c, int64_t j)
{
    const exb_layout *l = &c->layout;
    int64_t column = exb_pblas_index(q, &l->col, j), here = exb_pblas_rows(q, c);
    if (q->uplo == 'L')
        return (exb_range){exb_pblas_before(q, &l->row, column), here};
    if (q->uplo == 'U')
        return (exb_range){0, exb_pblas_before(q, &l->row, column + 1)};
    return (exb_range){0, here};
}

void driver(add)(exb_pblas_call *q)
{
    exb_spread a = exb_pblas_op(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans);
    exb_spread c = exb_pblas_stored(q, EXB_C, EXB_SIZE);
    exb_spread here = exb_pblas_take(q, c.layout.row, c.layout.col, EXB_SIZE);
    if (exb_pblas_ready(q)) {
        if (!exb_mpi_is_zero(q->alpha, EXB_PARTS))
            exb_pblas_move(q, &a, &here);
        for (int64_t j = 0; j < exb_pblas_cols(q, &c); j++) {
            exb_range r = rows_of(q, &c, j);
            if (r.end > r.begin)
                serial(axpby)(r.end - r.begin, exb_pblas_scalar(q->alpha),
                              exb_spread_at(&here, r.begin, j), 1, exb_pblas_scalar(q->beta),
                              exb_spread_at(&c, r.begin, j), 1);
        }
    }
}
