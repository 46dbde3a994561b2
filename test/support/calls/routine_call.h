/* Calls of the routines of lib/symbols.list as data: every routine, type and name from one
 * description, by the routine's name. */
#pragma once

#include <stdint.h>

typedef enum { FORM_CBLAS, FORM_CBLAS_64, FORM_FORTRAN, FORM_FORTRAN_64, N_FORMS } call_form;

const char *call_form_name(call_form form);

/* The arguments that the routine has count. Options are small letters, r or c for the layout; x, y
 * and z stand for values that do not exist. transa is trans, sb and rot's c are alpha, its s is
 * beta, a packed matrix is a; rotmg's d1 d2 x1 y1 are x y a beta. Pointers are to elements of the
 * routine's type: between the description and a look at what it has written no floating-point
 * operation takes place but the routine's, because the environment may be hostile meanwhile. An
 * index is an int64_t from 1, 0 for none; CBLAS's names say 1 for none, too. */
typedef struct {
    char layout, side, uplo, trans, transb, diag;
    int64_t m, n, k, kl, ku, lda, ldb, ldc, incx, incy, stridea, strideb, stridec, batch;
    const void *alpha, *beta;
    void *a, *b, *c, *s, *x, *y, *param, *result;
} routine_call;

void routine_run(const char *name, call_form form, const routine_call *q);
