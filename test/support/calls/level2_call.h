/* The routines of Level 2 by family and type. */
#pragma once

#include "routine_call.h"

#include <stdbool.h>

/* What is computed; in the complex types SYMV ... are the Hermitian routines and GER is geru. */
typedef enum {
    L2_GEMV,
    L2_GBMV,
    L2_SYMV,
    L2_SBMV,
    L2_SPMV,
    L2_TRMV,
    L2_TBMV,
    L2_TPMV,
    L2_TRSV,
    L2_TBSV,
    L2_TPSV,
    L2_GER,
    L2_GERC, /* complex only */
    L2_SYR,
    L2_SPR,
    L2_SYR2,
    L2_SPR2,
    L2_FAMILIES
} level2_family;

typedef enum { SHAPE_GENERAL, SHAPE_SYMMETRIC, SHAPE_TRIANGLE } level2_shape;
typedef enum { STORED_FULL, STORED_BAND, STORED_PACKED } level2_storage;

typedef struct {
    const char *real, *complex; /* "symv", "hemv"; NULL: not in these types */
    level2_shape shape;
    level2_storage storage;
    bool updates, solves, has_beta, has_y;
} level2_traits;

extern const level2_traits level2_family_traits[L2_FAMILIES];

bool level2_is_complex(char type);
/* "zhemv"; NULL if the type has no such routine. */
const char *level2_name(level2_family f, char type);
