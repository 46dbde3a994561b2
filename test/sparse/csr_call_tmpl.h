/* The call of csr_case.c for one type and integer width, TYPE (s, d, c or z) and SUFFIX. */
#if IS_COMPLEX
#define SCALAR(p) (p)
#else
#define SCALAR(p) (*(p))
static exblas_status NAME(call_handle)(const csr_arrays *a, const csr_case *c)
{
    PASTE(exblas_, TYPE, csr_handle, ) *h = NULL;
    const E *alpha = a->alpha, *beta = a->beta;
    exblas_status status =
        CALL(csr_create)((INT)c->m, (INT)c->n, a->row_start, a->column, a->value, &h);
    if (status == EXBLAS_OK)
        status = PASTE(exblas_, TYPE, csr_mv, )(h, *alpha, a->x, *beta, a->y);
    PASTE(exblas_, TYPE, csr_free, )(h);
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
#undef SCALAR
#undef TYPE
#undef SUFFIX
