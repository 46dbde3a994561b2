/* gemv: a filter that reads the matrix once, then what it could not decide. */
#include "gpu/flow/matrix.h"

#include <stdio.h>

enum {
    MOST_CHUNKS = 256,
    MOST_ROWS = 1 << 20 /* at a time: bounds the scratch memory */
};

/* Into how many chunks of columns rows are cut so that the device is busy. */
static exb_i64 n_chunks(exb_gpu_limits limits, exb_i64 tiles, exb_i64 n, int lanes)
{
    exb_i64 groups = (exb_i64)limits.n_units * (limits.is_cpu ? 2 : 8);
    exb_i64 wanted = (groups + tiles - 1) / tiles, most = n / ((exb_i64)lanes * 64) + 1;
    wanted = wanted < most ? wanted : most;
    return wanted < MOST_CHUNKS ? wanted : MOST_CHUNKS;
}

static void filter(exb_gpu *gpu, const exb_gpu_product *p, const exb_gpu_undecided *u)
{
    exb_gpu_tile t = exb_gpu_tile_of(gpu, p->is_s, "gemv", p->a, p->m);
    exb_i64 tiles = (exb_i64)exb_gpu_divide_up(p->m, t.rows);
    exb_i64 chunk =
        (exb_i64)exb_gpu_divide_up(p->k, n_chunks(exb_gpu_get_limits(gpu), tiles, p->k, t.lanes));
    exb_i64 chunks = (exb_i64)exb_gpu_divide_up(p->k, chunk ? chunk : 1);
    exb_gpu_ref partial =
        exb_gpu_scratch(gpu, 4 * (size_t)p->m * (size_t)(chunks + 1) * sizeof(double));
    char options[32];
    snprintf(options, sizeof options, "-DEXB_IS_S=%d", p->is_s);
    if (chunks > 0)
        exb_gpu_launch(
            gpu, (exb_gpu_kernel){"gemv", "gemv_filter", options},
            (exb_gpu_grid){
                {(size_t)tiles, (size_t)chunks}, {t.local}, 4 * t.local * sizeof(double)},
            11,
            (exb_gpu_arg[]){exb_gpu_i64(p->m), exb_gpu_i64(p->k), exb_gpu_i64(chunk),
                            exb_gpu_i32(t.rows), exb_gpu_i32(t.along), exb_gpu_place(p->a.at),
                            exb_gpu_i64(p->a.row), exb_gpu_i64(p->a.col), exb_gpu_place(p->b.at),
                            exb_gpu_i64(p->b.row), exb_gpu_place(partial)});
    exb_gpu_launch(gpu, (exb_gpu_kernel){"gemv", "gemv_join", options},
                   (exb_gpu_grid){{exb_gpu_divide_up(p->m, (exb_i64)t.local)}, {t.local}, 0}, 10,
                   (exb_gpu_arg[]){exb_gpu_i64(p->m), exb_gpu_i64(p->k),
                                   exb_gpu_i32((exb_i32)chunks), exb_gpu_f64(p->alpha),
                                   exb_gpu_f64(p->beta), exb_gpu_place(partial),
                                   exb_gpu_place(p->c.at), exb_gpu_i64(p->c.row),
                                   exb_gpu_place(u->count), exb_gpu_place(u->list)});
}

/* Rows i0 ... i0 + m - 1. */
static void rows(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *all, exb_i64 i0,
                 exb_i64 m)
{
    exb_gpu_product p = *all;
    p.m = m;
    p.a.at = exb_gpu_element(p.a.at, i0 * p.a.row, p.is_s);
    p.c.at = exb_gpu_element(p.c.at, i0 * p.c.row, p.is_s);
    if (!method->filter && p.k > 0) {
        exb_gpu_all_elements(gpu, "gemv", &p, method->n_terms, method->early_exit);
        return;
    }
    exb_gpu_undecided u = exb_gpu_undecided_of(gpu, m);
    filter(gpu, &p, &u);
    exb_gpu_finish_undecided(gpu, "gemv", &p, &u);
}

void exb_gpu_gemv(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 m, exb_i64 n,
                  double alpha, exb_gpu_matrix a, exb_gpu_vector x, double beta, exb_gpu_vector y)
{
    exb_gpu_product p = {is_s, m, 1, n, alpha, beta, a, {x.at, x.inc, 0}, {y.at, y.inc, 0}};
    if (m == 0 || n == 0 || (alpha == 0 && beta == 1))
        return;
    if (alpha == 0) { /* beta y: A and x are not read */
        p.alpha = 1;
        p.k = 0;
    }
    for (exb_i64 i0 = 0; i0 < m; i0 += MOST_ROWS)
        rows(gpu, method, &p, i0, m - i0 < MOST_ROWS ? m - i0 : MOST_ROWS);
}
