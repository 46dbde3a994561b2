/* Sums over the processes of a scope, as the product of a matrix that has a contribution in each
 * column with a vector of ones: the contributions themselves travel, each element to the process
 * that rounds it, and the results to where they are wanted. Types: s d. */
#include "mpi/pblas/pblas_gsum.h"

#include "mpi/pblas/pblas_type.h"
#include "observe/tally.h"

static exb_team team_of_scope(const exb_grid *g, char scope)
{
    static _Thread_local bool present[EXB_MOST_PROCESSES];
    for (int i = 0; i < g->n_rows; i++)
        for (int j = 0; j < g->n_cols; j++)
            present[i * g->n_cols + j] = (scope != 'R' && scope != 'r') || i == g->row
                                             ? (scope != 'C' && scope != 'c') || j == g->col
                                             : false;
    return exb_team_of(g, present);
}

/* Who gets the result: all, or the member with this rank. */
static exb_axis destination_of(const exb_pblas_call *q, char scope, int64_t n, int row, int col)
{
    if (row == -1)
        return exb_axis_whole(n);
    exb_axis x = exb_axis_on_first(n, q->team.n);
    int rank = (scope == 'R' || scope == 'r' ? q->grid.row : row) * q->grid.n_cols +
               (scope == 'C' || scope == 'c' ? q->grid.col : col);
    for (int i = 0; i < q->team.n; i++)
        if (q->team.rank[i] == rank)
            x.source = i;
    return x;
}

static void copy_block(int m, int n, const exb_real *from, int64_t from_ld, exb_real *to,
                       int64_t to_ld)
{
    for (int j = 0; j < n; j++)
        memcpy(to + j * to_ld, from + j * from_ld, (size_t)m * sizeof *to);
}

void driver(gsum)(int context, char scope, int m, int n, exb_real *a, int lda, int row, int col)
{
    static const exb_real zero = 0, one = 1;
    exb_pblas_call q = {.routine = EXB_IS_S ? "SGSUM2D" : "DGSUM2D",
                        .report = exb_blacs_abort,
                        .said = {[4] = (uint32_t)m, [5] = (uint32_t)n, [8] = row == -1},
                        .alpha = &one,
                        .beta = &zero,
                        .grid = exb_grid_of(context)};
    if (q.grid.row < 0 || m <= 0 || n <= 0)
        return;
    exb_report_distributed(q.routine);
    q.team = team_of_scope(&q.grid, scope);
    int64_t size = (int64_t)m * n, n_members = q.team.n;
    exb_axis single = exb_axis_whole(1), to = destination_of(&q, scope, size, row, col);
    exb_real *values = exb_pblas_take(&q, exb_axis_whole(size), single, EXB_SIZE).data;
    exb_real *ones = exb_pblas_take(&q, exb_axis_whole(n_members), single, EXB_SIZE).data;
    if (values)
        copy_block(m, n, a, lda, values, m);
    for (int64_t i = 0; ones && i < n_members; i++)
        ones[i] = 1;
    exb_layout contributions = {exb_axis_whole(size), exb_axis_shared(n_members, q.team.n)};
    q.operand[EXB_A] = (exb_operand){.data = values, .layout = contributions, .ld = size};
    q.operand[EXB_X] = (exb_operand){
        .data = ones, .layout = {exb_axis_whole(n_members), single}, .ld = n_members, .inc = 1};
    q.operand[EXB_Y] = (exb_operand){.data = values, .layout = {to, single}, .ld = size, .inc = 1};
    driver(vector_product)(&q);
    if (q.failed)
        exb_blacs_abort(context, q.routine, 0);
    else if (exb_axis_count(&to, exb_pblas_part(&q, &to)) > 0)
        copy_block(m, n, values, m, a, lda);
    exb_workspace_free(&q.work);
}
