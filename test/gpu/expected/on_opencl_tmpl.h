/* A call in one type, on buffers: the includer defines REAL, CL(name) (exblas_cl_d##name), CL_RUN.
 */
static exblas_status CL_RUN(const expected_call *c, cl_mem a, cl_mem b, cl_mem index, cl_mem r)
{
    const int layout = EXPECTED_COL_MAJOR;
    REAL alpha = (REAL)c->alpha, beta = (REAL)c->beta;
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k;
    switch (c->op) {
    case EXPECTED_SUM:
        return CL(sum)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_ASUM:
        return CL(asum)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_NRM2:
        return CL(nrm2)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_DOT:
        return CL(dot)(queue, n, a, 0, 1, b, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_GEMV:
        return CL(gemv)(queue, layout, c->transa, m, n, alpha, a, 0, m, b, 0, 1, beta, r, 0, 1, 0,
                        NULL, NULL);
    case EXPECTED_TRSV:
        return CL(trsv)(queue, layout, c->uplo, c->transa, c->diag, n, a, 0, n, r, 0, 1, 0, NULL,
                        NULL);
    case EXPECTED_GEMM:
        return CL(gemm)(queue, layout, c->transa, c->transb, m, n, k, alpha, a, 0,
                        (size_t)expected_lda(c), b, 0, (size_t)expected_ldb(c), beta, r, 0, m, 0,
                        NULL, NULL);
    case EXPECTED_SCATTER:
        return CL(scatter_add)(queue, n, a, 0, index, 0, m, r, 0, 0, NULL, NULL);
    case EXPECTED_ORDERED:
        return CL(scatter_add_ordered)(queue, n, a, 0, index, 0, m, r, 0, 0, NULL, NULL);
    case EXPECTED_SYMM:
        return CL(symm)(queue, layout, expected_side(c), c->uplo, m, n, alpha, a, 0,
                        (size_t)expected_order(c), b, 0, (size_t)m, beta, r, 0, (size_t)m, 0, NULL,
                        NULL);
    case EXPECTED_SYRK:
        return CL(syrk)(queue, layout, c->uplo, c->transa, n, k, alpha, a, 0,
                        (size_t)expected_lda(c), beta, r, 0, (size_t)n, 0, NULL, NULL);
    case EXPECTED_TRSM:
        return CL(trsm)(queue, layout, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha,
                        a, 0, (size_t)expected_order(c), r, 0, (size_t)m, 0, NULL, NULL);
    case EXPECTED_TRMM:
        return CL(trmm)(queue, layout, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha,
                        a, 0, (size_t)expected_order(c), r, 0, (size_t)m, 0, NULL, NULL);
    default:
        return EXBLAS_EUNSUPPORTED;
    }
}
