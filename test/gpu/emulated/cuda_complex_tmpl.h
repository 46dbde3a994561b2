/* Complex routines of one type on the emulated device and on the processor, with the same random
 * operands: the same bits. The includer defines REAL, TYPED(name), CU(name) (exblas_cuda_z##name),
 * EX(name) (excblas_z##name), NORM(prefix, name), the real types' prefix put before it, and DRAW(r,
 * kind). */

typedef struct {
    size_t n; /* numbers */
    REAL *host, *device;
} TYPED(array);

static TYPED(array) TYPED(draw)(test_random *r, int kind, int64_t n_elements)
{
    TYPED(array) x = {.n = 2 * (size_t)(n_elements > 0 ? n_elements : 1)};
    x.host = malloc(x.n * sizeof(REAL));
    assert_non_null(x.host);
    for (size_t i = 0; i < x.n; i++)
        x.host[i] = DRAW(r, kind);
    assert_int_equal(cudaMalloc((void **)&x.device, x.n * sizeof(REAL)), cudaSuccess);
    cudaMemcpy(x.device, x.host, x.n * sizeof(REAL), cudaMemcpyHostToDevice);
    return x;
}

static void TYPED(drop)(TYPED(array) x)
{
    cudaFree(x.device);
    free(x.host);
}

/* The device's array has the bits of the host's. */
static void TYPED(compare)(const complex_call *c, const TYPED(array) * x)
{
    REAL *y = malloc(x->n * sizeof *y);
    assert_non_null(y);
    cudaDeviceSynchronize();
    cudaMemcpy(y, x->device, x->n * sizeof *y, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < x->n; i++)
        if (memcmp(&y[i], &x->host[i], sizeof *y) != 0)
            fail_msg("%c%s by %s, kind %d, m %d n %d k %d, layout %d side %d uplo %d trans %d %d "
                     "diag %d, alpha %g %g "
                     "beta %g %g: number %zu is %a, not %a",
                     c->type, routine_names[c->routine], c->method, c->kind, c->m, c->n, c->k,
                     c->layout, c->side, c->uplo, c->transa, c->transb, c->diag, c->alpha[0],
                     c->alpha[1], c->beta[0], c->beta[1], i, (double)y[i], (double)x->host[i]);
    free(y);
}

static void TYPED(reduce)(const complex_call *c, exblas_cuda_handle h, const TYPED(array) * a,
                          const TYPED(array) * b, TYPED(array) * r)
{
    REAL *x = a->host, *y = b->host, *to = r->host, *dx = a->device, *dy = b->device,
         *d = r->device;
    exblas_status s = EXBLAS_OK;
    switch (c->routine) {
    case SUM:
        EX(sum_sub)(c->n, x, c->incx, to);
        s = CU(sum)(h, c->n, dx, c->incx, d);
        break;
    case ASUM:
        to[0] = NORM(excblas_, asum)(c->n, x, c->incx);
        s = NORM(exblas_cuda_, asum)(h, c->n, dx, c->incx, d);
        break;
    case NRM2:
        to[0] = NORM(excblas_, nrm2)(c->n, x, c->incx);
        s = NORM(exblas_cuda_, nrm2)(h, c->n, dx, c->incx, d);
        break;
    case DOTU:
        EX(dotu_sub)(c->n, x, c->incx, y, c->incy, to);
        s = CU(dotu)(h, c->n, dx, c->incx, dy, c->incy, d);
        break;
    default:
        EX(dotc_sub)(c->n, x, c->incx, y, c->incy, to);
        s = CU(dotc)(h, c->n, dx, c->incx, dy, c->incy, d);
    }
    assert_int_equal(s, EXBLAS_OK);
}

