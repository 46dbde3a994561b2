/* Our enum values are those of the reference cblas.h. */
#include "testing.h"

#include <exblas/cblas.h>

#include TEST_CBLAS_HEADER

static void values(NO_STATE)
{
    assert_int_equal(EXBLAS_ROW_MAJOR, CblasRowMajor);
    assert_int_equal(EXBLAS_COL_MAJOR, CblasColMajor);
    assert_int_equal(EXBLAS_NO_TRANS, CblasNoTrans);
    assert_int_equal(EXBLAS_TRANS, CblasTrans);
    assert_int_equal(EXBLAS_CONJ_TRANS, CblasConjTrans);
    assert_int_equal(EXBLAS_UPPER, CblasUpper);
    assert_int_equal(EXBLAS_LOWER, CblasLower);
    assert_int_equal(EXBLAS_NON_UNIT, CblasNonUnit);
    assert_int_equal(EXBLAS_UNIT, CblasUnit);
    assert_int_equal(EXBLAS_LEFT, CblasLeft);
    assert_int_equal(EXBLAS_RIGHT, CblasRight);
}

TESTS(values)
