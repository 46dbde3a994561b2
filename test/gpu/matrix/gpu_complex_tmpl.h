/* Complex routines of one type on the device and on the processor, with the same random operands:
 * the same bits in all of the output, gaps included. The includer defines REAL, TYPED(name),
 * CL(name) (exblas_cl_z##name), EX(name) (excblas_z##name), HOST(name) (exblas_cl_host_z##name),
 * NORM(prefix, name) and DRAW(r, kind). */

typedef struct {
    REAL host[2 * ELEMENTS];
    cl_mem device;
} TYPED(array);

static void TYPED(draw)(test_random *r, int kind, TYPED(array) * x)
{
    cl_int error;
    for (int i = 0; i < 2 * ELEMENTS; i++)
        x->host[i] = DRAW(r, kind);
    x->device = clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               sizeof x->host, x->host, &error);
    assert_int_equal(error, CL_SUCCESS);
}

static void TYPED(compare)(const complex_call *c, const REAL *got, const REAL *wanted,
                           const char *where)
{
    for (int i = 0; i < 2 * ELEMENTS; i++)
        if (memcmp(&got[i], &wanted[i], sizeof *got) != 0)
            fail_msg("%s, %zu bytes, %s by %s, kind %d, m %d n %d k %d, layout %d side %d uplo %d "
                     "trans %d %d diag %d, alpha %g %g beta %g %g: number %d is %a, not %a",
                     routine_names[c->routine], sizeof *got, where, c->method, c->kind, c->m, c->n,
                     c->k, c->layout, c->side, c->uplo, c->transa, c->transb, c->diag, c->alpha[0],
                     c->alpha[1], c->beta[0], c->beta[1], i, (double)got[i], (double)wanted[i]);
}

/* The processor's call. `x`, `y` and `to` begin at the offset. */
static void TYPED(expect)(const complex_call *c, const REAL *x, const REAL *y, REAL *to)
{
    const REAL alpha[2] = {(REAL)c->alpha[0], (REAL)c->alpha[1]},
               beta[2] = {(REAL)c->beta[0], (REAL)c->beta[1]};
    int l = c->layout, m = c->m, n = c->n, k = c->k, ld = c->ld, incx = c->incx, incy = c->incy;
    int transposed = c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_TRANS;
    int conjugated = c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_CONJ_TRANS;
    switch (c->routine) {
    case SUM:
        EX(sum_sub)(n, x, incx, to);
        break;
    case ASUM:
        to[0] = NORM(excblas_, asum)(n, x, incx);
        break;
    case NRM2:
        to[0] = NORM(excblas_, nrm2)(n, x, incx);
        break;
    case DOTU:
        EX(dotu_sub)(n, x, incx, y, incy, to);
        break;
    case DOTC:
        EX(dotc_sub)(n, x, incx, y, incy, to);
        break;
    case GEMV:
        EX(gemv)(l, c->transa, m, n, alpha, x, ld, y, incx, beta, to, incy);
        break;
    case GEMM:
        EX(gemm)(l, c->transa, c->transb, m, n, k, alpha, x, ld, y, ld, beta, to, ld);
        break;
    case SYMM:
        EX(symm)(l, c->side, c->uplo, m, n, alpha, x, ld, y, ld, beta, to, ld);
        break;
    case HEMM:
        EX(hemm)(l, c->side, c->uplo, m, n, alpha, x, ld, y, ld, beta, to, ld);
        break;
    case SYRK:
        EX(syrk)(l, c->uplo, transposed, n, k, alpha, x, ld, beta, to, ld);
        break;
    case HERK:
        EX(herk)(l, c->uplo, conjugated, n, k, alpha[0], x, ld, beta[0], to, ld);
        break;
    case TRSV:
        EX(trsv)(l, c->uplo, c->transa, c->diag, n, x, ld, to, incx);
        break;
    case TRSM:
        EX(trsm)(l, c->side, c->uplo, c->transa, c->diag, m, n, alpha, x, ld, to, ld);
        break;
    default:
        EX(trmm)(l, c->side, c->uplo, c->transa, c->diag, m, n, alpha, x, ld, to, ld);
    }
}

