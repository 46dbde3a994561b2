/* Sums over the processes of a scope: the contributions themselves travel, each element to the
 * process that rounds it, and the results to where they are wanted. Types: s d. */
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

typedef struct {
    exb_spread given, parts, sums, result, ones;
} buffers;

/* Column i of the matrix of contributions is member i's. */
static buffers take_buffers(exb_pblas_call *q, int64_t n, exb_axis to)
{
    exb_axis whole = exb_axis_whole(n), share = exb_axis_shared(n, q->team.n),
             one = exb_axis_whole(1);
    exb_axis members = exb_axis_shared(q->team.n, q->team.n), all = exb_axis_whole(q->team.n);
    return (buffers){exb_pblas_take(q, whole, members, EXB_SIZE),
                     exb_pblas_take(q, share, all, EXB_SIZE),
                     exb_pblas_take(q, share, one, EXB_SIZE), exb_pblas_take(q, to, one, EXB_SIZE),
                     exb_pblas_take(q, all, one, EXB_SIZE)};
}

static void add_parts(exb_pblas_call *q, const buffers *b)
{
    int64_t m = exb_pblas_rows(q, &b->parts);
    exb_pblas_move(q, &b->given, &b->parts);
    for (int i = 0; i < q->team.n; i++)
        ((exb_real *)b->ones.data)[i] = 1;
    if (m > 0)
        serial(gemv)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, q->team.n, 1, b->parts.data,
                     b->parts.col_stride, b->ones.data, 1, 0, b->sums.data, 1);
    exb_pblas_move(q, &b->sums, &b->result);
}

void driver(gsum)(int context, char scope, int m, int n, exb_real *a, int lda, int row, int col)
{
    exb_pblas_call q = {.routine = EXB_IS_S ? "SGSUM2D" : "DGSUM2D",
                        .report = exb_blacs_abort,
                        .said = {[4] = (uint32_t)m, [5] = (uint32_t)n, [8] = row == -1},
                        .grid = exb_grid_of(context)};
    if (q.grid.row < 0 || m <= 0 || n <= 0)
        return;
    exb_report_distributed(q.routine);
    q.team = team_of_scope(&q.grid, scope);
    buffers b =
        take_buffers(&q, (int64_t)m * n, destination_of(&q, scope, (int64_t)m * n, row, col));
    if (exb_pblas_ready(&q)) {
        copy_block(m, n, a, lda, b.given.data, m);
        add_parts(&q, &b);
        if (exb_pblas_own(&q, &b.result) > 0)
            copy_block(m, n, b.result.data, m, a, lda);
    } else {
        exb_blacs_abort(context, q.routine, 0);
    }
    exb_workspace_free(&q.work);
}
