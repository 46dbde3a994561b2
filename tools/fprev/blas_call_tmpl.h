/* Calls of BLAS routines for REAL and INT; NAME(x) makes names of them. No include guard: blas.c
 * includes this once for each. */

typedef REAL NAME(cblas_sum)(INT, const void *, INT);
typedef REAL NAME(cblas_dot)(INT, const void *, INT, const void *, INT);
typedef void NAME(cblas_gemv)(int, int, INT, INT, REAL, const void *, INT, const void *, INT, REAL,
                              REAL *, INT);
typedef void NAME(cblas_gemm)(int, int, int, INT, INT, INT, REAL, const void *, INT, const void *,
                              INT, REAL, REAL *, INT);
typedef REAL NAME(f_sum)(const INT *, const void *, const INT *);
typedef REAL NAME(f_dot)(const INT *, const void *, const INT *, const void *, const INT *);
typedef void NAME(f_gemv)(const char *, const INT *, const INT *, const REAL *, const void *,
                          const INT *, const void *, const INT *, const REAL *, REAL *, const INT *,
                          size_t);
typedef void NAME(f_gemm)(const char *, const char *, const INT *, const INT *, const INT *,
                          const REAL *, const void *, const INT *, const void *, const INT *,
                          const REAL *, REAL *, const INT *, size_t, size_t);

static void NAME(call_cblas)(const blas *s, void *result)
{
    const fprev_problem *p = &s->problem;
    INT m = (INT)p->m, n = (INT)p->n, k = (INT)p->k, lda = (INT)p->lda, inc = (INT)p->incx;
    REAL *r = result;
    int trans = p->transposed ? 112 : 111;
    union {
        void *pointer;
        NAME(cblas_sum) * sum;
        NAME(cblas_dot) * dot;
        NAME(cblas_gemv) * gemv;
        NAME(cblas_gemm) * gemm;
    } f = {s->symbol};
    if (p->routine == FPREV_DOT)
        *r = f.dot(n, s->x.array, inc, s->y.array, inc);
    else if (p->routine == FPREV_GEMV)
        f.gemv(102, trans, m, n, 1, s->x.array, lda, s->y.array, 1, 0, r, 1);
    else if (p->routine == FPREV_GEMM)
        f.gemm(102, trans, trans, m, n, k, 1, s->x.array, lda, s->y.array, (INT)s->ldb, 0, r, m);
    else
        *r = f.sum(n, s->x.array, inc);
}

static void NAME(call_fortran)(const blas *s, void *result)
{
    const fprev_problem *p = &s->problem;
    const INT m = (INT)p->m, n = (INT)p->n, k = (INT)p->k, lda = (INT)p->lda;
    const INT ldb = (INT)s->ldb, inc = (INT)p->incx, one = 1;
    const REAL alpha = 1, beta = 0;
    REAL *r = result;
    const char *trans = p->transposed ? "T" : "N";
    union {
        void *pointer;
        NAME(f_sum) * sum;
        NAME(f_dot) * dot;
        NAME(f_gemv) * gemv;
        NAME(f_gemm) * gemm;
    } f = {s->symbol};
    if (p->routine == FPREV_DOT)
        *r = f.dot(&n, s->x.array, &inc, s->y.array, &inc);
    else if (p->routine == FPREV_GEMV)
        f.gemv(trans, &m, &n, &alpha, s->x.array, &lda, s->y.array, &one, &beta, r, &one, 1);
    else if (p->routine == FPREV_GEMM)
        f.gemm(trans, trans, &m, &n, &k, &alpha, s->x.array, &lda, s->y.array, &ldb, &beta, r, &m,
               1, 1);
    else
        *r = f.sum(&n, s->x.array, &inc);
}

#undef REAL
#undef INT
#undef NAME
