/* Rank updates column by column. Column j gets the coefficients c = alpha w_j, exactly or as
 * enclosures; as reals a column of a complex matrix is
 *
 *   (re, im, ...) + cr (ur, ui, ...) + ci (-ui, ur, ...)
 *
 * so that there is one kernel for one, two and four real vectors. What it does not decide goes to
 * the ladder (element/decide.h), element by element.
 * Types: s d c z. */
#include "level2/update.h"

#include "core/kernels.h"
#include "core/method.h"
#include "core/partition.h"
#include "core/thread.h"
#include "element/decide.h"

enum {
    COLUMNS = 32, /* of a task */
    STRIP = EXB_GROUP / EXB_PARTS,
    MOST_VECTORS = 4
};

/* The vectors u of a strip of rows as reals, the first of reals also in its own type; the largest
 * of each, both of a complex one at once, is negative until it has been asked for. line: where x
 * is; small calls take longer without. */
typedef struct {
    int64_t first, n;
    int n_vectors;
    const exb_real *u;
    const double *line[MOST_VECTORS];
    double x[MOST_VECTORS][EXB_GROUP], largest[MOST_VECTORS];
    exb_real copy[EXB_GROUP];
} strip;

/* The coefficients of a column, each but for an error. */
typedef struct {
    double high[MOST_VECTORS], low[MOST_VECTORS], error[MOST_VECTORS];
    bool is_exact, is_known;
} coefficients;

static exb_complex conjugate_if(bool condition, exb_complex a)
{
    if (EXB_IS_COMPLEX && condition)
        a.im = -a.im;
    return a;
}

static exb_complex factor_u(const exb_t(rank1) *t, int64_t i)
{
    return conjugate_if(t->conjugate_u, exb_t(load)(exb_t(element)(t->u, i)));
}

static exb_complex factor_w(const exb_t(rank1) *t, int64_t j)
{
    return conjugate_if(t->conjugate_w, exb_t(load)(exb_t(element)(t->w, j)));
}

/* The largest of those that are finite: what the others are in is decided elsewhere. */
static double largest_of(strip *s, int vector)
{
    if (s->largest[vector] < 0) {
        int64_t n = EXB_PARTS * s->n;
        double most = exb_from_bits((uint64_t)exb_kernels_current()->d.peak(1, n, s->x[vector]));
        if (!(most <= DBL_MAX)) {
            most = 0;
            for (int64_t i = 0; i < n; i++) {
                double m = exb_fabs(s->x[vector][i]);
                most = m <= DBL_MAX && m > most ? m : most;
            }
        }
        s->largest[vector] = most;
    }
    return s->largest[vector];
}

static void load_vector(const exb_t(rank1) *t, int64_t n, strip *s, int vector)
{
    double *x = s->x[vector];
    s->largest[vector] = -1;
#if EXB_IS_COMPLEX
    double *turned = s->x[vector + 1];
    for (int64_t i = 0; i < n; i++) {
        exb_complex u = factor_u(t, s->first + i);
        x[2 * i] = turned[2 * i + 1] = u.re;
        x[2 * i + 1] = u.im;
        turned[2 * i] = -u.im;
    }
#else
    s->u = t->u.inc == 1 ? exb_t(element)(t->u, s->first) : s->copy;
    for (int64_t i = 0; i < n && s->u == s->copy; i++)
        s->copy[i] = exb_t(element)(t->u, s->first + i)[0];
    for (int64_t i = 0; i < n && s->n_vectors > 1; i++)
        x[i] = s->u[i];
#endif
}

static void load_strip(const exb_t(rank_update) *p, int64_t first, int64_t n, strip *s)
{
    s->first = first;
    s->n = n;
    s->n_vectors = p->n_terms * EXB_PARTS;
    for (int k = 0; k < s->n_vectors; k++)
        s->line[k] = s->x[k];
    for (int t = 0; t < p->n_terms; t++)
        load_vector(&p->term[t], n, s, EXB_PARTS * t);
}

/* aw + bv, but for what two additions of low parts leave: of floats, whose products are exact,
 * nothing. */
