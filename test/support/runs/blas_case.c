#include "blas_case.h"

#include <stdio.h>

void blas_case_name(const blas_case *c, char name[8])
{
    static const char *const names[N_OPS] = {"sum", "asum", "nrm2", "dot", "dsdot", "sdsdot"};
    const char *type = c->op == OP_DSDOT || c->op == OP_SDSDOT ? "" : c->type == 's' ? "s" : "d";
    snprintf(name, 8, "%s%s", type, names[c->op]);
}

number_format blas_input_format(const blas_case *c)
{
    return c->type == 's' ? FORMAT_S : FORMAT_D;
}

number_format blas_output_format(const blas_case *c)
{
    return c->op == OP_DSDOT ? FORMAT_D : blas_input_format(c);
}

bool blas_op_has_y(blas_op op)
{
    return op >= OP_DOT;
}
