/* Anchored sums (anchor.h) of the rows of a triangle times a vector, or of the symmetric or
 * Hermitian matrix that it stands for: each element is read once, for all of its products.
 *
 * EXB_LANES columns at a time, half as many of complex numbers, whose parts are rows, and sums of
 * columns, of twice as many terms. Below or above their square on the diagonal a vector of rows
 * meets all the columns; what it gives to its own rows' sums stays in their lanes, what it gives to
 * the columns' sums has a vector of lanes for each column. In the end the latter are added up and
 * join the lane of their row: s - sigma is a multiple of the unit there, as in all lanes, and the
 * sum of all is exact, since N 2^g <= 2^(e-1) for the N terms of a row. A correction passes through
 * at most N additions in a lane and EXB_ANCHOR_DEPTH more. Types: s d. */
#include "core/arith/anchor.h"
#include "core/kernel.h"
#include "level1/kernels/anchored_steps.h"
#include "level2/kernels/rows_simd.h"
#include "level2/kernels/triangle.h"

enum {
    WIDTH = EXB_LANES, /* columns of reals, half as many of complex numbers */
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
    int parts, width;
    int64_t j;
    const exb_real *at[WIDTH];
} columns;

/* Of lanes with real and imaginary parts: all as they are, or each second one negative. */
static const double signs[2][8] = {{1, 1, 1, 1, 1, 1, 1, 1}, {1, -1, 1, -1, 1, -1, 1, -1}};

/* What columns of complex numbers are multiplied by for the rows, ar xr in even lanes and ai xr in
 * odd ones, and with their parts exchanged -ai xi and ar xi; ai has the other sign in conjugates.
 */
EXB_INLINE void set_factors(const columns *k, const work *w, exb_v *factor)
{
    const bool conjugate = w->t->conjugate_rows;
#pragma GCC unroll 4
    for (int c = 0; c < WIDTH / 2; c++) {
        const exb_real *x = w->x + 2 * (k->j + (c < k->width ? c : 0));
        double re = x[0], im = x[1];
        factor[2 * c] = v_mul(v_set1(re), v_load(signs[conjugate]));
        factor[2 * c + 1] = v_mul(v_set1(conjugate ? im : -im), v_load(signs[!conjugate]));
    }
}

/* What rows are multiplied by for the columns: xr and -xi, the sum of whose products with ar and ai
 * is a real part, and xi and xr for the imaginary part; of conjugates ai has the other sign. */
EXB_INLINE void set_parts(const columns *k, const work *w, exb_v x, exb_v *part)
{
    const bool conjugate = w->t->conjugate_columns;
    part[0] = k->parts == 1 ? x : v_mul(x, v_load(signs[!conjugate]));
    part[1] = k->parts == 1 ? x : v_mul(v_swap(x, 1), v_load(signs[conjugate]));
}

/* Elements e, for the rows, and f of column c. */
EXB_INLINE void meet(const columns *k, const work *w, const exb_v *factor, int c, exb_v e, exb_v f,
                     const exb_v *x, sums *row, sums *column)
{
    for (int p = 0; p < k->parts; p++) {
        int at = k->parts * c + p;
        if (k->by_rows)
            *row = k->parts == 1 ? add_product(*row, e, v_set1((double)w->x[k->j + c]))
                                 : add_product(*row, p == 0 ? e : v_swap(e, 1), factor[at]);
        if (k->by_columns)
            column[at] = add_product(column[at], f, x[p]);
    }
}

/* n_rows <= EXB_LANES rows from i on, beside the diagonal; rows are reals here. */
EXB_INLINE void meet_rows(const columns *k, work *w, const exb_v *factor, sums *column, int64_t i,
                          int64_t n_rows)
{
    exb_v x[2];
    sums row = {v_load(w->s + i), v_load(w->c + i)};
    set_parts(k, w, exb_load_rows(w->x + i, n_rows), x);
#pragma GCC unroll 8
    for (int c = 0; c < k->width; c++) {
        exb_v e = v_keep(exb_load_rows(k->at[c] + i, n_rows));
        if (!k->by_columns) /* sums that wait for each other wait for memory, too */
            __builtin_prefetch(k->at[c] + i + AHEAD);
        w->peak[c % PEAKS] = v_max_abs(w->peak[c % PEAKS], e);
        meet(k, w, factor, c, e, e, x, &row, column);
    }
    v_store(w->s + i, row.s);
    v_store(w->c + i, row.c);
}

/* A diagonal of its own, both parts of x times each number. */
EXB_INLINE void add_diagonal(const columns *k, work *w, exb_v x, sums *row)
{
    double d[EXB_LANES] = {0};
    for (int l = 0; l < k->parts * k->width; l++) {
        int c = l / k->parts;
        d[l] = w->t->diagonal == EXB_DIAGONAL_ONES ? 1 : k->at[c][k->parts * (k->j + c)];
    }
    *row = add_product(*row, v_load(d), x);
    w->peak[0] = v_max_abs(w->peak[0], v_load(d));
}