static void TYPED(multiply)(const complex_call *c, exblas_cuda_handle h, const TYPED(array) * a,
                            const TYPED(array) * b, TYPED(array) * r)
{
    const REAL alpha[2] = {(REAL)c->alpha[0], (REAL)c->alpha[1]},
               beta[2] = {(REAL)c->beta[0], (REAL)c->beta[1]};
    REAL *x = a->host, *y = b->host, *to = r->host, *dx = a->device, *dy = b->device,
         *d = r->device;
    int m = c->m, n = c->n, k = c->k, ld = c->ld;
    exblas_status s = EXBLAS_OK;
    switch (c->routine) {
    case GEMV:
        EX(gemv)(c->layout, c->transa, m, n, alpha, x, ld, y, c->incx, beta, to, c->incy);
        s = CU(gemv)(h, c->transa, m, n, alpha, dx, ld, dy, c->incx, beta, d, c->incy);
        break;
    case GEMM:
        EX(gemm)(c->layout, c->transa, c->transb, m, n, k, alpha, x, ld, y, ld, beta, to, ld);
        s = CU(gemm)(h, c->transa, c->transb, m, n, k, alpha, dx, ld, dy, ld, beta, d, ld);
        break;
    case BATCH: /* the second products' A and B overlap the first ones' */
        EX(gemm_batch_strided)
        (c->layout, c->transa, c->transb, m, n, k, alpha, x, ld, 1, y, ld, 2, beta, to, ld, ld * ld,
         2);
        s = CU(gemm_batch_strided)(h, c->transa, c->transb, m, n, k, alpha, dx, ld, 1, dy, ld, 2,
                                   beta, d, ld, ld * ld, 2);
        break;
    case SYMM:
        EX(symm)(c->layout, c->side, c->uplo, m, n, alpha, x, ld, y, ld, beta, to, ld);
        s = CU(symm)(h, c->side, c->uplo, m, n, alpha, dx, ld, dy, ld, beta, d, ld);
        break;
    case HEMM:
        EX(hemm)(c->layout, c->side, c->uplo, m, n, alpha, x, ld, y, ld, beta, to, ld);
        s = CU(hemm)(h, c->side, c->uplo, m, n, alpha, dx, ld, dy, ld, beta, d, ld);
        break;
    case SYRK:
        EX(syrk)
        (c->layout, c->uplo, c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_TRANS, n, k,
         alpha, x, ld, beta, to, ld);
        s = CU(syrk)(h, c->uplo, c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_TRANS, n,
                     k, alpha, dx, ld, beta, d, ld);
        break;
    default:
        EX(herk)
        (c->layout, c->uplo, c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_CONJ_TRANS, n,
         k, alpha[0], x, ld, beta[0], to, ld);
        s = CU(herk)(h, c->uplo, c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_CONJ_TRANS,
                     n, k, alpha[0], dx, ld, beta[0], d, ld);
    }
    assert_int_equal(s, EXBLAS_OK);
}

static void TYPED(apply_triangle)(const complex_call *c, exblas_cuda_handle h,
                                  const TYPED(array) * a, TYPED(array) * r)
{
    const REAL alpha[2] = {(REAL)c->alpha[0], (REAL)c->alpha[1]};
    exblas_status s;
    if (c->routine == TRSV) {
        EX(trsv)(c->layout, c->uplo, c->transa, c->diag, c->n, a->host, c->ld, r->host, c->incx);
        s = CU(trsv)(h, c->uplo, c->transa, c->diag, c->n, a->device, c->ld, r->device, c->incx);
    } else if (c->routine == TRSM) {
        EX(trsm)
        (c->layout, c->side, c->uplo, c->transa, c->diag, c->m, c->n, alpha, a->host, c->ld,
         r->host, c->ld);
        s = CU(trsm)(h, c->side, c->uplo, c->transa, c->diag, c->m, c->n, alpha, a->device, c->ld,
                     r->device, c->ld);
    } else {
        EX(trmm)
        (c->layout, c->side, c->uplo, c->transa, c->diag, c->m, c->n, alpha, a->host, c->ld,
         r->host, c->ld);
        s = CU(trmm)(h, c->side, c->uplo, c->transa, c->diag, c->m, c->n, alpha, a->device, c->ld,
                     r->device, c->ld);
    }
    assert_int_equal(s, EXBLAS_OK);
}

static void TYPED(check)(test_random *r, complex_call c, exblas_cuda_handle h)
{
    int64_t square = (int64_t)c.ld * c.ld + 2, vector = 3 * (int64_t)c.ld + 1;
    bool reduces = c.routine <= DOTC,
         has_vectors = reduces || c.routine == GEMV || c.routine == TRSV;
    TYPED(array) a = TYPED(draw)(r, c.kind, reduces ? vector : square);
    TYPED(array) b = TYPED(draw)(r, c.kind, has_vectors ? vector : 2 * square);
    TYPED(array) to = TYPED(draw)(r, c.kind, has_vectors ? vector : 2 * square);
    if (reduces)
        TYPED(reduce)(&c, h, &a, &b, &to);
    else if (c.routine >= TRSV)
        TYPED(apply_triangle)(&c, h, &a, &to);
    else
        TYPED(multiply)(&c, h, &a, &b, &to);
    TYPED(compare)(&c, &to);
    TYPED(drop)(a);
    TYPED(drop)(b);
    TYPED(drop)(to);
}
