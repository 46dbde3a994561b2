/* symm and syrk: products with a symmetric factor or result, of which a triangle is stored. The
 * whole matrix is made in scratch memory, so that all ways of multiplying serve. For syrk that is
 * twice the work, which an engine for bytes does in less time than a plain one does half of it. */
#include "gpu/flow/matrix.h"

enum { GROUPS_OF_A_UNIT = 16 };

static void run(exb_gpu *gpu, bool is_s, const char *name, exb_i64 n, const exb_gpu_arg *args)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    size_t local = (size_t)limits.max_group;
    exb_i64 groups =
        exb_least(exb_tasks_of(n * n, (exb_i64)local), (exb_i64)limits.n_units * GROUPS_OF_A_UNIT);
    exb_gpu_launch(gpu, (exb_gpu_kernel){"mirror", name, is_s ? "-DEXB_IS_S=1" : "-DEXB_IS_S=0"},
                   (exb_gpu_grid){{(size_t)groups}, {local}, 0}, 5, args);
}

static exb_gpu_matrix whole_matrix(exb_gpu *gpu, bool is_s, exb_i64 n)
{
    size_t element = is_s ? sizeof(float) : sizeof(double);
    return (exb_gpu_matrix){exb_gpu_scratch(gpu, (size_t)n * (size_t)n * element), 1, n};
}

static void fill(exb_gpu *gpu, bool is_s, exb_i64 n, exb_gpu_matrix lower, exb_gpu_matrix whole)
{
    run(gpu, is_s, "mirror_fill", n,
        (exb_gpu_arg[]){exb_gpu_i64(n), exb_gpu_place(lower.at), exb_gpu_i64(lower.row),
                        exb_gpu_i64(lower.col), exb_gpu_place(whole.at)});
}

void exb_gpu_symm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *given, bool left)
{
    exb_gpu_product p = *given;
    exb_gpu_matrix *stored = left ? &p.a : &p.b;
    if (p.m == 0 || p.n == 0)
        return;
    if (p.alpha != 0) {
        exb_gpu_matrix whole = whole_matrix(gpu, p.is_s, p.k);
        fill(gpu, p.is_s, p.k, *stored, whole);
        *stored = whole;
    }
    exb_gpu_gemm(gpu, method, &p);
}

void exb_gpu_syrk(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *given)
{
    exb_gpu_product p = *given;
    exb_gpu_matrix c = p.c;
    if (p.n == 0 || ((p.alpha == 0 || p.k == 0) && p.beta == 1))
        return;
    p.c = whole_matrix(gpu, p.is_s, p.n);
    if (p.beta != 0)
        fill(gpu, p.is_s, p.n, c, p.c);
    exb_gpu_gemm(gpu, method, &p);
    run(gpu, p.is_s, "mirror_store", p.n,
        (exb_gpu_arg[]){exb_gpu_i64(p.n), exb_gpu_place(p.c.at), exb_gpu_place(c.at),
                        exb_gpu_i64(c.row), exb_gpu_i64(c.col)});
}
