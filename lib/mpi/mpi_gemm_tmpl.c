/* gemm of matrices in blocks of rows, by the driver of the PBLAS. Types: s d c z. */
#include "mpi/blocks.h"
#include "mpi/mpi_dot.h"
#include "pblas_drivers.h"

int mpi_name(gemm_64)(int transa, int transb, exblas_int64 m, exblas_int64 n, exblas_int64 k,
                      exb_scalar_argument alpha, exb_values a, exblas_int64 lda, exb_values b,
                      exblas_int64 ldb, exb_scalar_argument beta, exb_results c, exblas_int64 ldc,
                      MPI_Comm comm)
{
    bool a_by_k = transa != EXBLAS_NO_TRANS, b_by_k = transb == EXBLAS_NO_TRANS;
    bool is_legal = exb_is_trans(transa) && exb_is_trans(transb) && m >= 0 && n >= 0 && k >= 0 &&
                    lda >= exb_most(a_by_k ? k : m, 1) && ldb >= exb_most(b_by_k ? k : n, 1) &&
                    ldc >= exb_most(m, 1);
    bool needs_ab = !exb_mpi_is_zero(exb_mpi_address(alpha), EXB_PARTS);
    const int64_t same[] = {transa, transb, needs_ab}, own[] = {m, n, k};
    exb_blocks blocks;
    EXB_TRY(exb_mpi_compare(comm, is_legal, 3, same));
    int wrong = exb_blocks_open(&blocks, "exblas_mpi_gemm", comm, 3, own);
    if (!wrong) {
        exb_axis rows = blocks.axis[0], cols = blocks.axis[1], inner = blocks.axis[2];
        exb_pblas_call *q = &blocks.call;
        q->alone = EXB_PASTE4(exb_pblas_, EXB_TYPE, gemm, _alone);
        q->trans = exb_mpi_letter(transa);
        q->transb = exb_mpi_letter(transb);
        q->m = rows.n;
        q->n = cols.n;
        q->k = inner.n;
        q->alpha = exb_mpi_address(alpha);
        q->beta = exb_mpi_address(beta);
        exb_blocks_set(&blocks, EXB_A, a, a_by_k ? inner : rows, a_by_k ? rows.n : inner.n, lda);
        exb_blocks_set(&blocks, EXB_B, b, b_by_k ? inner : cols, b_by_k ? cols.n : inner.n, ldb);
        exb_blocks_set(&blocks, EXB_C, c, rows, cols.n, ldc);
        exb_pblas_run(q, EXB_PASTE3(exb_pblas_, EXB_TYPE, product));
    }
    return exb_blocks_close(&blocks, wrong);
}
