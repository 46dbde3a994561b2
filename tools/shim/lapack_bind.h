/* The jumps of LAPACK's names: where they lead, and what is told of calls through them.
 *
 * Function number i, of 2 * exb_lapack_count, takes 32-bit integers if i < exb_lapack_count, else
 * 64-bit ones. Its slot, which its jump reads, is NULL until the first call is made, and leads then
 * to the function itself, to its door or, while calls are watched, to its watcher. */
#pragma once

#include "dropin_real.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Memory of the object that has a function; empty: not known. */
typedef struct {
    _Atomic(uintptr_t) begin, end;
} exb_lapack_place;

/* Made by lapack_jumps.py. */
extern const unsigned exb_lapack_count;
extern const char *const exb_lapack_names[]; /* without underscore: dgesv */
extern _Atomic(exb_function *) exb_lapack_targets[];
extern exb_lapack_place exb_lapack_places[];
extern exb_function *const exb_lapack_doors[];    /* NULL: it needs none */
extern exb_function *const exb_lapack_watchers[]; /* NULL: its arguments are not known */
extern _Atomic(exb_function *) exb_lapack_slots[];
extern char exb_lapack_only_watches; /* EXBLAS_LAPACK=program: results stay what they are */

/* Finds the function, sets its slot and returns what to call now. Ends the process with status 127
 * if no library has the function, as the dynamic linker would have. Thread-safe. */
exb_function *exb_lapack_bind(unsigned number, const void *caller);

/* For doors and watchers: the function, which has been bound; its door if it has one; and whether a
 * caller is inside the library that has it, whose own calls are not told of and pass the doors by.
 */
exb_function *exb_lapack_target(unsigned number);
exb_function *exb_lapack_entry(unsigned number);
bool exb_lapack_is_inside(unsigned number, const void *caller);
