/* The one place that calls the library's BLAS entries: arguments as data, so
 * that every form of a routine is called from the same description. */
#ifndef BLAS_CALL_H
#define BLAS_CALL_H

#include "blas_case.h"

typedef enum { FORM_CBLAS, FORM_CBLAS_64, FORM_FORTRAN, FORM_FORTRAN_64, N_FORMS } call_form;

/* Pointers are to elements of the routine's type, alpha, beta and result
 * included: between building this and looking at the result no floating-point
 * operation takes place, because the environment may be hostile meanwhile. */
typedef struct {
    blas_op op;
    char type;
    bool row_major; /* CBLAS forms only */
    char transa, transb, uplo, diag;
    int64_t m, n, k;
    int64_t incx, incy, lda, ldb, ldc;
    const void *alpha, *beta;
    const void *a, *b;
    void *x, *y, *c; /* x and y are also outputs, of trsv and gemv */
    void *result;    /* of level 1 */
} blas_arguments;

const char *call_form_name(call_form form);
void blas_call(call_form form, const blas_arguments *p);

#endif
