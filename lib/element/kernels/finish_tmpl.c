/* Columns of results (column.h), a vector of elements at a time: kernels finish and keep
 * (kernel_slots.h). Types: s d. */
#include "core/kernel.h"
#include "core/simd/round_simd.h"
#include "element/column.h"

/* Bounds, or signs of zeros, where the column has them. */
EXB_INLINE exb_v load_bounds(bool exchanged, const double *e)
{
    return exchanged ? v_swap(v_load(e), 1) : v_load(e);
}

/* Numbers where the column has them. */
EXB_INLINE exb_v place(bool exchanged, exb_v x)
{
    return exchanged ? v_other_parts(x) : x;
}

/* exb_pair_bound, or more: bounds of zeros are taken for others, and two of them for 1. */
EXB_INLINE exb_v bounds_of(bool exchanged, const exb_column *k, int i)
{
    return k->e ? load_bounds(exchanged, k->e + i)
                : v_max_abs(v_set1(k->col_bound), load_bounds(exchanged, k->row_bound + i));
}

/* Lanes without an error. */
EXB_INLINE unsigned exact_lanes(bool exchanged, const exb_column *k, int i)
{
    exb_v none = v_set1(EXB_BOUND_OF_ZEROS);
    unsigned exact = v_equal(bounds_of(exchanged, k, i), v_zero());
    return k->e ? exact
                : exact | v_equal(load_bounds(exchanged, k->row_bound + i), none) |
                      v_equal(v_set1(k->col_bound), none);
}

/* h, l and e as they are in the column, without alpha and beta; lanes without a scale are bad. */
EXB_INLINE enclosures load_scaled(bool exchanged, const exb_column *k, int i)
{
    enclosures v = {.l = place(exchanged, v_load(k->l + i))};
    v.h = place(exchanged, v_sub(v_load(k->h + i), v_set1(k->anchor)));
    v.e = bounds_of(exchanged, k, i);
    if (k->row_scale) {
        exb_v s = v_mul(v_load(k->row_scale + i), v_set1(k->col_scale));
        v.h = v_mul(v.h, s);
        v.l = v_mul(v.l, s);
        v.e = v_mul(v.e, s);
        v.bad = v_outside(s, EXB_SCALE_LEAST, EXB_SCALE_MOST);
    }
    return v;
}

EXB_INLINE enclosures load(bool exchanged, const exb_column *k, int i)
{
    enclosures v = load_scaled(exchanged, k, i);
    v.exact = exact_lanes(exchanged, k, i);
    v.e = v_zero_lanes(v.e, v.exact);
    if (k->alpha != 1 || k->beta != 0)
        v = affine_lanes(k->alpha, v, k->beta,
                         k->beta != 0 ? place(exchanged, v_load(k->c + i)) : v_zero());
    return v;
}

/* One vector of a column, whatever alpha and beta are. */
static EXB_NOINLINE unsigned round_any(const exb_column *k, int i, exb_real *r)
{
    enclosures v = load(false, k, i);
    if (k->other)
        v = add_lanes(v, load(k->other->exchanged, k->other, i));
    return decide_lanes(v, r);
}

/* Of floats h + l is rounded to h, by u |h|: the 2^-52 |h|. */
EXB_INLINE enclosures one_part(enclosures v)
{
    v.h = v_add(v.h, v.l);
    v.e = v_add_product(v_set1(0x1p-52), v_abs(v.h), v.e);
    return v;
}

/* Adds alpha v + beta c. */
EXB_INLINE void add_column(bool begins, bool exchanged, bool has_c, const exb_column *k, int i,
                           enclosures v, enclosures *line)
{
    add_to_line(begins, LINE_SUMS, line, v_set1(k->alpha), EXB_IS_S ? one_part(v) : v);
    if (has_c)
        add_to_line(false, LINE_NUMBERS, line, v_set1(k->beta),
                    (enclosures){.h = place(exchanged, v_load(k->c + i))});
}

