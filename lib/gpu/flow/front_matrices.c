/* gemv, trsv and gemm: from arguments to the flow. */
#include "checks.h"
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

bool exb_gpu_check_batch(exb_gpu *gpu, const exb_gpu_call *c, exb_i64 stridec, exb_i64 batch)
{
    check_site s = site_of(gpu, "gemm_batch_strided");
    return !exb_rejected(&s.site, exb_check_gemm_batch_strided(&s.site, c->layout, c->trans,
                                                               c->transb, c->m, c->n, c->k, c->lda,
                                                               c->ldb, c->ldc, stridec, batch));
}

/* --- operands as views --------------------------------------------------------- */

/* op(X), of rows x cols; `used`: it is read or written. */
static exb_gpu_type type_of(const exb_gpu_call *c)
{
    return (exb_gpu_type){c->is_s, c->is_complex};
}

static exb_gpu_matrix matrix_view(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand x, int trans,
                                  exb_i64 rows, exb_i64 cols, exb_i64 ld, bool used)
{
    bool row_is_run = (c->layout == EXB_ROW_MAJOR) == (trans == EXB_NO_TRANS);
    exb_i64 outer = row_is_run ? rows : cols, inner = row_is_run ? cols : rows;
    exb_gpu_ref at =
        exb_gpu_matrix_place(gpu, x, used ? outer : 0, inner, &ld, exb_gpu_type_bytes(type_of(c)));
    bool conjugate = c->is_complex && trans == EXB_CONJ_TRANS;
    return row_is_run ? (exb_gpu_matrix){at, ld, 1, conjugate}
                      : (exb_gpu_matrix){at, 1, ld, conjugate};
}

static exb_gpu_matrix vector_view(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand x, exb_i64 n,
                                  exb_i64 inc)
{
    exb_gpu_ref at = exb_gpu_vector_place(gpu, x, n, &inc, exb_gpu_type_bytes(type_of(c)));
    return (exb_gpu_matrix){at, inc, 1, false};
}

/* A part of a scalar of the call, widened inside the call's floating-point guard:
 * under DAZ a subnormal float would become 0. */
static double scalar_part(bool is_s, const void *x, int part)
{
    return is_s ? (double)((const float *)x)[part] : ((const double *)x)[part];
}

/* --- what overlaps ----------------------------------------------------------------- */

/* What an operand reads or writes: a view of rows x cols, a lower triangle (1) or an upper one (-1)
 * of it, or all (0). A vector is a column. */
typedef struct {
    exb_gpu_operand of;
    exb_gpu_matrix v;
    exb_i64 rows, cols;
    int triangle;
} area;

/* The place with the lowest address. */
static exb_gpu_ref lowest(const area *s, exb_gpu_type t)
{
    return s->v.row < 0 ? exb_gpu_typed_element(s->v.at, (s->rows - 1) * s->v.row, t) : s->v.at;
}

/* Whether a place is that of an element, or lies in it. */
static bool contains(const exb_gpu *gpu, const area *s, exb_gpu_ref place, exb_gpu_type t)
{
    exb_gpu_ref low = lowest(s, t);
    exb_i64 bytes =
        (exb_i64)((uintptr_t)place.buffer + place.offset - (uintptr_t)low.buffer - low.offset);
    if ((low.buffer != place.buffer && !exb_gpu_get_limits(gpu).has_addresses) || bytes < 0)
        return false;
    bool by_columns = s->v.row == 1 && s->cols > 1;
    exb_i64 ld = by_columns ? s->v.col : s->v.row < 0 ? -s->v.row : s->v.row;
    exb_i64 at = bytes / (exb_i64)exb_gpu_type_bytes(t);
    exb_i64 i = by_columns ? at % ld : at / ld, j = by_columns ? at / ld : at % ld;
    return i < s->rows && j < s->cols && (i - j) * s->triangle >= 0;
}

/* Fails the call if the first element of its output or of an input is an element of the other,
 * alpha not being 0 and nothing empty: of all that BLAS forbids this much can be told at once, and
 * not of operands in whose gaps others lie. */
