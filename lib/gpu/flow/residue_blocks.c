/* Blocks of a product by residues: convert rows and columns, panel by panel of the terms, multiply
 * their residues, reconstruct and certify; what stays open is summed exactly. */
#include "gpu/flow/residue_flow.h"

#include <stdio.h>

static void scale_operand(exb_residue_flow *w, exb_residue_operand *o)
{
    EXB_RESIDUE_LAUNCH(w, "residue_scan", "residue_scale", exb_residue_grid_for(w, o->n),
                       exb_gpu_i64(o->n), exb_gpu_place(o->top), exb_gpu_place(o->norms),
                       exb_gpu_constants(&w->constants), exb_gpu_place(o->side));
}

/* Parts hold |a'| <= sqrt(P / 2) < 2^(44 n_parts - 1). */
static int n_parts(const exb_residue_flow *w)
{
    return w->system.log2_p / 2 < 2 * EXB_PART_BITS - 1 ? 2 : 3;
}

/* Terms l0 to l1 of vectors v0 to v0 + n of an operand. */
static void convert_operand(exb_residue_flow *w, exb_residue_operand *o, exb_i64 v0, exb_i64 n,
                            exb_i64 l0, exb_i64 l1)
{
    exb_i64 n_out = exb_round_up(n, 16);
    exb_gpu_ref partial = exb_gpu_at(o->partial, (size_t)(l0 / w->chunk * o->n) * sizeof(double));
    exb_gpu_grid grid = exb_residue_grid(w, (size_t)exb_tasks_of(n_out, EXB_TILE),
                                         (size_t)exb_tasks_of(l1 - l0, w->chunk));
    EXB_RESIDUE_LAUNCH(
        w, "residue_convert", "residue_convert", grid, EXB_GPU_VIEW(o->from), exb_gpu_i64(o->n),
        exb_gpu_i64(v0), exb_gpu_i64(n_out), exb_gpu_i64(l0), exb_gpu_i64(l1),
        exb_gpu_i64(w->chunk), exb_gpu_i32(w->n_chunks), exb_gpu_place(o->side),
        exb_gpu_constants(&w->constants), exb_gpu_i32(o->index), exb_gpu_i32(w->system.n_moduli),
        exb_gpu_i32(n_parts(w)), exb_gpu_place(o->residues), exb_gpu_i64(o->plane / 4),
        exb_gpu_i64(w->stride / 4), exb_gpu_place(partial));
    if (l1 == w->p->k)
        EXB_RESIDUE_LAUNCH(w, "residue_convert", "residue_close", exb_residue_grid_for(w, n),
                           exb_gpu_i64(o->n), exb_gpu_i64(v0), exb_gpu_i64(v0 + n),
                           exb_gpu_i32(w->n_chunks), exb_gpu_place(o->partial),
                           exb_gpu_place(o->side));
}

enum { PRODUCT_TILE = 128 }; /* rows and columns that a multiprocessor multiplies at a time */

/* Whether the products of all moduli go at once: one alone has too few tiles for all
 * multiprocessors, by the parameter plane_tiles for each of them. */
static bool are_together(const exb_residue_flow *w, exb_i64 m, exb_i64 n)
{
    exb_i64 tiles = exb_tasks_of(m, PRODUCT_TILE) * exb_tasks_of(n, PRODUCT_TILE);
    return tiles < (exb_i64)exb_gpu_typed_param(w->gpu, w->p->is_s, "gemm", "plane_tiles", 2) *
                       exb_gpu_get_limits(w->gpu).n_units;
}

