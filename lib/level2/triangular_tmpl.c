/* trmv, tbmv, tpmv: x = RN(op(A) x), and trsv, tbsv, tpsv: x = op(A)^-1 x by substitution.
 * Types: s d c z. */
#include "core/fpenv.h"
#include "level2/drivers.h"
#include "level2/solve.h"
#include "level2/vector_product.h"

static EXB_NOINLINE void apply(const exb_t(matrix) *op, exb_triangle_action what, bool unit,
                               exb_real *x, int64_t incx)
{
    exb_t(matrix) a = *op;
    int64_t n = a.pattern.n_rows;
    x += EXB_PARTS * exb_first(n, incx);
    if (what == EXB_MULTIPLY && exb_t(small_product_in_place)(&a, x, incx))
        return;
    if (!exb_pattern_is_lower(&a.pattern)) { /* from its end */
        exb_pattern_reverse(&a.pattern);
        x += EXB_PARTS * (n - 1) * incx;
        incx = -incx;
    }
    if (what == EXB_SOLVE)
        exb_t(solve)(&a, unit, (exb_range){0, n}, x, incx);
    else
        exb_t(vector_product_in_place)(&a, x, incx);
}

void exb_t(apply_triangle)(exb_triangle_action what, exb_storage storage, int layout, int uplo,
                           int trans, int diag, int64_t n, int64_t k, const exb_real *a,
                           int64_t lda, exb_real *x, int64_t incx)
{
    bool is_lower = uplo == EXB_LOWER, is_transposed = trans != EXB_NO_TRANS;
    bool unit = diag == EXB_UNIT, conjugate = EXB_IS_COMPLEX && trans == EXB_CONJ_TRANS;
    if (n == 0)
        return;
    exb_view v = exb_view_triangle(storage, layout == EXB_ROW_MAJOR, is_lower, n, k, lda);
    v = exb_view_transposed_if(is_transposed, v);
    exb_t(matrix) op; /* for a solve without its diagonal */
    op.p = a;
    op.pattern = exb_pattern_triangle(v, n, k, is_lower != is_transposed, unit || what == EXB_SOLVE,
                                      conjugate);
    if (what == EXB_MULTIPLY && unit)
        op.pattern.diagonal = EXB_DIAGONAL_ONES;
    EXB_GUARDED(apply(&op, what, unit, x, incx));
}