/* The square on the diagonal; each element of the diagonal goes one way. */
EXB_INLINE void meet_diagonal(const columns *k, work *w, const exb_v *factor, sums *column)
{
    const exb_triangle *t = w->t;
    const int64_t j = k->parts * k->j, n = k->parts * k->width;
    exb_v xj = exb_load_rows(w->x + j, n), x[2];
    sums row = {v_load(w->s + j), v_load(w->c + j)};
    int has_own = t->diagonal != EXB_DIAGONAL_NONE, to_row = k->by_rows && !has_own,
        to_column = !k->by_rows && !has_own;
    set_parts(k, w, xj, x);
#pragma GCC unroll 8
    for (int c = 0; c < k->width; c++) {
        int begin = t->is_upper ? 0 : c + 1, end = t->is_upper ? c : k->width;
        int lower = !t->is_upper, upper = t->is_upper;
        exb_v e = v_load_between_real(k->at[c] + j, k->parts * (begin - (lower & to_row)),
                                      k->parts * (end + (upper & to_row)));
        exb_v f = v_load_between_real(k->at[c] + j, k->parts * (begin - (lower & to_column)),
                                      k->parts * (end + (upper & to_column)));
        w->peak[c % PEAKS] = v_max_abs(w->peak[c % PEAKS], k->by_rows ? e : f);
        meet(k, w, factor, c, e, f, x, &row, column);
    }
    if (has_own)
        add_diagonal(k, w, xj, &row);
    v_store(w->s + j, row.s);
    v_store(w->c + j, row.c);
}

EXB_INLINE void add_columns(columns k, work *w)
{
    const int parts = k.parts, n_sums = parts * k.width;
    int64_t begin = w->t->is_upper ? 0 : parts * (k.j + k.width),
            end = parts * (w->t->is_upper ? k.j : w->t->n);
    const exb_real *a = w->a + exb_triangle_column(w->t, k.j);
    exb_v sigma = v_set1(w->sigma);
    exb_v factor[WIDTH];
    sums column[WIDTH];
    if (parts == 2)
        set_factors(&k, w, factor);
#pragma GCC unroll 8
    for (int c = 0; c < WIDTH; c++) {
        column[c] = (sums){sigma, v_zero()};
        if (c < k.width)
            k.at[c] =
                a + c * w->t->lda + (k.is_packed ? c * k.j + c * (c - 1) / 2 : 0) * w->t->growth;
    }
    meet_diagonal(&k, w, factor, column);
    int64_t i = begin;
    for (; i + EXB_LANES <= end; i += EXB_LANES)
        meet_rows(&k, w, factor, column, i, EXB_LANES);
    if (i < end)
        meet_rows(&k, w, factor, column, i, end - i);
#pragma GCC unroll 8
    for (int c = 0; c < n_sums; c++)
        if (k.by_columns) {
            w->s[parts * k.j + c] += v_sum(v_sub(column[c].s, sigma));
            w->c[parts * k.j + c] += v_sum(column[c].c);
        }
}

/* Groups of columns, and those that are left. */
EXB_INLINE exb_v add_triangle(bool by_rows, bool by_columns, bool is_packed, int parts,
                              const work *call)
{
    work w = *call;
    const int width = WIDTH / parts;
    int64_t n = w.t->n, j = 0;
    for (int p = 0; p < PEAKS; p++)
        w.peak[p] = v_zero();
    for (; j + width <= n; j += width)
        add_columns((columns){by_rows, by_columns, is_packed, parts, width, j, {0}}, &w);
    if (j < n)
        add_columns(
            (columns){
                by_rows, by_columns, is_packed, parts, (int)exb_least(n - j, width - 1), j, {0}},
            &w);
    for (int p = 1; p < PEAKS; p++)
        w.peak[0] = v_max_abs(w.peak[0], w.peak[p]);
    return w.peak[0];
}

EXB_INLINE exb_v add_either(bool is_packed, int parts, const work *w)
{
    const exb_triangle *t = w->t;
    return t->by_rows && t->by_columns ? add_triangle(true, true, is_packed, parts, w)
           : t->by_rows                ? add_triangle(true, false, is_packed, parts, w)
                                       : add_triangle(false, true, is_packed, parts, w);
}

double exb_ti(anchored_triangle)(const exb_triangle *t, const exb_real *a, const exb_real *x,
                                 double sigma, double *s, double *c)
{
    work w = {.t = t, .a = a, .x = x, .sigma = sigma, .s = s, .c = c};
    bool is_packed = t->growth != 0;
    for (int64_t i = 0; i < t->parts * t->n; i += EXB_LANES) {
        v_store(s + i, v_set1(sigma));
        v_store(c + i, v_zero());
    }
    exb_v most = t->parts == 2 ? (is_packed ? add_either(true, 2, &w) : add_either(false, 2, &w))
                 : is_packed   ? add_either(true, 1, &w)
                               : add_either(false, 1, &w);
    return v_largest(most);
}
