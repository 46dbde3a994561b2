/* Calls with arguments that may be illegal. */
#ifndef BAD_CALL_H
#define BAD_CALL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { BAD_GEMM, BAD_GEMV, BAD_TRSV, BAD_SYRK, N_BAD_ROUTINES } bad_routine;

/* In CBLAS order; option[0] is the layout. Options have CBLAS's values or ones that it
 * does not know. Dimensions: m n k; strides: lda ldb ldc, or lda incx incy. What a routine
 * does not have is not looked at. */
typedef struct {
    bad_routine routine;
    int option[4];
    int64_t dim[3];
    int64_t ld[3];
} bad_arguments;

const char *bad_routine_name(bad_routine r); /* "gemm" */

/* All combinations of a few good and bad values of each argument: sets *p to number i and
 * says whether there is one. */
bool bad_combination(bad_routine r, int64_t i, bad_arguments *p);

/* An option as a Fortran letter, '?' if it has none. */
char bad_letter(int option);

#endif
