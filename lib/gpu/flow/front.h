/* The front of all libraries for devices: what a public routine does with its arguments, which is
 * the same for all of them. Arguments are checked, operands become places, then the flow runs, in
 * the usual floating-point environment. What is wrong fails the call with EXBLAS_EINVAL and a line
 * of text, and nothing is enqueued.
 *
 * A backend fills in a description of the call, between the beginning and the end of its exb_gpu.
 */
#pragma once

#include "core/arith/words.h"
#include "core/check/check.h"
#include "gpu/backend.h"

/* How the call computes sums. */
EXB_INLINE const exb_method *exb_gpu_method(const exb_gpu *gpu)
{
    return exb_gpu_head_of(gpu)->method;
}

/* Where an operand lies: in device memory, or in the host's. Of the host's a copy without gaps is
 * made in scratch memory, unless it is a result alone; what is written goes back to its place at
 * the end of the call, if all went well. A call has one output. */
typedef enum {
    EXB_GPU_DEVICE,
    EXB_GPU_HOST_READ,
    EXB_GPU_HOST_WRITTEN,
    EXB_GPU_HOST_RESULT
} exb_gpu_home;

/* An array of the caller's: its name in messages, and where it begins, `offset` elements from the
 * start of a buffer (CUDA, and the host: a pointer). */
typedef struct {
    const char *name;
    void *buffer;
    size_t offset;
    exb_gpu_home home;
} exb_gpu_operand;

/* The output goes back to the host, if that is its home: waits. */
void exb_gpu_bring_back(exb_gpu *gpu);

typedef enum { EXB_GPU_SUM, EXB_GPU_ASUM, EXB_GPU_NRM2, EXB_GPU_DOT } exb_gpu_reduce_op;

/* The arguments of a call; a routine has some of them. Of matrices those of CBLAS: text about a
 * wrong one, which `check` finds, tells its number there. alpha and beta point to numbers of the
 * type, or real_scalars (herk). hermitian: symm is hemm, syrk is herk. conjugate: x, of dot. m:
 * also that of a square. Lengths and leading dimensions beyond INT64_MAX are negative here. */
typedef struct exb_gpu_call {
    const char *routine;
    exb_fault (*check)(const exb_site *site, const struct exb_gpu_call *c);
    bool is_s, is_complex, hermitian, conjugate, real_scalars;
    bool is_wide; /* 64-bit indices */
    exb_gpu_reduce_op op;
    int layout, side, trans, transb, uplo, diag;
    exb_i64 m, n, k, n_bins, lda, ldb, ldc, incx, incy, stridea, strideb, stridec, batch;
    const void *alpha, *beta;
    exb_gpu_operand a, b, c, x, y, index, result, acc;
} exb_gpu_call;

typedef void exb_gpu_routine(exb_gpu *gpu, const exb_gpu_call *c);

/* reduce: sum, asum, nrm2 and dot; nothing is added up if n <= 0.
 *
 * accumulate: a sum or dot is added to an accumulator. acc_merge: a_i += b_i, or without b carries
 * of a_i move up. acc_round: y_i = RN(a_i).
 *
 * scatter_add: y_i = RN(y_i + all x_k with index_k = i), by long accumulators. Fails with EINVAL,
 * and y is as it was, if an index is not in 0 ... n_bins - 1: hence it waits for the device.
 *
 * trsm: trmm, too, which has the same arguments; trsv has a vector for B. */
exb_gpu_routine exb_gpu_call_reduce, exb_gpu_call_accumulate, exb_gpu_call_acc_merge,
    exb_gpu_call_acc_round, exb_gpu_call_scatter_add, exb_gpu_call_gemv, exb_gpu_call_gemm,
    exb_gpu_call_symm, exb_gpu_call_syrk, exb_gpu_call_trsm;

/* Checks what no operand is needed for; false if the call has failed, or has nothing to do. */
bool exb_gpu_accepts(exb_gpu *gpu, const exb_gpu_call *c);

/* --- for the front ------------------------------------------------------------ */

/* Of an accumulator in device memory: words and counters. */
enum { EXB_GPU_ACC_WORDS = EXB_PRODUCT_WORDS + 3 };

EXB_INLINE size_t exb_gpu_element_bytes(bool is_s)
{
    return is_s ? sizeof(float) : sizeof(double);
}

/* n elements `inc` apart, checked, as the place of the first one in BLAS's order; *inc becomes that
 * of the place. NULL: they lie side by side. Nothing is looked at if n <= 0. */
exb_gpu_ref exb_gpu_vector_place(exb_gpu *gpu, exb_gpu_operand x, exb_i64 n, exb_i64 *inc,
                                 size_t element);

/* `outer` runs of `inner` elements, *ld apart, as the place of the first element, and its *ld. */
exb_gpu_ref exb_gpu_matrix_place(exb_gpu *gpu, exb_gpu_operand a, exb_i64 outer, exb_i64 inner,
                                 exb_i64 *ld, size_t element);
