/* Columns of results (column.h), a vector of elements at a time: kernels finish and keep
 * (kernel_slots.h). Types: s d. */
#include "core/kernel.h"
#include "core/simd/round_simd.h"
#include "element/column.h"

/* exb_pair_bound, or more: bounds of zeros are taken for others, and two of them for 1. */
EXB_INLINE exb_v bounds_of(const exb_column *k, int i)
{
    return k->e ? v_load(k->e + i) : v_max_abs(v_set1(k->col_bound), v_load(k->row_bound + i));
}

/* Lanes without an error. */
EXB_INLINE unsigned exact_lanes(const exb_column *k, int i)
{
    exb_v none = v_set1(EXB_BOUND_OF_ZEROS);
    unsigned exact = v_equal(bounds_of(k, i), v_zero());
    return k->e ? exact
                : exact | v_equal(v_load(k->row_bound + i), none) |
                      v_equal(v_set1(k->col_bound), none);
}

/* h, l and e as they are in the column, without alpha and beta; lanes without a scale are bad. */
EXB_INLINE enclosures load_scaled(const exb_column *k, int i)
{
    enclosures v = {.l = v_load(k->l + i)};
    v.h = v_sub(v_load(k->h + i), v_set1(k->anchor));
    v.e = bounds_of(k, i);
    if (k->row_scale) {
        exb_v s = v_mul(v_load(k->row_scale + i), v_set1(k->col_scale));
        v.h = v_mul(v.h, s);
        v.l = v_mul(v.l, s);
        v.e = v_mul(v.e, s);
        v.bad = v_outside(s, EXB_SCALE_LEAST, EXB_SCALE_MOST);
    }
    return v;
}

EXB_INLINE enclosures load(const exb_column *k, int i)
{
    enclosures v = load_scaled(k, i);
    v.exact = exact_lanes(k, i);
    v.e = v_zero_lanes(v.e, v.exact);
    if (k->alpha != 1 || k->beta != 0)
        v = affine_lanes(k->alpha, v, k->beta, k->beta != 0 ? v_load(k->c + i) : v_zero());
    return v;
}

/* One vector of a column, whatever alpha and beta are. */
static EXB_NOINLINE unsigned round_any(const exb_column *k, int i, exb_real *r)
{
    enclosures v = load(k, i);
    if (k->other)
        v = add_lanes(v, load(k->other, i));
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
EXB_INLINE void add_column(bool begins, bool has_c, const exb_column *k, int i, enclosures v,
                           enclosures *line)
{
    add_to_line(begins, LINE_SUMS, line, v_set1(k->alpha), EXB_IS_S ? one_part(v) : v);
    if (has_c)
        add_to_line(false, LINE_NUMBERS, line, v_set1(k->beta),
                    (enclosures){.h = v_load(k->c + i)});
}

/* alpha v + beta c, and the same of the other parts, by few steps; returns the lanes that are
 * open. */
EXB_INLINE unsigned round_scaled(bool has_c, const exb_column *k, int i, enclosures v, exb_real *r)
{
    enclosures line;
    add_column(true, has_c, k, i, v, &line);
    if (k->other) {
        enclosures w = load_scaled(k->other, i);
        v.bad |= w.bad;
        if (k->other->beta != 0)
            add_column(false, true, k->other, i, w, &line);
        else
            add_column(false, false, k->other, i, w, &line);
    }
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
            open &= round_scaled(has_c, k, i, load_scaled(k, i), r + i);
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
    enclosures v = load_scaled(k, i);
    v.exact = exact_lanes(k, i) & ~v.bad;
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
