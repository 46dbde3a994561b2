/* Accumulators on a device: merged, normalised, rounded. What adds vectors is in gpu_reduce.c. */
#include "gpu/flow/gpu_acc.h"

#include "gpu/flow/matrix.h"

static void merge_accs(exb_gpu *gpu, exb_i64 n, bool alone, exb_gpu_ref a, exb_gpu_ref b)
{
    if (n > 0)
        EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"acc", "acc_merge", exb_gpu_real_options(false)}),
                       exb_gpu_grid_for(gpu, n), exb_gpu_i64(n), exb_gpu_i32(alone),
                       exb_gpu_place(a), exb_gpu_place(b));
}

void exb_gpu_acc_merge(exb_gpu *gpu, exb_i64 n, exb_gpu_ref a, exb_gpu_ref b)
{
    merge_accs(gpu, n, false, a, b);
}

void exb_gpu_acc_normalize(exb_gpu *gpu, exb_i64 n, exb_gpu_ref a)
{
    merge_accs(gpu, n, true, a, a);
}

void exb_gpu_acc_round(exb_gpu *gpu, bool is_s, exb_i64 n, exb_gpu_ref a, exb_gpu_ref r)
{
    if (n > 0)
        EXB_GPU_LAUNCH(gpu, ((exb_gpu_kernel){"acc", "acc_round", exb_gpu_real_options(is_s)}),
                       exb_gpu_grid_for(gpu, n), exb_gpu_i64(n), exb_gpu_place(a),
                       exb_gpu_place(r));
}
