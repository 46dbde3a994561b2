/* A call in one complex type: the includer defines REAL, TYPED(name) (name##_z), EX(name)
 * (excblas_z##name) and NORM(name) (excblas_dz##name). */

static exblas_status TYPED(run)(const expected_call *c)
{
    const REAL alpha[2] = {(REAL)c->alpha, (REAL)c->alpha_im};
    const REAL beta[2] = {(REAL)c->beta, (REAL)c->beta_im};
    REAL *a = c->a, *b = c->b, *r = c->c;
    int m = c->m, n = c->n, k = c->k, col = EXBLAS_COL_MAJOR, order = expected_order(c);
    switch (c->op) {
    case EXPECTED_SUM:
        EX(sum_sub)(n, a, 1, r);
        break;
    case EXPECTED_ASUM:
        *r = NORM(asum)(n, a, 1);
        break;
    case EXPECTED_NRM2:
        *r = NORM(nrm2)(n, a, 1);
        break;
    case EXPECTED_DOT:
        (c->transa == EXPECTED_CONJ_TRANS ? EX(dotc_sub) : EX(dotu_sub))(n, a, 1, b, 1, r);
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
    case EXPECTED_SYMM:
        EX(symm)(col, expected_side(c), c->uplo, m, n, alpha, a, order, b, m, beta, r, m);
        break;
    case EXPECTED_HEMM:
        EX(hemm)(col, expected_side(c), c->uplo, m, n, alpha, a, order, b, m, beta, r, m);
        break;
    case EXPECTED_SYRK:
        EX(syrk)(col, c->uplo, c->transa, n, k, alpha, a, expected_lda(c), beta, r, n);
        break;
    case EXPECTED_HERK:
        EX(herk)(col, c->uplo, c->transa, n, k, alpha[0], a, expected_lda(c), beta[0], r, n);
        break;
    case EXPECTED_TRSM:
        EX(trsm)
        (col, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha, a, order, r, m);
        break;
    case EXPECTED_TRMM:
        EX(trmm)
        (col, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha, a, order, r, m);
        break;
    case EXPECTED_BATCH:
        EX(gemm_batch_strided)
        (col, c->transa, c->transb, m, n, k, alpha, a, expected_lda(c), m * k, b, expected_ldb(c),
         k * n, beta, r, m, m * n, EXPECTED_PRODUCTS);
        break;
    default:
        return EXBLAS_EUNSUPPORTED;
    }
    return EXBLAS_OK;
}
