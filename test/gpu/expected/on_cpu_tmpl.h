/* A call in one type: the includer defines REAL, TYPED(name) (name##_d),
 * EX(name) (excblas_d##name), EXBLAS(name) and QUIET_NAN, the canonical one. */

/* T of gpu/ordered.h. */
static REAL TYPED(tree)(int m, const REAL *x)
{
    int h = 1;
    if (m == 1)
        return x[0];
    while (2 * h < m)
        h *= 2;
    return TYPED(tree)(h, x) + TYPED(tree)(m - h, x + h);
}

static exblas_status TYPED(ordered)(const expected_call *c)
{
    const REAL *a = c->a;
    REAL *r = c->c, term[EXB_ORDERED_BLOCK];
    for (int begin = 0; begin < c->n; begin += EXB_ORDERED_BLOCK)
        for (int bin = 0; bin < c->m; bin++) {
            int m = 0;
            for (int i = begin; i < c->n && i < begin + EXB_ORDERED_BLOCK; i++)
                if (c->index[i] == bin)
                    term[m++] = a[i];
            if (m == 0)
                continue;
            r[bin] += TYPED(tree)(m, term);
            if (r[bin] != r[bin])
                r[bin] = QUIET_NAN; /* whatever its sign and payload were */
        }
    return EXBLAS_OK;
}

static exblas_status TYPED(run)(const expected_call *c)
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
    case EXPECTED_ORDERED:
        return TYPED(ordered)(c);
    case EXPECTED_SYMM:
        EX(symm)
        (col, expected_side(c), c->uplo, m, n, alpha, a, expected_order(c), b, m, beta, r, m);
        break;
    case EXPECTED_SYRK:
        EX(syrk)(col, c->uplo, c->transa, n, k, alpha, a, expected_lda(c), beta, r, n);
        break;
    case EXPECTED_TRSM:
        EX(trsm)
        (col, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha, a, expected_order(c), r,
         m);
        break;
    case EXPECTED_TRMM:
        EX(trmm)
        (col, expected_side(c), c->uplo, c->transa, c->diag, m, n, alpha, a, expected_order(c), r,
         m);
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
