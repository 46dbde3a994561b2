/* Panels times vectors. A complex row (ar, ai) times (xr, xi) is a row of twice as many reals
 * times two vectors of reals,
 *
 *   re = (ar, ai, ...) . (xr, -xi, ...)     im = (ar, ai, ...) . (xi, xr, ...)
 *
 * with another sign of what stands at ai if the row is conjugated.
 * Types: s d c z. */
#include "level2/panel.h"

#include "element/anchored.h"

enum {
    FEW_ELEMENTS = 8,                     /* below, sums of single rows are faster than groups */
    ROW_ELEMENTS = EXB_IS_S ? 8192 : 2048 /* of a row in place that are summed up at once */
};

/* Elements j ... j + n - 1 of row i: in place, or copied to buffer. */
static const exb_real *row_elements(const exb_t(panel) *a, int64_t i, int64_t j, int64_t n,
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
static bool in_place(const exb_t(panel) *a, exb_t(vector) x)
{
    return !EXB_IS_COMPLEX && a->view.cs == 1 && a->view.dcs == 0 && x.inc == 1;
}

static void add_dot(int64_t n, const exb_real *a, const exb_real *x, exb_enclosure *out)
{
    exb_p(reduction) d = {EXB_TERM_XY, n, a, 1, x, 1};
    *out = exb_enclosure_add(*out, exb_p(reduce_filter)(&d));
}

/* Contiguous rows, the next one `step` reals on, and that growing from row to row. */
typedef struct {
    const exb_real *p;
    int64_t step, growth;
} lines;

static lines line_of(const lines *a, int64_t i)
{
    return (lines){a->p + exb_progression(i, a->step, a->growth), a->step + i * a->growth,
                   a->growth};
}

/* An exponent for the anchor of rows like this one; of floats, which need none, 0's. */
static int first_guess(int64_t n, const exb_real *a, const exb_real *const *x)
{
    double most = 0;
    for (int k = 0; !EXB_IS_S && k < EXB_PARTS; k++)
        most = fmax(most, exb_t_kernels()->largest(EXB_TERM_XY, n, a, x[k]));
    return exb_anchor_guess(most);
}

#if EXB_IS_S
static bool can_group(int64_t n)
{
    return n > 0;
}

/* out[i] += the contiguous rows of a group, of n reals each, times all x: plainly; rows that lose
 * much so by themselves. */
static void add_group(int64_t n, const lines *a, const exb_real *const *x, int *guess,
                      exb_t(value) *out)
{
    double s[EXB_ROW_GROUP], e[EXB_ROW_GROUP];
    (void)guess;
    exb_t_kernels()->plain_rows(EXB_OF_REALS, EXB_ROW_GROUP, n, a->p, a->step, a->growth, x[0],
                                EXB_IS_COMPLEX ? x[EXB_PARTS - 1] : NULL, s, e);
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        exb_enclosure v = {s[r], 0, e[r], e[r] == 0},
                      *sum = &out[r / EXB_PARTS].part[r % EXB_PARTS];
        if (exb_plain_is_coarse(v))
            add_dot(n, line_of(a, r / EXB_PARTS).p, x[r % EXB_PARTS], sum);
        else
            *sum = exb_enclosure_add(*sum, v);
    }
}
#else
static bool can_group(int64_t n)
{
    _Static_assert(ROW_ELEMENTS <= 1 << EXB_ANCHOR_NU &&
                       EXB_PARTS * EXB_GATHER <= 1 << EXB_ANCHOR_NU,
                   "all terms fit into one lane");
    return exb_kernels_current()->has_fma && n >= FEW_ELEMENTS;
}

/* What a group's kernel found of a row of n <= 2^NU terms against 2^g, if it is of use: neither
 * beyond the anchor nor so far below that the bound would often be too coarse for rounding. */
static bool add_anchored(const exb_anchored *r, int g, int64_t n, exb_enclosure *out)
{
    exb_enclosure v = exb_anchored_enclosure(r, g, n);
    if (!r->valid || !(r->m <= exb_pow2(g)) || v.e > 0x1p-60 * fabs(v.h))
        return false;
    *out = exb_enclosure_add(*out, v);
    return true;
}

/* out[i] += the contiguous rows of a group, of n reals each, times all x: against an anchor that is
 * guessed from the rows before. */
