#include "blas_case.h"

#include <stdio.h>

const char *blas_op_name(blas_op op)
{
    static const char *const names[N_OPS] = {"sum",    "asum", "nrm2", "dot",  "dsdot",
                                             "sdsdot", "gemv", "trsv", "gemm", "syrk"};
    return names[op];
}

void blas_case_name(const blas_case *c, char name[8])
{
    const char *type = c->op == OP_DSDOT || c->op == OP_SDSDOT ? "" : c->type == 's' ? "s" : "d";
    snprintf(name, 8, "%s%s", type, blas_op_name(c->op));
}

void blas_case_text(const blas_case *c, char text[160])
{
    char name[8];
    blas_case_name(c, name);
    int n = snprintf(text, 160, "%s n=%lld", name, (long long)c->n);
    if (blas_op_is_level1(c->op) && c->op != OP_SDSDOT)
        return;
    if (c->op == OP_TRSV)
        snprintf(text + n, 160 - (size_t)n, " uplo=%c trans=%c diag=%c", c->uplo, c->transa,
                 c->diag);
    else
        snprintf(text + n, 160 - (size_t)n, " m=%lld k=%lld trans=%c%c uplo=%c alpha=%a beta=%a",
                 (long long)c->m, (long long)c->k, c->transa, c->transb ? c->transb : '-',
                 c->uplo ? c->uplo : '-', c->alpha, c->beta);
}

number_format blas_input_format(const blas_case *c)
{
    return c->type == 's' ? FORMAT_S : FORMAT_D;
}

number_format blas_output_format(const blas_case *c)
{
    return c->op == OP_DSDOT ? FORMAT_D : blas_input_format(c);
}

bool blas_op_is_level1(blas_op op)
{
    return op <= OP_SDSDOT;
}

static int64_t at_least_0(int64_t n)
{
    return n > 0 ? n : 0;
}

int64_t blas_x_length(const blas_case *c)
{
    if (c->op == OP_GEMM || c->op == OP_SYRK)
        return 0;
    return c->op == OP_GEMV && c->transa != 'n' ? c->m : at_least_0(c->n);
}

int64_t blas_y_length(const blas_case *c)
{
    if (c->op == OP_GEMV)
        return c->transa == 'n' ? c->m : c->n;
    return c->op == OP_DOT || c->op == OP_DSDOT || c->op == OP_SDSDOT ? at_least_0(c->n) : 0;
}

static matrix_shape oriented(int64_t n_rows, int64_t n_cols, char trans)
{
    bool straight = trans == 'n';
    return (matrix_shape){straight ? n_rows : n_cols, straight ? n_cols : n_rows, 0, false};
}

matrix_shape blas_a_shape(const blas_case *c)
{
    switch (c->op) {
    case OP_GEMV:
        return oriented(c->m, c->n, 'n');
    case OP_TRSV:
        return (matrix_shape){c->n, c->n, c->uplo, c->diag == 'u'};
    case OP_GEMM:
        return oriented(c->m, c->k, c->transa);
    case OP_SYRK:
        return oriented(c->n, c->k, c->transa);
    default:
        return (matrix_shape){0};
    }
}

matrix_shape blas_b_shape(const blas_case *c)
{
    return c->op == OP_GEMM ? oriented(c->k, c->n, c->transb) : (matrix_shape){0};
}

matrix_shape blas_c_shape(const blas_case *c)
{
    if (c->op == OP_SYRK)
        return (matrix_shape){c->n, c->n, c->uplo, false};
    return c->op == OP_GEMM ? oriented(c->m, c->n, 'n') : (matrix_shape){0};
}

bool shape_contains(matrix_shape s, int64_t row, int64_t col)
{
    if (row == col)
        return !s.unit_diag;
    return !s.uplo || (s.uplo == 'l') == (row > col);
}

size_t blas_result_length(const blas_case *c)
{
    if (blas_op_is_level1(c->op))
        return 1;
    if (c->op == OP_GEMV)
        return (size_t)blas_y_length(c);
    if (c->op == OP_TRSV)
        return (size_t)c->n;
    matrix_shape s = blas_c_shape(c);
    return (size_t)(s.n_rows * s.n_cols);
}

bool blas_reads_a_b_x(const blas_case *c)
{
    bool has_alpha = c->op == OP_GEMV || c->op == OP_GEMM || c->op == OP_SYRK;
    return !has_alpha || c->alpha != 0;
}

bool blas_reads_c_y(const blas_case *c)
{
    if (c->op == OP_GEMV && (c->m == 0 || c->n == 0))
        return true; /* y keeps its value, whatever beta */
    bool has_beta = c->op == OP_GEMV || c->op == OP_GEMM || c->op == OP_SYRK;
    return !has_beta || c->beta != 0;
}
