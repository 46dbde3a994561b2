/* Rank updates column by column. Column j gets the coefficients c = alpha w_j, exactly or as
 * enclosures; as reals a column of a complex matrix is
 *
 *   (re, im, ...) + cr (ur, ui, ...) + ci (-ui, ur, ...)
 *
 * so that there is one kernel for one, two and four real vectors. What it does not decide is
 * computed again exactly, element by element.
 * Types: s d c z. */
#include "level2/update.h"

#include "core/kernels.h"
#include "core/method.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level1/reduce.h"

enum {
    COLUMNS = 32, /* of a task */
    STRIP = EXB_GROUP / EXB_PARTS,
    MOST_VECTORS = 4
};

/* The vectors u of a strip of rows as reals, where they lie or in x; the largest of those of reals
 * is negative until it has been asked for. */
typedef struct {
    int64_t first, n;
    int n_vectors;
    const double *line[MOST_VECTORS];
    double x[MOST_VECTORS][EXB_GROUP], largest[MOST_VECTORS];
} strip;

/* The coefficients of a column. */
typedef struct {
    double high[MOST_VECTORS], low[MOST_VECTORS], slack;
    bool is_exact, is_known;
} coefficients;

static exb_complex conjugate_if(bool condition, exb_complex a)
{
    if (EXB_IS_COMPLEX && condition)
        a.im = -a.im;
    return a;
}

static void note_largest(strip *s, int vector, double x)
{
    double m = __builtin_fabs(x);
    s->largest[vector] = m > s->largest[vector] ? m : s->largest[vector];
}

#if EXB_IS_COMPLEX
static void put_element(strip *s, int vector, int64_t at, double x)
{
    s->x[vector][at] = x;
    note_largest(s, vector, x);
}

static void load_vector(const exb_t(rank1) *t, int64_t n, strip *s, int vector)
{
    s->largest[vector] = s->largest[vector + 1] = 0;
    for (int64_t i = 0; i < n; i++) {
        exb_complex u = exb_t(load)(exb_t(element)(t->u, s->first + i));
        u = conjugate_if(t->conjugate_u, u);
        put_element(s, vector, 2 * i, u.re);
        put_element(s, vector, 2 * i + 1, u.im);
        put_element(s, vector + 1, 2 * i, -u.im);
        put_element(s, vector + 1, 2 * i + 1, u.re);
    }
}
#else
static void load_vector(const exb_t(rank1) *t, int64_t n, strip *s, int vector)
{
    s->largest[vector] = -1;
#if !EXB_IS_S
    if (t->u.inc == 1) {
        s->line[vector] = exb_t(element)(t->u, s->first);
        return;
    }
#endif
    for (int64_t i = 0; i < n; i++)
        s->x[vector][i] = exb_t(element)(t->u, s->first + i)[0];
}
#endif

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

static double largest_of(strip *s, int vector)
{
    if (s->largest[vector] < 0) {
        s->largest[vector] = 0;
        for (int64_t i = 0; i < s->n; i++)
            note_largest(s, vector, s->line[vector][i]);
    }
    return s->largest[vector];
}

static void set_coefficient(coefficients *c, int k, exb_enclosure v, double largest)
{
    c->high[k] = exb_two_sum(v.h, v.l, &c->low[k]);
    c->is_exact = c->is_exact && v.exact;
    c->slack += v.e * largest;
    c->is_known = c->is_known && exb_enclosure_is_finite(v);
}

/* A real coefficient as a product and its error, where that is exact. */
static bool set_product(coefficients *c, int k, double a, double w)
{
    double e, p = exb_two_prod(a, w, &e);
    if (EXB_IS_COMPLEX || !exb_product_in_range(p))
        return false;
    c->high[k] = p;
    c->low[k] = e;
    return true;
}