static void add_group(int64_t n, const lines *a, const exb_real *const *x, int *guess,
                      exb_t(value) *out)
{
    double s[EXB_ROW_GROUP], c[EXB_ROW_GROUP];
    int64_t n_lane;
    int g = (int)exb_least(*guess, EXB_ANCHOR_MAX_G);
    double m = exb_t_kernels()->anchored_rows(EXB_ROW_GROUP, n, a->p, a->step, a->growth, x[0],
                                              EXB_IS_COMPLEX ? x[EXB_PARTS - 1] : NULL,
                                              exb_anchor_sigma(g), s, c, &n_lane);
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        const exb_anchored found = {s[r], c[r], m, n_lane, c[r] - c[r] == 0};
        exb_enclosure *sum = &out[r / EXB_PARTS].part[r % EXB_PARTS];
        if (!add_anchored(&found, g, n, sum)) {
            add_dot(n, line_of(a, r / EXB_PARTS).p, x[r % EXB_PARTS], sum);
            *guess = exb_anchor_guess(m);
        }
    }
}
#endif

/* m contiguous rows of n reals. */
static void add_rows(int m, int64_t n, const lines *a, const exb_real *const *x, exb_t(value) *out)
{
    enum { ROWS = EXB_ROW_GROUP / EXB_PARTS };
    bool in_groups = m >= ROWS && can_group(n);
    int i = 0, guess = in_groups ? first_guess(n, a->p, x) : 0;
    for (; in_groups && i + ROWS <= m; i += ROWS) {
        lines group = line_of(a, i);
        add_group(n, &group, x, &guess, out + i);
    }
    for (; i < m; i++)
        for (int k = 0; k < EXB_PARTS; k++)
            add_dot(n, line_of(a, i).p, x[k], &out[i].part[k]);
}

static EXB_NOINLINE void add_dots(int m, int64_t n, const exb_t(panel) *a, exb_t(vector) x,
                                  exb_t(value) *out)
{
    exb_real row[EXB_PARTS * EXB_GATHER], prepared[EXB_PARTS][EXB_PARTS * EXB_GATHER];
    const exb_real *xk[EXB_PARTS] = {prepared[0]};
    int64_t step = in_place(a, x) ? ROW_ELEMENTS : EXB_GATHER;
    bool contiguous = a->view.cs == 1 && a->view.dcs == 0;
    xk[EXB_PARTS - 1] = prepared[EXB_PARTS - 1];
    for (int64_t j = 0; j < n; j += step) {
        int64_t nj = exb_least(step, n - j);
        if (in_place(a, x))
            xk[0] = x.p + j;
        for (int k = 0; k < EXB_PARTS && !in_place(a, x); k++)
            exb_t(prepare_vector)(x, j, nj, a->conjugate, k, prepared[k]);
        for (int i = 0; i < m; i += contiguous ? m : 1) {
            const lines of = {row_elements(a, i, j, nj, row), EXB_PARTS * a->view.rs,
                              EXB_PARTS * a->view.drs};
            add_rows(contiguous ? m : 1, EXB_PARTS * nj, &of, xk, out + i);
        }
    }
}

/* The same sums with the columns in reverse, so that increments become positive. */
static void reverse_columns(int64_t n, exb_t(panel) *a, exb_t(vector) *x)
{
    a->view = exb_view_columns_reversed(a->view, n);
    *x = (exb_t(vector)){exb_t(element)(*x, n - 1), -x->inc};
}

void exb_t(panel_filter)(int m, int64_t n, const exb_t(panel) *panel, exb_t(vector) x,
                         exb_t(value) *out)
{
    exb_t(panel) a = *panel;
    if (n <= 0)
        return;
    if (x.inc < 0)
        reverse_columns(n, &a, &x);
    bool reversed = a.view.rs == -1 && a.view.drs == 0;
    if (reversed) /* a triangle that is read from its end */
        a.view.origin -= m - 1;
    if (m > 1 && (reversed || (a.view.rs == 1 && a.view.drs == 0)))
        exb_t(panel_sweep)(m, n, reversed, &a, x, out);
    else
        add_dots(m, n, &a, x, out);
}

int64_t exb_t(panel_run)(int64_t n, const exb_t(panel) *a, exb_t(vector) x, int k,
                         exb_p(run_space) *space, exb_p(reduction) *run)
{
    if (!EXB_IS_COMPLEX && a->view.dcs == 0 && !a->conjugate) {
        *run = exb_p(dot_of)(n, a->p + a->view.origin, a->view.cs, x.p, x.inc);
        return n;
    }
    n = exb_least(EXB_RUN / EXB_PARTS, n);
    exb_t(prepare_vector)(x, 0, n, a->conjugate, k, space->y);
    for (int64_t l = 0; l < n && !EXB_IS_COMPLEX && a->conjugate; l++)
        space->y[l] = -space->y[l];
    *run = (exb_p(reduction)){EXB_TERM_XY, EXB_PARTS * n, row_elements(a, 0, 0, n, space->x),
                              1,           space->y,      1};
    return n;
}
