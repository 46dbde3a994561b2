/* The front of all libraries for devices: what a public routine does with its arguments, which is
 * the same for all of them. Arguments are checked, operands become places, then the flow runs, in
 * the usual floating-point environment. What is wrong fails the call with EXBLAS_EINVAL and a line
 * of text, and nothing is enqueued.
 *
 * A backend fills in a description of the call, between the beginning and the end of its exb_gpu.
 */
#pragma once

#include "core/method.h"
#include "gpu/backend.h"

/* How the call computes sums: a backend's. */
const exb_method *exb_gpu_method(const exb_gpu *gpu);

/* An array of the caller's: its name in messages, and where it begins, `offset` elements from the
 * start of a buffer (CUDA: a pointer). */
typedef struct {
    const char *name;
    void *buffer;
    size_t offset;
} exb_gpu_operand;

/* A length as the flows have it; the call fails if it is none. */
exb_i64 exb_gpu_length(exb_gpu *gpu, const char *name, size_t n);

typedef enum { EXB_GPU_SUM, EXB_GPU_ASUM, EXB_GPU_NRM2, EXB_GPU_DOT } exb_gpu_reduce_op;

/* n as in BLAS: nothing to add up if it is not positive. y is looked at by dot alone. */
typedef struct {
    bool is_s;
    exb_gpu_reduce_op op;
    exb_i64 n;
    exb_gpu_operand x;
    exb_i64 incx;
    exb_gpu_operand y;
    exb_i64 incy;
    exb_gpu_operand result;
    bool is_complex, conjugate; /* conjugate: x, of dot */
} exb_gpu_reduce_call;

void exb_gpu_call_reduce(exb_gpu *gpu, const exb_gpu_reduce_call *c);

/* Of its result: an element, or of asum and nrm2 a part of one. */
size_t exb_gpu_result_bytes(const exb_gpu_reduce_call *c);

/* The result is an accumulator (gpu/flow/gpu_acc.h), to which the sum is added; sum and dot. */
void exb_gpu_call_accumulate(exb_gpu *gpu, const exb_gpu_reduce_call *c);

typedef struct {
    bool is_s, is_wide; /* floats, 64-bit indices */
    exb_i64 n, n_bins;
    exb_gpu_operand x, index, y;
} exb_gpu_scatter_call;

/* y_i = RN(y_i + all x_k with index_k = i), by long accumulators. Fails with EINVAL, and y is as
 * it was, if an index is not in 0 ... n_bins - 1: hence it waits for the device. */
void exb_gpu_call_scatter(exb_gpu *gpu, const exb_gpu_scatter_call *c);

/* gemv, trsv, gemm, symm, syrk, trsm, trmm, and hemm and herk as symm and syrk that are Hermitian:
 * the arguments of CBLAS, of which a routine has some; text about a wrong one tells its number
 * there. alpha and beta point to numbers of the type, of herk to real ones. Lengths and leading
 * dimensions beyond INT64_MAX are negative here, which is as wrong. */
typedef struct {
    bool is_s, is_complex, hermitian;
    int layout, side, trans, transb, uplo, diag;
    exb_i64 m, n, k, lda, ldb, ldc, incx, incy;
    const void *alpha, *beta;
    exb_gpu_operand a, b, c, x, y;
} exb_gpu_matrix_call;

typedef void exb_gpu_matrix_routine(exb_gpu *gpu, const exb_gpu_matrix_call *c);

/* B of trsm and trmm is c->b. */
exb_gpu_matrix_routine exb_gpu_call_gemv, exb_gpu_call_trsv, exb_gpu_call_gemm, exb_gpu_call_symm,
    exb_gpu_call_syrk, exb_gpu_call_trsm, exb_gpu_call_trmm;

/* The check of options and sizes alone, before operands are there: false if the call has failed. */
bool exb_gpu_check_gemv(exb_gpu *gpu, const exb_gpu_matrix_call *c);
bool exb_gpu_check_trsv(exb_gpu *gpu, const exb_gpu_matrix_call *c);
bool exb_gpu_check_gemm(exb_gpu *gpu, const exb_gpu_matrix_call *c);

/* Of a batch: m, n, k, lda, ldb, ldc, the stride of C, how many. */
bool exb_gpu_check_batch(exb_gpu *gpu, int layout, int transa, int transb, const exb_i64 *size);

/* --- for the front ------------------------------------------------------------ */

EXB_INLINE size_t exb_gpu_element_bytes(bool is_s)
{
    return is_s ? sizeof(float) : sizeof(double);
}

/* n elements `inc` apart, checked, as the place of the first one in BLAS's order; nothing is looked
 * at if n <= 0. */
exb_gpu_ref exb_gpu_vector_place(exb_gpu *gpu, exb_gpu_operand x, exb_i64 n, exb_i64 inc,
                                 size_t element);

/* `outer` runs of `inner` elements, ld apart, as the place of the first element. */
exb_gpu_ref exb_gpu_matrix_place(exb_gpu *gpu, exb_gpu_operand a, exb_i64 outer, exb_i64 inner,
                                 exb_i64 ld, size_t element);

/* |inc|. */
size_t exb_gpu_step_of(exb_i64 inc);

/* Elements from the start of the buffer to the end of `outer` runs of `inner` elements, outer > 0;
 * SIZE_MAX if no memory has so many. */
size_t exb_gpu_end_of_runs(size_t offset, size_t outer, size_t inner, size_t step, size_t element);

/* What an operand reads or writes: `outer` runs of `inner` elements, ld apart, from the lowest
 * address on; of a triangle the elements whose index along the run is not above (1), or not below
 * (-1), that of the run. */
typedef struct {
    const char *name;
    exb_gpu_ref low;
    exb_i64 inner, outer, ld;
    int triangle;
} exb_gpu_span;

/* The call fails if the first element of one of them is an element of the other: of all that BLAS
 * forbids this much can be told at once, and not of operands in whose gaps others lie. */
void exb_gpu_refuse_overlap(exb_gpu *gpu, exb_gpu_span output, exb_gpu_span input, size_t element);