static void refuse_overlap(exb_gpu *gpu, const exb_gpu_call *c, area output, area input)
{
    exb_gpu_type t = type_of(c);
    bool is_read = !c->alpha || scalar_part(c->is_s, c->alpha, 0) != 0 ||
                   (c->is_complex && !c->hermitian && scalar_part(c->is_s, c->alpha, 1) != 0);
    if (!exb_gpu_status(gpu) && is_read && output.rows > 0 && output.cols > 0 && input.rows > 0 &&
        input.cols > 0 &&
        (contains(gpu, &output, lowest(&input, t), t) ||
         contains(gpu, &input, lowest(&output, t), t)))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s overlaps %s", output.of.name, input.of.name);
}

/* --- calls ----------------------------------------------------------------------- */

/* Of complex calls the caller's pointers: the call fails if one is NULL. */
static bool has_scalars(exb_gpu *gpu, const void *alpha, const void *beta)
{
    if (!alpha || !beta)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", alpha ? "beta" : "alpha");
    return alpha && beta;
}

static exb_gpu_product product_of(const exb_gpu_call *c, exb_i64 m, exb_i64 n, exb_i64 k)
{
    return (exb_gpu_product){.is_s = c->is_s, .is_complex = c->is_complex, .m = m, .n = n, .k = k};
}

/* The same with the scalars, of herk real ones. */
static exb_gpu_product scaled_product(const exb_gpu_call *c, exb_i64 m, exb_i64 n, exb_i64 k,
                                      bool real_scalars)
{
    exb_gpu_product p = product_of(c, m, n, k);
    bool has_parts = c->is_complex && !real_scalars;
    p.real_scalars = real_scalars;
    p.alpha = scalar_part(c->is_s, c->alpha, 0);
    p.alpha_im = has_parts ? scalar_part(c->is_s, c->alpha, 1) : 0;
    p.beta = c->beta ? scalar_part(c->is_s, c->beta, 0) : 0;
    p.beta_im = c->beta && has_parts ? scalar_part(c->is_s, c->beta, 1) : 0;
    return p;
}

void exb_gpu_call_gemv(exb_gpu *gpu, const exb_gpu_call *c)
{
    check_site s = site_of(gpu, "gemv");
    if (exb_rejected(&s.site, exb_check_gemv(&s.site, c->layout, c->trans, c->m, c->n, c->lda,
                                             c->incx, c->incy)) ||
        !has_scalars(gpu, c->alpha, c->beta))
        return;
    bool plain = c->trans == EXB_NO_TRANS, used = c->m > 0 && c->n > 0;
    exb_gpu_product p = scaled_product(c, plain ? c->m : c->n, 1, plain ? c->n : c->m, false);
    p.a = matrix_view(gpu, c, c->a, c->trans, p.m, p.k, c->lda, used);
    p.b = vector_view(gpu, c, c->x, used ? p.k : 0, c->incx);
    p.c = vector_view(gpu, c, c->y, used ? p.m : 0, c->incy);
    area to = {c->y, p.c, p.m, 1, 0};
    refuse_overlap(gpu, c, to, (area){c->a, p.a, p.m, p.k, 0});
    refuse_overlap(gpu, c, to, (area){c->x, p.b, p.k, 1, 0});
    if (exb_gpu_status(gpu))
        return;
    exb_gpu_gemv(gpu, exb_gpu_method(gpu), &p);
}

/* An upper triangle (after the transposition) is a lower one that is read from its end. */
static void read_from_end(exb_gpu_product *p)
{
    exb_gpu_type t = exb_gpu_product_type(p);
    p->a.at = exb_gpu_typed_element(p->a.at, (p->m - 1) * (p->a.row + p->a.col), t);
    p->c.at = exb_gpu_typed_element(p->c.at, (p->m - 1) * p->c.row, t);
    p->a.row = -p->a.row;
    p->a.col = -p->a.col;
    p->c.row = -p->c.row;
}

/* The triangle of op(A). */
static int triangle_of(const exb_gpu_call *c)
{
    return (c->uplo == EXB_LOWER) == (c->trans == EXB_NO_TRANS) ? 1 : -1;
}