/* In place: a struct that is returned is read before its parts have been stored. */
static void set_coefficients(const exb_t(rank_update) *p, strip *s, int64_t j, coefficients *c)
{
    c->slack = 0;
    c->is_exact = true;
    c->is_known = p->by_filter;
    for (int t = 0; t < p->n_terms; t++) {
        exb_complex a = p->term[t].alpha, w = exb_t(load)(exb_t(element)(p->term[t].w, j));
        w = conjugate_if(p->term[t].conjugate_w, w);
        double ai = EXB_IS_COMPLEX ? a.im : 0;
        int k = EXB_PARTS * t;
        if (set_product(c, k, a.re, w.re))
            continue;
        set_coefficient(c, k, exb_affine_of(a.re, exb_enclosure_exact(w.re), -ai, w.im),
                        largest_of(s, k));
        if (!EXB_IS_COMPLEX && w.re == 0)
            c->high[k] = a.re * w.re; /* with its sign, which enclosures do not keep */
        if (EXB_IS_COMPLEX)
            set_coefficient(c, k + EXB_PARTS - 1,
                            exb_affine_of(a.re, exb_enclosure_exact(w.im), ai, w.re),
                            largest_of(s, k + EXB_PARTS - 1));
    }
    c->slack = exb_bound_up(c->slack);
    c->is_known = c->is_known && c->slack <= DBL_MAX;
}

/* abc is an exact -0. */
static bool is_negative_zero(double a, double b, double c)
{
    bool negative = (exb_bits(a) ^ exb_bits(b) ^ exb_bits(c)) >> 63;
    return (a == 0 || b == 0 || c == 0) && negative;
}

