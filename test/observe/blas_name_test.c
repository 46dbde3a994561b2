/* Whose routine a symbol is, by its name alone. */
#include "testing.h"

#include "observe/blas_name.h"

#include <string.h>

static void namings(NO_STATE)
{
    static const struct {
        const char *symbol;
        exb_name_kind kind;
    } t[] = {{"dgemm_", EXB_NAME_COVERED},
             {"dgemm", EXB_NAME_OTHER},
             {"cblas_dgemm", EXB_NAME_COVERED},
             {"cblas_dgemm64_", EXB_NAME_COVERED},
             {"scipy_dgemm_64_", EXB_NAME_COVERED},
             {"cblas_zdotc_sub", EXB_NAME_COVERED},
             {"mkl_blas_dgemm", EXB_NAME_PREFIXED},
             {"dgemmt_", EXB_NAME_COVERED},
             {"dgemmtr_64_", EXB_NAME_COVERED},
             {"cblas_zgemm_batch", EXB_NAME_COVERED},
             {"cblas_dgemm_batch_strided", EXB_NAME_COVERED},
             {"dgemm_batch_strided_", EXB_NAME_OTHER},
             {"dsymm3m_", EXB_NAME_EXTENSION},
             {"cblas_dsum", EXB_NAME_COVERED},
             {"dsum_", EXB_NAME_EXTENSION},
             {"csymv_", EXB_NAME_OTHER}, /* LAPACK's */
             {"cblas_csymv", EXB_NAME_COVERED},
             {"dsum", EXB_NAME_OTHER},
             {"cblas_xerbla", EXB_NAME_OTHER},
             {"cblas_openblas", EXB_NAME_EXTENSION}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (exb_name_of(t[i].symbol) != t[i].kind)
            fail_msg("%s is said to be %d", t[i].symbol, (int)exb_name_of(t[i].symbol));
}

/* Symbols of C++ are long. What has no room is nobody's, from 64 letters on. */
static void long_names(NO_STATE)
{
    char symbol[80];
    for (size_t n = 60; n < 70; n++) {
        memset(symbol, 'x', n);
        strcpy(symbol + n - strlen("_dgemm"), "_dgemm");
        assert_int_equal(exb_name_of(symbol), n < 64 ? EXB_NAME_PREFIXED : EXB_NAME_OTHER);
        memset(symbol, 'd', n);
        strcpy(symbol + n - 1, "_");
        assert_false(exb_is_lapack_form(symbol));
    }
}

static void lapack_forms(NO_STATE)
{
    static const char *const are[] = {"dgesv_",           "scipy_zheevd_64_", "LAPACKE_dgesv",
                                      "LAPACKE_dgesv_64", "dlasq1_",          "cgesv_"},
                             *const are_not[] = {"dgesv",   "dge_",   "xgesv_",
                                                 "dcabs1_", "dGesv_", "LAPACKE_xerbla"};
    for (size_t i = 0; i < sizeof are / sizeof *are; i++) {
        if (!exb_is_lapack_form(are[i]))
            fail_msg("%s is not LAPACK's", are[i]);
        if (exb_is_lapack_form(are_not[i]))
            fail_msg("%s is LAPACK's", are_not[i]);
    }
}

TESTS(namings, long_names, lapack_forms)
