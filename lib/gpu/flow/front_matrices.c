/* gemv, trsv and gemm: from arguments to the flow. */
#include "core/check/check.h"
#include "core/fpenv.h"
#include "gpu/flow/front.h"
#include "gpu/flow/matrix.h"

/* --- options and sizes -------------------------------------------------------- */

/* Where core's checks report to; the first member, so that the report finds the rest. */
typedef struct {
    exb_site site;
    exb_gpu *gpu;
} check_site;

static void report(const exb_site *site, exb_fault fault)
{
    const check_site *s = (const check_site *)(const void *)site;
    exb_gpu_fail(s->gpu, EXBLAS_EINVAL, "argument %d of %s is not valid (numbers as in cblas_%s)",
                 fault.position, site->routine, site->routine);
}

static check_site site_of(exb_gpu *gpu, const char *routine)
{
    return (check_site){{routine, EXB_CALL_CBLAS, report}, gpu};
}

bool exb_gpu_check_gemv(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    check_site s = site_of(gpu, "gemv");
    return !exb_rejected(&s.site, exb_check_gemv(&s.site, c->layout, c->trans, c->m, c->n, c->lda,
                                                 c->incx, c->incy));
}

bool exb_gpu_check_trsv(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    check_site s = site_of(gpu, "trsv");
    return !exb_rejected(&s.site, exb_check_trsv(&s.site, EXB_FULL, c->layout, c->uplo, c->trans,
                                                 c->diag, c->n, 0, c->lda, c->incx));
}

bool exb_gpu_check_gemm(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    check_site s = site_of(gpu, "gemm");
    return !exb_rejected(&s.site, exb_check_gemm(&s.site, c->layout, c->trans, c->transb, c->m,
                                                 c->n, c->k, c->lda, c->ldb, c->ldc));
}

bool exb_gpu_check_batch(exb_gpu *gpu, int layout, int transa, int transb, const exb_i64 *size)
{
    check_site s = site_of(gpu, "gemm_batch_strided");
    return !exb_rejected(&s.site, exb_check_gemm_batch(&s.site, layout, transa, transb, size[0],
                                                       size[1], size[2], size[3], size[4], size[5],
                                                       size[6], size[7]));
}

/* --- operands as views --------------------------------------------------------- */

/* op(X), of rows x cols; `used`: it is read or written. */
static exb_gpu_matrix view(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_operand x, int trans,
                           exb_i64 rows, exb_i64 cols, exb_i64 ld, bool used)
{
    bool row_is_run = (c->layout == EXB_ROW_MAJOR) == (trans == EXB_NO_TRANS);
    exb_i64 outer = row_is_run ? rows : cols, inner = row_is_run ? cols : rows;
    exb_gpu_ref at =
        exb_gpu_matrix_place(gpu, x, used ? outer : 0, inner, ld, exb_gpu_element_bytes(c->is_s));
    return row_is_run ? (exb_gpu_matrix){at, ld, 1} : (exb_gpu_matrix){at, 1, ld};
}

static exb_gpu_vector vector(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_operand x,
                             exb_i64 n, exb_i64 inc)
{
    return (exb_gpu_vector){exb_gpu_vector_place(gpu, x, n, inc, exb_gpu_element_bytes(c->is_s)),
                            inc};
}

/* --- calls ----------------------------------------------------------------------- */

/* A scalar of the call, widened inside the floating-point guard: under DAZ a subnormal float would
 * become 0. */
static double scalar(bool is_s, const void *x)
{
    return is_s ? (double)*(const float *)x : *(const double *)x;
}

static EXB_NOINLINE void run_gemv(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_product *p,
                                  exb_gpu_vector x, exb_gpu_vector y)
{
    exb_gpu_gemv(gpu, c->is_s, exb_gpu_method(gpu), p->m, p->n, scalar(c->is_s, c->alpha), p->a, x,
                 scalar(c->is_s, c->beta), y);
}

