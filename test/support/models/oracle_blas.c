#include "oracle.h"

#include <math.h>

double oracle_blas(const blas_case *c)
{
    number_format f = blas_output_format(c);
    oracle s;
    oracle_init(&s);
    if (c->op == OP_SDSDOT)
        oracle_add(&s, c->alpha);
    for (int64_t i = 0; i < c->n; i++)
        if (c->op == OP_SUM || c->op == OP_ASUM)
            oracle_add(&s, c->op == OP_ASUM ? fabs(c->x[i]) : c->x[i]);
        else
            oracle_add_product(&s, c->x[i], blas_op_has_y(c->op) ? c->y[i] : c->x[i]);
    bool returns = c->op == OP_SDSDOT && c->n <= 0;
    double r = returns ? c->alpha : c->op == OP_NRM2 ? oracle_root(&s, f) : oracle_round(&s, f);
    oracle_clear(&s);
    return r;
}
