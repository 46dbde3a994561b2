/* A call in one type: the includer defines REAL, EX(name) (excblas_d##name) and EXBLAS(name). */
static exblas_status EXBLAS_RUN(const expected_call *c)
{
    REAL *a = c->a, *b = c->b, *r = c->c, alpha = (REAL)c->alpha, beta = (REAL)c->beta;
    int m = c->m, n = c->n, k = c->k, col = EXBLAS_COL_MAJOR;
    switch (c->op) {
    case EXPECTED_SUM:
        *r = EX(sum)(n, a, 1);
        break;
    case EXPECTED_ASUM:
        *r = EX(asum)(n, a, 1);
        break;
    case EXPECTED_NRM2:
        *r = EX(nrm2)(n, a, 1);
        break;
    case EXPECTED_DOT:
        *r = EX(dot)(n, a, 1, b, 1);
        break;
    case EXPECTED_GEMV:
        EX(gemv)(col, c->transa, m, n, alpha, a, m, b, 1, beta, r, 1);
        break;
    case EXPECTED_TRSV:
        EX(trsv)(col, c->uplo, c->transa, c->diag, n, a, n, r, 1);
        break;
    case EXPECTED_GEMM:
        EX(gemm)
        (col, c->transa, c->transb, m, n, k, alpha, a, expected_lda(c), b, expected_ldb(c), beta, r,
         m);
        break;
    case EXPECTED_SCATTER:
        return EXBLAS(scatter_add)(n, a, c->index, m, r);
    default:
        return EXBLAS_EUNSUPPORTED;
    }
    return EXBLAS_OK;
}
