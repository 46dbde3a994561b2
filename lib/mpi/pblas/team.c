#include "mpi/pblas/team.h"

#include "observe/tally.h"

exb_team exb_team_of(const exb_grid *grid, const bool *present)
{
    static _Thread_local int rank[EXB_MOST_PROCESSES];
    exb_team t = {grid, 0, -1, rank};
    int own = grid->row * grid->n_cols + grid->col;
    for (int i = 0; i < grid->n_rows * grid->n_cols; i++)
        if (present[i]) {
            t.self = i == own ? t.n : t.self;
            rank[t.n++] = i;
        }
    return t;
}

static int part_of(const exb_axis *x, int row, int col, int member)
{
    return x->over == EXB_OVER_ROWS   ? row
           : x->over == EXB_OVER_COLS ? col
           : x->over == EXB_OVER_TEAM ? member
                                      : 0;
}

void exb_team_mark(const exb_grid *grid, const exb_layout *l, bool *present)
{
    for (int i = 0; i < grid->n_rows; i++)
        for (int j = 0; j < grid->n_cols; j++)
            if (exb_axis_count(&l->row, part_of(&l->row, i, j, 0)) > 0 &&
                exb_axis_count(&l->col, part_of(&l->col, i, j, 0)) > 0)
                present[i * grid->n_cols + j] = true;
}

int exb_team_part(const exb_team *t, const exb_axis *x, int member)
{
    int n_cols = t->grid->n_cols;
    return part_of(x, t->rank[member] / n_cols, t->rank[member] % n_cols, member);
}

static void send_data(const exb_team *t, const void *data, int size, int member)
{
    MPI_Send(data, size, MPI_BYTE, t->rank[member], EXB_TAG, t->grid->comm);
    exb_report_sent((size_t)size);
}

static void receive_data(const exb_team *t, void *data, int size, int member)
{
    MPI_Recv(data, size, MPI_BYTE, t->rank[member], EXB_TAG, t->grid->comm, MPI_STATUS_IGNORE);
}

/* Up a binomial tree to member 0 and down again. */
void exb_team_merge(const exb_team *t, void *data, int size, exb_merge *merge)
{
    _Alignas(16) unsigned char other[EXB_MOST_MERGED];
    int step = 1;
    for (; step < t->n && t->self % (2 * step) == 0; step *= 2)
        if (t->self + step < t->n) {
            receive_data(t, other, size, t->self + step);
            merge(data, other);
        }
    if (t->self > 0) {
        send_data(t, data, size, t->self - step);
        receive_data(t, data, size, t->self - step);
    }
    for (step /= 2; step > 0; step /= 2)
        if (t->self + step < t->n)
            send_data(t, data, size, t->self + step);
}