EXB_INLINE void set_sum(coefficients *c, int k, double a, double w, double b, double v)
{
    double p = a * w, q = b * v, e, g, r, lost[2] = {0};
    if (EXB_IS_S) {
        c->high[k] = exb_two_sum(p, q, &c->low[k]);
        c->is_known &= exb_fabs(c->high[k]) <= DBL_MAX;
    } else {
        c->is_known &= exb_exact_product(a, w, &p, &e) & exb_exact_product(b, v, &q, &g);
        double h = exb_two_sum(p, q, &r);
        double l = exb_two_sum(exb_two_sum(e, g, &lost[0]), r, &lost[1]);
        c->high[k] = exb_two_sum(h, l, &c->low[k]);
    }
    c->error[k] = exb_fabs(lost[0]) + exb_fabs(lost[1]);
    c->is_exact &= c->error[k] == 0;
}

/* In place: a struct that is returned is read before its parts have been stored. */
static void set_coefficients(const exb_t(rank_update) *p, int64_t j, coefficients *c)
{
    c->is_exact = true;
    c->is_known = p->by_filter;
    for (int t = 0; t < p->n_terms; t++) {
        exb_complex a = p->term[t].alpha, w = factor_w(&p->term[t], j);
        int k = EXB_PARTS * t;
        if (!EXB_IS_COMPLEX || p->term[t].alpha_is_real) {
            c->is_known &= exb_exact_product(a.re, w.re, &c->high[k], &c->low[k]);
            c->high[k] = c->high[k] == 0 ? a.re * w.re : c->high[k]; /* with its sign */
            c->error[k] = 0;
        }
        if (EXB_IS_COMPLEX && p->term[t].alpha_is_real) {
            c->is_known &= exb_exact_product(a.re, w.im, &c->high[k + 1], &c->low[k + 1]);
            c->error[k + 1] = 0;
        } else if (EXB_IS_COMPLEX) {
            set_sum(c, k, a.re, w.re, -a.im, w.im);
            set_sum(c, k + 1, a.re, w.im, a.im, w.re);
        }
    }
}

/* The kernel's update of a column; false if some elements are open, or all. */
static bool update_by_kernel(strip *s, const coefficients *c, int64_t n, const double *const *x,
                             exb_real *a, exb_real *out)
{
    double slack = 0, most = 0;
    for (int k = 0; k < s->n_vectors && (s->n_vectors > 1 || c->error[0] != 0); k++) {
        double largest = largest_of(s, k - k % EXB_PARTS);
        slack += c->error[k] * largest;
        most += __builtin_fabs(c->high[k]) * largest;
    }
    slack = exb_bound_up(slack); /* Inf or NaN: what is not exact is open */
    return c->is_known && exb_t_kernels()->update(s->n_vectors, n, c->high, c->low, c->is_exact,
                                                  slack, most, x, a, out);
}

/* abc is an exact -0. */
static bool is_negative_zero(double a, double b, double c)
{
    bool negative = (exb_bits(a) ^ exb_bits(b) ^ exb_bits(c)) >> 63;
    return (a == 0 || b == 0 || c == 0) && negative;
}

/* All products of parts in part k of alpha u w are -0. */
static bool is_negative_zero_part(int k, const exb_t(rank1) *t, exb_complex u, exb_complex w)
{
    double r = t->alpha.re, s = t->alpha.im;
    if (!EXB_IS_COMPLEX)
        return is_negative_zero(r, u.re, w.re);
    bool by_real = k == 0 ? is_negative_zero(r, u.re, w.re) && is_negative_zero(-r, u.im, w.im)
                          : is_negative_zero(r, u.re, w.im) && is_negative_zero(r, u.im, w.re);
    if (t->alpha_is_real || !by_real)
        return by_real;
    return k == 0 ? is_negative_zero(-s, u.re, w.im) && is_negative_zero(-s, u.im, w.re)
                  : is_negative_zero(s, u.re, w.re) && is_negative_zero(-s, u.im, w.im);
}

typedef struct {
    const exb_t(rank_update) *p;
    int64_t i, j;
} element;

/* The products u w that sum k of the element adds up (line.h). The terms share an alpha, or the
 * second has its conjugate: then sums 2 and 3 are of their difference; or, of reals, its negative.
 */
