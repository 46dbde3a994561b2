/* gemm of matrices in blocks of rows. Each process computes its rows of C with the serial gemm: its
 * rows of op(A), whole, times some columns of op(B), whole, at a time. While it does, the next
 * columns are on their way. Types: s d c z. */
#include "core/memory.h"
#include "mpi/agree.h"
#include "mpi/mpi_dot.h"
#include "mpi/shares.h"

#include <stdlib.h>

enum { LEAST = 8 }; /* rows or columns at once, however long they are */

/* Columns of op(B) on their way. */
typedef struct {
    exb_range window;
    exb_real *sent, *received;
    int *count, *at;
    MPI_Request request;
} fetched;

typedef struct {
    int transa, transb;
    int64_t m, n, k; /* this process's shares */
    exb_scalar alpha;
    const exb_real *a;
    int64_t lda;
    const exb_real *b;
    int64_t ldb;
    exb_scalar beta;
    exb_real *c;
    int64_t ldc;
    MPI_Comm comm;
    exb_shares rows, cols, inner;     /* of m, n and k */
    int64_t row_window, col_window;   /* lengths */
    exb_real *sent_rows, *found_rows; /* of op(A), if A is transposed */
    int *row_count;                   /* four numbers for each process */
    fetched next[2];
    void *memory[2];
} problem;

static bool is_legal(const problem *p)
{
    bool a_by_k = p->transa != EXBLAS_NO_TRANS, b_by_k = p->transb == EXBLAS_NO_TRANS;
    return exb_mpi_knows_trans(p->transa) && exb_mpi_knows_trans(p->transb) && p->m >= 0 &&
           p->n >= 0 && p->k >= 0 && p->lda >= exb_most(a_by_k ? p->k : p->m, 1) &&
           p->ldb >= exb_most(b_by_k ? p->k : p->n, 1) && p->ldc >= exb_most(p->m, 1);
}

/* Whether the call is the same everywhere, by what decides about messages; the smallest of the
 * workspaces, in bytes. */
static int compare_calls(const problem *p, int64_t *workspace)
{
    int64_t is_zero = exb_mpi_is_real(p->alpha, 0), limit = (int64_t)exb_memory_limit();
    int64_t most[] = {!is_legal(p), p->transa, -p->transa, p->transb,
                      -p->transb,   is_zero,   -is_zero,   -limit};
    int wrong = MPI_Allreduce(MPI_IN_PLACE, most, 8, MPI_INT64_T, MPI_MAX, p->comm);
    *workspace = -most[7];
    if (!wrong && (most[0] || most[1] != -most[2] || most[3] != -most[4] || most[5] != -most[6])) {
        MPI_Comm_call_errhandler(p->comm, MPI_ERR_ARG);
        wrong = MPI_ERR_ARG;
    }
    return wrong;
}

/* --- memory ------------------------------------------------------------------- */

static int64_t length_of(int64_t elements, int64_t k, int64_t most)
{
    return exb_most(exb_least(exb_most(elements / exb_most(k, 1), LEAST), most), 1);
}

/* A quarter of the workspace, since the serial gemm takes its own: half of it for rows of op(A),
 * which are sent to all and received, half for columns of op(B), twice. */
static void choose_windows(problem *p, int64_t workspace)
{
    int64_t elements = workspace / (4 * EXB_PARTS * (int64_t)sizeof(exb_real)),
            k = exb_shares_total(&p->inner);
    int64_t sent = exb_shares_most(&p->inner) * p->rows.n_processes;
    p->row_window = p->transa == EXBLAS_NO_TRANS
                        ? exb_most(exb_shares_most(&p->rows), 1)
                        : length_of(elements / 4, exb_most(k, sent), exb_shares_most(&p->rows));
    p->col_window = length_of(elements / 8, k, exb_shares_total(&p->cols));
}

static exb_real *cut(exb_real **at, int64_t elements)
{
    exb_real *here = *at;
    *at += EXB_PARTS * elements;
    return here;
}

