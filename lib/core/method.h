/* How sums are computed. Every method gives the same bits; they exist to be
 * compared. */
#pragma once

#include "exblas/types.h"

#include <stdbool.h>

/* Which engine of Level 3 comes first; any: the one that is expected to be fastest. */
typedef enum {
    EXB_ENGINE_ANY,
    EXB_ENGINE_CHAIN,
    EXB_ENGINE_RESIDUE,
    EXB_ENGINE_GENERAL
} exb_engine;

typedef struct {
    const char *name;
    bool filter;     /* first a certified filter; the rest is for what it cannot decide */
    int n_terms;     /* of the expansion before the long accumulator; 0: none */
    bool early_exit; /* leave the expansion when nothing is left to add */
    exb_engine engine;
} exb_method;

/* The method in force, at first that of EXBLAS_METHOD. Never NULL. Also used by the libraries for
 * devices. */
EXBLAS_API const exb_method *exb_method_current(void);

/* i-th method of the table, NULL past the end. */
const exb_method *exb_method_at(int i);

/* By its name; NULL if there is none. */
EXBLAS_API const exb_method *exb_method_find(const char *name);
