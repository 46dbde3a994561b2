/* Products and triangular systems: from arguments to the flow. */
#include "gpu/flow/front.h"
#include "gpu/flow/matrix.h"

bool exb_gpu_accepts(exb_gpu *gpu, const exb_gpu_call *c)
{
    if (!c->check)
        return true;
    const exb_site site = {c->routine, EXB_CALL_CBLAS, NULL};
    exb_fault fault = c->check(&site, c);
    bool has_beta = c->c.name || c->y.name, has_alpha = has_beta || c->b.name;
    if (fault.position)
        return exb_gpu_fail(gpu, EXBLAS_EINVAL,
                            "argument %d of %s is not valid (numbers as in cblas_%s)",
                            fault.position, c->routine, c->routine);
    if ((has_alpha && !c->alpha) || (has_beta && !c->beta))
        return exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", c->alpha ? "beta" : "alpha");
    return c->m > 0 && c->n > 0;
}

/* --- operands ----------------------------------------------------------------- */

/* What an operand reads or writes: a view of rows x cols, a lower triangle (1) or an upper one (-1)
 * of it, or all (0). A vector is a column. */
typedef struct {
    exb_gpu_operand of;
    exb_gpu_matrix v;
    exb_i64 rows, cols;
    int triangle;
} area;

static size_t bytes_of(const exb_gpu_call *c)
{
    return exb_gpu_element_bytes(c->is_s) << c->is_complex;
}

/* op(X), of rows x cols. */
static area matrix_of(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand x, int trans,
                      exb_i64 rows, exb_i64 cols, exb_i64 ld)
{
    bool row_is_run = (c->layout == EXB_ROW_MAJOR) == (trans == EXB_NO_TRANS);
    exb_i64 outer = row_is_run ? rows : cols, inner = row_is_run ? cols : rows;
    exb_gpu_ref at = exb_gpu_matrix_place(gpu, x, outer, inner, &ld, bytes_of(c));
    bool conjugate = c->is_complex && trans == EXB_CONJ_TRANS;
    return (area){x, {at, row_is_run ? ld : 1, row_is_run ? 1 : ld, conjugate}, rows, cols, 0};
}

static area vector_of(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand x, exb_i64 n,
                      exb_i64 inc)
{
    exb_gpu_ref at = exb_gpu_vector_place(gpu, x, n, &inc, bytes_of(c));
    return (area){x, {at, inc, 1, false}, n, 1, 0};
}

/* A square matrix of order n, of which the triangle uplo is stored, as a lower triangle: an upper
 * one is its transpose, and if the matrix is Hermitian conjugated. */
static area lower_of(exb_gpu *gpu, const exb_gpu_call *c, exb_gpu_operand x, exb_i64 n, exb_i64 ld)
{
    int upper = c->hermitian ? EXB_CONJ_TRANS : EXB_TRANS;
    area a = matrix_of(gpu, c, x, c->uplo == EXB_LOWER ? EXB_NO_TRANS : upper, n, n, ld);
    a.triangle = 1;
    return a;
}

/* --- what overlaps ----------------------------------------------------------------- */

/* The place with the lowest address. */
static exb_gpu_ref lowest(const area *s, size_t bytes)
{
    return exb_gpu_at(s->v.at, s->v.row < 0 ? (size_t)((s->rows - 1) * s->v.row) * bytes : 0);
}

/* Whether a place is that of an element, or lies in it. */
static bool contains(const exb_gpu *gpu, const area *s, exb_gpu_ref place, size_t bytes)
{
    exb_gpu_ref low = lowest(s, bytes);
    exb_i64 behind =
        (exb_i64)((uintptr_t)place.buffer + place.offset - (uintptr_t)low.buffer - low.offset);
    if ((low.buffer != place.buffer && !exb_gpu_get_limits(gpu).has_addresses) || behind < 0)
        return false;
    bool by_columns = s->v.row == 1 && s->cols > 1;
    exb_i64 ld = by_columns ? s->v.col : s->v.row < 0 ? -s->v.row : s->v.row;
    exb_i64 at = behind / (exb_i64)bytes;
    exb_i64 i = by_columns ? at % ld : at / ld, j = by_columns ? at / ld : at % ld;
    return i < s->rows && j < s->cols && (i - j) * s->triangle >= 0;
}

/* Fails the call if the first element of its output or of an input, if there is one, is an element
 * of the other: of all that BLAS forbids this much can be told at once, and not of operands in
 * whose gaps others lie. */
static void refuse_overlap(exb_gpu *gpu, const area *output, const area *input, size_t bytes)
{
    if (!exb_gpu_status(gpu) && input->rows > 0 &&
        (contains(gpu, output, lowest(input, bytes), bytes) ||
         contains(gpu, input, lowest(output, bytes), bytes)))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s overlaps %s", output->of.name, input->of.name);
}

/* --- calls ----------------------------------------------------------------------- */

/* A part of a scalar of the call, widened inside the call's floating-point guard:
 * under DAZ a subnormal float would become 0. */
static double scalar_part(const exb_gpu_call *c, const void *x, int part)
{
    if (!x || (part == 1 && (c->real_scalars || !c->is_complex)))
        return 0;
    return c->is_s ? (double)((const float *)x)[part] : ((const double *)x)[part];
}

/* to = alpha a b + beta to, b being empty if it is something else. What is not read, as alpha is 0,
 * may overlap, and is a product without terms. False if nothing is to be done. */
