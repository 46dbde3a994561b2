/* What a symbol's name says: whose routine it is and under which naming. */
#ifndef EXB_BLAS_NAME_H
#define EXB_BLAS_NAME_H

typedef enum {
    EXB_NAME_OTHER,    /* not BLAS's, or LAPACK's: exb_is_lapack_form tells */
    EXB_NAME_COVERED,  /* a routine of the list in a naming that the drop-in objects have */
    EXB_NAME_PREFIXED, /* a routine of the list in a naming that they do not have */
    EXB_NAME_EXTENSION /* a routine that BLAS libraries add */
} exb_name_kind;

exb_name_kind exb_name_of(const char *symbol);

/* A letter s, d, c, z, three to fifteen letters, digits or underscores and a Fortran suffix,
 * perhaps after scipy_; or the like after LAPACKE_. */
int exb_is_lapack_form(const char *symbol);

#endif
