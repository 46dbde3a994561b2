/* Included by each_type.h for level3_call.c. */
static void NAME(cblas)(const level3_call *p)
{
    int layout = p->bad_layout ? 100 : p->row_major ? 101 : 102;
    int ta = enum_of("ntc", 111, p->transa), tb = enum_of("ntc", 111, p->transb);
    int side = enum_of("lr", 141, p->side), uplo = enum_of("ul", 121, p->uplo);
    int diag = enum_of("nu", 131, p->diag);
    INT m = (INT)p->m, n = (INT)p->n, k = (INT)p->k;
    INT lda = (INT)p->lda, ldb = (INT)p->ldb, ldc = (INT)p->ldc;
    const void *al = p->alpha, *be = p->beta;
    void *a = p->a, *b = p->b, *c = p->c;
    switch (p->family) {
    case L3_GEMM:
        CBLAS(gemm)(layout, ta, tb, m, n, k, V(al), a, lda, b, ldb, V(be), c, ldc);
        break;
    case L3_GEMMT:
        CBLAS(gemmt)(layout, uplo, ta, tb, n, k, V(al), a, lda, b, ldb, V(be), c, ldc);
        break;
    case L3_BATCH:
        CBLAS(gemm_batch_strided)
        (layout, ta, tb, m, n, k, V(al), a, lda, (INT)p->stridea, b, ldb, (INT)p->strideb, V(be), c,
         ldc, (INT)p->stridec, (INT)p->batch);
        break;
    case L3_SYMM:
        CBLAS(symm)(layout, side, uplo, m, n, V(al), a, lda, b, ldb, V(be), c, ldc);
        break;
    case L3_SYRK:
        CBLAS(syrk)(layout, uplo, ta, n, k, V(al), a, lda, V(be), c, ldc);
        break;
    case L3_SYR2K:
        CBLAS(syr2k)(layout, uplo, ta, n, k, V(al), a, lda, b, ldb, V(be), c, ldc);
        break;
    case L3_TRMM:
        CBLAS(trmm)(layout, side, uplo, ta, diag, m, n, V(al), a, lda, c, ldc);
        break;
    case L3_TRSM:
        CBLAS(trsm)(layout, side, uplo, ta, diag, m, n, V(al), a, lda, c, ldc);
        break;
#if IS_COMPLEX
    case L3_HEMM:
        CBLAS(hemm)(layout, side, uplo, m, n, al, a, lda, b, ldb, be, c, ldc);
        break;
    case L3_HERK:
        CBLAS(herk)(layout, uplo, ta, n, k, *(const E *)al, a, lda, *(const E *)be, c, ldc);
        break;
    case L3_HER2K:
        CBLAS(her2k)(layout, uplo, ta, n, k, al, a, lda, b, ldb, *(const E *)be, c, ldc);
        break;
#endif
    default:
        abort();
    }
}

static void NAME(fortran)(const level3_call *p)
{
    const char *ta = &p->transa, *tb = &p->transb, *sd = &p->side, *ul = &p->uplo, *di = &p->diag;
    INT m = (INT)p->m, n = (INT)p->n, k = (INT)p->k, batch = (INT)p->batch;
    INT la = (INT)p->lda, lb = (INT)p->ldb, lc = (INT)p->ldc;
    INT sa = (INT)p->stridea, sb = (INT)p->strideb, sc = (INT)p->stridec;
    const void *al = p->alpha, *be = p->beta;
    void *a = p->a, *b = p->b, *c = p->c;
    switch (p->family) {
    case L3_GEMM:
        FORTRAN(gemm)(ta, tb, &m, &n, &k, al, a, &la, b, &lb, be, c, &lc);
        break;
    case L3_GEMMT:
        FORTRAN(gemmt)(ul, ta, tb, &n, &k, al, a, &la, b, &lb, be, c, &lc);
        break;
    case L3_BATCH:
        FORTRAN(gemm_batch_strided)
        (ta, tb, &m, &n, &k, al, a, &la, &sa, b, &lb, &sb, be, c, &lc, &sc, &batch);
        break;
    case L3_SYMM:
        FORTRAN(symm)(sd, ul, &m, &n, al, a, &la, b, &lb, be, c, &lc);
        break;
    case L3_SYRK:
        FORTRAN(syrk)(ul, ta, &n, &k, al, a, &la, be, c, &lc);
        break;
    case L3_SYR2K:
        FORTRAN(syr2k)(ul, ta, &n, &k, al, a, &la, b, &lb, be, c, &lc);
        break;
    case L3_TRMM:
        FORTRAN(trmm)(sd, ul, ta, di, &m, &n, al, a, &la, c, &lc);
        break;
    case L3_TRSM:
        FORTRAN(trsm)(sd, ul, ta, di, &m, &n, al, a, &la, c, &lc);
        break;
#if IS_COMPLEX
    case L3_HEMM:
        FORTRAN(hemm)(sd, ul, &m, &n, al, a, &la, b, &lb, be, c, &lc);
        break;
    case L3_HERK:
        FORTRAN(herk)(ul, ta, &n, &k, al, a, &la, be, c, &lc);
        break;
    case L3_HER2K:
        FORTRAN(her2k)(ul, ta, &n, &k, al, a, &la, b, &lb, be, c, &lc);
        break;
#endif
    default:
        abort();
    }
}
