#include "mpi/pblas/pblas_operands.h"

exb_spread exb_pblas_stored(const exb_pblas_call *q, exb_operand_name name, size_t size)
{
    const exb_operand *v = &q->operand[name];
    const exb_layout *l = &v->layout;
    int row_part = exb_pblas_part(q, &l->row), col_part = exb_pblas_part(q, &l->col);
    int64_t row = exb_axis_offset(&l->row, row_part), col = exb_axis_offset(&l->col, col_part);
    int64_t rows = exb_axis_count(&l->row, row_part), ld = v->ld;
    char *data = (char *)v->data + (row + col * ld) * (int64_t)size;
    if (exb_axis_count(&l->col, col_part) == 0) /* no elements, and perhaps ld = 1 */
        ld = exb_most(ld, rows);
    return (exb_spread){*l, data, 1, ld, size, false};
}

exb_spread exb_pblas_op(exb_spread s, char op)
{
    if (op == 'N' || op == 0)
        return s;
    exb_layout l = {s.layout.col, s.layout.row};
    return (exb_spread){l, s.data, s.col_stride, s.row_stride, s.size, s.conjugate != (op == 'C')};
}

exb_spread exb_pblas_column(const exb_pblas_call *q, exb_operand_name name, size_t size)
{
    const exb_operand *v = &q->operand[name];
    return exb_pblas_op(exb_pblas_stored(q, name, size), v->inc == v->n_rows ? 'T' : 'N');
}

int64_t exb_pblas_rows(const exb_pblas_call *q, const exb_spread *s)
{
    return exb_axis_count(&s->layout.row, exb_pblas_part(q, &s->layout.row));
}

int64_t exb_pblas_cols(const exb_pblas_call *q, const exb_spread *s)
{
    return exb_axis_count(&s->layout.col, exb_pblas_part(q, &s->layout.col));
}

int64_t exb_pblas_own(const exb_pblas_call *q, const exb_spread *s)
{
    return exb_pblas_rows(q, s) * exb_pblas_cols(q, s);
}

exb_spread exb_pblas_cut(const exb_pblas_call *q, const exb_spread *s, exb_range rows,
                         exb_range cols)
{
    const exb_layout *l = &s->layout;
    int64_t row = exb_pblas_before(q, &l->row, rows.begin);
    int64_t col = exb_pblas_before(q, &l->col, cols.begin);
    exb_spread c = *s;
    c.layout.row = exb_axis_cut(l->row, rows.begin, rows.end - rows.begin);
    c.layout.col = exb_axis_cut(l->col, cols.begin, cols.end - cols.begin);
    c.data = exb_spread_at(s, row, col);
    return c;
}

/* The most elements that this process has of a window. */
static int64_t most_own(const exb_pblas_call *q, const exb_windows *w)
{
    int64_t most = 0;
    for (int64_t i = 0; i < w->axis.n; i += w->length) {
        exb_axis x = exb_axis_cut(w->axis, i, w->length);
        most = exb_most(most, exb_axis_count(&x, exb_pblas_part(q, &x)));
    }
    return most;
}

exb_spread exb_pblas_take_windows(exb_pblas_call *q, exb_windows row, exb_axis col, size_t size)
{
    int64_t m = exb_least(row.length, row.axis.n), own_rows = most_own(q, &row);
    exb_spread s = {{row.axis, col}, NULL, 1, exb_most(own_rows, 1), size, false};
    size_t own = (size_t)(own_rows * exb_pblas_cols(q, &s));
    s.data = exb_workspace_take(&q->work, own * size, (size_t)(m * col.n) * size);
    exb_redistribute_plan(&q->work, m, col.n, size);
    return s;
}

exb_spread exb_pblas_take(exb_pblas_call *q, exb_axis row, exb_axis col, size_t size)
{
    return exb_pblas_take_windows(q, (exb_windows){row, exb_most(row.n, 1)}, col, size);
}

void exb_pblas_move(exb_pblas_call *q, const exb_spread *from, const exb_spread *to)
{
    exb_redistribute(&q->work, &q->team, from, to);
}
