/* Accumulators on a device: merged, normalised, rounded. What adds vectors is in gpu_reduce.c. */
#include "gpu/flow/gpu_acc.h"

#include "core/partition.h"

static void run_kernel(exb_gpu *gpu, const char *name, const char *options, exb_i64 n, int n_args,
                       const exb_gpu_arg *args)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    size_t local = (size_t)exb_least(limits.max_group, 64);
    exb_i64 groups = exb_least(exb_tasks_of(n, (exb_i64)local), (exb_i64)limits.n_units * 8);
    if (n > 0)
        exb_gpu_launch(gpu, (exb_gpu_kernel){"acc", name, options},
                       (exb_gpu_grid){{(size_t)groups}, {local}, 0}, n_args, args);
}

static void merge_accs(exb_gpu *gpu, exb_i64 n, bool alone, exb_gpu_ref a, exb_gpu_ref b)
{
    run_kernel(
        gpu, "acc_merge", "-DEXB_IS_S=0", n, 4,
        (exb_gpu_arg[]){exb_gpu_i64(n), exb_gpu_i32(alone), exb_gpu_place(a), exb_gpu_place(b)});
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
    run_kernel(gpu, "acc_round", is_s ? "-DEXB_IS_S=1" : "-DEXB_IS_S=0", n, 3,
               (exb_gpu_arg[]){exb_gpu_i64(n), exb_gpu_place(a), exb_gpu_place(r)});
}
