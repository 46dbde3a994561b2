/* Products of bytes by a kernel of ours: OpenCL has no library for them. */
#include "core/partition.h"
#include "gpu/backend.h"

void exb_gpu_int8_product(exb_gpu *gpu, exb_gpu_int8 p)
{
    size_t local = (size_t)exb_gpu_get_limits(gpu).max_group;
    size_t items = (size_t)(p.m / 4) * (size_t)(p.n / 4) * (size_t)p.n_planes;
    EXB_GPU_LAUNCH(
        gpu, ((exb_gpu_kernel){"residue_product", "residue_product", ""}),
        ((exb_gpu_grid){{(size_t)exb_tasks_of((exb_i64)items, (exb_i64)local)}, {local}, 0}),
        exb_gpu_i32((exb_i32)p.m), exb_gpu_i32((exb_i32)p.n), exb_gpu_i32((exb_i32)p.k / 4),
        exb_gpu_place(p.a), exb_gpu_place(p.b), exb_gpu_i64(p.stride / 4),
        exb_gpu_i64(p.plane_a / 4), exb_gpu_i64(p.plane_b / 4), exb_gpu_place(p.c),
        exb_gpu_i64(p.ldc), exb_gpu_i64(p.plane_c), exb_gpu_i32(p.n_planes), exb_gpu_i32(p.add));
}
