/* The exact solution of a system of equations, by elimination in rational numbers. */
#include <gmp.h> /* first: MPFR then has what takes mpq_t */

#include "oracle.h"
#include "system_case.h"

typedef struct {
    int n, n_columns;
    mpq_t e[SYSTEM_MOST][SYSTEM_MOST + SYSTEM_MOST_RIGHT];
} tableau;

static void tableau_init(tableau *t, int n, int n_columns)
{
    t->n = n;
    t->n_columns = n_columns;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n_columns; j++)
            mpq_init(t->e[i][j]);
}

static void tableau_clear(tableau *t)
{
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->n_columns; j++)
            mpq_clear(t->e[i][j]);
}

static void set_general(tableau *t, const system_case *c)
{
    for (int i = 0; i < c->n; i++) {
        for (int j = 0; j < c->n; j++)
            mpq_set_d(t->e[i][j], c->a[i][j]);
        for (int k = 0; k < c->nrhs; k++)
            mpq_set_d(t->e[i][c->n + k], c->b[i][k]);
    }
}

/* Row i minus a multiple of row k, so that its element k becomes 0. */
static void reduce_row(tableau *t, int i, int k)
{
    mpq_t factor, product;
    mpq_inits(factor, product, NULL);
    mpq_div(factor, t->e[i][k], t->e[k][k]);
    for (int j = k; j < t->n_columns; j++) {
        mpq_mul(product, factor, t->e[k][j]);
        mpq_sub(t->e[i][j], t->e[i][j], product);
    }
    mpq_clears(factor, product, NULL);
}

static bool bring_pivot(tableau *t, int k)
{
    int i = k;
    while (i < t->n && mpq_sgn(t->e[i][k]) == 0)
        i++;
    for (int j = 0; i < t->n && j < t->n_columns; j++)
        mpq_swap(t->e[i][j], t->e[k][j]);
    return i < t->n;
}

/* Gauss and Jordan; false if there is no inverse. */
static bool eliminate(tableau *t)
{
    for (int k = 0; k < t->n; k++) {
        if (!bring_pivot(t, k))
            return false;
        for (int i = 0; i < t->n; i++)
            if (i != k && mpq_sgn(t->e[i][k]) != 0)
                reduce_row(t, i, k);
    }
    return true;
}

static double round_ratio(const mpq_t q, number_format f)
{
    mpfr_t value;
    mpfr_init2(value, ORACLE_GUARD_BITS);
    bool inexact = mpfr_set_q(value, q, MPFR_RNDZ) != 0;
    double r = oracle_round_exact(value, inexact, f);
    mpfr_clear(value);
    return r;
}

static void take_solution(tableau *t, const system_case *c,
                          double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT])
{
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->nrhs; k++) {
            mpq_div(q, t->e[i][t->n + k], t->e[i][i]);
            x[i][k] = round_ratio(q, c->format);
        }
    mpq_clear(q);
}

exblas_status system_model(const system_case *c, double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT])
{
    static tableau t;
    tableau_init(&t, c->n, c->n + c->nrhs);
    set_general(&t, c);
    bool regular = eliminate(&t);
    if (regular)
        take_solution(&t, c, x);
    tableau_clear(&t);
    return regular ? EXBLAS_OK : EXBLAS_ESINGULAR;
}