static bool next_run(const void *of, int k, int64_t *at, exb_p(run_space) *space,
                     exb_p(reduction) *run)
{
    const element *e = of;
    for (int n = 0; n < e->p->n_terms; n++) {
        exb_complex u = factor_u(&e->p->term[n], e->i), w = factor_w(&e->p->term[n], e->j);
        bool opposed = !EXB_IS_COMPLEX && e->p->term[n].alpha.re == -e->p->term[0].alpha.re;
        exb_real sign = (n > 0 && k >= EXB_PARTS) || opposed ? -1 : 1;
        int last = EXB_PARTS * n + EXB_PARTS - 1;
        space->x[last] = (exb_real)u.im;
        space->y[last] = sign * (exb_real)(k % EXB_PARTS == 0 ? -w.im : w.re);
        space->x[EXB_PARTS * n] = (exb_real)u.re;
        space->y[EXB_PARTS * n] = sign * (exb_real)(k % EXB_PARTS == 0 ? w.re : w.im);
    }
    *run = (exb_p(reduction)){EXB_TERM_XY, EXB_PARTS * e->p->n_terms, space->x, 1, space->y, 1};
    return (*at)++ == 0;
}

/* Part k of the element, a before, and all it is made of are -0. */
static bool is_negative_zero_sum(const element *e, int k, exb_real a)
{
    bool all = a == 0 && signbit(a);
    for (int n = 0; n < e->p->n_terms && all; n++) {
        const exb_t(rank1) *t = &e->p->term[n];
        all = is_negative_zero_part(k, t, factor_u(t, e->i), factor_w(t, e->j));
    }
    return all;
}

/* Element (i, j), whose old value is a, to r. */
static EXB_NOINLINE void decide_element(const exb_t(rank_update) *p, int64_t i, int64_t j,
                                        const exb_real *a, exb_real *r)
{
    const element e = {p, i, j};
    const exb_enclosure unknown = exb_enclosure_unknown();
    const exb_enclosure sums[] = {unknown, unknown, unknown, unknown};
    const bool real = p->is_hermitian && i == j;
    const bool conjugated = p->term[0].conjugate_u || p->term[0].conjugate_w;
    exb_t(question) q = {.is_real = real, .method = exb_method_current()};
    q.line = (exb_line){p->term[0].alpha,
                        {1, 0},
                        !EXB_IS_COMPLEX || p->term[0].alpha_is_real,
                        true,
                        conjugated && p->n_terms > 1 ? EXB_LINE_SUMS : EXB_PARTS};
    q.c = real ? (exb_complex){a[0], 0} : exb_t(load)(a);
    q.terms = (exb_p(terms)){next_run, &e};
    exb_t(decide)(&q, sums, r);
    for (int k = 0; k < (real ? 1 : EXB_PARTS); k++)
        if (r[k] == 0 && is_negative_zero_sum(&e, k, a[k]))
            r[k] = -(exb_real)0;
}

/* Rows first ... first + n - 1 of column j, all of them in the strip. */
static void update_column(const exb_t(rank_update) *p, strip *s, const coefficients *c, int64_t j,
                          int64_t first, int64_t n)
{
    exb_real *a = exb_t(target_at)(&p->a, first, j), out[EXB_GROUP];
    const double *x[MOST_VECTORS];
    bool has_diagonal = p->is_hermitian && first <= j && j < first + n;
    for (int k = 0; k < s->n_vectors; k++)
        x[k] = s->line[k] + EXB_PARTS * (first - s->first);
    for (int64_t i = first - s->first; i < first - s->first + n && s->n_vectors == 1; i++)
        s->x[0][i] = s->u[i];
    int64_t diagonal = EXB_IS_COMPLEX && has_diagonal ? 2 * (j - first) + 1 : -1;
    if (diagonal >= 0)
        a[diagonal] = 1; /* it is not read: but a sum of 0 is one that the kernel leaves open */
    bool all_certified = update_by_kernel(s, c, EXB_PARTS * n, x, a, out);
    for (int64_t l = 0; !all_certified && l < EXB_PARTS * n; l++)
        if (l != diagonal && (!c->is_known || isnan(out[l]))) {
            int64_t i = l / EXB_PARTS, at = EXB_PARTS * i;
            decide_element(p, first + i, j, a + at, out + at);
            exb_stats_count(p->stats, 0, 1);
            l = at + EXB_PARTS - 1; /* all parts are decided */
        }
    if (!all_certified)
        memcpy(a, out, (size_t)(EXB_PARTS * n) * sizeof *a);
    if (diagonal >= 0)
        a[diagonal] = 0;
}

static exb_range rows_in_strip(const exb_t(rank_update) *p, const strip *s, int64_t j)
{
    return exb_common(exb_region_rows(p->a.region, p->m, j),
                      (exb_range){s->first, s->first + s->n});
}

