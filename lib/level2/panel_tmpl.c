/* Panels times vectors. A complex row (ar, ai) times (xr, xi) is a row of twice as many reals
 * times two vectors of reals,
 *
 *   re = (ar, ai, ...) . (xr, -xi, ...)     im = (ar, ai, ...) . (xi, xr, ...)
 *
 * and by columns two real sweeps whose rows alternate: with xr the sums of ar xr and ai xr,
 * with xi those of ar xi and ai xi. Conjugation changes the sign of what stands at ai. */
#include "level2/panel.h"

#include "core/compensated.h"
#include "core/partition.h"

/* compensated.h's bound holds for 2^25 terms. */
static const int64_t most_terms = (int64_t)1 << 24;

enum {
    /* Columns that are swept for one part of x and then for the other: 16 KiB. */
    SWEEP_COLUMNS = EXB_IS_COMPLEX ? 32 : EXB_GATHER
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

typedef struct {
    double s[EXB_ROWS], c[EXB_ROWS], w[EXB_ROWS];
} sums;

/* n columns with x contiguous. */
static void sweep_columns(int m, int64_t n, const exb_t(panel) * a, int64_t j, const exb_real *x,
                          sums *to)
{
    const exb_view *v = &a->view;
    if (v->dcs == 0) {
        exb_t_kernels()->sweep(m, n, a->p + EXB_PARTS * exb_view_at(*v, 0, j), EXB_PARTS * v->cs, x,
                               to->s, to->c, to->w);
        return;
    }
    for (int64_t k = 0; k < n; k++)
        exb_t_kernels()->sweep(m, 1, a->p + EXB_PARTS * exb_view_at(*v, 0, j + k), 0, x + k, to->s,
                               to->c, to->w);
}

static exb_enclosure enclosure_of(const sums *t, int i, int64_t n)
{
    return exb_compensated_enclosure(t->s[i], t->c[i], t->w[i], n, EXB_IS_S);
}

static void add_row(const sums *t, int row, int64_t n, bool conjugate, exb_t(value) * out)
{
    if (!EXB_IS_COMPLEX) {
        out->part[0] = exb_enclosure_add(out->part[0], enclosure_of(&t[0], row, n));
        return;
    }
    const sums *xr = &t[0], *xi = &t[EXB_PARTS - 1];
    exb_enclosure ai_xr = enclosure_of(xr, 2 * row + 1, n),
                  ai_xi = enclosure_of(xi, 2 * row + 1, n);
    if (conjugate)
        ai_xr = exb_enclosure_negated(ai_xr);
    else
        ai_xi = exb_enclosure_negated(ai_xi);
    exb_enclosure re = exb_enclosure_add(enclosure_of(xr, 2 * row, n), ai_xi);
    exb_enclosure im = exb_enclosure_add(enclosure_of(xi, 2 * row, n), ai_xr);
    out->part[0] = exb_enclosure_add(out->part[0], re);
    out->part[EXB_PARTS - 1] = exb_enclosure_add(out->part[EXB_PARTS - 1], im);
}

/* Columns begin ... end - 1 of a panel whose rows are contiguous in each column, in reverse
 * if `reversed`. */
static void sweep(int m, exb_range columns, bool reversed, const exb_t(panel) * a, exb_t(vector) x,
                  exb_t(value) * out)
{
    sums t[EXB_PARTS];
    exb_real buffer[SWEEP_COLUMNS];
    for (int k = 0; k < EXB_PARTS; k++)
        for (int i = 0; i < EXB_PARTS * m; i++)
            t[k].s[i] = t[k].c[i] = t[k].w[i] = 0;
    for (int64_t j = columns.begin; j < columns.end; j += SWEEP_COLUMNS) {
        int64_t n = least(SWEEP_COLUMNS, columns.end - j);
        for (int k = 0; k < EXB_PARTS; k++) {
            const exb_real *xk = exb_p(contiguous)(x.p + k, EXB_PARTS * x.inc, j, n, buffer);
            sweep_columns(EXB_PARTS * m, n, a, j, xk, &t[k]);
        }
    }
    for (int i = 0; i < m; i++)
        add_row(t, reversed ? m - 1 - i : i, columns.end - columns.begin, a->conjugate, &out[i]);
}

/* Elements j ... j + n - 1 of x for the real dots of both parts. */
static void prepare(exb_t(vector) x, int64_t j, int64_t n, bool conjugate, exb_real *re,
                    exb_real *im)
{
    exb_real sign = conjugate ? -1 : 1;
    for (int64_t k = 0; k < n; k++) {
        const exb_real *e = exb_t(element)(x, j + k);
        re[EXB_PARTS * k] = e[0];
        if (EXB_IS_COMPLEX) {
            re[2 * k + 1] = -sign * e[EXB_PARTS - 1];
            im[2 * k] = e[EXB_PARTS - 1];
            im[2 * k + 1] = sign * e[0];
        }
    }
}

/* Elements j ... j + n - 1 of row i: in place, or copied to buffer. */
static const exb_real *row_elements(const exb_t(panel) * a, int64_t i, int64_t j, int64_t n,
                                    exb_real *buffer)
{
    exb_view v = exb_view_from(a->view, i, j);
    const exb_real *p = a->p + EXB_PARTS * v.origin;
    if (v.cs == 1 && v.dcs == 0)
        return p;
    for (int64_t k = 0; k < n; k++) {
        memcpy(buffer + EXB_PARTS * k, p, EXB_PARTS * sizeof *p);
        p += EXB_PARTS * (v.cs + k * v.dcs);
    }
    return buffer;
}

/* Contiguous real rows need no copies. */
static bool in_place(const exb_t(panel) * a, exb_t(vector) x)
{
    return !EXB_IS_COMPLEX && a->view.cs == 1 && a->view.dcs == 0 && x.inc == 1;
}

static void dots(int m, int64_t n, const exb_t(panel) * a, exb_t(vector) x, exb_t(value) * out)
{
    exb_real row[EXB_PARTS * EXB_GATHER], prepared[EXB_PARTS][EXB_PARTS * EXB_GATHER];
    int64_t step = in_place(a, x) ? n : EXB_GATHER;
    for (int64_t j = 0; j < n; j += step) {
        int64_t nj = least(step, n - j);
        if (!in_place(a, x))
            prepare(x, j, nj, a->conjugate, prepared[0], prepared[EXB_PARTS - 1]);
        for (int i = 0; i < m; i++) {
            const exb_real *ai = row_elements(a, i, j, nj, row);
            for (int k = 0; k < EXB_PARTS; k++) {
                exb_p(reduction)
                    r = {EXB_TERM_XY, EXB_PARTS * nj, ai, 1, in_place(a, x) ? x.p : prepared[k], 1};
                out[i].part[k] = exb_enclosure_add(out[i].part[k], exb_p(reduce_filter)(&r));
            }
        }
    }
}

/* The same sums with the columns in reverse, so that increments become positive. */
static void turn(int64_t n, exb_t(panel) * a, exb_t(vector) * x)
{
    a->view = exb_view_columns_reversed(a->view, n);
    *x = (exb_t(vector)){exb_t(element)(*x, n - 1), -x->inc};
}

void exb_t(panel_filter)(int m, int64_t n, const exb_t(panel) * panel, exb_t(vector) x,
                         exb_t(value) * out)
{
    exb_t(panel) a = *panel;
    if (n <= 0)
        return;
    if (x.inc < 0)
        turn(n, &a, &x);
    bool reversed = a.view.rs == -1 && a.view.drs == 0;
    if (reversed) /* a triangle that is read from its end */
        a.view.origin -= m - 1;
    if (reversed || (a.view.rs == 1 && a.view.drs == 0))
        for (int64_t j = 0; j < n; j += most_terms)
            sweep(m, (exb_range){j, least(n, j + most_terms)}, reversed, &a, x, out);
    else
        dots(m, n, &a, x, out);
}

void exb_t(row_filter)(int64_t n, const exb_t(panel) * row, exb_t(vector) x, exb_t(value) * out)
{
    exb_t(panel) a = *row;
    if (n <= 0)
        return;
    if (x.inc < 0)
        turn(n, &a, &x);
    dots(1, n, &a, x, out);
}

void exb_t(row_add_exact)(int64_t n, const exb_t(panel) * a, exb_t(vector) x,
                          const exb_method *method, exb_t(exact) * out)
{
    exb_real row[EXB_PARTS * EXB_GATHER], prepared[EXB_PARTS][EXB_PARTS * EXB_GATHER];
    bool is_strided = !EXB_IS_COMPLEX && a->view.dcs == 0;
    if (n > 0 && is_strided) {
        exb_p(reduction) r = exb_p(dot_of)(n, a->p + a->view.origin, a->view.cs, x.p, x.inc);
        exb_p(reduce_exact)(&r, method, &out->part[0].acc);
        return;
    }
    for (int64_t j = 0; j < n; j += EXB_GATHER) {
        int64_t nj = least(EXB_GATHER, n - j);
        prepare(x, j, nj, a->conjugate, prepared[0], prepared[EXB_PARTS - 1]);
        const exb_real *aj = row_elements(a, 0, j, nj, row);
        for (int k = 0; k < EXB_PARTS; k++) {
            exb_p(reduction) r = {EXB_TERM_XY, EXB_PARTS * nj, aj, 1, prepared[k], 1};
            exb_p(reduce_exact)(&r, method, &out->part[k].acc);
        }
    }
}
