/* One call of trmm on the emulated device and on the processor: the same bits, gaps included. The
 * includer defines REAL, CHECK, CU (exblas_cuda_dtrmm) and EX (excblas_dtrmm). */
static void CHECK(test_random *r, const trmm_call *c, exblas_cuda_handle h)
{
    enum { MOST = 2 * (MOST_SIZE + 3) * (MOST_SIZE + 3) };
    static REAL a[MOST], b[MOST], got[MOST];
    void *da, *db;
    for (int i = 0; i < MOST; i++) {
        a[i] = (REAL)draw_number(r, c->kind, c->most_exp2);
        b[i] = (REAL)draw_number(r, c->kind, c->most_exp2);
    }
    assert_int_equal(cudaMalloc(&da, sizeof a) | cudaMalloc(&db, sizeof b), cudaSuccess);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    assert_int_equal(CU(h, c->side, c->uplo, c->trans, c->diag, c->m, c->n, (REAL)c->alpha, da,
                        c->lda, db, c->ldb),
                     EXBLAS_OK);
    EX(c->layout, c->side, c->uplo, c->trans, c->diag, c->m, c->n, (REAL)c->alpha, a, c->lda, b,
       c->ldb);
    cudaDeviceSynchronize();
    cudaMemcpy(got, db, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < MOST; i++)
        if (memcmp(&got[i], &b[i], sizeof *b) != 0)
            fail_msg("%s kind %d: layout %d side %d uplo %d trans %d diag %d m %d n %d alpha %g: "
                     "number %d is %a, not %a",
                     c->method, c->kind, c->layout, c->side, c->uplo, c->trans, c->diag, c->m, c->n,
                     c->alpha, i, (double)got[i], (double)b[i]);
    cudaFree(da);
    cudaFree(db);
}
