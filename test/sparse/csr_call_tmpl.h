/* The call of csr_case.c for one type and integer width: E the type of the parts, INT, NAME(f),
 * CALL(r) the routine of that name, SCALAR(p) the scalar whose parts are at p; of real types
 * HANDLE, MULTIPLY and FREE those of handles. */
#if !IS_COMPLEX
static exblas_status NAME(call_handle)(const csr_arrays *a, const csr_case *c)
{
    HANDLE *h = NULL;
    const E *alpha = a->alpha, *beta = a->beta;
    exblas_status status =
        CALL(csr_create)((INT)c->m, (INT)c->n, a->row_start, a->column, a->value, &h);
    if (status == EXBLAS_OK)
        status = MULTIPLY(h, *alpha, a->x, *beta, a->y);
    FREE(h);
    return status;
}
#endif

static exblas_status NAME(call)(const csr_arrays *a, const csr_case *c, int64_t ldb, int64_t ldc,
                                csr_form f)
{
    const INT *row_start = a->row_start, *column = a->column;
    const E *value = a->value, *x = a->x, *alpha = a->alpha, *beta = a->beta;
    E *y = a->y;
    INT m = (INT)c->m, n = (INT)c->n;
#if !IS_COMPLEX
    if (f.by_handle)
        return NAME(call_handle)(a, c);
#endif
    if (c->kind == CSR_SYMMETRIC)
        return CALL(csrsymv)(c->uplo, n, SCALAR(alpha), row_start, column, value, x, SCALAR(beta),
                             y);
#if IS_COMPLEX
    if (c->kind == CSR_HERMITIAN)
        return CALL(csrhemv)(c->uplo, n, SCALAR(alpha), row_start, column, value, x, SCALAR(beta),
                             y);
#endif
    if (f.as_matrix)
        return CALL(csrmm)(f.by_rows ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR, c->trans, m, n,
                           (INT)c->n_vectors, SCALAR(alpha), row_start, column, value, x, (INT)ldb,
                           SCALAR(beta), y, (INT)ldc);
    return CALL(csrmv)(c->trans, m, n, SCALAR(alpha), row_start, column, value, x, SCALAR(beta), y);
}