/* What this process sends and receives at most. */
static int take_memory(problem *p)
{
    bool b_by_k = p->transb == EXBLAS_NO_TRANS, moves_a = p->transa != EXBLAS_NO_TRANS;
    int64_t k = exb_shares_total(&p->inner), n_processes = p->rows.n_processes;
    int64_t sent_rows = moves_a ? p->k * n_processes * p->row_window : 0;
    int64_t found_rows = moves_a ? k * exb_least(p->row_window, p->m) : 0;
    int64_t sent = b_by_k ? p->k * p->col_window : k * exb_least(p->col_window, p->n);
    int64_t found = k * p->col_window;
    int64_t elements = sent_rows + found_rows + 2 * (sent + found);
    p->memory[0] = malloc((size_t)exb_most(elements, 1) * EXB_PARTS * sizeof(exb_real));
    p->memory[1] = malloc((size_t)(8 * n_processes) * sizeof(int));
    if (!p->memory[0] || !p->memory[1])
        return MPI_ERR_NO_MEM;
    exb_real *at = p->memory[0];
    int *counts = p->memory[1];
    p->sent_rows = cut(&at, sent_rows);
    p->found_rows = cut(&at, found_rows);
    p->row_count = counts;
    for (int i = 0; i < 2; i++)
        p->next[i] = (fetched){.sent = cut(&at, sent),
                               .received = cut(&at, found),
                               .count = counts + (4 + 2 * i) * n_processes,
                               .at = counts + (5 + 2 * i) * n_processes};
    return MPI_SUCCESS;
}

/* --- what travels ------------------------------------------------------------- */

/* A block of a matrix stored by columns, row after row. */
static void pack(int64_t m, int64_t n, const exb_real *a, int64_t lda, bool conjugate,
                 exb_real *out)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++, out += EXB_PARTS) {
            memcpy(out, a + EXB_PARTS * (i + j * lda), EXB_PARTS * sizeof *out);
            if (EXB_IS_COMPLEX && conjugate)
                out[EXB_PARTS - 1] = -out[EXB_PARTS - 1];
        }
}

/* Window i of every process's rows of op(A), to it: terms k one after the other, of all processes,
 * are its rows stored by columns. */
static int exchange_rows(problem *p, int64_t i)
{
    int n = p->rows.n_processes, total = 0, *count = p->row_count;
    int *sent_at = count + n, *found = count + 2 * n, *found_at = count + 3 * n;
    exb_range own = exb_share_window(&p->rows, p->rows.rank, i, p->row_window);
    for (int q = 0; q < n; q++) {
        exb_range w = exb_share_window(&p->rows, q, i, p->row_window);
        pack(p->k, w.end - w.begin, p->a + EXB_PARTS * w.begin * p->lda, p->lda,
             p->transa == EXBLAS_CONJ_TRANS, p->sent_rows + EXB_PARTS * (int64_t)total);
        count[q] = (int)(p->k * (w.end - w.begin));
        sent_at[q] = total;
        total += count[q];
    }
    exb_range all = {0, exb_shares_total(&p->inner)};
    exb_shares_counts(&p->inner, all, own.end - own.begin, found, found_at);
    return MPI_Alltoallv(p->sent_rows, count, sent_at, EXB_MPI_TYPE, p->found_rows, found, found_at,
                         EXB_MPI_TYPE, p->comm);
}

/* Columns of op(B) from j on set out to all processes. Where B's rows are terms k, these come one
 * after the other: the columns stored by rows; else whole columns do. */
static int start_columns(problem *p, fetched *f, int64_t j)
{
    int64_t k = exb_shares_total(&p->inner), n = exb_shares_total(&p->cols);
    f->window = (exb_range){j, exb_least(j + p->col_window, n)};
    int64_t width = f->window.end - f->window.begin;
    if (p->transb == EXBLAS_NO_TRANS) {
        pack(p->k, width, p->b + EXB_PARTS * j * p->ldb, p->ldb, false, f->sent);
        exb_shares_counts(&p->inner, (exb_range){0, k}, width, f->count, f->at);
    } else {
        exb_range own = exb_share_of(&p->cols, p->cols.rank), r = exb_common(own, f->window);
        if (r.begin < r.end)
            pack(r.end - r.begin, k, p->b + EXB_PARTS * (r.begin - own.begin), p->ldb,
                 p->transb == EXBLAS_CONJ_TRANS, f->sent);
        exb_shares_counts(&p->cols, f->window, k, f->count, f->at);
    }
    return MPI_Iallgatherv(f->sent, f->count[p->cols.rank], EXB_MPI_TYPE, f->received, f->count,
                           f->at, EXB_MPI_TYPE, p->comm, &f->request);
}

/* --- products ----------------------------------------------------------------- */

