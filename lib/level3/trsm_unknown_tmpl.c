/* One unknown of trsm: x = RN((alpha b - sum of t x) / t_ii) from enclosures of the sum, else from
 * a filter of the whole row, else exactly.
 * Types: s d c z. */
#include "level3/trsm_system.h"

static bool round_parts(const exb_t(value) *v, exb_real *x)
{
    bool certified = true;
    for (int k = 0; k < EXB_PARTS; k++)
        certified = exb_round_enclosure(v->part[k], &x[k]) && certified;
    return certified;
}

/* From enclosures of the row's products. */
static bool finish_filtered(const exb_t(system) *q, const exb_t(divisor) *d,
                            const exb_t(value) *sum, exb_real *x)
{
    const exb_complex none = {0, 0};
    exb_t(value) b, r;
    for (int k = 0; k < EXB_PARTS; k++)
        b.part[k] = exb_enclosure_exact(x[k]);
    for (int k = 0; k < EXB_PARTS; k++)
        r.part[k] = exb_enclosure_add(exb_t(affine)(k, q->alpha, &b, none, none),
                                      exb_enclosure_negated(sum->part[k]));
    if (!q->unit)
        r = exb_t(divide)(&r, d);
    exb_real rounded[EXB_PARTS];
    if (!round_parts(&r, rounded))
        return false;
    memcpy(x, rounded, sizeof rounded);
    return true;
}

static void add_right_side(const exb_t(system) *q, exb_t(exact) *r, const exb_real *b)
{
    exb_superacc_add_product(&r->part[0].acc, q->alpha.re, b[0]);
    if (EXB_IS_COMPLEX) {
        const int im = EXB_PARTS - 1;
        exb_superacc_add_product(&r->part[0].acc, -q->alpha.im, b[im]);
        exb_superacc_add_product(&r->part[im].acc, q->alpha.re, b[im]);
        exb_superacc_add_product(&r->part[im].acc, q->alpha.im, b[0]);
    }
}

static EXB_NOINLINE void finish_exact(const exb_t(system) *q, int64_t i, exb_t(vector) known,
                                      exb_real *x)
{
    exb_t(exact) r;
    exb_t(exact_zero)(&r);
    exb_t(panel) row = exb_t(panel_from)(&q->t, 0, i, 0);
    if (i > 0)
        exb_t(row_add_exact)(i, &row, known, q->method, &r);
    for (int k = 0; k < EXB_PARTS; k++)
        exb_superacc_negate(&r.part[k].acc);
    add_right_side(q, &r, x);
    for (int k = 0; k < EXB_PARTS; k++)
        x[k] = q->unit ? exb_round_superacc(&r.part[k].acc)
                       : exb_t(divide_exact)(k, &r, exb_t(element_of)(&q->t, i, i));
}

bool exb_t(solve_unknown)(const exb_t(system) *q, int64_t i, int64_t v, const exb_t(divisor) *d,
                          const exb_t(value) *sum, bool sum_is_best)
{
    exb_real *x = exb_t(unknown)(q, i, v);
    exb_t(vector) known = {exb_t(unknown)(q, 0, v), q->xl};
    if (sum && finish_filtered(q, d, sum, x))
        return true;
    if (q->method->filter && !sum_is_best && i > 0) {
        exb_t(value) whole = exb_t(value_zero)();
        exb_t(panel) row = exb_t(panel_from)(&q->t, 0, i, 0);
        exb_t(row_filter)(i, &row, known, &whole);
        if (finish_filtered(q, d, &whole, x))
            return false;
    }
    finish_exact(q, i, known, x);
    return false;
}