/* Adds the other parts' column. Returns its bad lanes. */
EXB_INLINE unsigned add_other(bool exchanged, const exb_column *k, int i, enclosures *line)
{
    enclosures v = load_scaled(exchanged, k, i);
    if (k->beta != 0)
        add_column(false, exchanged, true, k, i, v, line);
    else
        add_column(false, exchanged, false, k, i, v, line);
    return v.bad;
}

/* alpha v + beta c, and the same of the other parts, by few steps; returns the lanes that are
 * open. */
EXB_INLINE unsigned round_scaled(bool has_c, const exb_column *k, int i, enclosures v, exb_real *r)
{
    enclosures line;
    add_column(true, false, has_c, k, i, v, &line);
    if (k->other)
        v.bad |= k->other->exchanged ? add_other(true, k->other, i, &line)
                                     : add_other(false, k->other, i, &line);
    return round_sum(line, r) | v.bad;
}

/* n <= 64 elements. Lanes behind the last one do not ask for more. */
EXB_INLINE uint64_t round_lanes(bool has_c, int n, const exb_column *k, exb_real *r)
{
    uint64_t uncertified = 0;
    bool is_rounding = EXB_IS_S || EXB_HAVE_FMA;
    for (int i = 0; i < n; i += EXB_LANES) {
        unsigned lanes = n - i < EXB_LANES ? (1u << (n - i)) - 1 : (1u << EXB_LANES) - 1;
        unsigned open = lanes;
        if (is_rounding)
            open &= round_scaled(has_c, k, i, load_scaled(false, k, i), r + i);
        is_rounding = is_rounding && open == 0; /* what is exact seldom is alone */
        if (open)
            open = lanes & round_any(k, i, r + i);
        uncertified |= (uint64_t)open << i;
    }
    return uncertified;
}

uint64_t exb_ti(finish)(int n, const exb_column *k, exb_real *r)
{
    return k->beta == 0 ? round_lanes(false, n, k, r) : round_lanes(true, n, k, r);
}

/* --- sums that are kept --------------------------------------------------- */

/* h, l and e of sums that were kept before. */
EXB_INLINE enclosures load_kept(const double *h, const double *l, const double *e)
{
    enclosures v = {.h = v_load(h), .l = v_load(l), .e = v_load(e)};
    v.exact = v_equal(v.e, v_zero());
    return v;
}

/* The column's own; an infinite bound where its scale is none. */
EXB_INLINE enclosures load_new(const exb_column *k, int i)
{
    enclosures v = load_scaled(false, k, i);
    v.exact = exact_lanes(false, k, i) & ~v.bad;
    v.e = v_max_abs(v_zero_lanes(v.e, v.bad | v.exact),
                    v_zero_lanes(v_set1((double)INFINITY), ~v.bad));
    return v;
}

EXB_INLINE void keep_vector(const exb_column *k, int i, bool adds, double *h, double *l, double *e)
{
    enclosures v = load_new(k, i);
    if (adds)
        v = add_lanes(load_kept(h, l, e), v);
    v_store(h, v.h);
    v_store(l, v.l);
    v_store(e, v_add(v.e, v_zero_lanes(v_set1(EXB_UNDERFLOW_LOSS), v.exact)));
}

void exb_ti(keep)(int n, const exb_column *k, bool adds, double *h, double *l, double *e)
{
    int i = 0, rest = n % EXB_LANES;
    size_t bytes = (size_t)rest * sizeof *h;
    double last[3][EXB_LANES] = {{0}};
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        keep_vector(k, i, adds, h + i, l + i, e + i);
    if (rest == 0)
        return;
    memcpy(last[0], h + i, bytes);
    memcpy(last[1], l + i, bytes);
    memcpy(last[2], e + i, bytes);
    keep_vector(k, i, adds, last[0], last[1], last[2]);
    memcpy(h + i, last[0], bytes);
    memcpy(l + i, last[1], bytes);
    memcpy(e + i, last[2], bytes);
}