/* Rows of C in window i, and these columns. */
static void multiply(const problem *p, int64_t i, const fetched *f)
{
    exb_range rows = exb_share_window(&p->rows, p->rows.rank, i, p->row_window);
    int64_t first = rows.begin - p->rows.begin[p->rows.rank], m = rows.end - rows.begin;
    int64_t k = exb_shares_total(&p->inner), width = f->window.end - f->window.begin;
    bool in_place = p->transa == EXBLAS_NO_TRANS, by_rows = p->transb == EXBLAS_NO_TRANS;
    if (m == 0)
        return;
    serial_name(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, by_rows ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                      m, width, k, p->alpha, in_place ? p->a + EXB_PARTS * first : p->found_rows,
                      in_place ? p->lda : m, f->received, exb_most(by_rows ? width : k, 1), p->beta,
                      p->c + EXB_PARTS * (first + f->window.begin * p->ldc), p->ldc);
}

/* All columns in window i of the rows. */
static int compute_rows(problem *p, int64_t i)
{
    int64_t n = exb_shares_total(&p->cols);
    int now = 0, wrong = p->transa == EXBLAS_NO_TRANS ? MPI_SUCCESS : exchange_rows(p, i);
    wrong = wrong ? wrong : start_columns(p, &p->next[0], 0);
    for (int64_t j = 0; j < n && !wrong; j += p->col_window, now = 1 - now) {
        wrong = MPI_Wait(&p->next[now].request, MPI_STATUS_IGNORE);
        if (!wrong && j + p->col_window < n)
            wrong = start_columns(p, &p->next[1 - now], j + p->col_window);
        if (!wrong)
            multiply(p, i, &p->next[now]);
    }
    return wrong;
}

/* With alpha = 0 neither A nor B is read. */
static void scale_rows(const problem *p)
{
    int64_t n = exb_shares_total(&p->cols);
    if (p->m > 0)
        serial_name(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, p->m, n, 0, p->alpha,
                          p->a, p->m, p->b, 1, p->beta, p->c, p->ldc);
}

static int compute(problem *p, int64_t workspace)
{
    choose_windows(p, workspace);
    bool moves_a = p->transa != EXBLAS_NO_TRANS; /* else its rows stay, however many there are */
    bool fits = exb_shares_total(&p->inner) <= INT32_MAX / exb_most(p->col_window, LEAST) &&
                (!moves_a || p->k * p->rows.n_processes <= INT32_MAX / p->row_window);
    int wrong = exb_mpi_agree_and_report(p->comm, fits ? take_memory(p) : MPI_ERR_COUNT);
    for (int64_t i = 0; i < exb_shares_most(&p->rows) && !wrong; i += p->row_window)
        wrong = compute_rows(p, i / p->row_window);
    free(p->memory[0]);
    free(p->memory[1]);
    return wrong;
}

static int gather_shares(problem *p, int64_t **begin)
{
    int n_processes, wrong = MPI_Comm_size(p->comm, &n_processes);
    if (wrong)
        return wrong;
    *begin = malloc(3 * ((size_t)n_processes + 1) * sizeof **begin);
    wrong = exb_mpi_agree_and_report(p->comm, *begin ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    const int64_t own[] = {p->m, p->n, p->k};
    exb_shares shares[3];
    wrong = wrong ? wrong : exb_shares_gather(p->comm, 3, own, *begin, shares);
    if (wrong)
        return wrong;
    p->rows = shares[0];
    p->cols = shares[1];
    p->inner = shares[2];
    return wrong;
}

int mpi_name(gemm_64)(int transa, int transb, exblas_int64 m, exblas_int64 n, exblas_int64 k,
                      exb_scalar_argument alpha, exb_values a, exblas_int64 lda, exb_values b,
                      exblas_int64 ldb, exb_scalar_argument beta, exb_results c, exblas_int64 ldc,
                      MPI_Comm comm)
{
    problem p = {.transa = transa,
                 .transb = transb,
                 .m = m,
                 .n = n,
                 .k = k,
                 .alpha = alpha,
                 .a = a,
                 .lda = lda,
                 .b = b,
                 .ldb = ldb,
                 .beta = beta,
                 .c = c,
                 .ldc = ldc,
                 .comm = comm};
    int64_t workspace, *begin = NULL;
    int wrong = compare_calls(&p, &workspace);
    wrong = wrong ? wrong : gather_shares(&p, &begin);
    if (!wrong && exb_mpi_is_real(p.alpha, 0))
        scale_rows(&p);
    else if (!wrong)
        wrong = compute(&p, workspace);
    free(begin);
    return wrong;
}

int mpi_name(gemm)(int transa, int transb, exblas_int m, exblas_int n, exblas_int k,
                   exb_scalar_argument alpha, exb_values a, exblas_int lda, exb_values b,
                   exblas_int ldb, exb_scalar_argument beta, exb_results c, exblas_int ldc,
                   MPI_Comm comm)
{
    return mpi_name(gemm_64)(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, comm);
}