/* The sums of m rows and n columns; of another panel if l0 > 0. */
static void multiply_residues(exb_residue_flow *w, exb_i64 m, exb_i64 n, exb_i64 l0, exb_i64 l1)
{
    exb_i64 terms = exb_round_up(l1 - l0, EXB_TERMS_ALIGN);
    if (l0 > 0)
        EXB_RESIDUE_LAUNCH(w, "residue_convert", "residue_fold",
                           exb_residue_grid_for(w, w->plane * w->system.n_moduli),
                           exb_gpu_i64(w->plane), exb_gpu_i32(w->system.n_moduli),
                           exb_gpu_constants(&w->constants), exb_gpu_place(w->sums));
    exb_gpu_get_limits(w->gpu).multiply_bytes(w->gpu,
                                              (exb_gpu_int8){.m = exb_round_up(m, 16),
                                                             .n = exb_round_up(n, 16),
                                                             .k = terms,
                                                             .n_planes = w->system.n_moduli,
                                                             .a = w->a.residues,
                                                             .plane_a = w->a.plane,
                                                             .b = w->b.residues,
                                                             .plane_b = w->b.plane,
                                                             .stride = w->stride,
                                                             .c = w->sums,
                                                             .ldc = w->a.most,
                                                             .plane_c = w->plane,
                                                             .add = l0 > 0,
                                                             .together = are_together(w, m, n)});
}

/* Rows i0 to i0 + m of all of C; each of their parts is a row of the sums. */
static void finish_block(exb_residue_flow *w, exb_i64 i0, exb_i64 m, exb_i64 j0, exb_i64 n)
{
    const exb_gpu_product *p = w->whole;
    char options[56];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d -DEXB_LIMBS=%d -DEXB_PARTS=%d", p->is_s,
             w->system.n_limbs, 1 + p->is_complex);
    exb_gpu_kernel kernel = {"residue_finish", "residue_finish", options};
    exb_gpu_clear(w->gpu, w->count, sizeof(exb_u32));
    EXB_GPU_LAUNCH(w->gpu, kernel,
                   exb_residue_grid(w, (size_t)exb_tasks_of(m, (exb_i64)w->group),
                                    (size_t)exb_least(exb_tasks_of(n, 2 - p->is_complex), 4096)),
                   exb_gpu_i32(m), exb_gpu_i32(n), exb_gpu_place(w->sums), exb_gpu_i64(w->a.most),
                   exb_gpu_i64(w->plane), exb_gpu_i32(w->system.n_moduli),
                   exb_gpu_constants(&w->constants), exb_gpu_place(w->a.side), exb_gpu_i64(w->p->m),
                   exb_gpu_i64(i0), exb_gpu_place(w->b.side), exb_gpu_i64(p->n), exb_gpu_i64(j0),
                   exb_gpu_f64(p->alpha), exb_gpu_f64(p->alpha_im), exb_gpu_f64(p->beta),
                   exb_gpu_f64(p->beta_im), exb_gpu_place(p->c.at), exb_gpu_i64(p->c.col),
                   exb_gpu_place(w->list), exb_gpu_place(w->count));
    exb_gpu_product rest = exb_gpu_block_of(p, i0, m, j0, n);
    exb_gpu_recheck_uncertified(w->gpu, "gemm", &rest,
                                &(exb_gpu_uncertified){w->count, w->list, m * n});
}

/* With one panel of terms columns are converted once, and rows too if one block has all of them. */
static void run_block(exb_residue_flow *w, exb_i64 i0, exb_i64 m, exb_i64 j0, exb_i64 n)
{
    exb_i64 k = w->p->k;
    for (exb_i64 l0 = 0; l0 < k; l0 += w->panel) {
        exb_i64 l1 = exb_least(l0 + w->panel, k);
        if (j0 == 0 || w->a.most < w->p->m || w->panel < k)
            convert_operand(w, &w->a, i0, m, l0, l1);
        if (i0 == 0 || w->panel < k)
            convert_operand(w, &w->b, j0, n, l0, l1);
        multiply_residues(w, m, n, l0, l1);
    }
    finish_block(w, i0 >> w->whole->is_complex, m >> w->whole->is_complex, j0, n);
}

void exb_gpu_residue_blocks(exb_residue_flow *w)
{
    const exb_gpu_product *p = w->p;
    scale_operand(w, &w->a);
    scale_operand(w, &w->b);
    for (exb_i64 j0 = 0; j0 < p->n; j0 += w->b.most)
        for (exb_i64 i0 = 0; i0 < p->m; i0 += w->a.most)
            run_block(w, i0, exb_least(w->a.most, p->m - i0), j0, exb_least(w->b.most, p->n - j0));
}
