/* gemv: y = RN(alpha op(A) x + beta y), each element one rounding. */
#include "entry.h"

#include "core/check.h"
#include "core/finish.h"
#include "core/fpenv.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level2/rows.h"

typedef struct {
    int64_t m, n; /* of op(A) */
    exb_real alpha, beta;
    exb_t(matrix) a;
    const exb_real *x;
    int64_t incx;
    exb_real *y;
    int64_t incy;
    const exb_method *method;
} problem;

static exb_real exact_element(const problem *p, int64_t i, double y)
{
    exb_product_acc storage;
    exb_superacc *acc = exb_product_acc_init(&storage);
    exb_t(row_exact)(i, p->n, p->a, p->x, p->incx, p->method, acc);
    return exb_t(finish_exact)(p->alpha, acc, p->beta, y);
}

static EXB_NOINLINE void row_block(void *ctx, int64_t block)
{
    const problem *p = ctx;
    int64_t i0 = block * EXB_ROWS;
    int m = (int)(p->m - i0 < EXB_ROWS ? p->m - i0 : EXB_ROWS);
    exb_enclosure v[EXB_ROWS];
    if (p->method->filter)
        exb_t(rows_filter)(m, p->n, exb_t(submatrix)(p->a, i0, 0), p->x, p->incx, v);
    for (int i = 0; i < m; i++) {
        exb_real *y = p->y + (i0 + i) * p->incy;
        double y_old = p->beta != 0 ? *y : 0;
        exb_real r;
        if (p->method->filter && exb_t(finish)(p->alpha, v[i], p->beta, y_old, &r))
            *y = r;
        else
            *y = exact_element(p, i0 + i, y_old);
    }
}

/* alpha and beta are looked at here, inside the guard: under DAZ a subnormal alpha
 * would compare equal to 0. */
static EXB_NOINLINE void compute(problem *p)
{
    if (p->alpha == 0 && p->beta == 1)
        return;
    if (p->alpha == 0) { /* neither A nor x is read: an empty sum */
        p->n = 0;
        p->alpha = 1;
    }
    int64_t n_blocks = (p->m + EXB_ROWS - 1) / EXB_ROWS;
    int n_threads = exb_partition_count((double)p->m * (double)p->n, n_blocks);
    exb_parallel_for(n_threads, n_blocks, row_block, p);
}

void exb_entry(gemv)(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                     exb_real alpha, const exb_real *a, int64_t lda, const exb_real *x,
                     int64_t incx, exb_real beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_gemv(site, layout, trans, m, n, lda, incx, incy)))
        return;
    if (m == 0 || n == 0)
        return;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    bool transposed = trans != EXB_NO_TRANS;
    problem p = {.m = transposed ? n : m, .n = transposed ? m : n, .alpha = alpha, .beta = beta};
    p.a = exb_t(matrix_of)(a, lda, transposed != (layout == EXB_ROW_MAJOR));
    p.x = exb_t(first)(x, p.n, incx);
    p.incx = incx;
    p.y = incy < 0 ? y + (1 - p.m) * incy : y;
    p.incy = incy;
    p.method = exb_method_current();
    compute(&p);
    exb_fpenv_leave(&env);
}
