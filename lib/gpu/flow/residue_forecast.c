/* What a product by residues needs: norms of all vectors, and from a sample of the elements the
 * number of moduli. */
#include "gpu/flow/residue_flow.h"

void exb_gpu_residue_scan(exb_residue_flow *w, exb_residue_operand *o, exb_gpu_matrix from,
                          exb_i64 n, int index)
{
    *o = (exb_residue_operand){.from = from, .n = n, .index = index};
    o->top = exb_residue_doubles(w, (n + 1) / 2);
    o->norms = exb_residue_doubles(w, 2 * n);
    o->partial = exb_residue_doubles(w, 2 * n * w->n_chunks);
    o->side = exb_residue_doubles(w, EXB_SIDE_ARRAYS * n);
    exb_gpu_grid tiles =
        exb_residue_grid(w, (size_t)exb_tasks_of(n, EXB_TILE), (size_t)w->n_chunks);
    exb_gpu_clear(w->gpu, o->top, (size_t)n * sizeof(exb_u32));
    EXB_RESIDUE_LAUNCH(w, "residue_scan", "residue_measure", tiles, EXB_GPU_VIEW(from),
                       exb_gpu_i64(n), exb_gpu_i64(w->p->k), exb_gpu_i64(w->chunk),
                       exb_gpu_place(o->top), exb_gpu_place(o->partial));
    EXB_RESIDUE_LAUNCH(w, "residue_scan", "residue_join_norms", exb_residue_grid_for(w, n),
                       EXB_GPU_VIEW(from), exb_gpu_i64(n), exb_gpu_i64(w->p->k),
                       exb_gpu_i32(w->n_chunks), exb_gpu_place(o->top), exb_gpu_place(o->partial),
                       exb_gpu_place(o->norms));
}

static void foretell_losses(exb_residue_flow *w, exb_residue_operand *o)
{
    o->lost = exb_residue_doubles(w, 2 * EXB_SAMPLE * EXB_CANDIDATES);
    EXB_RESIDUE_LAUNCH(
        w, "residue_choice", "residue_foretell", exb_residue_grid(w, EXB_SAMPLE, EXB_CANDIDATES),
        EXB_GPU_VIEW(o->from), exb_gpu_i64(o->n), exb_gpu_i64(w->p->k), exb_gpu_place(o->top),
        exb_gpu_place(o->norms), exb_gpu_constants(&w->constants), exb_gpu_place(o->lost));
}

/* On an H200 an open element of 8192 terms took 9 ns where the terms of a row of A lie side by
 * side, 165 ns where they do not, and one modulus more 0.015 ns for each element of the block. */
static const double tolerated = 1e-4, too_many = 0.01;

/* Of each number of moduli. */
static exb_gpu_ref foretell_rates(exb_residue_flow *w)
{
    const exb_gpu_product *p = w->p;
    exb_gpu_ref value = exb_residue_doubles(w, EXB_SAMPLE * EXB_SAMPLE),
                rates = exb_residue_doubles(w, EXB_CANDIDATES);
    foretell_losses(w, &w->a);
    foretell_losses(w, &w->b);
    EXB_RESIDUE_LAUNCH(w, "residue_choice", "residue_sample",
                       exb_residue_grid(w, EXB_SAMPLE, EXB_SAMPLE), EXB_GPU_VIEW(p->a),
                       exb_gpu_place(p->b.at), exb_gpu_i64(p->b.col), exb_gpu_i64(p->b.row),
                       exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_i64(p->k),
                       exb_gpu_place(w->a.top), exb_gpu_place(w->b.top), exb_gpu_place(value));
    EXB_RESIDUE_LAUNCH(w, "residue_choice", "residue_rates", exb_residue_grid(w, EXB_CANDIDATES, 1),
                       exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_place(w->a.norms),
                       exb_gpu_place(w->b.norms), exb_gpu_place(w->a.lost),
                       exb_gpu_place(w->b.lost), exb_gpu_place(value), exb_gpu_place(rates));
    return rates;
}

int exb_gpu_residue_forecast(exb_residue_flow *w, bool forced)
{
    double rate[EXB_CANDIDATES];
    int c = 0;
    exb_gpu_read(w->gpu, foretell_rates(w), sizeof rate, rate);
    if (exb_gpu_status(w->gpu) != EXBLAS_OK)
        return 0;
    while (c < EXB_CANDIDATES - 1 && rate[c] > tolerated)
        c++;
    return forced || rate[c] < too_many ? EXB_MODULI_MIN + c : 0;
}