void exb_gpu_call_trsv(exb_gpu *gpu, const exb_gpu_call *c)
{
    check_site site = site_of(gpu, "trsv");
    if (exb_rejected(&site.site, exb_check_trsv(&site.site, c->layout, c->uplo, c->trans, c->diag,
                                                c->n, c->lda, c->incx)))
        return;
    exb_gpu_product p = product_of(c, c->n, 1, c->n);
    p.real_scalars = true;
    p.alpha = 1;
    p.unit = c->diag == EXB_UNIT;
    p.a = matrix_view(gpu, c, c->a, c->trans, c->n, c->n, c->lda, true);
    p.c = vector_view(gpu, c, c->x, c->n, c->incx);
    refuse_overlap(gpu, c, (area){c->x, p.c, c->n, 1, 0},
                   (area){c->a, p.a, c->n, c->n, triangle_of(c)});
    if (exb_gpu_status(gpu) || c->n == 0)
        return;
    if (triangle_of(c) < 0)
        read_from_end(&p);
    exb_gpu_trsm(gpu, exb_gpu_method(gpu), &p);
}

void exb_gpu_call_gemm(exb_gpu *gpu, const exb_gpu_call *c)
{
    check_site s = site_of(gpu, "gemm");
    if (exb_rejected(&s.site, exb_check_gemm(&s.site, c->layout, c->trans, c->transb, c->m, c->n,
                                             c->k, c->lda, c->ldb, c->ldc)) ||
        !has_scalars(gpu, c->alpha, c->beta))
        return;
    bool used = c->m > 0 && c->n > 0;
    exb_gpu_product p = scaled_product(c, c->m, c->n, c->k, false);
    p.a = matrix_view(gpu, c, c->a, c->trans, c->m, c->k, c->lda, used);
    p.b = matrix_view(gpu, c, c->b, c->transb, c->k, c->n, c->ldb, used);
    p.c = matrix_view(gpu, c, c->c, EXB_NO_TRANS, c->m, c->n, c->ldc, used);
    area to = {c->c, p.c, p.m, p.n, 0};
    refuse_overlap(gpu, c, to, (area){c->a, p.a, p.m, p.k, 0});
    refuse_overlap(gpu, c, to, (area){c->b, p.b, p.k, p.n, 0});
    if (exb_gpu_status(gpu))
        return;
    exb_gpu_gemm(gpu, exb_gpu_method(gpu), &p);
}

/* --- symmetric and triangular ones -------------------------------------------------- */

/* A square matrix of order n, of which the triangle uplo is stored, as a lower triangle: an upper
 * one is its transpose, and if the matrix is Hermitian conjugated. */
static exb_gpu_matrix lower_view(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand x, exb_i64 n,
                                 exb_i64 ld, bool used)
{
    int upper = c->hermitian ? EXB_CONJ_TRANS : EXB_TRANS;
    return matrix_view(gpu, c, x, c->uplo == EXB_LOWER ? EXB_NO_TRANS : upper, n, n, ld, used);
}

void exb_gpu_call_symm(exb_gpu *gpu, const exb_gpu_call *c)
{
    check_site s = site_of(gpu, c->hermitian ? "hemm" : "symm");
    if (exb_rejected(&s.site, exb_check_symm(&s.site, c->layout, c->side, c->uplo, c->m, c->n,
                                             c->lda, c->ldb, c->ldc)) ||
        !has_scalars(gpu, c->alpha, c->beta))
        return;
    bool left = c->side == EXB_LEFT, used = c->m > 0 && c->n > 0;
    exb_gpu_product p = scaled_product(c, c->m, c->n, left ? c->m : c->n, false);
    p.hermitian = !c->hermitian ? 0 : left ? 1 : 2;
    *(left ? &p.a : &p.b) = lower_view(gpu, c, c->a, p.k, c->lda, used);
    *(left ? &p.b : &p.a) = matrix_view(gpu, c, c->b, EXB_NO_TRANS, c->m, c->n, c->ldb, used);
    p.c = matrix_view(gpu, c, c->c, EXB_NO_TRANS, c->m, c->n, c->ldc, used);
    area to = {c->c, p.c, p.m, p.n, 0};
    refuse_overlap(gpu, c, to, (area){c->a, left ? p.a : p.b, p.k, p.k, 1});
    refuse_overlap(gpu, c, to, (area){c->b, left ? p.b : p.a, p.m, p.n, 0});
    if (exb_gpu_status(gpu))
        return;
    exb_gpu_symm(gpu, exb_gpu_method(gpu), &p, left);
}

