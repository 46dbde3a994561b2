/* gemm and its like. Real products: by residues, where they pay; else by blocks of C in registers
 * and local memory (gpu/kernels/gemm.cl), then what was not decided.
 *
 * Products of complex matrices are products of real matrices of twice as many rows and terms
 * (gpu/kernels/pack.cl). By residues both sums of an element meet at its end, whatever the
 * scalars are. With scalars that are real all other ways of multiplying serve, too; with others a
 * kernel has both sums, and all elements are dot products.
 *
 * symm, hemm, syrk, herk and trmm have a factor or result of which a triangle is stored.
 * The whole matrix is made in scratch memory, of a triangular factor with zeros and with a copy of
 * B, so that all ways of multiplying serve. For syrk and trmm that is twice the work, which an
 * engine for bytes does in less time than a plain one does half of it.
 *
 * A zero outside a triangular factor times an Inf or NaN of B is a NaN that is none: elements that
 * are not finite are computed again, exactly, from the triangle alone. Those that are finite have
 * no such factor, and zeros do not change an exact sum. */
#include "gpu/flow/matrix.h"
#include "gpu/gemm_blocks.h"

/* --- real products --------------------------------------------------------------- */

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

static void by_blocks(exb_gpu *gpu, const exb_gpu_product *p)
{
    exb_i64 side = side_of(gpu);
    exb_gpu_slice s = exb_gpu_slices_of(gpu, p, side);
    while (exb_gpu_next_slice(gpu, p, &s)) {
        launch_blocked(gpu, &s.p, side, &s.u);
        exb_gpu_finish_uncertified(gpu, &s.p, &s.u);
    }
}

static void without_residues(exb_gpu *gpu, const exb_gpu_product *p)
{
    if (exb_gpu_method(gpu)->filter || p->k == 0)
        by_blocks(gpu, p);
    else
        exb_gpu_dots(gpu, p);
}

/* Whether residues are chosen, or expected to be faster. */
static bool wants_residues(exb_gpu *gpu, const exb_gpu_product *p)
{
    const exb_method *method = exb_gpu_method(gpu);
    return method->filter && p->k > 0 &&
           (method->engine == EXB_ENGINE_RESIDUE ||
            (method->engine == EXB_ENGINE_ANY && exb_gpu_residue_pays(gpu, p)));
}

/* --- whole matrices ---------------------------------------------------------------- */

static exb_gpu_kernel packing_kernel(const exb_gpu_product *p, const char *name)
{
    return (exb_gpu_kernel){"pack", name, exb_gpu_type_options(p)};
}

static size_t bytes_of(const exb_gpu_product *p, exb_i64 rows, exb_i64 cols)
{
    return (size_t)rows * (size_t)cols * exb_gpu_product_bytes(p);
}

/* Elements of p's type, packed by columns. */
static exb_gpu_matrix packed_matrix(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 rows,
                                    exb_i64 cols)
{
    return (exb_gpu_matrix){exb_gpu_scratch(gpu, bytes_of(p, rows, cols)), 1, rows, false};
}

/* How a factor is made whole (gpu/kernels/pack.cl): the triangle of it that is stored, lower (1) or
 * upper (-1), or all (0); ones on its diagonal; what is elsewhere; whether each column times i
 * stands behind it. */
typedef struct {
    int triangle;
    bool unit;
    enum { ZEROS, MIRROR, CONJUGATE } beyond;
    bool doubled;
} packing;

/* whole = x, of m x n elements of p's type. */
static void pack(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 m, exb_i64 n, packing how,
                 exb_gpu_matrix x, exb_gpu_matrix whole)
{
    EXB_GPU_LAUNCH(gpu, packing_kernel(p, "pack_whole"), exb_gpu_grid_for(gpu, m * n),
                   exb_gpu_i64(m), exb_gpu_i64(n), exb_gpu_i32(how.triangle), exb_gpu_i32(how.unit),
                   exb_gpu_i32((exb_i32)how.beyond), exb_gpu_i32(how.doubled), EXB_GPU_ELEMENTS(x),
                   exb_gpu_place(whole.at));
}

/* C = whole, or with `lower` its lower triangle, whose diagonal is real if `hermitian`. u, unless
 * NULL: what is not finite is left, and listed. */
static void unpack(exb_gpu *gpu, const exb_gpu_product *p, exb_gpu_matrix whole, bool lower,
                   bool hermitian, const exb_gpu_uncertified *u)
{
    EXB_GPU_LAUNCH(gpu, packing_kernel(p, "pack_store"), exb_gpu_grid_for(gpu, p->m * p->n),
                   exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_i32(lower), exb_gpu_i32(hermitian),
                   exb_gpu_i32(u != NULL), EXB_GPU_VIEW(whole), EXB_GPU_VIEW(p->c),
                   exb_gpu_place(u ? u->count : whole.at), exb_gpu_place(u ? u->list : whole.at));
}

/* --- complex products -------------------------------------------------------------- */

/* The real product's result is apart from C: what is listed needs C as it was. False if there is no
 * memory. */
