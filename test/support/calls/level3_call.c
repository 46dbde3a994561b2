#include "level3_call.h"

#include <string.h>

const level3_traits level3_family_traits[L3_FAMILIES] = {
    [L3_GEMM] = {"gemm", .has_transb = true, .has_m = true, .has_k = true, .has_b = true,
                 .has_beta = true},
    [L3_GEMMT] = {"gemmt", .has_uplo = true, .has_transb = true, .has_k = true, .has_b = true,
                  .has_beta = true, .writes_triangle = true},
    [L3_BATCH] = {"gemm_batch_strided", .has_transb = true, .has_m = true, .has_k = true,
                  .has_b = true, .has_beta = true},
    [L3_SYMM] = {"symm", .has_side = true, .has_uplo = true, .has_m = true, .has_b = true,
                 .has_beta = true},
    [L3_HEMM] = {"hemm", .is_complex_only = true, .is_hermitian = true, .has_side = true,
                 .has_uplo = true, .has_m = true, .has_b = true, .has_beta = true},
    [L3_SYRK] = {"syrk", .has_uplo = true, .has_k = true, .has_beta = true,
                 .writes_triangle = true},
    [L3_HERK] = {"herk", .is_complex_only = true, .is_hermitian = true, .has_uplo = true,
                 .has_k = true, .has_beta = true, .real_alpha = true, .real_beta = true,
                 .writes_triangle = true},
    [L3_SYR2K] = {"syr2k", .has_uplo = true, .has_k = true, .has_b = true, .has_beta = true,
                  .writes_triangle = true},
    [L3_HER2K] = {"her2k", .is_complex_only = true, .is_hermitian = true, .has_uplo = true,
                  .has_k = true, .has_b = true, .has_beta = true, .real_beta = true,
                  .writes_triangle = true},
    [L3_TRMM] = {"trmm", .has_side = true, .has_uplo = true, .has_diag = true, .has_m = true},
    [L3_TRSM] = {"trsm", .has_side = true, .has_uplo = true, .has_diag = true, .has_m = true},
};

const char *level3_name(level3_family f, char type)
{
    static char name[24];
    const level3_traits *t = &level3_family_traits[f];
    if (t->is_complex_only && !level2_is_complex(type))
        return NULL;
    name[0] = type;
    strcpy(name + 1, t->name);
    return name;
}

const char *level3_transposes(level3_family f, char type)
{
    const level3_traits *t = &level3_family_traits[f];
    bool is_update = t->has_k && !t->has_transb;
    return !is_update || !level2_is_complex(type) ? "ntc" : t->is_hermitian ? "nc" : "nt";
}
