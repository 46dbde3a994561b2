#include "mpi/pblas/pblas_operands.h"

enum { DEFAULT_WORKSPACE = 1 << 22 };
static int64_t workspace = DEFAULT_WORKSPACE;

int64_t exb_pblas_workspace(void)
{
    return workspace;
}

void exb_pblas_set_workspace(int64_t elements)
{
    workspace = elements > 0 ? elements : DEFAULT_WORKSPACE;
}

static int part(const exb_pblas_call *q, const exb_axis *x)
{
    return exb_team_part(&q->team, x, q->team.self);
}

exb_spread exb_pblas_stored(const exb_pblas_call *q, exb_operand_name name, size_t size)
{
    const exb_operand *v = &q->operand[name];
    int64_t row = exb_axis_offset(&v->layout.row, part(q, &v->layout.row));
    int64_t col = exb_axis_offset(&v->layout.col, part(q, &v->layout.col));
    char *data = (char *)v->data + (row + col * v->ld) * (int64_t)size;
    return (exb_spread){v->layout, data, 1, v->ld, size, false};
}

exb_spread exb_pblas_op(exb_spread s, char op)
{
    if (op == 'N')
        return s;
    exb_layout l = {s.layout.col, s.layout.row};
    return (exb_spread){l, s.data, s.col_stride, s.row_stride, s.size, op == 'C'};
}

exb_spread exb_pblas_column(const exb_pblas_call *q, exb_operand_name name, size_t size)
{
    const exb_operand *v = &q->operand[name];
    return exb_pblas_op(exb_pblas_stored(q, name, size), v->inc == v->n_rows ? 'T' : 'N');
}

int64_t exb_pblas_rows(const exb_pblas_call *q, const exb_spread *s)
{
    return exb_axis_count(&s->layout.row, part(q, &s->layout.row));
}

int64_t exb_pblas_cols(const exb_pblas_call *q, const exb_spread *s)
{
    return exb_axis_count(&s->layout.col, part(q, &s->layout.col));
}

int64_t exb_pblas_own(const exb_pblas_call *q, const exb_spread *s)
{
    return exb_pblas_rows(q, s) * exb_pblas_cols(q, s);
}

exb_spread exb_pblas_cut(const exb_pblas_call *q, const exb_spread *s, exb_range rows,
                         exb_range cols)
{
    const exb_layout *l = &s->layout;
    int64_t row = exb_axis_before(&l->row, part(q, &l->row), rows.begin);
    int64_t col = exb_axis_before(&l->col, part(q, &l->col), cols.begin);
    exb_spread c = *s;
    c.layout.row = exb_axis_cut(l->row, rows.begin, rows.end - rows.begin);
    c.layout.col = exb_axis_cut(l->col, cols.begin, cols.end - cols.begin);
    c.data = (char *)s->data + (row * s->row_stride + col * s->col_stride) * (int64_t)s->size;
    return c;
}

void exb_pblas_plan(exb_pblas_call *q, const exb_spread *s)
{
    exb_redistribute_plan(&q->work, s->layout.row.n, s->layout.col.n, s->size);
}

exb_spread exb_pblas_take(exb_pblas_call *q, exb_axis row, exb_axis col, size_t size)
{
    exb_spread s = {{row, col}, NULL, 1, 1, size, false};
    int64_t m = exb_pblas_rows(q, &s), n = exb_pblas_cols(q, &s);
    s.col_stride = exb_most(m, 1);
    s.data = exb_workspace_take(&q->work, (size_t)(m * n) * size, (size_t)(row.n * col.n) * size);
    exb_pblas_plan(q, &s);
    return s;
}

void exb_pblas_move(exb_pblas_call *q, const exb_spread *from, const exb_spread *to)
{
    exb_redistribute(&q->work, &q->team, from, to);
}

exb_axis exb_pblas_shared(const exb_pblas_call *q, int64_t n)
{
    return exb_axis_shared(n, q->team.n);
}

exb_axis exb_pblas_on_first(const exb_pblas_call *q, int64_t n)
{
    return exb_axis_on_first(n, q->team.n);
}
