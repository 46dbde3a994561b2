/* Included by each_type.h for level2_call.c. SY(r) SB(r) SP(r): symmetric or Hermitian names. */
#if IS_COMPLEX
#define SY(r) he##r
#define SB(r) hb##r
#define SP(r) hp##r
#else
#define SY(r) sy##r
#define SB(r) sb##r
#define SP(r) sp##r
#endif

static void NAME(cblas)(const level2_call *c)
{
    int layout = c->bad_layout ? 100 : c->row_major ? 101 : 102;
    int trans = enum_of("ntc", 111, c->trans), uplo = enum_of("ul", 121, c->uplo);
    int diag = enum_of("nu", 131, c->diag);
    INT m = (INT)c->m, n = (INT)c->n, kl = (INT)c->kl, ku = (INT)c->ku;
    INT lda = (INT)c->lda, incx = (INT)c->incx, incy = (INT)c->incy;
    void *a = c->a, *x = c->x, *y = c->y;
    switch (c->family) {
    case L2_GEMV:
        CBLAS(gemv)(layout, trans, m, n, V(c->alpha), a, lda, x, incx, V(c->beta), y, incy);
        break;
    case L2_GBMV:
        CBLAS(gbmv)
        (layout, trans, m, n, kl, ku, V(c->alpha), a, lda, x, incx, V(c->beta), y, incy);
        break;
    case L2_SYMV:
        CBLAS(SY(mv))(layout, uplo, n, V(c->alpha), a, lda, x, incx, V(c->beta), y, incy);
        break;
    case L2_SBMV:
        CBLAS(SB(mv))(layout, uplo, n, ku, V(c->alpha), a, lda, x, incx, V(c->beta), y, incy);
        break;
    case L2_SPMV:
        CBLAS(SP(mv))(layout, uplo, n, V(c->alpha), a, x, incx, V(c->beta), y, incy);
        break;
    case L2_TRMV:
        CBLAS(trmv)(layout, uplo, trans, diag, n, a, lda, x, incx);
        break;
    case L2_TBMV:
        CBLAS(tbmv)(layout, uplo, trans, diag, n, ku, a, lda, x, incx);
        break;
    case L2_TPMV:
        CBLAS(tpmv)(layout, uplo, trans, diag, n, a, x, incx);
        break;
    case L2_TRSV:
        CBLAS(trsv)(layout, uplo, trans, diag, n, a, lda, x, incx);
        break;
    case L2_TBSV:
        CBLAS(tbsv)(layout, uplo, trans, diag, n, ku, a, lda, x, incx);
        break;
    case L2_TPSV:
        CBLAS(tpsv)(layout, uplo, trans, diag, n, a, x, incx);
        break;
#if IS_COMPLEX
    case L2_GER:
        CBLAS(geru)(layout, m, n, c->alpha, x, incx, y, incy, a, lda);
        break;
    case L2_GERC:
        CBLAS(gerc)(layout, m, n, c->alpha, x, incx, y, incy, a, lda);
        break;
#else
    case L2_GER:
        CBLAS(ger)(layout, m, n, V(c->alpha), x, incx, y, incy, a, lda);
        break;
#endif
    case L2_SYR:
        CBLAS(SY(r))(layout, uplo, n, *(const E *)c->alpha, x, incx, a, lda);
        break;
    case L2_SPR:
        CBLAS(SP(r))(layout, uplo, n, *(const E *)c->alpha, x, incx, a);
        break;
    case L2_SYR2:
        CBLAS(SY(r2))(layout, uplo, n, V(c->alpha), x, incx, y, incy, a, lda);
        break;
    case L2_SPR2:
        CBLAS(SP(r2))(layout, uplo, n, V(c->alpha), x, incx, y, incy, a);
        break;
    default:
        abort();
    }
}

static void NAME(fortran)(const level2_call *c)
{
    const char *t = &c->trans, *u = &c->uplo, *d = &c->diag;
    INT m = (INT)c->m, n = (INT)c->n, kl = (INT)c->kl, ku = (INT)c->ku;
    INT lda = (INT)c->lda, incx = (INT)c->incx, incy = (INT)c->incy;
    const void *alpha = c->alpha, *beta = c->beta;
    void *a = c->a, *x = c->x, *y = c->y;
    switch (c->family) {
    case L2_GEMV:
        FORTRAN(gemv)(t, &m, &n, alpha, a, &lda, x, &incx, beta, y, &incy);
        break;
    case L2_GBMV:
        FORTRAN(gbmv)(t, &m, &n, &kl, &ku, alpha, a, &lda, x, &incx, beta, y, &incy);
        break;
    case L2_SYMV:
        FORTRAN(SY(mv))(u, &n, alpha, a, &lda, x, &incx, beta, y, &incy);
        break;
    case L2_SBMV:
        FORTRAN(SB(mv))(u, &n, &ku, alpha, a, &lda, x, &incx, beta, y, &incy);
        break;
    case L2_SPMV:
        FORTRAN(SP(mv))(u, &n, alpha, a, x, &incx, beta, y, &incy);
        break;
    case L2_TRMV:
        FORTRAN(trmv)(u, t, d, &n, a, &lda, x, &incx);
        break;
    case L2_TBMV:
        FORTRAN(tbmv)(u, t, d, &n, &ku, a, &lda, x, &incx);
        break;
    case L2_TPMV:
        FORTRAN(tpmv)(u, t, d, &n, a, x, &incx);
        break;
    case L2_TRSV:
        FORTRAN(trsv)(u, t, d, &n, a, &lda, x, &incx);
        break;
    case L2_TBSV:
        FORTRAN(tbsv)(u, t, d, &n, &ku, a, &lda, x, &incx);
        break;
    case L2_TPSV:
        FORTRAN(tpsv)(u, t, d, &n, a, x, &incx);
        break;
#if IS_COMPLEX
    case L2_GER:
        FORTRAN(geru)(&m, &n, alpha, x, &incx, y, &incy, a, &lda);
        break;
    case L2_GERC:
        FORTRAN(gerc)(&m, &n, alpha, x, &incx, y, &incy, a, &lda);
        break;
#else
    case L2_GER:
        FORTRAN(ger)(&m, &n, alpha, x, &incx, y, &incy, a, &lda);
        break;
#endif
    case L2_SYR:
        FORTRAN(SY(r))(u, &n, alpha, x, &incx, a, &lda);
        break;
    case L2_SPR:
        FORTRAN(SP(r))(u, &n, alpha, x, &incx, a);
        break;
    case L2_SYR2:
        FORTRAN(SY(r2))(u, &n, alpha, x, &incx, y, &incy, a, &lda);
        break;
    case L2_SPR2:
        FORTRAN(SP(r2))(u, &n, alpha, x, &incx, y, &incy, a);
        break;
    default:
        abort();
    }
}

#undef SY
#undef SB
#undef SP
