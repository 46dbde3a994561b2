/* gemm: blocks of C in registers and local memory (gpu/kernels/gemm.cl), then what was not decided.
 */
#include "gpu/flow/matrix.h"
#include "gpu/gemm_blocks.h"

/* A group has `side` x `side` elements of C. */
static exb_i64 side_of(exb_gpu *gpu)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    return EXB_GEMM_SIDE * (limits.is_cpu || limits.max_group < 256 ? 4 : 16);
}

static void launch_blocked(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 side,
                           const exb_gpu_uncertified *u)
{
    size_t items = (size_t)(side / EXB_GEMM_SIDE);
    exb_gpu_kernel kernel = {"gemm", "gemm", exb_gpu_real_options(p->is_s)};
    exb_gpu_grid grid = {{(size_t)exb_tasks_of(p->m, side), (size_t)exb_tasks_of(p->n, side)},
                         {items, items},
                         2 * (size_t)side * EXB_GEMM_RUN};
    EXB_GPU_LAUNCH(gpu, kernel, grid, exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_i64(p->k),
                   exb_gpu_f64(p->alpha), exb_gpu_f64(p->beta), EXB_GPU_VIEW(p->a),
                   EXB_GPU_VIEW(p->b), EXB_GPU_VIEW(p->c), exb_gpu_place(u->count),
                   exb_gpu_place(u->list));
}

static void by_blocks(exb_gpu *gpu, const exb_gpu_product *all)
{
    exb_i64 side = side_of(gpu);
    exb_gpu_slice s = exb_gpu_slices_of(gpu, "gemm", all, side);
    while (exb_gpu_next_slice(gpu, all, &s)) {
        launch_blocked(gpu, &s.p, side, &s.u);
        exb_gpu_finish_uncertified(gpu, "gemm", &s.p, &s.u);
    }
}

/* C' = B' A', so that the columns of C are contiguous, and with them what neighbours write. */
static exb_gpu_product transposed_product(const exb_gpu_product *p)
{
    exb_gpu_product t = *p;
    t.m = p->n;
    t.n = p->m;
    t.a = exb_gpu_transpose(p->b);
    t.b = exb_gpu_transpose(p->a);
    t.c = exb_gpu_transpose(p->c);
    t.hermitian = (3 - p->hermitian) % 3;
    return t;
}

static bool by_residues(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p)
{
    bool forced = method->engine == EXB_ENGINE_RESIDUE;
    return method->filter && (forced || method->engine == EXB_ENGINE_ANY) &&
           exb_gpu_residue_run(gpu, p, p, forced);
}

void exb_gpu_gemm_blocks(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p)
{
    if (method->filter || p->k == 0)
        by_blocks(gpu, p);
    else
        exb_gpu_all_elements(gpu, "gemm", p);
}

void exb_gpu_gemm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *given)
{
    exb_gpu_product p = given->c.row == 1 ? *given : transposed_product(given);
    if (p.is_complex)
        exb_gpu_complex_gemm(gpu, method, &p);
    else if (p.k == 0 || !by_residues(gpu, method, &p))
        exb_gpu_gemm_blocks(gpu, method, &p);
}
