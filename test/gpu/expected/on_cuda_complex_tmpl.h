/* A call in one complex type, on device memory: the includer defines REAL, CU(name)
 * (exblas_cuda_z##name), NORM(name) (exblas_cuda_dz##name), CU_RUN. */
static exblas_status CU_RUN(const expected_call *c, const REAL *a, const REAL *b, REAL *r)
{
    const REAL alpha[2] = {(REAL)c->alpha, (REAL)c->alpha_im};
    const REAL beta[2] = {(REAL)c->beta, (REAL)c->beta_im};
    int m = c->m, n = c->n, k = c->k, side = expected_side(c), order = expected_order(c);
    switch (c->op) {
    case EXPECTED_SUM:
        return CU(sum)(handle, n, a, 1, r);
    case EXPECTED_ASUM:
        return NORM(asum)(handle, n, a, 1, r);
    case EXPECTED_NRM2:
        return NORM(nrm2)(handle, n, a, 1, r);
    case EXPECTED_DOT:
        return c->transa == EXPECTED_CONJ_TRANS ? CU(dotc)(handle, n, a, 1, b, 1, r)
                                                : CU(dotu)(handle, n, a, 1, b, 1, r);
    case EXPECTED_GEMV:
        return CU(gemv)(handle, c->transa, m, n, alpha, a, m, b, 1, beta, r, 1);
    case EXPECTED_TRSV:
        return CU(trsv)(handle, c->uplo, c->transa, c->diag, n, a, n, r, 1);
    case EXPECTED_GEMM:
        return CU(gemm)(handle, c->transa, c->transb, m, n, k, alpha, a, expected_lda(c), b,
                        expected_ldb(c), beta, r, m);
    case EXPECTED_SYMM:
        return CU(symm)(handle, side, c->uplo, m, n, alpha, a, order, b, m, beta, r, m);
    case EXPECTED_HEMM:
        return CU(hemm)(handle, side, c->uplo, m, n, alpha, a, order, b, m, beta, r, m);
    case EXPECTED_SYRK:
        return CU(syrk)(handle, c->uplo, c->transa, n, k, alpha, a, expected_lda(c), beta, r, n);
    case EXPECTED_HERK:
        return CU(herk)(handle, c->uplo, c->transa, n, k, alpha[0], a, expected_lda(c), beta[0], r,
                        n);
    case EXPECTED_TRSM:
        return CU(trsm)(handle, side, c->uplo, c->transa, c->diag, m, n, alpha, a, order, r, m);
    case EXPECTED_TRMM:
        return CU(trmm)(handle, side, c->uplo, c->transa, c->diag, m, n, alpha, a, order, r, m);
    case EXPECTED_BATCH:
        return CU(gemm_batch_strided)(handle, c->transa, c->transb, m, n, k, alpha, a,
                                      expected_lda(c), m * k, b, expected_ldb(c), k * n, beta, r, m,
                                      m * n, EXPECTED_PRODUCTS);
    default:
        return EXBLAS_EUNSUPPORTED;
    }
}