static bool by_real_result(exb_gpu *gpu, const exb_gpu_product *p, exb_gpu_product *real,
                           bool residues)
{
    exb_gpu_ref at = exb_gpu_try_scratch(gpu, bytes_of(real, real->m, real->n));
    if (!at.buffer)
        return false;
    real->c = (exb_gpu_matrix){at, 1, real->m, false};
    exb_gpu_uncertified u = exb_gpu_uncertified_of(gpu, p->real_scalars ? 0 : p->m * p->n);
    if (p->beta != 0)
        pack(gpu, p, p->m, p->n, (packing){0}, p->c, real->c);
    if (residues)
        exb_gpu_gemm(gpu, real);
    else
        without_residues(gpu, real);
    exb_gpu_matrix whole = {at, 1, p->m, false};
    unpack(gpu, p, whole, false, false, p->real_scalars ? NULL : &u);
    if (!p->real_scalars)
        exb_gpu_finish_uncertified(gpu, p, &u);
    return true;
}

/* A list counts its elements in 32 bits. */
static bool has_real_result(const exb_gpu_product *p)
{
    bool are_real = p->alpha_im == 0 && p->beta_im == 0;
    return p->real_scalars || (p->k > 0 && are_real && p->m <= INT32_MAX / p->n);
}

/* By a real product of twice as many rows and terms. By residues the parts of its elements meet at
 * their end, so that any scalars serve; herk's are real numbers, and parts do not meet. False, and
 * nothing is written, if that is not a way for these scalars, or there is no memory. */
static bool by_real_product(exb_gpu *gpu, const exb_gpu_product *p)
{
    exb_gpu_product real = {.routine = p->routine,
                            .is_s = p->is_s,
                            .m = 2 * p->m,
                            .n = p->n,
                            .k = 2 * p->k,
                            .alpha = p->alpha,
                            .beta = p->beta};
    bool residues = !p->real_scalars && wants_residues(gpu, &real);
    if (!residues && !has_real_result(p))
        return false;
    exb_gpu_ref at = exb_gpu_try_scratch(gpu, bytes_of(&real, real.m + real.n, real.k));
    if (!at.buffer)
        return false;
    real.a = (exb_gpu_matrix){at, 1, real.m, false};
    real.b = (exb_gpu_matrix){exb_gpu_element(&real, at, real.m * real.k), 1, real.k, false};
    if (p->k > 0) {
        pack(gpu, p, p->m, p->k, (packing){.doubled = true}, p->a, real.a);
        pack(gpu, p, p->k, p->n, (packing){0}, p->b, real.b);
    }
    return (residues && exb_gpu_residue_run(gpu, p, &real)) ||
           (has_real_result(p) && by_real_result(gpu, p, &real, !residues));
}

/* --- all products ------------------------------------------------------------------ */

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

void exb_gpu_gemm(exb_gpu *gpu, const exb_gpu_product *given)
{
    exb_gpu_product p = given->c.row == 1 ? *given : transposed_product(given);
    if (!p.is_complex) {
        if (!wants_residues(gpu, &p) || !exb_gpu_residue_run(gpu, &p, &p))
            without_residues(gpu, &p);
    } else if (!by_real_product(gpu, &p)) {
        if (p.real_scalars)
            exb_gpu_fail_memory(gpu);
        else
            exb_gpu_dots(gpu, &p);
    }
}

/* A lower triangle, and its mirror image. */
static packing mirrored(bool hermitian)
{
    return (packing){.triangle = 1, .beyond = hermitian ? CONJUGATE : MIRROR};
}

void exb_gpu_symm(exb_gpu *gpu, const exb_gpu_product *given, bool left)
{
    exb_gpu_product p = *given;
    exb_gpu_matrix *whole = left ? &p.a : &p.b, stored = *whole;
    if (p.k > 0) {
        *whole = packed_matrix(gpu, &p, p.k, p.k);
        pack(gpu, &p, p.k, p.k, mirrored(p.hermitian), stored, *whole);
    }
    exb_gpu_gemm(gpu, &p);
}

void exb_gpu_syrk(exb_gpu *gpu, const exb_gpu_product *given, bool hermitian)
{
    exb_gpu_product p = *given;
    p.c = packed_matrix(gpu, &p, p.n, p.n);
    if (p.beta != 0 || p.beta_im != 0)
        pack(gpu, &p, p.n, p.n, mirrored(hermitian), given->c, p.c);
    exb_gpu_gemm(gpu, &p);
    unpack(gpu, given, p.c, true, hermitian, NULL);
}

/* T, upper or lower, and B are packed; elements of C that are not finite are computed again. */
void exb_gpu_trmm(exb_gpu *gpu, const exb_gpu_product *given)
{
    exb_gpu_product p = *given;
    p.triangle = 0;
    p.a = packed_matrix(gpu, &p, p.m, p.m);
    p.b = packed_matrix(gpu, &p, p.m, p.n);
    exb_gpu_slice s = exb_gpu_slices_of(gpu, &p, 1);
    pack(gpu, &p, p.m, p.m, (packing){.triangle = given->triangle, .unit = p.unit}, given->a, p.a);
    pack(gpu, &p, p.m, p.n, (packing){0}, p.c, p.b);
    exb_gpu_gemm(gpu, &p);
    p.triangle = given->triangle;
    p.hermitian = p.unit ? 1 : 0; /* ones have no imaginary part, not even 0 times Inf */
    while (exb_gpu_next_slice(gpu, &p, &s)) {
        unpack(gpu, &s.p, s.p.c, false, false, &s.u);
        exb_gpu_finish_uncertified(gpu, &s.p, &s.u);
    }
}
