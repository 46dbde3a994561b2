/* gemv of a matrix in blocks of rows or of columns. Where the blocks cut the sums, each process
 * accumulates its part exactly and the accumulators are added up; where they cut y, each
 * process computes its elements with the serial gemv and the parts of y are put together. Types: s
 * d c z. */
#include "acc/acc_affine_entry.h"
#include "mpi/blocks.h"
#include "mpi/mpi_dot.h"

enum {
    ROWS = 64,     /* accumulators in a message */
    GATHER = 2048, /* elements of y in a message */
    ELEMENT = EXB_PARTS * sizeof(exb_real)
};

typedef struct {
    int trans;
    int64_t m, n;
    exb_scalar alpha;
    const exb_real *a;
    int64_t lda;
    const exb_real *x;
    int64_t incx;
    exb_scalar beta;
    exb_real *y;
    int64_t incy;
    MPI_Comm comm;
    bool transposed, sums_are_split, needs_a, needs_y;
    /* Along the split axis: this block's size, where it begins, and all blocks; and the size of
     * the other axis. */
    int64_t local, begin, global, other;
} problem;

static bool is_legal(const problem *p, int split)
{
    return (split == EXBLAS_SPLIT_ROWS || split == EXBLAS_SPLIT_COLS) && exb_is_trans(p->trans) &&
           p->m >= 0 && p->n >= 0 && p->lda >= exb_most(p->m, 1) && p->incx != 0 && p->incy != 0;
}

/* Whether all blocks are legal and fit together, and where this one lies. */
static int agree_on_blocks(problem *p, bool legal)
{
    const int64_t same[] = {p->other, p->transposed, p->sums_are_split};
    EXB_TRY(exb_mpi_compare(p->comm, legal, 3, same));
    EXB_TRY(MPI_Scan(&p->local, &p->begin, 1, MPI_INT64_T, MPI_SUM, p->comm));
    p->begin -= p->local;
    return MPI_Allreduce(&p->local, &p->global, 1, MPI_INT64_T, MPI_SUM, p->comm);
}

static const exb_real one[EXB_PARTS] = {1};

/* y = alpha sum + beta y; beta = 0: y is not read. */
static void finish_element(const problem *p, const exblas_acc *sum, exb_real *y)
{
#if EXB_IS_COMPLEX
    /* without alpha an empty sum is left */
    exb_entry(affine_sums)(sum, p->needs_a ? p->alpha : one, p->beta, y);
#else
    *y = acc_to(affine_)(sum, p->alpha, p->beta, p->needs_y ? *y : 0);
#endif
}

/* Elements begin ... begin + n - 1 of y, whose sums are split. */
static int add_rows(const problem *p, int64_t begin, int n)
{
    exblas_acc sum[EXB_PARTS * ROWS];
    int64_t step = p->transposed ? p->lda : 1, along = p->transposed ? 1 : p->lda;
    memset(sum, 0, (size_t)(EXB_PARTS * n) * sizeof *sum);
    for (int i = 0; i < n && p->needs_a && p->local > 0; i++)
        exb_mpi_add_dot(&sum[EXB_PARTS * i], p->local, p->a + EXB_PARTS * (begin + i) * step, along,
                        p->trans == EXBLAS_CONJ_TRANS, p->x, p->incx);
    int wrong = MPI_SUCCESS;
    if (p->needs_a)
        wrong = exblas_mpi_allreduce(MPI_IN_PLACE, sum, EXB_PARTS * n, p->comm);
    for (int i = 0; i < n && !wrong; i++)
        finish_element(p, &sum[EXB_PARTS * i], exb_mpi_element(p->y, p->other, p->incy, begin + i));
    return wrong;
}

static int add_all_rows(const problem *p)
{
    int wrong = MPI_SUCCESS;
    for (int64_t i = 0; i < p->other && !wrong; i += ROWS)
        wrong = add_rows(p, i, (int)exb_least(p->other - i, ROWS));
    return wrong;
}

/* Elements begin ... begin + n - 1 of y from the processes that have them: every bit is
 * set on one process at most. */
static int gather_elements(const problem *p, int64_t begin, int n)
{
    unsigned char all[GATHER * ELEMENT] = {0};
    exb_range mine = {p->begin, p->begin + p->local};
    exb_range r = exb_common(mine, (exb_range){begin, begin + n});
    for (int64_t i = r.begin; i < r.end; i++)
        memcpy(all + (i - begin) * ELEMENT, exb_mpi_element(p->y, p->global, p->incy, i), ELEMENT);
    int wrong = MPI_Allreduce(MPI_IN_PLACE, all, n * ELEMENT, MPI_BYTE, MPI_BOR, p->comm);
    for (int i = 0; i < n && !wrong; i++)
        memcpy(exb_mpi_element(p->y, p->global, p->incy, begin + i), all + i * ELEMENT, ELEMENT);
    return wrong;
}

static int compute_own(const problem *p)
{
    int wrong = MPI_SUCCESS;
    if (p->local > 0) /* a negative increment begins at the far end, of the part too */
        serial(gemv)(EXBLAS_COL_MAJOR, p->trans, p->m, p->n, p->alpha, p->a, p->lda, p->x, p->incx,
                     p->beta,
                     exb_mpi_element(p->y, p->global, p->incy,
                                     p->incy > 0 ? p->begin : p->begin + p->local - 1),
                     p->incy);
    for (int64_t i = 0; i < p->global && !wrong; i += GATHER)
        wrong = gather_elements(p, i, (int)exb_least(p->global - i, GATHER));
    return wrong;
}

int mpi_name(gemv_64)(int split, int trans, exblas_int64 m, exblas_int64 n,
                      exb_scalar_argument alpha, exb_values a, exblas_int64 lda, exb_values x,
                      exblas_int64 incx, exb_scalar_argument beta, exb_results y, exblas_int64 incy,
                      MPI_Comm comm)
{
    problem p = {.trans = trans,
                 .m = m,
                 .n = n,
                 .alpha = alpha,
                 .a = a,
                 .lda = lda,
                 .x = x,
                 .incx = incx,
                 .beta = beta,
                 .y = y,
                 .incy = incy,
                 .comm = comm};
    p.transposed = trans != EXBLAS_NO_TRANS;
    p.sums_are_split = p.transposed == (split == EXBLAS_SPLIT_ROWS);
    p.local = split == EXBLAS_SPLIT_ROWS ? m : n;
    p.other = split == EXBLAS_SPLIT_ROWS ? n : m;
    p.needs_a = !exb_mpi_is_zero(exb_mpi_address(alpha), EXB_PARTS);
    p.needs_y = !exb_mpi_is_zero(exb_mpi_address(beta), EXB_PARTS);
    EXB_TRY(agree_on_blocks(&p, is_legal(&p, split)));
    bool nothing_to_do = p.global == 0 || p.other == 0 ||
                         (!p.needs_a && memcmp(exb_mpi_address(beta), one, sizeof one) == 0);
    if (nothing_to_do)
        return MPI_SUCCESS;
    return p.sums_are_split ? add_all_rows(&p) : compute_own(&p);
}
