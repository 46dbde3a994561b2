/* Products of complex matrices. They are products of real matrices of twice as many rows and terms
 * (gpu/kernels/pack.cl). By residues both sums of an element meet at its end, whatever the
 * scalars are. With scalars that are real all other ways of multiplying serve, too; with others a
 * kernel has both sums, and all elements are dot products. */
#include "gpu/flow/matrix.h"

/* Packed columns for an operand of the real product; false if there is no memory. */
static bool take_place(exb_gpu *gpu, exb_gpu_matrix *to, bool is_s, exb_i64 rows, exb_i64 columns)
{
    size_t bytes = (size_t)rows * (size_t)columns * (is_s ? sizeof(float) : sizeof(double));
    *to = (exb_gpu_matrix){exb_gpu_try_scratch(gpu, bytes > 0 ? bytes : 1), 1, rows, false};
    return to->at.buffer != NULL;
}

/* Both factors; nothing is taken if there is too little. */
static bool take_factors(exb_gpu *gpu, exb_gpu_product *real)
{
    if (!take_place(gpu, &real->a, real->is_s, real->m, real->k))
        return false;
    if (take_place(gpu, &real->b, real->is_s, real->k, real->n))
        return true;
    exb_gpu_drop_scratch(gpu, 1);
    return false;
}

/* The real product's result is apart from C: what is listed needs C as it was. False if there is no
 * memory. */
static bool by_real_result(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p,
                           exb_gpu_product *real, bool residues)
{
    if (!take_place(gpu, &real->c, real->is_s, real->m, real->n))
        return false;
    exb_gpu_uncertified u = exb_gpu_uncertified_of(gpu, p->real_scalars ? 0 : p->m * p->n);
    if (p->beta != 0)
        exb_gpu_pack(gpu, exb_gpu_product_type(p), p->m, p->n, (exb_gpu_packing){0}, p->c,
                     real->c.at);
    if (residues)
        exb_gpu_gemm(gpu, method, real);
    else
        exb_gpu_gemm_blocks(gpu, method, real);
    exb_gpu_unpack(gpu, p, real->c.at, false, false, p->real_scalars ? NULL : &u);
    if (!p->real_scalars)
        exb_gpu_finish_uncertified(gpu, "gemm", p, &u);
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
static bool by_real_product(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p)
{
    exb_gpu_product real = {.is_s = p->is_s,
                            .m = 2 * p->m,
                            .n = p->n,
                            .k = 2 * p->k,
                            .alpha = p->alpha,
                            .beta = p->beta};
    exb_gpu_type t = exb_gpu_product_type(p);
    bool forced = method->engine == EXB_ENGINE_RESIDUE;
    bool by_residues =
        !p->real_scalars && p->k > 0 && method->filter &&
        (forced || (method->engine == EXB_ENGINE_ANY && exb_gpu_residue_pays(gpu, &real)));
    if (!(by_residues || has_real_result(p)) || !take_factors(gpu, &real))
        return false;
    if (p->k > 0) {
        exb_gpu_pack(gpu, t, p->m, p->k, (exb_gpu_packing){.doubled = true}, p->a, real.a.at);
        exb_gpu_pack(gpu, t, p->k, p->n, (exb_gpu_packing){0}, p->b, real.b.at);
    }
    return (by_residues && exb_gpu_residue_run(gpu, p, &real, forced)) ||
           (has_real_result(p) && by_real_result(gpu, method, p, &real, !by_residues));
}

void exb_gpu_dots(exb_gpu *gpu, const exb_method *method, const char *routine,
                  const exb_gpu_product *all)
{
    exb_gpu_slice s = exb_gpu_slices_of(gpu, routine, all, 1);
    while (exb_gpu_next_slice(gpu, all, &s))
        if (method->filter)
            exb_gpu_certified_elements(gpu, routine, &s.p, &s.u);
        else
            exb_gpu_all_elements(gpu, routine, &s.p);
}

void exb_gpu_complex_gemm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p)
{
    bool is_done = by_real_product(gpu, method, p);
    if (!is_done && p->real_scalars)
        exb_gpu_fail_memory(gpu);
    else if (!is_done)
        exb_gpu_dots(gpu, method, "gemm", p);
}
