/* Operands of the residue engine: vectors are scaled by powers of two and rounded to integers, of
 * which residues are kept; what rounding left out enters the bounds.
 *
 * Scaling. mu = 2^floor((log2 P - 1) / 2 - 0.01 - log2 |a|_2), so that |a mu|_2 <= T = sqrt(P / 2)
 * 2^-0.01 (norms to 2^-20 stay inside 2^-0.001), and a' = rint(a mu) has |a'|_2 <= T + sqrt(k) / 2.
 * By Cauchy-Schwarz |C'| <= (P / 2) 2^-0.02 (1 + sqrt(k) / (2 T))^2, below (1/2 - 0.006) P for N >=
 * 5 and k <= 10^6: P >= 255 254 253 251 247 > 2^39.88, hence T > 2^19.4, sqrt(k) / (2 T) <
 * 1000 / 2^20.4 < 0.000723, (1 + 0.000723)^2 < 1.00145, 2^-0.02 < 0.98624, and
 * 0.98624 * 1.00145 / 2 < 0.49384.
 *
 * Bound. delta = a mu - a' is computed exactly (convert); its norms are accumulated. Exactly
 *   C - C' = delta_a b' + (a mu) delta_b,   so that
 *   |C - C'| <= min(|delta_a|_1 |b'|_inf, |delta_a|_2 |b'|_2) + min(|a mu|_inf |delta_b|_1,
 *                                                                  |a mu|_2 |delta_b|_2)
 * with |b'| <= |b nu| + |delta_b|. All norms are computed with relative errors below 2^-20, all of
 * their use has fewer than 20 roundings: a factor of 1 + 2^-18 covers both. Squares that underflow
 * take less than k 2^-1074 off a sum: 2^-500 added to the 2-norm covers that. delta = 0 is claimed
 * only where a mu was exact: always if mu >= 1, and else if the smallest element is not scaled
 * below 2^-1022. Elements that would be add 2^-1000 to the norms (k <= 2^26 roundings of 2^-1075).
 * Floats are never: T > 2^19 and norms below 2^138 make every factor larger than 2^-120.
 * Types: s d. */
#include "level3/flow.h"

#include <string.h>

/* --- scale --------------------------------------------------------------- */

static void scale_vectors(const exb_t(flow) *f, const exb_t(operand) *o, int64_t v0, int64_t n,
                          exb_residue_side s)
{
    double sumsq[EXB_PACK_VECTORS], largest[EXB_PACK_VECTORS];
    int shift[EXB_PACK_VECTORS];
    exb_t(norms)(o, v0, n, f->p->k, sumsq, largest, shift);
    for (int64_t i = 0; i < n; i++) {
        double norm = sqrt(sumsq[i]);
        bool is_finite = norm <= DBL_MAX;
        double room = (f->residue.system.log2_p - 1) / 2 - 0.01;
        int e = is_finite && norm > 0 ? (int)floor(room - log2(norm)) - shift[i] : 0;
        bool fits = is_finite && e > -900 && e < 900;
        s.factor[i] = fits ? exb_pow2(e) : 1;
        s.scale[i] = fits ? exb_pow2(-e) : 0;
        s.inf[i] = fits ? largest[i] * s.factor[i] : (double)INFINITY;
        s.two[i] = fits ? ldexp(norm, shift[i] + e) : (double)INFINITY;
        /* x * factor may round below the normal range only if factor < 1 and x is tiny. */
        bool exact = !fits || EXB_IS_S || s.factor[i] >= 1 ||
                     exb_t(least_in_vector)(o, v0 + i, f->p->k) * s.factor[i] >= DBL_MIN;
        s.lost_1[i] = s.lost_2[i] = exact ? 0 : EXB_RESIDUE_LOST;
    }
}

/* --- convert ------------------------------------------------------------- */

/* Zeros behind the panel's terms and, `at_end`, behind the last strip: what is rounded up
 * (exb_residue_multiply). n vectors and their residues from out on. */
static void pad_with_zeros(const exb_t(flow) *f, bool is_row, int64_t n, bool at_end,
                           int64_t n_padded, uint8_t *out)
{
    const exb_residue_work *w = &f->residue;
    int64_t quads = w->kernels->quads, kq = exb_round_up(f->k, 4 * quads) / 4;
    int64_t end = exb_round_up(f->k, 4 * quads << w->n_levels) / 4;
    int64_t plane = is_row ? w->plane_a : w->plane_b, stride = EXB_STRIP * f->panel;
    int64_t n_strips = exb_tasks_of(n, EXB_STRIP);
    for (int i = 0; i < w->system.n_moduli; i++, out += plane) {
        for (int64_t v = 0; v < n_strips && kq < end; v++)
            memset(out + v * stride + kq * 4 * EXB_STRIP, 0, (size_t)((end - kq) * 4 * EXB_STRIP));
        if (at_end)
            memset(out + n_strips * stride, 0,
                   (size_t)((n_padded - n_strips * EXB_STRIP) * f->panel));
    }
}

/* Through the panel, some terms at a time: lines and pages of operands whose vectors lie side by
 * side are used whole. */
static void convert_group(const exb_t(flow) *f, const exb_t(vectors) *g, exb_residue_side side,
                          uint8_t *out)
{
    const exb_residue_work *w = &f->residue;
    double x[EXB_STRIP * EXB_RESIDUE_TERMS], unused[EXB_STRIP] = {0};
    for (int64_t l = 0; l < f->k; l += EXB_RESIDUE_TERMS) {
        int64_t nl = exb_least(f->k - l, EXB_RESIDUE_TERMS);
        for (int64_t v = 0; v < g->n; v += EXB_STRIP) {
            exb_residue_side at = exb_residue_side_from(side, v);
            exb_t(pack_strips)(g->operand, g->v0 + v, exb_least(g->n - v, EXB_STRIP), f->l0 + l, nl,
                               (exb_strips){EXB_STRIP, 0, x, at.factor, unused});
            w->kernels->convert(&w->system, w->kernels->quads, !g->is_row, nl, x,
                                out + v * f->panel + l * EXB_STRIP,
                                g->is_row ? w->plane_a : w->plane_b, &at);
        }
    }
}

/* From sums of squares to 2-norms. */
static void complete_norms(exb_residue_side s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (s.lost_1[i] != 0)
            s.lost_2[i] = sqrt(s.lost_2[i]) + 0x1p-500;
}

void exb_t(residue_pack)(const exb_t(flow) *f, const exb_t(vectors) *g)
{
    const exb_residue_work *w = &f->residue;
    exb_residue_side side = exb_residue_side_from(g->is_row ? w->rows : w->columns, g->begin);
    uint8_t *out = (g->is_row ? w->a : w->b) + g->begin * f->panel;
    if (f->l0 == 0)
        scale_vectors(f, g->operand, g->v0, g->n, side);
    convert_group(f, g, side, out);
    pad_with_zeros(f, g->is_row, g->n, g->begin + g->n == (g->is_row ? f->block.m : f->block.n),
                   (g->is_row ? w->padded_rows : w->padded_columns) - g->begin, out);
    if (exb_t(is_last_panel)(f))
        complete_norms(side, g->n);
}