/* The device's, on buffers. */
static exblas_status TYPED(enqueue)(const complex_call *c, cl_mem x, cl_mem y, cl_mem to)
{
    const REAL alpha[2] = {(REAL)c->alpha[0], (REAL)c->alpha[1]},
               beta[2] = {(REAL)c->beta[0], (REAL)c->beta[1]};
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k, ld = (size_t)c->ld;
    size_t o = (size_t)c->offset;
    int l = c->layout, incx = c->incx, incy = c->incy;
    int transposed = c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_TRANS;
    int conjugated = c->transa == EXBLAS_NO_TRANS ? EXBLAS_NO_TRANS : EXBLAS_CONJ_TRANS;
    cl_command_queue q = gpu_queue();
    switch (c->routine) {
    case SUM:
        return CL(sum)(q, n, x, o, incx, to, o, 0, NULL, NULL);
    case ASUM: /* its place counts numbers */
        return NORM(exblas_cl_, asum)(q, n, x, o, incx, to, 2 * o, 0, NULL, NULL);
    case NRM2:
        return NORM(exblas_cl_, nrm2)(q, n, x, o, incx, to, 2 * o, 0, NULL, NULL);
    case DOTU:
        return CL(dotu)(q, n, x, o, incx, y, o, incy, to, o, 0, NULL, NULL);
    case DOTC:
        return CL(dotc)(q, n, x, o, incx, y, o, incy, to, o, 0, NULL, NULL);
    case GEMV:
        return CL(gemv)(q, l, c->transa, m, n, alpha, x, o, ld, y, o, incx, beta, to, o, incy, 0,
                        NULL, NULL);
    case GEMM:
        return CL(gemm)(q, l, c->transa, c->transb, m, n, k, alpha, x, o, ld, y, o, ld, beta, to, o,
                        ld, 0, NULL, NULL);
    case SYMM:
        return CL(symm)(q, l, c->side, c->uplo, m, n, alpha, x, o, ld, y, o, ld, beta, to, o, ld, 0,
                        NULL, NULL);
    case HEMM:
        return CL(hemm)(q, l, c->side, c->uplo, m, n, alpha, x, o, ld, y, o, ld, beta, to, o, ld, 0,
                        NULL, NULL);
    case SYRK:
        return CL(syrk)(q, l, c->uplo, transposed, n, k, alpha, x, o, ld, beta, to, o, ld, 0, NULL,
                        NULL);
    case HERK:
        return CL(herk)(q, l, c->uplo, conjugated, n, k, alpha[0], x, o, ld, beta[0], to, o, ld, 0,
                        NULL, NULL);
    case TRSV:
        return CL(trsv)(q, l, c->uplo, c->transa, c->diag, n, x, o, ld, to, o, incx, 0, NULL, NULL);
    case TRSM:
        return CL(trsm)(q, l, c->side, c->uplo, c->transa, c->diag, m, n, alpha, x, o, ld, to, o,
                        ld, 0, NULL, NULL);
    default:
        return CL(trmm)(q, l, c->side, c->uplo, c->transa, c->diag, m, n, alpha, x, o, ld, to, o,
                        ld, 0, NULL, NULL);
    }
}

/* The same on host memory, of the routines that have it; false if this one has not. */
static bool TYPED(run_host)(const complex_call *c, const REAL *x, const REAL *y, REAL *to)
{
    const REAL alpha[2] = {(REAL)c->alpha[0], (REAL)c->alpha[1]},
               beta[2] = {(REAL)c->beta[0], (REAL)c->beta[1]};
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k, ld = (size_t)c->ld;
    int l = c->layout, incx = c->incx, incy = c->incy;
    cl_command_queue q = gpu_queue();
    exblas_status s;
    switch (c->routine) {
    case SUM:
        s = HOST(sum)(q, n, x, incx, to);
        break;
    case ASUM:
        s = NORM(exblas_cl_host_, asum)(q, n, x, incx, to);
        break;
    case NRM2:
        s = NORM(exblas_cl_host_, nrm2)(q, n, x, incx, to);
        break;
    case DOTU:
        s = HOST(dotu)(q, n, x, incx, y, incy, to);
        break;
    case DOTC:
        s = HOST(dotc)(q, n, x, incx, y, incy, to);
        break;
    case GEMV:
        s = HOST(gemv)(q, l, c->transa, m, n, alpha, x, ld, y, incx, beta, to, incy);
        break;
    case GEMM:
        s = HOST(gemm)(q, l, c->transa, c->transb, m, n, k, alpha, x, ld, y, ld, beta, to, ld);
        break;
    case TRSV:
        s = HOST(trsv)(q, l, c->uplo, c->transa, c->diag, n, x, ld, to, incx);
        break;
    default:
        return false;
    }
    gpu_ok(s);
    return true;
}

static void TYPED(check)(test_random *r, const complex_call *c)
{
    static TYPED(array) a, b, to;
    static REAL got[2 * ELEMENTS], before[2 * ELEMENTS];
    TYPED(draw)(r, c->kind, &a);
    TYPED(draw)(r, c->kind, &b);
    TYPED(draw)(r, c->kind, &to);
    memcpy(before, to.host, sizeof before);
    int o = 2 * c->offset;
    gpu_ok(TYPED(enqueue)(c, a.device, b.device, to.device));
    TYPED(expect)(c, a.host + o, b.host + o, to.host + o);
    assert_int_equal(
        clEnqueueReadBuffer(gpu_queue(), to.device, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
        CL_SUCCESS);
    TYPED(compare)(c, got, to.host, "buffers");
    if (TYPED(run_host)(c, a.host + o, b.host + o, before + o))
        TYPED(compare)(c, before, to.host, "host");
    clReleaseMemObject(a.device);
    clReleaseMemObject(b.device);
    clReleaseMemObject(to.device);
}
