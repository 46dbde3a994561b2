/* Sparse matrices over processes. The columns that a process needs are its own, numbered from 0,
 * and behind them those of others, ascending: with these in one vector its rows are a matrix like
 * any other, and each row is rounded once. */
#include "core/partition.h"
#include "exblas/mpi_sparse.h"
#include "mpi/try.h"
#include "mpi/mpi_dot.h"

#include <stdlib.h>

struct mpi_name(csr)
{
    MPI_Comm comm;
    int n_processes, rank;
    int64_t m, n, n_ghosts, n_sent;
    int64_t *first_column; /* of each process, and how many there are: n_processes + 1 */
    int64_t *row_start, *column, *ghost, *sent;
    exb_real *value, *x, *out; /* x: own elements, then ghosts; out: what is sent */
    exblas_t(csr_handle) * rows;
    int n_requests;
    MPI_Request *request; /* persistent */
};

typedef mpi_name(csr) matrix;

#define REAL_TYPE (EXB_IS_S ? MPI_FLOAT : MPI_DOUBLE)

static void *make_room(int64_t n, size_t size)
{
    return malloc((size_t)exb_most(n, 1) * size);
}

/* --- numbering ------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool is_own(const matrix *a, int64_t column)
{
    return column >= a->first_column[a->rank] && column < a->first_column[a->rank + 1];
}

/* The columns of others, ascending, each once. */
static int find_ghosts(matrix *a)
{
    int64_t n_entries = a->row_start[a->m], n = 0;
    a->ghost = make_room(n_entries, sizeof *a->ghost);
    if (!a->ghost)
        return MPI_ERR_NO_MEM;
    for (int64_t e = 0; e < n_entries; e++)
        if (!is_own(a, a->column[e]))
            a->ghost[n++] = a->column[e];
    qsort(a->ghost, (size_t)n, sizeof *a->ghost, compare);
    for (int64_t i = 0; i < n; i++)
        if (a->n_ghosts == 0 || a->ghost[i] != a->ghost[a->n_ghosts - 1])
            a->ghost[a->n_ghosts++] = a->ghost[i];
    return MPI_SUCCESS;
}

/* Columns as they stand in x. */
static void number_columns(matrix *a)
{
    for (int64_t e = 0; e < a->row_start[a->m]; e++) {
        int64_t c = a->column[e];
        if (is_own(a, c)) {
            a->column[e] = c - a->first_column[a->rank];
            continue;
        }
        const int64_t *at = bsearch(&c, a->ghost, (size_t)a->n_ghosts, sizeof *a->ghost, compare);
        a->column[e] = a->n + (at - a->ghost);
    }
}

/* --- the exchange --------------------------------------------------------------- */

/* How many elements each process sends here and receives from here, and where they begin. */
typedef struct {
    int *from, *from_at, *to, *to_at;
} counts;

static void count_ghosts(const matrix *a, counts *c)
{
    int p = 0;
    memset(c->from, 0, (size_t)a->n_processes * sizeof *c->from);
    for (int64_t i = 0; i < a->n_ghosts; i++) {
        while (a->ghost[i] >= a->first_column[p + 1])
            p++;
        c->from[p]++;
    }
}

static int64_t begin_all(int n, const int *count, int *begin)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        begin[i] = (int)at;
        at += count[i];
    }
    return at;
}

/* Tells the others which of their elements are needed here. */
static int exchange_numbers(matrix *a, counts *c)
{
    count_ghosts(a, c);
    begin_all(a->n_processes, c->from, c->from_at);
    int wrong = MPI_Alltoall(c->from, 1, MPI_INT, c->to, 1, MPI_INT, a->comm);
    a->n_sent = begin_all(a->n_processes, c->to, c->to_at);
    a->sent = make_room(a->n_sent, sizeof *a->sent);
    a->x = make_room(a->n + a->n_ghosts, sizeof *a->x);
    a->out = make_room(a->n_sent, sizeof *a->out);
    a->request = make_room(2 * (int64_t)a->n_processes, sizeof *a->request);
    bool full = a->sent && a->x && a->out && a->request;
    EXB_TRY(exb_mpi_agree(a->comm, exb_first_error(wrong, full ? MPI_SUCCESS : MPI_ERR_NO_MEM)));
    wrong = MPI_Alltoallv(a->ghost, c->from, c->from_at, MPI_INT64_T, a->sent, c->to, c->to_at,
                          MPI_INT64_T, a->comm);
    for (int64_t i = 0; i < a->n_sent; i++)
        a->sent[i] -= a->first_column[a->rank];
    return wrong;
}

