/* csrmv, csrsymv, csrhemv, csrmm.
 * Types: s d c z. */
#include "indexed.h"
#include "sparse/csr.h"

#include "core/check/check_rules.h"
#include "core/fpenv.h"
#include "core/memory.h"

/* The call's product, whose matrix is good; form and uplo say what the matrix stands for. */
static exblas_status multiply_matrix(exb_t(csr_product) p, exb_csr_form form, int uplo)
{
    void *memory = NULL;
    if (exb_is_zero(p.alpha) && exb_is_one(p.beta))
        return EXBLAS_OK;
    if (exb_is_zero(p.alpha)) { /* an empty sum */
        p.a = (exb_t(csr)){.m = form == EXB_CSR_AS_IT_IS ? p.a.m : p.a.n};
        p.alpha = (exb_complex){1, 0};
        form = EXB_CSR_AS_IT_IS;
    }
    if (form != EXB_CSR_AS_IT_IS) {
        exb_t(csr) whole;
        exblas_status status = exb_t(csr_make)(&p.a, form, uplo, &whole, &memory);
        if (status != EXBLAS_OK)
            return status;
        p.a = whole;
    }
    exb_t(csr_multiply)(&p);
    exb_memory_put(memory);
    return EXBLAS_OK;
}

/* Everything that reads numbers is inside the guard: under DAZ a subnormal alpha would compare
 * equal to 0. */
static EXB_NOINLINE exblas_status multiply_guarded(exb_t(csr_product) p, exb_csr_form form,
                                                   int uplo, exb_scalar alpha, exb_scalar beta)
{
    bool is_itself = form == EXB_CSR_AS_IT_IS;
    int64_t n_inputs = is_itself ? p.a.n : p.a.m, n_outputs = is_itself ? p.a.m : p.a.n;
    if (!exb_t(csr_is_good)(&p.a))
        return EXBLAS_EINVAL;
    if ((!p.x.p && n_inputs > 0 && p.n_vectors > 0) || (!p.y && n_outputs > 0 && p.n_vectors > 0))
        return EXBLAS_EINVAL;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    p.alpha = exb_scalar_value(alpha);
    p.beta = exb_scalar_value(beta);
    exblas_status status = multiply_matrix(p, form, uplo);
    exb_fpenv_leave(&env);
    return status;
}

exblas_status exb_t(csrmm)(int layout, int trans, int64_t m, int64_t n, int64_t n_vectors,
                           exb_scalar alpha, exb_index row_start, exb_index column,
                           const exb_real *value, const exb_real *b, int64_t ldb, exb_scalar beta,
                           exb_real *c, int64_t ldc)
{
    bool by_rows = layout == EXB_ROW_MAJOR, transposed = trans != EXB_NO_TRANS;
    int64_t n_in = transposed ? m : n, n_out = transposed ? n : m;
    if (!exb_is_layout(layout) || !exb_is_trans(trans) || n_vectors < 0 || m < 0 || n < 0 ||
        ldb < exb_at_least_one(by_rows ? n_vectors : n_in) ||
        ldc < exb_at_least_one(by_rows ? n_vectors : n_out))
        return EXBLAS_EINVAL;
    exb_t(csr_product) p = {.n_vectors = n_vectors, .x = {b, 1}, .y = c};
    p.a = exb_t(csr_of)(m, n, row_start, column, value);
    p.a.conjugated = trans == EXB_CONJ_TRANS;
    p.x.inc = by_rows ? ldb : 1;
    p.incy = by_rows ? ldc : 1;
    p.x_next = n_vectors < 2 ? 0 : EXB_PARTS * (by_rows ? 1 : ldb); /* one vector: ld may be huge */
    p.y_next = n_vectors < 2 ? 0 : EXB_PARTS * (by_rows ? 1 : ldc);
    return multiply_guarded(p, transposed ? EXB_CSR_TRANSPOSED : EXB_CSR_AS_IT_IS, 0, alpha, beta);
}

exblas_status exb_t(csrmv)(int trans, int64_t m, int64_t n, exb_scalar alpha, exb_index row_start,
                           exb_index column, const exb_real *value, const exb_real *x,
                           exb_scalar beta, exb_real *y)
{
    int64_t most = exb_at_least_one(exb_most(m, n));
    return exb_t(csrmm)(EXB_COL_MAJOR, trans, m, n, 1, alpha, row_start, column, value, x, most,
                        beta, y, most);
}

static exblas_status multiply_triangle(int uplo, exb_csr_form form, exb_t(csr) a, exb_scalar alpha,
                                       const exb_real *x, exb_scalar beta, exb_real *y)
{
    if (!exb_is_uplo(uplo))
        return EXBLAS_EINVAL;
    exb_t(csr_product) p = {.a = a, .n_vectors = 1, .x = {x, 1}, .y = y, .incy = 1};
    return multiply_guarded(p, form, uplo, alpha, beta);
}

exblas_status exb_t(csrsymv)(int uplo, int64_t n, exb_scalar alpha, exb_index row_start,
                             exb_index column, const exb_real *value, const exb_real *x,
                             exb_scalar beta, exb_real *y)
{
    return multiply_triangle(uplo, EXB_CSR_SYMMETRIC, exb_t(csr_of)(n, n, row_start, column, value),
                             alpha, x, beta, y);
}

#if EXB_IS_COMPLEX
exblas_status exb_t(csrhemv)(int uplo, int64_t n, exb_scalar alpha, exb_index row_start,
                             exb_index column, const exb_real *value, const exb_real *x,
                             exb_scalar beta, exb_real *y)
{
    return multiply_triangle(uplo, EXB_CSR_HERMITIAN, exb_t(csr_of)(n, n, row_start, column, value),
                             alpha, x, beta, y);
}
#endif
