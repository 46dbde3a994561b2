/* symm, hemm, syrk, herk and trmm: products with a factor or result of which a triangle is stored.
 * The whole matrix is made in scratch memory, of a triangular factor with zeros and with a copy of
 * B, so that all ways of multiplying serve. For syrk and trmm that is twice the work, which an
 * engine for bytes does in less time than a plain one does half of it.
 *
 * A zero outside a triangular factor times an Inf or NaN of B is a NaN that is none: elements that
 * are not finite are computed again, exactly, from the triangle alone. Those that are finite have
 * no such factor, and zeros do not change an exact sum. */
#include "gpu/flow/matrix.h"

static exb_gpu_kernel kernel_of(exb_gpu_type t, const char *name)
{
    return (exb_gpu_kernel){"pack", name, exb_gpu_type_options(t)};
}

/* rows x cols elements, packed by columns. */
static exb_gpu_matrix packed_matrix(exb_gpu *gpu, exb_gpu_type t, exb_i64 rows, exb_i64 cols)
{
    size_t bytes = (size_t)rows * (size_t)cols * exb_gpu_type_bytes(t);
    return (exb_gpu_matrix){exb_gpu_scratch(gpu, bytes), 1, rows, false};
}

void exb_gpu_pack(exb_gpu *gpu, exb_gpu_type t, exb_i64 m, exb_i64 n, exb_gpu_packing how,
                  exb_gpu_matrix x, exb_gpu_ref whole)
{
    EXB_GPU_LAUNCH(gpu, kernel_of(t, "pack_whole"), exb_gpu_grid_for(gpu, m * n), exb_gpu_i64(m),
                   exb_gpu_i64(n), exb_gpu_i32(how.triangle), exb_gpu_i32(how.unit),
                   exb_gpu_i32((exb_i32)how.beyond), exb_gpu_i32(how.doubled), EXB_GPU_ELEMENTS(x),
                   exb_gpu_place(whole));
}

void exb_gpu_unpack(exb_gpu *gpu, const exb_gpu_product *p, exb_gpu_ref whole, bool lower,
                    bool hermitian, const exb_gpu_uncertified *u)
{
    EXB_GPU_LAUNCH(gpu, kernel_of(exb_gpu_product_type(p), "pack_store"),
                   exb_gpu_grid_for(gpu, p->m * p->n), exb_gpu_i64(p->m), exb_gpu_i64(p->n),
                   exb_gpu_i32(lower), exb_gpu_i32(hermitian), exb_gpu_i32(u != NULL),
                   exb_gpu_place(whole), EXB_GPU_VIEW(p->c), exb_gpu_place(u ? u->count : whole),
                   exb_gpu_place(u ? u->list : whole));
}

/* A lower triangle, and its mirror image. */
static exb_gpu_packing mirrored(bool hermitian)
{
    return (exb_gpu_packing){.triangle = 1,
                             .beyond = hermitian ? EXB_GPU_CONJUGATE : EXB_GPU_MIRROR};
}

void exb_gpu_symm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *given, bool left)
{
    exb_gpu_product p = *given;
    exb_gpu_matrix *stored = left ? &p.a : &p.b;
    if (p.m == 0 || p.n == 0)
        return;
    if (p.k > 0) {
        exb_gpu_type t = exb_gpu_product_type(given);
        exb_gpu_matrix whole = packed_matrix(gpu, t, p.k, p.k);
        exb_gpu_pack(gpu, t, p.k, p.k, mirrored(p.hermitian), *stored, whole.at);
        *stored = whole;
    }
    exb_gpu_gemm(gpu, method, &p);
}

void exb_gpu_syrk(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *given,
                  bool hermitian)
{
    exb_gpu_product p = *given;
    exb_gpu_type t = exb_gpu_product_type(given);
    bool is_empty = (p.alpha == 0 && p.alpha_im == 0) || p.k == 0;
    if (p.n == 0 || (is_empty && p.beta == 1 && p.beta_im == 0))
        return;
    p.c = packed_matrix(gpu, t, p.n, p.n);
    if (p.beta != 0 || p.beta_im != 0)
        exb_gpu_pack(gpu, t, p.n, p.n, mirrored(hermitian), given->c, p.c.at);
    exb_gpu_gemm(gpu, method, &p);
    exb_gpu_unpack(gpu, given, p.c.at, true, hermitian, NULL);
}

/* Elements of C = alpha T B that are not finite, again: T, upper or lower, and B are packed. */
static void repair_elements(exb_gpu *gpu, const exb_gpu_product *p, const exb_gpu_uncertified *u)
{
    EXB_GPU_LAUNCH(gpu, kernel_of(exb_gpu_product_type(p), "pack_survey"),
                   exb_gpu_grid_for(gpu, p->m * p->n), exb_gpu_i64(p->m), exb_gpu_i64(p->n),
                   EXB_GPU_VIEW(p->c), exb_gpu_place(u->count), exb_gpu_place(u->list));
    exb_gpu_finish_uncertified(gpu, "gemm", p, u);
}

void exb_gpu_trmm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *given)
{
    exb_gpu_product p = *given;
    exb_gpu_type t = exb_gpu_product_type(given);
    p.triangle = 0;
    p.a = packed_matrix(gpu, t, p.m, p.m);
    p.b = packed_matrix(gpu, t, p.m, p.n);
    exb_gpu_slice slice = exb_gpu_slices_of(gpu, "gemm", &p, 1);
    exb_gpu_pack(gpu, t, p.m, p.m, (exb_gpu_packing){.triangle = given->triangle, .unit = p.unit},
                 given->a, p.a.at);
    exb_gpu_pack(gpu, t, p.m, p.n, (exb_gpu_packing){0}, p.c, p.b.at);
    exb_gpu_gemm(gpu, method, &p);
    p.triangle = given->triangle;
    p.hermitian = p.unit ? 1 : 0; /* ones have no imaginary part, not even 0 times Inf */
    while (exb_gpu_next_slice(gpu, &p, &slice))
        repair_elements(gpu, &slice.p, &slice.u);
}
