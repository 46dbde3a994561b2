/* Anchored sums (anchor.h) of the rows of a triangle times a vector, or of the symmetric matrix
 * that it stands for: each element is read once, for both of its products.
 *
 * EXB_LANES columns at a time. Below or above their square on the diagonal a vector of rows meets
 * all the columns; what it gives to its own rows' sums stays in their lanes, what it gives to the
 * columns' sums has a vector of lanes for each column. In the end the latter are added up and join
 * the lane of their row: s - sigma is a multiple of the unit there, as in all lanes, and the sum of
 * all is exact, since n 2^g <= 2^(e-1). A correction passes through at most n additions in a lane
 * and EXB_ANCHOR_DEPTH more. Types: s d. */
#include "core/arith/anchor.h"
#include "core/kernel.h"
#include "level1/kernels/anchored_steps.h"
#include "level2/kernels/rows_simd.h"
#include "level2/kernels/triangle.h"

enum {
    WIDTH = EXB_LANES,
    PEAKS = EXB_LANES < 4 ? 1 : EXB_LANES / 2,
    AHEAD = 512 / sizeof(exb_real)
};

typedef struct {
    exb_v s, c;
} sums;

/* A call, with the largest elements so far, in PEAKS vectors. */
typedef struct {
    const exb_triangle *t;
    const exb_real *a, *x;
    double sigma, *s, *c;
    exb_v peak[PEAKS];
} work;

EXB_INLINE sums add_product(sums l, exb_v a, exb_v x)
{
    (void)add_anchored_product(&l.s, &l.c, a, x);
    return l;
}

/* `width` columns from j on, and where they begin, lda apart unless is_packed. */
typedef struct {
    bool by_rows, by_columns, is_packed;
    int width;
    int64_t j;
    const exb_real *at[WIDTH];
} columns;

/* n_rows <= EXB_LANES rows from i on, beside the diagonal. */
EXB_INLINE void meet_rows(const columns *k, work *w, sums *column, int64_t i, int64_t n_rows)
{
    exb_v xi = exb_load_rows(w->x + i, n_rows);
    sums row = {v_load(w->s + i), v_load(w->c + i)};
#pragma GCC unroll 8
    for (int c = 0; c < k->width; c++) {
        exb_v e = v_keep(exb_load_rows(k->at[c] + i, n_rows));
        if (!k->by_columns) /* sums that wait for each other wait for memory, too */
            __builtin_prefetch(k->at[c] + i + AHEAD);
        w->peak[c % PEAKS] = v_max_abs(w->peak[c % PEAKS], e);
        if (k->by_rows)
            row = add_product(row, e, v_set1((double)w->x[k->j + c]));
        if (k->by_columns)
            column[c] = add_product(column[c], e, xi);
    }
    v_store(w->s + i, row.s);
    v_store(w->c + i, row.c);
}

/* The square on the diagonal; each element of the diagonal goes one way. */
EXB_INLINE void meet_diagonal(const columns *k, work *w, sums *column)
{
    const exb_triangle *t = w->t;
    exb_v xj = exb_load_rows(w->x + k->j, k->width);
    sums row = {v_load(w->s + k->j), v_load(w->c + k->j)};
    int for_rows = k->by_rows && !t->unit, for_columns = !k->by_rows && !t->unit;
#pragma GCC unroll 8
    for (int c = 0; c < k->width; c++) {
        int begin = t->is_upper ? 0 : c + 1, end = t->is_upper ? c : k->width;
        int lower = !t->is_upper, upper = t->is_upper;
        exb_v e = v_load_between_real(k->at[c] + k->j, begin - (lower & for_rows),
                                      end + (upper & for_rows));
        exb_v f = v_load_between_real(k->at[c] + k->j, begin - (lower & for_columns),
                                      end + (upper & for_columns));
        w->peak[c % PEAKS] = v_max_abs(w->peak[c % PEAKS], k->by_rows ? e : f);
        if (k->by_rows)
            row = add_product(row, e, v_set1((double)w->x[k->j + c]));
        if (k->by_columns)
            column[c] = add_product(column[c], f, xj);
    }
    if (t->unit) {
        row = add_product(row, v_set1(1), xj);
        w->peak[0] = v_max_abs(w->peak[0], v_set1(1));
    }
    v_store(w->s + k->j, row.s);
    v_store(w->c + k->j, row.c);
}

EXB_INLINE void add_columns(columns k, work *w)
{
    int64_t begin = w->t->is_upper ? 0 : k.j + k.width, end = w->t->is_upper ? k.j : w->t->n;
    const exb_real *a = w->a + exb_triangle_column(w->t, k.j);
    exb_v sigma = v_set1(w->sigma);
    sums column[WIDTH];
#pragma GCC unroll 8
    for (int c = 0; c < WIDTH; c++) {
        column[c] = (sums){sigma, v_zero()};
        if (c < k.width)
            k.at[c] =
                a + c * w->t->lda + (k.is_packed ? c * k.j + c * (c - 1) / 2 : 0) * w->t->growth;
    }
    meet_diagonal(&k, w, column);
    int64_t i = begin;
    for (; i + EXB_LANES <= end; i += EXB_LANES)
        meet_rows(&k, w, column, i, EXB_LANES);
    if (i < end)
        meet_rows(&k, w, column, i, end - i);
#pragma GCC unroll 8
    for (int c = 0; c < k.width; c++)
        if (k.by_columns) {
            w->s[k.j + c] += v_sum(v_sub(column[c].s, sigma));
            w->c[k.j + c] += v_sum(column[c].c);
        }
}

/* Groups of columns, and those that are left. */
EXB_INLINE exb_v add_triangle(bool by_rows, bool by_columns, bool is_packed, const work *call)
{
    work w = *call;
    int64_t n = w.t->n, j = 0;
    for (int p = 0; p < PEAKS; p++)
        w.peak[p] = v_zero();
    for (; j + WIDTH <= n; j += WIDTH)
        add_columns((columns){by_rows, by_columns, is_packed, WIDTH, j, {0}}, &w);
    if (j < n)
        add_columns((columns){by_rows, by_columns, is_packed, (int)(n - j), j, {0}}, &w);
    for (int p = 1; p < PEAKS; p++)
        w.peak[0] = v_max_abs(w.peak[0], w.peak[p]);
    return w.peak[0];
}

EXB_INLINE exb_v add_either(bool is_packed, const work *w)
{
    const exb_triangle *t = w->t;
    return t->by_rows && t->by_columns ? add_triangle(true, true, is_packed, w)
           : t->by_rows                ? add_triangle(true, false, is_packed, w)
                                       : add_triangle(false, true, is_packed, w);
}

double exb_ti(anchored_triangle)(const exb_triangle *t, const exb_real *a, const exb_real *x,
                                 double sigma, double *s, double *c)
{
    work w = {.t = t, .a = a, .x = x, .sigma = sigma, .s = s, .c = c};
    for (int64_t i = 0; i < t->n; i += EXB_LANES) {
        v_store(s + i, v_set1(sigma));
        v_store(c + i, v_zero());
    }
    exb_v most = t->growth != 0 ? add_either(true, &w) : add_either(false, &w);
    return v_largest(most);
}