void exb_gpu_call_syrk(exb_gpu *gpu, const exb_gpu_call *c)
{
    check_site s = site_of(gpu, c->hermitian ? "herk" : "syrk");
    exb_update_kind kind = c->hermitian    ? EXB_UPDATE_HERMITIAN
                           : c->is_complex ? EXB_UPDATE_SYMMETRIC
                                           : EXB_UPDATE_REAL;
    if (exb_rejected(&s.site, exb_check_syrk(&s.site, kind, c->layout, c->uplo, c->trans, c->n,
                                             c->k, c->lda, c->ldc)) ||
        !has_scalars(gpu, c->alpha, c->beta))
        return;
    bool used = c->n > 0 && c->k > 0;
    exb_gpu_product p = scaled_product(c, c->n, c->n, c->k, c->hermitian);
    p.a = matrix_view(gpu, c, c->a, c->trans, c->n, c->k, c->lda, used);
    p.b = (exb_gpu_matrix){p.a.at, p.a.col, p.a.row, p.a.conjugate != c->hermitian};
    p.c = lower_view(gpu, c, c->c, c->n, c->ldc, c->n > 0);
    refuse_overlap(gpu, c, (area){c->c, p.c, p.n, p.n, 1}, (area){c->a, p.a, p.n, p.k, 0});
    if (p.c.conjugate) { /* of the product: to conjugate results would change the sign of +0 */
        p.a.conjugate = !p.a.conjugate;
        p.b.conjugate = !p.b.conjugate;
        p.c.conjugate = false;
    }
    if (exb_gpu_status(gpu))
        return;
    exb_gpu_syrk(gpu, exb_gpu_method(gpu), &p, c->hermitian);
}

/* B = 0, without reading it. */
static void clear_sides(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_matrix b)
{
    exb_gpu_product p = product_of(c, c->m, c->n, 0);
    p.a = p.b = p.c = b;
    exb_gpu_gemm(gpu, exb_gpu_method(gpu), &p);
}

/* trsm and trmm have the same arguments. X op(A) = alpha B is op(A)' X' = alpha B'. */
static void call_sides(exb_gpu *gpu, const exb_gpu_call *c, const char *routine, bool solve)
{
    check_site site = site_of(gpu, routine);
    if (exb_rejected(&site.site, exb_check_trsm(&site.site, c->layout, c->side, c->uplo, c->trans,
                                                c->diag, c->m, c->n, c->lda, c->ldb)) ||
        !has_scalars(gpu, c->alpha, c->alpha))
        return;
    bool left = c->side == EXB_LEFT, used = c->m > 0 && c->n > 0;
    exb_i64 n = left ? c->m : c->n;
    exb_gpu_matrix t = matrix_view(gpu, c, c->a, c->trans, n, n, c->lda, used);
    exb_gpu_matrix b = matrix_view(gpu, c, c->b, EXB_NO_TRANS, c->m, c->n, c->ldb, used);
    refuse_overlap(gpu, c, (area){c->b, b, c->m, c->n, 0}, (area){c->a, t, n, n, triangle_of(c)});
    if (exb_gpu_status(gpu) || !used)
        return;
    exb_gpu_product p = scaled_product(c, n, left ? c->n : c->m, n, false);
    p.a = left ? t : exb_gpu_transpose(t);
    p.c = left ? b : exb_gpu_transpose(b);
    p.unit = c->diag == EXB_UNIT;
    p.triangle = left ? triangle_of(c) : -triangle_of(c);
    if (p.alpha == 0 && p.alpha_im == 0) {
        clear_sides(gpu, c, b);
    } else if (!solve) {
        exb_gpu_trmm(gpu, exb_gpu_method(gpu), &p);
    } else {
        if (p.triangle < 0)
            read_from_end(&p);
        exb_gpu_trsm(gpu, exb_gpu_method(gpu), &p);
    }
}

void exb_gpu_call_trsm(exb_gpu *gpu, const exb_gpu_call *c)
{
    call_sides(gpu, c, "trsm", true);
}

void exb_gpu_call_trmm(exb_gpu *gpu, const exb_gpu_call *c)
{
    call_sides(gpu, c, "trmm", false);
}
