/* The calls of one type: define REAL, CPU(name), GPU(name). */
static void CPU(run)(const matrix_job *j, void *out)
{
    const blas_case *c = j->call;
    const REAL *a = (const REAL *)j->a.data + j->a.offset;
    const REAL *in = (const REAL *)j->in.data + j->in.offset;
    REAL *to = (REAL *)out + j->out.offset;
    REAL alpha = (REAL)c->alpha, beta = (REAL)c->beta;
    int m = (int)c->m, n = (int)c->n, k = (int)c->k;
    if (c->op == OP_GEMV)
        CPU(gemv)
    (layout_of(j), trans_of(c->transa), m, n, alpha, a, (int)j->a.step, in, (int)j->in.step, beta,
     to, (int)j->out.step);
    else if (c->op == OP_TRSV) CPU(trsv)(layout_of(j), uplo_of(c), trans_of(c->transa), diag_of(c),
                                         n, a, (int)j->a.step, to, (int)j->out.step);
    else CPU(gemm)(layout_of(j), trans_of(c->transa), trans_of(c->transb), m, n, k, alpha, a,
                   (int)j->a.step, in, (int)j->in.step, beta, to, (int)j->out.step);
}

static exblas_status GPU(run)(const matrix_job *j, cl_command_queue queue, const cl_mem *buffer,
                              cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    const blas_case *c = j->call;
    REAL alpha = (REAL)c->alpha, beta = (REAL)c->beta;
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k;
    if (c->op == OP_GEMV)
        return GPU(gemv)(queue, layout_of(j), trans_of(c->transa), m, n, alpha, buffer[0],
                         j->a.offset, (size_t)j->a.step, buffer[1], j->in.offset, j->in.step, beta,
                         buffer[2], j->out.offset, j->out.step, n_wait, wait, done);
    if (c->op == OP_TRSV)
        return GPU(trsv)(queue, layout_of(j), uplo_of(c), trans_of(c->transa), diag_of(c), n,
                         buffer[0], j->a.offset, (size_t)j->a.step, buffer[2], j->out.offset,
                         j->out.step, n_wait, wait, done);
    return GPU(gemm)(queue, layout_of(j), trans_of(c->transa), trans_of(c->transb), m, n, k, alpha,
                     buffer[0], j->a.offset, (size_t)j->a.step, buffer[1], j->in.offset,
                     (size_t)j->in.step, beta, buffer[2], j->out.offset, (size_t)j->out.step,
                     n_wait, wait, done);
}

#undef REAL
#undef CPU
#undef GPU
