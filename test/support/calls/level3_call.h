/* The routines of Level 3 by family and type. */
#pragma once

#include "level2_call.h"

typedef enum {
    L3_GEMM,
    L3_GEMMT,
    L3_BATCH,
    L3_SYMM,
    L3_HEMM,
    L3_SYRK,
    L3_HERK,
    L3_SYR2K,
    L3_HER2K,
    L3_TRMM,
    L3_TRSM,
    L3_FAMILIES
} level3_family;

/* Which arguments a routine has. */
typedef struct {
    const char *name;
    bool is_complex_only, is_hermitian;
    bool has_side, has_uplo, has_transb, has_diag, has_m, has_k, has_b, has_beta;
    bool real_alpha, real_beta; /* of the complex types */
    bool writes_triangle;
} level3_traits;

extern const level3_traits level3_family_traits[L3_FAMILIES];

/* "zher2k"; NULL if the type has no such routine. */
const char *level3_name(level3_family f, char type);

/* What its trans or transa may be: rank updates take what makes the result symmetric or Hermitian.
 */
const char *level3_transposes(level3_family f, char type);
