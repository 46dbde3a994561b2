/* trsv of a triangle in blocks of rows. Process after process finds its unknowns as the serial
 * routine does, all earlier ones being known, and sends them to all. Where the triangle is
 * transposed, the rows of op(A) are first brought to whose turn it is, some at a time.
 * Types: s d c z. */
#include "core/memory.h"
#include "level2/solve_entry.h"
#include "mpi/agree.h"
#include "mpi/mpi_dot.h"
#include "mpi/shares.h"

#include <stdlib.h>

enum {
    LEAST = 8,   /* rows at once, however long they are */
    SENT = 2048, /* unknowns in a message */
    ELEMENT = EXB_PARTS * sizeof(exb_real)
};

typedef struct {
    int uplo, trans, diag;
    int64_t m, n; /* rows here, and the triangle's order */
    const exb_real *a;
    int64_t lda;
    exb_real *x;
    int64_t incx;
    MPI_Comm comm;
    bool is_lower; /* op(A) */
    exb_shares rows;
    int64_t window; /* rows of op(A) that travel at once */
    exb_real *sent, *found;
    int *count, *at;
} problem;

static bool is_legal(const problem *p)
{
    return (p->uplo == EXBLAS_UPPER || p->uplo == EXBLAS_LOWER) && exb_mpi_knows_trans(p->trans) &&
           (p->diag == EXBLAS_UNIT || p->diag == EXBLAS_NON_UNIT) && p->m >= 0 && p->n >= 0 &&
           p->lda >= exb_most(p->m, 1) && p->incx != 0;
}

/* Whether the call is the same everywhere, and how many rows travel at once. */
static int compare_calls(problem *p)
{
    int64_t limit = -(int64_t)(exb_memory_limit() / (2 * ELEMENT)), m = p->m;
    int64_t most[] = {!is_legal(p), p->uplo,  -p->uplo, p->trans, -p->trans,
                      p->diag,      -p->diag, p->n,     -p->n,    limit};
    int wrong = MPI_Allreduce(MPI_IN_PLACE, most, 10, MPI_INT64_T, MPI_MAX, p->comm);
    bool same = !wrong && !most[0] && most[1] == -most[2] && most[3] == -most[4] &&
                most[5] == -most[6] && most[7] == -most[8];
    wrong = wrong ? wrong : MPI_Allreduce(MPI_IN_PLACE, &m, 1, MPI_INT64_T, MPI_SUM, p->comm);
    if (!wrong && !(same && m == p->n)) {
        MPI_Comm_call_errhandler(p->comm, MPI_ERR_ARG);
        return MPI_ERR_ARG;
    }
    p->window = exb_most(exb_least(-most[9] / exb_most(p->n, 1), p->n), LEAST);
    return wrong;
}

/* The unknowns of these rows, which a process has found, to all. */
static int send_unknowns(const problem *p, int process, exb_range rows)
{
    exb_real part[EXB_PARTS * SENT];
    int wrong = MPI_SUCCESS;
    for (int64_t i = rows.begin; i < rows.end && !wrong; i += SENT) {
        int n = (int)exb_least(rows.end - i, SENT);
        for (int k = 0; k < n; k++)
            memcpy(part + EXB_PARTS * k, exb_mpi_element(p->x, p->n, p->incx, i + k), ELEMENT);
        wrong = MPI_Bcast(part, n, EXB_MPI_TYPE, process, p->comm);
        for (int k = 0; k < n; k++)
            memcpy(exb_mpi_element(p->x, p->n, p->incx, i + k), part + EXB_PARTS * k, ELEMENT);
    }
    return wrong;
}

static int solve_rows(const problem *p, int process, exb_range rows, const exb_real *a, int64_t cs)
{
    exb_t(some_rows) s = {p->n,
                          rows,
                          a,
                          1,
                          cs,
                          p->is_lower,
                          p->diag == EXBLAS_UNIT,
                          EXB_IS_COMPLEX && p->trans == EXBLAS_CONJ_TRANS};
    if (p->rows.rank == process)
        exb_entry(trsv_rows)(&s, p->x, p->incx);
    return send_unknowns(p, process, rows);
}

/* Rows of op(A), which are columns of A, to a process: term after term they are stored by columns
 * there. Terms outside of the triangle stay where they are. */
