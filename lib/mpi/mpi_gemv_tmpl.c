/* gemv of a matrix in blocks of rows or of columns. Where the blocks cut the sums, each process
 * accumulates its part exactly and the accumulators are added up; where they cut y, each
 * process computes its elements with the serial gemv and the parts of y are put together. */
#include "core/partition.h"
#include "core/type.h"
#include "exblas/cblas.h"
#include "exblas/mpi.h"

#if EXB_IS_S
#define add_dot exblas_acc_add_dot_f
#define affine_of exblas_acc_affine_to_float
#define MPI_BITS MPI_UINT32_T
typedef uint32_t bits;
#else
#define add_dot exblas_acc_add_dot
#define affine_of exblas_acc_affine_to_double
#define MPI_BITS MPI_UINT64_T
typedef uint64_t bits;
#endif
#define mpi_name(name) EXB_PASTE3(exblas_mpi_, EXB_TYPE, name)
#define serial_gemv EXB_PASTE3(excblas_, EXB_TYPE, gemv_64)

enum {
    ROWS = 64,    /* accumulators in a message */
    GATHER = 2048 /* elements of y in a message */
};

typedef struct {
    int trans;
    int64_t m, n;
    exb_real alpha;
    const exb_real *a;
    int64_t lda;
    const exb_real *x;
    int64_t incx;
    exb_real beta;
    exb_real *y;
    int64_t incy;
    MPI_Comm comm;
    bool transposed, sums_are_split;
    /* Along the split axis: this block's size, where it begins, and all blocks; and the size of
     * the other axis. */
    int64_t local, begin, global, other;
} problem;

/* The bits and not the value are compared: the caller may have denormals flushed. */
static bool is_zero(exb_real x)
{
    bits b;
    memcpy(&b, &x, sizeof b);
    return (bits)(b << 1) == 0;
}

static bool is_one(exb_real x)
{
    exb_real one = 1;
    return memcmp(&x, &one, sizeof x) == 0;
}

static bool is_legal(const problem *p, int split)
{
    bool known_trans =
        p->trans == EXBLAS_NO_TRANS || p->trans == EXBLAS_TRANS || p->trans == EXBLAS_CONJ_TRANS;
    return (split == EXBLAS_SPLIT_ROWS || split == EXBLAS_SPLIT_COLS) && known_trans && p->m >= 0 &&
           p->n >= 0 && p->lda >= (p->m > 1 ? p->m : 1) && p->incx != 0 && p->incy != 0;
}

/* Whether all blocks are legal and fit together, and where this one lies. */
static int agree(problem *p, bool legal)
{
    int64_t most[] = {!legal,         p->other,          -p->other,         p->transposed,
                      -p->transposed, p->sums_are_split, -p->sums_are_split};
    int64_t size = legal ? p->local : 0;
    int wrong = MPI_Allreduce(MPI_IN_PLACE, most, 7, MPI_INT64_T, MPI_MAX, p->comm);
    if (!wrong && (most[0] || most[1] != -most[2] || most[3] != -most[4] || most[5] != -most[6])) {
        MPI_Comm_call_errhandler(p->comm, MPI_ERR_ARG);
        return MPI_ERR_ARG;
    }
    wrong = wrong ? wrong : MPI_Scan(&size, &p->begin, 1, MPI_INT64_T, MPI_SUM, p->comm);
    p->begin -= size;
    return wrong ? wrong : MPI_Allreduce(&size, &p->global, 1, MPI_INT64_T, MPI_SUM, p->comm);
}

/* Element i of n of a vector with BLAS's increment. */
static exb_real *element(exb_real *y, int64_t n, int64_t inc, int64_t i)
{
    return inc > 0 ? y + i * inc : y + (i - (n - 1)) * inc;
}

/* Elements begin ... begin + n - 1 of y, whose sums are split. */
static int add_rows(const problem *p, int64_t begin, int n)
{
    exblas_acc acc[ROWS];
    int64_t step = p->transposed ? p->lda : 1, along = p->transposed ? 1 : p->lda;
    for (int i = 0; i < n; i++) {
        exblas_acc_init(&acc[i]);
        if (!is_zero(p->alpha) && p->local > 0)
            add_dot(&acc[i], p->local, p->a + (begin + i) * step, along, p->x, p->incx);
    }
    int wrong = MPI_SUCCESS;
    if (!is_zero(p->alpha))
        wrong = exblas_mpi_allreduce(MPI_IN_PLACE, acc, n, p->comm);
    for (int i = 0; i < n && !wrong; i++) {
        exb_real *y = element(p->y, p->other, p->incy, begin + i);
        *y = affine_of(&acc[i], p->alpha, p->beta, is_zero(p->beta) ? 0 : *y);
    }
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
static int gather(const problem *p, int64_t begin, int n)
{
    bits all[GATHER] = {0};
    exb_range mine = {p->begin, p->begin + p->local};
    exb_range r = exb_common(mine, (exb_range){begin, begin + n});
    for (int64_t i = r.begin; i < r.end; i++)
        memcpy(&all[i - begin], element(p->y, p->global, p->incy, i), sizeof *all);
    int wrong = MPI_Allreduce(MPI_IN_PLACE, all, n, MPI_BITS, MPI_BOR, p->comm);
    for (int i = 0; i < n && !wrong; i++)
        memcpy(element(p->y, p->global, p->incy, begin + i), &all[i], sizeof *all);
    return wrong;
}

static int compute_own(const problem *p)
{
    int wrong = MPI_SUCCESS;
    if (p->local > 0) /* a negative increment begins at the far end, of the part too */
        serial_gemv(
            EXBLAS_COL_MAJOR, p->trans, p->m, p->n, p->alpha, p->a, p->lda, p->x, p->incx, p->beta,
            element(p->y, p->global, p->incy, p->incy > 0 ? p->begin : p->begin + p->local - 1),
            p->incy);
    for (int64_t i = 0; i < p->global && !wrong; i += GATHER)
        wrong = gather(p, i, (int)exb_least(p->global - i, GATHER));
    return wrong;
}

int mpi_name(gemv_64)(int split, int trans, exblas_int64 m, exblas_int64 n, exb_real alpha,
                      const exb_real *a, exblas_int64 lda, const exb_real *x, exblas_int64 incx,
                      exb_real beta, exb_real *y, exblas_int64 incy, MPI_Comm comm)
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
    int wrong = agree(&p, is_legal(&p, split));
    bool nothing_to_do = p.global == 0 || p.other == 0 || (is_zero(alpha) && is_one(beta));
    if (wrong || nothing_to_do)
        return wrong;
    return p.sums_are_split ? add_all_rows(&p) : compute_own(&p);
}

int mpi_name(gemv)(int split, int trans, exblas_int m, exblas_int n, exb_real alpha,
                   const exb_real *a, exblas_int lda, const exb_real *x, exblas_int incx,
                   exb_real beta, exb_real *y, exblas_int incy, MPI_Comm comm)
{
    return mpi_name(gemv_64)(split, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, comm);
}
