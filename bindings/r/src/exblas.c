/* What R calls: vectors and matrices of doubles, checked in R. */
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

#include <exblas/accumulator.h>
#include <exblas/cblas.h>

static exblas_acc sum_of(SEXP x)
{
    exblas_acc a;
    exblas_acc_init(&a);
    exblas_acc_add_vector(&a, XLENGTH(x), REAL(x), 1);
    return a;
}

static exblas_acc dot_of(SEXP x, SEXP y)
{
    exblas_acc a;
    exblas_acc_init(&a);
    exblas_acc_add_dot(&a, XLENGTH(x), REAL(x), 1, REAL(y), 1);
    return a;
}

static SEXP sum(SEXP x)
{
    exblas_acc a = sum_of(x);
    return ScalarReal(exblas_acc_to_double(&a));
}

static SEXP dot(SEXP x, SEXP y)
{
    exblas_acc a = dot_of(x, y);
    return ScalarReal(exblas_acc_to_double(&a));
}

static SEXP mean(SEXP x)
{
    exblas_acc a = sum_of(x);
    return ScalarReal(exblas_acc_quotient_to_format(&a, (double)XLENGTH(x), EXBLAS_DOUBLE));
}

static SEXP var(SEXP x)
{
    exblas_acc a = sum_of(x), squares = dot_of(x, x);
    exblas_moment m = {XLENGTH(x), 1, &squares, {&a}, {&a}};
    return ScalarReal(exblas_moment_to_format(&m, m.n - 1, EXBLAS_DOUBLE));
}

static SEXP crossprod(SEXP x, SEXP y)
{
    exblas_int64 k = nrows(x), m = ncols(x), n = ncols(y), ld = k > 1 ? k : 1;
    SEXP r = PROTECT(allocMatrix(REALSXP, (int)m, (int)n));
    excblas_dgemm_64(EXBLAS_COL_MAJOR, EXBLAS_TRANS, EXBLAS_NO_TRANS, m, n, k, 1, REAL(x), ld,
                     REAL(y), ld, 0, REAL(r), m > 1 ? m : 1);
    UNPROTECT(1);
    return r;
}

static const R_CallMethodDef functions[] = {{"sum", (DL_FUNC)sum, 1},
                                            {"dot", (DL_FUNC)dot, 2},
                                            {"mean", (DL_FUNC)mean, 1},
                                            {"var", (DL_FUNC)var, 1},
                                            {"crossprod", (DL_FUNC)crossprod, 2},
                                            {NULL, NULL, 0}};

void R_init_exblas(DllInfo *library)
{
    R_registerRoutines(library, NULL, functions, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
}
