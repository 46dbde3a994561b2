/* All public names of all routines of lib/symbols.list, called from arguments as data. */
#pragma once

#include "observe/watch.h"

#include <stdbool.h>
#include <stdint.h>

/* v: the arguments in CBLAS order (exb_value; arrays that are written, too). What a function
 * returns is stored at *result, an index as an int64_t: from 0 by CBLAS names, from 1 by Fortran's.
 * No floating-point operation takes place but the routine's. */
typedef struct {
    const char *name;
    int routine; /* its number in exb_routines */
    bool is_fortran;
    void (*call)(const exb_value *v, void *result);
} every_name;

extern const every_name every_names[]; /* the last one's name is NULL */

/* CBLAS's name. */
const every_name *every_name_of(int routine);

/* Fortran's letter for an option of CBLAS. */
const char *every_letter(int64_t option);
