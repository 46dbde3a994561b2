/* Calls for one type and one integer width. The includer defines REAL, INT,
 * NAME(call), CBLAS(routine), FORTRAN(routine) for routine without its type
 * letter, and IS_FLOAT. */

static void NAME(cblas_level1)(const blas_arguments *p)
{
    REAL *r = p->result;
    INT n = (INT)p->n, incx = (INT)p->incx, incy = (INT)p->incy;
    switch (p->op) {
    case OP_SUM:
        *r = CBLAS(sum)(n, p->x, incx);
        break;
    case OP_ASUM:
        *r = CBLAS(asum)(n, p->x, incx);
        break;
    case OP_NRM2:
        *r = CBLAS(nrm2)(n, p->x, incx);
        break;
    case OP_DOT:
        *r = CBLAS(dot)(n, p->x, incx, p->y, incy);
        break;
#if IS_FLOAT
    case OP_DSDOT:
        *(double *)p->result = CBLAS_MIXED(dsdot)(n, p->x, incx, p->y, incy);
        break;
    case OP_SDSDOT:
        *r = CBLAS_MIXED(sdsdot)(n, *(const float *)p->alpha, p->x, incx, p->y, incy);
        break;
#endif
    default:
        abort();
    }
}

static void NAME(fortran_level1)(const blas_arguments *p)
{
    REAL *r = p->result;
    INT n = (INT)p->n, incx = (INT)p->incx, incy = (INT)p->incy;
    switch (p->op) {
    case OP_SUM:
        *r = FORTRAN(sum)(&n, p->x, &incx);
        break;
    case OP_ASUM:
        *r = FORTRAN(asum)(&n, p->x, &incx);
        break;
    case OP_NRM2:
        *r = FORTRAN(nrm2)(&n, p->x, &incx);
        break;
    case OP_DOT:
        *r = FORTRAN(dot)(&n, p->x, &incx, p->y, &incy);
        break;
#if IS_FLOAT
    case OP_DSDOT:
        *(double *)p->result = FORTRAN_MIXED(dsdot)(&n, p->x, &incx, p->y, &incy);
        break;
    case OP_SDSDOT:
        *r = FORTRAN_MIXED(sdsdot)(&n, p->alpha, p->x, &incx, p->y, &incy);
        break;
#endif
    default:
        abort();
    }
}

static void NAME(cblas_level23)(const blas_arguments *p)
{
    int layout = p->row_major ? 101 : 102;
    int transa = cblas_trans(p->transa), transb = cblas_trans(p->transb);
    int uplo = p->uplo == 'u' ? 121 : 122, diag = p->diag == 'u' ? 132 : 131;
    INT m = (INT)p->m, n = (INT)p->n, k = (INT)p->k;
    INT lda = (INT)p->lda, ldb = (INT)p->ldb, ldc = (INT)p->ldc;
    INT incx = (INT)p->incx, incy = (INT)p->incy;
    const REAL *alpha = p->alpha, *beta = p->beta;
    switch (p->op) {
    case OP_GEMV:
        CBLAS(gemv)(layout, transa, m, n, *alpha, p->a, lda, p->x, incx, *beta, p->y, incy);
        break;
    case OP_TRSV:
        CBLAS(trsv)(layout, uplo, transa, diag, n, p->a, lda, p->x, incx);
        break;
    case OP_GEMM:
        CBLAS(gemm)
        (layout, transa, transb, m, n, k, *alpha, p->a, lda, p->b, ldb, *beta, p->c, ldc);
        break;
    case OP_SYRK:
        CBLAS(syrk)(layout, uplo, transa, n, k, *alpha, p->a, lda, *beta, p->c, ldc);
        break;
    default:
        abort();
    }
}

static void NAME(fortran_level23)(const blas_arguments *p)
{
    INT m = (INT)p->m, n = (INT)p->n, k = (INT)p->k;
    INT lda = (INT)p->lda, ldb = (INT)p->ldb, ldc = (INT)p->ldc;
    INT incx = (INT)p->incx, incy = (INT)p->incy;
    const char *ta = &p->transa, *tb = &p->transb, *ul = &p->uplo, *di = &p->diag;
    switch (p->op) {
    case OP_GEMV:
        FORTRAN(gemv)(ta, &m, &n, p->alpha, p->a, &lda, p->x, &incx, p->beta, p->y, &incy);
        break;
    case OP_TRSV:
        FORTRAN(trsv)(ul, ta, di, &n, p->a, &lda, p->x, &incx);
        break;
    case OP_GEMM:
        FORTRAN(gemm)
        (ta, tb, &m, &n, &k, p->alpha, p->a, &lda, p->b, &ldb, p->beta, p->c, &ldc);
        break;
    case OP_SYRK:
        FORTRAN(syrk)(ul, ta, &n, &k, p->alpha, p->a, &lda, p->beta, p->c, &ldc);
        break;
    default:
        abort();
    }
}

static void NAME(cblas_call)(const blas_arguments *p)
{
    if (blas_op_is_level1(p->op))
        NAME(cblas_level1)(p);
    else
        NAME(cblas_level23)(p);
}

static void NAME(fortran_call)(const blas_arguments *p)
{
    if (blas_op_is_level1(p->op))
        NAME(fortran_level1)(p);
    else
        NAME(fortran_level23)(p);
}

#undef REAL
#undef INT
#undef NAME
#undef CBLAS
#undef FORTRAN
#undef CBLAS_MIXED
#undef FORTRAN_MIXED
#undef IS_FLOAT
