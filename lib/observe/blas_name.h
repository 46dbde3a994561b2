/* What a symbol's name says: whose routine it is and under which naming. */
#pragma once

#include <stdbool.h>

typedef enum {
    EXB_NAME_OTHER,    /* not BLAS's, or LAPACK's: exb_is_lapack_form tells */
    EXB_NAME_COVERED,  /* a routine of the list in a naming that the drop-in objects have */
    EXB_NAME_PREFIXED, /* a routine of the list in a naming that they do not have */
    EXB_NAME_EXTENSION /* a routine that BLAS libraries add */
} exb_name_kind;

exb_name_kind exb_name_of(const char *symbol);

/* Whether two names, of kinds EXB_NAME_PREFIXED and EXB_NAME_COVERED, are of one routine. */
bool exb_name_wraps(const char *prefixed, const char *covered);

/* A letter s, d, c, z, three to fifteen letters, digits or underscores and a Fortran suffix,
 * perhaps after scipy_; or the like after LAPACKE_. */
int exb_is_lapack_form(const char *symbol);
