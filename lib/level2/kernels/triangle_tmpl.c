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
    exb_v sign[2], peak[PEAKS];
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
    exb_v factor[WIDTH]; /* of each column `parts` for the rows */
} columns;

/* Lanes of real and of imaginary parts. */
EXB_INLINE exb_v parts_of(double even, double odd)
{
    const double p[8] = {even, odd, even, odd, even, odd, even, odd};
    return v_load(p);
}

/* What columns are multiplied by for the rows, ar xr in even lanes and ai xr in odd ones, and with
 * their parts exchanged -ai xi and ar xi; ai has the other sign in conjugates. */
EXB_INLINE void set_factors(columns *k, const work *w)
{
    const double sign = w->t->conjugate_rows ? -1 : 1;
    for (int c = 0; c < k->parts * k->width; c++) {
        double x = w->x[k->parts * k->j + c];
        k->factor[c] = k->parts == 1 ? v_set1(x)
                       : c % 2 == 0  ? parts_of(x, sign * x)
                                     : parts_of(-sign * x, x);
    }
}

/* What rows are multiplied by for the columns: xr and -xi, the sum of whose products with ar and ai
 * is a real part, and xi and xr for the imaginary part; of conjugates ai has the other sign. */
typedef struct {
    exb_v part[2];
} for_columns;

EXB_INLINE for_columns factors_of(const columns *k, const work *w, exb_v x)
{
    if (k->parts == 1)
        return (for_columns){{x, x}};
    return (for_columns){{v_mul(x, w->sign[0]), v_mul(v_swap(x, 1), w->sign[1])}};
}

/* Elements e, for the rows, and f of column c. */
EXB_INLINE void meet(const columns *k, int c, exb_v e, exb_v f, const for_columns *x, sums *row,
                     sums *column)
{
    for (int p = 0; p < k->parts; p++) {
        int at = k->parts * c + p;
        if (k->by_rows)
            *row = add_product(*row, p == 0 ? e : v_swap(e, 1), k->factor[at]);
        if (k->by_columns)
            column[at] = add_product(column[at], f, x->part[p]);
    }
}

/* n_rows <= EXB_LANES rows from i on, beside the diagonal; rows are reals here. */
EXB_INLINE void meet_rows(const columns *k, work *w, sums *column, int64_t i, int64_t n_rows)
{
    for_columns x = factors_of(k, w, exb_load_rows(w->x + i, n_rows));
    sums row = {v_load(w->s + i), v_load(w->c + i)};
#pragma GCC unroll 8
    for (int c = 0; c < k->width; c++) {
        exb_v e = v_keep(exb_load_rows(k->at[c] + i, n_rows));
        if (!k->by_columns) /* sums that wait for each other wait for memory, too */
            __builtin_prefetch(k->at[c] + i + AHEAD);
        w->peak[c % PEAKS] = v_max_abs(w->peak[c % PEAKS], e);
        meet(k, c, e, e, &x, &row, column);
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
EXB_INLINE void meet_diagonal(const columns *k, work *w, sums *column)
{
    const exb_triangle *t = w->t;
    const int64_t j = k->parts * k->j, n = k->parts * k->width;
    exb_v xj = exb_load_rows(w->x + j, n);
    for_columns x = factors_of(k, w, xj);
    sums row = {v_load(w->s + j), v_load(w->c + j)};
    int has_own = t->diagonal != EXB_DIAGONAL_NONE, to_row = k->by_rows && !has_own,
        to_column = !k->by_rows && !has_own;
#pragma GCC unroll 8
    for (int c = 0; c < k->width; c++) {
        int begin = t->is_upper ? 0 : c + 1, end = t->is_upper ? c : k->width;
        int lower = !t->is_upper, upper = t->is_upper;
        exb_v e = v_load_between_real(k->at[c] + j, k->parts * (begin - (lower & to_row)),
                                      k->parts * (end + (upper & to_row)));
        exb_v f = v_load_between_real(k->at[c] + j, k->parts * (begin - (lower & to_column)),
                                      k->parts * (end + (upper & to_column)));
        w->peak[c % PEAKS] = v_max_abs(w->peak[c % PEAKS], k->by_rows ? e : f);
        meet(k, c, e, f, &x, &row, column);
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
    sums column[WIDTH];
    set_factors(&k, w);
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
        add_columns((columns){by_rows, by_columns, is_packed, parts, width, j, {0}, {{0}}}, &w);
    if (j < n)
        add_columns((columns){by_rows, by_columns, is_packed, parts, (int)(n - j), j, {0}, {{0}}},
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
    const double sign = t->conjugate_columns ? -1 : 1;
    bool is_packed = t->growth != 0;
    w.sign[0] = parts_of(1, -sign);
    w.sign[1] = parts_of(1, sign);
    for (int64_t i = 0; i < t->parts * t->n; i += EXB_LANES) {
        v_store(s + i, v_set1(sigma));
        v_store(c + i, v_zero());
    }
    exb_v most = t->parts == 2 ? (is_packed ? add_either(true, 2, &w) : add_either(false, 2, &w))
                 : is_packed   ? add_either(true, 1, &w)
                               : add_either(false, 1, &w);
    return v_largest(most);
}
