#include "hard_case_internal.h"

#include "oracle.h"

#include <math.h>

/* A stored row or column gets the vector v at a scale of its own, so that its sum
 * with the other vector stays as hard as it was. */
static void set_line(hard_case *h, test_random *r, double *matrix, matrix_shape s, bool line_is_row,
                     int64_t line, const double *v)
{
    number_format f = blas_input_format(&h->call);
    int64_t n_terms = line_is_row ? s.n_cols : s.n_rows;
    int exp2 = (int)random_between(r, -8, 8);
    double sign = random_sign(r);
    for (int64_t l = 0; l < n_terms; l++) {
        double x = sign * scale_if_exact(v[l], exp2, f);
        matrix[line_is_row ? l * s.n_rows + line : line * s.n_rows + l] = x;
    }
}

static void set_lines(hard_case *h, test_random *r, double *matrix, matrix_shape s,
                      bool lines_are_rows, const double *v)
{
    for (int64_t i = 0; i < (lines_are_rows ? s.n_rows : s.n_cols); i++)
        set_line(h, r, matrix, s, lines_are_rows, i, v);
}

/* The terms u v of one hard sum: u becomes each row of op(a), v each column of
 * op(b), or x. For syrk every other row of op(a) is a v. */
static void fill_factors(hard_case *h, test_random *r, size_t kind)
{
    blas_case *c = &h->call;
    double u[HARD_MAX_TERMS], v[HARD_MAX_TERMS];
    int64_t n_terms = c->op == OP_GEMV ? blas_x_length(c) : c->k;
    factors_fill(kind, r, blas_input_format(c), n_terms, u, v);
    matrix_shape a = blas_a_shape(c);
    set_lines(h, r, h->a, a, c->transa == 'n', u);
    if (c->op == OP_GEMV)
        memcpy(h->x, v, (size_t)n_terms * sizeof *v);
    if (c->op == OP_GEMM)
        set_lines(h, r, h->b, blas_b_shape(c), c->transb != 'n', v);
    if (c->op == OP_SYRK)
        for (int64_t i = 1; i < c->n; i += 2)
            set_line(h, r, h->a, a, c->transa == 'n', i, v);
}

/* What is added to r = RN(alpha S): its negative (what remains is the rounding
 * error), half its last place (a tie where S is a number), something of its size,
 * or anything. */
static double addend(hard_case *h, test_random *r, double rounded)
{
    number_format f = blas_input_format(&h->call);
    double beta = h->call.beta, quotient = rounded / beta;
    switch (random_between(r, 0, 5)) {
    case 0:
    case 1:
        return round_to(f, -quotient);
    case 2:
    case 3:
        return round_to(f, random_sign(r) * half_ulp(rounded, f) / beta);
    case 4:
        return round_to(f, quotient * (double)random_between(r, -9, 9));
    default:
        return random_number(r, f, middle_exponent(r, f));
    }
}

static void fill_added(hard_case *h, test_random *r)
{
    blas_case *c = &h->call;
    double *added = c->op == OP_GEMV ? h->y : h->c;
    size_t n = blas_result_length(c);
    blas_case product = *c;
    product.beta = 0;
    oracle_blas(&product, added);
    for (size_t i = 0; i < n; i++)
        added[i] = addend(h, r, added[i]);
}

static double scalar(test_random *r, number_format f)
{
    switch (random_between(r, 0, 7)) {
    case 0:
        return random_scalar(r, f);
    case 1:
        return random_number(r, f, (int)random_between(r, -2, 2));
    case 2:
        return -1;
    case 3:
        return ldexp(1, (int)random_between(r, -9, 9));
    default:
        return 1;
    }
}

void hard_product(hard_case *h, test_random *r, blas_op op, char type, size_t kind, int side,
                  int n_terms)
{
    hard_case_start(h, r, op, type, factors_kind_name(kind));
    blas_case *c = &h->call;
    c->m = random_between(r, 1, side);
    c->n = random_between(r, 1, side);
    c->k = random_between(r, 1, n_terms);
    if (op == OP_GEMV && c->transa == 'n')
        c->n = random_between(r, 1, n_terms);
    else if (op == OP_GEMV)
        c->m = random_between(r, 1, n_terms);
    c->alpha = scalar(r, blas_input_format(c));
    c->beta = scalar(r, blas_input_format(c));
    fill_factors(h, r, kind);
    fill_added(h, r);
}
