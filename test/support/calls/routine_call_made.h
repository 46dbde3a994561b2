/* What routine_calls.py makes. */
#pragma once

#include "observe/watch.h"
#include "routine_call.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <string.h>

typedef struct {
    const char *name;
    void (*run[N_FORMS])(const routine_call *q);
} routine_entry;

extern const routine_entry routine_entries[]; /* by name */
extern const size_t n_routine_entries;

/* Every public name of every routine. take: the call that these arguments are, in CBLAS's order;
 * neither function computes anything but the routine. */
typedef struct {
    const char *name; /* "excblas_dgemm_64" */
    int routine;      /* its number in exb_routines */
    call_form form;
    void (*run)(const routine_call *q);
    void (*take)(routine_call *q, const exb_value *v);
} routine_name;

extern const routine_name routine_names[]; /* the last one's name is NULL */

/* CBLAS's value of option number i of `letters`, the first of which is `first`; of y and z the
 * values next to those, of others 0. */
static inline int option(const char *letters, int first, char letter)
{
    const char *at = strchr(letters, letter);
    return at              ? first + (int)(at - letters)
           : letter == 'y' ? first - 1
           : letter == 'z' ? first + (int)strlen(letters)
                           : 0;
}
