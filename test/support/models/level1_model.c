#include "level1_model.h"

#include "complex_sum.h"

#include <stdlib.h>

/* A term of a sum: coefficient and number. */
typedef struct {
    double a, b;
} term;

static int parts_of(const level1_case *c)
{
    return level2_is_complex(c->type) ? 2 : 1;
}

static bool negative(double x)
{
    return bits_of(x) >> 63;
}

/* RN of the sum; an exact zero has IEEE's sign: -0 if every term is -0. */
static double rounded(int n_terms, const term *t, number_format f)
{
    static oracle o;
    static bool ready;
    bool all_negative_zero = true;
    if (!ready)
        oracle_init(&o);
    ready = true;
    oracle_reset(&o);
    for (int k = 0; k < n_terms; k++) {
        bool is_zero = t[k].a == 0 || t[k].b == 0;
        all_negative_zero &= is_zero && negative(t[k].a) != negative(t[k].b);
        oracle_add_product(&o, t[k].a, t[k].b);
    }
    double r = oracle_round(&o, f);
    return r == 0 && all_negative_zero ? -0.0 : r;
}

/* The sums of the real and the imaginary part in the making. */
typedef struct {
    int n_terms[2];
    term term[2][4];
} element;

static void add_term(element *e, int part, double a, double b)
{
    e->term[part][e->n_terms[part]++] = (term){a, b};
}

static void add_real(element *e, int parts, double c, const double *x)
{
    for (int part = 0; part < parts; part++)
        add_term(e, part, c, x[part]);
}

static void add_scaled(element *e, int parts, const double *alpha, const double *x)
{
    add_real(e, parts, alpha[0], x);
    if (parts == 2) {
        add_term(e, 0, -alpha[1], x[1]);
        add_term(e, 1, alpha[1], x[0]);
    }
}

static void finish(const element *e, int parts, number_format f, double *out)
{
    for (int part = 0; part < parts; part++)
        out[part] = e->n_terms[part] ? rounded(e->n_terms[part], e->term[part], f) : 0;
}

static bool is_zero(const double *alpha, int parts)
{
    return alpha[0] == 0 && (parts == 1 || alpha[1] == 0);
}

/* The entries h11, h12, h21, h22 that rotm's flag makes of param. */
static void matrix(const double *param, double h[4])
{
    double full[] = {param[1], param[3], param[2], param[4]};
    double implied[] = {1, 1, -1, 1};
    for (int i = 0; i < 4; i++) {
        bool on_diagonal = i == 0 || i == 3;
        bool is_implied = !(param[0] < 0) && on_diagonal == (param[0] == 0); /* NaN as 1 */
        h[i] = is_implied ? implied[i] : full[i];
    }
}

/* The new x and y of one element; x or y may be the same as in the loop before. */
static void step(const level1_case *c, double *x, double *y)
{
    int parts = parts_of(c);
    element ex = {.n_terms = {0}}, ey = {.n_terms = {0}};
    double h[] = {c->alpha[0], c->beta[0], -c->beta[0], c->alpha[0]};
    switch (c->op) {
    case LEVEL1_AXPY:
        add_scaled(&ey, parts, c->alpha, x);
        add_real(&ey, parts, 1, y);
        finish(&ey, parts, level2_format(c->type), y);
        break;
    case LEVEL1_AXPBY:
        if (!is_zero(c->alpha, parts))
            add_scaled(&ey, parts, c->alpha, x);
        if (!is_zero(c->beta, parts))
            add_scaled(&ey, parts, c->beta, y);
        finish(&ey, parts, level2_format(c->type), y);
        break;
    case LEVEL1_SCAL:
        add_scaled(&ex, parts, c->alpha, x);
        finish(&ex, parts, level2_format(c->type), x);
        break;
    case LEVEL1_REAL_SCAL:
        add_real(&ex, parts, c->alpha[0], x);
        finish(&ex, parts, level2_format(c->type), x);
        break;
    default: /* rot and rotm */
        if (c->op == LEVEL1_ROTM)
            matrix(c->param, h);
        add_real(&ex, parts, h[0], x);
        add_real(&ex, parts, h[1], y);
        add_real(&ey, parts, h[2], x);
        add_real(&ey, parts, h[3], y);
        finish(&ex, parts, level2_format(c->type), x);
        finish(&ey, parts, level2_format(c->type), y);
    }
}

static void move(level1_op op, int parts, double *x, double *y)
{
    for (int part = 0; part < parts; part++) {
        double old = y[part];
        y[part] = x[part];
        if (op == LEVEL1_SWAP)
            x[part] = old;
    }
}

/* |x| or |re| + |im|, exactly; NaN and Inf as such. */
static void magnitude(mpfr_t m, const double *x, int parts)
{
    mpfr_set_d(m, x[0], MPFR_RNDN);
    mpfr_abs(m, m, MPFR_RNDN);
    if (parts == 2 && mpfr_add_d(m, m, x[1] < 0 ? -x[1] : x[1], MPFR_RNDN) != 0)
        abort();
}

static void find_largest(level1_case *c)
{
    int parts = parts_of(c);
    mpfr_t best, m;
    c->index = 0;
    if (c->n <= 0 || c->incx <= 0)
        return;
    mpfr_inits2(2200, best, m, (mpfr_ptr)0);
    for (int64_t i = 0; i < c->n && !(c->index && mpfr_nan_p(best)); i++) {
        magnitude(m, c->x + i * c->incx * parts, parts);
        if (c->index == 0 || mpfr_nan_p(m) || mpfr_cmp(m, best) > 0) {
            mpfr_set(best, m, MPFR_RNDN);
            c->index = i + 1;
        }
    }
    mpfr_clears(best, m, (mpfr_ptr)0);
}

static bool returns_at_once(const level1_case *c)
{
    bool scales = c->op == LEVEL1_SCAL || c->op == LEVEL1_REAL_SCAL;
    return c->n <= 0 || (scales && c->incx <= 0) ||
           (c->op == LEVEL1_AXPY && is_zero(c->alpha, parts_of(c))) ||
           (c->op == LEVEL1_ROTM && c->param[0] == -2);
}

void level1_model(level1_case *c)
{
    int parts = parts_of(c);
    if (c->op == LEVEL1_IAMAX) {
        find_largest(c);
        return;
    }
    if (returns_at_once(c))
        return;
    int64_t ix = c->incx < 0 ? (1 - c->n) * c->incx : 0;
    int64_t iy = c->incy < 0 ? (1 - c->n) * c->incy : 0;
    for (int64_t i = 0; i < c->n; i++, ix += c->incx, iy += c->incy) {
        if (c->op == LEVEL1_COPY || c->op == LEVEL1_SWAP)
            move(c->op, parts, c->x + ix * parts, c->y + iy * parts);
        else
            step(c, c->x + ix * parts, c->y + iy * parts);
    }
}