static int set_up_messages(matrix *a, const counts *c)
{
    int wrong = MPI_SUCCESS;
    for (int p = 0; p < a->n_processes && !wrong; p++) {
        if (c->from[p] > 0)
            wrong = MPI_Recv_init(a->x + a->n + c->from_at[p], c->from[p], REAL_TYPE, p, 0, a->comm,
                                  &a->request[a->n_requests++]);
        if (c->to[p] > 0 && !wrong)
            wrong = MPI_Send_init(a->out + c->to_at[p], c->to[p], REAL_TYPE, p, 0, a->comm,
                                  &a->request[a->n_requests++]);
    }
    return wrong;
}

static int set_up_exchange(matrix *a)
{
    int *all = make_room(4 * (int64_t)a->n_processes, sizeof *all), n = a->n_processes;
    counts c = {all, all + n, all + 2 * n, all + 3 * n};
    int wrong = exb_mpi_agree(a->comm, all ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    if (!wrong)
        wrong = exchange_numbers(a, &c);
    if (!wrong)
        wrong = set_up_messages(a, &c);
    free(all);
    return wrong;
}

/* --- making --------------------------------------------------------------------- */

/* The rows' structure but for the columns' range, which nobody knows yet. */
static bool rows_are_good(int64_t m, int64_t n, const int64_t *row_start, const int64_t *column,
                          const exb_real *value)
{
    if (m < 0 || n < 0 || (m > 0 && !row_start))
        return false;
    if (m == 0)
        return true;
    bool good = row_start[0] >= 0;
    for (int64_t i = 0; i < m && good; i++)
        good = row_start[i] <= row_start[i + 1];
    return good && row_start[m] - row_start[0] <= INT32_MAX &&
           (row_start[m] == row_start[0] || (column && value));
}

static int copy_rows(matrix *a, const int64_t *row_start, const int64_t *column,
                     const exb_real *value)
{
    int64_t begin = a->m > 0 ? row_start[0] : 0, n = a->m > 0 ? row_start[a->m] - begin : 0;
    a->row_start = make_room(a->m + 1, sizeof *a->row_start);
    a->column = make_room(n, sizeof *a->column);
    a->value = make_room(n, sizeof *a->value);
    if (!a->row_start || !a->column || !a->value)
        return MPI_ERR_NO_MEM;
    a->row_start[0] = 0;
    for (int64_t i = 0; i < a->m; i++)
        a->row_start[i + 1] = row_start[i + 1] - begin;
    if (n == 0)
        return MPI_SUCCESS;
    memcpy(a->column, column + begin, (size_t)n * sizeof *column);
    memcpy(a->value, value + begin, (size_t)n * sizeof *value);
    return MPI_SUCCESS;
}

static int number_processes(matrix *a)
{
    int wrong = MPI_Allgather(&a->n, 1, MPI_INT64_T, a->first_column + 1, 1, MPI_INT64_T, a->comm);
    a->first_column[0] = 0;
    for (int p = 0; p < a->n_processes; p++)
        a->first_column[p + 1] += a->first_column[p];
    return wrong;
}

static bool columns_are_good(const matrix *a)
{
    bool good = true;
    for (int64_t e = 0; e < a->row_start[a->m] && good; e++)
        good = a->column[e] >= 0 && a->column[e] < a->first_column[a->n_processes];
    return good;
}

static int make_matrix(matrix *a, const int64_t *row_start, const int64_t *column,
                       const exb_real *value, MPI_Comm comm)
{
    EXB_TRY(MPI_Comm_dup(comm, &a->comm));
    EXB_TRY(MPI_Comm_size(a->comm, &a->n_processes));
    EXB_TRY(MPI_Comm_rank(a->comm, &a->rank));
    a->first_column = make_room(a->n_processes + 1, sizeof *a->first_column);
    int wrong = a->first_column ? copy_rows(a, row_start, column, value) : MPI_ERR_NO_MEM;
    EXB_TRY(exb_mpi_agree(a->comm, wrong));
    EXB_TRY(number_processes(a));
    EXB_TRY(exb_mpi_agree(a->comm, columns_are_good(a) ? find_ghosts(a) : MPI_ERR_ARG));
    number_columns(a);
    exblas_status status = exblas_t(csr_create_64)(a->m, a->n + a->n_ghosts, a->row_start,
                                                   a->column, a->value, &a->rows);
    /* The rows are good. */
    EXB_TRY(exb_mpi_agree(a->comm, status == EXBLAS_OK ? MPI_SUCCESS : MPI_ERR_NO_MEM));
    return set_up_exchange(a);
}

int mpi_name(csr_free)(matrix *a)
{
    int wrong = MPI_SUCCESS;
    if (!a)
        return wrong;
    for (int i = 0; i < a->n_requests; i++)
        wrong = MPI_Request_free(&a->request[i]);
    if (a->comm != MPI_COMM_NULL)
        wrong = MPI_Comm_free(&a->comm);
    exblas_t(csr_free)(a->rows);
    void *all[] = {a->first_column, a->row_start, a->column, a->ghost,  a->sent,
                   a->value,        a->x,         a->out,    a->request};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(a);
    return wrong;
}

int mpi_name(csr_create)(exblas_int64 m, exblas_int64 n, const exblas_int64 *row_start,
                         const exblas_int64 *column, const exb_real *value, MPI_Comm comm,
                         matrix **out)
{
    int wrong = out && rows_are_good(m, n, row_start, column, value) ? MPI_SUCCESS : MPI_ERR_ARG;
    matrix *a = calloc(1, sizeof *a);
    wrong = exb_mpi_agree(comm, exb_first_error(wrong, a ? MPI_SUCCESS : MPI_ERR_NO_MEM));
    if (wrong) {
        free(a);
        return wrong;
    }
    a->m = m;
    a->n = n;
    a->comm = MPI_COMM_NULL;
    wrong = make_matrix(a, row_start, column, value, comm);
    if (wrong) {
        mpi_name(csr_free)(a);
        return wrong;
    }
    *out = a;
    return MPI_SUCCESS;
}

/* --- products ------------------------------------------------------------------- */

int mpi_name(csr_mv)(matrix *a, exb_real alpha, const exb_real *x, exb_real beta, exb_real *y)
{
    for (int64_t i = 0; i < a->n_sent; i++)
        a->out[i] = x[a->sent[i]];
    EXB_TRY(MPI_Startall(a->n_requests, a->request));
    if (a->n > 0)
        memcpy(a->x, x, (size_t)a->n * sizeof *x);
    EXB_TRY(exb_mpi_wait_all(a->n_requests, a->request));
    exblas_status status = exblas_t(csr_mv)(a->rows, alpha, a->x, beta, y);
    return status == EXBLAS_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

exblas_status mpi_name(csr_apply)(void *context, exblas_int64 n, const exb_real *x, exb_real *y)
{
    matrix *a = context;
    if (n != a->m || n != a->n)
        return EXBLAS_EINVAL;
    return mpi_name(csr_mv)(a, 1, x, 0, y) == MPI_SUCCESS ? EXBLAS_OK : EXBLAS_EDEVICE;
}

exb_real mpi_name(product)(void *comm, exblas_int64 n, const exb_real *x, const exb_real *y)
{
    return mpi_name(dot_64)(n, x, 1, y, 1, *(MPI_Comm *)comm);
}

/* --- blocks --------------------------------------------------------------------- */

/* The inverses, of up to n_inverse entries: where rows start and, behind that, columns; values.
 * Behind both there is room for the entries of this process's rows in its own columns. */
static int invert_blocks(const matrix *a, int64_t size, int64_t n_inverse, int64_t *to_row_start,
                         exb_real *to_value)
{
    int64_t *to_column = to_row_start + a->m + 1, *row_start = to_column + n_inverse;
    int64_t *column = row_start + a->m + 1, n = 0;
    exb_real *value = to_value + n_inverse;
    for (int64_t i = 0; i < a->m; i++) {
        row_start[i] = n;
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            if (a->column[e] < a->n) {
                column[n] = a->column[e];
                value[n++] = a->value[e];
            }
    }
    row_start[a->m] = n;
    exblas_status status = exblas_t(csr_block_inverse_64)(a->m, size, row_start, column, value,
                                                          to_row_start, to_column, to_value);
    for (int64_t e = 0; status == EXBLAS_OK && e < to_row_start[a->m]; e++)
        to_column[e] += a->first_column[a->rank];
    return status == EXBLAS_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

int mpi_name(csr_block_inverse)(const matrix *a, exblas_int64 size, matrix **out)
{
    int64_t n_entries = a->row_start[a->m], n_inverse = size > 0 ? a->m * size : 0;
    bool good = out && size > 0 && a->m == a->n && a->first_column[a->rank] % size == 0;
    int64_t *index = make_room(2 * (a->m + 1) + n_entries + n_inverse, sizeof *index);
    exb_real *value = make_room(n_entries + n_inverse, sizeof *value);
    int wrong = !good            ? MPI_ERR_ARG
                : index && value ? invert_blocks(a, size, n_inverse, index, value)
                                 : MPI_ERR_NO_MEM;
    wrong = exb_mpi_agree(a->comm, wrong);
    if (!wrong)
        wrong = mpi_name(csr_create)(a->m, a->n, index, index + a->m + 1, value, a->comm, out);
    free(index);
    free(value);
    return wrong;
}
