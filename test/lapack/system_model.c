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

/* e += a x. */
static void add_product(mpq_t e, double a, double x)
{
    mpq_t p, q;
    mpq_inits(p, q, NULL);
    mpq_set_d(p, a);
    mpq_set_d(q, x);
    mpq_mul(p, p, q);
    mpq_add(e, e, p);
    mpq_clears(p, q, NULL);
}

/* (A | b), or for gels (A' A | A' b), of a wide A (A A' | b). */
static void set_tableau(tableau *t, const system_case *c)
{
    bool gels = c->routine == SYSTEM_GELS, tall = c->m >= c->n;
    for (int i = 0; i < t->n; i++) {
        for (int j = 0; j < t->n; j++)
            for (int k = 0; k < (gels ? (tall ? c->m : c->n) : 1); k++)
                add_product(t->e[i][j], gels ? (tall ? c->a[k][i] : c->a[i][k]) : c->a[i][j],
                            gels ? (tall ? c->a[k][j] : c->a[j][k]) : 1);
        for (int j = 0; j < c->nrhs; j++)
            for (int k = 0; k < (gels && tall ? c->m : 1); k++)
                add_product(t->e[i][t->n + j], gels && tall ? c->a[k][i] : 1,
                            gels && tall ? c->b[k][j] : c->b[i][j]);
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

/* Gauss and Jordan. Without exchanges the pivots tell the signs of the leading minors. */
static exblas_status eliminate(tableau *t, bool definite)
{
    for (int k = 0; k < t->n; k++) {
        if (definite && mpq_sgn(t->e[k][k]) <= 0)
            return EXBLAS_EINDEFINITE;
        if (!bring_pivot(t, k))
            return EXBLAS_ESINGULAR;
        for (int i = 0; i < t->n; i++)
            if (i != k && mpq_sgn(t->e[i][k]) != 0)
                reduce_row(t, i, k);
    }
    return EXBLAS_OK;
}

static double round_ratio(const mpq_t q, number_format f)
{
    MPFR(value, ORACLE_GUARD_BITS);
    bool inexact = mpfr_set_q(value, q, MPFR_RNDZ) != 0;
    return oracle_round_exact(value, inexact, f);
}

/* Component i of solution k: that of the tableau, or of A' times it. */
static void component(mpq_t x, tableau *t, const system_case *c, int i, int k)
{
    mpq_t q, a;
    if (c->routine != SYSTEM_GELS || c->m >= c->n) {
        mpq_div(x, t->e[i][t->n + k], t->e[i][i]);
        return;
    }
    mpq_inits(q, a, NULL);
    mpq_set_si(x, 0, 1);
    for (int j = 0; j < t->n; j++) {
        mpq_div(q, t->e[j][t->n + k], t->e[j][j]);
        mpq_set_d(a, c->a[j][i]);
        mpq_mul(q, q, a);
        mpq_add(x, x, q);
    }
    mpq_clears(q, a, NULL);
}

static void take_solution(tableau *t, const system_case *c,
                          double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT])
{
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->nrhs; k++) {
            component(q, t, c, i, k);
            x[i][k] = round_ratio(q, c->format);
        }
    mpq_clear(q);
}

exblas_status system_model(const system_case *c, double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT])
{
    static tableau t;
    int n = c->m < c->n ? c->m : c->n;
    tableau_init(&t, n, n + c->nrhs);
    set_tableau(&t, c);
    exblas_status status = eliminate(&t, c->routine == SYSTEM_POSV);
    if (status == EXBLAS_OK)
        take_solution(&t, c, x);
    tableau_clear(&t);
    return status;
}