/* One real line of alpha z for z = u w: the terms of part k, as (factor of alpha, part of z). */
static void add_scaled_part(exb_superacc *total, int k, const exb_t(rank1) *t, exb_product_acc *z)
{
    exb_superacc_add_scaled(total, t->alpha.re, &z[k].acc);
    if (EXB_IS_COMPLEX && !t->alpha_is_real)
        exb_superacc_add_scaled(total, k == 0 ? -t->alpha.im : t->alpha.im,
                                &z[EXB_PARTS - 1 - k].acc);
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

static void multiply_exact(exb_product_acc *z, exb_complex u, exb_complex w)
{
    for (int k = 0; k < EXB_PARTS; k++)
        exb_product_acc_init(&z[k]);
    exb_superacc_add_product(&z[0].acc, u.re, w.re);
    if (!EXB_IS_COMPLEX)
        return;
    exb_superacc_add_product(&z[0].acc, -u.im, w.im);
    exb_superacc_add_product(&z[EXB_PARTS - 1].acc, u.re, w.im);
    exb_superacc_add_product(&z[EXB_PARTS - 1].acc, u.im, w.re);
}

/* Part k of element (i, j), whose old value there is a. */
static exb_real exact_part(const exb_t(rank_update) *p, int64_t i, int64_t j, int k, double a)
{
    exb_finish_acc storage;
    exb_superacc *total = exb_finish_acc_init(&storage);
    bool all_negative_zero = !p->is_sum && a == 0 && exb_bits(a) != 0;
    exb_superacc_add(total, a);
    for (int n = 0; n < p->n_terms; n++) {
        const exb_t(rank1) *t = &p->term[n];
        exb_complex u = exb_t(load)(exb_t(element)(t->u, i));
        exb_complex w = exb_t(load)(exb_t(element)(t->w, j));
        exb_product_acc z[EXB_PARTS];
        u = conjugate_if(t->conjugate_u, u);
        w = conjugate_if(t->conjugate_w, w);
        multiply_exact(z, u, w);
        add_scaled_part(total, k, t, z);
        all_negative_zero = all_negative_zero && is_negative_zero_part(k, t, u, w);
    }
    exb_real r = exb_round_superacc(total);
    return all_negative_zero && exb_superacc_sign(total) == 0 ? -(exb_real)0 : r;
}

/* A negative zero of a sum is right only where a number underflows. */
static bool needs_sign(const exb_t(rank_update) *p, exb_real r)
{
    return p->is_sum && r == 0 && signbit(r);
}

static bool may_need_sign(const exb_t(rank_update) *p, int64_t n, const exb_real *r)
{
    bool any = false;
    for (int64_t l = 0; l < n && p->is_sum; l++)
        any |= r[l] == 0;
    return any;
}

/* Rows first ... first + n - 1 of column j, all of them in the strip. */
static void update_column(const exb_t(rank_update) *p, strip *s, int64_t j, int64_t first,
                          int64_t n)
{
    exb_real *a = exb_t(target_at)(&p->a, first, j), out[EXB_GROUP];
    const double *x[MOST_VECTORS];
    coefficients c;
    bool has_diagonal = p->is_hermitian && first <= j && j < first + n, all_certified = false;
    for (int k = 0; k < s->n_vectors; k++)
        x[k] = s->line[k] + EXB_PARTS * (first - s->first);
    set_coefficients(p, s, j, &c);
    if (c.is_known)
        all_certified = exb_t_kernels()->update(s->n_vectors, EXB_PARTS * n, c.high, c.low,
                                                c.is_exact, c.slack, x, a, out);
    all_certified = all_certified && !may_need_sign(p, EXB_PARTS * n, out);
    int64_t diagonal = EXB_IS_COMPLEX && has_diagonal ? 2 * (j - first) + 1 : -1;
    for (int64_t l = 0; !all_certified && l < EXB_PARTS * n; l++)
        if (l != diagonal && (!c.is_known || isnan(out[l]) || needs_sign(p, out[l]))) {
            out[l] = exact_part(p, first + l / EXB_PARTS, j, (int)(l % EXB_PARTS), a[l]);
            exb_stats_count(p->stats, 0, 1);
        }
    if (diagonal >= 0)
        out[diagonal] = 0;
    memcpy(a, out, (size_t)(EXB_PARTS * n) * sizeof *a);
}

#if EXB_IS_COMPLEX
static bool update_in_place(const exb_t(rank_update) *p, strip *s, exb_range columns, int64_t n)
{
    (void)p, (void)s, (void)columns, (void)n; /* two terms */
    return false;
}
#else
/* Zeros of an updated column of n elements have the sign of an update. If it is a sum those that
 * are negative because c u, c != 0, is a zero, too, are exact and become positive; others
 * underflow. */
static void make_zeros_positive(const exb_t(rank_update) *p, const strip *s, exb_real *a, int64_t n)
{
    if (may_need_sign(p, n, a))
        for (int64_t l = 0; l < n; l++)
            if (needs_sign(p, a[l]) && s->line[0][l] == 0)
                a[l] = 0;
}

/* The rows of the strip in some columns, if that is one term in all of them: what the kernel in
 * place leaves goes the way of single columns. Coefficients that are not exact are NaN to it. */
static bool update_in_place(const exb_t(rank_update) *p, strip *s, exb_range columns, int64_t n)
{
    double high[COLUMNS], low[COLUMNS];
    uint32_t open[COLUMNS];
    if (p->n_terms > 1 || !p->by_filter || p->a.region != EXB_REGION_ALL)
        return false;
    for (int64_t j = columns.begin; j < columns.end; j++) {
        double *h = high + (j - columns.begin), *l = low + (j - columns.begin);
        *h = exb_two_prod(p->term[0].alpha.re, exb_t(element)(p->term[0].w, j)[0], l);
        *h = exb_product_in_range(*h) ? *h : (double)NAN;
    }
    exb_t_kernels()->update_columns(n, columns.end - columns.begin, high, low, s->line[0],
                                    exb_t(target_at)(&p->a, s->first, columns.begin), p->a.view.cs,
                                    open);
    for (int64_t j = columns.begin; j < columns.end; j++)
        for (uint32_t left = open[j - columns.begin]; left; left &= left - 1) {
            int64_t at = 8 * (int64_t)__builtin_ctz(left);
            update_column(p, s, j, s->first + at, exb_least(n - at, 8));
        }
    for (int64_t j = columns.begin; p->is_sum && j < columns.end; j++)
        make_zeros_positive(p, s, exb_t(target_at)(&p->a, s->first, j), n);
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
    for (int64_t i = begin; i < end; i += STRIP) {
        int64_t next = exb_least(end, i + STRIP);
        load_strip(p, i, next - i, &s);
        if (update_in_place(p, &s, (exb_range){j0, j1}, next - i))
            continue;
        for (int64_t j = j0; j < j1; j++) {
            exb_range rows =
                exb_common(exb_region_rows(p->a.region, p->m, j), (exb_range){i, next});
            if (rows.begin < rows.end)
                update_column(p, &s, j, rows.begin, rows.end - rows.begin);
        }
    }
}

/* alpha is looked at here, inside the guard: under DAZ a subnormal alpha would compare equal
 * to 0. */
EXB_NOINLINE void exb_t(apply_update)(exb_t(rank_update) *p)
{
    if (exb_is_zero(p->term[0].alpha))
        return;
    p->by_filter = exb_method_current()->filter;
    p->stats = exb_stats_current_call();
    int64_t n_blocks = exb_tasks_of(p->n, COLUMNS);
    double work = EXB_PARTS * EXB_PARTS * (double)p->m * (double)p->n;
    exb_parallel_for(exb_partition_count(work, n_blocks), n_blocks, column_block, p);
}
