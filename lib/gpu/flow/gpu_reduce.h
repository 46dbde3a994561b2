/* sum, asum, nrm2 and dot on a device. */
#pragma once

#include "core/arith/words.h"
#include "core/method.h"
#include "gpu/backend.h"
#include "gpu/terms.h"

/* n terms; increments count numbers; y is used by EXB_GPU_XY alone, otherwise any place. */
typedef struct {
    bool is_s;              /* floats, not doubles */
    bool root;              /* the root of the sum */
    int term, layout, form; /* gpu/terms.h; side by side is found out */
    exb_i64 n;
    exb_gpu_ref x;
    exb_i64 incx;
    exb_gpu_ref y;
    exb_i64 incy;
    exb_gpu_ref result; /* one element */
} exb_gpu_reduction;

/* Of each of n_parts reductions of one type and length: result = RN(sum), or +0 if n <= 0. The
 * commands are issued; nothing waits: whether the filter was certain is known to the device, and
 * the kernels of the exact sum end at once if so. All memory is there before a result is written,
 * and serves one part after the other. */
void exb_gpu_reduce(exb_gpu *gpu, int n_parts, const exb_gpu_reduction *r,
                    const exb_method *method);

/* Of an accumulator in device memory (gpu/kernels/acc.cl): words and counters. */
enum { EXB_GPU_ACC_WORDS = EXB_PRODUCT_WORDS + 3 };

/* *acc += the exact sum; r's result and root are not looked at. */
void exb_gpu_accumulate(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        exb_gpu_ref acc);

/* a_i += b_i for i < n; a_i normalised if `alone`. */
void exb_gpu_acc_merge(exb_gpu *gpu, exb_i64 n, bool alone, exb_gpu_ref a, exb_gpu_ref b);
