/* A call in one type, on device memory: the includer defines REAL, CU(name) (exblas_cuda_d##name),
 * CU_RUN. */
static exblas_status CU_RUN(const expected_call *c, const REAL *a, const REAL *b,
                            const exblas_int *index, REAL *r)
{
    REAL alpha = (REAL)c->alpha, beta = (REAL)c->beta;
    int m = c->m, n = c->n, k = c->k;
    switch (c->op) {
    case EXPECTED_SUM:
        return CU(sum)(handle, n, a, 1, r);
    case EXPECTED_ASUM:
        return CU(asum)(handle, n, a, 1, r);
    case EXPECTED_NRM2:
        return CU(nrm2)(handle, n, a, 1, r);
    case EXPECTED_DOT:
        return CU(dot)(handle, n, a, 1, b, 1, r);
    case EXPECTED_GEMV:
        return CU(gemv)(handle, c->transa, m, n, alpha, a, m, b, 1, beta, r, 1);
    case EXPECTED_TRSV:
        return CU(trsv)(handle, c->uplo, c->transa, c->diag, n, a, n, r, 1);
    case EXPECTED_GEMM:
        return CU(gemm)(handle, c->transa, c->transb, m, n, k, alpha, a, expected_lda(c), b,
                        expected_ldb(c), beta, r, m);
    case EXPECTED_SCATTER:
        return CU(scatter_add)(handle, n, a, index, m, r);
    case EXPECTED_ORDERED:
        return CU(scatter_add_ordered)(handle, n, a, index, m, r);
    case EXPECTED_SYMM:
        return CU(symm)(handle, expected_side(c), c->uplo, m, n, alpha, a, expected_order(c), b, m,
                        beta, r, m);
    case EXPECTED_SYRK:
        return CU(syrk)(handle, c->uplo, c->transa, n, k, alpha, a, expected_lda(c), beta, r, n);
    case EXPECTED_TRSM:
        return CU(trsm)(handle, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha, a,
                        expected_order(c), r, m);
    case EXPECTED_TRMM:
        return CU(trmm)(handle, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha, a,
                        expected_order(c), r, m);
    case EXPECTED_BATCH:
        return CU(gemm_batch_strided)(handle, c->transa, c->transb, m, n, k, alpha, a,
                                      expected_lda(c), m * k, b, expected_ldb(c), k * n, beta, r, m,
                                      m * n, EXPECTED_PRODUCTS);
    default:
        return EXBLAS_EUNSUPPORTED;
    }
}