#if EXB_IS_COMPLEX
static bool update_in_place(const exb_t(rank_update) *p, strip *s, exb_range columns)
{
    (void)p, (void)s, (void)columns; /* two terms */
    return false;
}
#else
/* n columns from j on of one term, rows of the strip: what the kernel in place leaves goes the way
 * of single columns. */
static void update_together(const exb_t(rank_update) *p, strip *s, int64_t j, int64_t n,
                            exb_range rows, const double *high, const double *low)
{
    uint32_t open[COLUMNS];
    const exb_real *u = s->u + (rows.begin - s->first);
    int64_t m = rows.end - rows.begin;
    exb_t_kernels()->update_columns(m, n, high, low, u, exb_t(target_at)(&p->a, rows.begin, j),
                                    p->a.view.cs, open);
    for (int64_t l = 0; l < n; l++)
        for (uint32_t left = open[l]; left; left &= left - 1) {
            int64_t at = 8 * (int64_t)__builtin_ctz(left);
            coefficients c;
            set_coefficients(p, j + l, &c);
            update_column(p, s, &c, j + l, rows.begin + at, exb_least(m - at, 8));
        }
}

/* The rows of the strip in some columns, if that is one term: all columns at once if they have the
 * same rows. Coefficients that are not exact are NaN to the kernel. */
static bool update_in_place(const exb_t(rank_update) *p, strip *s, exb_range columns)
{
    double high[COLUMNS], low[COLUMNS];
    int64_t at_once = p->a.region == EXB_REGION_ALL ? columns.end - columns.begin : 1;
    if (p->n_terms > 1 || !p->by_filter)
        return false;
    for (int64_t j = columns.begin, k = 0; j < columns.end; j++, k++) {
        high[k] = exb_two_prod(p->term[0].alpha.re, factor_w(&p->term[0], j).re, &low[k]);
        high[k] = exb_product_in_range(high[k]) ? high[k] : (double)NAN;
    }
    for (int64_t j = columns.begin; j < columns.end; j += at_once) {
        exb_range rows = rows_in_strip(p, s, j);
        if (rows.begin < rows.end)
            update_together(p, s, j, at_once, rows, high + (j - columns.begin),
                            low + (j - columns.begin));
    }
    return true;
}
#endif

static EXB_NOINLINE void column_block(void *ctx, int64_t block)
{
    const exb_t(rank_update) *p = ctx;
    int64_t j0 = block * COLUMNS, j1 = exb_least(p->n, j0 + COLUMNS);
    int64_t begin = exb_region_rows(p->a.region, p->m, j0).begin,
            end = exb_region_rows(p->a.region, p->m, j1 - 1).end;
    strip s;
    coefficients c[COLUMNS];
    bool are_set = false;
    for (int64_t i = begin; i < end; i += STRIP) {
        int64_t next = exb_least(end, i + STRIP);
        load_strip(p, i, next - i, &s);
        if (update_in_place(p, &s, (exb_range){j0, j1}))
            continue;
        for (int64_t j = j0; j < j1 && !are_set; j++)
            set_coefficients(p, j, &c[j - j0]);
        are_set = true;
        for (int64_t j = j0; j < j1; j++) {
            exb_range rows = rows_in_strip(p, &s, j);
            if (rows.begin < rows.end)
                update_column(p, &s, &c[j - j0], j, rows.begin, rows.end - rows.begin);
        }
    }
}

static void update_all(exb_t(rank_update) *p)
{
    int64_t n_blocks = exb_tasks_of(p->n, COLUMNS);
    double work = EXB_PARTS * EXB_PARTS * (double)p->m * (double)p->n;
    exb_parallel_for(exb_partition_count(work, n_blocks), n_blocks, column_block, p);
}

/* alpha is looked at here, inside the guard: under DAZ a subnormal alpha would compare equal
 * to 0. An infinite one leaves Inf and NaN alone, and scales two products each by itself: what the
 * first leaves in A is added without a rounding. */
EXB_NOINLINE void exb_t(apply_update)(exb_t(rank_update) *p)
{
    exb_complex alpha = p->term[0].alpha;
    if (exb_is_zero(alpha))
        return;
    p->by_filter = exb_method_current()->filter;
    p->stats = exb_stats_current_call();
    if (p->n_terms > 1 && (isinf(alpha.re) || isinf(alpha.im))) {
        p->n_terms = 1;
        update_all(p);
        p->term[0] = p->term[1];
    }
    update_all(p);
}
