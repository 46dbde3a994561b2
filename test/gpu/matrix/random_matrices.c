#include "random_matrices.h"

#include "adversarial.h"

#include <stdlib.h>

size_t random_matrices_kinds(void)
{
    return factors_kinds() + 1;
}

static double *numbers(int64_t n)
{
    double *x = calloc(n > 0 ? (size_t)n : 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

static void fill_pair(size_t kind, test_random *r, number_format f, int64_t n, double *x, double *y)
{
    if (kind < factors_kinds()) {
        factors_fill(kind, r, f, n, x, y);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        x[i] = random_number(r, f, (int)random_between(r, -3, 3));
        y[i] = random_number(r, f, (int)random_between(r, -3, 3));
    }
}

/* n vectors of k elements, vector v's element l at p[v * vs + l * ls], and the same of q with nq
 * vectors: vector v of one and vector v of the other have a hard product. */
typedef struct {
    double *p;
    int64_t n, vs, ls;
} vectors;

static void fill(test_random *r, number_format f, size_t kind, int64_t k, vectors p, vectors q)
{
    double *x = numbers(k), *y = numbers(k);
    for (int64_t v = 0; v < p.n || v < q.n; v++) {
        fill_pair(kind, r, f, k, x, y);
        for (int64_t l = 0; l < k; l++) {
            if (v < p.n)
                p.p[v * p.vs + l * p.ls] = x[l];
            if (v < q.n)
                q.p[v * q.vs + l * q.ls] = y[l];
        }
    }
    free(x);
    free(y);
}

static vectors rows(double *p, matrix_shape s, bool of_transposed)
{
    return of_transposed ? (vectors){p, s.n_cols, s.n_rows, 1}
                         : (vectors){p, s.n_rows, 1, s.n_rows};
}

static void fill_terms(test_random *r, number_format f, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = random_number(r, f, (int)random_between(r, -30, 30));
}

random_matrices random_matrices_make(test_random *r, const blas_case *shape, size_t kind)
{
    random_matrices m = {.call = *shape};
    blas_case *c = &m.call;
    number_format f = blas_input_format(c);
    matrix_shape s = blas_a_shape(c), t = blas_b_shape(c);
    int64_t n_in = c->op == OP_GEMM ? t.n_rows * t.n_cols : blas_x_length(c);
    int64_t n_out = c->op == OP_TRSV ? 1 : (int64_t)blas_result_length(c);
    bool is_transposed = c->transa != 'n';
    m.a = numbers(s.n_rows * s.n_cols);
    m.in = numbers(n_in);
    m.out = numbers(n_out);
    fill_terms(r, f, n_out, m.out);
    vectors a = rows(m.a, s, is_transposed);
    vectors in = c->op == OP_GEMM ? rows(m.in, t, c->transb == 'n') : (vectors){m.in, 1, 0, 1};
    fill(r, f, kind, c->op == OP_GEMM ? c->k : blas_x_length(c), a, in);
    c->a = m.a;
    c->b = c->x = m.in;
    c->c = c->y = m.out;
    return m;
}

void random_matrices_free(random_matrices *m)
{
    free(m->a);
    free(m->in);
    free(m->out);
}