void exb_gpu_call_gemv(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    exb_fpenv env;
    if (!exb_gpu_check_gemv(gpu, c))
        return;
    bool plain = c->trans == EXB_NO_TRANS, used = c->m > 0 && c->n > 0;
    exb_gpu_product p = {.m = plain ? c->m : c->n, .n = plain ? c->n : c->m};
    p.a = view(gpu, c, c->a, c->trans, p.m, p.n, c->lda, used);
    exb_gpu_vector x = vector(gpu, c, c->x, used ? p.n : 0, c->incx);
    exb_gpu_vector y = vector(gpu, c, c->y, used ? p.m : 0, c->incy);
    if (exb_gpu_status(gpu))
        return;
    exb_fpenv_enter(&env);
    run_gemv(gpu, c, &p, x, y);
    exb_fpenv_leave(&env);
}

/* An upper triangle (after the transposition) is a lower one that is read from its end. */
static void read_from_end(bool is_s, exb_i64 n, exb_gpu_matrix *t, exb_gpu_vector *x)
{
    t->at = exb_gpu_element(t->at, (n - 1) * (t->row + t->col), is_s);
    x->at = exb_gpu_element(x->at, (n - 1) * x->inc, is_s);
    t->row = -t->row;
    t->col = -t->col;
    x->inc = -x->inc;
}

void exb_gpu_call_trsv(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    exb_fpenv env;
    if (!exb_gpu_check_trsv(gpu, c))
        return;
    bool is_lower = (c->uplo == EXB_LOWER) == (c->trans == EXB_NO_TRANS);
    exb_gpu_matrix t = view(gpu, c, c->a, c->trans, c->n, c->n, c->lda, true);
    exb_gpu_vector x = vector(gpu, c, c->x, c->n, c->incx);
    if (exb_gpu_status(gpu) || c->n == 0)
        return;
    if (!is_lower)
        read_from_end(c->is_s, c->n, &t, &x);
    exb_fpenv_enter(&env);
    exb_gpu_trsv(gpu, c->is_s, exb_gpu_method(gpu), c->n, c->diag == EXB_UNIT, t, x);
    exb_fpenv_leave(&env);
}

static EXB_NOINLINE void run_gemm(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_product *p)
{
    p->alpha = scalar(c->is_s, c->alpha);
    p->beta = scalar(c->is_s, c->beta);
    exb_gpu_gemm(gpu, exb_gpu_method(gpu), p);
}

void exb_gpu_call_gemm(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    exb_fpenv env;
    if (!exb_gpu_check_gemm(gpu, c))
        return;
    bool used = c->m > 0 && c->n > 0;
    exb_gpu_product p = {.is_s = c->is_s, .m = c->m, .n = c->n, .k = c->k};
    p.a = view(gpu, c, c->a, c->trans, c->m, c->k, c->lda, used);
    p.b = view(gpu, c, c->b, c->transb, c->k, c->n, c->ldb, used);
    p.c = view(gpu, c, c->c, EXB_NO_TRANS, c->m, c->n, c->ldc, used);
    if (exb_gpu_status(gpu))
        return;
    exb_fpenv_enter(&env);
    run_gemm(gpu, c, &p);
    exb_fpenv_leave(&env);
}

/* --- symmetric and triangular ones -------------------------------------------------- */

/* A square matrix of order n, of which the triangle uplo is stored, as a lower triangle. */
static exb_gpu_matrix lower_view(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_operand x,
                                 exb_i64 n, exb_i64 ld, bool used)
{
    return view(gpu, c, x, c->uplo == EXB_LOWER ? EXB_NO_TRANS : EXB_TRANS, n, n, ld, used);
}

static EXB_NOINLINE void run_symm(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_product *p)
{
    p->alpha = scalar(c->is_s, c->alpha);
    p->beta = scalar(c->is_s, c->beta);
    exb_gpu_symm(gpu, exb_gpu_method(gpu), p, c->side == EXB_LEFT);
}

