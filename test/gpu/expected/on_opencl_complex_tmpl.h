/* A call in one complex type, on buffers: the includer defines REAL, CL(name)
 * (exblas_cl_z##name), NORM(name) (exblas_cl_dz##name), CL_RUN. */
static exblas_status CL_RUN(const expected_call *c, cl_mem a, cl_mem b, cl_mem r)
{
    const REAL alpha[2] = {(REAL)c->alpha, (REAL)c->alpha_im};
    const REAL beta[2] = {(REAL)c->beta, (REAL)c->beta_im};
    const int layout = EXPECTED_COL_MAJOR, side = expected_side(c);
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k, order = (size_t)expected_order(c);
    size_t lda = (size_t)expected_lda(c), ldb = (size_t)expected_ldb(c);
    switch (c->op) {
    case EXPECTED_SUM:
        return CL(sum)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_ASUM:
        return NORM(asum)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_NRM2:
        return NORM(nrm2)(queue, n, a, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_DOT:
        return c->transa == EXPECTED_CONJ_TRANS
                   ? CL(dotc)(queue, n, a, 0, 1, b, 0, 1, r, 0, 0, NULL, NULL)
                   : CL(dotu)(queue, n, a, 0, 1, b, 0, 1, r, 0, 0, NULL, NULL);
    case EXPECTED_GEMV:
        return CL(gemv)(queue, layout, c->transa, m, n, alpha, a, 0, m, b, 0, 1, beta, r, 0, 1, 0,
                        NULL, NULL);
    case EXPECTED_TRSV:
        return CL(trsv)(queue, layout, c->uplo, c->transa, c->diag, n, a, 0, n, r, 0, 1, 0, NULL,
                        NULL);
    case EXPECTED_GEMM:
        return CL(gemm)(queue, layout, c->transa, c->transb, m, n, k, alpha, a, 0, lda, b, 0, ldb,
                        beta, r, 0, m, 0, NULL, NULL);
    case EXPECTED_SYMM:
        return CL(symm)(queue, layout, side, c->uplo, m, n, alpha, a, 0, order, b, 0, m, beta, r, 0,
                        m, 0, NULL, NULL);
    case EXPECTED_HEMM:
        return CL(hemm)(queue, layout, side, c->uplo, m, n, alpha, a, 0, order, b, 0, m, beta, r, 0,
                        m, 0, NULL, NULL);
    case EXPECTED_SYRK:
        return CL(syrk)(queue, layout, c->uplo, c->transa, n, k, alpha, a, 0, lda, beta, r, 0, n, 0,
                        NULL, NULL);
    case EXPECTED_HERK:
        return CL(herk)(queue, layout, c->uplo, c->transa, n, k, alpha[0], a, 0, lda, beta[0], r, 0,
                        n, 0, NULL, NULL);
    case EXPECTED_TRSM:
        return CL(trsm)(queue, layout, side, c->uplo, c->transa, c->diag, m, n, alpha, a, 0, order,
                        r, 0, m, 0, NULL, NULL);
    case EXPECTED_TRMM:
        return CL(trmm)(queue, layout, side, c->uplo, c->transa, c->diag, m, n, alpha, a, 0, order,
                        r, 0, m, 0, NULL, NULL);
    default:
        return EXBLAS_EUNSUPPORTED;
    }
}