static bool make_product(exb_gpu *gpu, const exb_gpu_call *c, area a, area b, area to,
                         exb_gpu_product *p)
{
    *p = (exb_gpu_product){.routine = c->x.name ? c->routine : "gemm",
                           .is_s = c->is_s,
                           .is_complex = c->is_complex,
                           .real_scalars = c->real_scalars,
                           .m = to.rows,
                           .n = to.cols,
                           .k = a.cols,
                           .a = a.v,
                           .b = b.v,
                           .c = to.v,
                           .alpha = c->alpha ? scalar_part(c, c->alpha, 0) : 1,
                           .alpha_im = scalar_part(c, c->alpha, 1),
                           .beta = scalar_part(c, c->beta, 0),
                           .beta_im = scalar_part(c, c->beta, 1)};
    if (p->k == 0 || (p->alpha == 0 && p->alpha_im == 0)) {
        p->alpha = 1;
        p->alpha_im = 0;
        p->k = 0;
    } else {
        refuse_overlap(gpu, &to, &a, bytes_of(c));
        refuse_overlap(gpu, &to, &b, bytes_of(c));
    }
    return !exb_gpu_status(gpu) && (p->k > 0 || p->beta != 1 || p->beta_im != 0);
}

void exb_gpu_call_gemv(exb_gpu *gpu, const exb_gpu_call *c)
{
    bool plain = c->trans == EXB_NO_TRANS;
    exb_i64 m = plain ? c->m : c->n, k = plain ? c->n : c->m;
    area a = matrix_of(gpu, c, c->a, c->trans, m, k, c->lda);
    area x = vector_of(gpu, c, c->x, k, c->incx), y = vector_of(gpu, c, c->y, m, c->incy);
    exb_gpu_product p;
    if (make_product(gpu, c, a, x, y, &p))
        exb_gpu_gemv(gpu, &p);
}

void exb_gpu_call_gemm(exb_gpu *gpu, const exb_gpu_call *c)
{
    area a = matrix_of(gpu, c, c->a, c->trans, c->m, c->k, c->lda);
    area b = matrix_of(gpu, c, c->b, c->transb, c->k, c->n, c->ldb);
    area to = matrix_of(gpu, c, c->c, EXB_NO_TRANS, c->m, c->n, c->ldc);
    exb_gpu_product p;
    if (make_product(gpu, c, a, b, to, &p))
        exb_gpu_gemm(gpu, &p);
}

void exb_gpu_call_symm(exb_gpu *gpu, const exb_gpu_call *c)
{
    bool left = c->side == EXB_LEFT;
    area a = lower_of(gpu, c, c->a, left ? c->m : c->n, c->lda);
    area b = matrix_of(gpu, c, c->b, EXB_NO_TRANS, c->m, c->n, c->ldb);
    area to = matrix_of(gpu, c, c->c, EXB_NO_TRANS, c->m, c->n, c->ldc);
    exb_gpu_product p;
    if (!make_product(gpu, c, left ? a : b, left ? b : a, to, &p))
        return;
    p.hermitian = !c->hermitian ? 0 : left ? 1 : 2;
    exb_gpu_symm(gpu, &p, left);
}

void exb_gpu_call_syrk(exb_gpu *gpu, const exb_gpu_call *c)
{
    area a = matrix_of(gpu, c, c->a, c->trans, c->n, c->k, c->lda);
    area to = lower_of(gpu, c, c->c, c->n, c->ldc);
    exb_gpu_product p;
    if (!make_product(gpu, c, a, (area){0}, to, &p))
        return;
    p.b = exb_gpu_transpose(p.a);
    p.b.conjugate = p.a.conjugate != c->hermitian;
    if (p.c.conjugate) { /* of the product: to conjugate results would change the sign of +0 */
        p.a.conjugate = !p.a.conjugate;
        p.b.conjugate = !p.b.conjugate;
        p.c.conjugate = false;
    }
    exb_gpu_syrk(gpu, &p, c->hermitian);
}

/* An upper triangle (after the transposition) is a lower one that is read from its end. */
static void read_from_end(exb_gpu_product *p)
{
    p->a.at = exb_gpu_element(p, p->a.at, (p->m - 1) * (p->a.row + p->a.col));
    p->c.at = exb_gpu_element(p, p->c.at, (p->m - 1) * p->c.row);
    p->a.row = -p->a.row;
    p->a.col = -p->a.col;
    p->c.row = -p->c.row;
}

/* X op(A) = alpha B is op(A)' X' = alpha B'. */
void exb_gpu_call_trsm(exb_gpu *gpu, const exb_gpu_call *c)
{
    bool left = c->side != EXB_RIGHT;
    exb_i64 n = left ? c->m : c->n;
    area a = matrix_of(gpu, c, c->a, c->trans, n, n, c->lda);
    area b = c->x.name ? vector_of(gpu, c, c->x, n, c->incx)
                       : matrix_of(gpu, c, c->b, EXB_NO_TRANS, c->m, c->n, c->ldb);
    exb_gpu_product p;
    a.triangle = (c->uplo == EXB_LOWER) == (c->trans == EXB_NO_TRANS) ? 1 : -1;
    if (!make_product(gpu, c, a, (area){0}, b, &p))
        return;
    if (p.k == 0) { /* B = 0, without reading it */
        exb_gpu_gemm(gpu, &p);
        return;
    }
    if (!left) {
        p.m = b.cols;
        p.n = b.rows;
        p.a = exb_gpu_transpose(a.v);
        p.c = exb_gpu_transpose(b.v);
    }
    p.unit = c->diag == EXB_UNIT;
    p.triangle = left ? a.triangle : -a.triangle;
    if (strcmp(c->routine, "trmm") == 0) {
        exb_gpu_trmm(gpu, &p);
        return;
    }
    p.routine = "trsv";
    if (p.triangle < 0)
        read_from_end(&p);
    exb_gpu_trsm(gpu, &p);
}