static int fetch_rows(const problem *p, int process, exb_range rows)
{
    int64_t width = rows.end - rows.begin;
    exb_range needed = p->is_lower ? (exb_range){0, rows.end} : (exb_range){rows.begin, p->n};
    exb_range own = exb_share_of(&p->rows, p->rows.rank), r = exb_common(own, needed);
    exb_real *out = p->sent;
    for (int64_t i = r.begin; i < r.end; i++)
        for (int64_t j = rows.begin; j < rows.end; j++, out += EXB_PARTS)
            memcpy(out, p->a + EXB_PARTS * (i - own.begin + j * p->lda), ELEMENT);
    exb_shares_counts(&p->rows, needed, width, p->count, p->at);
    return MPI_Gatherv(p->sent, p->count[p->rows.rank], EXB_MPI_TYPE,
                       p->found + EXB_PARTS * needed.begin * width, p->count, p->at, EXB_MPI_TYPE,
                       process, p->comm);
}

/* The turn of a process, its rows from the first on or from the last. */
static int take_turn(const problem *p, int process)
{
    exb_range all = exb_share_of(&p->rows, process);
    int64_t n = all.end - all.begin;
    int wrong = MPI_SUCCESS;
    if (p->trans == EXBLAS_NO_TRANS)
        return solve_rows(p, process, all, p->a, p->lda);
    for (int64_t done = 0; done < n && !wrong; done += p->window) {
        int64_t w = exb_least(p->window, n - done);
        int64_t first = p->is_lower ? all.begin + done : all.end - done - w;
        exb_range rows = {first, first + w};
        wrong = fetch_rows(p, process, rows);
        wrong = wrong ? wrong : solve_rows(p, process, rows, p->found, w);
    }
    return wrong;
}

static int solve(const problem *p)
{
    int n = p->rows.n_processes, wrong = MPI_SUCCESS;
    for (int i = 0; i < n && !wrong; i++)
        wrong = take_turn(p, p->is_lower ? i : n - 1 - i);
    return wrong;
}

/* Buffers, and counts behind them; the same outcome on all. */
static int take_memory(problem *p, int64_t **memory)
{
    int n_processes, wrong = MPI_Comm_size(p->comm, &n_processes);
    bool moves = p->trans != EXBLAS_NO_TRANS;
    int64_t elements = moves ? p->window * (p->n + p->m) : 0;
    size_t numbers = (size_t)n_processes + 1, bytes = (size_t)elements * ELEMENT;
    bool fits = !moves || p->n <= INT32_MAX / p->window;
    *memory = fits ? malloc(2 * numbers * sizeof **memory + bytes) : NULL;
    if (*memory) {
        p->count = (int *)(*memory + numbers);
        p->at = p->count + n_processes;
        p->found = (exb_real *)(*memory + 2 * numbers);
        p->sent = p->found + EXB_PARTS * (moves ? p->window * p->n : 0);
    }
    wrong = wrong ? wrong : *memory ? MPI_SUCCESS : fits ? MPI_ERR_NO_MEM : MPI_ERR_COUNT;
    return exb_mpi_agree_and_report(p->comm, wrong);
}

int mpi_name(trsv_64)(int uplo, int trans, int diag, exblas_int64 m, exblas_int64 n, exb_values a,
                      exblas_int64 lda, exb_results x, exblas_int64 incx, MPI_Comm comm)
{
    problem p = {.uplo = uplo,
                 .trans = trans,
                 .diag = diag,
                 .m = m,
                 .n = n,
                 .a = a,
                 .lda = lda,
                 .x = x,
                 .incx = incx,
                 .comm = comm};
    p.is_lower = (uplo == EXBLAS_LOWER) == (trans == EXBLAS_NO_TRANS);
    int wrong = compare_calls(&p);
    if (wrong || n == 0)
        return wrong;
    int64_t *memory = NULL;
    wrong = take_memory(&p, &memory);
    wrong = wrong ? wrong : exb_shares_gather(comm, 1, &p.m, memory, &p.rows);
    wrong = wrong ? wrong : solve(&p);
    free(memory);
    return wrong;
}

int mpi_name(trsv)(int uplo, int trans, int diag, exblas_int m, exblas_int n, exb_values a,
                   exblas_int lda, exb_results x, exblas_int incx, MPI_Comm comm)
{
    return mpi_name(trsv_64)(uplo, trans, diag, m, n, a, lda, x, incx, comm);
}