void exb_gpu_call_symm(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    exb_fpenv env;
    check_site s = site_of(gpu, "symm");
    if (exb_rejected(&s.site, exb_check_symm(&s.site, c->layout, c->side, c->uplo, c->m, c->n,
                                             c->lda, c->ldb, c->ldc)))
        return;
    bool left = c->side == EXB_LEFT, used = c->m > 0 && c->n > 0;
    exb_gpu_product p = {.is_s = c->is_s, .m = c->m, .n = c->n, .k = left ? c->m : c->n};
    *(left ? &p.a : &p.b) = lower_view(gpu, c, c->a, p.k, c->lda, used);
    *(left ? &p.b : &p.a) = view(gpu, c, c->b, EXB_NO_TRANS, c->m, c->n, c->ldb, used);
    p.c = view(gpu, c, c->c, EXB_NO_TRANS, c->m, c->n, c->ldc, used);
    if (exb_gpu_status(gpu))
        return;
    exb_fpenv_enter(&env);
    run_symm(gpu, c, &p);
    exb_fpenv_leave(&env);
}

static EXB_NOINLINE void run_syrk(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_product *p)
{
    p->alpha = scalar(c->is_s, c->alpha);
    p->beta = scalar(c->is_s, c->beta);
    exb_gpu_syrk(gpu, exb_gpu_method(gpu), p);
}

void exb_gpu_call_syrk(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    exb_fpenv env;
    check_site s = site_of(gpu, "syrk");
    if (exb_rejected(&s.site, exb_check_syrk(&s.site, EXB_UPDATE_REAL, c->layout, c->uplo, c->trans,
                                             c->n, c->k, c->lda, c->ldc)))
        return;
    bool used = c->n > 0 && c->k > 0;
    exb_gpu_product p = {.is_s = c->is_s, .m = c->n, .n = c->n, .k = c->k};
    p.a = view(gpu, c, c->a, c->trans, c->n, c->k, c->lda, used);
    p.b = (exb_gpu_matrix){p.a.at, p.a.col, p.a.row};
    p.c = lower_view(gpu, c, c->c, c->n, c->ldc, c->n > 0);
    if (exb_gpu_status(gpu))
        return;
    exb_fpenv_enter(&env);
    run_syrk(gpu, c, &p);
    exb_fpenv_leave(&env);
}

/* B = 0, without reading it. */
static void clear_sides(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_matrix b)
{
    exb_gpu_product p = {.is_s = c->is_s, .m = c->m, .n = c->n, .a = b, .b = b, .c = b};
    exb_gpu_gemm(gpu, exb_gpu_method(gpu), &p);
}

/* X op(A) = alpha B is op(A)' X' = alpha B'. */
static EXB_NOINLINE void run_trsm(exb_gpu *gpu, const exb_gpu_matrix_call *c, exb_gpu_matrix t,
                                  exb_gpu_matrix b)
{
    bool left = c->side == EXB_LEFT;
    bool is_lower = ((c->uplo == EXB_LOWER) == (c->trans == EXB_NO_TRANS)) == left;
    exb_i64 n = left ? c->m : c->n, n_sides = left ? c->n : c->m;
    double alpha = scalar(c->is_s, c->alpha);
    exb_gpu_vector x = {b.at, left ? b.row : b.col};
    if (alpha == 0) {
        clear_sides(gpu, c, b);
        return;
    }
    if (!left)
        t = (exb_gpu_matrix){t.at, t.col, t.row};
    if (!is_lower)
        read_from_end(c->is_s, n, &t, &x);
    exb_gpu_trsm(gpu, c->is_s, exb_gpu_method(gpu), n, c->diag == EXB_UNIT, t, x, n_sides,
                 left ? b.col : b.row, alpha);
}

void exb_gpu_call_trsm(exb_gpu *gpu, const exb_gpu_matrix_call *c)
{
    exb_fpenv env;
    check_site s = site_of(gpu, "trsm");
    if (exb_rejected(&s.site, exb_check_trsm(&s.site, c->layout, c->side, c->uplo, c->trans,
                                             c->diag, c->m, c->n, c->lda, c->ldb)))
        return;
    exb_i64 n = c->side == EXB_LEFT ? c->m : c->n;
    bool used = c->m > 0 && c->n > 0;
    exb_gpu_matrix t = view(gpu, c, c->a, c->trans, n, n, c->lda, used);
    exb_gpu_matrix b = view(gpu, c, c->b, EXB_NO_TRANS, c->m, c->n, c->ldb, used);
    if (exb_gpu_status(gpu) || !used)
        return;
    exb_fpenv_enter(&env);
    run_trsm(gpu, c, t, b);
    exb_fpenv_leave(&env);
}
