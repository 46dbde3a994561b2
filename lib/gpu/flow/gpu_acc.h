/* Accumulators in device memory (gpu/kernels/acc.cl): arrays of EXB_GPU_ACC_WORDS words each. */
#pragma once

#include "core/arith/words.h"
#include "gpu/flow/gpu_reduce.h"

enum { EXB_GPU_ACC_WORDS = EXB_PRODUCT_WORDS + 3 };

/* *acc += the exact sum; r's result and root are not looked at. */
void exb_gpu_accumulate(exb_gpu *gpu, const exb_gpu_reduction *r, const exb_method *method,
                        exb_gpu_ref acc);

void exb_gpu_acc_merge(exb_gpu *gpu, exb_i64 n, exb_gpu_ref a, exb_gpu_ref b);
void exb_gpu_acc_normalize(exb_gpu *gpu, exb_i64 n, exb_gpu_ref a);
void exb_gpu_acc_round(exb_gpu *gpu, bool is_s, exb_i64 n, exb_gpu_ref a, exb_gpu_ref r);
